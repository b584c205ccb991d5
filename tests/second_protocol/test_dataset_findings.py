"""Findings about a whole dataset: on the screen, in commands and in the report, as the dataset is now."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from reviewer.cli.report_of_study import write_report
from reviewer.core.errors import RequestError
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_folder import ReleaseFile
from reviewer.exchange.releases.release_making import plan_release
from reviewer.exchange.releases.release_pages import release_pages
from reviewer.protocols.base import DatasetCase, DatasetFinding, MachineCheck
from reviewer.protocols.registry import Protocols
from reviewer.report.report_choices import USUAL
from reviewer.results.labels.agreement_results import Method
from reviewer.results.tables.finding_tables import DATASET_DETAILS, dataset_details, dataset_finding_words
from reviewer.runs.check.dataset_findings import dataset_findings, dismiss_finding
from reviewer.study.design.study_bundle import load_study
from reviewer.tui.screens.audit_words import whole_lines
from store.database import Database
from store.records import Citation
from tests.cli.conftest import Run
from tests.second_protocol.material import a_dialogue, fill_tiny
from tests.tiny_protocol.protocol import Tiny
from tests.tui.conftest import NARROW, Opener, press, seen


class Shared(Tiny):
    """The same with two checks of a whole dataset."""

    dataset_checks = {
        "votes": MachineCheck("untidy", asks="How many votes are there?"),
        "same_opening": MachineCheck("doubtful", version=3, asks="Do dialogues begin alike?"),
    }

    def judge_dataset(self, cases: Sequence[DatasetCase]) -> tuple[DatasetFinding, ...]:
        opening = Counter(placed.case.payload["turns"][0][1] for placed in cases)
        twice = [words for words, number in opening.items() if number > 1]
        voted = sum("votes" in placed.published for placed in cases)
        return (
            DatasetFinding("votes", "passed", f"{voted} cases have votes.", voted),
            DatasetFinding(
                "same_opening", "failed" if twice else "passed", f"Twice: [b]{len(twice)}.", twice
            ),
        )


SHARED = Protocols(Shared())
ALIKE = [a_dialogue(2), a_dialogue(3), a_dialogue(4, turns=[["user", "What of tea 2?"]])]


@pytest.fixture
def shared(database: Database) -> Database:
    database.protocols = SHARED
    return database


@pytest.fixture
def alike(shared: Database) -> Database:
    fill_tiny(shared, "alike", ALIKE)
    return shared


def test_checks_of_a_dataset_read_it_as_it_is_now(alike: Database) -> None:
    votes, opening = dataset_findings(alike, "alike")
    assert (votes.says, votes.severity) == ("3 cases have votes.", "untidy")
    assert (opening.state, opening.severity, opening.version) == ("failed", "doubtful", 3)
    fill_tiny(alike, "alike", [a_dialogue(2), a_dialogue(3), a_dialogue(4)])
    assert [finding.state for finding in dataset_findings(alike, "alike")] == ["passed", "passed"]


def test_a_dismissal_holds_until_the_check_finds_something_else(alike: Database, run: Run) -> None:
    opening = dataset_findings(alike, "alike")[1]
    for reason in (" ", ""):
        with pytest.raises(RequestError, match="you need a reason"):
            dismiss_finding(alike, "alike", opening, "anna", reason)
    dismiss_finding(alike, "alike", opening, "anna", "meant so")
    (dismissed,) = [finding for finding in dataset_findings(alike, "alike") if finding.dismissal]
    assert (dismissed.check, dismissed.stands) == ("same_opening", False)
    alone = run("audit", "alike", "--whole-dataset", protocols=SHARED)
    assert "dismissed  same_opening  Twice: [b]1. Dismissed by anna: meant so" in alone.out
    rows = json.loads(run("audit", "alike", "--whole-dataset", "--format", "json", protocols=SHARED).out)
    assert [(row["result"], row["severity"], row["dismissed_by"], row["because"]) for row in rows] == [
        ("passed", "untidy", None, None),
        ("dismissed", "doubtful", "anna", "meant so"),
    ]
    narrowed = run("audit", "alike", "--whole-dataset", "--severity", "doubtful", protocols=SHARED)
    assert narrowed.out == ""
    more = [*ALIKE, a_dialogue(5), a_dialogue(6, turns=[["user", "What of tea 5?"]])]
    fill_tiny(alike, "alike", more)
    again = dataset_findings(alike, "alike")[1]
    assert (again.stands, again.dismissal) == (True, None)
    assert (
        dataset_finding_words(again) == "Twice: [b]2. anna dismissed another result of this check: meant so"
    )
    dismiss_finding(alike, "alike", again, "anna", None)
    assert dataset_findings(alike, "alike")[1].earlier is None
    with pytest.raises(IntegrityError, match="append-only"), alike.write() as session:
        session.connection().exec_driver_sql("DELETE FROM dataset_dismissals")


def test_card_never_says_that_none_stands_above_a_doubtful_finding(alike: Database) -> None:
    citation = Citation(dataset="alike", licence="MIT", authors=["A. Author"], contact="a@example.org")
    content = plan_release(alike, citation, "1.0", ReleaseOptions()).content
    content = content.model_copy(update={"audit": content.audit.model_copy(update={"audited": 3})})
    card = release_pages(content, {ReleaseFile.ROWS: b""})["README.md"]
    assert "| same opening | doubtful |" in card
    assert "No finding about a single case stands, but at least one about all cases together does." in card
    assert "No finding stands." not in card
    assert "- Findings about the released cases together stand that nobody dismissed." in card


def test_a_release_states_what_was_found_and_what_was_dismissed(alike: Database) -> None:
    dismiss_finding(alike, "alike", dataset_findings(alike, "alike")[1], "anna", "meant so")
    citation = Citation(dataset="alike", licence="MIT", authors=["A. Author"], contact="a@example.org")
    options = ReleaseOptions(reasons=True)
    planned = plan_release(alike, citation, "1.0", options)
    votes, opening = planned.content.dataset_checks
    assert (votes.result, votes.says) == ("passed", "3 cases have votes.")
    assert (opening.result, opening.person, opening.reason) == ("dismissed", None, "meant so")
    card = planned.files["README.md"].decode()
    assert "| same opening | dismissed | Twice: \\[b\\]1. Dismissed: meant so |" in card


@pytest.mark.usefixtures("alike")
@pytest.mark.parametrize("command", ["audit", "check"])
def test_commands_print_them_above_the_cases_or_alone(run: Run, command: str) -> None:
    done = run(command, "talks", protocols=SHARED)
    assert done.code == 0, done.err
    assert done.out.index("6 cases have votes.") < done.out.index("Twice: Take the early one.")
    alone = run(command, "alike", "--whole-dataset", "--format", "json", protocols=SHARED)
    assert [(row["result"], row["check"], row["says"], row["value"]) for row in json.loads(alone.out)] == [
        ("passed", "votes", "3 cases have votes.", 3),
        ("doubtful", "same_opening", "Twice: [b]1.", ["What of tea 2?"]),
    ]
    assert alone.err == ""
    serious = run(
        command, "alike", "--whole-dataset", "--severity", "serious", "--format", "csv", protocols=SHARED
    )
    assert len(serious.out.splitlines()) == 1
    one = run(command, "talks", "--check", "votes", protocols=SHARED)
    assert "6 cases have votes." in one.out
    assert "Twice" not in one.out
    cases = run(command, "alike", "--format", "json", protocols=SHARED)
    assert json.loads(cases.out) == []
    nothing = run(command, "alike", "--check", "same_reply", protocols=SHARED)
    assert (nothing.code, nothing.out) == (0, "")


def test_more_of_them_than_fit_are_counted() -> None:
    found = [DatasetFinding(f"check_{number}", "passed", "All is well. " * 20) for number in range(5)]
    found.append(DatasetFinding("last", "failed", "Not so."))
    lines = whole_lines(found, "talks", 3, 60).plain.splitlines()
    assert [line[:16] for line in lines] == ["✗ last, untidy: ", "✓ check 0, passe", "4 more: reviewer"]
    assert max(map(len, lines)) == 60


@pytest.mark.draws
async def test_the_audit_screen_shows_them_above_the_cases(shared: Database, opened: Opener) -> None:
    fill_tiny(shared, "talks", ALIKE)
    async with opened(None, NARROW) as pilot:
        await press(pilot, "v")
        text = seen(pilot)
        assert "✗ same opening, doubtful: Twice: [b]2." in text
        assert text.index("same opening") < text.index("✓ votes, passed: 9 cases have votes.")
        assert "not audited yet" in text
        await press(pilot, "w", "enter", *"meant so", "enter")
        assert "✓ saved  1 finding about the dataset dismissed" in seen(pilot)
        assert "– same opening, dismissed: Twice: [b]2. Dismissed by" in seen(pilot)
        await press(pilot, "w", "enter")
        assert "✗ same opening, doubtful: Twice: [b]2." in seen(pilot)


def test_the_report_says_them_for_each_dataset(alike: Database, run: Run, tmp_path: Path) -> None:
    words = (
        "study",
        "new",
        "both",
        "--dataset",
        "alike",
        "--dataset",
        "talks",
        "--rater",
        "anna",
        "--rater",
        "ben",
    )
    assert run(*words, protocols=SHARED).code == 0
    bundle = load_study(alike, "both")
    method, folder = Method(interval="none"), tmp_path / "out"
    kept = write_report(alike, bundle, [], "tom", folder, method, USUAL, with_figures=False)
    page = next(path for path in kept if path.suffix == ".md").read_text()
    assert "Checks of the datasets as a whole" in page
    rows = [line for line in page.splitlines() if line.startswith(("| alike", "| talks"))]
    assert [row for row in rows if "same opening" in row] == [
        "| alike | same opening | doubtful | Twice: \\[b\\]1. |",
        "| talks | same opening | passed | Twice: \\[b\\]0. |",
    ]


def test_what_was_counted_is_listed_row_by_row_without_json(alike: Database, run: Run) -> None:
    counted = DatasetFinding("sides", "failed", "", {"counts": {"A": 3, "B": 1}, "of": 4})
    rows = list(DATASET_DETAILS.for_programs(dataset_details(counted)).rows)
    assert rows == [("sides", "A", 3, 4, 0.75, None, None), ("sides", "B", 1, 4, 0.25, None, None)]
    twice = DatasetFinding("twice", "failed", "", {"keys": [["p1", "p4"], ["p2", "p3"]], "of": 4})
    assert [(row.repeat, row.key) for row in dataset_details(twice)] == [
        (1, "p1"),
        (1, "p4"),
        (2, "p2"),
        (2, "p3"),
    ]
    printed = run("audit", "alike", "--values", "--format", "csv", protocols=SHARED)
    assert (printed.code, printed.out.strip()) == (0, "check,value,cases,of,share,repeat,key")
