"""The app in a terminal, for a test that compares what the terminal shows: F12 writes what the app has drawn.

Usage: python tests/tui/drawing_app.py STORE FILE
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from textual.binding import Binding  # noqa: E402
from textual.widgets import Input, TextArea  # noqa: E402

from reviewer.tui.app import ReviewerApp  # noqa: E402
from store.database import Database  # noqa: E402


class DrawingApp(ReviewerApp):
    """Writes the whole screen as Textual would send it to an empty terminal."""

    BINDINGS = [Binding("f12", "write_screen", priority=True)]

    def action_write_screen(self) -> None:
        """Write it once everything that was asked for is drawn."""
        self.call_after_refresh(self._write_screen)

    def _write_screen(self) -> None:
        compositor = self.screen._compositor
        waiting = compositor._dirty_regions.copy()
        frame = compositor.render_update(full=True, screen_stack=self._background_screens)
        compositor._dirty_regions.update(waiting)
        file = Path(sys.argv[2])
        part = file.with_suffix(".part")
        part.write_text(frame.render_segments(self.console), encoding="utf-8")
        part.replace(file)


if __name__ == "__main__":
    for widget in (Input, TextArea):
        widget.cursor_blink._default = False
    DrawingApp(Database.open(sys.argv[1]), "anna", "pilot").run()
