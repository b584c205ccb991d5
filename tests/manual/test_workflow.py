"""The workflow of the manual, step by step in a folder of its own, on items that change."""

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from reviewer.manual.manual_pages import manual_page
from tests.quick_start import quick_start

SEEDS = Path(__file__).parents[2] / "seeds/own_benchmark"
COMMAND = (*quick_start(), "-m", "reviewer")


def steps() -> list[list[str]]:
    """The commands of the workflow, without those that set the machine up."""
    text = manual_page("continuous-integration").text
    workflow = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    commands = [step["run"].split() for step in workflow["jobs"]["items"]["steps"] if "run" in step]
    return [command for command in commands if command[0] != "pip"]


def done(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = (*COMMAND, *words[1:]) if words[0] == "reviewer" else words
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def signed_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose items are all signed off."""
    tmp_path = tmp_path_factory.mktemp("repository")
    shutil.copy(SEEDS / "control_treatment.csv", tmp_path / "items.csv")
    shutil.copy(SEEDS / "control_treatment.toml", tmp_path / "items.toml")
    shutil.copy(SEEDS / "control_treatment_groups.toml", tmp_path / "groups.toml")
    labels = ["key,rater,question,label"]
    with (tmp_path / "items.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = f"{row['bias']}/{row['number']}"
            labels += [f"{key},anna,{question},True" for question in ("same_task", "cue")]
    (tmp_path / "labels.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    for words in (
        "reviewer import items.csv --protocol items.toml --dataset items --groups groups.toml",
        "reviewer study new pilot --dataset items --rater anna --seed 1",
        "reviewer import labels.csv --study pilot",
    ):
        made = done(tmp_path, *words.split())
        assert made.returncode == 0, made.stderr
    return tmp_path


@pytest.fixture
def folder(signed_off: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(signed_off, tmp_path / "repository"))


def workflow(folder: Path) -> tuple[list[str], int, str]:
    """The step that failed, with its exit code and its message; no step if all passed."""
    for step in steps():
        ended = done(folder, *step)
        if ended.returncode:
            return step[:3], ended.returncode, ended.stderr
    return [], 0, ""


def change(folder: Path, edit: Callable[[str], str]) -> None:
    items = folder / "items.csv"
    items.write_text(edit(items.read_text("utf-8")), encoding="utf-8")


def test_unchanged_items_pass(folder: Path) -> None:
    assert workflow(folder) == ([], 0, "")


def test_fault_in_a_pull_request_fails_and_is_named(folder: Path) -> None:
    lines = (folder / "items.csv").read_text("utf-8").splitlines()
    change(folder, lambda text: text.replace(lines[2], lines[2] + ",one cell too many"))
    step, code, message = workflow(folder)
    assert (step[:2], code) == (["reviewer", "import"], 2)
    assert "items.csv, line 3: has" in message


def test_new_finding_fails_and_names_the_record(folder: Path) -> None:
    with (folder / "items.csv").open(newline="", encoding="utf-8") as file:
        second = [*csv.DictReader(file)][1]
    change(folder, lambda text: text.replace(second["treatment"], second["control"]))
    step, code, message = workflow(folder)
    assert (step, code) == (["reviewer", "datasets", "diff"], 5)
    assert "Error: head: 1 new finding. The first: record 2, " in message


def test_changed_item_without_a_fresh_verdict_fails(folder: Path) -> None:
    change(folder, lambda text: text.replace(" the ", " that ", 1))
    step, code, message = workflow(folder)
    assert (step, code) == (["reviewer", "study", "check"], 5)
    assert "not signed off: 1 case. The first: head, record 1, " in message
    assert "changed since" in message
