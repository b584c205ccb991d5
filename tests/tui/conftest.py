"""A store with a study of three cases, and the app on it."""

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.key_sheet import CardDialog
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from tests.studies import a_study
from tests.tui.pictured_store import build
from tests.tui.quick_apps import quick_apps, render_what_is_in_sight, until_threads_end

WIDE, NARROW = (160, 48), (80, 24)
STUDY = "pilot"
Opened = Pilot[None]
Opener = Callable[..., AbstractAsyncContextManager[Opened]]


@pytest.fixture(scope="session", autouse=True)
def _quick_apps() -> Iterator[None]:
    with quick_apps():
        yield


@pytest.fixture(autouse=True)
def nothing_is_drawn_for_nobody(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Without a terminal, what changed is not drawn after every message; ``seen`` and pictures draw it all.

    A third of the time of these tests went into it. Tests about drawing itself are marked ``draws``.
    """
    if "draws" in request.keywords:
        return
    refresh = Screen._compositor_refresh

    def unless_nobody_looks(screen: "Screen[object]") -> None:
        if screen.app.is_headless and screen is screen.app.screen:
            screen._dirty_widgets.clear()
            screen._compositor._dirty_regions.clear()
        else:
            refresh(screen)

    monkeypatch.setattr(Screen, "_compositor_refresh", unless_nobody_looks)
    render_what_is_in_sight(monkeypatch)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once, to be copied: a store with nothing in it, and one with a study."""
    folder = tmp_path_factory.mktemp("prepared")
    with closing(Database.open(str(folder / "empty.db"))):
        pass
    with closing(Database.open(str(folder / "study.db"))) as database:
        a_study(database, STUDY)
    return folder


@pytest.fixture
def database(prepared: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A store; it has a study where a test or its module asks for the fixture ``study``."""
    made = "study.db" if "study" in request.fixturenames else "empty.db"
    shutil.copy(prepared / made, tmp_path / "store.db")
    with closing(Database.open(str(tmp_path / "store.db"))) as opened:
        yield opened


@pytest.fixture
def study(database: Database) -> str:
    return STUDY


@pytest.fixture
def opened(database: Database) -> Opener:
    """Opens the app of a rater on a study (on home if it is None) and waits until it has settled.

    The rater has read the first card, unless they have not ``begun``.
    """

    @asynccontextmanager
    async def open_app(
        study: str | None = "pilot",
        size: tuple[int, int] = WIDE,
        rater: str = "anna",
        *,
        begun: bool = True,
    ) -> AsyncIterator[Opened]:
        app = ReviewerApp(database, rater, study)
        for session in app.sessions.values() if begun else ():
            if isinstance(session, ReviewSession):
                session.put_card_away()
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await settle(pilot)
            await settle(pilot)  # home counts findings once it has read the store
            yield pilot

    return open_app


@pytest.fixture
def steady_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cursor blinks: a picture is the same whenever it is taken."""
    for widget in (Input, TextArea):
        monkeypatch.setattr(widget.cursor_blink, "_default", False)


@pytest.fixture(scope="session")
def pictured_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with studies of every state, made once."""
    path = tmp_path_factory.mktemp("pictured") / "reviewer.db"
    build(path)
    return path


@pytest.fixture
def pictured_store(
    pictured_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steady_cursor: None
) -> Database:
    """A copy of it, under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(pictured_file, "reviewer.db")
    return Database.open("reviewer.db")


async def settle(pilot: Opened) -> None:
    """Wait until nothing is under way, and nothing that it began either."""
    for _ in range(3):
        await pilot.app.workers.wait_for_complete()
        await until_threads_end()
        await pilot.pause()
    if isinstance(pilot.app, ReviewerApp):
        keys = pilot.app._keys
        while pilot.app.is_running and not keys.held and (keys._under_way or keys._waiting):
            await pilot.pause()


async def press(pilot: Opened, *keys: str) -> None:
    """Press keys, and go on from the card of each new question."""
    for key in keys:
        await pilot.press(key)
        await put_card_away(pilot)
    await settle(pilot)


async def press_in_turn(pilot: Opened, *keys: str) -> None:
    """Press keys, each once what the one before began is done: for screens that compute first."""
    for key in keys:
        await press(pilot, key)


async def put_card_away(pilot: Opened) -> None:
    """Go on from a card, if there is one."""
    if isinstance(pilot.app.screen, CardDialog):
        await pilot.press("enter")
        await settle(pilot)


def seen(pilot: Opened) -> str:
    """What stands on the screen, line by line."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def until(pilot: Opened, *words: str) -> str:
    """Wait for words on the screen; a test that never sees them fails by its time limit."""
    for _ in range(200):
        await settle(pilot)
        shown = " ".join(seen(pilot).split())
        if all(word in shown for word in words):
            return shown
    raise AssertionError(f"never seen: {words}\n{shown}")


def answer_before(database: Database, count: int) -> None:
    """Give the first answers of anna in the usual study, each True, before the app opens."""
    session = ReviewSession(database, STUDY, "anna")
    for _ in range(count):
        session.answer("True")


def saved(database: Database, study: str = "pilot") -> list[tuple[str, str | None]]:
    """Kind and value of every event, oldest first."""
    return [(event.kind, event.value) for event in events(database, study)]


def events(database: Database, study: str = "pilot") -> list[Event]:
    return Ledger(database).events(study)
