"""What the windows of a server show: the app's output, read through a terminal emulator."""

import asyncio
from typing import Any

import aiohttp
import pyte
import pytest

from reviewer.web import review_server
from reviewer.web.review_server import RaterWindow

_BRIEFING = "a click goes on"
_CASE = "case "


class SeenWindow(RaterWindow):
    """A window whose screen can be read, whatever becomes of its browser."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)

    async def start(self, width: int, height: int) -> None:
        """Start the app on a screen of this size."""
        self._screen.resize(height, width)
        await super().start(width, height)

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Pass the size of the browser's window on."""
        self._screen.resize(height, width)
        await super().set_terminal_size(width, height)

    async def on_data(self, payload: bytes) -> None:
        """Show what the app painted, and pass it on."""
        self._stream.feed(payload)
        await super().on_data(payload)

    @property
    def text(self) -> str:
        """The screen as a person sees it."""
        return "\n".join(self._screen.display)

    async def shows_briefing(self) -> None:
        """Wait for the briefing of a rater who begins."""
        while _BRIEFING not in self.text:
            await asyncio.sleep(0.02)

    async def shows_case(self) -> None:
        """Wait until a case is in sight that can be answered."""
        while _CASE not in self.text or _BRIEFING in self.text:
            await asyncio.sleep(0.02)

    async def shows_other_than(self, text: str) -> None:
        """Wait until the screen is another."""
        while self.text == text:
            await asyncio.sleep(0.02)


def see_windows(patch: pytest.MonkeyPatch) -> list[SeenWindow]:
    """The windows that are opened from now on."""
    windows: list[SeenWindow] = []

    def opened(*given: Any) -> SeenWindow:
        windows.append(SeenWindow(*given))
        return windows[-1]

    patch.setattr(review_server, "RaterWindow", opened)
    # A client of a test answers the server only while it receives; a browser always does.
    patch.setattr(review_server, "_HEARTBEAT_SECONDS", None)
    return windows


async def press(socket: aiohttp.ClientWebSocketResponse, window: SeenWindow, keys: str) -> None:
    """Send keys, each once what the key before it brought is painted, as a rater who looks does."""
    for number, key in enumerate(keys):
        before = window.text
        await socket.send_json(["stdin", key])
        if number + 1 < len(keys):
            await window.shows_other_than(before)
