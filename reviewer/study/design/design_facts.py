"""A study's whole design in words: how it was drawn, who rates, what raters see, and how often."""

from collections.abc import Iterator, Mapping
from typing import get_args

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.number_text import percent, short_number
from reviewer.core.question import Question
from reviewer.core.sanitize import agreeing, counted, enumerated, is_blank, strange_character
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.rater_panels import shared_cases
from reviewer.study.design.strata import in_words
from reviewer.study.design.study_bundle import BLIND, StudyBundle, load_frame
from reviewer.study.design.study_design import AnswerSource, Asking, Draw, Reveal, StudyDesign
from reviewer.study.session.verdicts import CONFIDENCES
from store.clock import instant, now_ms
from store.database import Database
from store.descriptions import describe
from store.records import DescriptionTopic, StudyDescription, View

TOPICS: tuple[DescriptionTopic, ...] = get_args(DescriptionTopic)
MOST_CHARACTERS = 4000


def describe_study(
    database: Database, name: str, who: str, texts: Mapping[DescriptionTopic, str]
) -> tuple[StudyDescription, ...]:
    """Save the lead's texts on these topics; returns the texts on all topics. Raises RequestError."""
    load_frame(database, name)
    checked_name("lead", who)
    at = instant(now_ms())
    said = [
        StudyDescription(study=name, topic=topic, text=checked_text(topic, text), who=who, at=at)
        for topic, text in texts.items()
    ]
    describe(database, said)
    return load_frame(database, name).descriptions


def checked_text(topic: str, text: str) -> str:
    """A text on a topic as it is kept; raises RequestError."""
    if strange := strange_character(text):
        raise RequestError(f"the text on {topic} holds {strange}, which cannot be kept; take it out.")
    if is_blank(text):
        raise RequestError(f"the text on {topic} is empty; write a sentence, or leave --{topic} out.")
    if len(text) > MOST_CHARACTERS:
        raise RequestError(
            f"the text on {topic} has {len(text):,} characters; shorten it to at most {MOST_CHARACTERS:,}."
        )
    return text.strip()


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
    yield "drawn of each stratum", inclusion_of(bundle).in_words()
    yield "seed", str(bundle.study.seed)
    if design.stop is not None:
        yield "may be stopped", f"when it may be claimed that {stop_in_words(bundle)}"
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
    gold = f"{counted(design.gold, 'case')}; pass mark {percent(design.gold_pass, None)}"
    yield "gold", gold if design.gold else "none"


def stop_in_words(bundle: StudyBundle) -> str:
    """The claim of a study's stop rule."""
    rule = bundle.design.stop
    if rule is None:
        return ""
    of = [q.title for q in bundle.questions if q.key in rule.sizes]
    return f"more than {percent(rule.above, None)} of all cases pass on {enumerated(of)}"


def invalid_rates_in_words(bundle: StudyBundle) -> list[str]:
    """That intervals of pass rates are not valid, of a study with a stop rule or pooled with such ones."""
    if not (stopped := bundle.stoppable):
        return []
    studies = f"{agreeing(len(stopped), 'study', 'studies')} {enumerated(stopped)}"
    was = agreeing(len(stopped), "was", "were")
    return [
        f"The intervals of these pass rates are not valid: {studies} {was} stopped by looking, or could have "
        "been. `reviewer report` has the interval that is valid"
        + (" for each study." if bundle.parts else ".")
    ]


def panels_in_words(design: StudyDesign) -> str:
    """How many of the raters see each case, and how many cases two of them share."""
    raters = len({rater for panel in design.panels.values() for rater in panel})
    fewest, most = shared_cases(design.panels)
    some = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    shared = f"; any two raters share {some} cases" if design.raters_per_case != 1 else ""
    third = "; a third votes where these differ, on a list of which at least half is undisputed"
    return (
        f"{design.raters_per_case:,} of {raters:,}, balanced at random by the seed{shared}"
        f"{third if design.third else ''}"
    )


def drawn_words(design: StudyDesign) -> str:
    """Which cases a study drew."""
    if design.draw_hidden:
        return "chosen as the study's lead can see"
    if design.listed:
        return "exactly the cases of a list"
    if design.answers:
        return answers_in_words(design, design.answers)
    some = "all"
    if design.draw and design.draw.by:
        some = (
            f"{design.total:,} in all, from strata by {in_words(design.draw.by)}, {_allocated(design.draw)}"
        )
    elif design.per_group is not None:
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


def answers_in_words(design: StudyDesign, source: AnswerSource) -> str:
    """How answers of a run were drawn, and from which part of them."""
    some = "all"
    if design.per_group is not None:
        some = f"{design.per_group:,} of each model and group"
    elif design.total is not None:
        some = f"{design.total:,} in all, spread evenly over models and groups"
    return (
        f"{some}, at random, at most {source.per_case:,} of each case of run {source.run}; drawn from "
        f"{counted(source.answers, 'different answer')} in {counted(source.outcomes, 'outcome')} "
        f"({source.meaning})"
    )


def _allocated(draw: Draw) -> str:
    """How a total was allocated to strata."""
    if draw.allocation != "neyman":
        return f"{draw.allocation} allocation"
    names = dict.fromkeys(stratum.name for stratum in draw.strata)
    rates = ", ".join(f"{name} {short_number(draw.guesses[name])}" for name in names)
    source = f", from study {draw.guessed_from}" if draw.guessed_from else ""
    return f"Neyman's allocation for guessed pass rates ({rates}{source})"


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
    if design.confidence:
        yield "confidence", f"raters may say after an answer: {', '.join(CONFIDENCES)}"
    for question in bundle.questions:
        asked = f"{_cases_asked(bundle, question)}; {_answered_by(bundle, question)}"
        yield f"question {question.key}", f"{question.title} ({asked})"
    if any(question.lettered for question in bundle.questions):
        yield "outputs", "an own order for each rater and case, under letters until the answer is final"
    yield "verdicts", f"{design.slots_in_words.partition(' verdict')[0]} of each rater"


def _cases_asked(bundle: StudyBundle, question: Question) -> str:
    """The number of cases that count, and of gold cases if there are any."""
    cases = len(bundle.slots(question))
    gold = len(bundle.slots(question, BLIND)) - cases
    return counted(cases, "case") + (f" and {counted(gold, 'gold case')}" if gold else "")


def _answered_by(bundle: StudyBundle, question: Question) -> str:
    order = "; in this order" if question.ordinal else ""
    passing = f"; passing: {bundle.protocol.passing_words(question)}" if question.passing else ""
    return f"{question.answer_kind.choices(question.labels)}{order}{passing}"
