"""Commands that turn labels into results: ``labels`` and ``export``."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from reviewer.cli.printing import NO_SEAL, note, print_rows
from reviewer.cli.store_access import open_store
from reviewer.cli.viewed_study import check_answered, note_unfinished, study_with_events
from reviewer.cli.viewer import check_influence, check_opinions, check_results, viewer
from reviewer.core.errors import RequestError
from reviewer.core.question import distances_in_words
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.core.whole_files import write_texts
from reviewer.exchange.exports.span_files import SPAN_TOOLS, span_files
from reviewer.exchange.exports.study_export import DEFAULT_BY, export_study
from reviewer.exchange.exports.study_source import open_study_source
from reviewer.exchange.sheets.sheet_writer import export_notes, validation_files
from reviewer.options.results import ExportOptions, LabelsOptions
from reviewer.options.shared import Format
from reviewer.results.labels.final_labels import (
    FinalLabel,
    FinalStatus,
    OwnLabel,
    check_label_rule,
    final_counts,
    final_labels,
    own_labels,
)
from reviewer.results.tables.final_label_tables import final_counts_spec, final_labels_spec, own_labels_spec
from reviewer.study.design.closing import late_in_words
from reviewer.study.design.left_out_raters import excluded_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import left_out_in_words, read_study
from reviewer.study.session.blinding import Influence, why_not_judges
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.evaluations import Evaluations
from store.records import Event


def labels_command(options: LabelsOptions) -> None:
    """``reviewer labels``: the final label of every case and question."""
    if options.differences and options.rater is None:
        raise RequestError("--differences compares one rater with the final labels; name one with --rater.")
    if options.dawid_skene and (options.counts or options.rater is not None):
        raise RequestError("--dawid-skene is about all final labels; leave --counts and --rater out.")
    if options.counts and options.rater is not None:
        raise RequestError("--counts is about all final labels; leave --rater out.")
    bundle, events = study_with_events(options.store, options.name)
    check_label_rule(bundle, options.rule)
    finals = final_labels(bundle, events, options.rule)
    if options.counts:
        totals = final_counts(finals)
        spec = final_counts_spec(totals)
        print_rows(spec, totals, options.form)
        note(spec.legend(totals))
    elif options.rater is None:
        _print_finals(bundle, events, finals, options)
    else:
        if act := bundle.excluded.get(options.rater):
            raise RequestError(
                f"{options.rater!r} is left out of study {options.name!r} since {act.at[:10]}; "
                "nothing of them counts."
            )
        _print_own(
            own_labels(bundle, events, options.rater, options.rule),
            options.name,
            options.rater,
            options.form,
            differences=options.differences,
        )
    for sentence in [
        *_remarks(bundle, finals),
        *late_in_words(bundle, events),
        *left_out_in_words(bundle),
        *excluded_in_words(bundle),
    ]:
        note(sentence)
    note_unfinished(options.store, options.name)


def _print_finals(
    bundle: StudyBundle, events: Sequence[Event], finals: Sequence[FinalLabel], options: LabelsOptions
) -> None:
    """Every final label, with those of the model if it is asked for."""
    questions, soft = {final.question for final in finals}, bundle.design.confidence
    entry = bundle.entry_text if any(question.entry for question in questions) else None
    if not options.dawid_skene:
        print_rows(final_labels_spec(questions, soft=soft, entry=entry), finals, options.form)
        return
    from reviewer.results.labels.agreement_results import Method  # numpy takes a moment to load
    from reviewer.results.labels.label_models import MODEL_IN_WORDS, modelled_labels

    model = modelled_labels(bundle, label_rows(bundle, events), Method(interval="none"))
    spec = final_labels_spec(questions, soft=soft, modelled=model.labels, entry=entry)
    print_rows(spec, finals, options.form)
    note(MODEL_IN_WORDS, *model.remarks)


def _print_own(own: Sequence[OwnLabel], study: str, rater: str, form: Format, *, differences: bool) -> None:
    if not own:
        raise RequestError(f"{rater!r} has labelled nothing in {study!r}; see `reviewer progress {study}`.")
    shown = [label for label in own if label.differs or not differences]
    print_rows(own_labels_spec(shown), shown, form)
    apart = distances_in_words(label.steps for label in own)
    far = f": {apart}" if apart else ""
    note(f"{rater} differs from the final label on {sum(e.differs for e in own)} of {len(own)}{far}.")


def _remarks(bundle: StudyBundle, finals: list[FinalLabel]) -> list[str]:
    """What the statuses count to, the rule, and all that a reader could mistake."""
    statuses = [final.status for final in finals]
    counts = {
        status: statuses.count(status)
        for status in FinalStatus
        if status is not FinalStatus.MEDIAN or status in statuses
    }
    rules: dict[str, list[str]] = {}
    for final in finals:
        rules.setdefault(final.rule_in_words, []).append(final.question.title)
    of = {
        rule: f" for {', '.join(dict.fromkeys(titles))}" * (len(rules) > 1) for rule, titles in rules.items()
    }
    told = " ".join(f"Rule{whose}: {rule}." for rule, whose in of.items())
    outdated = sum(len(final.item_votes.outdated) for final in finals)
    stale, changed = sum(final.stale for final in finals), sum(final.votes_changed for final in finals)
    sentences = {
        ", ".join(f"{count} {status}" for status, count in counts.items()) + f". {told}": 1,
        "The study is not closed; these labels may still change.": bundle.study.closed_at is None,
        f"{counted(outdated, 'label')} given to an earlier wording and not counted.": outdated,
        f"{counted(stale, 'item')} stale: the dataset has other content now. The votes still count.": stale,
        f"* {changed} {agreeing(changed, 'was', 'were')} decided before votes changed; look again.": changed,
    }
    return [sentence for sentence, holds in sentences.items() if holds]


def _check_sheets(
    database: Database, bundle: StudyBundle, events: Sequence[Event], options: ExportOptions
) -> None:
    """Raise RequestError for sheets with answers or explanations that this person may not see yet."""
    named = {*(options.raters or (rater.rater for rater in bundle.raters))}
    if named & {event.rater for event in events} - {viewer(database)}:
        check_results(database, options.name)
    for dataset in bundle.design.datasets if options.with_explanations else ():
        check_influence(database, dataset, Influence.PUBLISHED)


def export_command(options: ExportOptions) -> None:
    """``reviewer export``: a study written out as tables, as sheets for raters, or as spans for a tool."""
    target = options.folder or Path("exports") / options.name
    bundle = (_export_sheets if options.kind == "validation-csv" else _export_results)(options, target)
    note(*left_out_in_words(bundle))
    if options.kind == "study":
        note(NO_SEAL)


def _export_sheets(options: ExportOptions, target: Path) -> StudyBundle:
    database = open_store(options.store)
    bundle, events = read_study(database, options.name)
    _check_sheets(database, bundle, events, options)
    files = validation_files(bundle, events, options.raters, with_explanations=options.with_explanations)
    _list_paths(write_texts(target, files))
    note(*(f"Note: {sentence}" for sentence in export_notes(bundle, events, options.raters)))
    return bundle


def _export_results(options: ExportOptions, target: Path) -> StudyBundle:
    database = open_store(options.store)
    check_results(database, options.name)
    check_opinions(database, options.name)
    with open_study_source(database, options.name, viewer(database)) as source:
        bundle = source.bundle
        check_answered(options.name, any(True for _ in source.events))
        check_label_rule(bundle, options.rule)
        if options.kind in SPAN_TOOLS:
            _list_paths(write_texts(target, span_files(source, options.kind)))
            return bundle
        by = DEFAULT_BY if options.by is None else options.by
        _list_paths(export_study(source, target, by, rule=options.rule))
    if not source.judges and Evaluations(database).judgings(options.name):
        note(f"Verdicts of judges are left out. {why_not_judges(progress_of(database, options.name))}")
    return bundle


def _list_paths(paths: Iterable[Path]) -> None:
    for path in paths:
        click.echo(visible(str(path)))
