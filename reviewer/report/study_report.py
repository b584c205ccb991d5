"""A study's report: what the validation section of a paper says, and how to compute it again."""

from collections.abc import Iterator, Sequence

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import percent
from reviewer.core.sanitize import enumerated
from reviewer.report.agreement_text import (
    WEIGHTED_IN_WORDS,
    intervals_in_words,
    legend,
    passing_in_words,
    remarks,
    resample_remarks,
    symbol,
    undecided_remarks,
)
from reviewer.report.design_section import design_blocks, pooled_blocks, question_blocks
from reviewer.report.diagnostics import (
    chance_blocks,
    drift_blocks,
    hidden_blocks,
    scaled_tables,
    undefined_anchoring,
    undefined_asking,
)
from reviewer.report.disagreement_list import (
    disagreement_appendix,
    disagreements_in_words,
    final_blocks,
    remark_appendix,
)
from reviewer.report.document import (
    Appendices,
    Block,
    Document,
    Numbers,
    Paragraph,
    Picture,
    Points,
    Section,
    numbers,
    told_of,
    undefined_section,
)
from reviewer.report.first_page import first_page
from reviewer.report.opinions import opinion_blocks, undefined_opinions
from reviewer.report.precision_text import plan_blocks, power_in_words
from reviewer.report.recompute_text import recompute_blocks
from reviewer.report.report_claims import report_claims
from reviewer.report.report_pages import CLAIMS_FILE, Figures, drawn, page_files
from reviewer.report.report_statistics import ReportStatistics, weights_hardly_differ
from reviewer.report.undefined_reasons import MEANINGS, meaning, undefined_of
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import NOT_COMPUTED
from reviewer.results.labels.dimensions import ALL, PAIR
from reviewer.results.labels.rater_results import RaterResult
from reviewer.results.labels.stopping import claims, claims_in_words
from reviewer.results.tables.agreement_tables import (
    agreement_in_report,
    both_ways_spec,
    by_scale,
    has_dataset_interval,
    pass_rates_spec,
    totals_spec,
    with_numbers,
)
from reviewer.results.tables.comparison_tables import CLAIMS, differences_spec
from reviewer.results.tables.label_spread_tables import (
    LABEL_SPREADS,
    RANKED_OUTPUTS,
    SCORES_IN_WORDS,
    label_agreement_spec,
)
from reviewer.study.design.left_out_raters import excluded_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import REOPENED_MEANS
from store.records import Event

_FIGURES = {
    "agreement": (
        "Items on which all raters agree, and items that pass by majority{intervals:, with their intervals}"
        "{generators:; grey bars pool all generators}.",
        "Bars of agreement and of pass rates; the table above has their numbers.",
    ),
    "coefficients": (
        "Chance-corrected agreement{intervals: with intervals}{generators:; diamonds pool all generators}.",
        "A forest plot of the coefficients.",
    ),
    "pass-rates": (
        "Pass rates by majority and by unanimity on one scale, {intervals:with their intervals }in percent.",
        "Two heat maps of pass rates.",
    ),
    "labels": (
        "Share of each label by question and group"
        "{medians:; where labels have an order, the median is grey}.",
        "Histograms of labels; the table above has their numbers.",
    ),
}


_TWO_METHODS = (
    "The table of agreement resamples cases, so weighted rows can have other intervals there, also for the "
    "same share."
)


def study_document(statistics: ReportStatistics) -> Document:
    """The report of a study as blocks: the result on the first page, then the design, then the details."""
    bundle, look = statistics.bundle, statistics.look
    return Document(
        f"Agreement of the raters in study “{bundle.study.name}”",
        (
            *first_page(statistics, _picture("agreement", statistics.charted)),
            *(
                pooled_blocks(bundle)
                or design_blocks(bundle, statistics.rows, statistics.events, statistics.datasets)
            ),
            *_agreement(statistics),
            *_left_out(statistics),
            *_spreads(statistics),
            *_ranked(statistics),
            *_pass_rates(statistics),
            *hidden_blocks(statistics),
            *(
                drift_blocks(bundle, statistics.rows, statistics.method.level, look.digits)
                if look.drift
                else ()
            ),
            Section("Disagreements"),
            Paragraph(disagreements_in_words(statistics.disagreements, statistics.finals)),
            *final_blocks(
                bundle,
                statistics.rows,
                statistics.finals,
                statistics.final_rate,
                look.digits,
                look.rule,
                comments=look.comments,
            ),
            *opinion_blocks(statistics.judges, statistics.human, statistics.opinions, look.digits),
            *undefined_blocks(statistics),
            *recompute_blocks(
                bundle,
                statistics.events,
                statistics.method,
                look,
                statistics.judges if statistics.opinions and statistics.opinions.by_label else (),
                with_shares=bool(statistics.opinions and statistics.opinions.shares),
            ),
            Appendices(),
            *question_blocks(bundle, statistics.rows),
            *plan_blocks(statistics.results, statistics.by, statistics.method),
            *disagreement_appendix(
                bundle,
                statistics.disagreements,
                statistics.finals,
                statistics.remarks,
                comments=look.comments,
            ),
            *remark_appendix(
                bundle,
                statistics.remarks,
                statistics.disagreements,
                statistics.finals,
                comments=look.comments,
            ),
        ),
    )


def _agreement(statistics: ReportStatistics) -> list[Block]:
    by, digits = statistics.by, statistics.look.digits
    results = with_numbers((*statistics.results, *statistics.weighted))
    words = intervals_in_words(results)
    if not any(result.of(key).value is not None for result in results for key in result.coefficients):
        why = " ".join(filter(None, (_no_agreement(statistics), _left_out_rows(statistics))))
        return [Section("Agreement"), Paragraph(why), *_totals(statistics)]
    notes = (
        legend(agreement_in_report(by, results), results),
        *filter(None, (words, _left_out_rows(statistics))),
    )
    blocks: list[Block] = [
        Section("Agreement"),
        *scaled_tables("agreement", f"Agreement{_by_in_words(by)}", results, by, notes, digits),
        _picture("coefficients", statistics.charted),
        Points(tuple(remarks(with_numbers(statistics.results), by, digits, in_report=True))),
        *chance_blocks(statistics),
    ]
    return [*blocks, *_totals(statistics)]


def _no_agreement(statistics: ReportStatistics) -> str:
    """Why no coefficient has a value."""
    forms = {result.form for result in statistics.results}
    if forms == {"text"}:
        return MEANINGS[NOT_COMPUTED["text"]]
    return "No item has labels of two raters, so there is no agreement to compute."


def _totals(statistics: ReportStatistics) -> Iterator[Block]:
    """A table for each dimension after the first that has several values."""
    digits = statistics.look.digits
    for dimension, totals in statistics.totals.items():
        if len({total.where[dimension] for total in totals}) > 1:
            total_spec = totals_spec(dimension, totals)
            table = total_spec.for_people(totals, digits)
            caption = f"Agreement and pass rates of each {dimension}, over all of its subgroups"
            loud = tuple(result.kind == "pooled" for result in totals)
            rates = "majority and unanimity: pass rates, as in the section on pass rates."
            note = (legend(total_spec, totals), rates, *resample_remarks(totals, (dimension,)))
            yield Numbers(f"totals-{dimension}", caption, table, note, loud, total_spec.keys)


def _left_out_rows(statistics: ReportStatistics) -> str:
    """Which rows of the dataset are left out, and why; "" if none are."""
    bundle, by = statistics.bundle, statistics.by
    if not by or not statistics.weighted or not weights_hardly_differ(bundle):
        return ""
    return (
        f"Weighted rows by {enumerated([*by])} are left out, because cases were drawn with nearly the "
        f"same probability; the command reviewer agreement {bundle.study.name} prints them."
    )


def _left_out(statistics: ReportStatistics) -> list[Block]:
    """Who is left out and why, with the results both ways; empty if nobody is."""
    compared, digits = statistics.compared, statistics.look.digits
    if not compared:
        return []
    caption = "Results without the raters left out, and with everybody"
    return [
        Section("Raters left out"),
        Points(tuple(excluded_in_words(statistics.bundle))),
        numbers("both-ways", caption, both_ways_spec(("question",), compared), compared, digits),
    ]


def _spreads(statistics: ReportStatistics) -> list[Block]:
    """Labels by group with medians, and agreement on each label; empty where no question has either."""
    spreads, by_label, digits = statistics.spreads, statistics.by_label, statistics.look.digits
    if not spreads:
        return []
    blocks: list[Block] = [
        Section("Labels by group"),
        numbers("labels", "Labels by question and group", LABEL_SPREADS, spreads, digits),
        _picture("labels", statistics.charted),
    ]
    if by_label:
        caption = "Agreement on each label of a question that takes several"
        table = numbers("by-label", caption, label_agreement_spec(by_label), by_label, digits)
        blocks += [Section("Agreement by label", 2), table]
    return blocks


def _ranked(statistics: ReportStatistics) -> list[Block]:
    """The outputs with their scores; empty where no question ranks any."""
    ranked, digits = statistics.ranked, statistics.look.digits
    if not ranked:
        return []
    return [
        Section("Ranked outputs"),
        Paragraph(SCORES_IN_WORDS),
        numbers("outputs", "Ranked outputs by question and group", RANKED_OUTPUTS, ranked, digits),
    ]


def _pass_rates(statistics: ReportStatistics) -> list[Block]:
    level, by, digits = statistics.method.level, statistics.by, statistics.look.digits
    results = with_numbers((*statistics.results, *statistics.weighted))
    blocks: list[Block] = [
        Section("Pass rates"),
        *stop_blocks(statistics.bundle, statistics.events, digits),
        Paragraph(passing_in_words(statistics.bundle)),
        numbers(
            "pass-rates",
            f"Pass rates{_by_in_words(by)}",
            pass_rates_spec(by, results),
            results,
            digits,
            [_TWO_METHODS] if _has_two_methods(statistics) else [],
            loud=[result.kind != "cell" for result in results],
        ),
        *([_picture("pass-rates", statistics.charted)] if _several(statistics.charted) else []),
        Points(
            (
                *undecided_remarks(results, by),
                *power_in_words(statistics.results, statistics.look.by, statistics.method, digits),
            )
        ),
    ]
    if differences := statistics.differences:
        note = (
            f"1st - 2nd: first rate minus second rate, with Newcombe's interval at {percent(level, None)}; "
            "z: pooled z; p: two-sided; Holm: p corrected by Holm's method for the tests of the same rate."
        )
        if any(difference.dependent for difference in differences):
            note += (
                " The interval and the test assume independent items. Here several items are about the same "
                "case, so treat the results as approximate."
            )
        if any(difference.weighted for difference in differences):
            note += f" {WEIGHTED_IN_WORDS}"
        title = f"Differences between values of {by[-1]}"
        table = numbers("differences", title, differences_spec(by, differences), differences, digits, (note,))
        blocks += [Section(title, 2), table]
    return blocks


def _has_two_methods(statistics: ReportStatistics) -> bool:
    """Whether rows of the dataset show intervals in both tables, of resampled cases in that of agreement."""
    weighted = with_numbers(statistics.weighted)
    coefficients = (each for result in weighted for each in result.coefficients.values())
    resampled = statistics.method.interval == "bootstrap" and any(
        each.shown_interval for each in coefficients
    )
    return resampled and has_dataset_interval(weighted)


def _by_in_words(by: Sequence[str]) -> str:
    return f" by {' and '.join(by)}" if by else ""


def _picture(name: str, charted: Sequence[AgreementResult]) -> Picture:
    """The figure. Braces in its caption hold a fact, and the words that are true only with it."""
    caption, alternative = _FIGURES[name]
    facts = {
        "generators": _several(charted),
        "intervals": any(each.shown_interval for each in _drawn(name, charted)),
        "medians": any(result.form == "ordinal" for result in charted),
    }
    return Picture(name, told_of(caption, facts), alternative)


def _drawn(name: str, charted: Sequence[AgreementResult]) -> Iterator[Estimate]:
    """The estimates whose intervals a figure may draw."""
    for result in charted:
        if name != "pass-rates":
            yield from result.coefficients.values()
        if name != "coefficients":
            yield from (result.majority, result.unanimity)


def _several(charted: Sequence[AgreementResult]) -> bool:
    """Whether there are several generators."""
    return len({result.where["generator"] for result in charted if result.kind == "cell"}) > 1


_NOT_VALID = (
    "The other intervals of pass rates are not valid here: the study was stopped by looking, or could have "
    "been."
)
_METHOD = (
    "The study has a stop rule: its cases are in one random order, and only the longest beginning of this "
    "order counts in which every case is complete. The interval is a confidence sequence (prior-posterior "
    "ratio for sampling without replacement, Waudby-Smith and Ramdas 2020, uniform prior): it holds at every "
    "look at once, so that looking and stopping do not make it wrong. Cases without a final label count as "
    "not passed."
)


def stop_blocks(bundle: StudyBundle, events: Sequence[Event], digits: int) -> list[Block]:
    """The intervals that hold although the study was looked at; empty without a stop rule."""
    made = claims(bundle, events)
    if not made:
        return []
    sentences = [*claims_in_words(made), _NOT_VALID]
    if any(act.kind == "reopen" for act in bundle.acts):
        sentences.append(f"The study was opened again after it had been closed. {REOPENED_MEANS}")
    caption = "Pass rates with the interval that is valid for this study"
    return [
        Section("Stop rule", 2),
        Paragraph(_METHOD),
        numbers("stop-rule", caption, CLAIMS, made, digits),
        Points(tuple(sentences)),
    ]


def undefined_blocks(statistics: ReportStatistics) -> list[Block]:
    """Each reason for a dash, with its places."""
    places: dict[str, list[str]] = {}
    for reason, where in _reasons(statistics):
        places.setdefault(reason, []).append(where)
    return undefined_section(places, meaning)


def _reasons(statistics: ReportStatistics) -> Iterator[tuple[str, str]]:
    """Each reason with a place where a value is undefined for it."""
    yield from _of_agreement(statistics)
    yield from _of_rates(statistics)
    yield from _of_raters(statistics.raters)
    yield from undefined_asking(statistics.second, statistics.known)
    yield from undefined_anchoring(statistics.anchored)
    yield from undefined_opinions(statistics.judges, statistics.opinions)


def _of_agreement(statistics: ReportStatistics) -> Iterator[tuple[str, str]]:
    for rows, by in _tables(statistics):
        for part in by_scale(rows):
            shown = {
                key
                for row in part
                for key, estimate in row.coefficients.items()
                if estimate.value is not None
            }
            for row in part:
                named = ((symbol(key), each) for key, each in row.coefficients.items() if key in shown)
                yield from undefined_of((*named, ("passing", row.passing_share)), f"at {row.at(by)}")


def _of_rates(statistics: ReportStatistics) -> Iterator[tuple[str, str]]:
    for rows, by in _tables_with_rates(statistics):
        for row in rows:
            rates = (("majority", row.majority), ("unanimity", row.unanimity))
            yield from undefined_of(rates, f"at {row.at(by)}")
    for difference in statistics.differences:
        if difference.test.reason:
            at = " · ".join(difference.where.values()) or ALL
            yield (
                difference.test.reason,
                f"z of {difference.measure} at {at} ({difference.first} against {difference.second})",
            )


def _of_raters(raters: Sequence[RaterResult]) -> Iterator[tuple[str, str]]:
    """The dashes in the columns that have a value of some rater."""
    named = [(rater, _by_head(rater)) for rater in raters]
    shown = {head for _, values in named for head, value in values.items() if value.value is not None}
    for rater, values in named:
        who = " · ".join((rater.rater, *rater.where.values()))
        yield from undefined_of(
            ((head, value) for head, value in values.items() if head in shown), f"of {who}"
        )


def _by_head(rater: RaterResult) -> dict[str, Estimate]:
    values = {"sec.": rater.seconds, "self": rater.again.agreement, "others": rater.with_others}
    return values | {f"{symbol(key)}*": estimate for key, estimate in rater.without.items()}


_Rows = tuple[Sequence[AgreementResult], Sequence[str]]
"""The rows of a table, and what they are divided by."""


def _tables(statistics: ReportStatistics) -> Iterator[_Rows]:
    """Every table of agreement."""
    yield from _tables_with_rates(statistics)
    yield with_numbers(statistics.groups), statistics.groups_by
    yield with_numbers(statistics.strata), statistics.strata_by
    yield statistics.pairs, [PAIR]


def _tables_with_rates(statistics: ReportStatistics) -> Iterator[_Rows]:
    """Every table that shows pass rates."""
    yield with_numbers((*statistics.results, *statistics.weighted)), statistics.by
    yield from ((results, [by]) for by, results in statistics.totals.items())


def report_files(statistics: ReportStatistics, *, with_figures: bool = True) -> dict[str, str | bytes]:
    """Every file by its path in the report's folder; raises RequestError where matplotlib is missing."""

    def draw() -> Figures:
        from reviewer.figures.files import study_figures  # matplotlib costs a second to load

        opinions = statistics.opinions
        by_label = opinions.by_label if opinions else ()
        return study_figures(statistics.charted, statistics.disagreements, statistics.spreads, by_label)

    files = page_files(study_document(statistics), drawn(draw) if with_figures else {})
    claims = report_claims(statistics)
    return {**files, CLAIMS_FILE: claims} if claims else files
