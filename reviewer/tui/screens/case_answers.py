"""The cases of a cell of effects by how often their answers change, and one of them with all its answers:
those of every model side by side, the decision of logic, and the experts' labels."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from textual.content import Content

from reviewer.core.errors import ReviewerError
from reviewer.core.pane import Pane, Sheet, Text
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.altered_case import panes_of
from reviewer.protocols.evaluation import Condition, Measure
from reviewer.protocols.registry import Protocols
from reviewer.results.labels.shared_labels import SharedLabels, shared_labels
from reviewer.results.outcomes.case_changes import (
    UNLABELLED,
    CaseChanges,
    answers_by_condition,
    case_changes,
    condition_names,
)
from reviewer.results.outcomes.effect_rows import CellRuns
from reviewer.results.outcomes.evaluated import MISSING, NOT_ASKED, UNREADABLE, EvaluatedCase, Evaluation
from reviewer.study.session.blinding import why_not_outcomes
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.in_background import in_background
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines
from store.cases import get_measurements, readable_case
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome

_NAME, _CHANGES = 24, 20
_STATES = {
    "unreadable": UNLABELLED[UNREADABLE],
    "missing": UNLABELLED[MISSING],
    "not_asked": UNLABELLED[NOT_ASKED],
}


class CaseAnswersScreen(CaseScreen):
    """Goes from case to case, each below its answers; ``labels`` are None until they were read."""

    def __init__(
        self,
        database: Database,
        evaluation: Evaluation,
        found: Sequence[CaseChanges],
        index: int,
        labels: SharedLabels | None,
    ) -> None:
        super().__init__(len(found), index, self._answered)
        self._database, self._evaluation, self._found = database, evaluation, found
        self._labels, self._names = labels, condition_names(evaluation)

    def put_labels(self, labels: SharedLabels) -> None:
        """Show the labels of the experts, which were read meanwhile."""
        self._labels = labels
        self.draw()

    def _answered(self, index: int) -> ShownItem:
        """The labels of every model and of the experts, above texts, replies, and the decision of logic."""
        changes, count = self._found[index], len(self._found)
        case = changes.case
        stale = " · stale: its place holds other content now" if case.stale else ""
        known = (
            f"{division.title}: {division.of(case.facts)}" for division in self._evaluation.plan.divisions
        )
        return ShownItem(
            (index, self._labels is None),
            f"{index + 1:,} of {count:,} · {case.key} · {case.group} · {case.generator}{stale}",
            " · ".join((*known, changes.words)),
            [*self._statements(case)],
            lambda width: self._sheet(case),
        )

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
        if self._labels is None:
            return [literal("Reading the labels …")]
        lines = []
        for study, labels in groupby(
            self._labels.by_case.get(case.digest, ()), key=lambda label: label.study
        ):
            lines.append(literal(study, "strong"))
            lines += [
                literal(f"  {label.question}: {label.final} ({label.how}; {counts_in_words(label.votes)})")
                for label in labels
            ]
        lines += [
            literal(f"{study}: raters judge alone, so you see its labels later.")
            for study in self._labels.hidden
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


class ChangedCasesScreen(ListScreen):
    """A list of cases; enter opens one."""

    def __init__(
        self, database: Database, evaluation: Evaluation, measure: Measure, cell: CellRuns, person: str
    ) -> None:
        super().__init__("the case and its answers", self._open)
        self._database, self._evaluation, self._measure = database, evaluation, measure
        self._cell, self._person = cell, person
        self._found: Sequence[CaseChanges] = ()
        self._labels: SharedLabels | None = None

    def on_mount(self) -> None:
        """Read in the background who may see the cases, and the experts' labels."""
        self.show_items(self._head, (), nothing="Reading the cases …")
        in_background(self, "cases", self._read_cases, self._list, self._fail)

    @property
    def _head(self) -> str:
        where = " · ".join(self._cell.where.values())
        return f"{self._evaluation.run.name} · {where} · {self._measure.title}"

    def _read_cases(self) -> Sequence[CaseChanges] | str:
        """The cases, or why this person may not see them."""
        changes = case_changes(self._evaluation, self._measure, self._cell)
        datasets = sorted({change.case.dataset for change in changes})
        studies = study_progress(self._database)
        return why_not_outcomes(self._database, studies, self._person, datasets) or changes

    def _list(self, read: Sequence[CaseChanges] | str) -> None:
        """List them; the labels come later, since reading every verdict takes a moment."""
        self._found = () if isinstance(read, str) else read
        changed = sum(change.changed > 0 for change in self._found)
        head = f"{self._head} · {counted(len(self._found), 'case')}, {changed:,} with a change"
        nothing = read if isinstance(read, str) else "No case of this run belongs to this cell."
        self.show_items(head, map(self._item, self._found), 0, nothing)
        if not isinstance(read, str):
            in_background(self, "labels", self._read_labels, self._put_labels, self._fail)

    def _read_labels(self) -> SharedLabels:
        """What experts say of the cases."""
        datasets = {change.case.dataset for change in self._found}
        digests = {change.case.digest for change in self._found}
        studies = study_progress(self._database)
        return shared_labels(self._database, studies, self._person, datasets, digests)

    def _put_labels(self, labels: SharedLabels) -> None:
        """Keep the labels, also for the case that is shown meanwhile."""
        self._labels = labels
        if isinstance(self.app.screen, CaseAnswersScreen):
            self.app.screen.put_labels(labels)

    def _fail(self, error: ReviewerError) -> None:
        """Show why the cases cannot be shown with labels."""
        self._list(f"✗ {error}")

    def _item(self, changes: CaseChanges) -> ListedLines:
        return ListedLines(2, partial(self._lines, changes))

    def _lines(self, changes: CaseChanges) -> Content:
        """Which case and how often it changed; the labels under each condition."""
        case = changes.case
        head = literal(f"{changes.words:<{_CHANGES}}", "bold $foreground")
        said = f"{case.key} · {case.generator}" + (" · stale" if case.stale else "")
        labels = " · ".join(self._labels_of(changes))
        return Content("\n").join(
            [
                Content.assemble(head, literal_line(said, 120)),
                literal_line(labels, 180, "$foreground 60%").pad_left(_CHANGES),
            ]
        )

    def _labels_of(self, changes: CaseChanges) -> Iterator[str]:
        """The labels of the cell's models under each of its conditions."""
        names = condition_names(self._evaluation)
        for place in self._cell.models:
            model = self._evaluation.models[place]
            answers = answers_by_condition(self._evaluation, model, changes.case)
            yield from (
                f"{names[put]} {counts_in_words(counts)}"
                for put, counts in answers.items()
                if self._holds(put)
            )

    def _holds(self, condition: Condition) -> bool:
        return self._cell.has(condition.without(*self._measure.factors))

    def _open(self, index: int) -> None:
        self.app.push_screen(
            CaseAnswersScreen(self._database, self._evaluation, self._found, index, self._labels)
        )
