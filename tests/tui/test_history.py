"""The history of a case in the app: from the list of cases and from the audit; reverted, settled, to do."""

from typing import Any

import pytest

from reviewer.runs.repair.revise import read_place, revise
from reviewer.tui.screens.audit_screen import AuditScreen
from reviewer.tui.screens.case_list import CasesScreen
from reviewer.tui.screens.history import HistoryScreen
from store.database import Database
from store.findings import replace_findings
from store.overview import overview_of
from store.records import Finding, Revision
from store.revisions import put_revisions
from store.todos import todos_of
from tests.rounds import mostly_slow
from tests.studies import a_case, a_study, fill
from tests.tui.conftest import WIDE, Opened, Opener, press, seen, settle

KEY = "anchoring bias/0"
SAID: dict[str, Any] = {"author": "maria", "reason": "[red] the goal can match now"}


@pytest.fixture
def repaired(database: Database) -> Revision:
    """A dataset whose first case was repaired."""
    fill(database, "first", [a_case(number) for number in range(2)])
    parent = read_place(database, "first", KEY).parent
    finding = {"check": "unmatched_goal", "program": "biased"}
    return revise(database, "first", KEY, a_case(10), expected=parent, resolves=[finding], **SAID)


async def to_history(pilot: Opened) -> None:
    await press(pilot, "l", "down", "H")
    assert isinstance(pilot.app.screen, HistoryScreen), seen(pilot)


async def test_each_line_that_was_added_has_its_sign(
    repaired: Revision, opened: Opener, database: Database
) -> None:
    longer = a_case(10, biased=f"{a_case(10).payload['biased']}\nAll ship.\nNobody waits.")
    revise(database, "first", KEY, longer, expected=repaired.digest, resolves=[], **SAID)
    async with opened(None, WIDE, "zoe") as pilot:
        await to_history(pilot)
        assert "+ All ship." in seen(pilot)
        assert "+ Nobody waits." in seen(pilot)


@mostly_slow(2)
@pytest.mark.parametrize("size", [WIDE, (60, 20)])
async def test_the_history_shows_reverts_and_withdraws(
    repaired: Revision, opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    async with opened(None, size, "zoe") as pilot:
        await press(pilot, "l")
        assert "revised" in seen(pilot)
        await press(pilot, "escape")
        await to_history(pilot)
        screen = seen(pilot)
        assert "repair by maria" in screen
        assert "[red] the goal can match now" in screen
        assert "unmatched goal (biased)" in screen
        await press(pilot, "down", "r", *"right", "enter")
        assert read_place(database, "first", KEY).case == a_case(0)
        assert "first · 2 revisions" in seen(pilot)
        await press(pilot, "w", *"no", "enter")
        now = read_place(database, "first", KEY)
        assert now.history.withdrawn
        assert [step.author for step in now.history.revisions] == ["maria", "zoe", "zoe"]
        assert "withdrawn" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CasesScreen)


async def test_what_is_to_do_is_noted_and_done(
    repaired: Revision, opened: Opener, database: Database
) -> None:
    async with opened(None, rater="zoe") as pilot:
        await to_history(pilot)
        await press(pilot, "t", *"tom: ask", "enter")
        assert "to do, tom: ask" in seen(pilot)
        with database.read() as session:
            (todo,) = todos_of(session)
        assert (todo.name, todo.note, todo.made_by) == ("tom", "ask", "zoe")
        await press(pilot, "x")
        assert "to do, tom" not in seen(pilot)


async def test_a_conflict_is_settled_on_the_screen(
    repaired: Revision, opened: Opener, database: Database
) -> None:
    said = {"id": f"{int(repaired.id, 16) + 1:032x}", "author": "tom", "case_after": a_case(11).digest}
    other = Revision.sealed(**(repaired.model_dump() | said))
    with database.write() as session:
        put_revisions(session, [other], {case.digest: case for case in (a_case(0), a_case(11))})
    async with opened(None, rater="zoe") as pilot:
        await to_history(pilot)
        assert "in conflict: choose one of the newest" in seen(pilot)
        assert "withdraw" not in seen(pilot).splitlines()[-1]
        await press(pilot, "s", *"better", "enter")
        now = read_place(database, "first", KEY)
        assert (now.history.in_conflict, now.case) == (False, a_case(11))


@pytest.mark.parametrize("size", [WIDE, (80, 24)])
async def test_a_rater_with_open_cases_does_not_see_it(
    opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    a_study(database, raters=["anna"])
    async with opened(None, size) as pilot:
        await press(pilot, "l", "down", "H")
        assert isinstance(pilot.app.screen, CasesScreen)
        assert "You still have cases of pilot-data to answer in study pilot" in " ".join(seen(pilot).split())
        assert "first, or close it." in " ".join(seen(pilot).split())


async def test_a_change_by_somebody_else_meanwhile_is_said(
    repaired: Revision, opened: Opener, database: Database
) -> None:
    async with opened(None, rater="zoe") as pilot:
        await to_history(pilot)
        parent = read_place(database, "first", KEY).parent
        revise(database, "first", KEY, a_case(12), expected=parent, **SAID)
        await press(pilot, "w", *"no", "enter")
        assert "was changed by maria" in seen(pilot)
        assert read_place(database, "first", KEY).case == a_case(12)


async def test_it_opens_from_the_audit(repaired: Revision, opened: Opener, database: Database) -> None:
    finding = Finding(
        case=a_case(10).digest, check="x", check_version=1, passed=False, severity="serious", why="y"
    )
    replace_findings(database, [finding])
    with database.read() as session:
        (summary,) = overview_of(session).datasets
    async with opened(None, rater="zoe") as pilot:
        await pilot.app.push_screen(AuditScreen(database, summary, "zoe"))
        await settle(pilot)
        await press(pilot, "H")
        assert isinstance(pilot.app.screen, HistoryScreen)
