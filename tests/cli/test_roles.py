"""Every command holds back what the table of roles says, and every command is in that table."""

from pathlib import Path

import click
import pytest

from reviewer.cli.main import reviewer
from reviewer.manual.manual_pages import manual_page
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, DisputeState
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.blinding import why_not_adjudicate
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.study_log import add_act
from tests.blinded_study import JUDGES_RUN, STUDY, State, blinded_study, the_case
from tests.cli.conftest import Result, Run
from tests.cli.role_table import (
    ABOUT_DATASETS,
    ALL,
    MARKS,
    NEVER,
    PEOPLE,
    REFUSED,
    REFUSED_WHILE_OTHERS_OWE,
    ROWS,
    SHOWS_NOTHING_HELD_BACK,
    STATES,
    Row,
    page_table,
)
from tests.rounds import rounds, some_always

REFUSALS = (
    *("judge alone", "would influence your", "came here in a pack", "with open cases"),
    *("still have cases of", "tell who wrote"),
)
"""Parts of the sentences with which blinding refuses."""
STATE_AND_ROLE = [(role, state) for role in PEOPLE for state in STATES]
PARTS = 5


def made(folder: Path, role: str, state: State) -> Path:
    """The store of a role and a state, in a folder."""
    lead = "anna" if role == "lead who rates" else "tom"
    return blinded_study(folder, state, lead=lead, packed=role == "rater in a pack")


def leaves(group: click.Group, path: tuple[str, ...] = ()) -> set[str]:
    """Every command that does something, by its name without "reviewer"."""
    context, names = click.Context(group), set[str]()
    if path and group.invoke_without_command:
        names.add(" ".join(path))
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inside = isinstance(command, click.Group)
        names |= leaves(command, (*path, name)) if inside else {" ".join((*path, name))}  # type: ignore[arg-type]
    return names


def test_every_command_is_in_the_table() -> None:
    listed = [name for row in ROWS for name in row.commands if " --" not in name and JUDGES_RUN not in name]
    assert sorted([*listed, *SHOWS_NOTHING_HELD_BACK]) == sorted(leaves(reviewer))


def test_the_manual_prints_the_table() -> None:
    assert page_table() in manual_page("safety").text, page_table()


@pytest.mark.parametrize("part", rounds(0, range(1, PARTS)))
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_a_command_shows_what_the_table_says(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Row, part: int
) -> None:
    """A part has every role and every state, and each row begins with others."""
    wrong = []
    for name in row.commands:
        for role, state in STATE_AND_ROLE:
            if (list(PEOPLE).index(role) + STATES.index(state) + ROWS.index(row)) % PARTS != part:
                continue
            cell = row.cells[role][STATES.index(state)]
            if cell == NEVER:
                continue
            folder = tmp_path / f"{name} {role} {state}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            store = made(tmp_path, role, state).rename(folder / "store.review")
            done = called(run, row, name, store, PEOPLE[role], monkeypatch)
            if fault := fault_of(cell, row, done, written(folder), packed=role == "rater in a pack"):
                wrong.append(f"{name}, {role}, {state}: should be {cell!r}, but {fault}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("role", some_always(["rater", "lead who rates"], 2))
def test_a_rater_who_has_answered_everything_waits_for_nobody(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    wrong = []
    for row in ROWS:
        for name in row.commands:
            cell = row.cells[role][STATES.index("finished")]
            cell = REFUSED if name in REFUSED_WHILE_OTHERS_OWE else cell
            if cell == NEVER:
                continue
            folder = tmp_path / f"{name} {role}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            store = made(tmp_path, role, "done").rename(folder / "store.review")
            done = called(run, row, name, store, PEOPLE[role], monkeypatch)
            if fault := fault_of(cell, row, done, written(folder), packed=False):
                wrong.append(f"{name}, {role}: should be {cell!r}, but {fault}")
    assert not wrong, "\n".join(wrong)


def called(
    run: Run, row: Row, name: str, store: Path, person: str, monkeypatch: pytest.MonkeyPatch
) -> Result:
    """Call a command as this person."""
    settings = store.with_name("settings.toml")
    settings.write_text(f'name = "{person}"\n')
    monkeypatch.setenv("REVIEWER_SETTINGS", str(settings))
    if name == "study include":
        database = Database.open(str(store), must_exist=True)
        add_act(database, STUDY, "exclude", "tom", "a mix-up", subject="ben")
        database.close()
    words = {"CASE": lambda: the_case(store), "WHO": lambda: person}
    arguments = [words[word]() if word in words else word for word in row.commands[name]]
    return run(*name.split(), *arguments, "--store", store)


def written(folder: Path) -> str:
    """The text of all files that a command wrote."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("store.")]
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def fault_of(cell: str, row: Row, done: Result, files: str, *, packed: bool) -> str:
    """What is not as the cell says; "" if all is."""
    shown = {mark for mark, text in MARKS.items() if text in done.out + done.err + files}
    if cell == REFUSED:
        # What a pack does not hold (datasets, runs) is refused in other words.
        by_blinding = packed or any(words in done.err for words in REFUSALS)
        said = "" if done.code == 2 and by_blinding else f"it ends with {done.code}. {done.err}"
        return said or (f"it shows {sorted(shown)}" if shown and row.shows else "")
    if not row.shows:
        return done.err if any(words in done.err for words in REFUSALS) and done.code else ""
    left_out = set() if cell == ALL else set(cell.removeprefix("without ").split(", "))
    wanted = {*row.shows} - left_out
    got = shown & {*row.shows}
    return "" if (done.code, got) == (0, wanted) else f"it shows {sorted(got)} ({done.code}). {done.err}"


def test_a_copy_of_a_dataset_is_held_back_like_the_dataset(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = made(tmp_path, "rater", "owed")
    settings = tmp_path / "settings.toml"
    monkeypatch.setenv("REVIEWER_SETTINGS", str(settings))
    settings.write_text('name = "anna"\n')
    assert run("datasets", "merge", "pairs", "--into", "copy", "--store", store).code == 0
    for row in ROWS:
        if row.cells != ABOUT_DATASETS or row.what.startswith("answers of models"):
            continue
        for name, arguments in row.commands.items():
            copied = ["copy" if argument == "pairs" else argument for argument in arguments]
            done = run(*name.split(), *copied, "--store", store)
            refused = any(words in done.err for words in REFUSALS)
            assert (done.code, refused) == (2, True), (name, done.err)
    assert MARKS["generators"] not in run("cases", "--format", "json", "--store", store).out


def test_another_study_of_the_same_cases_is_held_back(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = made(tmp_path, "rater", "owed")
    database = Database.open(str(store), must_exist=True)
    create_study(database, "second", Design(("pairs",), None, 1, raters=("zed",)), lead="tom")
    session = ReviewSession(database, "second", "zed")
    while not session.finished:
        session.answer("first" if session.slot.question == "right_result" else "True")
    refused = why_not_adjudicate(database, load_study(database, "second"), "anna")
    assert "would influence your answers" in (refused or "")
    database.close()
    settings = tmp_path / "settings.toml"
    monkeypatch.setenv("REVIEWER_SETTINGS", str(settings))
    settings.write_text('name = "anna"\n')
    for row in ROWS[:3]:
        for name, arguments in row.commands.items():
            asked = ["second" if argument == STUDY else argument for argument in arguments]
            done = run(*name.split(), *asked, "--store", store)
            assert (done.code, "of study second to answer in study pilot" in done.err) == (2, True), done.err
    assert MARKS["generators"] not in run("study", "show", "second", "--store", store).out


def test_adjudicator_sees_a_case_whole_once_it_is_decided(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = made(tmp_path, "adjudicator", "finished")
    settings = tmp_path / "settings.toml"
    monkeypatch.setenv("REVIEWER_SETTINGS", str(settings))
    settings.write_text('name = "zoe"\n')
    case = the_case(store)
    waiting = run("show", case, "--store", store)
    assert "this case is not decided yet on right_result in study pilot" in waiting.err
    assert run("show", case, "--store", store, "--format", "json").code == 2
    database = Database.open(str(store), must_exist=True)
    session = AdjudicationSession(database, STUDY, "zoe")
    session.go_to([dispute.item_votes.place.case for dispute in session.disputes].index(case))
    session.decide("first", "it is right")
    database.close()
    decided = run("show", case, "--store", store)
    assert (MARKS["findings"] in decided.out, MARKS["opinions"] in decided.out) == (True, True)
    assert "not decided" not in decided.err
    assert MARKS["findings"] in run("show", case, "--store", store, "--format", "json").out
    checked = "check", "pairs", "--workers", "1", "--store", store
    assert "cases of pairs to adjudicate in study pilot" in run(*checked).err
    database = Database.open(str(store), must_exist=True)
    session = AdjudicationSession(database, STUDY, "zoe")
    while session.state_at(session.index) is DisputeState.OPEN:
        session.decide("first", "it is right")
        session.next_open()
    database.close()
    assert run(*checked).code == 0
