"""The baseline: the smallest Textual app that shows something and echoes a key."""

from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Static


class BareApp(App[None]):
    """One line of text, and how many keys were pressed."""

    presses = 0

    def compose(self) -> ComposeResult:
        yield Static("bare 0 ready")

    def on_key(self, event: Key) -> None:
        self.presses += 1
        self.query_one(Static).update(f"bare {self.presses} ready")


if __name__ == "__main__":
    BareApp().run()
