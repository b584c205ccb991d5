"""Where a rater differs from the final labels, once the study is closed; for others, all final labels."""

from collections.abc import Sequence
from functools import partial

from textual import work
from textual.content import Content
from textual.message import Message

from reviewer.core.answers import answer_in_words
from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import counted, one_line
from reviewer.results.labels.disagreements import VotedItem, finally_labelled
from reviewer.results.labels.final_labels import FinalLabel, OwnLabel, final_labels, own_labels
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinded_panes import sheet_without_blinding
from reviewer.study.session.blinding import why_not_others_answers
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import progress_of
from reviewer.tui.base_app import base_app
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from reviewer.tui.screens.disagreements import VerdictsScreen, listed_item
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines
from store.database import Database
from store.records import Event


class OwnLabelsScreen(ListScreen):
    """A list of the rater's answers that are not the final ones, or of all items; enter opens one."""

    class Read(Message):
        """The study was read: the rater's labels, own with the final label; without any, all items."""

        def __init__(self, bundle: StudyBundle, own: Sequence[OwnLabel], items: Sequence[VotedItem]) -> None:
            self.bundle, self.own, self.items = bundle, own, items
            super().__init__()

    class Failed(Message):
        """The store could not be read; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, database: Database, study: str, rater: str) -> None:
        super().__init__("the case", self._open)
        self._database, self._study, self._rater = database, study, rater
        self._bundle: StudyBundle | None = None
        self._found: Sequence[OwnLabel] = ()
        self._items: Sequence[VotedItem] = ()

    def on_mount(self) -> None:
        """Read in the background: thousands of verdicts take a moment."""
        self.show_items(f"{self._study} · {self._rater}", (), nothing="Reading the verdicts …")
        self.read_labels()

    @work(thread=True, exclusive=True, group="labels")
    def read_labels(self) -> None:
        """Read every verdict of the study."""
        try:
            if why := why_not_others_answers(
                self._database, progress_of(self._database, self._study), self._rater
            ):
                raise RequestError(why)
            bundle, events = read_study(self._database, self._study)
            own = own_labels(bundle, events, self._rater)
            items = () if own else _all_items(bundle, events)
        except ReviewerError as error:
            self.post_message(self.Failed(base_app(self).words_of(error)))
        else:
            self.post_message(self.Read(bundle, own, items))

    def on_own_labels_screen_read(self, message: Read) -> None:
        """List the answers that differ, or all items of somebody who has given none."""
        self._items = message.items
        if self._items:
            self._bundle = message.bundle
            head = f"{self._study} · final labels of {counted(len(self._items), 'item')}"
            self.show_items(head, map(listed_item, self._items))
            return
        own = message.own
        self._bundle, self._found = message.bundle, [label for label in own if label.differs]
        waiting = sum(label.final.label is None for label in own)
        head = (
            f"{self._study} · {self._rater} · other than the final label: {len(self._found)} of "
            f"{counted(len(own), 'answer')}" + (f" · {waiting} not decided yet" if waiting else "")
        )
        self.show_items(head, map(_item, self._found), nothing=_nothing(own, self._study))

    def on_own_labels_screen_failed(self, message: Failed) -> None:
        """Show why there is no list."""
        self.show_items(f"{self._study} · {self._rater}", (), nothing=f"✗ {message.sentence}")

    def _open(self, index: int) -> None:
        if self._bundle is None:
            return
        if self._items:
            self.app.push_screen(VerdictsScreen(self._bundle, self._items, index))
        else:
            self.app.push_screen(OwnLabelScreen(self._bundle, self._found, index))


def _all_items(bundle: StudyBundle, events: Sequence[Event]) -> list[VotedItem]:
    rows = label_rows(bundle, events)
    return finally_labelled(bundle, rows, final_labels(bundle, events, rows=rows))


def _nothing(own: Sequence[OwnLabel], study: str) -> str:
    if not own:
        return f"Nobody has answered in {study} yet, so there are no final labels."
    return "✓ Wherever there is a final label, yours is the same."


def _item(own: OwnLabel) -> ListedLines:
    """Two lines: question and case; own and final label. A third line for the reason."""
    return ListedLines(2 + bool(own.final.reason), partial(_beside_final, own))


def _beside_final(own: OwnLabel) -> Content:
    final = own.final
    place = f"{final.place.key} · {final.place.generator}"
    title = literal_line(final.question.title, 30, "bold $foreground")
    lines = [
        Content.assemble(title, "  ", literal_line(place, 70, "$foreground 70%")),
        literal_line(
            f"you: {_words(own, own.row.label)} · final: {_words(own, final.label)} "
            f"({_apart(own)}{_source(final)})",
            160,
        ).pad_left(2),
    ]
    if final.reason:
        lines.append(literal_line(f"“{final.reason}”", 160, "italic $foreground 80%").pad_left(2))
    return Content("\n").join(lines)


def _apart(own: OwnLabel) -> str:
    return f"{own.distance}; " if own.distance else ""


def _words(own: OwnLabel, answer: str | None) -> str:
    return "–" if answer is None else answer_in_words(own.final.question, answer)


def _source(final: FinalLabel) -> str:
    counts = final.item_votes.counts.items()
    votes = ", ".join(f"{answer_in_words(final.question, label)} {count}" for label, count in counts)
    return f"{final.status}; votes {votes}"


class _OwnLabels:
    """A rater's labels as items, each with the final label."""

    def __init__(self, bundle: StudyBundle, found: Sequence[OwnLabel], index: int) -> None:
        self._bundle, self._found, self._index = bundle, found, index

    def item(self) -> ShownItem:
        """The answer with its comment, the final label with its reason, and the whole case."""
        bundle, own, at = self._bundle, self._found[self._index], f"{self._index + 1} of {len(self._found)}"
        final, place = own.final, own.final.place
        return ShownItem(
            self._index,
            f"{at} · {final.question.title} · {place.key} · {place.generator}",
            final.question.wording(bundle.terms(place.case)),
            _statements(own),
            lambda width: sheet_without_blinding(bundle, final.question, bundle.cases[place.case]),
        )

    def step(self, by: int) -> None:
        """Go to another item of the list."""
        self._index = max(0, min(len(self._found) - 1, self._index + by))


class OwnLabelScreen(CaseScreen):
    """One case, below the rater's answer and the final label."""

    def __init__(self, bundle: StudyBundle, found: Sequence[OwnLabel], index: int) -> None:
        super().__init__(_OwnLabels(bundle, found, index))


def _statements(own: OwnLabel) -> list[PaneText]:
    row, final = own.row, own.final
    comment = f"✎ {row.verdict.comment}" if row.verdict.comment else ""
    return [
        statement(0, f"you: {one_line(_words(own, row.label), 24)}", literal(comment or "no comment")),
        statement(1, f"final: {one_line(_words(own, final.label), 24)}", literal(_final_text(own))),
    ]


def _final_text(own: OwnLabel) -> str:
    final = own.final
    by = f"\n“{final.reason}” – {final.decision.event.rater}" if final.decision and final.reason else ""
    return f"{_apart(own)}{_source(final)}{by}"
