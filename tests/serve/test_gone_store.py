"""A store that goes away while a window is open: the rater learns nothing about the server."""

import asyncio
from contextlib import closing

from store.database import Database
from store.ledger import Ledger
from tests.serve.conftest import Site
from tests.serve.seen_windows import SeenWindow


def flat(text: str) -> str:
    """A screen without borders and breaks."""
    return "".join(sign for sign in text if sign.isalnum())


async def shows(window: SeenWindow, words: str) -> None:
    while flat(words) not in flat(window.text):
        await asyncio.sleep(0.02)


async def test_answers_of_a_store_that_is_gone_are_kept_in_a_file_that_raters_do_not_choose(
    site: Site,
) -> None:
    socket = await site.window(site.secret())
    await site.press(socket, "t")
    # Not before: a key that comes while the one before it is saved slowly is dropped.
    await shows(site.seen[socket], "saved same task = True")
    for file in site.folder.glob("store.db*"):
        file.unlink()
    await socket.send_json(["stdin", "f"])
    await shows(site.seen[socket], "Those before it are in a new file there: tell the study's lead")
    seen = flat(site.seen[socket].text)
    assert flat(str(site.folder)) not in seen
    assert "storedb" not in seen
    assert flat("The new file") not in seen
    (rescued,) = site.folder.glob("store.rescued-anna*.db")
    with closing(Database.open(str(rescued))) as database:
        assert [event.value for event in Ledger(database).events("pilot", "anna")] == ["True"]
    await socket.close()
