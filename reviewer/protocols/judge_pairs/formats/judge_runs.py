"""Reading what a judge said of published pairs: one row for each pair, with a verdict for each order.

The first verdict is on the pair as published, the second on the pair with its answers exchanged; A names the
answer that stood first. Judges that score answers keep two scores instead of a reply.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import counted, shown
from reviewer.core.strict_json import kind_of
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.intake import CORRECT, text_of_cell
from reviewer.protocols.judge_pairs.evaluation import AS_PUBLISHED, EXCHANGED, ORDER, side_at
from reviewer.protocols.judge_pairs.formats.published_pairs import (
    JUDGEMENTS,
    KEY,
    LABEL,
    TEXTS,
    domain_of,
    payload_of,
    side_that_is_right,
)
from reviewer.protocols.judge_pairs.judge_verdicts import TIE
from reviewer.protocols.judge_pairs.payloads import FIRST, RIGHT_ANSWER, SECOND
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from store.records import Case, JsonValue

_ORDERS: Final = (AS_PUBLISHED, EXCHANGED)
_DECISIONS: Final = {"a>b": FIRST, "b>a": SECOND, "a=b": TIE, "b=a": TIE}
_NO_DECISION: Final = "the file has no verdict for this order"
_SAME_PROMPT: Final = (
    "outcomes record a prompt that equals the reply but for blanks at the ends, so the file does not say "
    "what the judge was asked"
)
_EQUAL_SCORES: Final = "outcomes prefer an answer although both scores are equal"


class JudgeRuns(OutcomeFiles):
    """The files of one judge over published pairs."""

    name = "judge-bench"
    columns = (KEY, *TEXTS, JUDGEMENTS)

    def texts_of(self, case: Case) -> Hashable:
        """The question and both answers."""
        return tuple(case.payload[name] for name in ("question", FIRST, SECOND))

    def content_of(self, row: RowCells) -> tuple[str, RowCells]:
        """The pair."""
        return domain_of(row, ""), payload_of(row)

    def read(self, row: RowCells, where: str) -> FiledRow:
        """A verdict for each order that was judged; raises InputError."""
        texts = tuple(text_of_cell(row[name], f"{where}, column {name!r}") for name in TEXTS)
        said = _judgements(row[JUDGEMENTS], where)
        models, outcomes = set(), {}
        for number, (order, one) in enumerate(zip(_ORDERS, said, strict=False), 1):
            at = f"{where}, judgement {number}"
            condition = Condition.of(**{ORDER: order})
            inner = one.get("judgment")
            judged = inner if isinstance(inner, Mapping) else {}
            models.add(text_of_cell(judged.get("judge_model"), f"{at}, field 'judge_model'"))
            outcomes[condition] = _outcome(one, judged, condition, at)
        if len(models) > 1:
            first, second = sorted(models)
            wrong = f"names two models, {shown(first)} and {shown(second)}"
            raise InputError(where, wrong, "import each model from a file of its own")
        key = text_of_cell(row[KEY], f"{where}, column {KEY!r}").strip()
        right = side_that_is_right(row.get(LABEL), where)
        published: dict[str, JsonValue] = {RIGHT_ANSWER: right} if right else {}
        return FiledRow(texts, 0, outcomes, key=key, model=models.pop().strip(), published=published)


def _judgements(value: JsonValue, where: str) -> Sequence[Mapping[str, JsonValue]]:
    """One or two objects; raises InputError."""
    at = f"{where}, column {JUDGEMENTS!r}"
    if not isinstance(value, list):
        raise InputError(at, f"is {kind_of(value)}, not a list", CORRECT)
    objects = [one for one in value if isinstance(one, Mapping)]
    if not 0 < len(value) <= len(_ORDERS) or len(objects) < len(value):
        wrong = f"holds {counted(len(value), 'judgement')}"
        remedy = "give an object for each order: as published, then exchanged"
        raise InputError(
            at, wrong if len(objects) == len(value) else "holds something that is not an object", remedy
        )
    return objects


def _outcome(
    one: Mapping[str, JsonValue], judged: Mapping[str, JsonValue], condition: Condition, where: str
) -> FiledOutcome:
    place = _place(one.get("decision"), f"{where}, field 'decision'")
    reply = text_of_cell(judged.get("response", ""), f"{where}, field 'response'")
    prompt = judged.get("prompt")
    remark = ""
    if isinstance(prompt, str) and prompt.strip() and prompt.strip() == reply.strip():
        remark = _SAME_PROMPT
    if (scores := judged.get("scores")) is not None:
        first, second = _scores(scores, f"{where}, field 'scores'")
        reply = reply or f"Scores: {first!r} and {second!r}."
        remark = _EQUAL_SCORES if _contradicts(first, second, place, where) else remark
    if place is None:
        return FiledOutcome(None, reply, _NO_DECISION, remark)
    return FiledOutcome(TIE if place == TIE else side_at(condition, place), reply, remark=remark)


def _place(decision: JsonValue, where: str) -> str | None:
    """The place that a decision prefers, or a tie; None for null; raises InputError."""
    if decision is None:
        return None
    if isinstance(decision, str) and (place := _DECISIONS.get("".join(decision.split()).casefold())):
        return place
    wrong = (
        f"{shown(decision)!r} is not a verdict" if isinstance(decision, str) else f"is {kind_of(decision)}"
    )
    raise InputError(where, wrong, "give A>B, B>A or A=B, or null for none")


def _scores(scores: JsonValue, where: str) -> tuple[float, float]:
    if isinstance(scores, list) and len(scores) == len(_ORDERS):
        numbers = [
            float(score) for score in scores if isinstance(score, int | float) and not isinstance(score, bool)
        ]
        if len(numbers) == len(_ORDERS) and all(map(math.isfinite, numbers)):
            return numbers[0], numbers[1]
    raise InputError(where, "is not a list of two numbers", CORRECT)


def _contradicts(first: float, second: float, place: str | None, where: str) -> bool:
    """Whether equal scores stand beside a preference; raises InputError for a preference of the lower one."""
    if place is None:
        return False
    if first == second:
        return place != TIE
    if place != (FIRST if first > second else SECOND):
        wrong = f"prefers {'neither' if place == TIE else f'the {place}'} answer, and its scores are"
        raise InputError(where, f"{wrong} {first:g} and {second:g}", "correct it, or leave the row out")
    return False
