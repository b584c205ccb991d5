"""What a rater answered: all answers so far, to be searched; once the study is closed, those that are not the
final ones. For others, all final labels.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.question import answer_in_words
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.results.labels.disagreements import VotedItem, finally_labelled
from reviewer.results.labels.final_labels import FinalLabel, OwnLabel, final_labels, own_labels
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinded_panes import sheet_without_blinding
from reviewer.study.session.blinding import why_not_others_answers
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.own_answers import OwnAnswer, own_answers
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.search_dialog import SearchDialog
from reviewer.tui.in_background import in_background
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from reviewer.tui.screens.disagreements_screen import VerdictsScreen, listed_item
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines
from store.database import Database
from store.records import Event

_Read = tuple[StudyBundle, Sequence[OwnLabel], Sequence[VotedItem]]
"""A study with the labels of a rater; without any, all its items."""


class OwnLabelsScreen(ListScreen):
    """A list of the rater's answers that are not the final ones, or of all items; enter opens one."""

    def __init__(self, database: Database, study: str, rater: str) -> None:
        super().__init__("the case", self._open)
        self._database, self._study, self._rater = database, study, rater
        self._bundle: StudyBundle | None = None
        self._found: Sequence[OwnLabel] = ()
        self._items: Sequence[VotedItem] = ()

    def on_mount(self) -> None:
        """Read in the background: thousands of verdicts take a moment."""
        self.show_items(f"{self._study} · {self._rater}", (), nothing="Reading the verdicts …")
        in_background(self, "labels", self._read, self._list, self._fail)

    def _read(self) -> _Read:
        """Read every verdict of the study; without labels of this rater, all items."""
        if why := why_not_others_answers(
            self._database, progress_of(self._database, self._study), self._rater
        ):
            raise RequestError(why)
        bundle, events = read_study(self._database, self._study)
        own = own_labels(bundle, events, self._rater)
        return bundle, own, () if own else _all_items(bundle, events)

    def _list(self, read: _Read) -> None:
        """List the answers that differ, or all items of somebody who has given none."""
        self._bundle, own, self._items = read
        if self._items:
            head = f"{self._study} · final labels of {counted(len(self._items), 'item')}"
            self.show_items(head, map(listed_item, self._items))
            return
        self._found = [label for label in own if label.differs]
        waiting = sum(label.final.label is None for label in own)
        head = (
            f"{self._study} · {self._rater} · other than the final label: {len(self._found)} of "
            f"{counted(len(own), 'answer')}" + (f" · {waiting} not decided yet" if waiting else "")
        )
        self.show_items(head, map(_item, self._found), nothing=_nothing(own, self._study))

    def _fail(self, error: ReviewerError) -> None:
        """Show why there is no list."""
        words = base_app(self).words_of(error)
        self.show_items(f"{self._study} · {self._rater}", (), nothing=f"✗ {words}")

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


class OwnLabelScreen(CaseScreen):
    """One case, below the rater's answer and the final label."""

    def __init__(self, bundle: StudyBundle, found: Sequence[OwnLabel], index: int) -> None:
        super().__init__(len(found), index, self._label)
        self._bundle, self._found = bundle, found

    def _label(self, index: int) -> ShownItem:
        """The answer with its comment, the final label with its reason, and the whole case."""
        bundle, own, at = self._bundle, self._found[index], f"{index + 1} of {len(self._found)}"
        final, place = own.final, own.final.place
        return ShownItem(
            index,
            f"{at} · {final.question.title} · {place.key} · {place.generator}",
            final.question.wording(bundle.terms(place.case)),
            _statements(own),
            lambda width: sheet_without_blinding(bundle, final.question, bundle.cases[place.case]),
        )


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


_MOST = 200


class OwnAnswersScreen(ListScreen):
    """A list of the rater's own answers, newest first; enter shows the case again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        named_key("own-answers", "slash", "search", "search", "search", "Look for words", shown_as="/"),
    ]
    HINTS = (("own-answers.search", "search"),)

    def __init__(self, session: ReviewSession, words: str, show: Callable[[int], None]) -> None:
        super().__init__("the case", self._open)
        self._session, self._words, self._show = session, words, show
        self._found: list[OwnAnswer] = []

    def on_mount(self) -> None:
        """List the answers that have the words."""
        self._list(self._words)

    def action_search(self) -> None:
        """Ask for words, and list the answers with them while they are typed."""
        dialog = SearchDialog(self._words, self._list, placeholder="words to find in your answers")
        self.app.push_screen(dialog, lambda words: self.say(self._list(words or "")))

    def _list(self, words: str) -> str:
        self._words = words.strip()
        answers = own_answers(self._session, self._words)
        self._found = answers[:_MOST]
        number = "your answers" if self._session.bundle.repeated else counted(len(answers), "answer")
        listed = f", {_MOST} are listed" if len(answers) > _MOST else ""
        having = f" with “{self._words}”" if self._words else ""
        head = f"{self._session.bundle.study.name} · {self._session.rater} · {number}{having}{listed}"
        protocols = protocols_of(self._session.database)
        items = [
            ListedLines(2 + bool(a.verdict.comment), partial(_answer_item, protocols, a)) for a in self._found
        ]
        self.show_items(head, items, 0, nothing="" if answers else _no_answer(self._words))
        return number

    def _open(self, index: int) -> None:
        position = self._found[index].position
        self.dismiss()
        self._show(position)


def _no_answer(words: str) -> str:
    if words:
        return (
            f"None of your answers has “{words}” in its case, question, label or comment. / searches again."
        )
    return "You have not answered anything yet."


def _answer_item(protocols: Protocols, answer: OwnAnswer) -> Content:
    """Question, label and case; how the case begins; the comment."""
    verdict, place = answer.verdict, answer.place
    where = answer.case.group
    if place:
        training = "training · " if place.training else ""
        where = f"{training}case {place.case_number} of {place.case_count} · {where}"
    lines = [
        Content.assemble(
            literal_line(f"{answer.question.title} = {answer.words}", 60, "bold $foreground"),
            "  ",
            literal_line(where, 80, "$foreground 70%"),
        ),
        literal_line(headline_of(protocols, answer.case), 160).pad_left(2),
    ]
    if verdict.comment:
        reply = f"  ↳ {answer.reply}" if answer.reply else ""
        lines.append(literal_line(f"✎ {verdict.comment}{reply}", 160, "italic $foreground 80%").pad_left(2))
    return Content("\n").join(lines)
