"""Published pairs and a judge's verdicts on them: one row for each pair, with a verdict for each order.

The place of the right answer is written as 1 and 2 in one of these files, and as A>B and B>A in the other.
The files of one kind name the domain, for the others it follows from the benchmark.

The first verdict of a judge is on the pair as published, the second on the pair with its answers exchanged;
A names the answer that was shown first. Judges that score answers keep two scores instead of a reply.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import counted, shown
from reviewer.core.strict_json import kind_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import ReadCase, RowsFormat, Source, SourceRow, SourceRows, StoredCase
from reviewer.protocols.intake import (
    CORRECT,
    UNSTATED_GENERATOR,
    checked_columns,
    is_generator_name,
    known_group,
    origin_of,
    text_of_cell,
    valid_case,
)
from reviewer.protocols.judge_pairs.evaluation import AS_PUBLISHED, EXCHANGED, ORDER, TIE, side_at
from reviewer.protocols.judge_pairs.payloads import FIRST, RIGHT_ANSWER, SECOND
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from store.records import Case, JsonValue

KEY, LABEL, SOURCE, DOMAIN, MODEL = "pair_id", "label", "source", "domain", "response_model"
COLUMN_OF: Final = {"question": "question", "first": "response_A", "second": "response_B", "source": SOURCE}
"""The column of each field of the payload."""
TEXTS: Final = ("question", "response_A", "response_B")
JUDGEMENTS: Final = "judgments"
_DOMAINS: Final = {
    "mmlu-pro-math": "math",
    "livebench-math": "math",
    "livebench-reasoning": "reason",
    "livecodebench": "code",
}
_OTHER_SUBJECTS: Final = ("mmlu-pro-", "knowledge")
_PLACES: Final = {"1": FIRST, "2": SECOND, "a>b": FIRST, "b>a": SECOND}
_LONGEST_KEY = 200


class PublishedPairs(RowsFormat):
    """The published pairs of one or several models."""

    name = "published pairs (Parquet or JSON Lines)"
    endings = (".parquet", ".jsonl")

    def reader(self, rows: SourceRows, protocol: Protocol, source: Source) -> Callable[[SourceRow], ReadCase]:
        """Rows of pairs."""
        return lambda row: _case_of(row, protocol, source)

    def is_record(self, raw: JsonValue) -> bool:
        """An object with the key of a pair."""
        return isinstance(raw, dict) and KEY in raw

    def write(self, cases: Iterable[StoredCase], protocol: Protocol) -> Iterator[Mapping[str, JsonValue]]:
        """The row of each case: as it was imported, else made from the case."""
        for stored in cases:
            raw = stored.raw
            yield raw if isinstance(raw, dict) else _row_of(stored)


def payload_of(row: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The fields of the payload that a row has, as they stand there."""
    return {name: row[column] for name, column in COLUMN_OF.items() if row.get(column) is not None}


def domain_of(row: Mapping[str, JsonValue], where: str) -> str:
    """The domain that a row names, else that of its benchmark; raises InputError."""
    named, source = row.get(DOMAIN), row.get(SOURCE)
    if isinstance(named, str) and named.strip():
        return named.strip()
    if isinstance(source, str):
        subject, knowledge = _OTHER_SUBJECTS
        known = _DOMAINS.get(source) or (knowledge if source.startswith(subject) else source.strip())
        if known:
            return known
    raise InputError(where, "names neither a domain nor a source", f"add a column {DOMAIN!r}")


def side_that_is_right(label: JsonValue, where: str) -> str | None:
    """The side that a published label calls right; None for null; raises InputError for another spelling."""
    if label is None:
        return None
    text = str(label) if isinstance(label, int | float) and not isinstance(label, bool) else label
    if isinstance(text, str):
        side = _PLACES.get("".join(text.split()).removesuffix(".0").casefold())
        if side:
            return side
    wrong = f"{shown(text)!r} names no right answer" if isinstance(text, str) else f"is {kind_of(label)}"
    raise InputError(f"{where}, column {LABEL!r}", wrong, "give 1 or 2, or A>B or B>A")


def _case_of(row: SourceRow, protocol: Protocol, source: Source) -> ReadCase:
    content, where = checked_columns(row), row.where
    _check_columns(content, where, source)
    group = known_group(protocol, domain_of(content, where), where)
    right = side_that_is_right(content.get(LABEL), where)
    named = {KEY, LABEL, DOMAIN, MODEL, *COLUMN_OF.values()}
    generator = _generator(content, source, where)
    return ReadCase(
        case=valid_case(protocol, group, payload_of(content), where, COLUMN_OF, "column"),
        key=_key(content, where),
        position=row.number - 1,
        generator=generator,
        origin=origin_of(generator),
        published={RIGHT_ANSWER: right} if right else {},
        extra={name: value for name, value in content.items() if name not in named and value is not None},
        raw=content,
    )


def _check_columns(row: Mapping[str, JsonValue], where: str, source: Source) -> None:
    if missing := [name for name in (KEY, *TEXTS) if name not in row]:
        remedy = source.or_name_protocol("add it, or give a file of pairs")
        raise InputError(where, f"has no column {missing[0]!r}", remedy)
    if JUDGEMENTS in row:
        remedy = "import the pairs first, then this file with `reviewer outcomes import --as judge-bench`"
        raise InputError(where, "holds what a judge said of the pair", remedy)


def _key(row: Mapping[str, JsonValue], where: str) -> str:
    key = str(row[KEY]) if type(row[KEY]) is int else row[KEY]
    if isinstance(key, str) and 0 < len(key.strip()) <= _LONGEST_KEY and key.isprintable():
        return key.strip()
    wrong = f"{shown(key)!r} cannot be a key" if isinstance(key, str) else f"is {kind_of(key)}, not a key"
    raise InputError(f"{where}, column {KEY!r}", wrong, CORRECT)


def _generator(row: Mapping[str, JsonValue], source: Source, where: str) -> str:
    named = source.generator or row.get(MODEL) or UNSTATED_GENERATOR
    if isinstance(named, str) and is_generator_name(named):
        return named
    said = shown(named) if isinstance(named, str) else kind_of(named)
    raise InputError(f"{where}, column {MODEL!r}", f"{said!r} cannot be the name of a generator", CORRECT)


def _row_of(stored: StoredCase) -> dict[str, JsonValue]:
    payload = stored.case.payload
    row: dict[str, JsonValue] = {KEY: stored.place.key, MODEL: stored.place.generator}
    row |= {column: payload.get(name) for name, column in COLUMN_OF.items()}
    if RIGHT_ANSWER in stored.published:
        row[LABEL] = {FIRST: 1, SECOND: 2}[str(stored.published[RIGHT_ANSWER])]
    return {**row, DOMAIN: stored.case.group, **stored.place.extra}


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
