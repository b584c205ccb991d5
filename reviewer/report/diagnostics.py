"""What the main table hides: skew, chance agreement, raters alone, in pairs and over time, second looks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reviewer.core.number_text import DIGITS, number, short_number
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.report.agreement_text import (
    BY_CHANCE,
    legend,
    low_kappas,
    mark_in_words,
    quoted,
    resample_remarks,
    symbol,
    unrated_remarks,
)
from reviewer.report.document import Block, Numbers, Paragraph, Points, Section, numbers
from reviewer.report.report_statistics import ReportStatistics
from reviewer.report.undefined_reasons import NO_KNOWN_ANSWERED, NO_SECOND_VERDICT, NO_SUCH_FIRST
from reviewer.results.labels.agreement_results import AgreementResult, Method
from reviewer.results.labels.anchoring import Anchoring
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.known_answer_accuracy import KnownAnswerAccuracy
from reviewer.results.labels.rater_results import RaterResult
from reviewer.results.labels.rater_warnings import Haste, RaterWarning, drift_remarks, rater_drift
from reviewer.results.labels.second_verdicts import SecondVerdicts
from reviewer.results.tables.agreement_tables import (
    SCALES,
    agreement_in_report,
    by_scale,
    with_numbers,
)
from reviewer.results.tables.rater_tables import (
    DRIFT,
    KNOWN_ANSWERS,
    raters_by,
    raters_spec,
    starred_in_words,
)
from reviewer.results.tables.second_verdict_tables import ANCHORING, second_verdicts_spec
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow

_BEFORE_CHANCE = 2
"""The columns of the table of chance that are not about chance."""


def chance_blocks(statistics: ReportStatistics) -> list[Block]:
    """What agreement by chance is, and where kappa is low because of it; empty without such coefficients."""
    table = _chance(statistics.questions, statistics.look.digits)
    if len(table.columns) <= _BEFORE_CHANCE:
        return []
    caption = "Share of passing labels, and agreement expected by chance"
    return [
        Section(BY_CHANCE, 2),
        Paragraph(" ".join(_chance_in_words(statistics))),
        Numbers("chance", caption, table),
    ]


def _chance_in_words(statistics: ReportStatistics) -> Iterator[str]:
    yield (
        "Kappa and similar coefficients compare how often raters agree with how often people would agree who "
        "guess, and who give each label as often as the raters do."
    )
    results = statistics.questions
    titles = low_kappas(results)
    if not titles and not results[-1].skew:
        return
    ac = "AC2" if any(result.skew and result.skew.weights for result in results) else "AC1"
    where = f" on {quoted(titles)}" if titles else ""
    yield (
        "Where nearly all labels are the same, people who guess agree nearly always: kappa and alpha are low "
        f"although raters agree{f', as{where}' if where else ''}. {ac} is affected less."
    )


def hidden_blocks(statistics: ReportStatistics) -> list[Block]:
    """The tables on raters and parts of the cases, with notes on how to read them."""
    digits = statistics.look.digits
    return [
        Section("Raters and groups" if statistics.groups else "Raters"),
        *_raters(
            statistics.raters,
            digits,
            hastes=[warning.haste for warning in statistics.warnings if warning.haste],
        ),
        *_warnings(statistics.warnings),
        *_pairs(statistics),
        *_parts(statistics, "Groups", statistics.groups, statistics.groups_by),
        *_parts(statistics, "Strata", statistics.strata, statistics.strata_by),
        *asking_blocks(statistics.second, statistics.known, digits),
        *anchoring_blocks(statistics.anchored, digits),
    ]


def _chance(results: Sequence[AgreementResult], digits: int) -> Table:
    """A row for each question, and one for all of them: passing labels, and agreement by chance."""
    every = dict.fromkeys(key for result in results for key in result.coefficients)
    keys = [key for key in every if any(result.of(key).expected is not None for result in results)]
    lines = [
        [
            result.where["question"],
            number(result.passing_share, digits),
            *(_expected(result, key, digits) for key in keys),
        ]
        for result in results
    ]
    return Table.of(("question", "passing", *(f"chance, {symbol(key)}" for key in keys)), lines)


def _expected(result: AgreementResult, key: str, digits: int) -> str | None:
    expected = result.of(key).expected
    return None if expected is None else short_number(expected, digits)


def _raters(results: Sequence[RaterResult], digits: int, *, hastes: Sequence[Haste]) -> list[Block]:
    caption = "Labels, times and agreement of each rater"
    spec = raters_spec(raters_by(results), results).without_empty(results)
    starred = any((column.head or "").endswith("*") for column in spec.visible)
    timed = f"The warning below counts other seconds: those {hastes[0].of}." if hastes else ""
    notes = [*filter(None, (starred_in_words(results) if starred else "", timed))]
    table = numbers("raters", caption, spec if starred else replace(spec, note=""), results, digits, notes)
    return [Section("Single raters", 2), table]


def _warnings(warnings: Sequence[RaterWarning]) -> list[Block]:
    """What to ask raters about, if there is anything."""
    if not warnings:
        return []
    lead = (
        "The labels of raters with a warning count in every number of this report, except where it says that "
        "they are left out. Ask these raters how they worked before you rely on their labels."
    )
    return [Paragraph(lead), Points(tuple(warning.sentence for warning in warnings))]


def _pairs(statistics: ReportStatistics) -> list[Block]:
    cells = statistics.pairs
    if not cells:
        return []
    spec, digits = agreement_in_report(("pair",), cells), statistics.look.digits
    notes = (
        legend(spec, cells),
        *unrated_remarks(cells, ("pair",)),
        *resample_remarks(cells, ("pair",)),
    )
    table = spec.for_people(cells, digits)
    return [
        Section("Pairs of raters", 2),
        Numbers("pairs", "Agreement of each pair", table, notes, keys=spec.keys),
    ]


def _parts(
    statistics: ReportStatistics, title: str, results: Sequence[AgreementResult], by: Sequence[str]
) -> list[Block]:
    """A section on parts of the cases; empty without results."""
    digits = statistics.look.digits
    if not results:
        return []
    note = _on_parts(results, by, statistics.method) + mark_in_words(results)
    few = agreement_in_report(by, results).few_note(results)
    notes = (note, *filter(None, (few and cases_behind_items(results), few)), *resample_remarks(results, by))
    caption = f"Agreement by {' and '.join(by)}"
    return [Section(title, 2), *scaled_tables(title.lower(), caption, results, by, notes, digits)]


def scaled_tables(
    name: str,
    caption: str,
    results: Sequence[AgreementResult],
    by: Sequence[str],
    notes: Sequence[str],
    digits: int,
) -> list[Numbers]:
    """Agreement as one table for each kind of answers; the notes stand behind the last."""
    parts, tables = by_scale(with_numbers(results)), list[Numbers]()
    for place, part in enumerate(parts, 1):
        spec = agreement_in_report(by, part)
        label = name if place == 1 else f"{name}-{place}"
        of_what = f": {SCALES[part[0].form]}" if len(parts) > 1 else ""
        behind = tuple(notes) if place == len(parts) else ()
        loud = tuple(result.kind != "cell" for result in part)
        shown, quiet = spec.for_people(part, digits), tuple(map(spec.rests_on_few, part))
        tables.append(Numbers(label, caption + of_what, shown, behind, loud, spec.keys, quiet))
    return tables


def cases_behind_items(results: Sequence[AgreementResult]) -> str:
    """From how many cases the items of a row come, where these are fewer; "" where they are not."""
    pairs = {(result.items, result.cases) for result in results if result.kind == "cell"}
    fewest = min((cases for items, cases in pairs if items > cases), default=None)
    if fewest is None:
        return ""
    if len(pairs) == 1:
        ((items, _),) = pairs
        return f"n counts items: the {items:,} items of each row come from {counted(fewest, 'case')}."
    return f"n counts items: those of the smallest row come from {counted(fewest, 'case')}."


def _on_parts(results: Sequence[AgreementResult], by: Sequence[str], method: Method) -> str:
    """How parts of the cases were computed, and what their intervals rest on."""
    apart = "question" in by
    note = "Questions differ in their labels." if apart else "All questions are taken together."
    if not any(e.shown_interval for result in results for e in result.coefficients.values()):
        return note
    several = any(result.items > result.cases for result in results)
    if method.interval == "bootstrap":
        note += " Bootstrap intervals resample cases" + (
            ", since one case carries several items." if several else "."
        )
    elif several:
        note += " Intervals take items as independent, although one case carries several of them."
    return note


def drift_blocks(bundle: StudyBundle, rows: Sequence[LabelRow], level: float, digits: int) -> list[Block]:
    """Each rater by quarter of their answers."""
    quarters = rater_drift(bundle, rows, level)
    told = " ".join(drift_remarks(rows, quarters)) or "Nobody gave a label."
    if not quarters:
        return [Section("Raters over time", 2), Paragraph(told)]
    return [
        Section("Raters over time", 2),
        Paragraph(
            "The table divides each rater's answers into quarters, in the order in which they were given. "
            "Intervals of shares are Wilson's, those of median times lie between two order statistics. "
            "Quarters hold different cases, so a difference alone does not show that a rater changed."
        ),
        numbers("drift", "Raters by quarter of their answers", DRIFT, quarters, digits),
        Points(tuple(drift_remarks(rows, quarters))),
    ]


_MACHINE = (
    "A model was asked the same questions. Raters saw its answer only after their own, and could then answer "
    "once more. First answers alone count in agreement. What checks found was revealed at the same time, so "
    "a change need not be due to the model."
)


def asking_blocks(
    second: Sequence[SecondVerdicts], known: Sequence[KnownAnswerAccuracy], digits: int = DIGITS
) -> list[Block]:
    """What a report says about second verdicts and known answers, if a study has them."""
    blocks: list[Block] = []
    if second:
        blocks.append(Section("Second verdicts", 2))
        spec = second_verdicts_spec(second)
        blocks.append(numbers("second-looks", "First and second verdicts", spec, second, digits))
    if known:
        caption = "Answers to questions with a known answer"
        blocks.append(Section("Known answers", 2))
        blocks.append(numbers("quality", caption, KNOWN_ANSWERS, known, digits))
    return blocks


def anchoring_blocks(anchored: Sequence[Anchoring], digits: int = DIGITS) -> list[Block]:
    """What a report says about answers that changed once the machine rater's was shown."""
    if not anchored:
        return []
    caption = "Second answers and the machine rater"
    return [
        Section("Machine rater", 2),
        Paragraph(_MACHINE),
        numbers("anchoring", caption, ANCHORING, anchored, digits),
    ]


def undefined_anchoring(anchored: Sequence[Anchoring]) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its dash in this table."""
    for row in anchored:
        where = row.question.title if row.question else ALL
        for name, estimate in (
            ("of differing", row.towards_share),
            ("of equal", row.away_share),
            ("anchoring", row.net),
        ):
            if estimate.value is None:
                yield NO_SUCH_FIRST, f"{name} on {where}"


def undefined_asking(
    second: Sequence[SecondVerdicts], known: Sequence[KnownAnswerAccuracy]
) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its dash in these tables."""
    for verdicts in second:
        if verdicts.share.value is None:
            yield NO_SECOND_VERDICT, f"changed on {verdicts.question.title}"
    for accuracy in known:
        if accuracy.share.value is None:
            yield NO_KNOWN_ANSWERED, f"right of {accuracy.rater} in {accuracy.role} cases"
