"""Raters learn who wrote a case only once they have answered, where the protocol hides it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.protocols.registry import PROTOCOLS
from store.case_import import import_entries
from store.database import Database
from store.records import Dataset
from tests.answer_pairs import a_pair
from tests.blinded_study import DATASET, GENERATOR, STUDY, State, blinded_study, the_case
from tests.cli.conftest import Run
from tests.studies import AT, entries_for


@pytest.fixture
def anna(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anna is at the keyboard."""
    settings = tmp_path / "settings.toml"
    settings.write_text('name = "anna"\n')
    monkeypatch.setenv("REVIEWER_SETTINGS", str(settings))


@pytest.mark.parametrize("bare", [False, True])
def test_a_pack_does_not_hold_who_wrote_its_cases(run: Run, tmp_path: Path, bare: bool) -> None:
    blinded_study(tmp_path, "owed", lead="tom")
    options = ["--bare"] if bare else []
    assert run("study", "pack", STUDY, "--rater", "anna", "-o", "a.review", *options).code == 0
    with closing(sqlite3.connect(tmp_path / "a.review")) as pack:
        assert GENERATOR not in "\n".join(pack.iterdump())
    shown = run("study", "show", STUDY, "--store", "a.review")
    assert shown.code == 0
    assert GENERATOR not in shown.out + shown.err
    assert "role" not in shown.out
    assert run("merge", "a.review").code == 0


@pytest.mark.parametrize(("state", "told"), [("owed", False), ("finished", True), ("closed", True)])
@pytest.mark.usefixtures("anna")
def test_a_rater_is_told_who_wrote_cases_once_they_owe_no_answer(
    run: Run, tmp_path: Path, state: State, told: bool
) -> None:
    store = blinded_study(tmp_path, state, lead="tom")
    for command in (("cases",), ("show", the_case(store)), ("study", "show", STUDY)):
        shown = run(*command)
        assert shown.code == 0, shown.err
        assert (GENERATOR in shown.out + shown.err) is told, command
    for option in (("--generator", GENERATOR), ("--origin", "generated")):
        filtered = run("cases", "--dataset", DATASET, *option)
        assert filtered.code == (0 if told else 2)
        assert told or f"{option[0]} would tell who wrote cases" in filtered.err


@pytest.mark.parametrize(
    ("dataset", "generator", "told"),
    [
        ("gpt-4o-pairs", "GPT-4o", True),
        ("pairs-by-o1", "o1", True),
        ("pairs-of-o11", "o1", False),
        ("first", "gpt-4o", False),
    ],
)
def test_a_new_study_says_if_names_tell_a_hidden_generator(
    run: Run, tmp_path: Path, dataset: str, generator: str, told: bool
) -> None:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        header = Dataset(name=dataset, protocol="judge-pairs", source="a test", imported_at=AT)
        import_entries(database, header, entries_for(dataset, [a_pair(0)], generator))
    made = run("study", "new", "pilot", "--dataset", dataset, "--rater", "anna")
    assert made.code == 0, made.err
    assert (f"these name {generator}, though the protocol judge-pairs hides who wrote" in made.err) is told


def test_protocols_with_sheets_in_folders_of_generators_hide_none() -> None:
    assert [p.name for p in PROTOCOLS.values() if p.validation_sheets() and p.hides_generators] == []
    assert [p.name for p in PROTOCOLS.values() if not p.hides_generators] == ["probe-swe"]
