"""In a real browser: labels by keyboard, a reload on the way, two tabs, a connection that is cut."""

import os

import pytest

from tests.browser import a_browser, chromium
from tests.serve.conftest import Site

_PAINTED = (
    "document.body.classList.contains('-first-byte') && !!document.querySelector('.xterm-helper-textarea')"
)


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
        await first.until(_PAINTED)
        window = await site.opened(0)
        await window.shows_briefing()
        bar = "getComputedStyle(document.querySelector('.xterm-viewport')).scrollbarWidth"
        assert await first.evaluate(bar) == "none", "a white bar beside the dark screen"
        await first.press(" ")
        await window.shows_case()
        for number, key in enumerate("tf", start=1):
            shown = window.text
            await first.press(key)
            await site.answered("anna", number)
            await window.shows_other_than(shown)

        await first.press("t")
        await first.open(link)  # reloaded at once: the key is on its way
        await site.answered("anna", 3)
        for number, tab in ((1, first), (2, second := await browser.tab(link))):
            await tab.until(_PAINTED)
            await (await site.opened(number)).shows_case()

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
