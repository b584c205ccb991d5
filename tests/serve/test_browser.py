"""In a real browser: labels by keyboard, a reload on the way, two tabs, a connection that is cut."""

import asyncio
import os

import pytest

from tests.browser import Tab, a_browser, chromium
from tests.serve.conftest import Site

_PAINTED = (
    "document.body.classList.contains('-first-byte') && !!document.querySelector('.xterm-helper-textarea')"
)


async def open_tab(tab: Tab) -> None:
    await tab.until(_PAINTED)
    await in_sight()


async def in_sight() -> None:
    """Wait until a case is painted: the terminal draws on a canvas, which cannot be read."""
    await asyncio.sleep(1)


async def test_an_expert_reviews_in_a_browser_and_nothing_is_lost(site: Site) -> None:
    program = chromium()
    if program is None:
        message = "needs Chromium, and none is installed"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    link = site.address(site.secret())
    async with a_browser(program) as browser:
        first = await browser.tab(link)
        await open_tab(first)
        bar = "getComputedStyle(document.querySelector('.xterm-viewport')).scrollbarWidth"
        assert await first.evaluate(bar) == "none", "a white bar beside the dark screen"
        await first.press(" ")  # goes on from the briefing
        await in_sight()
        for number, key in enumerate("tf", start=1):
            await first.press(key)
            await site.answered("anna", number)
            await in_sight()

        await first.press("t")
        await first.open(link)  # reloaded at once: the key is on its way
        await site.answered("anna", 3)
        await open_tab(first)

        second = await browser.tab(link)
        await open_tab(second)
        await second.press("f")
        await site.answered("anna", 4)
        await first.press("t")
        await site.answered("anna", 5)

        await second.press("f")
        await second.crash()
        await site.answered("anna", 6)

        await first.call("Page.navigate", url="about:blank")
    assert [event.value for event in site.events("anna")] == [
        "True",
        "False",
        "True",
        "False",
        "True",
        "False",
    ]
    assert [event.kind for event in site.events("anna")] == ["label"] * 6
    assert site.events("ben") == []
