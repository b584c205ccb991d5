"""Searching the panes of a case: words are marked, and keys go from match to match, also to hidden ones."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from textual.content import Content

from reviewer.core.sanitize import visible
from reviewer.tui.dialogs.search_dialog import SearchDialog
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.line import Line, find_words
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.pane_parts import PaneParts

if TYPE_CHECKING:
    from reviewer.tui.case.view import CaseView


class CaseSearch:
    """Searches a view of a case. ``search_answers`` looks for words in the rater's answers to all cases."""

    def __init__(
        self, view: "CaseView", say: Callable[[Notice], None], search_answers: Callable[[str], None] | None
    ) -> None:
        self._view, self._say, self._search_answers = view, say, search_answers

    def ask(self) -> None:
        """Ask for words, and mark them while they are typed."""

        def keep(words: str | None) -> None:
            self._mark(words or "")
            if words:
                self.step_match(1)

        dialog = SearchDialog(self._view.grid.words, self._mark, self._search_answers)
        self._view.app.push_screen(dialog, keep)

    def step_match(self, step: int) -> None:
        """Point at the next match, or at the one before, also in hidden parts and in other tabs."""
        grid, words = self._view.grid, self._view.grid.words
        around = not self._view.narrow and not any(self._hidden_matches())
        if not words:
            self._say(notices.remark("You have not searched in this case yet."))
        elif grid.step_match(step, around=around) or self._go_to_hidden(step) or self._turn_to_match(step):
            self._say(notices.remark(f"“{words}”: {self._match_number()} of {self._counted()}"))
        else:
            self._say(notices.remark(f"“{words}” is nowhere in this case."))

    def _hidden_matches(self) -> Iterator[tuple[PaneParts, int]]:
        """The parts of panes in sight that have the words and are not shown."""
        layout = self._view.arranged
        for parts in layout.parts if layout else ():
            for number in parts.hidden:
                if self._count([Line(Content(visible(parts.parts[number].text)))]):
                    yield parts, number

    def _go_to_hidden(self, step: int) -> bool:
        """Show the next part that has the words, and point at its first match."""
        places = sorted(self._hidden_matches(), key=lambda place: step * place[1])
        ahead = [(parts, number) for parts, number in places if step * number > step * parts.shown[0]]
        # On a small screen, the other tabs come before what was there already.
        for parts, number in (ahead or ([] if self._view.narrow else places))[:1]:
            self._view.show_part(parts.pane, parts.position_of(number))
            return self._point_in(parts.pane, step)
        return False

    def _point_in(self, pane: str, step: int) -> bool:
        """Point at the first match of one pane."""
        grid = self._view.grid
        grid.mark(grid.words)
        while grid.step_match(step, around=False):
            if grid.matched_pane == pane:
                return True
        return False

    def _turn_to_match(self, step: int) -> bool:
        """In the narrow layout, point at the first match in the next tab with one, or in this tab again."""
        layout = self._view.arranged
        if layout is None or not layout.narrow:
            return False
        tabs = layout.tabs[::step]
        here = max(number for number, pane in enumerate(tabs) if pane.key in layout.shown_tabs)
        for pane in (*tabs[here + 1 :], *tabs[: here + 1]):
            if self._count(self._view.tab_lines(pane)):
                self._view.show_tab(pane.key)
                self._view.grid.mark(self._view.grid.words)
                return self._view.grid.step_match(step)
        return False

    def _match_number(self) -> int:
        """The number of the first match on the line that is pointed at, among all that are counted."""
        text_panes = self._view.grid.visible_panes()
        titles = [pane_text.title for pane in text_panes if (pane_text := pane.pane_text)]
        before = sum(
            self._count(lines)
            for title, lines in takewhile(lambda page: page[0] not in titles, self._view.pages())
        )
        return before + self._view.grid.matches_before + 1

    def _mark(self, words: str) -> str:
        self._view.grid.mark(words.strip())
        return self._counted() if words.strip() else ""

    def _counted(self) -> str:
        """How many matches there are in which panes, and which hidden parts have more."""
        counts = [(title, self._count(lines)) for title, lines in self._view.pages()]
        places = ", ".join(f"{count} in {title}" for title, count in counts if count)
        names: dict[str, list[str]] = {}
        for parts, number in self._hidden_matches():
            names.setdefault(parts.title, []).append(parts.parts[number].name)
        hidden = [f"{title} · {', '.join(of_pane)}" for title, of_pane in names.items()]
        more = f"more in {'; '.join(hidden)}" if hidden else ""
        found = f"{sum(count for _, count in counts)} found – {places}" if places else ""
        return "; ".join(filter(None, (found, more))) or "nothing found"

    def _count(self, lines: Sequence[Line]) -> int:
        return sum(len(spans) for spans in find_words(lines, self._view.grid.words).values())
