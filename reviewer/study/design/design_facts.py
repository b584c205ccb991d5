"""A study's whole design in words: how it was drawn, who rates, what raters see, and how often."""

from collections.abc import Iterator, Mapping

from reviewer.core.number_text import percent
from reviewer.core.question import Question
from reviewer.core.sanitize import counted
from reviewer.study.design.rater_panels import shared_cases
from reviewer.study.design.study_bundle import BLIND, StudyBundle
from reviewer.study.design.study_design import Asking, Reveal, StudyDesign
from store.records import View

_VIEWS: Mapping[View, str] = {"full": "before the answer, too", "paper": "only after the answer"}
"""When raters see the panes beside those that a question is about."""
_ASKING: Mapping[Asking, str] = {
    "question": "one question about all cases, then the next question",
    "case": "all questions about one case, then the next case",
}
_REVEALS: Mapping[Reveal, str] = {
    "none": "never shown",
    "back": "shown when raters return to an answered case and ask for them",
    "findings": "shown right after answering, before a second verdict",
}


def design_facts(bundle: StudyBundle) -> list[tuple[str, str]]:
    """The name and the value of each part of the design, in the order in which people read them."""
    return [*_people(bundle), *_sample(bundle), *_asked(bundle)]


def _people(bundle: StudyBundle) -> Iterator[tuple[str, str]]:
    yield "study", f"{bundle.study.name}, made {bundle.study.created_at}"
    yield "protocol", bundle.protocol.title
    yield "lead", ", ".join(bundle.leads) or "not recorded"
    names = ", ".join(person.rater for person in bundle.raters)
    if bundle.design.raters_declared:
        yield "raters", f"{names} (nobody else)"
    else:
        yield "raters", f"{names}; anybody may join" if names else "anybody may join"
    if bundle.design.panels:
        yield "raters per case", panels_in_words(bundle.design)
    if bundle.adjudicators:
        yield "adjudicators", ", ".join(person.rater for person in bundle.adjudicators)


def _sample(bundle: StudyBundle) -> Iterator[tuple[str, str]]:
    design = bundle.design
    yield (
        "sample",
        f"{counted(len(bundle.counted), 'case')} from {', '.join(design.datasets)}: {drawn_words(design)}",
    )
    yield "seed", str(bundle.study.seed)
    for dataset, groups in design.lacking.items():
        yield "no case of", f"{', '.join(groups)} (dataset {dataset})"
    for dataset, number in design.withdrawn.items():
        yield "withdrawn", f"{counted(number, 'case')} (dataset {dataset})"
    if design.before:
        yield "shown beside", f"the content before its repair, for {counted(len(design.before), 'case')}"
    yield "shown twice", counted(len(design.repeated), "case") if design.repeated else "no case"
    mark = design.training_pass
    passing = f"; pass mark {percent(mark, None)}" if mark is not None else ""
    yield "training", counted(design.training, "case") + passing if design.training else "none"
    yield "gold", counted(design.gold, "case") if design.gold else "none"


def panels_in_words(design: StudyDesign) -> str:
    """How many of the raters see each case, and how many cases two of them share."""
    raters = len({rater for panel in design.panels.values() for rater in panel})
    fewest, most = shared_cases(design.panels)
    some = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    shared = f"; any two raters share {some} cases" if design.raters_per_case != 1 else ""
    return f"{design.raters_per_case:,} of {raters:,}, balanced at random by the seed{shared}"


def drawn_words(design: StudyDesign) -> str:
    """Which cases a study drew."""
    if design.listed:
        return "exactly the cases of a list"
    some = "all"
    if design.per_group is not None:
        some = f"{design.per_group:,} of each group of each dataset"
    elif design.total is not None:
        some = f"{design.total:,} in all, spread evenly over the groups of each dataset"
    picked = ", among cases with a finding" if design.picked else ""
    if design.revised_since:
        picked = f", among cases that were repaired since {design.revised_since}"
    if design.others:
        picked += f"; and {counted(design.others, 'other case')}, spread evenly over the groups"
    seeds = ", hand-written cases too" if design.include_seeds else ""
    return some + picked + seeds


def _asked(bundle: StudyBundle) -> Iterator[tuple[str, str]]:
    design = bundle.design
    yield "asked", _ASKING[design.asking]
    beside = dict.fromkeys(key.replace("_", " ") for question in bundle.questions for key in question.beside)
    panes = (
        f"{', '.join(beside)} {_VIEWS[bundle.study.view]}" if beside else "only what the questions are about"
    )
    yield "view", f"{bundle.study.view}: {panes}"
    yield "findings", _REVEALS[design.reveal]
    yield "sides", "exchanged at random, where a question allows it" if design.swap else "never exchanged"
    for question in bundle.questions:
        cases = counted(len(bundle.slots(question, BLIND)), "case")
        yield f"question {question.key}", f"{question.title} ({cases}; {_answered_by(bundle, question)})"
    yield "verdicts", f"{design.slots_in_words.partition(' verdict')[0]} of each rater"


def _answered_by(bundle: StudyBundle, question: Question) -> str:
    if question.kind == "text":
        return "free text"
    any_of = "any of " if question.kind == "labels" else ""
    order = "; in this order" if question.ordinal else ""
    passing = f"; passing: {bundle.protocol.passing_words(question)}" if question.passing else ""
    return f"{any_of}{', '.join(question.labels)}{order}{passing}"
