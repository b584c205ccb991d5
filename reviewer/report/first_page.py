"""The first page of a study's report: the result, what weakens it, and what was not done."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from reviewer.core.estimate import Estimate, Interval
from reviewer.core.number_text import fixed, interval_text, percent, short_number, width_in_points
from reviewer.core.number_text import whole as whole_number
from reviewer.core.question import families
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.protocols.intake import HAND_WRITTEN
from reviewer.report.agreement_text import majority_in_words
from reviewer.report.document import Block, Box, Paragraph, Picture, numbers
from reviewer.report.recompute_text import provenance
from reviewer.report.report_statistics import ReportStatistics
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN, NO_UNANIMITY, first_coefficients
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel, final_pass_rate
from reviewer.results.labels.rater_results import NO_REPEATS
from reviewer.results.labels.rater_warnings import Haste, RaterWarning
from reviewer.results.tables.agreement_tables import headline_spec, with_numbers
from reviewer.study.design.design_facts import TOPICS
from reviewer.study.design.inclusion import weighted_strata
from reviewer.study.design.study_design import FrozenStratum

_AGREE, _KAPPA, _AC1 = "po_all_agree", "fleiss_kappa", "gwet_ac1"
_MOST_COEFFICIENTS = 2
"""Beside the share on which all raters agree; the section on agreement has all of them."""
_FAR_APART = 0.2
"""Kappa this far below AC1 is explained."""
_OF_FINALS: Mapping[str, Callable[[FinalLabel], str]] = {
    "question": lambda final: final.question.title,
    "generator": lambda final: final.place.generator,
    "group": lambda final: final.place.group,
    "dataset": lambda final: final.place.dataset,
}
"""What rows of the main table may be divided by, to have final labels."""
_DID = {
    "gold": "matched too few known answers",
    "training": "did not pass the training",
}


def first_page(statistics: ReportStatistics, figure: Picture) -> list[Block]:
    """One paragraph, the main table, the figure, a box with limits, and the command that computes it."""
    results, by, digits = statistics.results, statistics.look.by, statistics.look.digits
    rows = _main_rows(statistics)
    keys = _headline_keys(results, first_coefficients(statistics.bundle))
    spec = headline_spec(by, keys, rows, _final_rates(statistics))
    table = numbers("main", "The main results", spec, rows, digits, loud=[row.kind != "cell" for row in rows])
    text, command = provenance(statistics.bundle, statistics.events, statistics.method, statistics.look)
    return [
        Paragraph(" ".join(_result(statistics))),
        table,
        Paragraph(" ".join(_meanings(statistics))),
        figure,
        Box("How sure, and what was not done", tuple(_limits(statistics))),
        Paragraph(text, (command,)),
    ]


def _main_rows(statistics: ReportStatistics) -> list[AgreementResult]:
    """Each row of the sample, and the dataset as a whole; the section on agreement has its other rows."""
    rows = with_numbers((*statistics.results, *statistics.weighted[-1:]))
    return [row for row in rows if row.kind != "mean of cells"]


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
        return final_pass_rate(own, statistics.method.level)

    return rate


def _is_adjudicated(statistics: ReportStatistics) -> bool:
    """Whether somebody decided an item, so that final labels say more than the majority of the raters."""
    return any(final.adjudicated is not None for final in statistics.finals)


def _meanings(statistics: ReportStatistics) -> Iterator[str]:
    """What a case is, who generators are, and when an item passes by majority."""
    bundle = statistics.bundle
    yield bundle.protocol.about or f"A case is one item of {bundle.protocol.title}."
    if "generator" in statistics.look.by:
        drawn = {place.generator for place in bundle.counted}
        people = ", or hand-written where people wrote it" if HAND_WRITTEN in drawn else ""
        yield f"The generator of a case is the model that wrote it{people}."
    if statistics.results[-1].majority.value is not None:
        yield majority_in_words(bundle)


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
    whole, digits = statistics.results[-1], statistics.look.digits
    raters, cases = counted(whole.raters, "rater"), counted(whole.cases, "case")
    questions = counted(len(families(statistics.bundle.questions)), "question")
    noun = "label of a fixed vote" if statistics.bundle.design.third else "label"
    plural = "labels of fixed votes" if statistics.bundle.design.third else "labels"
    number = whole.ratings + whole.missing
    owed = f"{number:,} {agreeing(number, noun, plural)}"
    labels = f"{whole.ratings:,} of the {owed} that they owe" if whole.missing else owed
    yield (
        f"{raters} judged {cases} on {questions}: {counted(whole.items, 'item')}, {labels}. An item is one "
        "question on one case."
    )
    yield from _doubts(statistics)
    yield from _agreement(whole, digits, fixed=bool(statistics.bundle.design.third))
    yield from _by_question(whole, statistics.questions)
    yield from _finally_passing(statistics)
    yield from _passing(whole)
    if stopped := statistics.bundle.stoppable:
        pooled = bool(statistics.bundle.parts)
        which = f"a pooled study ({enumerated(stopped)})" if pooled else "the study"
        where = "report of that study" if pooled else "section on pass rates"
        yield (
            f"The interval of the pass rate by majority is not valid: {which} was stopped by looking, or "
            f"could have been. The {where} has the one that is valid."
        )
    yield from _of_dataset(statistics)
    if statistics.without_doubted and statistics.without_doubted[-1].raters:
        doubted = sorted({warning.rater for warning in statistics.warnings if warning.doubts_care})
        yield _without(doubted, statistics.without_doubted, statistics.look.digits)


def _of_dataset(statistics: ReportStatistics) -> Iterator[str]:
    """The weighted pass rate, which is to be cited where it has an interval and no rater is in doubt."""
    if statistics.weighted and (weighted := statistics.weighted[-1].majority).value is not None:
        held = sum(stratum.size for stratum in weighted_strata(statistics.bundle))
        sure = weighted.shown_interval and not statistics.without_doubted
        cite = ": cite it when you write about the dataset" if sure else ""
        yield (
            f"These rates describe the drawn cases. For all {held:,} cases that could be drawn, the weighted "
            f"pass rate by majority is {_with_ends(weighted)}{cite}."
        )


def _agreement(whole: AgreementResult, digits: int, *, fixed: bool = False) -> Iterator[str]:
    agree = whole.of(_AGREE)
    if agree.value is None:
        return
    of = "items" if agree.n == whole.items else "items with two or more labels"
    who = "The two fixed votes" if fixed else "All raters of an item"
    yield f"{who} agree on {_with_ends(agree, named=True)} of the {of}."
    named = {KNOWN[key].title: whole.of(key) for key in (whole.like(_AC1), whole.like(_KAPPA))}
    corrected = {
        name: f"{name} is {short_number(estimate.value, digits)}{_ends(estimate, digits)}"
        for name, estimate in named.items()
        if estimate.value is not None
    }
    if corrected:
        below = _below_chance({name: named[name] for name in corrected})
        why = " (the box below says why the two differ)" if below and [*_coefficients_apart(whole)] else ""
        yield f"Corrected for chance, {' and '.join(corrected.values())}{below}{why}."


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


def _coefficients_apart(whole: AgreementResult) -> Iterator[str]:
    """Why kappa and AC1 differ much, where one kind of label is frequent."""
    keys = whole.like(_AC1), whole.like(_KAPPA)
    ac1, kappa = map(whole.of, keys)
    share = whole.passing_share.value
    if None in (ac1.value, kappa.value, ac1.expected, kappa.expected, share):
        return
    if (ac1.value or 0.0) - (kappa.value or 0.0) < _FAR_APART or (kappa.expected or 0.0) < (
        ac1.expected or 0.0
    ):
        return
    only = "only " if (share or 0.0) < 1 / 2 else ""
    names = [KNOWN[key].title for key in reversed(keys)]
    yield (
        f"{names[0]} and {names[1]} differ because {only}{percent(share or 0.0)} of all labels are ones with "
        f"which an item passes. With such uneven labels, {names[0]} expects {percent(kappa.expected or 0.0)} "
        f"agreement by chance, and {names[1]} {percent(ac1.expected or 0.0)}."
    )


def _finally_passing(statistics: ReportStatistics) -> Iterator[str]:
    """The pass rate by final labels, where somebody adjudicated."""
    if not _is_adjudicated(statistics):
        return
    rate = final_pass_rate(statistics.finals, statistics.method.level)
    if rate.value is None:
        return
    decided = [final for final in statistics.finals if final.adjudicated is not None]
    compared = sum(bool(final.question.passing) for final in statistics.finals)
    of = "of the items" if rate.n == compared else f"of the {counted(rate.n, 'item')} that have one"
    yield (
        f"By final labels, {_with_ends(rate)} {of} pass: {counted(len(decided), 'item')} "
        f"{agreeing(len(decided), 'was', 'were')} adjudicated, and on the others the raters' labels decide."
    )


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


def _by_question(whole: AgreementResult, questions: Sequence[AgreementResult]) -> Iterator[str]:
    """On which questions raters agree least and most; every question where no number is for all of them."""
    if whole.of(_AGREE).value is not None:
        yield from _lowest(_shares(questions, _agree_of))
        return
    if agree := _shares(questions, _agree_of):
        yield f"All raters of an item agree on {_on_each(agree)} of the items."
    if whole.majority.value is None and (rates := _shares(questions, _majority_of)):
        yield f"By majority of the raters' labels, {_on_each(rates)} of the items pass."


def _shares(
    questions: Sequence[AgreementResult], of: Callable[[AgreementResult], Estimate]
) -> dict[str, Estimate]:
    """A share of each question that has one, by title."""
    cells = (result for result in questions if result.kind == "cell")
    return {result.where["question"]: share for result in cells if (share := of(result)).value is not None}


def _on_each(shares: Mapping[str, Estimate]) -> str:
    """Shares by question, such as "42% (right result) and 21% (same result)"."""
    return enumerated([f"{_percent(share)} ({name})" for name, share in shares.items()])


def _lowest(shares: Mapping[str, Estimate]) -> Iterator[str]:
    """On which questions raters agree least and most: all of them where several agree as often."""
    by_share: dict[float, list[str]] = {}
    for name, share in shares.items():
        by_share.setdefault(share.value or 0.0, []).append(name)
    if len(by_share) > 1:
        low, high = (_question_share(by_share[end], shares) for end in (min(by_share), max(by_share)))
        yield f"Raters agree least often on {low}, most often on {high}."


def _question_share(names: Sequence[str], shares: Mapping[str, Estimate]) -> str:
    """The questions with one share, such as "axioms and bias presence (67% each)"."""
    each = " each" if len(names) > 1 else ""
    return f"{enumerated(names)} ({_percent(shares[names[0]])}{each})"


def _doubts(statistics: ReportStatistics) -> Iterator[str]:
    """Which raters' labels are in doubt; results without them come last."""
    kinds: dict[str, list[RaterWarning]] = {}
    for warning in statistics.warnings:
        if warning.doubts_care:
            kinds.setdefault(warning.kind, []).append(warning)
    raters = statistics.results[-1].raters
    for kind, warnings in kinds.items():
        hastes = [warning.haste for warning in warnings if warning.haste]
        did = hastes_in_words(hastes) if hastes else _DID[kind]
        yield f"Warning: {_who(warnings, raters)} {did}."
    if statistics.without_doubted and not statistics.without_doubted[-1].raters:
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
    return (
        f"answered {cases} faster than people read (median {medians} seconds {hastes[0].of}; a fast "
        f"reader needs about {needed})"
    )


def _from_to(ordered: Sequence[str]) -> str:
    """The first and the last of some numbers, or the only one."""
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _without(doubted: Sequence[str], results: Sequence[AgreementResult], digits: int) -> str:
    """The result without the raters in doubt, besides whom there are others."""
    whole, without = results[-1], f"Without the labels of {enumerated(doubted)}"
    passing = "" if whole.majority.value is None else f"{_percent(whole.majority)} of the items pass"
    agree, ac1 = whole.of(_AGREE), whole.of(whole.like(_AC1))
    if agree.value is None and (shares := _shares(results, _agree_of)):
        return f"{without}, all raters of an item agree on {_on_each(shares)} of the items."
    if agree.value is None:
        left = agreeing(whole.raters, "one rater is left", f"{whole.raters} raters are left")
        rest = f"; {passing}" if passing else ""
        return f"{without}, {left}, and agreement cannot be computed{rest}."
    ties = " (ties do not pass)" if whole.raters % 2 == 0 else ""
    corrected = "" if ac1.value is None else f" (AC1 {short_number(ac1.value, digits)})"
    return (
        f"{without}, all raters of an item agree on {_percent(agree)} of the items"
        f"{corrected}{', and ' + passing + ' by majority' + ties if passing else ''}."
    )


def _limits(statistics: ReportStatistics) -> Iterator[str]:
    yield from _exactness(statistics)
    yield from _coefficients_apart(statistics.results[-1])
    yield from _of_kappa(statistics.questions, statistics.look.digits)
    yield from _open_items(statistics)
    yield from _open_remarks(statistics)
    yield _sampled(statistics)
    yield from _not_done(statistics)


def _exactness(statistics: ReportStatistics) -> Iterator[str]:
    """How wide the intervals are over all items and in the least exact row of the main table.

    Intervals of shares are seldom symmetric, so half a width would promise too little at one end.
    """
    whole = statistics.results[-1]
    rows = _main_rows(statistics)
    exact: dict[str, Callable[[AgreementResult], Estimate]] = {
        "the share on which all raters agree": _agree_of,
        "the pass rate by majority": _majority_of,
    }
    if statistics.bundle.stoppable:  # no such interval of a pass rate is valid
        del exact["the pass rate by majority"]
    for name, of in exact.items():
        shown = [interval for row in rows if (interval := of(row).shown_interval)]
        ends = of(whole).shown_interval
        if ends is None or not ends.width:
            continue
        widest = f", and at most {max(map(_width, shown))} in a row of the main table"
        yield (
            f"The {percent(ends.level, None)} interval of {name} is {_width(ends)} percentage points wide "
            f"over all items{widest if rows[2:] else ''}."
        )
    if any(_agree_of(row).too_few for row in rows):
        yield "Some rows rest on fewer than 10 cases and have no interval."


def _width(interval: Interval) -> int:
    return width_in_points(interval.low, interval.high)


def _agree_of(result: AgreementResult) -> Estimate:
    return result.of(_AGREE)


def _majority_of(result: AgreementResult) -> Estimate:
    return result.majority


def _of_kappa(questions: Sequence[AgreementResult], digits: int) -> Iterator[str]:
    """On which questions kappa misleads, since one label is frequent; apart by the name of AC1 there."""
    skewed: dict[str, list[str]] = {}
    for result in questions:
        if result.kind == "cell" and (skew := result.skew) and skew.raters_agree:
            name = "AC2" if skew.weights else "AC1"
            numbers_of = (
                f"pairwise agreement {percent(skew.agreement)}, kappa "
                f"{short_number(skew.kappa, digits)}, {name} {short_number(skew.ac1, digits)}"
            )
            skewed.setdefault(name, []).append(f"{result.where['question']} ({numbers_of})")
    for name, titles in skewed.items():
        yield (
            f"On {enumerated(titles)}, most labels are the same. This lowers kappa, also where pairwise "
            f"agreement is high; {name} is less affected."
        )


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
            f"{agreeing(waiting, 'waits', 'wait')} for an answer of the lead; the appendices list them."
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
            f"{counted(answers.outcomes, 'outcome')} of run {answers.run}: {answers.meaning}. Shares of the "
            "run are weighted to describe all of these; the other numbers describe the sample."
        )
    if strata := weighted_strata(statistics.bundle):
        held = sum(stratum.size for stratum in strata)
        return (
            f"The {cases} were drawn at random from {held:,}, {chances_in_words(strata)}. Weighted rows "
            "describe all of these; other rows describe the sample."
        )
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
        known = "" if _known_answers(statistics) else ", and no case had a known answer"
        yield (
            "No rater saw a case twice, so it is not known how often a rater would give the same answer "
            f"again{known}."
        )
    for part in statistics.bundle.parts or (statistics.bundle,):
        described = {description.topic for description in part.descriptions if description.text}
        of_study = f" of study {part.study.name}" if statistics.bundle.parts else ""
        if missing := [topic for topic in TOPICS if topic not in described]:
            yield f"The lead{of_study} did not describe: {', '.join(missing)}."


def _known_answers(statistics: ReportStatistics) -> bool:
    """Whether a case had a known answer, in one of the pooled studies too."""
    return bool(statistics.known) or any(part.known for part in statistics.bundle.parts)


def _percent(estimate: Estimate) -> str:
    return percent(estimate.value or 0.0)


def _with_ends(estimate: Estimate, *, named: bool = False) -> str:
    """A share with its interval, which is ``named`` where a reader meets the first one."""
    ends, share = estimate.shown_interval, _percent(estimate)
    if ends is None:
        return share
    if ends.low == ends.high:
        return f"{share} (the same in every resample, so there is no interval)"
    name = f"{percent(ends.level, None)} interval: " if named else ""
    return f"{share} ({name}{percent(ends.low)} to {percent(ends.high)})"


def _ends(estimate: Estimate, digits: int) -> str:
    return f" [{interval_text(estimate, digits)}]" if estimate.shown_interval else ""
