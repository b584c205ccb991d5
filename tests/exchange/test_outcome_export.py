"""Outcomes written out: in long form, and in the layout of the published package."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.evaluations.outcome_import import OutcomeSource, import_outcomes
from reviewer.exchange.evaluations.outcome_writing import export_outcomes, write_layout
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from store.database import Database
from store.evaluations import Evaluations
from tests.builders import GROUP, a_record, write_groups
from tests.exchange.raw_outputs import row_of, write_rows
from tests.runs.generating import WordVectors

STEPS = {1: 3, 2: 6, 3: 9, 4: 12}
RECORDS = {number: a_record(number, inference_steps=steps) for number, steps in STEPS.items()}
LETTERS = {1: "AB", 2: "BB", 3: "AA"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pairs, of which three were answered twice; one of the runs has no row."""
    folder = tmp_path_factory.mktemp("export")
    database = Database.open(str(folder / "reviewer.db"))
    import_path(database, write_groups(folder / "p.json", {GROUP: [*RECORDS.values()]}), "pairs", "g1")
    rows = [
        row_of(GROUP, RECORDS[number], repeat, *letters)
        for number, letters in LETTERS.items()
        for repeat in (0, 1)
    ]
    source = OutcomeSource(write_rows(folder / "o.csv", rows[:-1]), "probe-swe", ("pairs",), "a/model")
    import_outcomes(database, "own", source, "me")
    database.close()
    return folder / "reviewer.db"


@pytest.fixture
def database(prepared: Path, tmp_path: Path) -> Database:
    shutil.copy(prepared, tmp_path / "reviewer.db")
    return Database.open(str(tmp_path / "reviewer.db"))


def evaluation_in(database: Database) -> Evaluation:
    return read_evaluation(database, protocols_of(database), "own")


def test_outcomes_in_long_form_have_a_row_each_and_a_codebook(database: Database, tmp_path: Path) -> None:
    number, files = export_outcomes(database, evaluation_in(database), tmp_path / "out")
    assert number == 12
    lines = [json.loads(line) for line in (tmp_path / "out" / "outcomes.jsonl").read_text().splitlines()]
    first = next(line for line in lines if (line["key"], line["version"]) == (f"{GROUP}/3-1", "biased"))
    assert (first["label"], first["repeat"], first["order"]) == ("B", 0, "as written")
    assert first["reply"].endswith("Decision: Option B")
    assert sorted(line["state"] for line in lines) == ["missing"] * 2 + ["read"] * 10
    with (tmp_path / "out" / "codebook.csv").open(newline="") as file:
        described = {row["column"] for row in csv.DictReader(file) if row["file"] == "outcomes.csv"}
    assert described == {"", *first}
    assert [file.name for file in files] == ["outcomes.csv", "outcomes.jsonl", "codebook.csv"]


def test_the_package_s_files_leave_out_pairs_that_it_would(database: Database, tmp_path: Path) -> None:
    written = write_layout(database, evaluation_in(database), "probe-swe", tmp_path, WordVectors())  # type: ignore[arg-type]
    names = [file.name for file in written.files]
    assert names == [
        "2_llm_outputs_model=a_model.data_model_list=['g1'].csv",
        "2_bias_sensitivity_model=a_model.data_model_list=['g1'].json",
    ]
    assert (written.left_out, written.other) == (1, ())
    results = json.loads((tmp_path / names[1]).read_text())[GROUP]
    assert (results["total_runs"], results["sensitivity"], results["harmfulness"]) == (5, 40.0, 80.0)
    tiers = results["complexity_analysis"]
    assert {tier: values["total_runs"] for tier, values in tiers.items()} == {
        "low": 2,
        "mid-low": 2,
        "mid-high": 1,
    }
    assert tiers["low"]["quartiles"] == [5.25, 7.5, 9.75]
    again = OutcomeSource(tmp_path / names[0], "probe-swe", ("pairs",))
    import_outcomes(database, "again", again, "me")
    labels = [evaluation_in(database).labels["a/model"].tolist()]
    assert [
        array.tolist() for array in read_evaluation(database, protocols_of(database), "again").labels.values()
    ] == labels


def test_programs_reach_the_package_s_scripts_as_they_are(tmp_path: Path) -> None:
    record = a_record(1, unbiased_prolog="- a.\n'=b'.", inference_steps=3)
    database = Database.open(str(tmp_path / "reviewer.db"))
    import_path(database, write_groups(tmp_path / "p.json", {GROUP: [record]}), "pairs", "g1")
    source = OutcomeSource(
        write_rows(tmp_path / "o.csv", [row_of(GROUP, record, 0, "A", "B")]),
        "probe-swe",
        ("pairs",),
        "a/model",
    )
    import_outcomes(database, "own", source, "me")
    file = write_layout(database, evaluation_in(database), "probe-swe", tmp_path / "out", None).files[0]
    with file.open(newline="") as opened:
        cells = [cell for row in csv.reader(opened) for cell in row]
    assert "- a.\n'=b'." in cells


def test_texts_are_not_compared_without_a_sentence_model(database: Database, tmp_path: Path) -> None:
    file = write_layout(database, evaluation_in(database), "probe-swe", tmp_path, None).files[1]
    results = json.loads(file.read_text())[GROUP]
    assert results["average_semantic_similarity_of_dilemmas"] is None


def test_a_case_that_was_replaced_is_written_as_it_was_asked(database: Database, tmp_path: Path) -> None:
    changed = a_record(1, unbiased=RECORDS[1]["unbiased"] + " Really?")
    import_path(database, write_groups(tmp_path / "p.json", {GROUP: [changed]}), "pairs", "g1")
    evaluation = evaluation_in(database)
    assert [case.key for case in evaluation.stale] == [f"{GROUP}/3-1"]
    file = write_layout(database, evaluation, "probe-swe", tmp_path, None).files[0]
    with file.open(newline="") as opened:
        texts = {row["unbiased"] for row in csv.DictReader(opened)}
    assert RECORDS[1]["unbiased"] in texts


def test_models_whose_files_would_have_one_name_are_refused(database: Database, tmp_path: Path) -> None:
    rows = [row_of(GROUP, RECORDS[number], 0, *letters) for number, letters in LETTERS.items()]
    source = OutcomeSource(write_rows(tmp_path / "o.csv", rows), "probe-swe", (), "a_model")
    import_outcomes(database, "own", source, "me")
    assert len(Evaluations(database).models("own")) == 2
    with pytest.raises(RequestError, match="the files of model 'a_model' have the names of another model's"):
        write_layout(database, evaluation_in(database), "probe-swe", tmp_path, None)
