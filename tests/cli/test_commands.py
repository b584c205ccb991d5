"""Every command: its help, its output, its sentences."""

import csv
import io
import json
import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from itertools import takewhile
from pathlib import Path

import click
import pytest

from reviewer.cli.main import reviewer
from reviewer.cli.store_access import Given
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run
from tests.studies import BIASES, a_case, fill

ROOT = Path(__file__).parents[2]


def commands(group: click.Group, path: str = "reviewer") -> dict[str, click.Command]:
    """Every command by its whole name."""
    found: dict[str, click.Command] = {path: group}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        whole = f"{path} {name}"
        found |= commands(command, whole) if isinstance(command, click.Group) else {whole: command}
    return found


COMMANDS = commands(reviewer)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_of_itself(run: Run, name: str) -> None:
    shown = run(*name.split()[1:], "--help")
    assert shown.code == 0
    example = (COMMANDS[name].epilog or "").removeprefix("Example: ")
    assert " ".join(f"Example: {example}".split()) in " ".join(shown.out.split())
    assert COMMANDS[name].help
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Option) and parameter.name not in ("help", "form"):
            assert parameter.help, (name, parameter.name)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_calls_it(name: str) -> None:
    """Its words are taken as they stand there, up to a redirection; nothing is done."""
    example = (COMMANDS[name].epilog or "").removeprefix("Example: ")
    example = re.sub(r'^eval "\$\((.*)\)"$', r"\1", example)
    own = name.split()
    words = list(takewhile(lambda word: word != ">", shlex.split(example)))
    assert words[: len(own)] == own
    context = click.Context(reviewer, info_name="reviewer", obj=Given())
    with context:
        COMMANDS[name].make_context(name, words[len(own) :], parent=context)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two stores, which tests copy: of a dataset, and of a study that two raters finished."""
    folder = tmp_path_factory.mktemp("stores")
    with closing(Database.open(str(folder / "filled.db"))) as database:
        fill(database, "one", [a_case(number, bias) for number, bias in enumerate(BIASES * 2)])
    shutil.copy(folder / "filled.db", folder / "studied.db")
    with closing(Database.open(str(folder / "studied.db"))) as database:
        create_study(database, "pilot", Design(("one",), 1, 42))
        for rater in ("anna", "ben"):
            session = ReviewSession(database, "pilot", rater)
            while not session.finished:
                session.answer("False" if rater == "ben" and session.position == 3 else "True")
    return folder


@pytest.fixture
def filled(stores: Path, tmp_path: Path) -> Path:
    return shutil.copy(stores / "filled.db", tmp_path / "reviewer.db")


@pytest.fixture
def studied(stores: Path, tmp_path: Path) -> Path:
    return shutil.copy(stores / "studied.db", tmp_path / "reviewer.db")


@pytest.mark.parametrize(
    "arguments",
    [
        ("datasets",),
        ("cases",),
        ("study", "list"),
        ("study", "show", "pilot"),
        ("progress", "pilot"),
        ("agreement", "pilot"),
        ("agreement", "pilot", "--by", "group"),
        ("agreement", "pilot", "--by", "", "--pass-rates"),
        ("agreement", "pilot", "--interval", "none"),
        ("agreement", "pilot", "--by", "pair,question", "--interval", "analytic"),
        (
            *("agreement", "pilot", "--by", "question,generator,group,dataset", "--coefficient", "all"),
            *("--resamples", "100"),
        ),
        ("agreement", "pilot", "--by", "generator,question", "--differences"),
        ("agreement", "pilot", "--by", "group", "--differences"),
        ("agreement", "pilot", "--raters"),
        ("agreement", "pilot", "--plan-width", ".1"),
        ("study", "plan", "--raters", "3", "--true-share", ".95", "--agreement", ".9"),
    ],
)
def test_every_table_can_be_had_as_text_csv_and_json(
    studied: Path, run: Run, arguments: tuple[str, ...], at_a_terminal: None
) -> None:
    shown = run(*arguments)
    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= 100
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv").out)))
    records = json.loads(run(*arguments, "--format", "json").out)
    assert len(rows) == len(records) > 0
    assert set(rows[0]) == set(records[0])


def test_what_is_piped_is_not_cut(run: Run) -> None:
    shown = run("settings", "--keys").out
    assert "Sort by this column: up, down, as it was" in shown


def test_the_store_is_named_before_or_after_the_command_or_by_the_environment(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    fill(Database.open(str(elsewhere)), "there", [a_case()])
    assert "there" in run("datasets", "--store", elsewhere).out
    assert "there" in run("--store", elsewhere, "datasets").out
    monkeypatch.setenv("REVIEWER_STORE", str(elsewhere))
    assert "there" in run("datasets").out
    monkeypatch.setenv("REVIEWER_STORE", "nowhere.db")
    assert "there" in run("--store", elsewhere, "datasets").out
    assert "there" in run("--store", "nowhere.db", "datasets", "--store", elsewhere).out
    assert "nowhere.db" in run("datasets").err
    assert not (tmp_path / "reviewer.db").exists()


def test_a_sample_and_its_seed(filled: Path, run: Run) -> None:
    made = run("study", "new", "pilot", "--dataset", "one", "--per-group", 2, "--seed", 42)
    assert made.out.startswith("pilot: 16 cases, 64 verdicts a rater (same_task 16,")
    assert "42" in run("study", "list").out


def test_cases_are_filtered_and_searched(filled: Path, run: Run) -> None:
    assert run("cases", "--group", "framing effect", "--format", "csv").out.count("\n") == 3
    assert "1 of 1 case." in run("cases", "--search", "RELEASE 11.").err
    assert "1 of 16 cases" in run("cases", "--limit", 1).err
    assert "No case fits" in run("cases", "--search", "unbiased_prolog").err


def test_show_finds_a_case_by_key_and_by_digest(filled: Path, run: Run) -> None:
    shown = run("show", "framing effect/6")
    assert shown.code == 0
    assert "release(6)." in shown.out
    digest = re.findall(r"case (\w{64})", shown.out)[0]
    assert run("show", digest[:16]).out == shown.out
    assert json.loads(run("show", digest, "--format", "json").out)["digest"] == digest


def test_agreement_explains_itself_on_stderr(studied: Path, run: Run) -> None:
    shown = run("agreement", "pilot")
    assert "Fleiss' kappa" in shown.err
    assert "are undefined." in shown.err
    assert "one category" in shown.err
    assert {"mean", "overall", "-.02"} <= set(shown.out.split())


def test_export_writes_where_it_is_told(studied: Path, run: Run, tmp_path: Path) -> None:
    shown = run("export", "pilot")
    assert "No seal covers these files" in shown.err.splitlines()[-1]
    names = {Path(line).name for line in shown.out.splitlines()}
    assert {"labels.csv", "labels.jsonl", "agreement.csv", "codebook.csv", "study.json"} <= names
    assert all((tmp_path / line).exists() for line in shown.out.splitlines())
    assert (tmp_path / "exports" / "pilot" / "labels.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("agreement", "nope"), "study 'nope' is not in the store"),
        (("export", "nope"), "study 'nope' is not in the store"),
        (("progress", "nope"), "study 'nope' is not in the store"),
        (("study", "show", "nope"), "study 'nope' is not in the store"),
        (("review", "nope", "--rater", "anna"), "study 'nope' is not in the store"),
        (("adjudicate", "nope", "--as", "zoe"), "study 'nope' is not in the store"),
        (("adjudicate", "pilot", "--as", "zoe"), "needs a terminal"),
        (("review", "pilot"), "Missing option '--rater'"),
        (("review", "pilot", "--rater", "a/b"), "rater name 'a/b' is not valid"),
        (("review", "pilot", "--rater", "\x1b[31m"), "rater name '␛[31m' is not valid"),
        (("review", "pilot", "--rater", "x" * 10_000), "has 10,000 characters"),
        (("review", "pilot", "--rater", "zoe"), "needs a terminal"),
        (("review", "pilot", "--rater", "zoe", "--alone"), "needs a terminal"),
        (("study", "new", "p", "--dataset", "nope"), "dataset 'nope' is not in the store"),
        (("study", "new", "p", "--dataset", "one", "--seed", "soon"), "'soon' is not a valid integer"),
        (("study", "new", "p", "--dataset", "one", "--seed", "9" * 30), "too large"),
        (("study", "new", "p", "--dataset", "one", "--per-group", "3"), "has 2 cases"),
        (("study", "new", "p", "--dataset", "one", "--per-group", "0"), "0 is not in the range"),
        (("study", "new", "pilot", "--dataset", "one"), "already exists"),
        (("study", "new", "a/b", "--dataset", "one"), "study name 'a/b' is not valid"),
        (("cases", "--dataset", "nope"), "dataset 'nope' is not in the store"),
        (("show", "zzz"), "no case has the key or digest 'zzz'"),
        (("agreement", "pilot", "--by", "colour"), "cannot divide by 'colour'"),
        (("agreement", "pilot", "--coefficient", "gamma"), "there is no coefficient 'gamma'"),
        (("agreement", "pilot", "--coefficient", "cohen"), "divide by pair"),
        (("agreement", "pilot", "--level", "95"), "between 0 and 1"),
        (("agreement", "pilot", "--by", "pair", "--differences"), "leave pair out"),
        (("agreement", "pilot", "--by", "", "--differences"), "the last dimension of --by"),
        (("agreement", "pilot", "--differences"), "every case has the same generator"),
        (("agreement", "pilot", "--by", "pair", "--raters"), "leave pair out"),
        (("agreement", "pilot", "--plan-width", "2"), "a half-width must lie between 0 and 1"),
        (("agreement", "pilot", "--plan-width", ".1", "--interval", "none"), "a plan needs intervals"),
        (
            ("study", "plan", "--raters", "3", "--true-share", ".95", "--agreement", ".5"),
            "no such study can be planned",
        ),
        (
            ("study", "plan", "--raters", "3", "--true-share", ".9", "--agreement", ".9", "--width", "0"),
            "a half-width must lie between",
        ),
        (("frobnicate",), "reviewer has no command 'frobnicate'"),
        (("datasets", "--format", "xml"), "'xml' is not one of"),
        (("datasets", "--store", "no/such/folder/x.db"), "needs a folder"),
        (("datasets", "--store", "missing.db"), "there is no store at 'missing.db'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_code_2(
    studied: Path, run: Run, arguments: tuple[str, ...], sentence: str
) -> None:
    refused = run(*arguments)
    assert refused.code == 2
    assert refused.out == ""
    assert sentence in refused.err
    assert refused.err.count("\n") == 1
    assert refused.err.startswith("Error: ")
    assert "\x1b" not in refused.err
    with closing(sqlite3.connect(studied)) as connection:
        assert connection.execute("SELECT name FROM studies").fetchall() == [("pilot",)]


def test_an_empty_store_says_what_to_do(run: Run, tmp_path: Path) -> None:
    assert "there is no store" in run("datasets").err
    Database.open(str(tmp_path / "reviewer.db"))
    assert "import one" in run("datasets").err
    assert "No studies yet" in run("study", "list").err


def test_hostile_texts_reach_the_terminal_harmless(run: Run, tmp_path: Path) -> None:
    hostile = "\x1b[31m[red] g([/a]) \u202e evil"
    fill(Database.open(str(tmp_path / "reviewer.db")), "one", [a_case(1, unbiased=hostile)])
    for arguments in (("cases",), ("show", "anchoring bias/0")):
        shown = run(*arguments).out
        assert "␛[31m[red] g([/a])" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown
