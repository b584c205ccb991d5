"""Lays out the next case while the rater reads this one, so that the next key only paints."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Lock

from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import get_current_worker

from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.session_state import Coming
from reviewer.tui.case.view import CaseView
from reviewer.tui.rendering.arrangement import arrange
from reviewer.tui.rendering.pane_layout import ViewOptions
from reviewer.tui.rendering.view_state import ViewState
from reviewer.tui.widgets.pane_grid import text_widths_of

# A rater who presses keys faster than this never waits for the prefetch.
_PAUSE_SECONDS = 0.1


class Prefetch:
    """Fills the caches of laid-out lines once the rater pauses, in a thread that touches no widget."""

    def __init__(self, screen: Screen[None], session: ReviewSession, case: CaseView) -> None:
        self._screen, self._session, self._case = screen, session, case
        self._view: ViewState | None = None
        self._pause: Timer | None = None
        self._draws = 0
        self._render_lock = Lock()

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Around each draw of the screen: the thread waits, and begins again once the rater pauses."""
        self._draws += 1
        # The thread is probably laying out what is needed here; doing it twice would take twice as long.
        with self._render_lock:
            yield
        if self._pause is not None:
            self._pause.stop()
        self._pause = self._screen.set_timer(_PAUSE_SECONDS, self.look_ahead)

    def shows(self, view: ViewState) -> None:
        """Remember what the rater sees now."""
        self._view = view

    def look_ahead(self) -> None:
        """Begin to lay out what the next keys may show: other cases, and other parts of this one."""
        now = self._view
        if now is not None:
            following = self._case.options.for_next_case(None, self._case.arranged)
            coming = [(partial(_view_of, now, case), following) for case in self._session.coming()]
            moved = [(lambda: now, options) for options in self._case.options_of_other_parts()]
            widths, size = self._case.grid.text_widths(), self._screen.app.size
            work = partial(self._work_out, [*coming, *moved], size, widths, self._draws)
            # Without a description, Textual would write all texts out as one.
            self._screen.run_worker(work, thread=True, group="prefetch", description="prefetch")

    def _work_out(
        self,
        coming: Sequence[tuple[Callable[[], ViewState], ViewOptions]],
        size: Size,
        widths: Mapping[str, Sequence[int]],
        draws: int,
    ) -> None:
        worker = get_current_worker()
        for view_of, options in coming:
            with self._render_lock:
                view = view_of()
            for pane_text, width in text_widths_of(arrange(view, *size, options), widths):
                if worker.is_cancelled or self._draws != draws:
                    return
                with self._render_lock:
                    pane_text.lines(width)


def _view_of(now: ViewState, following: Coming) -> ViewState:
    return replace(now, question=following.question, sheet=following.sheet())
