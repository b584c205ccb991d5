"""A real browser without a screen, spoken to over its DevTools socket."""

import asyncio
import base64
import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--window-size=1500,900",
)


def chromium() -> str | None:
    """The browser's program, if there is one."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Tab:
    """One tab: it opens addresses, presses keys and evaluates scripts."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One DevTools command and its result."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            answer = await self._socket.receive_json()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                found: dict[str, Any] = answer["result"]
                return found

    async def open(self, address: str) -> None:
        """Go to an address."""
        await self.call("Page.enable")
        # A tab in the background keeps its keys from the page.
        await self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        await self.call("Page.navigate", url=address)

    async def evaluate(self, script: str) -> Any:
        """The value of an expression of the page."""
        answer = await self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until an expression of the page is true."""
        while not await self.evaluate(script):
            await asyncio.sleep(0.05)

    async def press(self, keys: str) -> None:
        """Press keys that write a character each."""
        for key in keys:
            await self.call("Input.dispatchKeyEvent", type="keyDown", text=key, key=key)
            await self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def crash(self) -> None:
        """End the tab's process at once: whatever connections it had are cut."""
        await self._socket.send_json({"id": next(self._numbers), "method": "Page.crash"})

    async def picture(self, path: Path) -> None:
        """Keep what is seen as a PNG."""
        answer = await self.call("Page.captureScreenshot")
        path.write_bytes(base64.b64decode(answer["data"]))


@asynccontextmanager
async def a_browser(program: str) -> AsyncIterator["Browser"]:
    """A browser with a fresh profile."""
    profile = Path(tempfile.mkdtemp(prefix="reviewer-browser-"))
    process = await asyncio.create_subprocess_exec(
        program,
        *_FLAGS,
        f"--user-data-dir={profile}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        while not (port := _port(profile)):
            await asyncio.sleep(0.1)
        async with aiohttp.ClientSession() as session:
            yield Browser(session, port)
    finally:
        process.kill()
        await process.wait()
        shutil.rmtree(profile, ignore_errors=True)


class Browser:
    """The browser as a whole: it opens tabs."""

    def __init__(self, session: aiohttp.ClientSession, port: int) -> None:
        self._session = session
        self._address = f"http://127.0.0.1:{port}"

    async def tab(self, address: str) -> Tab:
        """A new tab at an address."""
        async with self._session.put(f"{self._address}/json/new?about:blank") as answer:
            target = await answer.json()
        socket = await self._session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0)
        tab = Tab(socket)
        await tab.open(address)
        return tab


def _port(profile: Path) -> int | None:
    try:
        return int((profile / "DevToolsActivePort").read_text().splitlines()[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None
