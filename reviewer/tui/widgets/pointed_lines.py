"""Lines that scroll, with a pointer at one of them; those of a tree or of a dialogue with rules fold."""

from collections import Counter
from collections.abc import Sequence

from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView

from reviewer.tui.rendering.line import Line, Trail, is_difference
from reviewer.tui.rendering.pane_text import PaneText


class PointedLines(ScrollView, inherit_bindings=False):
    """Knows the lines of a pane text and the pointer; the subclass lays the lines out and draws them."""

    # The subclass sizes the scroll bar itself.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False, repaint=False)

    class Folded(Message):
        """The user wants to fold these branches of the pane's tree, or to unfold those that are folded."""

        def __init__(self, pane: str, trails: Sequence[Trail]) -> None:
            self.pane, self.trails = pane, trails
            super().__init__()

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.pane_text: PaneText | None = None
        self._lines: tuple[Line, ...] = ()
        self._pointer: int | None = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines at the present width."""
        return self._lines

    def differences(self) -> list[int]:
        """The line numbers at which a difference begins, from the top."""
        differs = [is_difference(line) for line in self._lines]
        return [n for n, marked in enumerate(differs) if marked and not (n and differs[n - 1])]

    def point_at(self, number: int) -> None:
        """Put the pointer at a line, and scroll so that it and the line before it are visible."""
        self._pointer = number
        top, height = round(self.scroll_y), self.scrollable_content_region.height
        if not top < number + (number == 0) < top + height - 1:
            self.scroll_to(y=max(0, number - 1), animate=False, immediate=True)
        self.refresh()

    def point_at_nothing(self) -> None:
        """Take the pointer away, as for another case."""
        self._pointer = None

    @property
    def _pointed_trail(self) -> Trail:
        """The branch at the pointer; () if it is at none."""
        at = self._pointer
        return (self._lines[at].fold or ()) if at is not None and at < len(self._lines) else ()

    def _point_at_trail(self, trail: Trail) -> None:
        """Put the pointer at a branch, wherever this is now, or else at the branch that it is folded into."""
        numbers = self._fold_numbers() | self._only_turns() if trail else {}
        places = (numbers.get(trail[:end]) for end in range(len(trail), 0, -1))
        self._pointer = next((place for place in places if place is not None), None)

    # -- folding -----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Folding is available where something can fold."""
        return action not in {"fold", "fold_all"} or bool(self.pane_text and self.pane_text.folds)

    def action_fold(self) -> None:
        """Fold or unfold the step at the pointer, or else the first; a rule goes with its only turn."""
        stops = self._stops()
        if self.pane_text and stops:
            number = self._pointer if self._pointer in stops else stops[0]
            trail = self._lines[number].fold or ()
            with_rule = number in self._only_turns().values() and not self.pane_text.folds.get(trail)
            self._fold(number, trail[:-1] if with_rule else trail)

    def action_fold_all(self) -> None:
        """Unfold all branches; if all are unfolded, fold the outermost, so that each unfolds as a whole."""
        if self.pane_text:
            folds = self.pane_text.folds
            folded = [trail for trail, is_folded in folds.items() if is_folded]
            outermost = [trail for trail in folds if trail[:-1] not in folds]
            self.post_message(self.Folded(self.pane_text.pane, folded or outermost))

    def action_scroll_up(self) -> None:
        """Go to the step above if one is in sight, else scroll."""
        if not self._step_fold(-1):
            super().action_scroll_up()

    def action_scroll_down(self) -> None:
        """Go to the step below if one is in sight, else scroll."""
        if not self._step_fold(1):
            super().action_scroll_down()

    def _fold(self, number: int, trail: Trail) -> None:
        if self.pane_text:
            self._pointer = number
            self.post_message(self.Folded(self.pane_text.pane, [trail]))

    def _fold_numbers(self) -> dict[Trail, int]:
        return {line.fold: number for number, line in enumerate(self._lines) if line.fold is not None}

    def _only_turns(self) -> dict[Trail, int]:
        """The rules of a dialogue that stand above one turn, each with the line of that turn."""
        numbers = self._fold_numbers()
        below = Counter(trail[:-1] for trail in numbers)
        return {
            trail[:-1]: number
            for trail, number in numbers.items()
            if self._lines[number].text and below[trail[:-1]] == 1 and trail[:-1] in numbers
        }

    def _stops(self) -> list[int]:
        """The lines that the pointer goes to: a rule and its only turn are one stop, at the turn."""
        only = self._only_turns()
        return [number for trail, number in self._fold_numbers().items() if trail not in only]

    def _step_fold(self, step: int) -> bool:
        """Point at the next stop in this direction, at first at the uppermost; False where there is none in
        sight: going to it would leave out the lines between.
        """
        top = round(self.scroll_y)
        bottom = top + self.scrollable_content_region.height - 1
        step = 1 if self._pointer is None else step
        outside = top - 1 if step > 0 else bottom + 1
        is_seen = self._pointer is not None and top <= self._pointer <= bottom
        at = self._pointer if is_seen and self._pointer is not None else outside
        seen = range(top, bottom + 1)
        numbers = [n for n in self._stops()[::step] if n in seen and (n - at) * step > 0]
        if numbers:
            self.point_at(numbers[0])
        return bool(numbers)
