"""Findings on the screen: after the verdict on their question, and not before."""

from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import Finding, Measurement
from tests.studies import a_case
from tests.tui.conftest import Opener, press, seen

WHY = "The versions choose differently: option_A and option_B."


async def test_findings_stand_at_the_side_after_the_verdict(
    opened: Opener, database: Database, study: str
) -> None:
    for number in range(3):
        digest = a_case(number).digest
        mark = Measurement(case=digest, name="audit", source="measured", engine="swipl 9.2.9", value={})
        finding = Finding(
            case=digest,
            check="versions_disagree",
            check_version=1,
            passed=False,
            severity="serious",
            why=WHY,
            question="same_task",
        )
        keep_case_findings(database, [CaseFindings(mark, (), (finding,))])
    async with opened(study) as pilot:
        assert "serious" not in seen(pilot)
        await press(pilot, "t")
        assert "serious" not in seen(pilot)
        await press(pilot, "b")
        assert "serious" not in seen(pilot)
        await press(pilot, "R", "R")
        assert "serious" in seen(pilot)
        assert "versions disagree" in seen(pilot)
