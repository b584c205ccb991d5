"""Lists of many items."""

from functools import partial

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from reviewer.tui.widgets.item_list import ItemList, ListedLines


@pytest.mark.draws
async def test_only_items_in_sight_are_set() -> None:
    made: set[int] = set()

    def content(number: int) -> Content:
        made.add(number)
        return Content(f"item {number}\nof many")

    class Listing(App[None]):
        def compose(self) -> ComposeResult:
            yield ItemList()

    async with Listing().run_test(size=(40, 20)) as pilot:
        items = pilot.app.query_one(ItemList)
        items.show([ListedLines(2, partial(content, number)) for number in range(5_000)])
        items.focus()
        await pilot.pause()
        assert made == set(range(10))
        await pilot.press("end")
        await pilot.pause()
        assert made == {*range(10), *range(4_990, 5_000)}
        assert items.virtual_size.height == 10_000
