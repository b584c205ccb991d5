"""The hand-written corpus as logic: every program run by SWI-Prolog."""

import csv
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.rounds import mostly_slow

CORPUS = Path(__file__).resolve().parents[2] / "seeds" / "probe_swe"
PAIRS = sorted(path.parent for path in CORPUS.glob("*/*/axioms.pl"))
OPTIONS = ("option_A", "option_B")
SECONDS = 30

# The goal is warmed up before counting, and so is call_time/2, whose first use costs one inference more.
# The report of profile/2 is of no use; some releases divide by zero in it, after collecting the data.
WRAPPER = """
:- set_prolog_flag(verbose, silent).
:- use_module(library(lists)).
:- use_module(library(statistics)).

measure(File) :-
    load_files(File, []),
    findall(Choice, decide_option(user, Choice), Choices),
    Goal = decide_option(user, First),
    ( once(Goal) -> true ; First = none ),
    ignore(call_time(true, _)),
    ignore(call_time(true, _)),
    ( call_time(decide_option(user, _), Time) -> Inferences = Time.inferences ; Inferences = -1 ),
    catch(with_output_to(string(_), ignore(profile(decide_option(user, _), [top(0)]))), _, true),
    profile_data(Profile),
    Nodes = Profile.summary.nodes,
    list_undefined,
    forall(member(Choice, Choices), (write(Choice), nl)),
    write(counts(Inferences, Nodes)), nl.
"""
# What is undefined is looked for once, so that the libraries that look for it are loaded.
LOADED = ":- list_undefined.\n"


@dataclass(frozen=True)
class Run:
    """What one program did: all its solutions, two counts, and whatever it printed as an error or warning."""

    solutions: tuple[str, ...]
    counts: str
    complaints: str

    @property
    def choice(self) -> str:
        """The one decision; a failure of the test if there is none or more than one."""
        assert len(self.solutions) == 1, self
        assert self.solutions[0] in OPTIONS, self
        return self.solutions[0]


@pytest.fixture(scope="module")
def swipl(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str | Path]:
    """The beginning of a command: SWI-Prolog from a saved state, with the wrapper and its libraries."""
    found = shutil.which("swipl")
    if found is None and os.environ.get("CI"):
        pytest.fail("swipl is not installed, and under CI the decisions must be checked")
    if found is None:
        pytest.skip("swipl is not installed (Debian: apt-get install swi-prolog-nox)")
    folder = tmp_path_factory.mktemp("state")
    (folder / "wrapper.pl").write_text(WRAPPER + LOADED, encoding="utf-8")
    save = [found, "-q", "-f", "none", "-o", folder / "state", "-c", folder / "wrapper.pl"]
    subprocess.run(save, capture_output=True, timeout=SECONDS, check=True)
    return found, "-x", folder / "state"


def run_program(swipl: Sequence[str | Path], folder: Path, axioms: str, program: str) -> Run:
    """Run one program with its axioms in an empty folder, in a process of its own."""
    folder.mkdir()
    (folder / "axioms.pl").write_text(axioms, encoding="utf-8")
    (folder / "program.pl").write_text(program, encoding="utf-8")
    command = [*swipl, "-q", "-f", "none", "-g", "measure(program)", "-t", "halt"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    *solutions, counts = done.stdout.split("\n")[:-1] or [""]
    return Run(tuple(solutions), counts, done.stderr)


def run_version(swipl: Sequence[str | Path], folder: Path, pair: Path, version: str) -> Run:
    texts = ((pair / name).read_text(encoding="utf-8") for name in ("axioms.pl", version))
    return run_program(swipl, folder, *texts)


def published_choice(pair: Path) -> str:
    """What published_values.csv says of a dilemma; the first test below compares it with the programs."""
    with (CORPUS / "published_values.csv").open(encoding="utf-8", newline="") as file:
        choices = {row["dilemma"]: row["correct_option"] for row in csv.DictReader(file)}
    return choices[f"{pair.parent.name}/{pair.name}"]


def is_fact(line: str) -> bool:
    return re.fullmatch(r"[a-z]\w*\(.*\)\.", line) is not None


def swapped(program: str) -> str:
    """The program with the two options exchanged in its facts, and in them only."""
    other = dict(zip(OPTIONS, reversed(OPTIONS), strict=True))
    lines = [
        re.sub(r"option_[AB]", lambda found: other[found[0]], line) if is_fact(line) else line
        for line in program.splitlines()
    ]
    return "\n".join(lines) + "\n"


@mostly_slow(4)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda path: path.name)
def test_both_versions_decide_alike_with_equal_effort(
    pair: Path, swipl: Sequence[str | Path], tmp_path: Path
) -> None:
    unbiased = run_version(swipl, tmp_path / "unbiased", pair, "0-unbiased_task.pl")
    biased = run_version(swipl, tmp_path / "biased", pair, "1-biased_task.pl")
    assert (unbiased.complaints, biased.complaints) == ("", "")
    assert unbiased.choice == biased.choice
    assert unbiased.counts == biased.counts
    assert re.fullmatch(r"counts\([1-9]\d*,[1-9]\d*\)", unbiased.counts)
    assert unbiased.choice == published_choice(pair)


@mostly_slow(4)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda path: path.name)
def test_decision_rests_on_axioms_and_facts(pair: Path, swipl: Sequence[str | Path], tmp_path: Path) -> None:
    axioms, program = (
        (pair / name).read_text(encoding="utf-8") for name in ("axioms.pl", "1-biased_task.pl")
    )
    choice = published_choice(pair)
    without_facts = "\n".join(line for line in program.splitlines() if not is_fact(line)) + "\n"
    assert choice not in run_program(swipl, tmp_path / "no_axioms", "", program).solutions
    assert choice not in run_program(swipl, tmp_path / "no_facts", axioms, without_facts).solutions
    exchanged = run_program(swipl, tmp_path / "swapped", axioms, swapped(program))
    assert {exchanged.choice, choice} == set(OPTIONS)


def test_each_option_is_right_once_in_each_group() -> None:
    choices = Counter((pair.parent.name, published_choice(pair)) for pair in PAIRS)
    groups = {pair.parent.name for pair in PAIRS}
    assert choices == {(group, option): 1 for group in groups for option in OPTIONS}


def test_the_runner_reports_complaints_and_second_solutions(
    swipl: Sequence[str | Path], tmp_path: Path
) -> None:
    loose = "decide_option(user, option_A).\ndecide_option(user, option_B) :- \\+ true, known(Once).\n"
    doubled = "decide_option(user, option_A).\ndecide_option(user, option_B).\n"
    assert "Once" in run_program(swipl, tmp_path / "loose", "", loose).complaints
    assert run_program(swipl, tmp_path / "doubled", "", doubled).solutions == OPTIONS
    undefined = "decide_option(user, option_A).\ndecide_option(user, option_B) :- \\+ true, known(once).\n"
    assert "known/1" in run_program(swipl, tmp_path / "undefined", "", undefined).complaints
