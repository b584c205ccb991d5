"""``--fail-on``: exit code 5 where findings stand, or where a check could not run."""

import csv
import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from store.cases import places_of
from store.database import Database
from store.findings import replace_findings
from store.records import Finding
from tests.cli.conftest import Run

SEEDS = Path(__file__).parents[2] / "seeds/own_benchmark"


@pytest.fixture
def items(run: Run, tmp_path: Path) -> Path:
    """Two items without a finding (``sound``), and the same with a serious one in the second (``items``)."""
    shutil.copy(SEEDS / "control_treatment.toml", tmp_path / "items.toml")
    with (SEEDS / "control_treatment.csv").open(newline="", encoding="utf-8") as file:
        first, second, *_ = csv.DictReader(file)
    for name, rows in (
        ("sound", [first, second]),
        ("items", [first, second | {"treatment": second["control"]}]),
    ):
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*first])
            writer.writeheader()
            writer.writerows(rows)
        made = run("import", f"{name}.csv", "--protocol", "items.toml", "--dataset", name)
        assert made.code == 0, made.err
    return tmp_path


@pytest.mark.parametrize("command", ["audit", "check"])
def test_serious_finding_ends_with_code_5(run: Run, items: Path, command: str) -> None:
    assert run(command, "items").code == 0
    failed = run(command, "items", "--fail-on", "serious", "--format", "csv")
    assert failed.code == 5
    assert "Error: items: 1 finding stands that is serious. The first: anchoring/2: " in failed.err
    assert "versions_differ" in failed.out, "the findings are still printed"


def test_dismissed_finding_and_other_checks_do_not_fail(run: Run, items: Path) -> None:
    assert run("audit", "items", "--fail-on", "serious", "--whole-dataset").code == 0
    worse = run("audit", "items", "--fail-on", "untidy")
    assert "or worse" in worse.err


def test_check_that_could_not_run_fails(run: Run, items: Path) -> None:
    assert run("audit", "sound", "--fail-on", "serious").code == 0
    with closing(Database.open("reviewer.db")) as database:
        with database.read() as session:
            case = places_of(session, "sound")[0].case
        blind = Finding(
            case=case,
            check="versions_differ",
            check_version=1,
            passed=False,
            severity="serious",
            why="no",
            tested=False,
        )
        replace_findings(database, [blind])
    failed = run("audit", "sound", "--fail-on", "serious")
    assert (failed.code, "1 check could not run" in failed.err) == (5, True)


def test_difference_of_findings(run: Run, items: Path) -> None:
    not_audited = run("datasets", "diff", "sound", "items", "--findings", "--fail-on", "serious")
    assert (not_audited.code, "Not audited by the present checks" in not_audited.err) == (5, True)
    for dataset in ("sound", "items"):
        run("audit", dataset)
    worse = run("datasets", "diff", "sound", "items", "--findings", "--fail-on", "serious", "--format", "csv")
    assert worse.code == 5
    assert "Cases from sound to items: 0 added, 1 changed, 0 removed." in worse.err
    assert "Error: items: 1 new finding. The first: record 2, anchoring/2: " in worse.err
    row = next(csv.DictReader(worse.out.splitlines()))
    assert (row["change"], row["record"], row["content"]) == ("new", "2", "changed")
    better = run("datasets", "diff", "items", "sound", "--findings", "--fail-on", "untidy")
    assert (better.code, "0 new, 1 gone" in better.err) == (0, True)
    assert run("datasets", "diff", "items", "sound", "--fail-on", "untidy").code == 2


def test_audit_as_json_says_which_findings_it_leaves_out(run: Run, items: Path) -> None:
    with (items / "items.csv").open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    with (items / "mojibake.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(row | {"control": row["control"] + " CafÃ© fÃ¼r alle"} for row in rows)
    made = run("import", "mojibake.csv", "--protocol", "items.toml", "--dataset", "broken")
    assert made.code == 0, made.err
    whole = json.loads(run("audit", "broken", "--whole-dataset", "--format", "json").out)
    assert whole
    assert f"Not in this output: {len(whole)} finding" in run("audit", "broken", "--format", "json").err
    assert "Not in this output" not in run("audit", "broken").err


@pytest.fixture
def quiz(run: Run, tmp_path: Path) -> Path:
    """Twelve multiple-choice items that two experts answered: dataset ``items``, study ``pilot``."""
    for name in ("csv", "toml", "labels.csv"):
        shutil.copy(SEEDS / f"multiple_choice.{name}", tmp_path / f"items.{name}")
    assert run("import", "items.csv", "--protocol", "items.toml", "--dataset", "items").code == 0
    assert run("study", "new", "pilot", "--dataset", "items", "--rater", "anna", "--rater", "ben").code == 0
    assert run("import", "items.labels.csv", "--study", "pilot").code == 0
    return tmp_path / "items.csv"


def head(run: Run, items: Path, column: str, key: str, value: str) -> None:
    """The dataset ``head``: the same items, with another value in one column of one of them."""
    with items.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for row in rows:
        row[column] = value if row["id"] == key else row[column]
    with items.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    assert run("import", items.name, "--protocol", "items.toml", "--dataset", "head").code == 0


@pytest.mark.parametrize("key", ["", "B", "E"])
def test_changed_published_answer_is_not_signed_off(run: Run, quiz: Path, key: str) -> None:
    head(run, quiz, "key", "q4", key)
    failed = run("study", "check", "pilot", "--dataset", "head", "--signed-off")
    assert failed.code == 5
    assert "not signed off: 1 case. The first: head, record 4, q4: published answer changed" in failed.err
    said = run("datasets", "diff", "items", "head", "--findings").err
    assert "Published values differ in 1 case with the same content. The first: record 4, q4." in said


def test_same_published_answers_are_signed_off(run: Run, quiz: Path) -> None:
    head(run, quiz, "key", "q4", "A")
    passed = run("study", "check", "pilot", "--dataset", "head", "--signed-off")
    assert passed.code == 0, passed.err
    assert "Published values" not in run("datasets", "diff", "items", "head", "--findings").err


def test_new_finding_about_a_text_is_named_next_to_old_ones(run: Run, quiz: Path) -> None:
    head(run, quiz, "question", "q3", "Is a cafÃ© open?")
    rows = run("datasets", "diff", "items", "head", "--findings", "--format", "json").out
    assert [(row["check"], row["key"], row["record"]) for row in json.loads(rows)] == [("mojibake", "q3", 3)]
    run("import", quiz.name, "--protocol", "items.toml", "--dataset", "items")
    head(run, quiz, "question", "q5", "Is the cafÃ© closed?")
    failed = run("datasets", "diff", "items", "head", "--findings", "--fail-on", "doubtful")
    assert failed.code == 5
    assert "1 new finding. The first: record 5, q5: 'Is the cafÃ© closed?'" in failed.err
