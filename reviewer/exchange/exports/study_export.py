"""Exporting a study: raw labels, results, and everything needed to compute the results again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from reviewer import __version__
from reviewer.core.drafts import draft_of
from reviewer.core.errors import RequestError
from reviewer.core.json_parts import json_parts
from reviewer.core.repeatable import Repeatable
from reviewer.core.table import LongTable
from reviewer.exchange.exports.codebook import codebook, exact_form
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.labels.both_ways import both_ways_of
from reviewer.results.labels.cells import answers_of
from reviewer.results.labels.dimensions import PAIR
from reviewer.results.labels.final_labels import LabelRule, final_labels_one_by_one
from reviewer.results.labels.known_answer_accuracy import known_answer_accuracy
from reviewer.results.labels.label_spread import label_agreement, label_spreads
from reviewer.results.labels.pass_rate_differences import pass_rate_differences
from reviewer.results.labels.rater_results import rater_results
from reviewer.results.labels.second_verdicts import second_verdicts
from reviewer.results.tables.agreement_tables import agreement_spec, both_ways_spec, pass_rates_spec
from reviewer.results.tables.comparison_tables import differences_spec
from reviewer.results.tables.final_label_tables import final_labels_spec
from reviewer.results.tables.label_spread_tables import LABEL_SPREADS, label_agreement_spec
from reviewer.results.tables.label_tables import NOTES, labels_spec
from reviewer.results.tables.rater_tables import KNOWN_ANSWERS, raters_spec
from reviewer.results.tables.second_verdict_tables import second_verdicts_spec
from reviewer.study.adjudication.decisions import Decisions
from reviewer.study.session.notes import notes_of
from store.records import JsonValue, Record

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
    tables = study_tables(source, by, method, rule)
    by_line = {exact_form(name): table for name, table in tables.items()}
    texts: dict[str, str | Iterator[str]] = {name: table.csv_lines() for name, table in tables.items()}
    texts |= {name: table.json_lines() for name, table in by_line.items()}
    texts["codebook.csv"] = codebook({**tables, **by_line}, source.bundle.questions).to_csv()
    texts["study.json"] = _study_json(source, by, method.seeded(source.bundle.study.seed), rule)
    return write_texts(folder, texts)


def study_tables(
    source: StudySource,
    by: Sequence[str],
    method: Method,
    rule: LabelRule = "majority",
) -> dict[str, LongTable]:
    """Every table of a study by the name of its file."""
    bundle, rows = source.bundle, source.rows
    answers = answers_of(bundle, rows)
    results = study_results(bundle, answers, by, method)
    notes = [(note, bundle.places[note.slot.case]) for note in notes_of(source.notes_and_decisions)]
    raters = rater_results(bundle, rows, answers=answers)
    decisions = Decisions(bundle, source.notes_and_decisions)
    finals = Repeatable(lambda: final_labels_one_by_one(bundle, decisions, rows, rule))
    asked = [question for question in bundle.questions if bundle.slots(question)]
    tables: dict[str, LongTable] = {
        "labels.csv": labels_spec(bundle.excluded).for_files(source.everybody),
        "notes.csv": NOTES.for_programs(notes),
        "final_labels.csv": final_labels_spec(asked).for_files(finals),
        "agreement.csv": agreement_spec(by, results).for_programs(results),
        "pass_rates.csv": pass_rates_spec(by).for_programs(results),
        "raters.csv": raters_spec((), raters).for_programs(raters),
    }
    if any(question.ordinal or question.kind == "labels" for question in bundle.questions):
        tables["label_counts.csv"] = LABEL_SPREADS.for_programs(label_spreads(bundle, answers))
    if agreement := label_agreement(bundle, answers, method):
        tables["label_agreement.csv"] = label_agreement_spec(agreement).for_programs(agreement)
    if compared := both_ways_of(bundle, answers, source.everybody, by, method):
        tables["both_ways.csv"] = both_ways_spec(by, compared).for_programs(compared)
    if second := second_verdicts(bundle, rows, method.level):
        tables["second_looks.csv"] = second_verdicts_spec(second).for_programs(second)
    if known := known_answer_accuracy(bundle, rows, method.level):
        tables["quality.csv"] = KNOWN_ANSWERS.for_programs(known)
    if by and PAIR not in by:
        differences = pass_rate_differences(results, by, method.level)
        tables["differences.csv"] = differences_spec(by).for_programs(differences)
    return tables


def write_texts(folder: Path, texts: Mapping[str, str | bytes | Iterator[str]]) -> list[Path]:
    """Write files into a folder, all of them or none; raises RequestError if that fails.

    A text that comes in parts is never held whole.
    """
    drafts: dict[Path, Path] = {}
    try:
        for name, text in texts.items():
            path = folder / name
            _refuse_what_is_no_file(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            # A finished file is renamed, so that no reader finds half of it.
            drafts[path] = draft_of(path)
            drafts[path].unlink(missing_ok=True)  # it may be a link
            _write(drafts[path], text)
        return [draft.replace(path) for path, draft in drafts.items()]
    except OSError as error:
        raise RequestError(
            f"folder {str(folder)!r} cannot be written ({error.strerror}); choose another with -o."
        ) from error
    finally:
        for draft in drafts.values():
            with suppress(OSError):  # a draft that could not be written cannot be removed either
                draft.unlink(missing_ok=True)


def _write(draft: Path, text: str | bytes | Iterator[str]) -> None:
    if isinstance(text, bytes):
        draft.write_bytes(text)
        return
    # A lone surrogate is written as its escape, which JSON reads back unchanged.
    with draft.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.writelines([text] if isinstance(text, str) else text)


def _refuse_what_is_no_file(path: Path) -> None:
    """Refuse to replace anything but a regular file: it may be a device that others need."""
    if path.exists() and not path.is_file():
        raise RequestError(f"{str(path)!r} exists and is not a regular file; choose another folder with -o.")


def _study_json(source: StudySource, by: Sequence[str], method: Method, rule: LabelRule) -> Iterator[str]:
    """How the tables were made, the frozen study, its cases with measurements, and the whole ledger."""
    bundle = source.bundle
    whole: dict[str, JsonValue | Iterator[JsonValue]] = {
        "format": "dilemma-reviewer study 1.0",
        "release": __version__,
        "tables": {"by": list(by), **asdict(method), "rule": rule},
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


def _plain(records: Iterable[Record]) -> Iterator[JsonValue]:
    return (record.model_dump(mode="json") for record in records)
