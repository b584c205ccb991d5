"""The baseline of a review: a bare Textual app that replaces the same texts in the same panes.

Usage: python bare_panes.py FILE, a JSON list of cases, each a list of texts: two, three programs, and those
next to them. ``t`` shows the next case, tab focuses the next pane, ``z`` shows one pane alone and all again.
"""

import json
import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

ROWS = (("unbiased", "biased"), ("axioms", "program · unbiased", "program · biased"))


class Pane(VerticalScroll):
    """A text with a border and a title."""

    ALLOW_MAXIMIZE = True

    def __init__(self, title: str) -> None:
        super().__init__(Static())
        self.border_title = title

    def show(self, text: str) -> None:
        self.query_one(Static).update(Content(text))
        self.scroll_home(animate=False)


class BarePanes(App[None]):
    """Five panes, one beside them, and a line above and below."""

    CSS = """
    Pane { border: round $foreground 45%; padding: 0 1; &:focus { border: round $accent; } }
    Horizontal > Vertical { width: 3fr; }
    #beside { width: 1fr; }
    """
    BINDINGS = [("t", "next_case"), ("z", "zoom")]

    def __init__(self, cases: list[list[str]]) -> None:
        super().__init__()
        self._cases, self._number = cases, -1

    def compose(self) -> ComposeResult:
        yield Static("", id="above")
        with Horizontal():
            with Vertical():
                for titles in ROWS:
                    with Horizontal():
                        yield from map(Pane, titles)
            with Vertical(id="beside"):
                yield Pane("question")
        yield Static("ready", id="below")

    def on_mount(self) -> None:
        self.action_next_case()
        self.query(Pane).first().focus()

    def action_next_case(self) -> None:
        self._number += 1
        for pane, text in zip(self.query(Pane), self._cases[self._number % len(self._cases)], strict=True):
            pane.show(text)
        self.query_one("#above", Static).update(f"case {self._number + 1} of {len(self._cases)}")
        self.query_one("#below", Static).update(f"saved, ready for {self._number + 1}")

    def action_zoom(self) -> None:
        if self.screen.maximized:
            self.screen.minimize()
        elif isinstance(self.focused, Pane):
            self.screen.maximize(self.focused)


if __name__ == "__main__":
    BarePanes(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))).run()
