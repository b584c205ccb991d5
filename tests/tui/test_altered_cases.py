"""A case whose row was changed outside the program: every screen says so in its place, and goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.oracle.version_checks import CHECKS
from reviewer.study.design.closing import close_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.adjudication import DisputeScreen
from reviewer.tui.screens.audit_screen import AuditScreen
from reviewer.tui.screens.case_list import CasesScreen
from reviewer.tui.screens.finding import FindingScreen
from reviewer.tui.widgets.text_pane import TextPane
from store.cases import Filter, list_places, readable_places
from store.database import Database
from store.findings import replace_findings
from store.records import Finding
from tests.new_stores import made_once
from tests.rounds import mostly_slow, some_always
from tests.studies import a_study
from tests.tui.conftest import NARROW, WIDE, Opened, Opener, press, saved, seen, settle

CHANGES = {
    "other words": "payload = replace(payload, 'release 1', 'release 7')",
    "no field": "payload = '{}'",
    "a number for a text": 'payload = \'{"unbiased": 3, "axioms_description": [1]}\'',
    "no object": "payload = '[]'",
    "no text": "payload = X'ff00'",
    "too deep": f"payload = '{'[' * 5_000}'",
}
OTHER_COLUMNS = {"another protocol": "protocol = 'x'", "no version": "payload_version = 'x'"}
EVERY = CHANGES | OTHER_COLUMNS
SEEN = ("other words", "no text")
"""A row that can be read and does not fit its digest, and one that cannot be read: screens know no other."""
SIZES = [*zip(SEEN, (WIDE, NARROW), strict=True)]


def a_finding(digest: str) -> Finding:
    return Finding(
        case=digest, check=CHECKS[0].name, check_version=1, passed=False, severity="serious", why="it is odd"
    )


ALTERED = "was changed or damaged outside this program"
REMEDY = "reviewer store check"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def alter(file: Path, change: str, key: str = "anchoring bias/1") -> None:
    """Change one case as another program would."""
    with closing(sqlite3.connect(file)) as other, other:
        done = other.execute(
            f'UPDATE cases SET {change} WHERE digest = (SELECT "case" FROM memberships WHERE key = ?)', (key,)
        )
        assert done.rowcount == 1


def words(pilot: Opened) -> str:
    """The text of the screen without line ends and frames, and that of each pane by itself."""
    panes = [pane for pane in pilot.app.screen.query(TextPane) if pane.region]
    text_panes = ["\n".join(line.content.plain for line in pane.lines) for pane in panes]
    return " ".join("\n".join([seen(pilot), *text_panes]).split())


async def first_of(pilot: Opened, key: str, steps: int = 12) -> None:
    """Press a key until the altered case is in sight."""
    for _ in range(steps):
        if ALTERED in words(pilot):
            return
        await press(pilot, key)
    raise AssertionError(f"the altered case is nowhere: {seen(pilot)}")


@pytest.mark.parametrize("change", EVERY)
def test_the_store_tells_it_from_the_others(study: str, database: Database, file: Path, change: str) -> None:
    alter(file, EVERY[change])
    with database.read() as session:
        cases = [case for _, case in readable_places(session, Filter())]
    usable = [case.is_whole and case.protocol == "probe-swe" for case in cases]
    assert usable == [True, False, True]


@mostly_slow(2)
@pytest.mark.parametrize(("change", "size"), SIZES)
async def test_a_rater_is_told_and_goes_on_with_the_other_cases(
    opened: Opener, study: str, database: Database, file: Path, change: str, size: tuple[int, int]
) -> None:
    alter(file, EVERY[change])
    async with opened(size=size) as pilot:
        await first_of(pilot, "n")
        assert REMEDY in words(pilot)
        before = saved(database)
        await press(pilot, "t")
        assert "✗ not saved" in seen(pilot)
        assert saved(database) == before
        for _ in range(14):
            await press(pilot, "s" if ALTERED in words(pilot) else "t")
        labels = [value for kind, value in saved(database) if kind == "label"]
        assert len(labels) >= 8
        assert ALTERED in words(pilot)
        await press(pilot, "b", "n", "z", "z", "p", "g")


@pytest.mark.parametrize("change", some_always([*SEEN, *OTHER_COLUMNS], 3))
async def test_the_list_of_cases_shows_the_others(
    opened: Opener, study: str, file: Path, change: str
) -> None:
    alter(file, EVERY[change])
    async with opened(None) as pilot:
        await press(pilot, "l")
        assert isinstance(pilot.app.screen, CasesScreen)
        assert "3 cases" in words(pilot)
        await press(pilot, "down")
        await first_of(pilot, "down")
        assert REMEDY in words(pilot)
        await press(pilot, "down")
        assert ALTERED not in words(pilot)
        assert "I plan release 2." in words(pilot)
        await press(pilot, "escape")
        await press(pilot, "ctrl+p", *"release")
        await settle(pilot)
        assert "release 2" in words(pilot)


@mostly_slow(2)
@pytest.mark.parametrize(("change", "size"), [*SIZES, ("another protocol", WIDE), ("no version", NARROW)])
async def test_the_audit_shows_the_other_cases(
    opened: Opener, study: str, database: Database, file: Path, change: str, size: tuple[int, int]
) -> None:
    with database.read() as session:
        digests = [case.digest for _, case in list_places(session, Filter())]
    replace_findings(database, [a_finding(digest) for digest in digests])
    alter(file, EVERY[change])
    async with opened(None, size=size, rater="dora") as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, AuditScreen)
        await first_of(pilot, "down")
        assert REMEDY in words(pilot)
        await press(pilot, "p", "enter")
        assert isinstance(pilot.app.screen, FindingScreen)
        await first_of(pilot, "n")
        await press(pilot, "n")
        assert ALTERED not in words(pilot)
        assert "anchoring bias/2" in words(pilot)
        assert any(told in words(pilot) for told in ("release 2", "release(2)"))


def _disputed(database: Database) -> None:
    a_study(database)
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer("True" if rater == "anna" or session.question.key != "same_task" else "False")
    close_study(database, "pilot", "lead")


@pytest.mark.parametrize(("change", "size"), SIZES)
async def test_a_dispute_about_it_is_not_decided_and_the_others_are(
    database: Database, file: Path, change: str, size: tuple[int, int]
) -> None:
    made_once(database, _disputed)
    alter(file, EVERY[change])
    app = ReviewerApp(database, "zoe", "pilot", adjudicating=True)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert "3 disputes" in words(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DisputeScreen)
        await first_of(pilot, "n")
        assert REMEDY in words(pilot)
        before = saved(database)
        await press(pilot, "t")
        assert "✗ not saved" in words(pilot)
        assert saved(database) == before
        await press(pilot, "n", "t", *"why", "enter")
        assert [kind for kind, _ in saved(database)[len(before) :]] == ["adjudication"]


@pytest.mark.parametrize("change", some_always([*SEEN, *OTHER_COLUMNS], 3))
async def test_home_opens_what_can_be_opened(
    opened: Opener, study: str, database: Database, file: Path, change: str
) -> None:
    a_study(database, "other", cases=1, raters=("anna",))
    alter(file, EVERY[change])
    async with opened(None) as pilot:
        assert "pilot" in seen(pilot)
        for key in ("a", "d", "f", "e", "g"):
            await press(pilot, key)
            await press(pilot, "escape")
        await press(pilot, "enter")
        assert "case 1 of" in seen(pilot) or REMEDY in words(pilot)
