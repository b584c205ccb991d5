"""The first page of a study's report: the result, what weakens it, and what was not done."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from reviewer.core.estimate import ONE_CASE_OF_A_STRATUM, Estimate
from reviewer.core.number_text import fixed, percent, short_number
from reviewer.core.number_text import whole as whole_number
from reviewer.core.question import families
from reviewer.core.sanitize import agreeing, capitalised, counted, enumerated
from reviewer.protocols.intake import HAND_WRITTEN
from reviewer.report.agreement_text import BY_CHANCE, low_kappas, majority_in_words, quoted
from reviewer.report.document import Block, Box, Paragraph, Picture, numbers
from reviewer.report.precision_text import interval_widths
from reviewer.report.recompute_text import provenance
from reviewer.report.report_statistics import ReportStatistics
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN, NO_UNANIMITY, first_coefficients
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.labels.rater_results import NO_REPEATS
from reviewer.results.labels.rater_warnings import ALL_ANSWERS, Haste, RaterWarning
from reviewer.results.tables.agreement_tables import headline_spec, with_numbers
from reviewer.study.design.design_facts import TOPICS
from reviewer.study.design.inclusion import weighted_strata
from reviewer.study.design.study_design import FrozenStratum

_AGREE, _PAIRS, _KAPPA, _AC1 = "po_all_agree", "po_pairwise", "fleiss_kappa", "gwet_ac1"
_MOST_COEFFICIENTS = 2
"""Beside the share on which all raters agree; the section on agreement has all of them."""
_OF_FINALS: Mapping[str, Callable[[FinalLabel], str]] = {
    "question": lambda final: final.question.title,
    "generator": lambda final: final.place.generator,
    "group": lambda final: final.place.group,
    "dataset": lambda final: final.place.dataset,
}
"""What rows of the main table may be divided by, to have final labels."""
_ENDS = re.compile(r"\((\d+% to \d+%)\)")
_ONLY = {
    "generator": "All cases were written by the model {}.",
    "group": "All cases are of the group {}.",
    "dataset": "All cases are from dataset “{}”.",
}
"""What tables leave out, because it is the same in every row."""
_ONLY_BY_HAND = "All cases are hand-written."
_DID = {
    "gold": "matched too few known answers",
    "training": "did not pass the training",
}


def first_page(statistics: ReportStatistics, figure: Picture) -> list[Block]:
    """The result in short paragraphs, the main table, the figure, a box with limits, and the command."""
    results, by, digits = statistics.results, statistics.by, statistics.look.digits
    rows = with_numbers(results)
    keys = _headline_keys(results, first_coefficients(statistics.bundle))
    spec = headline_spec(by, keys, rows, _final_rates(statistics)).without_empty(rows)
    loud, ends = [row.kind != "cell" for row in rows], _ends_in_words(rows, statistics.method.level)
    table = numbers("main", "The main results", spec, rows, digits, ends, loud)
    text, command = provenance(statistics.bundle, statistics.events, statistics.method, statistics.look)
    parts = (_result, _meanings, _doubts, _agreement, _of_dataset)
    told = [words for part in parts if (words := " ".join(part(statistics)))]
    return [
        *(Paragraph(words) for words in _first_interval_named(told, statistics.method.level)),
        table,
        figure,
        Box("How sure, and what was not done", tuple(_limits(statistics, rows))),
        Paragraph(text, (command,)),
    ]


def _ends_in_words(rows: Sequence[AgreementResult], level: float) -> list[str]:
    """What stands in square brackets in the main table; empty where nothing does."""
    shown = any(pick(row).shown_interval for row in rows for pick in (_agree_of, _majority_of))
    return [f"In brackets: intervals at {percent(level, None)}."] if shown else []


def _first_interval_named(paragraphs: Sequence[str], level: float) -> list[str]:
    """The paragraphs; the first interval of a share, such as "(63% to 90%)", says what it is."""
    told = list(paragraphs)
    for at, text in enumerate(told):
        told[at] = _ENDS.sub(rf"({percent(level, None)} interval: \1)", text, count=1)
        if told[at] != text:
            break
    return told


def _final_rates(statistics: ReportStatistics) -> Callable[[AgreementResult], Estimate] | None:
    """The pass rate by final labels of each row, where somebody adjudicated; None where rows have none."""
    if not _is_adjudicated(statistics) or not {*statistics.look.by} <= {*_OF_FINALS}:
        return None

    def rate(result: AgreementResult) -> Estimate:
        own = [
            final
            for final in statistics.finals
            if all(_OF_FINALS[name](final) == value for name, value in result.where.items() if value != ALL)
        ]
        return statistics.final_rate(own)

    return rate


def _is_adjudicated(statistics: ReportStatistics) -> bool:
    """Whether somebody decided an item, so that final labels say more than the majority of the raters."""
    return any(final.adjudicated is not None for final in statistics.finals)


def _meanings(statistics: ReportStatistics) -> Iterator[str]:
    """What a case is, where the questions are, and who wrote the cases."""
    bundle = statistics.bundle
    yield bundle.protocol.about or f"A case is one item of {bundle.protocol.title}."
    yield "The section “Questions” has the wording of each question."
    if "generator" in statistics.by:
        drawn = {place.generator for place in bundle.counted}
        people = ", or hand-written where people wrote it" if HAND_WRITTEN in drawn else ""
        yield f"The generator of a case is the model that wrote it{people}."
    for name, value in statistics.single.items():
        if name in _ONLY and value and name not in statistics.by:
            yield _ONLY_BY_HAND if (name, value) == ("generator", HAND_WRITTEN) else _ONLY[name].format(value)


def _headline_keys(results: Sequence[AgreementResult], first: Sequence[str]) -> list[str]:
    """How often all agree, and two coefficients: the ``first`` of the lead, else Fleiss' kappa and AC1."""
    usual = [
        key
        for key in dict.fromkeys((*first, _AGREE, _KAPPA, _AC1))
        if any(result.like(key) in result.coefficients for result in results)
    ]
    others = dict.fromkeys(key for result in results for key in result.coefficients if key not in usual)
    beside = [key for key in (*usual, *others) if not key.startswith("po_")][:_MOST_COEFFICIENTS]
    return [*(key for key in usual if key == _AGREE), *beside]


def _result(statistics: ReportStatistics) -> Iterator[str]:
    """What was judged, and what passes."""
    whole, design = statistics.results[-1], statistics.bundle.design
    asked = [family[0].title for family in families(statistics.bundle.questions)]
    raters, cases = counted(whole.raters, "rater"), counted(whole.cases, "case")
    questions = f"{len(asked)} questions" if len(asked) > 1 else f"the question “{asked[0]}”"
    noun = "label of a fixed vote" if design.third else "label"
    plural = "labels of fixed votes" if design.third else "labels"
    number = whole.ratings + whole.missing
    owed = f"{number:,} {agreeing(number, noun, plural)}"
    labels = f"{whole.ratings:,} of the {owed} that they owe" if whole.missing else owed
    yield (
        f"{raters} judged {cases} on {questions}: {counted(whole.items, 'item')}, {labels}. An item is one "
        "question on one case, and a label is the answer of one rater to it."
    )
    yield from _passing(whole)
    if whole.majority.value is not None:
        yield majority_in_words(statistics.bundle)
    elif rates := _shares(statistics.questions, _majority_of):
        yield f"By majority of the raters' labels, {_on_each(rates)} of the items pass."
    yield from _finally_passing(statistics)


def _of_dataset(statistics: ReportStatistics) -> Iterator[str]:
    """Whether intervals are valid, and the weighted pass rate, which is to be cited where it has an interval
    and no rater is in doubt.
    """
    if stopped := statistics.bundle.stoppable:
        pooled = bool(statistics.bundle.parts)
        which = f"a pooled study ({enumerated(stopped)})" if pooled else "the study"
        where = "report of that study" if pooled else "section on pass rates"
        yield (
            f"The interval of the pass rate by majority is not valid: {which} was stopped by looking, or "
            f"could have been. The {where} has the one that is valid."
        )
    if not statistics.weighted or (weighted := statistics.weighted[-1].majority).value is None:
        return
    held = sum(stratum.size for stratum in weighted_strata(statistics.bundle))
    final = statistics.weighted_final_rate if _is_adjudicated(statistics) else None
    also = f" and {_with_ends(final)} by final labels" if final and final.value is not None else ""
    sure = weighted.shown_interval and not statistics.without_doubted
    cite = f" Cite {'these' if also else 'it'} when you write about the dataset." if sure else ""
    yield (
        f"These rates count each drawn case once. For all {held:,} cases that could be drawn, the pass rate "
        f"is estimated as {_with_ends(weighted)} by majority{also}, each drawn case weighted by the inverse "
        f"of its probability.{cite}"
    )
    if weighted.se_reason == ONE_CASE_OF_A_STRATUM:
        draw = statistics.bundle.design.draw
        parts = "strata" if draw and draw.by else "groups"
        yield f"This estimate has no interval, because only one case of some {parts} was drawn."


def _agreement(statistics: ReportStatistics) -> Iterator[str]:
    """How often all raters agree, on which questions, and corrected for chance."""
    whole, digits = statistics.results[-1], statistics.look.digits
    agree, shares = whole.of(_AGREE), _shares(statistics.questions, _agree_of)
    if agree.value is not None:
        of = "items" if agree.n == whole.items else "items with two or more labels"
        who = "The two fixed votes" if statistics.bundle.design.third else "All raters of an item"
        yield f"{who} agree on {_with_ends(agree)} of the {of}."
        yield from _lowest(shares)
    elif shares:
        yield f"All raters of an item agree on {_on_each(shares)} of the items."
    named = {KNOWN[key].title: whole.of(key) for key in (whole.like(_AC1), whole.like(_KAPPA))}
    corrected = {
        name: f"{name} is {short_number(estimate.value, digits)}{_ends(estimate, digits)}"
        for name, estimate in named.items()
        if estimate.value is not None
    }
    if corrected:
        below = _below_chance({name: named[name] for name in corrected})
        yield (
            "Corrected for chance (1: raters always agree; 0: as often as by guessing), "
            f"{' and '.join(corrected.values())}{below}."
        )
    if whole.skew:
        yield f"The section “{BY_CHANCE}” says why the two differ."
    elif titles := low_kappas(statistics.questions):
        yield f"The section “{BY_CHANCE}” says why kappa is low on {quoted(titles)}."


def _below_chance(named: Mapping[str, Estimate]) -> str:
    """By which coefficients raters agree, or may agree, less often than by chance; "" if by none."""
    below = [name for name, estimate in named.items() if (estimate.value or 0.0) < 0]
    maybe = [
        name
        for name, estimate in named.items()
        if name not in below and (ends := estimate.shown_interval) and ends.low < 0
    ]
    told = [f"by {enumerated(below)}, raters agree less often than by chance"] if below else []
    told += [f"by {enumerated(maybe)}, raters may agree less often than by chance"] if maybe else []
    return f": {'; '.join(told)}" if told else ""


def _finally_passing(statistics: ReportStatistics) -> Iterator[str]:
    """The pass rate by final labels, where somebody adjudicated."""
    if not _is_adjudicated(statistics):
        return
    rate = statistics.final_rate(statistics.finals)
    if rate.value is None:
        return
    decided = [final for final in statistics.finals if final.adjudicated is not None]
    compared = sum(bool(final.question.passing) for final in statistics.finals)
    of = "of the items" if rate.n == compared else f"of the {counted(rate.n, 'item')} that have one"
    yield (
        f"By final labels, {_with_ends(rate)} {of} pass: {_adjudicators(decided)} decided "
        f"{counted(len(decided), 'item')}{_overruled(decided)}, and the raters' labels the others."
    )


def _overruled(decided: Sequence[FinalLabel]) -> str:
    """How many decisions differ from what most raters said; "" if none does."""
    against = sum(final.item_votes.majority not in (None, final.adjudicated) for final in decided)
    return f" ({against:,} against the majority of the raters)" if against else ""


def _adjudicators(decided: Sequence[FinalLabel]) -> str:
    """Who decided these items."""
    names = sorted({final.decision.event.rater for final in decided if final.decision})
    return f"{agreeing(len(names), 'the adjudicator', 'the adjudicators')} {enumerated(names)}"


def _passing(whole: AgreementResult) -> Iterator[str]:
    """The pass rate by majority."""
    if whole.majority.value is None:
        return
    if whole.unanimity.reason == NO_UNANIMITY:
        yield (
            f"By majority, {_with_ends(whole.majority)} of the items pass. Agreement is computed from the "
            f"two fixed votes of each item, and a pass rate by unanimity is not available: {NO_UNANIMITY}."
        )
        return
    yield f"By majority of the raters' labels, {_with_ends(whole.majority)} of the items pass."


def _shares(
    questions: Sequence[AgreementResult], of: Callable[[AgreementResult], Estimate]
) -> dict[str, Estimate]:
    """A share of each question that has one, by title."""
    cells = (result for result in questions if result.kind == "cell")
    return {result.where["question"]: share for result in cells if (share := of(result)).value is not None}


def _on_each(shares: Mapping[str, Estimate]) -> str:
    """Shares by question, such as "42% (“right result”) and 21% (“same result”)"."""
    return enumerated([f"{_percent(share)} (“{name}”)" for name, share in shares.items()])


def _lowest(shares: Mapping[str, Estimate]) -> Iterator[str]:
    """On which questions raters agree least and most: all of them where several agree as often."""
    by_share: dict[float, list[str]] = {}
    for name, share in shares.items():
        by_share.setdefault(share.value or 0.0, []).append(name)
    if len(by_share) > 1:
        low, high = (_question_share(by_share[end], shares) for end in (min(by_share), max(by_share)))
        yield f"Raters agree least often on {low}, most often on {high}."


def _question_share(names: Sequence[str], shares: Mapping[str, Estimate]) -> str:
    """The questions with one share, such as "“axioms” and “bias presence” (67% each)"."""
    each = " each" if len(names) > 1 else ""
    return f"{quoted(names)} ({_percent(shares[names[0]])}{each})"


def _doubts(statistics: ReportStatistics) -> Iterator[str]:
    """Which raters' labels are in doubt, and the results without them."""
    kinds: dict[str, list[RaterWarning]] = {}
    for warning in statistics.warnings:
        if warning.doubts_care:
            kinds.setdefault(warning.kind, []).append(warning)
    raters = statistics.results[-1].raters
    for kind, warnings in kinds.items():
        hastes = [warning.haste for warning in warnings if warning.haste]
        did = hastes_in_words(hastes) if hastes else _DID[kind]
        yield f"Warning: {_who(warnings, raters)} {did}."
    if statistics.without_doubted and statistics.without_doubted[-1].raters:
        doubted = sorted({warning.rater for warning in statistics.warnings if warning.doubts_care})
        results = statistics.without_doubted
        yield _without(doubted, results, statistics.results[-1], statistics.look.digits)
    elif statistics.without_doubted:
        yield "As this is so for every rater, the results cannot be given without these answers."


def _who(warnings: Sequence[RaterWarning], raters: int) -> str:
    """The raters with a warning, and how many of all they are."""
    names = enumerated([warning.rater for warning in warnings])
    if len(warnings) == raters > 1:
        return f"all {raters:,} raters ({names})"
    return f"{names} ({len(warnings)} of {counted(raters, 'rater')})"


def hastes_in_words(hastes: Sequence[Haste]) -> str:
    """How fast these raters answered, beside the time that reading takes."""
    cases = "most cases" if any(haste.faster < haste.cases for haste in hastes) else "every case"
    medians = _from_to([fixed(haste.median, 1) for haste in sorted(hastes, key=lambda haste: haste.median)])
    needed = _from_to(
        [whole_number(haste.needed) for haste in sorted(hastes, key=lambda haste: haste.needed)]
    )
    told = f"answered {cases} faster than people read"
    if hastes[0].of == ALL_ANSWERS:
        return (
            f"{told}: a case takes a fast reader about {needed} seconds, and all answers about it took "
            f"{medians} (medians)"
        )
    return (
        f"{told}: the longest text of a case takes a fast reader about {needed} seconds, and the first "
        f"answer about it came after {medians} seconds (medians)"
    )


def _from_to(ordered: Sequence[str]) -> str:
    """The first and the last of some numbers, or the only one."""
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _without(
    doubted: Sequence[str], results: Sequence[AgreementResult], every: AgreementResult, digits: int
) -> str:
    """The result without the raters in doubt, besides whom there are others; ``every`` has all raters."""
    whole, without = results[-1], f"Without the labels of {enumerated(doubted)}"
    passing = (
        "" if whole.majority.value is None else f"{_percent(whole.majority)} of the items pass by majority"
    )
    agree = whole.of(_AGREE)
    if agree.value is None and (shares := _shares(results, _agree_of)):
        return f"{without}, all raters of an item agree on {_on_each(shares)} of the items."
    if agree.value is None:
        left = agreeing(whole.raters, "one rater is left", f"{whole.raters} raters are left")
        rest = f"; {passing}" if passing else ""
        return f"{without}, {left}, and agreement cannot be computed{rest}."
    if passing and whole.undecided:
        passing += f"; on {counted(whole.undecided, 'item')} their labels tie, which is not passed"
    compared = _compared_with(whole, every, digits)
    return f"{without}, {passing}. {capitalised(compared)}." if passing else f"{without}, {compared}."


def _compared_with(whole: AgreementResult, every: AgreementResult, digits: int) -> str:
    """How often pairs of raters agree, beside all raters: all raters agree more often where they are few."""
    pairs, of_every = (result.of(result.like(_PAIRS)) for result in (whole, every))
    values = [
        f"{KNOWN[key].title} is {short_number(here.value, digits)} ({short_number(there.value, digits)})"
        for key in (whole.like(_AC1), whole.like(_KAPPA))
        if (here := whole.of(key)).value is not None and (there := every.of(key)).value is not None
    ]
    if pairs.value is None or of_every.value is None:
        return f"all raters of an item then agree on {_percent(whole.of(_AGREE))} of the items"
    shares = f"two raters then agree on {_percent(pairs)} of the items (all raters: {_percent(of_every)})"
    return enumerated([shares, *values])


def _limits(statistics: ReportStatistics, rows: Sequence[AgreementResult]) -> Iterator[str]:
    """The limits, with how wide the intervals of these rows are."""
    yield from interval_widths(rows, statistics.by, stopped=bool(statistics.bundle.stoppable))
    if any(_agree_of(row).too_few for row in rows):
        yield "Some rows rest on fewer than 10 cases and have no interval."
    yield from _open_items(statistics)
    yield from _open_remarks(statistics)
    yield _sampled(statistics)
    yield from _not_done(statistics)


def _agree_of(result: AgreementResult) -> Estimate:
    return result.of(_AGREE)


def _majority_of(result: AgreementResult) -> Estimate:
    return result.majority


def _open_items(statistics: ReportStatistics) -> Iterator[str]:
    """What raters disagree about, how much of it was decided, and what stays open."""
    compared = [final for final in statistics.finals if final.question.answer_kind.is_compared]
    disputed = sum(final.item_votes.disputed for final in compared)
    decided = sum(final.adjudicated is not None for final in compared if final.item_votes.disputed)
    if disputed:
        items = counted(len(compared), "item")
        which = {0: "none of them", disputed: "all of them" if disputed > 1 else "it"}
        was = "were" if decided > 1 else "was"
        yield (
            f"Raters disagree on {disputed:,} of {items}; {which.get(decided, f'{decided:,} of them')} {was} "
            "adjudicated."
        )
    if undecided := statistics.results[-1].undecided:
        have = agreeing(undecided, "has", "have")
        yield f"{counted(undecided, 'item')} {have} no majority label{_not_passed(statistics, undecided)}."


def _open_remarks(statistics: ReportStatistics) -> Iterator[str]:
    """How many comments and flags of raters wait for an answer of the lead."""
    if waiting := sum(remark.answer is None for remark in statistics.remarks):
        every = len(statistics.remarks)
        many = f"{waiting:,} of {every:,}" if waiting < every else f"{every:,}"
        yield (
            f"{many} {agreeing(every, 'comment or flag', 'comments and flags')} of raters "
            f"{agreeing(waiting, 'has', 'have')} no answer from the study's lead; the appendices list them."
        )


def _not_passed(statistics: ReportStatistics, undecided: int) -> str:
    """What becomes of items without a majority label: they pass nothing where a label counts as a pass."""
    passable = [bool(question.passing) for question in statistics.bundle.questions if question.labels]
    if not any(passable):
        return ""
    where = "" if all(passable) else " where a label counts as a pass"
    return f" and {agreeing(undecided, 'counts', 'count')} as not passed{where}"


def _sampled(statistics: ReportStatistics) -> str:
    design = statistics.bundle.design
    cases = counted(len(statistics.bundle.counted), "case")
    if statistics.bundle.parts:
        return f"The {cases} are those of the pooled studies; the report of each says how they were chosen."
    if design.draw_hidden:
        return f"How the {cases} were chosen is shown when the study is closed."
    if answers := design.answers:
        return (
            f"The {cases} are answers that were drawn at random from "
            f"{counted(answers.outcomes, 'outcome')} of run “{answers.run}”: {answers.meaning}. Shares of "
            "the run are weighted to describe all of these; the other numbers describe the sample."
        )
    if strata := weighted_strata(statistics.bundle):
        held = sum(stratum.size for stratum in strata)
        return f"The {cases} were drawn at random from {held:,}, {chances_in_words(strata)}."
    if design.picked:
        return f"The {cases} were picked for a reason. The results do not describe the whole dataset."
    if design.listed:
        return f"The {cases} are those of a list. The results do not describe other cases."
    held = sum(free for groups in design.population.values() for _, free in groups.values())
    if design.per_group is None and design.total is None:
        return f"All cases that could be drawn are in the sample ({cases})."
    return f"The {cases} were drawn at random{f' from {held:,}' if held else ''}."


def chances_in_words(strata: Sequence[FrozenStratum]) -> str:
    """With which probabilities cases of these strata were drawn."""
    chances = sorted({stratum.probability for stratum in strata})
    low, high = short_number(chances[0], 3), short_number(chances[-1], 3)
    if chances[1:] and low != high:
        return f"each with a probability from {low} to {high}"
    return f"each with a probability of {'about ' if chances[1:] else ''}{low}"


def _not_done(statistics: ReportStatistics) -> Iterator[str]:
    """What would have made the results surer, in one sentence each."""
    raters = statistics.raters
    if raters and all(rater.again.agreement.reason == NO_REPEATS for rater in raters):
        yield (
            "No rater saw a case twice, so it is not known how often raters would give the same answer again."
        )
        if not _known_answers(statistics):
            yield "No case had a known answer by which raters could be checked."
    for part in statistics.bundle.parts or (statistics.bundle,):
        described = {description.topic for description in part.descriptions if description.text}
        of_study = f" of study “{part.study.name}”" if statistics.bundle.parts else ""
        if missing := [topic for topic in TOPICS if topic not in described]:
            yield f"The lead{of_study} did not describe the {enumerated(missing)} of the raters."


def _known_answers(statistics: ReportStatistics) -> bool:
    """Whether a case had a known answer, in one of the pooled studies too."""
    return bool(statistics.known) or any(part.known for part in statistics.bundle.parts)


def _percent(estimate: Estimate) -> str:
    return percent(estimate.value or 0.0)


def _with_ends(estimate: Estimate) -> str:
    """A share with its interval."""
    ends, share = estimate.shown_interval, _percent(estimate)
    if ends is None:
        return share
    if ends.low == ends.high:
        return f"{share} (the same in every resample, so there is no interval)"
    return f"{share} ({percent(ends.low)} to {percent(ends.high)})"


def _ends(estimate: Estimate, digits: int) -> str:
    if not (ends := estimate.shown_interval):
        return ""
    return f" ({short_number(ends.low, digits)} to {short_number(ends.high, digits)})"
