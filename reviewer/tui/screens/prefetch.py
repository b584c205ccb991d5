"""Lays out the next case while the rater reads this one, so that the next key only paints."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock

from textual import work
from textual.geometry import Size
from textual.timer import Timer
from textual.worker import get_current_worker

from reviewer.study.session.session_state import Coming
from reviewer.tui.rendering.layout import ViewOptions, arrange
from reviewer.tui.rendering.view_state import ViewState
from reviewer.tui.screens.pane_actions import PaneActionsScreen
from reviewer.tui.screens.saving import SavingScreen
from reviewer.tui.widgets.pane_grid import text_widths_of

# A rater who presses keys faster than this never waits for the prefetch.
_PAUSE_SECONDS = 0.1


class PrefetchScreen(SavingScreen, PaneActionsScreen):
    """Fills the caches of laid-out lines once the rater pauses, in a thread that touches no widget."""

    def __init__(self) -> None:
        super().__init__()
        self._pause: Timer | None = None
        self._draws = 0
        self._render_lock = Lock()

    def _draw_now(self) -> None:
        """Draw the present view."""
        raise NotImplementedError

    def _draw(self) -> None:
        self._draws += 1
        # The thread is probably laying out what is needed here; doing it twice would take twice as long.
        with self._render_lock:
            self._draw_now()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(_PAUSE_SECONDS, self.look_ahead)

    def look_ahead(self) -> None:
        """Begin to lay out what the next keys may show."""
        if self._view is not None:
            widths, options = self._pane_grid.text_widths(), ViewOptions(self._options.folded)
            coming, screen = self.session.coming(), self.app.size
            self._work_out(coming, self._view, screen, options, widths, self._draws)

    @work(thread=True, group="prefetch")
    def _work_out(
        self,
        coming: Sequence[Coming],
        now: ViewState,
        screen: Size,
        options: ViewOptions,
        widths: Mapping[str, Sequence[int]],
        draws: int,
    ) -> None:
        worker = get_current_worker()
        for following in coming:
            with self._render_lock:
                view = replace(now, question=following.question, sheet=following.sheet())
            for pane_text, width in text_widths_of(arrange(view, *screen, options), widths):
                if worker.is_cancelled or self._draws != draws:
                    return
                with self._render_lock:
                    pane_text.lines(width)
