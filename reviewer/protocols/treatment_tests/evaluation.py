"""Evaluating models on tests: a free answer, then the option; both versions; the score of both decisions.

Labels are the numbers of the chosen options, counted from 0 in the order of the case, in whatever order the
options were shown. Files of decisions have one row for each case and model, with the option chosen in each
version.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import copy
from typing import Final, NamedTuple, Self

from reviewer.core.errors import InputError
from reviewer.core.number_text import fixed
from reviewer.core.sanitize import one_line, shown
from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    Brought,
    Condition,
    Division,
    EvaluationPlan,
    Factor,
    LabelRead,
    Measure,
)
from reviewer.protocols.intake import CORRECT
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from reviewer.protocols.procedure import PromptPlan, Prompts, Sampling
from reviewer.protocols.reading import READER_VERSION
from reviewer.protocols.reading.choices import Choices
from reviewer.protocols.treatment_tests.treatment_test import (
    CONTROL,
    MOST_OPTIONS,
    SIZE_CAUTION,
    TREATMENT,
    VERSIONS,
    ScoreParameters,
    TreatmentTest,
    coin_caution,
    null_scores,
    shift,
)
from reviewer.protocols.work import Work, replies_to
from store.records import Case, JsonValue

VERSION: Final = "version"
ORDER: Final = "order"
BALANCED, PLAIN, REVERSED = "balanced", "plain", "reversed"
_NO_OPTION: Final = ""
"""What stands for a reply without an option."""


class FactsOfTest(NamedTuple):
    """The bias, the parameters, the number of options, and the order of the case among balanced orders."""

    group: str
    parameters: ScoreParameters
    options: int
    order: str

    def order_under(self, condition: Condition) -> str:
        """The order in which the options are shown."""
        return self.order if condition[ORDER] == BALANCED else condition[ORDER]


def _facts(facts: Hashable) -> FactsOfTest:
    assert isinstance(facts, FactsOfTest)
    return facts


def _score(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(float(_facts(facts).parameters.score(int(label[CONTROL]), int(label[TREATMENT]))))


def _size(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(abs(_score(facts, rest, label).value))


def _shift(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(float(shift(int(label[CONTROL]), int(label[TREATMENT]), _facts(facts).options)))


def _failed(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(_NO_OPTION in label.values())


MEASURES = (
    Measure(
        "score",
        "score",
        "How far the treatment moves decisions as the bias predicts, from -1 to 1: "
        "k (|a1 - x1| - |a2 - x2|) / max(|a1 - x1|, |a2 - x2|).",
        VERSION,
        _score,
        least=-1.0,
        best=0.0,
        directions=("sum of scores above 0", "sum of scores below 0"),
    ),
    Measure("size", "size", "The mean of the absolute value of the score.", VERSION, _size, best=0.0),
    Measure(
        "shift",
        "shift",
        "How far the treatment moves decisions towards the last option, as a share of all options.",
        VERSION,
        _shift,
        least=-1.0,
        directions=("moves towards the last option", "moves towards the first option"),
    ),
    Measure(
        "failed",
        "failed",
        "How often no option was read in the control or in the treatment.",
        VERSION,
        _failed,
        unread_as=_NO_OPTION,
    ),
)
ANSWERERS = (
    Answerer("first", "always the first option", lambda facts, put: "0"),
    Answerer("middle", "always the middle option", lambda facts, put: str((_facts(facts).options - 1) // 2)),
    Answerer("last", "always the last option", lambda facts, put: str(_facts(facts).options - 1)),
    Answerer(
        "first_place",
        "always the first place",
        lambda facts, put: place_in_case(0, _facts(facts).order_under(put), _facts(facts).options),
    ),
)


def place_in_case(shown: int, order: str, options: int) -> str:
    """The number of the option in the case that was shown at a place, both counted from 0."""
    return str(options - 1 - shown if order == REVERSED else shown)


class TreatmentEvaluation(EvaluationPlan):
    """Labels are numbers of options. A coin takes each option of each version equally often."""

    prompts = PromptPlan(
        "reviewer.protocols.treatment_tests",
        {"decision": frozenset({"text", "options"}), "option": frozenset({"number"})},
    )
    factors = (
        Factor(VERSION, VERSIONS, VERSIONS),
        Factor(ORDER, (BALANCED, PLAIN, REVERSED), (BALANCED,)),
    )
    measures = MEASURES
    answerers = ANSWERERS
    sampling = Sampling(temperature=0.0)
    divisions = (
        Division("k", "k", lambda facts: f"{_facts(facts).parameters.k:+d}"),
        Division("order", "order of the options", lambda facts: _facts(facts).order),
    )
    reader_version = READER_VERSION
    cluster_noun = "scenario"

    def __init__(self) -> None:
        self._orders: Mapping[str, str] = {}

    def for_sample(self, cases: Sequence[Case]) -> Self:
        """The same with an order for each case: balanced within each bias and each k, in the given order."""
        bound = copy(self)
        bound._orders = dict(_balanced_orders(cases))
        return bound

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> FactsOfTest:
        """What scores and constant answerers need."""
        test = TreatmentTest.model_validate(case.payload)
        return FactsOfTest(
            case.group, test.parameters, len(test.options), self._orders.get(case.digest, PLAIN)
        )

    def labels(self, case: Case) -> tuple[str, ...]:
        """The numbers of the options, counted from 0."""
        options = case.payload["options"]
        assert isinstance(options, Sequence)
        return tuple(map(str, range(len(options))))

    def cluster(self, case: Case) -> Hashable:
        """The scenario."""
        return str(case.payload["scenario"])

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        """Asks for a decision in the words of the model, and then which option that was."""
        test = TreatmentTest.model_validate(case.payload)
        options = enumerate(self._shown(case, condition), 1)
        listed = "\n".join(f"Option {number}: {option}" for number, option in options)
        messages = prompts.fill("decision", text=test.text_of(condition[VERSION]), options=listed)
        (decision,) = yield from replies_to(ModelRequest(messages, "decision"))
        asked = prompts.fill("option", number=str(len(self.labels(case))))
        messages = (*messages, ChatMessage("assistant", decision.text), *asked)
        return (yield from self.answer_to(ModelRequest(messages, "option"), case, condition))

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The option that a second reply names; the remark of the outcome keeps the order that was shown."""
        from reviewer.protocols.reading.answer_reader import chosen_in  # loads where replies are read

        order = self._order(case, condition)
        shown = self._shown(case, condition)
        read = chosen_in(reply, Choices.numbered(shown))
        if read.label is None:
            return LabelRead(None, f"{read.why} ({order} order)")
        return LabelRead(place_in_case(int(read.label) - 1, order, len(shown)), f"{order} order")

    def meaning_of_labels(self, conditions: Sequence[Condition]) -> str:
        """Numbers count from 0, in the order of the case."""
        return "A label is the number of the chosen option, counted from 0 in the order of the case."

    def cautions(self, facts: Sequence[Hashable], conditions: Sequence[Condition]) -> Sequence[str]:
        """The score of a coin on these cases, and the limit of asking one order of options."""
        return tuple(self._cautions([_facts(each) for each in facts], conditions))

    def _cautions(self, known: Sequence[FactsOfTest], conditions: Sequence[Condition]) -> Iterator[str]:
        if not known:
            return
        yield f"{SIZE_CAUTION} On these cases a coin's is {fixed(_mean_size(known), 3)}."
        if shifted := list(_shifted(known)):
            yield coin_caution(shifted, "scores with the coin's")
        if (
            all(condition[ORDER] in (PLAIN, REVERSED) for condition in conditions)
            and len({condition[ORDER] for condition in conditions}) == 1
        ):
            yield "Only one order of the options was asked, so a preference for a place looks like a score."

    def _shown(self, case: Case, condition: Condition) -> tuple[str, ...]:
        """The options in the order in which they are shown."""
        options = tuple(TreatmentTest.model_validate(case.payload).options_of(condition[VERSION]))
        return options[::-1] if self._order(case, condition) == REVERSED else options

    def _order(self, case: Case, condition: Condition) -> str:
        order = condition[ORDER]
        return self._orders.get(case.digest, PLAIN) if order == BALANCED else order


def _balanced_orders(cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """Orders in turn for the cases of each bias and k. The two values of k begin with different orders."""
    seen = Counter[tuple[str, bool]]()
    for case in {case.digest: case for case in cases}.values():
        cell = case.group, case.payload["k"] == 1
        yield case.digest, PLAIN if seen[cell] % 2 == (not cell[1]) else REVERSED
        seen[cell] += 1


def _mean_size(facts: Sequence[FactsOfTest]) -> float:
    sizes = [float(null_scores(each.options, {each.parameters: 1}).size) for each in facts]
    return sum(sizes) / len(sizes)


def _shifted(facts: Sequence[FactsOfTest]) -> Iterator[str]:
    """The biases on whose cases a coin does not score 0, with its mean score."""
    weights: dict[tuple[str, int], Counter[ScoreParameters]] = {}
    for each in facts:
        weights.setdefault((each.group, each.options), Counter())[each.parameters] += 1
    for (group, options), of_group in weights.items():
        nulls = null_scores(options, of_group)
        if nulls.is_shifted:
            yield f"{one_line(group)} ({fixed(float(nulls.coin), 3)})"


EVALUATION = TreatmentEvaluation()


_DECISIONS: Final = {version: f"{version}_decision" for version in VERSIONS}
_NUMBER: Final = re.compile(r"[0-9]{1,4}")
_NONE: Final = "the file has no decision"
_NO_ORDER: Final = (
    "the file does not say in which order options were shown; divisions by order, and the score of always "
    "the first place, take the order that an evaluation would use"
)


class DecisionFiles(OutcomeFiles):
    """Decisions count options from 0 in the order of the case. An empty one was not read."""

    name = "treatment-decisions"
    columns = ("key", "model", *VERSIONS, *_DECISIONS.values())

    def texts_of(self, case: Case) -> Hashable:
        """Both versions."""
        return tuple(case.payload[version] for version in VERSIONS)

    def content_of(self, row: RowCells) -> tuple[str, RowCells]:
        """What a row has that also holds the other parts of its case."""
        parts = {name: row[name] for name in self._protocol.payload_model.model_fields if name in row}
        return str(row.get("group")), parts

    def read(self, row: RowCells, where: str) -> FiledRow:
        """A decision for each version; raises InputError."""
        texts = tuple(_text(row, version, where) for version in VERSIONS)
        outcomes = {
            Condition(((VERSION, version), (ORDER, BALANCED))): _decision(
                row[column], f"{where}, column {column!r}"
            )
            for version, column in _DECISIONS.items()
        }
        key, model = _text(row, "key", where), _text(row, "model", where)
        return FiledRow(texts, 0, outcomes, key=key, model=model, remark=_NO_ORDER)

    def settled(self, case: Case, condition: Condition, outcome: FiledOutcome, where: str) -> FiledOutcome:
        """The same; raises InputError for an option that the case does not have."""
        options = case.payload["options"]
        assert isinstance(options, Sequence)
        if outcome.label is not None and int(outcome.label) >= len(options):
            column = _DECISIONS[condition[VERSION]]
            wrong = (
                f"is {outcome.label}, and the case has {len(options)} options, from 0 to {len(options) - 1}"
            )
            raise InputError(f"{where}, column {column!r}", wrong, CORRECT)
        return outcome


def _text(row: RowCells, column: str, where: str) -> str:
    value = row[column]
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}, column {column!r}", "is not a text", CORRECT)
    return value.strip()


def _decision(value: JsonValue, where: str) -> FiledOutcome:
    if value is None or value == "":
        return FiledOutcome(None, "", _NONE)
    number = int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < MOST_OPTIONS:
        raise InputError(where, f"is {shown(str(value))}, not the number of an option from 0", CORRECT)
    return FiledOutcome(str(number), f"Option {number + 1}")
