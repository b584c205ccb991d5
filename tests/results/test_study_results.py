"""From events to numbers."""

import csv
import errno
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import RequestError
from reviewer.core.table import Table
from reviewer.exchange.exports.study_export import BOOTSTRAP, export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.agreement_results import AgreementResult, study_results
from reviewer.results.tables.agreement_tables import agreement_spec
from reviewer.results.tables.label_tables import LABELS
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.studies import a_case, a_study, fill, open_store

BY = ("question", "generator")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten cases by each of two generators; three raters who say True but for one dissent of cara's."""
    folder = tmp_path_factory.mktemp("made")
    database = open_store(folder)
    fill(database, "one", [a_case(number, rebuilt=False) for number in range(10)], "model-1")
    fill(database, "two", [a_case(number, rebuilt=False) for number in range(10, 20)], "model-2")
    create_study(database, "pilot", Design(("one", "two"), None, 7))
    for rater in ("anna", "ben", "cara"):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            dissent = (
                rater == "cara"
                and session.question.key == "same_task"
                and session.case.digest == session.bundle.sample[0].case
            )
            session.answer("False" if dissent else "True")
    database.close()
    return folder / "reviewer.db"


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Database:
    shutil.copy(made, tmp_path)
    return open_store(tmp_path)


def rows_of(database: Database, name: str = "pilot") -> list[LabelRow]:
    return label_rows(load_study(database, name), Ledger(database).events(name))


def results_of(database: Database, *by: str) -> list[AgreementResult]:
    return study_results(load_study(database, "pilot"), rows_of(database), by)


def find(results: list[AgreementResult], kind: str, **where: str) -> AgreementResult:
    return next(result for result in results if result.kind == kind and result.where == where)


def test_cells_means_and_pooled_values_are_labelled_rows(database: Database) -> None:
    results = results_of(database, *BY)
    assert [(r.kind, *r.where.values()) for r in results] == [
        ("cell", "same task", "model-1"),
        ("cell", "same task", "model-2"),
        ("cell", "bias presence", "model-1"),
        ("cell", "bias presence", "model-2"),
        ("cell", "axioms", "model-1"),
        ("cell", "axioms", "model-2"),
        ("mean of cells", "same task", "all"),
        ("pooled", "same task", "all"),
        ("mean of cells", "bias presence", "all"),
        ("pooled", "bias presence", "all"),
        ("mean of cells", "axioms", "all"),
        ("pooled", "axioms", "all"),
        ("mean of cells", "all", "all"),
        ("pooled", "all", "all"),
    ]


def test_the_numbers_of_a_cell_with_one_dissent(database: Database) -> None:
    cell = find(results_of(database, *BY), "cell", question="same task", generator="model-1")
    assert (cell.items, cell.raters, cell.ratings, cell.missing) == (10, 3, 30, 0)
    values = {key: estimate.value for key, estimate in cell.coefficients.items()}
    assert values["po_all_agree"] == pytest.approx(9 / 10)
    assert values["po_pairwise"] == pytest.approx(28 / 30)
    # Every dissent is one False among True, so kappa is -(1 - p)/p.
    assert values["fleiss_kappa"] == pytest.approx(-(1 / 30) / (29 / 30))
    assert values["krippendorff_alpha"] == pytest.approx(0.0, abs=1e-12)
    assert cell.passing_share.value == pytest.approx(29 / 30)
    assert (cell.majority.value, cell.unanimity.value) == (1.0, 0.9)


def test_an_undefined_coefficient_has_a_reason_and_no_number(database: Database) -> None:
    cell = find(results_of(database, *BY), "cell", question="same task", generator="model-2")
    kappa = cell.coefficients["fleiss_kappa"]
    assert (kappa.value, kappa.reason) == (None, "one category")
    assert cell.coefficients["gwet_ac1"].value == 1.0
    results = results_of(database, *BY)
    table = agreement_spec(BY, results).for_programs(results)
    row = dict(zip(table.columns, table.rows[1], strict=True))
    assert (row["fleiss_kappa"], row["fleiss_kappa_undefined"]) == (None, "one category")


def test_a_mean_of_cells_is_not_the_pooled_value(database: Database) -> None:
    results = results_of(database, "generator")
    mean = find(results, "mean of cells", generator="all").coefficients["fleiss_kappa"]
    pooled = find(results, "pooled", generator="all").coefficients["fleiss_kappa"]
    assert mean.value is not None
    assert mean.left_out == 1
    assert pooled.value != mean.value


def test_a_missing_label_is_missing_not_false(database: Database) -> None:
    session = ReviewSession(database, "pilot", "dora")
    session.answer("True")
    results = results_of(database, "question")
    cell = find(results, "cell", question="same task")
    assert (cell.raters, cell.ratings, cell.missing) == (4, 61, 19)
    assert cell.unanimity.value == pytest.approx(19 / 20)


def test_an_undone_label_counts_no_more_and_the_row_stays(database: Database) -> None:
    session = ReviewSession(database, "pilot", "cara")
    session.undo()
    rows = [row for row in rows_of(database) if row.rater == "cara" and row.label is None]
    assert [(row.events, str(row.verdict.state)) for row in rows] == [(2, "open")]
    assert find(results_of(database, "question"), "cell", question="axioms").missing == 1


def test_no_division_gives_one_row(database: Database) -> None:
    (only,) = results_of(database)
    assert (only.kind, only.items) == ("cell", 60)


@pytest.mark.parametrize("by", [("rater",), ("question", "question")])
def test_a_division_that_there_is_not_is_refused(database: Database, by: tuple[str, ...]) -> None:
    with pytest.raises(RequestError, match="cannot divide"):
        results_of(database, *by)


def test_stale_verdicts_are_marked_kept_and_exported(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    session = ReviewSession(database, "pilot", "anna")
    place = next(place for place in session.bundle.sample if place.case == session.slots[0].case)
    session.answer("True")
    session.answer("True")
    news = [a_case(number) for number in range(3)]
    news[place.position] = a_case(50)
    fill(database, "pilot-data", news)
    rows = rows_of(database)
    assert {row.place.case: row.stale for row in rows} == {
        session.slots[0].case: True,
        session.slots[1].case: False,
    }
    table = LABELS.for_programs(rows)
    assert [row[table.columns.index("stale")] for row in table.rows].count(True) == 1


def export(database: Database, folder: Path) -> dict[str, bytes]:
    written = export_study(StudySource.of(*read_study(database, "pilot")), folder)
    return {path.name: path.read_bytes() for path in written}


def test_the_same_ledger_gives_the_same_bytes(database: Database, tmp_path: Path) -> None:
    first = export(database, tmp_path / "a")
    assert first == export(open_store(tmp_path), tmp_path / "b")
    assert sorted(first) == [
        *("agreement.csv", "agreement.jsonl", "agreement_long.csv", "agreement_long.jsonl"),
        *("codebook.csv", "differences.csv", "differences.jsonl", "final_labels.csv", "final_labels.jsonl"),
        *("items.csv", "items.jsonl", "labels.csv", "labels.jsonl"),
        *("notes.csv", "notes.jsonl", "pass_rates.csv", "pass_rates.jsonl"),
        *("raters.csv", "raters.jsonl", "study.json"),
    ]
    ReviewSession(database, "pilot", "anna").flag()
    assert export(database, tmp_path / "a")["labels.csv"] != first["labels.csv"]


def lines_of(files: dict[str, bytes], name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files[f"{name}.jsonl"].decode().splitlines()]


def test_items_have_their_texts_and_final_labels(database: Database, tmp_path: Path) -> None:
    files = export(database, tmp_path / "out")
    items, finals = lines_of(files, "items"), lines_of(files, "final_labels")
    bundle, _ = read_study(database, "pilot")
    assert [item["key"] for item in items] == [place.key for place in bundle.sample]
    for item in items:
        case = bundle.cases[item["case"]]
        assert item["content_unbiased"] == case.payload["unbiased"]
        told = {final["question_key"]: final["final"] for final in finals if final["case"] == item["case"]}
        assert {key: item[f"final_{key}"] for key in told} == told
        assert {item[f"final_{key}_status"] for key in told} <= {"unanimous", "majority", "open"}


def test_agreement_in_the_long_form_has_the_numbers_of_the_wide_one(
    database: Database, tmp_path: Path
) -> None:
    files = export(database, tmp_path / "out")
    long, wide = lines_of(files, "agreement_long"), lines_of(files, "agreement")
    place = ("question", "generator", "kind")
    numbers = {(*(row[name] for name in place), row["coefficient"]): row for row in long}
    assert len(numbers) == len(long) == 7 * len(wide)
    for row in wide:
        for key in ("po_all_agree", "fleiss_kappa", "gwet_ac1"):
            same = numbers[(*(row[name] for name in place), key)]
            parts = ("low", "high", "se", "n", "undefined")
            assert same["value"] == row[key]
            assert [same[f"value_{part}"] for part in parts] == [row[f"{key}_{part}"] for part in parts]
    rates = {(row["question"], row["generator"], row["kind"]): row for row in lines_of(files, "pass_rates")}
    for row in long:
        if row["coefficient"] in ("majority", "unanimity"):
            assert row["value"] == rates[row["question"], row["generator"], row["kind"]][row["coefficient"]]


def test_what_raters_write_is_no_formula_in_any_csv_file_and_exact_in_json_lines(
    database: Database, tmp_path: Path
) -> None:
    hostile = "=cmd|' /C calc'!A0 \x1b[31mred"
    session = ReviewSession(database, "pilot", "anna")
    session.comment(hostile)
    session.note(hostile)
    files = export(database, tmp_path / "out")
    for name, column in (("labels", "comment"), ("notes", "note")):
        rows = csv.DictReader(io.StringIO(files[f"{name}.csv"].decode(), newline=""))
        assert [row[column] for row in rows if row[column]] == ["'=cmd|' /C calc'!A0 ␛[31mred"]
        exact = [json.loads(line)[column] for line in files[f"{name}.jsonl"].decode().splitlines()]
        assert [text for text in exact if text] == [hostile]
    book = csv.DictReader(io.StringIO(files["codebook.csv"].decode(), newline=""))
    described = {row["file"]: row["meaning"] for row in book if row["type"] == "file"}
    assert "the exact form is labels.jsonl" in described["labels.csv"]
    assert "the exact form" in described["labels.jsonl"]


def test_labels_csv_has_one_row_a_verdict(database: Database, tmp_path: Path) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.comment('commas, "quotes"\nand =formulas()')
    labels = export(database, tmp_path / "out")["labels.csv"].decode()
    rows = list(csv.DictReader(io.StringIO(labels)))
    assert len(rows) == 3 * 60
    assert [row["comment"] for row in rows if row["comment"]] == ['commas, "quotes"\nand =formulas()']
    assert {row["label"] for row in rows} == {"True", "False"}


def test_study_json_is_enough_to_compute_everything_again(database: Database, tmp_path: Path) -> None:
    from store.records import Event

    exported = export(database, tmp_path / "out")
    whole = json.loads(exported["study.json"])
    events = [Event.model_validate(event) for event in whole["events"]]
    assert all(event.digest == event.content_digest() for event in events)
    bundle = load_study(database, "pilot")
    results = study_results(bundle, label_rows(bundle, events), BY, BOOTSTRAP)
    assert agreement_spec(BY, results).for_programs(results).to_csv().encode() == exported["agreement.csv"]
    assert {case["digest"] for case in whole["cases"]} == set(bundle.cases)


def test_a_folder_that_cannot_be_written_is_a_sentence(database: Database, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(RequestError, match="cannot be written"):
        export(database, tmp_path / "taken")


def test_tables_are_csv_and_json() -> None:
    table = Table.of(("a", "b"), [(None, 'x"y'), (0.1, True)])
    assert table.to_csv() == 'a,b\n,"x""y"\n0.1,True\n'
    assert json.loads(table.to_json()) == [{"a": None, "b": 'x"y'}, {"a": 0.1, "b": True}]


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    from reviewer.exchange.exports.study_export import write_texts

    (tmp_path / "first.csv").write_text("old")

    def does_not_fit() -> Iterator[str]:
        yield "the first part"
        assert {path.name for path in tmp_path.iterdir()} > {"first.csv"}  # the drafts
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(RequestError, match="cannot be written"):
        write_texts(tmp_path, {"first.csv": "new", "second.csv": does_not_fit()})
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_labels_and_numbers_join_on_the_question(database: Database, tmp_path: Path) -> None:
    exported = export(database, tmp_path / "out")
    labels = {row["question"] for row in csv.DictReader(io.StringIO(exported["labels.csv"].decode()))}
    cells = {row["question"] for row in csv.DictReader(io.StringIO(exported["agreement.csv"].decode()))}
    assert labels <= cells


def test_answers_given_anew_are_counted(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.go_to(0)
    session.answer("True")
    again = [row for row in rows_of(database) if row.rater == "anna" and row.answers == 2]
    assert [row.verdict.slot for row in again] == [session.slots[0]]


def test_remarks_name_means_without_cells(database: Database) -> None:
    from reviewer.report.agreement_text import remarks

    assert "over 1 of 6 subgroups for Fleiss' κ" in " ".join(remarks(results_of(database, *BY), BY))
