"""Moving through all cases, or only through those that pass a filter."""

from collections.abc import Callable

from reviewer.study.session.filters import FilteredSlots, SlotFilter
from reviewer.tui.dialogs.filter import FilterDialog, offers_for
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.screens.saving import SavingScreen


class FilteringScreen(SavingScreen):
    """The keys that move from case to case, within the filter."""

    only = SlotFilter()
    """The filter: which cases the keys go to."""

    def action_next(self) -> None:
        """Show the next case."""
        self._move(lambda: self._follow(1), "This is the last case.")

    def action_previous(self) -> None:
        """Show the case before; after the end, the case that was shown last."""
        self._move(lambda: True if self.shows_finished else self._follow(-1), "This is the first case.")

    def action_next_open(self) -> None:
        """Show the next case without a label."""
        self._move(self._follow_open, "Nothing else is open.")

    def action_only(self) -> None:
        """Ask which cases to show."""
        counts = FilteredSlots(self.session).counts()
        # A generator that all cases share is no use as a filter.
        counts = {name: values for name, values in counts.items() if len(values) > (name != "standing")}
        dialog = FilterDialog("look through", offers_for(self.only, SlotFilter(), counts))
        self.app.push_screen(dialog, self._look_through)

    def action_everything(self) -> None:
        """Show all cases again."""
        self._look_through(SlotFilter())

    def show_position(self, position: int) -> None:
        """Show one of the rater's slots, and remove the filter if the slot does not pass it."""

        def show() -> bool:
            self.session.go_to(position)
            if self.only and not FilteredSlots(self.session).holds(position, self.only):
                self.only = SlotFilter()
            return True

        self._move(show, "")

    def keep_within(self, before: int) -> None:
        """After an answer at a position, stay within the filter while any case passes it."""
        if not self.only or self.session.finished or self.session.position == before:
            return
        slots = FilteredSlots(self.session)
        position = slots.following(self.only, 1, before)
        if position is None:
            position = slots.following_open(self.only)
        if position is None:
            self.only = SlotFilter()
        elif position != self.session.position:
            self.session.go_to(position)

    def _look_through(self, only: SlotFilter | None) -> None:
        if only is not None:
            self._save(lambda: self._narrowed(only))

    def _narrowed(self, only: SlotFilter) -> Notice:
        slots = FilteredSlots(self.session)
        if only and not slots.holds(self.session.position, only):
            first = next(slots.positions(only), None)
            if first is None:
                self.only = SlotFilter()
                return notices.remark(f"No case is {only.words}; all cases are shown again.")
            self.session.go_to(first)
        self.only, self.shows_finished = only, False
        return notices.remark("")

    def _follow(self, step: int) -> bool:
        if not self.only:
            before = self.session.position
            self.session.go_to(before + step)
            return self.session.position != before
        return self._go(FilteredSlots(self.session).following(self.only, step))

    def _follow_open(self) -> bool:
        if not self.only:
            return self.session.next_open()
        return self._go(FilteredSlots(self.session).following_open(self.only))

    def _go(self, position: int | None) -> bool:
        if position is not None:
            self.session.go_to(position)
        return position is not None

    def _move(self, move: Callable[[], bool], otherwise: str) -> None:
        """Move, and save that a rater now sees what an answer reveals."""

        def moved() -> Notice:
            showed_finished = self.shows_finished
            has_moved = move()
            self.shows_finished = False
            among = f" among those that are {self.only.words}" if self.only else ""
            stays = not (has_moved or showed_finished)
            return notices.remark(otherwise.removesuffix(".") + among + "." if stays else "")

        self._save(moved)
