"""Exporting the outcomes of an evaluation run in long form."""

from collections.abc import Sequence
from pathlib import Path

from reviewer.exchange.exports.codebook import codebook, exact_form
from reviewer.exchange.exports.study_export import write_texts
from reviewer.protocols.role import Sampling
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.results.tables.outcome_tables import OutcomeLine, outcomes_spec
from store.database import Database
from store.evaluations import Evaluations

_FILE = "outcomes.csv"


def export_outcomes(database: Database, evaluation: Evaluation, folder: Path) -> tuple[int, Sequence[Path]]:
    """Write outcomes.csv, outcomes.jsonl and codebook.csv; the number of outcomes, and the files.

    The same outcomes give the same bytes. Raises RequestError if the folder cannot be written.
    """
    conditions = {condition.key: condition for condition in evaluation.conditions}
    sampling = Sampling(**evaluation.settings.sampling)
    lines = [
        OutcomeLine(outcome, evaluation.cases[outcome.case], conditions[outcome.condition], sampling)
        for outcome in Evaluations(database).outcomes(evaluation.run.name)
    ]
    table = outcomes_spec(evaluation.plan.factors).for_programs(lines)
    described = {_FILE: table, exact_form(_FILE): table}
    texts = {
        _FILE: table.to_csv(),
        exact_form(_FILE): table.to_jsonl(),
        "codebook.csv": codebook(described).to_csv(),
    }
    return len(lines), write_texts(folder, texts)
