"""An app that can tell keys pressed at what is on the screen from keys pressed at what was."""

import time

from textual.app import App
from textual.events import Event, Key


class PunctualApp(App[None]):
    """Drops the keys that were pressed while a save hung: they were aimed at a screen that has changed."""

    _keys_count_from = 0.0

    def outdate_keys(self) -> None:
        """Drop every key that was pressed before now and is still waiting."""
        self._keys_count_from = time.monotonic()

    async def on_event(self, event: Event) -> None:
        """Handle an event, unless it is a key that came too early."""
        if isinstance(event, Key) and event.time < self._keys_count_from:
            return
        await super().on_event(event)
