"""The first part of a report: what was asked, of which cases, by whom, and when."""

from collections import Counter
from collections.abc import Sequence

from reviewer.core.table import Cell, Table
from reviewer.report.document import Block, Facts, Numbers, Paragraph, Quote, Section
from reviewer.study.bundle import StudyBundle
from reviewer.study.closing import late_in_words, raters_events
from reviewer.study.design import StudyDesign
from reviewer.study.labels import LabelRow
from reviewer.study.profiles import profile_summary
from reviewer.study.quarantine import left_out_in_words
from store.records import Event

_VIEWS = {
    "full": "programs and proof stood beside the texts while raters answered",
    "paper": "raters saw only what was asked about until they had answered",
}
_ORDERS = {
    "question": "question by question, the cases in a random order of each rater's own",
    "case": "case by case in a random order of each rater's own, all questions about a case together",
}
_REVEALS = {
    "none": "nothing after an answer",
    "back": "what an answer reveals, to whoever goes back to the case; answers after that are kept apart",
    "findings": "what an answer reveals, at once; then a second verdict, kept apart",
}


def design_blocks(bundle: StudyBundle, rows: Sequence[LabelRow], events: Sequence[Event]) -> list[Block]:
    """Facts, the sample by generator and group, and the questions word for word."""
    return [
        Section("Study design"),
        Facts(_facts(bundle, rows, events)),
        _sample(bundle),
        Section("Questions", 2),
        Paragraph(
            "Each question as raters read it, with its guideline; words in braces are filled in for each "
            "case."
        ),
        *_questions(bundle),
    ]


def _facts(
    bundle: StudyBundle, rows: Sequence[LabelRow], events: Sequence[Event]
) -> tuple[tuple[str, str], ...]:
    study, given = bundle.study, raters_events(bundle, events)
    raters = sorted({row.rater for row in rows})
    drawn = study.design.get("per_group")
    each = "all cases" if drawn is None else f"{drawn} cases of each group of each dataset, at random"
    if bundle.design.picked:
        each += ", among cases that were picked for a reason"
    facts = [
        ("Protocol", bundle.protocol.title),
        ("Sample", f"{len(bundle.counted)} cases from {', '.join(study.design['datasets'])}: {each}"),
        ("Seed", str(study.seed)),
        ("View", f"{study.view}: {_VIEWS[study.view]}"),
        ("Order", _ORDERS[bundle.design.asking]),
        *_asking(bundle.design),
        ("Raters", f"{len(raters)}: {', '.join(raters)}"),
        ("Raters' background", profile_summary([each for each in bundle.raters if each.rater in raters])),
        ("Drawn", _day(study.created_at)),
        ("Answered", f"{_day(given[0].at)} to {_day(max(e.at for e in given))}" if given else ""),
        ("Closed", _day(study.closed_at) if study.closed_at else "not closed"),
    ]
    if stale := sum(row.stale for row in rows):
        facts.append(("Stale", f"{stale} verdicts, given on content or wording that has changed since"))
    facts += [("Late", sentence) for sentence in late_in_words(bundle, events)]
    facts += [("Left out", sentence) for sentence in left_out_in_words(bundle)]
    return tuple((name, value) for name, value in facts if value)


def _asking(design: StudyDesign) -> list[tuple[str, str]]:
    """What else raters met, where they met it."""
    twice = f"{len(design.repeated)} cases, the same for every rater, half of the cases or more apart"
    sides = "exchanged at random by rater and case where the question allows it"
    training = f"{design.training} cases with feedback before the study; never counted"
    gold = f"{design.gold} cases with known answers among the others; never counted"
    return [
        ("Revealed", _REVEALS[design.reveal]),
        ("Sides", sides if design.swap else ""),
        ("Shown twice", twice if design.repeated else ""),
        ("Training", training if design.training else ""),
        ("Gold", gold if design.gold else ""),
    ]


def _day(instant: str) -> str:
    return instant[:10]


def _sample(bundle: StudyBundle) -> Numbers:
    counts = Counter((place.group, place.generator) for place in bundle.counted)
    groups = list(dict.fromkeys(place.group for place in bundle.counted))
    generators = list(dict.fromkeys(place.generator for place in bundle.counted))
    rows: list[list[Cell]] = []
    for group in groups:
        cells = [counts[group, generator] for generator in generators]
        rows.append([group, *cells, sum(cells)])
    sums = [sum(counts[group, generator] for group in groups) for generator in generators]
    rows.append(["all", *sums, sum(sums)])
    table = Table.of(("group", *generators, "all"), rows)
    return Numbers("sample", "Cases by group and generator", table, loud=(*[False] * len(groups), True))


def _questions(bundle: StudyBundle) -> list[Block]:
    return [
        Quote(
            f"{question.title}: {len(bundle.slots(question))} cases, answered by "
            f"{' or '.join(question.labels)}",
            f"{question.prompt}\n{question.guideline}",
        )
        for question in bundle.questions
    ]
