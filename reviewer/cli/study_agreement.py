"""Agreement of a study, from its ledger to tables."""

from collections.abc import Callable, Sequence

from reviewer.cli.agreement_printing import agreement_printed, with_remarks
from reviewer.cli.printing import Printed, print_tables
from reviewer.cli.viewed_study import labels_of_study, note_unfinished, note_waiting, pooled_with_events
from reviewer.options.results import AgreementOptions
from reviewer.report.agreement_text import stale_count_in_words, stale_in_words
from reviewer.report.report_choices import BY
from reviewer.results.labels.agreement_results import study_results
from reviewer.results.labels.dataset_results import dataset_results
from reviewer.results.labels.divided_items import StudyLabels
from reviewer.results.labels.label_stream import ReadLabels
from reviewer.study.design.closing import late_counts_in_words, late_in_words
from reviewer.study.design.left_out_raters import excluded_in_words
from reviewer.study.design.pooled_studies import overlap_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.label_rows import label_rows
from store.records import Event

_NEEDS_EVENTS = ("raters", "second-looks", "quality", "both-ways")
"""The tables that do not follow from the labels alone."""


def print_study_agreement(options: AgreementOptions, name: str) -> None:
    """Print the table that was asked for of a study, from its ledger."""
    if options.others or options.shown in _NEEDS_EVENTS:
        printed = _from_events(*pooled_with_events(options.store, name, options.others), options)
        print_tables(options.form, printed, name)
        for study in (name, *options.others):
            note_unfinished(options.store, study)
    else:
        read, progress = labels_of_study(options.store, name)
        print_tables(options.form, _from_labels(read, options), name)
        note_waiting(progress)


def _from_labels(read: ReadLabels, options: AgreementOptions) -> Printed:
    """A table that follows from the labels alone, so that no event is held."""
    printed = _of_labels(options)(read.bundle, read.answers, options)
    late = late_counts_in_words(read.late)
    return with_remarks(printed, stale_count_in_words(read.stale), _kept_apart(read.bundle, late))


def _from_events(bundle: StudyBundle, events: Sequence[Event], options: AgreementOptions) -> Printed:
    """Any table, also of pooled studies."""
    rows = label_rows(bundle, events)
    if options.shown == "both-ways":
        from reviewer.cli.study_agreement_tables import both_ways_printed

        printed = both_ways_printed(bundle, events, options)
    elif options.shown in _NEEDS_EVENTS and options.plan_width is None:
        from reviewer.cli.study_agreement_tables import OF_ROWS

        printed = OF_ROWS[options.shown](bundle, rows, options)
    else:
        printed = _of_labels(options)(bundle, rows, options)
    return with_remarks(printed, stale_in_words(rows), _kept_apart(bundle, late_in_words(bundle, events)))


def _of_labels(options: AgreementOptions) -> Callable[[StudyBundle, StudyLabels, AgreementOptions], Printed]:
    """What makes the table. Further tables load only where one is asked for: most calls show coefficients."""
    if options.plan_width is None and options.shown == "agreement":
        return _agreement
    from reviewer.cli.study_agreement_tables import OF_LABELS, plans

    return OF_LABELS[options.shown] if options.plan_width is None else plans


def _kept_apart(bundle: StudyBundle, late: Sequence[str]) -> list[str]:
    """Sentences on the events that count in no number, and on cases that count together.

    ``late`` are those on late events.
    """
    pooled = [overlap_in_words(bundle)] if bundle.parts else []
    same = _same_cases(bundle)
    left_out = [*left_out_in_words(bundle), *excluded_in_words(bundle)]
    return [*pooled, *same, *late, *left_out]


def _same_cases(bundle: StudyBundle) -> list[str]:
    """What intervals do where several answers are about the same case; only a study of answers has these."""
    if bundle.design.answers is None:
        return []
    from reviewer.results.labels.answer_shares import answers_of_same_cases

    return [*filter(None, [answers_of_same_cases(bundle)])]


def _agreement(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    by, method = BY if options.by is None else options.by, options.chosen_method
    sample = study_results(bundle, labels, by, method)
    weighted = dataset_results(bundle, labels, by, method, rate_intervals=False)
    return agreement_printed([*sample, *weighted], sample, by, options)
