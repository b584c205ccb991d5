"""Exporting a study: raw labels, results, and everything needed to compute the results again.

The codebook has the type and meaning of every column of every exported table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from reviewer import __version__
from reviewer.core.json_parts import json_parts
from reviewer.core.question import Question
from reviewer.core.repeatable import Repeatable
from reviewer.core.table import LongTable, Table
from reviewer.core.whole_files import write_texts
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.labels.answer_origins import drawn_outcomes, origins_of
from reviewer.results.labels.answer_shares import GROUP, MODEL, answer_shares
from reviewer.results.labels.dataset_results import dataset_results
from reviewer.results.labels.dimensions import PAIR
from reviewer.results.labels.divided_items import Answers, answers_of
from reviewer.results.labels.final_labels import FinalLabel, LabelRule, final_labels_one_by_one
from reviewer.results.labels.known_answer_accuracy import known_answer_accuracy
from reviewer.results.labels.label_spread import label_agreement, label_spreads
from reviewer.results.labels.output_quality import ranked_outputs
from reviewer.results.labels.pass_rate_differences import pass_rate_differences
from reviewer.results.labels.rater_results import both_ways_of, rater_results
from reviewer.results.labels.second_verdicts import second_verdicts
from reviewer.results.labels.stopping import claims
from reviewer.results.tables.agreement_tables import (
    agreement_spec,
    both_ways_spec,
    in_long_form,
    long_agreement_spec,
    pass_rates_spec,
)
from reviewer.results.tables.answer_tables import DRAWN_OUTCOMES, answer_shares_spec
from reviewer.results.tables.comparison_tables import CLAIMS, differences_spec
from reviewer.results.tables.final_label_tables import final_labels_spec
from reviewer.results.tables.judge_tables import JUDGE_REPLIES, JUDGE_VOTES, votes_by_case
from reviewer.results.tables.label_spread_tables import LABEL_SPREADS, RANKED_OUTPUTS, label_agreement_spec
from reviewer.results.tables.label_tables import NOTES, items_spec, labels_spec, study_items
from reviewer.results.tables.place_columns import with_weights
from reviewer.results.tables.rater_tables import KNOWN_ANSWERS, raters_spec
from reviewer.results.tables.second_verdict_tables import second_verdicts_spec
from reviewer.study.adjudication.decisions import Decisions
from reviewer.study.design.inclusion import inclusion_of, weighted_strata
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.verdicts import notes_of
from store.records import JsonValue, Record

GUARDED = (
    "safe for spreadsheets: an apostrophe is put before a text, or before a part after a semicolon, a tab or "
    "a line end, that a spreadsheet would read as a formula; control characters are replaced by visible signs"
)
"""What is true of all CSV files."""

_NAMED = "the column guarded, at the end, lists as JSON the columns of the row in which this was done"


def codebook(tables: Mapping[str, LongTable], questions: Iterable[Question] = ()) -> Table:
    """One row for each file and for each of its columns: file, column (empty: the file), type, meaning.

    Questions that are answered by anything else than one label have a row each, with the way to read answers.
    """
    rows: list[tuple[str, ...]] = []
    for name, table in tables.items():
        rows.append((name, "", "file", _form_of(name)))
        rows += [(name, field.name, field.type, field.meaning) for field in table.fields]
    rows += [
        ("", f"answers to {question.key}", "string", question.answer_kind.exported_as)
        for question in questions
        if question.answer_kind.exported_as
    ]
    return Table.of(("file", "column", "type", "meaning"), rows)


def table_files(
    tables: Mapping[str, LongTable], questions: Iterable[Question] = ()
) -> dict[str, str | bytes | Iterator[str]]:
    """The content of files by name: each table as CSV and in its exact form, and the codebook of all."""
    by_line = {exact_form(name): table for name, table in tables.items()}
    return {
        **{name: table.csv_lines() for name, table in tables.items()},
        **{name: table.json_lines() for name, table in by_line.items()},
        "codebook.csv": codebook({**tables, **by_line}, questions).to_csv(),
    }


def exact_form(file: str) -> str:
    """The file that holds a CSV file's table exactly."""
    return f"{file.removesuffix('.csv')}.jsonl"


def _form_of(file: str) -> str:
    if not file.endswith(".csv"):
        return "the exact form: JSON Lines, one object for each row, with every character of the texts"
    return f"{GUARDED}; {_NAMED}; the exact form is {exact_form(file)}"


DEFAULT_BY = ("question", "generator")
BOOTSTRAP = Method(interval="bootstrap")


def export_study(
    source: StudySource,
    folder: Path,
    by: Sequence[str] = DEFAULT_BY,
    method: Method = BOOTSTRAP,
    *,
    rule: LabelRule = "majority",
) -> list[Path]:
    """Write the labels and tables as CSV and JSON Lines, their codebook and study.json.

    The same ledger and seed give the same bytes.
    """
    texts = table_files(study_tables(source, by, method, rule), source.bundle.questions)
    texts["study.json"] = _study_json(source, by, method.for_study(source.bundle), rule)
    return write_texts(folder, texts)


def _entry(bundle: StudyBundle) -> Callable[[Question, str], str] | None:
    """Gives the entry of a list that a question is about; None if the study asks about no entries."""
    return bundle.entry_text if any(question.entry for question in bundle.questions) else None


def study_tables(
    source: StudySource,
    by: Sequence[str],
    method: Method,
    rule: LabelRule = "majority",
) -> dict[str, LongTable]:
    """Every table of a study by the name of its file."""
    bundle, rows = source.bundle, source.rows
    answers = answers_of(bundle, rows)
    results = [*study_results(bundle, answers, by, method), *dataset_results(bundle, answers, by, method)]
    notes = [(note, bundle.places[note.slot.case]) for note in notes_of(source.notes_and_decisions)]
    raters = rater_results(bundle, rows, answers=answers)
    decisions = Decisions(bundle, source.notes_and_decisions)
    finals = Repeatable(lambda: final_labels_one_by_one(bundle, decisions, rows, rule))
    asked = [question for question in bundle.questions if bundle.slots(question)]
    items = items_spec(asked, dict.fromkeys(name for case in source.cases for name in case.payload))
    # Answers of models have weights too.
    strata = inclusion_of(bundle).strata if bundle.design.answers else weighted_strata(bundle)
    tables: dict[str, LongTable] = {
        "labels.csv": with_weights(
            labels_spec(bundle.excluded, bundle.design, _entry(bundle)), strata, lambda row: row.place.case
        ).for_files(source.everybody),
        "notes.csv": NOTES.for_programs(notes),
        "final_labels.csv": with_weights(
            final_labels_spec(asked, soft=bundle.design.confidence, entry=_entry(bundle)),
            strata,
            lambda final: final.place.case,
        ).for_files(finals),
        "items.csv": with_weights(items, strata, lambda item: item.case.digest).for_files(
            Repeatable(lambda: study_items(bundle.sample, source.cases, finals))
        ),
        "agreement.csv": agreement_spec(by, results).for_programs(results),
        "agreement_long.csv": long_agreement_spec(by, results).for_programs([*in_long_form(results)]),
        "pass_rates.csv": pass_rates_spec(by, results).for_programs(results),
        "raters.csv": raters_spec((), raters).for_programs(raters),
        **_stop_rule(bundle, finals),
    }
    tables |= _of_answers(source, finals, method.level)
    tables |= _of_kinds(bundle, answers, method)
    if compared := both_ways_of(bundle, answers, source.everybody, by, method):
        tables["both_ways.csv"] = both_ways_spec(by, compared).for_programs(compared)
    if second := second_verdicts(bundle, rows, method.level):
        tables["second_looks.csv"] = second_verdicts_spec(second).for_programs(second)
    if known := known_answer_accuracy(bundle, rows, method.level):
        tables["quality.csv"] = KNOWN_ANSWERS.for_programs(known)
    if by and PAIR not in by:
        differences = pass_rate_differences(results, by, method.level)
        tables["differences.csv"] = differences_spec(by, differences).for_programs(differences)
    return tables | _judge_tables(source)


def _judge_tables(source: StudySource) -> dict[str, LongTable]:
    """The votes of judges about the cases of the study, and all their replies, also beyond it."""
    if not source.judges:
        return {}
    strata, items = weighted_strata(source.bundle), [*votes_by_case(source.judges, source.bundle.sample)]
    votes = with_weights(JUDGE_VOTES, strata, lambda item: item.place.case)
    return {
        "judge_votes.csv": votes.for_programs(items),
        "judge_labels.csv": JUDGE_REPLIES.for_files(source.judge_replies),
    }


def _of_kinds(bundle: StudyBundle, answers: Answers, method: Method) -> dict[str, LongTable]:
    """Tables that only some kinds of questions have."""
    tables: dict[str, LongTable] = {}
    if any(question.counts_labels for question in bundle.questions):
        tables["label_counts.csv"] = LABEL_SPREADS.for_programs(label_spreads(bundle, answers))
    if ranked := ranked_outputs(bundle, answers, method):
        tables["outputs.csv"] = RANKED_OUTPUTS.for_programs(ranked)
    if agreement := label_agreement(bundle, answers, method):
        tables["label_agreement.csv"] = label_agreement_spec(agreement).for_programs(agreement)
    return tables


def _of_answers(source: StudySource, finals: Iterable[FinalLabel], level: float) -> dict[str, LongTable]:
    """In a study of answers: where each answer comes from, and the shares of the run."""
    if not source.answers:
        return {}
    bundle = source.bundle
    drawn, origins = [*drawn_outcomes(bundle, source.answers)], origins_of(bundle, source.answers)
    shares = answer_shares(bundle, finals, origins, (MODEL, GROUP), level)
    return {
        "answers.csv": DRAWN_OUTCOMES.for_programs(drawn),
        "answer_shares.csv": answer_shares_spec((MODEL, GROUP)).for_programs(shares),
    }


def _stop_rule(bundle: StudyBundle, finals: Iterable[FinalLabel]) -> dict[str, LongTable]:
    """The table of a study with a stop rule."""
    made = claims(bundle, (), finals)
    return {"stop_rule.csv": CLAIMS.for_programs(made)} if made else {}


def _study_json(source: StudySource, by: Sequence[str], method: Method, rule: LabelRule) -> Iterator[str]:
    """How the tables were made, the frozen study, its cases with measurements, and the whole ledger."""
    bundle = source.bundle
    whole: dict[str, JsonValue | Iterator[JsonValue]] = {
        "format": "dilemma-reviewer study 1.0",
        "release": __version__,
        "tables": {"by": list(by), **_chosen(method), "rule": rule},
        "study": bundle.study.model_dump(mode="json"),
        "sample": _plain(bundle.sample),
        "known_answers": _plain(bundle.known.values()),
        "stale": sorted(bundle.stale),
        "raters": _plain((*bundle.raters, *bundle.adjudicators)),
        "acts": _plain(bundle.acts),
        "cases": _plain(source.cases),
        "measurements": _plain(source.measurements),
        "events": _plain(source.events),
    }
    return json_parts(whole)


def _chosen(method: Method) -> dict[str, JsonValue]:
    """The method. Without a choice of the lead nothing is said of one, as in exports of 1.0."""
    return {name: value for name, value in asdict(method).items() if value or name != "first"}


def _plain(records: Iterable[Record]) -> Iterator[JsonValue]:
    return (record.model_dump(mode="json") for record in records)
