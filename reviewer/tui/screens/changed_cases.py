"""The cases of a cell of effects by how often their answers change, and one of them with all answers."""

from collections.abc import Iterator, Sequence
from functools import partial

from textual import work
from textual.content import Content
from textual.message import Message

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.protocols.evaluation import Condition, Measure
from reviewer.results.labels.shared_labels import SharedLabels, shared_labels
from reviewer.results.outcomes.case_changes import (
    CaseChanges,
    answers_by_condition,
    case_changes,
    condition_names,
)
from reviewer.results.outcomes.divisions import CellRuns
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.study.session.blinding import why_not_outcomes
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.case_answers import CaseAnswersScreen, counts_in_words
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines
from store.database import Database

_CHANGES = 20


class ChangedCasesScreen(ListScreen):
    """A list of cases; enter opens one."""

    class Listed(Message):
        """The cases, or why this person may not see them."""

        def __init__(self, found: Sequence[CaseChanges], why_not: str = "") -> None:
            self.found, self.why_not = found, why_not
            super().__init__()

    class Labelled(Message):
        """The experts' labels of the cases."""

        def __init__(self, labels: SharedLabels) -> None:
            self.labels = labels
            super().__init__()

    def __init__(
        self, database: Database, evaluation: Evaluation, measure: Measure, cell: CellRuns, person: str
    ) -> None:
        super().__init__("the case and its answers", self._open)
        self._database, self._evaluation, self._measure = database, evaluation, measure
        self._cell, self._person = cell, person
        self._found: Sequence[CaseChanges] = ()
        self._labels: SharedLabels | None = None

    def on_mount(self) -> None:
        """Read in the background who may see the cases, and what experts say of them."""
        self.show_items(self._head, (), nothing="Reading the cases …")
        self.read_cases()

    @property
    def _head(self) -> str:
        where = " · ".join(self._cell.where.values())
        return f"{self._evaluation.run.name} · {where} · {self._measure.title}"

    @work(thread=True)
    def read_cases(self) -> None:
        """The cases first, and then the labels: reading every verdict takes a moment."""
        try:
            changes = case_changes(self._evaluation, self._measure, self._cell)
            datasets = {change.case.dataset for change in changes}
            studies = study_progress(self._database)
            if why_not := why_not_outcomes(self._database, studies, self._person, sorted(datasets)):
                self.post_message(self.Listed((), why_not))
                return
            self.post_message(self.Listed(changes))
            digests = {change.case.digest for change in changes}
            labels = shared_labels(self._database, studies, self._person, datasets, digests)
            self.post_message(self.Labelled(labels))
        except ReviewerError as error:
            self.post_message(self.Listed((), f"✗ {error}"))

    def on_changed_cases_screen_listed(self, message: Listed) -> None:
        """List them."""
        self._found = message.found
        changed = sum(change.changed > 0 for change in self._found)
        head = f"{self._head} · {counted(len(self._found), 'case')}, {changed:,} with a change"
        nothing = message.why_not or "No case of this run belongs to this cell."
        self.show_items(head, map(self._item, self._found), 0, nothing)

    def on_changed_cases_screen_labelled(self, message: Labelled) -> None:
        """Keep the labels, also for the case that is shown meanwhile."""
        self._labels = message.labels
        if isinstance(self.app.screen, CaseAnswersScreen):
            self.app.screen.put_labels(message.labels)

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
