"""``reviewer agreement``: from the ledger to numbers."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from reviewer.cli.result_options import (
    DEFAULT_BY,
    Printed,
    print_tables,
)
from reviewer.cli.study_events import labels_of_study, note_unfinished, pooled_with_events
from reviewer.core.errors import RequestError
from reviewer.core.number_text import percent
from reviewer.core.table_spec import RowType, TableSpec
from reviewer.options.agreement import AgreementOptions, AgreementTable
from reviewer.report.agreement_remarks import (
    PASSING_IN_WORDS,
    intervals_in_words,
    legend,
    remarks,
    stale_count_in_words,
    stale_in_words,
    undecided_remarks,
)
from reviewer.report.agreement_text import agreement_tables
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.labels.both_ways import both_ways
from reviewer.results.labels.cells import StudyLabels
from reviewer.results.labels.known_answer_accuracy import known_answer_accuracy
from reviewer.results.labels.label_spread import label_agreement, label_spreads
from reviewer.results.labels.label_stream import ReadLabels
from reviewer.results.labels.pass_rate_differences import pass_rate_differences
from reviewer.results.labels.rater_results import rater_results
from reviewer.results.labels.sample_size import planned
from reviewer.results.labels.second_verdicts import second_verdicts
from reviewer.results.tables.agreement_tables import (
    agreement_in_terminal,
    agreement_spec,
    both_ways_spec,
    by_scale,
    pass_rates_spec,
)
from reviewer.results.tables.comparison_tables import differences_spec, plans_spec
from reviewer.results.tables.label_spread_tables import (
    LABEL_HISTOGRAMS,
    LABEL_SPREADS,
    label_agreement_spec,
)
from reviewer.results.tables.rater_tables import KNOWN_ANSWERS, raters_spec
from reviewer.results.tables.second_verdict_tables import second_verdicts_spec
from reviewer.study.design.closing import late_counts_in_words, late_in_words
from reviewer.study.design.left_out_raters import excluded_in_words
from reviewer.study.design.pooled_studies import overlap_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.label_rows import LabelRow, label_rows
from store.records import Event


def agreement_command(options: AgreementOptions) -> None:
    """Carry out ``reviewer agreement``."""
    method = Method(
        options.coefficients,
        options.interval,
        options.level,
        options.seed,
        options.resamples,
        options.weights,
        options.unweighted,
    )
    if not options.others and options.shown in _OF_LABELS:
        printed = _from_labels(
            labels_of_study(options.store, options.name),
            options.shown,
            options.by,
            method,
            options.digits,
            options.plan_width,
        )
    else:
        read = pooled_with_events(options.store, options.name, options.others)
        printed = _from_events(*read, options.shown, options.by, method, options.digits, options.plan_width)
    print_tables(options.form, printed, options.name)
    for study in (options.name, *options.others):
        note_unfinished(options.store, study)


def _from_labels(
    read: ReadLabels,
    shown: AgreementTable,
    by: tuple[str, ...] | None,
    method: Method,
    digits: int,
    plan_width: float | None,
) -> Printed:
    """A table that follows from the labels alone, so that no event is held."""
    if plan_width is None:
        printed = _OF_LABELS[shown](read.bundle, read.answers, by, method, digits)
    else:
        printed = _plans(read.bundle, read.answers, by, method, digits, plan_width)
    late = late_counts_in_words(read.late)
    return _with_remarks(printed, stale_count_in_words(read.stale), _kept_apart(read.bundle, late))


def _from_events(
    bundle: StudyBundle,
    events: Sequence[Event],
    shown: AgreementTable,
    by: tuple[str, ...] | None,
    method: Method,
    digits: int,
    plan_width: float | None,
) -> Printed:
    """Any table, also of pooled studies."""
    rows = label_rows(bundle, events)
    if shown == "both-ways":
        printed = _both_ways(bundle, events, by, method, digits)
    elif plan_width is not None:
        printed = _plans(bundle, rows, by, method, digits, plan_width)
    elif shown in _OF_LABELS:
        printed = _OF_LABELS[shown](bundle, rows, by, method, digits)
    else:
        makers = {"raters": _raters, "second-looks": second_looks_shown, "quality": quality_shown}
        printed = makers[shown](bundle, rows, by, method, digits)
    return _with_remarks(printed, stale_in_words(rows), _kept_apart(bundle, late_in_words(bundle, events)))


def _with_remarks(printed: Printed, *remarks: Sequence[str]) -> Printed:
    return replace(printed, remarks=[*printed.remarks, *chain.from_iterable(remarks)])


def _kept_apart(bundle: StudyBundle, late: Sequence[str]) -> list[str]:
    """Sentences on the events that count in no number; ``late`` are those on late ones."""
    pooled = [overlap_in_words(bundle)] if bundle.parts else []
    left_out = [*left_out_in_words(bundle), *excluded_in_words(bundle)]
    return [*pooled, *late, *left_out]


def _agreement(
    bundle: StudyBundle, labels: StudyLabels, by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    by = DEFAULT_BY if by is None else by
    results = study_results(bundle, labels, by, method)
    words, spec = intervals_in_words(results), agreement_spec(by, results)
    narrow = legend(agreement_in_terminal(by, results), results, narrow=True)
    intervals = [words] if words else []
    page, *more = (agreement_spec(by, part).for_people(part, digits) for part in by_scale(results))
    return Printed(
        spec.for_programs(results),
        page,
        agreement_tables(results, by, digits),
        [legend(spec, results), *intervals],
        f"Agreement by {_in_words(by)}",
        remarks(results, by, digits),
        spec.keys,
        [narrow, *intervals],
        more,
    )


def _both_ways(
    bundle: StudyBundle, events: Sequence[Event], by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """Results with and without the raters who are left out; raises RequestError where nobody is."""
    by = ("question",) if by is None else by
    results = both_ways(bundle, events, by, method)
    if not results:
        raise RequestError(
            f"no rater of study {bundle.study.name!r} is left out; see `reviewer study exclude --help`."
        )
    return _printed(both_ways_spec(by, results), results, "Without and with the raters left out", digits)


def _printed(
    spec: TableSpec[RowType], rows: Sequence[RowType], caption: str, digits: int, notes: Sequence[str] = ()
) -> Printed:
    """A declared table as it is, with ``notes`` behind its legend."""
    table = spec.for_people(rows, digits)
    remarks = [note for note in (spec.legend(rows), *notes) if note]
    return Printed(spec.for_programs(rows), table, [table], remarks, caption, keys=spec.keys)


def _pass_rates(
    bundle: StudyBundle, labels: StudyLabels, by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    by = DEFAULT_BY if by is None else by
    results = study_results(bundle, labels, by, method)
    notes = [PASSING_IN_WORDS, *undecided_remarks(results, by)]
    return _printed(pass_rates_spec(by), results, f"Pass rates by {_in_words(by)}", digits, notes)


def _differences(
    bundle: StudyBundle, labels: StudyLabels, by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    by = DEFAULT_BY if by is None else by
    results = study_results(bundle, labels, by, Method(("po_all_agree",), "analytic", method.level))
    differences = pass_rate_differences(results, by, method.level)
    if not differences:
        raise RequestError(f"there is nothing to compare: every case has the same {by[-1]}.")
    notes = [
        f"Newcombe's interval at {percent(method.level, None)}, pooled z, two-sided p; Holm: p corrected "
        "for the tests of the same rate in this table."
    ]
    if any(difference.dependent for difference in differences):
        notes.append(
            "The interval and the test assume independent items. Here several items are about the same case, "
            "so treat the results as approximate."
        )
    caption = f"Differences of pass rates by {_in_words(by)}"
    return _printed(differences_spec(by), differences, caption, digits, notes)


def _raters(
    bundle: StudyBundle, rows: Sequence[LabelRow], by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    by = by or ()
    rater_rows = rater_results(bundle, rows, by, method)
    return _printed(raters_spec(by, rater_rows), rater_rows, "Raters", digits)


def _plans(
    bundle: StudyBundle,
    labels: StudyLabels,
    by: tuple[str, ...] | None,
    method: Method,
    digits: int,
    half_width: float,
) -> Printed:
    by = () if by is None else by
    if method.interval == "none":
        raise RequestError("a plan needs intervals; take --interval bootstrap or analytic.")
    plans = planned(study_results(bundle, labels, by, method), half_width, method.level)
    notes = [
        f"needed: cases like these for a half-width of {half_width:g} at {percent(method.level, None)}; "
        "more: beyond those of the study."
    ]
    return _printed(plans_spec(by), plans, "Cases needed", digits, notes)


def labels_shown(
    bundle: StudyBundle, labels: StudyLabels, by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """Labels by question and group; raises RequestError where all answers are texts."""
    _check_undivided(by)
    spreads = label_spreads(bundle, labels)
    if not spreads:
        raise RequestError(
            f"study {bundle.study.name!r} asks for texts only, so there are no labels to count."
        )
    printed = _printed(LABEL_SPREADS, spreads, "Labels by question and group", digits)
    notes = [LABEL_HISTOGRAMS.legend(spreads)]
    return replace(printed, terminal=[LABEL_HISTOGRAMS.for_people(spreads, digits)], terminal_notes=notes)


def by_label_shown(
    bundle: StudyBundle, labels: StudyLabels, by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """Agreement on each label; raises RequestError where no question takes several."""
    _check_undivided(by)
    agreement = label_agreement(bundle, labels, method)
    if not agreement:
        raise RequestError(
            f"no question of study {bundle.study.name!r} takes several labels; leave --by-label out."
        )
    return _printed(label_agreement_spec(agreement), agreement, "Agreement on each label", digits)


def second_looks_shown(
    bundle: StudyBundle, rows: Sequence[LabelRow], by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """First against second verdicts; raises RequestError where there are none."""
    _check_undivided(by)
    changes = second_verdicts(bundle, rows, method.level)
    if not changes:
        raise RequestError(f"in study {bundle.study.name!r} nobody has seen yet what an answer reveals.")
    return _printed(second_verdicts_spec(changes), changes, "First and second verdicts", digits)


def quality_shown(
    bundle: StudyBundle, rows: Sequence[LabelRow], by: tuple[str, ...] | None, method: Method, digits: int
) -> Printed:
    """Answers where they are known; raises RequestError where none is."""
    _check_undivided(by)
    accuracies = known_answer_accuracy(bundle, rows, method.level)
    if not accuracies:
        raise RequestError(
            f"study {bundle.study.name!r} has no known answers; give them with "
            "`reviewer study new --gold FILE` or --training."
        )
    return _printed(KNOWN_ANSWERS, accuracies, "Answers where they are known", digits)


def _check_undivided(by: tuple[str, ...] | None) -> None:
    if by:
        raise RequestError("this table has rows of its own and cannot be divided; leave --by out.")


def _in_words(by: Sequence[str]) -> str:
    return " and ".join(by) or "nothing"


_OF_LABELS = {
    "agreement": _agreement,
    "pass-rates": _pass_rates,
    "differences": _differences,
    "labels": labels_shown,
    "by-label": by_label_shown,
}
"""The tables that follow from the labels alone."""
