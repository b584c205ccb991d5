"""The items of a cell that are worth a look, and one of them with its verdicts side by side."""

from collections.abc import Mapping, Sequence
from functools import partial

from textual.content import Content

from reviewer.core.sanitize import one_line
from reviewer.results.labels.disagreements import VotedItem
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinded_panes import sheet_without_blinding
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem, statement
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines


class DisagreementsScreen(ListScreen):
    """A list of items; enter opens one. ``heading`` counts them, and ``where`` is their cell."""

    def __init__(
        self, bundle: StudyBundle, found: Sequence[VotedItem], heading: str, where: Mapping[str, str]
    ) -> None:
        super().__init__("the case and its verdicts", self._open)
        self._bundle, self._found = bundle, found
        self._heading, self._where = heading, where

    def on_mount(self) -> None:
        """Name the cell, and list its items."""
        place = " · ".join(self._where.values()) or "all"
        self.show_items(f"{self._heading} · {place}", map(listed_item, self._found))

    def _open(self, index: int) -> None:
        self.app.push_screen(VerdictsScreen(self._bundle, self._found, index))


def listed_item(item: VotedItem) -> ListedLines:
    """Two lines: the case, and each rater's label; another line for each comment."""
    return ListedLines(2 + len(item.comments), partial(_item_text, item))


def _item_text(item: VotedItem) -> Content:
    head = literal_line(f"{item.place.key} · {item.place.generator}", 76, "bold $foreground")
    title = Content.styled(f"  {one_line(item.question.title, 30)}", "$foreground 60%")
    votes = literal("   ".join(part for part in (f"  {_votes(item)}", item.distance, item.note) if part))
    comments = [
        Content.assemble("  ", literal_line(f"✎ {who}: {text}", 160, "$foreground 75%"))
        for who, text in item.comments.items()
    ]
    return Content("\n").join([Content.assemble(head, title), votes, *comments])


def _apart(item: VotedItem) -> str:
    return "".join(f" · {part}" for part in (item.distance, item.note) if part)


def _votes(item: VotedItem) -> str:
    return "   ".join(f"{one_line(who, 24)}: {one_line(item.said(who), 24)}" for who in item.votes)


class VerdictsScreen(CaseScreen):
    """One case, below the verdict and comment of each rater."""

    def __init__(self, bundle: StudyBundle, found: Sequence[VotedItem], index: int) -> None:
        super().__init__(len(found), index, self._verdicts)
        self._bundle, self._found = bundle, found

    def _verdicts(self, index: int) -> ShownItem:
        """The disagreement, with all panes that the question shows to somebody who has answered it."""
        bundle, item, count = self._bundle, self._found[index], len(self._found)
        place, question = item.place, item.question
        return ShownItem(
            index,
            f"{index + 1} of {count} · {question.title} · {place.key} · {place.generator}" + _apart(item),
            question.wording(bundle.terms(place.case)),
            [_verdict(part, item, who) for part, who in enumerate(item.votes)],
            lambda width: sheet_without_blinding(bundle, question, bundle.cases[place.case]),
        )


def _verdict(part: int, item: VotedItem, who: str) -> PaneText:
    """One rater's verdict, with the comment below it."""
    comment = item.comments.get(who, "")
    parts = [literal("– no answer" if item.votes[who] is None else item.said(who), "strong")]
    if comment:
        parts.append(literal(f"✎ {comment}"))
    return statement(part, one_line(who, 30), Content("\n").join(parts))
