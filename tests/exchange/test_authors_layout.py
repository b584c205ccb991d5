"""The layout of the authors' own package: our sheets as their script needs them, and theirs as we take them.

``their_readings`` reads a ZIP by their rules, so that our files are tested as their script reads them.
"""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.labels.verdict_storing import StoredVerdicts
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.sheets.sheet_import import check_sheets, store_sheets
from reviewer.exchange.sheets.sheet_writer import export_notes, validation_files
from reviewer.protocols.probe_swe.formats.dataset_json import PUBLISHED_GENERATORS, generator_of_file
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.builders import a_record, write_dataset
from tests.judged import judge
from tests.studies import open_store

FILES = ("task1_same_task.csv", "task2_bias_presence.csv", "task3_reconstruction.csv", "task4_axioms.csv")
COLUMNS = (
    "same_task_validation",
    "bias_presence_validation",
    "reconstruction_validation",
    "best_practices_validation",
)
NAMES = ("gpt-4o-mini", "gpt-4.1-mini")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Two generators, imported from files named as the authors name theirs; anna and ben have answered."""
    store = open_store(tmp_path)
    for number, name in enumerate(NAMES):
        records = [a_record(10 * number + each) for each in range(1, 5)]
        file = write_dataset(tmp_path / f"1_augmented_dilemmas_dataset_{name}.json", records)
        import_path(store, file, name)
    create_study(store, "pilot", Design(NAMES, None, 7))
    for rater in ("anna", "ben"):
        judge(store, "pilot", rater)
    return store


def study(database: Database) -> StudyBundle:
    return load_study(database, "pilot")


def exported(database: Database, folder: Path, *raters: str) -> Path:
    write_texts(folder, validation_files(study(database), Ledger(database).events("pilot"), raters))
    return folder


def their_readings(path: Path) -> dict[tuple[str, str], list[tuple[list[str], bool]]]:
    """(generator, file) → rows by position, each with its texts and whether they take it for True."""
    read = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            folder, file = member.split("/")[-2:]
            generator = folder.split("=")[-1]
            assert generator in PUBLISHED_GENERATORS  # else their script fails
            head, *rows = csv.reader(io.StringIO(archive.read(member).decode(), newline=""))
            at = head.index(COLUMNS[FILES.index(file)])
            read[generator, file] = [
                (row[:at] + row[at + 1 :], row[at].strip().lower() == "true") for row in rows
            ]
    return read


def test_what_we_write_fits_what_their_script_reads(database: Database, tmp_path: Path) -> None:
    folder = exported(database, tmp_path / "out")
    anna, ben = (their_readings(folder / f"{rater}.zip") for rater in ("anna", "ben"))
    assert sorted(anna) == sorted((name, file) for name in NAMES for file in FILES) == sorted(ben)
    for sheet, rows in anna.items():  # rows are matched by position between raters
        assert [texts for texts, _ in rows] == [texts for texts, _ in ben[sheet]]
    for rater, read in (("anna", anna), ("ben", ben)):
        labels = [event.value for event in Ledger(database).events("pilot", rater) if event.kind == "label"]
        trues = [is_true for rows in read.values() for _, is_true in rows]
        assert (trues.count(True), trues.count(False)) == (labels.count("True"), labels.count("False"))
        assert 0 < trues.count(False) < len(trues)


def in_their_layout(source: Path, target: Path, spell: str = "{}") -> Path:
    """The same sheets as the authors pack them: RATER/2_llm_outputs_model=NAME/FILE."""
    with zipfile.ZipFile(source) as ours, zipfile.ZipFile(target, "w") as theirs:
        for member in ours.namelist():
            generator, file = member.split("/")
            text = ours.read(member).decode().replace("True,", spell.format("True") + ",")
            theirs.writestr(f"Rater/2_llm_outputs_model={generator}/{file}", text)
    return target


@pytest.mark.parametrize("spell", ["{}", " {} "])
def test_their_zip_comes_in_unchanged(database: Database, tmp_path: Path, spell: str) -> None:
    ours = exported(database, tmp_path / "out") / "anna.zip"
    theirs = in_their_layout(ours, tmp_path / "theirs.zip", spell)
    checked = check_sheets(study(database), theirs)
    assert checked.problems == []
    stored = store_sheets(database, study(database), "cara", checked.verdicts)
    assert stored == StoredVerdicts(new=32, changed=0, same=0, empty=0, comments=0)
    again = exported(database, tmp_path / "again", "anna", "cara")
    assert (again / "cara.zip").read_bytes() == (again / "anna.zip").read_bytes() == ours.read_bytes()


def test_a_folder_of_no_generator_of_the_study_is_refused(database: Database, tmp_path: Path) -> None:
    ours = exported(database, tmp_path / "out") / "anna.zip"
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive, zipfile.ZipFile(ours) as source:
        content = source.read(f"gpt-4o-mini/{FILES[0]}")
        archive.writestr(f"2_llm_outputs_model=gpt-5/{FILES[0]}", content)
    (problem,) = check_sheets(study(database), tmp_path / "x.zip").problems
    assert "is none of the study's generators; name it as one of gpt-4o-mini, gpt-4.1-mini" in str(problem)


def test_a_generator_with_an_equals_sign_is_its_own(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    import_path(store, write_dataset(tmp_path / "a.json", [a_record(1)]), "data", "temperature=0")
    create_study(store, "pilot", Design(("data",), None, 7))
    judge(store, "pilot", "anna")
    assert check_sheets(study(store), exported(store, tmp_path / "out") / "anna.zip").problems == []


def test_what_their_script_makes_of_blanks_is_said(database: Database) -> None:
    assert export_notes(study(database), Ledger(database).events("pilot")) == []
    ReviewSession(database, "pilot", "cara").answer("True")
    (told,) = export_notes(study(database), Ledger(database).events("pilot"))
    assert told.startswith("The authors' script counts blank cells as False, and 31 cells are blank: fill")


def test_generators_that_their_script_does_not_know_are_said_at_export(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    import_path(store, write_dataset(tmp_path / "a.json", [a_record(1)]), "data", "gpt-5")
    create_study(store, "pilot", Design(("data",), None, 7))
    judge(store, "pilot", "anna")
    (told,) = export_notes(study(store), Ledger(store).events("pilot"))
    assert told.startswith("The authors' script fails at the folder of gpt-5: it only knows gpt-4.1-nano,")


@pytest.mark.parametrize(
    ("name", "generator"),
    [
        ("1_augmented_dilemmas_dataset_gpt-4o-mini.json", "gpt-4o-mini"),
        ("12_augmented_dilemmas_dataset_org_model.v2.json", "org_model.v2"),
        ("gpt-4.1-mini.json", "gpt-4.1-mini"),
        ("1_augmented_dilemmas_dataset_.json", None),
        ("augmented_dilemmas.json", None),
        ("final.json", None),
    ],
)
def test_what_a_file_name_tells(name: str, generator: str | None) -> None:
    assert generator_of_file(name) == generator
