"""One case with every model's answers side by side, what logic decides, and what experts say of it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from textual.content import Content

from reviewer.core.pane import Pane, Sheet, Text
from reviewer.core.sanitize import one_line
from reviewer.protocols.altered_case import panes_of
from reviewer.protocols.registry import Protocols
from reviewer.results.labels.shared_labels import SharedLabels
from reviewer.results.outcomes.case_changes import (
    UNLABELLED,
    CaseChanges,
    answers_by_condition,
    condition_names,
)
from reviewer.results.outcomes.evaluated import MISSING, NOT_ASKED, UNREADABLE, EvaluatedCase, Evaluation
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from store.cases import get_measurements
from store.database import Database
from store.evaluations import Evaluations
from store.readable_cases import readable_case
from store.records import Outcome

_NAME = 24
_STATES = {
    "unreadable": UNLABELLED[UNREADABLE],
    "missing": UNLABELLED[MISSING],
    "not_asked": UNLABELLED[NOT_ASKED],
}


class _Answered:
    """Cases as items, each with all its answers; ``labels`` are None until they were read."""

    def __init__(
        self,
        database: Database,
        evaluation: Evaluation,
        found: Sequence[CaseChanges],
        index: int,
        labels: SharedLabels | None,
    ) -> None:
        self._database, self._evaluation, self._found, self._index = database, evaluation, found, index
        self.labels = labels
        self._names = condition_names(evaluation)

    def item(self) -> ShownItem:
        """The labels of every model and of the experts, above texts, replies, and what logic decides."""
        changes, count = self._found[self._index], len(self._found)
        case = changes.case
        stale = " · stale: its place holds other content now" if case.stale else ""
        known = (
            f"{division.title}: {division.of(case.facts)}" for division in self._evaluation.plan.divisions
        )
        return ShownItem(
            (self._index, self.labels is None),
            f"{self._index + 1:,} of {count:,} · {case.key} · {case.group} · {case.generator}{stale}",
            " · ".join((*known, changes.words)),
            [*self._statements(case)],
            lambda width: self._sheet(case),
        )

    def step(self, by: int) -> None:
        """Go to another case of the same cell."""
        self._index = max(0, min(len(self._found) - 1, self._index + by))

    def _statements(self, case: EvaluatedCase) -> Iterator[PaneText]:
        experts = self._experts(case)
        meaning = self._evaluation.plan.meaning_of_labels(self._evaluation.conditions)
        nobody = "" if experts else "No expert has answered about this case."
        said = [literal(line) for line in (meaning, nobody) if line]
        yield statement(0, "answers", Content("\n").join([*self._answers(case), *said]))
        if experts:
            yield statement(1, "experts", Content("\n").join(experts))

    def _answers(self, case: EvaluatedCase) -> Iterator[Content]:
        """A line for each model: how often it gave which label under each condition."""
        widest = min(_NAME, max(map(len, self._evaluation.models), default=0))
        for model in self._evaluation.models:
            answers = answers_by_condition(self._evaluation, model, case)
            said = (
                f"{self._names[condition]} {counts_in_words(counts)}" for condition, counts in answers.items()
            )
            name = literal(f"{one_line(model, widest):<{widest}}", "strong")
            yield Content.assemble(name, literal("   ".join(("", *said))))

    def _experts(self, case: EvaluatedCase) -> list[Content]:
        """The final label and the votes of each question, by study."""
        if self.labels is None:
            return [literal("Reading the labels …")]
        lines = []
        for study, labels in groupby(self.labels.by_case.get(case.digest, ()), key=lambda label: label.study):
            lines.append(literal(study, "strong"))
            lines += [
                literal(f"  {label.question}: {label.final} ({label.how}; {counts_in_words(label.votes)})")
                for label in labels
            ]
        lines += [
            literal(f"{study}: raters judge alone, so you see its labels later.")
            for study in self.labels.hidden
        ]
        return lines

    def _sheet(self, case: EvaluatedCase) -> Sheet:
        """What the first question is about, beside the models' replies; then all else that is known."""
        with self._database.read() as session:
            stored = readable_case(session, case.digest)
            values = get_measurements(session, [case.digest])[case.digest]
        here = [value for value in values if not value.came_with_place or value.key == case.key]
        panes = panes_of(Protocols(self._evaluation.protocol), stored, here)
        asked = self._evaluation.protocol.questions[0].shows
        first = [pane for pane in panes if pane.key in asked] or panes[:1]
        outcomes = list(Evaluations(self._database).outcomes(self._evaluation.run.name, case=case.place))
        replies = (
            Pane(f"replies-{number}", one_line(model, 30), Text(self._replies(model, outcomes)))
            for number, model in enumerate(self._evaluation.models)
        )
        return Sheet((*first, *replies), tuple(pane for pane in panes if pane not in first))

    def _replies(self, model: str, outcomes: Sequence[Outcome]) -> str:
        """The replies of one model by condition; equal ones stand there once, with their runs."""
        order = {condition.key: name for condition, name in self._names.items()}
        parts = []
        for key, name in order.items():
            given = [outcome for outcome in outcomes if (outcome.model, outcome.condition) == (model, key)]
            parts.append("\n\n".join((f"── {model} · {name}", *_distinct(given))))
        return "\n\n".join(parts)


class CaseAnswersScreen(CaseScreen):
    """Goes from case to case, each below its answers."""

    def __init__(
        self,
        database: Database,
        evaluation: Evaluation,
        found: Sequence[CaseChanges],
        index: int,
        labels: SharedLabels | None,
    ) -> None:
        self._answered = _Answered(database, evaluation, found, index, labels)
        super().__init__(self._answered)

    def put_labels(self, labels: SharedLabels) -> None:
        """Show the labels of the experts, which were read meanwhile."""
        self._answered.labels = labels
        self.draw()


def counts_in_words(counts: Mapping[str, int]) -> str:
    """How often each label was given: "A 4, B 1"."""
    return ", ".join(f"{label} {count:,}" for label, count in sorted(counts.items())) or "none"


def _distinct(given: Sequence[Outcome]) -> Iterator[str]:
    """Each distinct reply below its label, the commonest first."""
    replies: dict[tuple[str, str, str], list[int]] = {}
    for outcome in given:
        label = outcome.label if outcome.label is not None else _STATES[outcome.state]
        replies.setdefault((label, outcome.why, outcome.reply), []).append(outcome.repeat + 1)
    for (label, why, reply), runs in sorted(replies.items(), key=lambda item: (-len(item[1]), item[1])):
        named = ("run " if len(runs) == 1 else "runs ") + ", ".join(map(str, runs))
        head = " · ".join(filter(None, (label, named, why)))
        yield f"{head}\n{reply}".rstrip()
    if not replies:
        yield UNLABELLED[MISSING]
