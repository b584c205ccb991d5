"""The numbers that a release states, computed again from its labels, its rows and its other parts alone."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace

from reviewer import __version__
from reviewer.core.estimate import Estimate, Interval
from reviewer.core.number_text import with_interval
from reviewer.core.question import Question
from reviewer.core.sanitize import agreeing, counted, shown
from reviewer.exchange.releases.kind_agreement import has_own, own_agreement
from reviewer.exchange.releases.published_labels import StudyLabels
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import (
    GuessFacts,
    HumanFacts,
    QuestionFacts,
    ReleaseContent,
    RightOptionFacts,
    StudyFacts,
)
from reviewer.exchange.releases.release_facts import (
    guess_facts,
    human_facts,
    opinion_facts,
    right_option_facts,
    stop_facts,
    study_facts,
)
from reviewer.exchange.releases.release_files import DataRow, stored_case
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import Protocols
from reviewer.results.labels.final_labels import ClosedStudy
from store.records import Measurement

NUMBERS: Mapping[str, str] = {
    "cases": "cases",
    "released": "cases that are in the release",
    "raters": "raters",
    "adjudicators": "adjudicators",
    "labels": "labels",
    "passed": "cases that passed",
    "failed": "cases that failed",
    "undecided": "undecided cases",
    "not_reviewed": "cases without a label that can decide",
    "open": "items without a final label",
    "fewest": "fewest raters of a case",
    "most": "most raters of a case",
    "seed": "random seed",
    "drawn": "day of the draw",
    "closed": "day of closing",
}
OF_A_QUESTION: Mapping[str, str] = {
    "items": "items",
    "labels_given": "labels",
    "all_agree": "all agree",
    "kappa": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
    "ac1": "Gwet's AC1",
    "majority": "pass by majority",
    "unanimity": "pass by unanimity",
}
_OF_ONE_LABEL = ("kappa", "alpha", "ac1", "majority", "unanimity")
_WORDS = ("title", "prompt", "labels", "passing", "kind", "weights", "checked")
_PAGES_WITH_RULES = 9
"""The first state of pages whose studies have their stop rule beside their labels."""
_PAGES_WITH_KINDS = 12
"""The first state of pages that has agreement for each kind of answers."""
_PAGES_WITH_CONSTANTS = 13
"""The first state of pages that has published values which never vary, against labels."""
_NOT_STATED_THEN = "an earlier state of this program did not state it"
_SAME = 1e-9
"""The greatest relative difference of equal numbers: versions of numpy round in their own ways."""


def number_checks(
    content: ReleaseContent,
    published: Mapping[str, StudyLabels],
    rows: Sequence[DataRow],
    protocols: Protocols,
) -> Iterator[ReleaseCheck]:
    """A row for each number of each study; one for a study whose labels are not included."""
    stated = {study.name: study for study in content.studies}
    for name in published.keys() - stated.keys():
        yield ReleaseCheck(f"study {shown(name)}", "fails", "has labels, and the card has no numbers of it")
    for name, study in stated.items():
        about = f"study {shown(name)}"
        labels = published.get(name)
        protocol = protocols.get(labels.study.protocol) if labels else None
        if labels is None:
            yield from _without_labels(about, study)
        elif protocol is None:
            why = f"this program does not know protocol {shown(labels.study.protocol)!r}"
            yield ReleaseCheck(f"agreement of {about}", "not checked", why)
        elif (marks := _marks_check(about, labels, rows, protocol)) and marks.state == "fails":
            yield marks
            yield ReleaseCheck(f"agreement of {about}", "not checked", "spans do not fit their texts")
        else:
            yield from [marks] if marks else []
            yield from _of_labels(content, rows, study, labels.closed(protocol))
    for name in sorted({*content.options.passed} - {*stated}):
        wrong = "every released case passed it, and the card has no numbers of it"
        yield ReleaseCheck(f"study {shown(name)}", "fails", wrong)


def _of_labels(
    content: ReleaseContent, rows: Sequence[DataRow], study: StudyFacts, closed: ClosedStudy
) -> Iterator[ReleaseCheck]:
    """What the labels of a study say, against what is stated of it."""
    about, released = f"study {shown(study.name)}", {*content.cases.values()}
    yield from _of_study(about, study, study_facts(closed, released), content.pages)
    if study.whole:
        without = "labels of cases that are held out are not included"
        yield ReleaseCheck(f"{about}, with held-out cases", "not checked", without)
    yield from _of_stop(about, study, closed, content.pages)
    yield from _of_opinions(about, study, closed, _published_values(content, rows, closed), content.pages)
    if study.name in content.options.passed:
        results = closed.results()
        passed = sum(results.get(case) == "passed" for case in released)
        yield _row(f"{about}: released cases that passed", len(released), passed)


def _marks_check(
    about: str, published: StudyLabels, rows: Sequence[DataRow], protocol: Protocol
) -> ReleaseCheck | None:
    """Spans against the texts of the cases that the release has; None without a question of spans."""
    asked = {question["key"]: Question.model_validate(question) for question in published.study.questions}
    marked = {key: question for key, question in asked.items() if question.answer_kind.is_marked}
    if not marked:
        return None
    try:
        cases = {case.digest: case for case in (stored_case(row, 0, protocol).case for row in rows)}
        given = [label for label in published.labels if label.question in marked and label.case in cases]
        faults = [
            (label.case, fault)
            for label in given
            if (fault := protocol.answer_fault(marked[label.question], cases[label.case], label.label))
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ReleaseCheck(f"spans of {about}", "fails", "cannot be compared with the texts of the rows")
    if not faults:
        fit = agreeing(len(given), "fits the text of its case", "fit the text of their case")
        return ReleaseCheck(f"spans of {about}", "holds", f"{counted(len(given), 'label')} {fit}")
    case, fault = faults[0]
    key = next(place.key for place in published.study.cases if place.case == case)
    do = agreeing(len(faults), "does", "do")
    wrong = f"{len(faults):,} of {counted(len(given), 'label')} {do} not fit the text of their case"
    return ReleaseCheck(f"spans of {about}", "fails", f"{wrong}, such as one on {shown(key)!r}: {fault}")


def _without_labels(about: str, study: StudyFacts) -> Iterator[ReleaseCheck]:
    names = ["agreement", *(["confidence sequence"] if study.stopped else [])]
    for name in names:
        yield ReleaseCheck(f"{name} of {about}", "not checked", "its labels are not included")


def _of_stop(about: str, stated: StudyFacts, closed: ClosedStudy, pages: int) -> Iterator[ReleaseCheck]:
    """The claim of a stop rule and the interval of each question, from labels in the common order."""
    found, row = stop_facts(closed), f"confidence sequence of {about}"
    if stated.stopped and stated.whole:
        yield ReleaseCheck(row, "not checked", "labels of cases that are held out are not included")
    elif stated.stopped and not found and pages < _PAGES_WITH_RULES:
        yield ReleaseCheck(row, "not checked", "an earlier state of this program published no stop rules")
    elif stated.stopped or found:
        same = stated.stopped == found
        detail = f"published {_claimed(stated.stopped)}, recomputed {_claimed(found)}"
        yield ReleaseCheck(row, "holds" if same else "fails", detail)


def _claimed(stopped: Sequence[str]) -> str:
    return "; ".join(map(shown, stopped)) or "nothing"


def _published_values(
    content: ReleaseContent, rows: Sequence[DataRow], closed: ClosedStudy
) -> Mapping[str, list[Measurement]]:
    """The published values of each case of a study by its digest, for the places that the release has."""
    places = {place.key: place.case for place in closed.bundle.counted if place.dataset == content.dataset}
    return {
        digest: [
            Measurement.model_construct(case=digest, name=name, variant="", value=value)
            for name, value in row["published"].items()
        ]
        for row in rows
        if (digest := places.get(row["key"])) and digest == content.cases.get(row["key"])
    }


def _of_opinions(
    about: str,
    stated: StudyFacts,
    closed: ClosedStudy,
    values: Mapping[str, list[Measurement]],
    pages: int,
) -> Iterator[ReleaseCheck]:
    """What published values agree with, where the release has them of every case of the study."""
    missing = sum(place.case not in values for place in closed.bundle.counted)
    if missing:
        why = f"{counted(missing, 'case')} of the study {'is' if missing == 1 else 'are'} not in the release"
        yield ReleaseCheck(f"{about}: published values against labels", "not checked", why)
        return
    measured = replace(closed, bundle=replace(closed.bundle, measurements=values))
    found = opinion_facts(measured)
    named = {(opinion.opinion, opinion.question): opinion.agreement for opinion in stated.opinions}
    again = {(opinion.opinion, opinion.question): opinion.agreement for opinion in found}
    for opinion, question in dict.fromkeys((*named, *again)):
        row, key = f"{about}, {shown(question)}: {shown(opinion)}", (opinion, question)
        if key not in named and pages < _PAGES_WITH_CONSTANTS:
            yield ReleaseCheck(row, "not checked", _NOT_STATED_THEN)
        elif key in again:
            yield _row(row, named.get(key), again[key])
        else:
            yield ReleaseCheck(row, "not checked", "the release does not have its values")
    yield from _of_people(about, stated.human, human_facts(measured))


def _of_people(
    about: str, stated: Sequence[HumanFacts], found: Sequence[HumanFacts]
) -> Iterator[ReleaseCheck]:
    """How often raters gave the published answer: raters, answers, and the share."""
    if len(stated) != len(found):
        yield _row(f"{about}: questions that ask for the published answer", len(stated), len(found))
    for one, other in zip(stated, found, strict=False):
        row = f"{about}, {shown(other.question)}: raters who gave the {shown(other.published)}"
        named = (one.published, one.question) == (other.published, other.question)
        same = named and (one.raters, one.answers) == (other.raters, other.answers)
        if not same:
            detail = f"published of {_people_words(one)}, recomputed of {_people_words(other)}"
            yield ReleaseCheck(row, "fails", detail)
        yield _row(row, one.share, other.share)


def _people_words(facts: HumanFacts) -> str:
    answers = f"{counted(facts.answers, 'answer')} of {counted(facts.raters, 'rater')}"
    return f"{answers} to {shown(facts.question)} ({shown(facts.published)})"


def _of_study(about: str, stated: StudyFacts, found: StudyFacts, pages: int) -> Iterator[ReleaseCheck]:
    for name, words in NUMBERS.items():
        yield _row(f"{about}: {words}", getattr(stated, name), getattr(found, name))
    if stated.answered or found.answered:
        yield _row(f"{about}: cases of the run that answers are about", stated.answered, found.answered)
    yield from _of_questions(about, stated.questions, found.questions, pages)
    if stated.weighted or found.weighted:
        yield _row(f"{about}: cases that could be drawn", stated.population, found.population)
        yield from _of_questions(f"{about}, dataset", stated.weighted, found.weighted, pages)


def _of_questions(
    about: str, stated: Sequence[QuestionFacts], found: Sequence[QuestionFacts], pages: int
) -> Iterator[ReleaseCheck]:
    if len(stated) != len(found):
        yield _row(f"{about}: questions", len(stated), len(found))
    for one, other in zip(stated, found, strict=False):
        yield from _of_question(f"{about}, {shown(other.title)}", one, other, pages)


def _of_question(
    about: str, stated: QuestionFacts, found: QuestionFacts, pages: int
) -> Iterator[ReleaseCheck]:
    differing = [name for name in _WORDS if getattr(stated, name) != getattr(found, name)]
    if differing:
        yield ReleaseCheck(
            f"{about}: words", "fails", f"{' and '.join(differing)} differ from the question asked"
        )
    unused = _OF_ONE_LABEL if has_own(stated) and has_own(found) else ()
    for name, words in OF_A_QUESTION.items():
        one, other = getattr(stated, name), getattr(found, name)
        if name not in unused or not _alike(one, other):
            yield _row(f"{about}: {words}", one, other)
    yield from _of_own_agreement(about, own_agreement(stated), own_agreement(found), pages)


def _of_own_agreement(
    about: str,
    stated: Mapping[tuple[str, str], Estimate],
    found: Mapping[tuple[str, str], Estimate],
    pages: int,
) -> Iterator[ReleaseCheck]:
    """The coefficients that only answers of this kind have, by label and title."""
    for label, title in dict.fromkeys((*found, *stated)):
        row, one = (
            f"{about}{f', {shown(label)}' if label else ''}: {shown(title)}",
            stated.get((label, title)),
        )
        if one is None and pages < _PAGES_WITH_KINDS:
            yield ReleaseCheck(row, "not checked", _NOT_STATED_THEN)
        else:
            yield _row(row, one, found.get((label, title)))


def _row(about: str, stated: object, found: object) -> ReleaseCheck:
    same = _alike(stated, found)
    detail = f"published {_shown(stated)}, recomputed {_shown(found)}"
    return ReleaseCheck(about, "holds" if same else "fails", detail)


def _shown(number: object) -> str:
    if number is None:
        return "nothing"
    if isinstance(number, Estimate):
        return with_interval(number, 4) or f"undefined ({shown(number.reason or '')})"
    return f"{number:,}" if isinstance(number, int) else shown(str(number))


def _alike(stated: object, found: object) -> bool:
    """Whether two values are the same, numbers up to rounding."""
    if isinstance(stated, float) and isinstance(found, float):
        return math.isclose(stated, found, rel_tol=_SAME, abs_tol=_SAME)
    if isinstance(stated, Estimate | Interval) and type(stated) is type(found):
        parts = [field.name for field in fields(stated)]
        return all(_alike(getattr(stated, name), getattr(found, name)) for name in parts)
    return stated == found


_RIGHT_OPTIONS = "right options"
_GUESSING = "answers without reading"


def contradicted_parts(content: ReleaseContent, rows: Sequence[DataRow]) -> list[str]:
    """The parts of the content that the rows or its other parts contradict."""
    name = content.protocol.partition("@")[0]  # a declared one adds its version
    follows = {
        "the protocol": {row["protocol"] for row in rows} <= {name},
        "the number of contents": content.audit.contents == len({*content.cases.values()}),
    }
    return [part for part, fits in follows.items() if not fits]


def right_options_check(
    content: ReleaseContent, rows: Sequence[DataRow], protocols: Protocols
) -> Iterator[ReleaseCheck]:
    """How often each option is right, against the decisions that the release states."""
    protocol = protocols.get(content.protocol)
    if protocol is None:
        return
    choices = {
        content.cases[key]: choices for key, choices in content.decisions.items() if key in content.cases
    }
    try:
        cases = [stored_case(row, position, protocol) for position, row in enumerate(rows)]
        found = right_option_facts(protocol, cases, cases, choices)
    except (ValueError, KeyError, TypeError, AttributeError):
        yield ReleaseCheck(_RIGHT_OPTIONS, "fails", "cannot be counted in the rows")
        return
    if found or content.right_options:
        fits = _counts(content.right_options) == _counts(found)
        detail = (
            "as often right as decisions say"
            if fits
            else "are right in other numbers of cases than decisions say"
        )
        yield ReleaseCheck(_RIGHT_OPTIONS, "holds" if fits else "fails", detail)


def guessing_check(
    content: ReleaseContent, rows: Sequence[DataRow], protocols: Protocols
) -> Iterator[ReleaseCheck]:
    """What answers without reading score, computed again from the rows."""
    protocol = protocols.get(content.protocol)
    if protocol is None or not content.guessing:
        return
    try:
        found = guess_facts(protocol, [stored_case(row, at, protocol) for at, row in enumerate(rows)])
    except (ValueError, KeyError, TypeError, AttributeError):
        yield ReleaseCheck(_GUESSING, "fails", "cannot be computed from the rows")
        return
    if [stated.measure for stated in content.guessing] != [each.measure for each in found]:
        if content.program != __version__:
            why = f"version {shown(content.program)} of the program had other measures"
            yield ReleaseCheck(_GUESSING, "not checked", why)
            return
        yield ReleaseCheck(_GUESSING, "fails", "has other measures than the benchmark")
        return
    for stated, again in zip(content.guessing, found, strict=True):
        differs = next((name for name in again.values if not _same(stated, again, name)), None)
        alike = (stated.cases, stated.meaning, stated.best) == (again.cases, again.meaning, again.best)
        alike = alike and stated.values.keys() == again.values.keys()
        about = f"{_GUESSING}: {shown(stated.measure)}"
        if differs is None and alike:
            yield ReleaseCheck(about, "holds", f"over {counted(again.cases, 'case')}")
        else:
            what = f"of {shown(differs)} is another" if differs else "is of other cases or in other words"
            yield ReleaseCheck(about, "fails", f"the value {what} than the rows give")


def _same(stated: GuessFacts, again: GuessFacts, name: str) -> bool:
    one, other = stated.values.get(name), again.values[name]
    return one == other or (one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9))


def _counts(facts: Sequence[RightOptionFacts]) -> list[tuple[str | None, int]]:
    return [(right.option, right.cases) for right in facts]
