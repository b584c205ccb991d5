"""Working through many findings: words, one reason for many, the next one, dismissals of earlier versions."""

import pytest

from reviewer.oracle.version_checks import EDITION
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.tui.dialogs.text_dialog import PlainTextDialog, ReasonDialog
from reviewer.tui.widgets.item_list import ItemList
from store.database import Database
from store.dismissals import dismiss
from store.findings import CaseFindings, failed_findings, keep_case_findings
from store.records import Finding, Measurement
from tests.studies import a_case, fill
from tests.tui.conftest import WIDE, Opener, press, seen, settle

WHYS = (
    "Nothing can match risk(x).",
    "Nothing can match risk(y).",
    "Nothing can match cost(z).",
    "Elsewhere.",
)


def keep(database: Database, version: int) -> None:
    """Four cases with a finding each."""
    for number, why in enumerate(WHYS):
        digest = a_case(number).digest
        finding = {"case": digest, "check": "cannot_match", "check_version": version, "why": why}
        found = Finding.model_validate(finding | {"passed": False, "severity": "doubtful"})
        edition = {"edition": EDITION if version > 1 else "earlier"}
        mark = Measurement(case=digest, name=MARK, source="measured", engine="swipl", value=edition)
        keep_case_findings(database, [CaseFindings(mark, (), (found,))])


@pytest.fixture
def judged(database: Database) -> None:
    fill(database, "one", [a_case(number) for number in range(len(WHYS))])
    keep(database, 1)


def reasons(database: Database) -> dict[str, str | None]:
    """By place of the finding: why it was dismissed."""
    with database.read() as session:
        found = failed_findings(session, "one", dismissed=True)
    return {each.finding.why: each.dismissal.why if each.dismissal else None for each in found}


@pytest.mark.usefixtures("judged")
async def test_findings_of_one_idiom_are_dismissed_at_once_each_with_its_own_row(
    opened: Opener, database: Database
) -> None:
    async with opened(None, WIDE) as pilot:
        await press(pilot, "v")
        assert "4 cases were audited by earlier checks" in seen(pilot)
        await press(pilot, "n", "n")
        assert pilot.app.screen.query_one(ItemList).highlighted == 2
        assert "cost(z)" in seen(pilot)
        await press(pilot, "b", "slash", *"RISK match")
        assert "2 findings" in seen(pilot)
        await press(pilot, "enter")
        assert 'only "RISK match"' in seen(pilot)
        await press(pilot, "X")
        assert isinstance(pilot.app.screen, ReasonDialog)
        assert "2 × cannot match · 2 cases" in seen(pilot)
        await press(pilot, "enter")
        assert "A reason is needed" in seen(pilot)
        await press(pilot, *"meant", "enter")
        await settle(pilot)
        assert "2 findings dismissed" in seen(pilot)
        await press(pilot, "X")
        assert "No open finding is listed" in seen(pilot)
        await press(pilot, "I")
        assert "2 findings on 2 cases" in seen(pilot)
    assert reasons(database) == dict(zip(WHYS, ("meant", "meant", None, None), strict=True))


@pytest.mark.usefixtures("judged")
async def test_dismissals_for_an_earlier_version_are_offered_again_with_their_reasons(
    opened: Opener, database: Database
) -> None:
    with database.read() as session:
        first, second, *_ = failed_findings(session, "one")
    dismiss(database, first.finding, "dora", "one reason")
    dismiss(database, second.finding, "eve", "another reason")
    keep(database, 2)
    assert set(reasons(database).values()) == {None}
    async with opened(None, WIDE) as pilot:
        await press(pilot, "v")
        assert "dismissed for an earlier version by dora: one reason" in seen(pilot)
        await press(pilot, "slash", *"risk", "enter", "X")
        assert isinstance(pilot.app.screen, PlainTextDialog)
        assert "1 × one reason" in seen(pilot)
        await press(pilot, "enter")
        await settle(pilot)
    assert reasons(database) == dict(zip(WHYS, ("one reason", "another reason", None, None), strict=True))
