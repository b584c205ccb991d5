"""Pairs of answers as an implementation of the contract."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.question import DecidedExample, Question, Sides
from reviewer.core.table import Table
from reviewer.protocols.base import DatasetCase, DatasetFinding, Protocol, Value
from reviewer.protocols.common_panes import findings_pane
from reviewer.protocols.judge_pairs.pair_checks import (
    DATASET_CHECKS,
    PAIR_CHECKS,
    final_results,
    judge_pair,
    judge_pairs,
    rule_of,
)
from reviewer.protocols.judge_pairs.payloads import FIRST, RIGHT_ANSWER, SECOND, AnswerPair
from store.records import Case, Finding, JsonValue, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.procedure import ModelTask


BOTH, NEITHER = "both", "neither"
_SIDES = Sides(titles=("first answer", "second answer"), neutral=("question", "domain"))
_NAMED_SIDES = _SIDES.model_copy(update={"mirrored": ((FIRST, SECOND),)})

RIGHT_RESULT = Question(
    key="right_result",
    title="right result",
    prompt="Which answer ends in the right result?",
    guideline="Work the question out yourself, then compare. Only the result that an answer ends in counts, "
    "not how it gets there, and not its length or tone. An answer that ends in no result is not right.",
    examples=(
        DecidedExample(
            case="The question asks for 12 × 12. The first answer explains every step and ends in 142. "
            "The second only says 144.",
            label=SECOND,
            why="Only the second result is right; the explanation does not count.",
        ),
        DecidedExample(
            case="The options are (A) 3 and (B) 4, and 4 is right. The first answer ends in (B), the "
            "second in 4.",
            label=BOTH,
            why="Both name the right result, in different words.",
        ),
    ),
    labels=(FIRST, SECOND, BOTH, NEITHER),
    passing=(FIRST, SECOND),
    shows=("question", "answers"),
    reveals=("published", "findings"),  # final results would answer the other question
    sides=_NAMED_SIDES,
)

SAME_RESULT = Question(
    key="same_result",
    title="same result",
    prompt="Do both answers state the same final result?",
    criteria=(
        ("True", "both end in one and the same result, whatever words or form they give it."),
        ("False", "the results differ, or if an answer states none."),
    ),
    guideline="Whether the result is right does not matter here.",
    examples=(
        DecidedExample(
            case="One answer ends in 1/2, the other in 0.5.",
            label="True",
            why="Both are the same number.",
        ),
        DecidedExample(
            case="One answer ends in (C), the other stops in the middle of a sum.",
            label="False",
            why="The second states no result.",
        ),
    ),
    labels=("True", "False"),
    passing=("False",),
    shows=("question", "answers"),
    reveals=("results", "findings"),
    sides=_SIDES,
)

QUESTIONS = (RIGHT_RESULT, SAME_RESULT)


NOT_READ = "could not be read"
_TITLES = {"right_answer": "answer that is right"}

_LabelsMeant = Callable[[str, JsonValue], tuple[str, str]]
"""The label that a value stands for, and the same on exchanged sides; "" twice if it stands for none."""


def pair_panes(
    pair: AnswerPair,
    domain: str,
    measurements: Sequence[Measurement],
    findings: Sequence[Finding],
    labels_meant: _LabelsMeant,
) -> Iterator[Pane]:
    """Question and answers; then final results, published values and findings, if there are any."""
    yield Pane("question", "question of the pair", Text(pair.question))
    answers = Pair(*_SIDES.titles, Text(pair.first), Text(pair.second), compared=False)
    yield Pane("answers", "answers", answers)
    yield Pane("domain", "domain", Text(f"{domain} · {pair.benchmark}"))
    if rule := rule_of(pair.benchmark):
        yield Pane("results", f"final results ({rule})", _results(pair))
    published = [value for value in measurements if value.source == "published"]
    if published:
        yield Pane("published", "published values", _published(published, labels_meant))
    yield from findings_pane(findings)


def _results(pair: AnswerPair) -> Table:
    results = final_results(pair)
    read = [results[side] or NOT_READ for side in (FIRST, SECOND)]
    return Table.of(("what", *_SIDES.titles), [("final result", *read)], sides=(1, 2))


def _published(values: Sequence[Measurement], labels_meant: _LabelsMeant) -> Table:
    """Names and contents; what names a side reads differently once the sides are exchanged."""
    rows, mirrored = [], []
    for row, value in enumerate(values):
        _, across = labels_meant(value.name, value.value)
        rows.append((_TITLES.get(value.name, value.name), str(value.value)))
        if across:
            mirrored.append((row, 1, across))
    return replace(Table.of(("name", "content"), rows), mirrored=tuple(mirrored))


class JudgePairs(Protocol):
    """A question with two answers, of which one is published as right; models are tested as judges on it."""

    name = "judge-pairs"
    title = "Judge pairs"
    about = (
        "A case is a question with two answers, of which one is right. A model that judges answers is asked "
        "which one is better, in both orders."
    )
    payload_model = AnswerPair
    payload_version = 1
    headline_field = "question"
    group_noun = "domain"
    questions = QUESTIONS
    values = (
        Value(
            RIGHT_ANSWER,
            RIGHT_RESULT.key,
            {FIRST: FIRST, SECOND: SECOND},
            "published label",
            must_agree=True,  # judges are measured against it
        ),
    )
    example_folder = "judge_pairs"
    machine_checks = PAIR_CHECKS
    concerns = dict.fromkeys(("identical_answers", "same_result", "result_read"), SAME_RESULT.key)
    dataset_checks = DATASET_CHECKS

    def formats(self) -> "Sequence[CaseFormat]":
        """The published files of pairs."""
        from reviewer.protocols.judge_pairs.formats.judge_runs import PublishedPairs

        return (PublishedPairs(),)

    def outcome_files(self) -> "Sequence[OutcomeFiles]":
        """What judges said of published pairs."""
        from reviewer.protocols.judge_pairs.formats.judge_runs import JudgeRuns

        return (JudgeRuns(self),)

    def procedures(self) -> "Iterator[ModelTask]":
        """Both answers in both orders."""
        from reviewer.protocols.judge_pairs.evaluation import EVALUATION  # loaded only to evaluate models

        yield EVALUATION

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether answers or final results are the same, were read, and differ much in length."""
        return judge_pair(AnswerPair.model_validate(case.payload))

    def judge_dataset(self, cases: Sequence[DatasetCase]) -> tuple[DatasetFinding, ...]:
        """Places and lengths of right answers, final results, repeated questions, control characters."""
        return judge_pairs(cases)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Question and both answers; afterwards final results, published values and findings."""
        pair = AnswerPair.model_validate(case.payload)
        return list(pair_panes(pair, case.group, measurements, findings, self.labels_meant))
