"""Moving through all cases, or only through those that pass a filter."""

from collections.abc import Callable

from textual.screen import Screen

from reviewer.study.session.filters import FilteredSlots, SlotFilter
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import State
from reviewer.tui.dialogs.filter import FilterDialog, offers_for
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.screens.saving import Saving


class CaseMoves:
    """Goes from case to case of a session, within the filter ``only``."""

    def __init__(self, screen: Screen[None], session: ReviewSession, saving: Saving) -> None:
        self._screen, self._session, self._saving = screen, session, saving
        self.only = SlotFilter()
        """The filter: which cases the keys go to."""
        self.shows_finished = session.finished
        """Whether the panel for a finished review is shown: all is labelled, and no case was opened again."""

    def next(self) -> None:
        """Show the next case."""
        self._move(lambda: self._follow(1), "This is the last case.")

    def previous(self) -> None:
        """Show the case before; after the end, the case that was shown last."""
        self._move(lambda: True if self.shows_finished else self._follow(-1), "This is the first case.")

    def next_open(self) -> None:
        """Show the next case without a label; say so if that leaves one without a label behind."""
        session, place = self._session, self._session.place
        is_left = not self.shows_finished and session.verdict.state is not State.LABELLED
        left = f"{session.question.title} (case {place.case_number}) is still open." if is_left else ""
        self._move(self._follow_open, "Nothing else is open.", left)

    def ask_filter(self) -> None:
        """Ask which cases to show."""
        counts = FilteredSlots(self._session).counts()
        # A generator that all cases share is no use as a filter.
        counts = {name: values for name, values in counts.items() if len(values) > (name != "state")}
        dialog = FilterDialog("filter", offers_for(self.only, SlotFilter(), counts))
        self._screen.app.push_screen(dialog, self._look_through)

    def show_all(self) -> None:
        """Show all cases again."""
        self._look_through(SlotFilter())

    def show_position(self, position: int) -> None:
        """Show one of the rater's slots, and remove the filter if the slot does not pass it."""

        def show() -> bool:
            self._session.go_to(position)
            if self.only and not FilteredSlots(self._session).holds(position, self.only):
                self.only = SlotFilter()
            return True

        self._move(show, "")

    def keep_within(self, before: int) -> None:
        """After an answer at a position, stay within the filter while any case passes it."""
        session = self._session
        if not self.only or session.finished or session.position == before:
            return
        slots = FilteredSlots(session)
        position = slots.following(self.only, 1, before)
        if position is None:
            position = slots.following_open(self.only)
        if position is None:
            self.only = SlotFilter()
        elif position != session.position:
            session.go_on_to(position, before)

    def _look_through(self, only: SlotFilter | None) -> None:
        if only is not None:
            self._saving.save(lambda: self._narrowed(only))

    def _narrowed(self, only: SlotFilter) -> Notice:
        slots = FilteredSlots(self._session)
        if only and not slots.holds(self._session.position, only):
            first = next(slots.positions(only), None)
            if first is None:
                self.only = SlotFilter()
                return notices.remark(f"No case is {only.words}; all cases are shown again.")
            self._session.go_to(first)
        self.only, self.shows_finished = only, False
        return notices.remark("")

    def _follow(self, step: int) -> bool:
        if not self.only:
            before = self._session.position
            self._session.go_to(before + step)
            return self._session.position != before
        return self._go(FilteredSlots(self._session).following(self.only, step))

    def _follow_open(self) -> bool:
        if not self.only:
            return self._session.next_open()
        return self._go(FilteredSlots(self._session).following_open(self.only))

    def _go(self, position: int | None) -> bool:
        if position is not None:
            self._session.go_to(position)
        return position is not None

    def _move(self, move: Callable[[], bool], otherwise: str, left: str = "") -> None:
        """Move, and save that a rater now sees what an answer reveals. Then say what was ``left`` behind, or
        ``otherwise`` if there was nowhere to go.
        """

        def moved() -> Notice:
            showed_finished = self.shows_finished
            has_moved = move()
            self.shows_finished = False
            among = f" among those that are {self.only.words}" if self.only else ""
            stays = not (has_moved or showed_finished)
            return notices.remark(otherwise.removesuffix(".") + among + "." if stays else left)

        self._saving.save(moved)
