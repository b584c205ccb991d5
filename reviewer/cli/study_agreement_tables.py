"""The further tables of a study's agreement: what they need does not load for its coefficients."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from reviewer.cli.agreement_printing import dimensions_in_words
from reviewer.cli.printing import Printed, declared_tables
from reviewer.core.errors import RequestError
from reviewer.core.number_text import percent
from reviewer.options.results import AgreementOptions
from reviewer.report.agreement_text import WEIGHTED_IN_WORDS, passing_in_words, undecided_remarks
from reviewer.report.report_choices import BY
from reviewer.report.undefined_reasons import undefined_in_words
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.labels.coefficient_choice import DIFFERENT_LABELS
from reviewer.results.labels.dataset_results import dataset_results
from reviewer.results.labels.divided_items import StudyLabels
from reviewer.results.labels.known_answer_accuracy import known_answer_accuracy
from reviewer.results.labels.label_models import MODEL_IN_WORDS, modelled_labels
from reviewer.results.labels.label_spread import label_agreement, label_spreads
from reviewer.results.labels.output_quality import ranked_outputs
from reviewer.results.labels.pass_rate_differences import PassRateDifference, pass_rate_differences
from reviewer.results.labels.rater_results import both_ways, rater_results, raters_of_study
from reviewer.results.labels.sample_size import planned
from reviewer.results.labels.second_verdicts import second_verdicts
from reviewer.results.tables.agreement_tables import both_ways_spec, pass_rates_spec
from reviewer.results.tables.comparison_tables import differences_spec, plans_spec
from reviewer.results.tables.label_spread_tables import (
    LABEL_HISTOGRAMS,
    LABEL_SPREADS,
    RANKED_OUTPUTS,
    SCORES_IN_WORDS,
    label_agreement_spec,
)
from reviewer.results.tables.rater_tables import KNOWN_ANSWERS, RATER_ABILITIES, raters_by, raters_spec
from reviewer.results.tables.second_verdict_tables import second_verdicts_spec
from reviewer.study.design.design_facts import invalid_rates_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow
from store.records import Event


def _pass_rates(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    by, method = BY if options.by is None else options.by, options.chosen_method
    results = [*study_results(bundle, labels, by, method), *dataset_results(bundle, labels, by, method)]
    notes = [
        *invalid_rates_in_words(bundle),
        passing_in_words(bundle),
        *undecided_remarks(results, by),
    ]
    return declared_tables(
        pass_rates_spec(by, results), results, f"Pass rates by {dimensions_in_words(by)}", options, notes
    )


def both_ways_printed(bundle: StudyBundle, events: Sequence[Event], options: AgreementOptions) -> Printed:
    """Results with and without the raters who are left out; raises RequestError where nobody is."""
    by = ("question",) if options.by is None else options.by
    results = both_ways(bundle, events, by, options.chosen_method)
    if not results:
        raise RequestError(
            f"no rater of study {bundle.study.name!r} is left out; see `reviewer study exclude --help`."
        )
    return declared_tables(
        both_ways_spec(by, results), results, "Without and with the raters left out", options
    )


def _differences(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    by, method = BY if options.by is None else options.by, options.chosen_method
    differences = _differences_by(bundle, labels, by, method.level)
    if not differences:
        raise RequestError(f"there is nothing to compare: every case has the same {by[-1]}.")
    unlike = all(difference.difference.reason == DIFFERENT_LABELS for difference in differences)
    if unlike and options.form not in _FOR_PROGRAMS:
        by = ("question", *by)
        differences = _differences_by(bundle, labels, by, method.level)
    notes = [
        *_apart(differences if unlike else ()),
        f"Newcombe's interval at {percent(method.level, None)}, pooled z, two-sided p; Holm: p corrected "
        "for the tests of the same rate in this table.",
    ]
    if any(difference.weighted for difference in differences):
        notes.append(WEIGHTED_IN_WORDS)
    if any(difference.dependent for difference in differences):
        notes.append(
            "The interval and the test assume independent items. Here several items are about the same case, "
            "so treat the results as approximate."
        )
    caption = f"Differences of pass rates by {dimensions_in_words(by)}"
    return declared_tables(differences_spec(by, differences), differences, caption, options, notes)


_FOR_PROGRAMS = ("csv", "json")
"""Forms whose rows stay as they were in 1.0, where a reason stands in the place of these numbers."""


def _differences_by(
    bundle: StudyBundle, labels: StudyLabels, by: Sequence[str], level: float
) -> list[PassRateDifference]:
    rates = Method(("po_all_agree",), "analytic", level)
    results = [*study_results(bundle, labels, by, rates), *dataset_results(bundle, labels, by, rates)]
    return pass_rate_differences(results, by, level)


def _apart(differences: Sequence[PassRateDifference]) -> Iterator[str]:
    """Why questions are compared one by one, and what a dash means there."""
    if differences:
        yield "Questions have different labels, so each has rows of its own."
        yield from undefined_in_words(each.difference.reason for each in differences)


def _raters(bundle: StudyBundle, rows: Sequence[LabelRow], options: AgreementOptions) -> Printed:
    if options.by is None:
        rater_rows = raters_of_study(bundle, rows, options.chosen_method)
    else:
        rater_rows = rater_results(bundle, rows, options.by, options.chosen_method)
    return declared_tables(raters_spec(raters_by(rater_rows), rater_rows), rater_rows, "Raters", options)


def plans(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    """How many cases an interval of a given width needs; raises RequestError without intervals."""
    by, method = options.by or (), options.chosen_method
    half_width = options.plan_width or 0.0
    if method.interval == "none":
        raise RequestError("a plan needs intervals; take --interval bootstrap or analytic.")
    plans = planned(study_results(bundle, labels, by, method), half_width, method.level)
    notes = [
        f"needed: cases like these for a half-width of {half_width:g} at {percent(method.level, None)}; "
        "more: beyond those of the study."
    ]
    return declared_tables(plans_spec(by, plans), plans, "Cases needed", options, notes)


def _labels(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    """Labels by question and group; raises RequestError where all answers are texts."""
    _check_undivided(options.by)
    spreads = label_spreads(bundle, labels)
    if not spreads:
        raise RequestError(
            f"study {bundle.study.name!r} asks for texts only, so there are no labels to count."
        )
    printed = declared_tables(LABEL_SPREADS, spreads, "Labels by question and group", options)
    notes = [LABEL_HISTOGRAMS.legend(spreads)]
    return printed._replace(
        terminal=[LABEL_HISTOGRAMS.for_people(spreads, options.digits)], terminal_notes=notes
    )


def _by_label(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    """Agreement on each label; raises RequestError where no question takes several."""
    _check_undivided(options.by)
    agreement = label_agreement(bundle, labels, options.chosen_method)
    if not agreement:
        raise RequestError(
            f"no question of study {bundle.study.name!r} takes several labels; leave --by-label out."
        )
    return declared_tables(label_agreement_spec(agreement), agreement, "Agreement on each label", options)


def _outputs(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    """Scores of outputs; raises RequestError where no question ranks any."""
    _check_undivided(options.by)
    rows = ranked_outputs(bundle, labels, options.chosen_method)
    if not rows:
        raise RequestError(f"no question of study {bundle.study.name!r} ranks outputs; leave --outputs out.")
    return declared_tables(RANKED_OUTPUTS, rows, "Ranked outputs", options, [SCORES_IN_WORDS])


def _second_looks(bundle: StudyBundle, rows: Sequence[LabelRow], options: AgreementOptions) -> Printed:
    """First against second verdicts; raises RequestError where there are none."""
    _check_undivided(options.by)
    changes = second_verdicts(bundle, rows, options.level)
    if not changes:
        raise RequestError(f"in study {bundle.study.name!r} nobody has seen yet what an answer reveals.")
    return declared_tables(second_verdicts_spec(changes), changes, "First and second verdicts", options)


def _quality(bundle: StudyBundle, rows: Sequence[LabelRow], options: AgreementOptions) -> Printed:
    """Answers where they are known; raises RequestError where none is."""
    _check_undivided(options.by)
    accuracies = known_answer_accuracy(bundle, rows, options.level)
    if not accuracies:
        raise RequestError(
            f"study {bundle.study.name!r} has no known answers; give them with "
            "`reviewer study new --gold FILE` or --training."
        )
    return declared_tables(KNOWN_ANSWERS, accuracies, "Answers where they are known", options)


def _dawid_skene(bundle: StudyBundle, labels: StudyLabels, options: AgreementOptions) -> Printed:
    """Sensitivity and specificity of raters; raises RequestError where there are too few labels."""
    _check_undivided(options.by)
    model = modelled_labels(bundle, labels, options.chosen_method)
    notes, caption = [MODEL_IN_WORDS, *model.remarks], "Raters by Dawid and Skene's model"
    return declared_tables(RATER_ABILITIES, model.abilities, caption, options, notes)


def _check_undivided(by: tuple[str, ...] | None) -> None:
    if by:
        raise RequestError("this table has rows of its own and cannot be divided; leave --by out.")


OF_LABELS: Mapping[str, Callable[[StudyBundle, StudyLabels, AgreementOptions], Printed]] = {
    "pass-rates": _pass_rates,
    "differences": _differences,
    "labels": _labels,
    "dawid-skene": _dawid_skene,
    "by-label": _by_label,
    "outputs": _outputs,
}
"""The tables that follow from the labels alone."""
OF_ROWS: Mapping[str, Callable[[StudyBundle, Sequence[LabelRow], AgreementOptions], Printed]] = {
    "raters": _raters,
    "second-looks": _second_looks,
    "quality": _quality,
}
"""Those that need to know how answers came about."""
