"""Outcomes of models that were asked different cases, in one run: its sample has all of them."""

from pathlib import Path

import numpy as np
import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.evaluations.import_target import NOT_ASKED
from reviewer.exchange.evaluations.outcome_writing import write_layout
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.contrasts import Contrasted, contrast_table, shared_cases_in_words
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.results.outcomes.evaluation_statistics import EffectSettings, compute_evaluation
from reviewer.runs.evaluation.evaluation_progress import evaluation_progress, kept_outcomes
from store.database import Database
from store.evaluations import Evaluations
from tests.builders import GROUP, a_record, write_groups
from tests.exchange.raw_outputs import Row, row_of, write_rows
from tests.exchange.test_outcome_import import RECORDS, database, imported, kept, prepared
from tests.runs.generating import WordVectors

__all__ = ["database", "prepared"]
FIRST = [row_of(GROUP, RECORDS[1], 0, "A", "B"), row_of(GROUP, RECORDS[2], 0, "A", "A")]
SECOND = [row_of(GROUP, RECORDS[2], 0, "B", "A"), row_of(GROUP, RECORDS[3], 0, "A", "B")]


def put(database: Database, folder: Path, model: str, rows: list[Row], **given: object) -> tuple[str, ...]:
    done = imported(database, write_rows(folder / f"2_llm_outputs_model={model}.csv", rows), **given)
    assert done.added
    return done.notices


def evaluation_of(database: Database) -> Evaluation:
    return read_evaluation(database, protocols_of(database), "own")


def states(database: Database) -> dict[str, list[str]]:
    """The states of each model under the first condition, case by case."""
    return {
        model.model: [
            outcome.state
            for outcome in Evaluations(database).outcomes("own", model=model.model)
            if outcome.condition.startswith("unbiased")
        ]
        for model in Evaluations(database).models("own")
    }


def test_file_with_other_cases_extends_the_run(database: Database, tmp_path: Path) -> None:
    put(database, tmp_path, "one", FIRST)
    notices = put(database, tmp_path, "two", SECOND)
    assert states(database) == {"one": ["read", "read", "not_asked"], "two": ["not_asked", "read", "read"]}
    assert "the file has 1 case that the run did not have" in " ".join(notices)
    assert "the file has no row of 1 of 3 cases of the run; this model was not asked them" in notices
    assert {outcome.why for outcome in kept(database).values() if outcome.state == "not_asked"} == {NOT_ASKED}
    put(database, tmp_path, "three", FIRST)
    assert states(database)["three"] == ["read", "read", "not_asked"]


def test_same_file_again_changes_nothing_after_others_extended_the_run(
    database: Database, tmp_path: Path
) -> None:
    file = write_rows(tmp_path / "2_llm_outputs_model=one.csv", FIRST)
    imported(database, file)
    put(database, tmp_path, "two", SECOND)
    before = list(Evaluations(database).outcomes("own"))
    assert not imported(database, file).added
    assert list(Evaluations(database).outcomes("own")) == before


def test_file_about_another_dataset_extends_the_run(database: Database, tmp_path: Path) -> None:
    put(database, tmp_path, "one", FIRST)
    other = a_record(9)
    import_path(database, write_groups(tmp_path / "more.json", {GROUP: [other]}), "more", "g2")
    put(database, tmp_path, "two", [row_of(GROUP, other, 0, "A", "B")], datasets=("more",))
    evaluation = evaluation_of(database)
    assert evaluation.settings.datasets == ("pairs", "more")
    assert [case.dataset for case in evaluation.cases] == ["pairs", "pairs", "more"]
    with pytest.raises(RequestError, match="one and two were asked no case in common"):
        contrast_table(evaluation, Contrasted("model", "one", "two"))
    statistics = compute_evaluation(evaluation, (), (), EffectSettings())
    assert statistics.differences == ()


def test_tables_count_the_cases_that_a_model_was_asked(database: Database, tmp_path: Path) -> None:
    put(database, tmp_path, "one", FIRST)
    put(database, tmp_path, "two", [*SECOND, row_of(GROUP, RECORDS[1], 0, "A", "B")])
    table = effect_table(evaluation_of(database), by=("model",))
    assert [row.cases for row in table.rows] == [2, 3]
    assert [effect.absent for row in table.rows for effect in row.effects.values()] == [0] * 2 * len(
        table.measures
    )
    assert any(
        "The models were asked different cases, of 3 cases: one 2, two 3." in sentence
        for sentence in table.sentences
    )
    progress = evaluation_progress(["one", "two"], 6, kept_outcomes(Evaluations(database), "own"))
    counts = progress.parts[0].counts
    assert (progress.is_finished, counts["not asked"], counts["missing"]) == (True, 2, 0)
    assert progress.sentence == "12 of 12 outcomes (2 not asked)."


def test_files_of_a_model_hold_only_the_cases_that_it_was_asked(database: Database, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    other = a_record(9, inference_steps=50)
    import_path(database, write_groups(tmp_path / "more.json", {GROUP: [other]}), "more", "g2")
    rows = [row_of(GROUP, other, 0, "A", "B"), row_of(GROUP, other, 1, "A", "A")]
    put(database, tmp_path, "one", FIRST)
    alone = written_files(database, tmp_path / "alone" / "one")
    put(database, tmp_path, "two", rows[:1], datasets=("more",))
    together = written_files(database, tmp_path / "both")
    assert together.items() >= alone.items(), "another model changes nothing"
    assert set(together) - set(alone) == {
        "2_llm_outputs_model=two.data_model_list=['g2'].csv",
        "2_bias_sensitivity_model=two.data_model_list=['g2'].json",
    }
    written = write_layout(database, evaluation_of(database), "probe-swe", tmp_path / "x", WordVectors())  # type: ignore[arg-type]
    assert (written.left_out, written.not_asked) == (0, {"one": 1, "two": 2})


def written_files(database: Database, folder: Path) -> dict[str, bytes]:
    write_layout(database, evaluation_of(database), "probe-swe", folder, WordVectors())  # type: ignore[arg-type]
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_models_are_compared_by_the_cases_that_both_were_asked(database: Database, tmp_path: Path) -> None:
    put(database, tmp_path, "one", FIRST)
    put(database, tmp_path, "two", SECOND)
    evaluation = evaluation_of(database)
    (row, *_) = contrast_table(evaluation, Contrasted("model", "one", "two"))
    shared = evaluation.asked.all(axis=0)
    assert shared.tolist() == [False, True, False]
    (alone, *_) = contrast_table(evaluation, Contrasted("model", "one", "two"), among=np.array(shared))
    assert (row.estimate.n, row.estimate.value) == (1, alone.estimate.value)
    assert shared_cases_in_words(evaluation, ("one", "two")) == (
        "The models were asked different cases (one 2, two 2): two models are compared by those that both "
        "were asked; 1 of 3 cases were asked of all."
    )
