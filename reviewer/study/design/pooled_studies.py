"""Several studies with the same questions as one: cases of both counted once, raters named by their study."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.core.sanitize import counted
from reviewer.study.design.closing import late_events
from reviewer.study.design.study_bundle import StudyBundle
from store.records import Assignment, Event, StudyAct, StudyCase

_Value = TypeVar("_Value")
Read = tuple[StudyBundle, Sequence[Event]]
_KEPT_ACTS = ("admit", "exclude", "include", "withdraw")
"""The acts that decide whose events count. Late events are left out before."""


def pooled_studies(studies: Sequence[Read]) -> tuple[StudyBundle, list[Event]]:
    """One study of the counted cases of several, with its events; raises RequestError if they do not fit.

    A case that several studies hold is one case, with the raters of each. Raters are named by their study, so
    that somebody who took part in two counts as two. Cases with known answers stay with their studies.
    """
    bundles = [bundle for bundle, _ in studies]
    _check(bundles)
    first, name = bundles[0], " + ".join(bundle.study.name for bundle in bundles)
    sample = _sample(bundles, name)
    digests = {place.case for place in sample}
    design = first.design.model_copy(
        update={
            "datasets": tuple(dict.fromkeys(name for bundle in bundles for name in bundle.design.datasets)),
            "cases": len(sample),
            "panels": _panels(bundles),
            "repeated": tuple(sorted({case for bundle in bundles for case in bundle.repeated} & digests)),
            "draw": None,
            "stop": None,
            "training": 0,
            "gold": 0,
        }
    )
    closed = [bundle.study.closed_at for bundle in bundles]
    update = {
        "name": name,
        "design": design.as_json(),
        "closed_at": max(map(str, closed)) if all(closed) else None,
    }
    whole = replace(
        first,
        study=first.study.model_copy(update=update),
        sample=sample,
        cases={digest: bundle.cases[digest] for bundle in reversed(bundles) for digest in bundle.cases},
        measurements=_joined([bundle.measurements for bundle in bundles]),
        findings=_joined([bundle.findings for bundle in bundles]),
        raters=_people([(bundle, bundle.raters) for bundle in bundles]),
        adjudicators=_people([(bundle, bundle.adjudicators) for bundle in bundles]),
        acts=tuple(_acts(bundles)),
        stale=frozenset(case for bundle in bundles for case in bundle.stale),
        known={},
        left_out=tuple(excluded for bundle in bundles for excluded in bundle.left_out),
        descriptions=(),
        parts=tuple(bundles),
    )
    events = [event for bundle, own in studies for event in _events(bundle, own, name, digests)]
    return whole, sorted(events, key=lambda event: event.id)


def overlap_in_words(bundle: StudyBundle) -> str:
    """A sentence on the cases that several of the pooled studies hold; "" if the study is not pooled."""
    if not bundle.parts:
        return ""
    times = Counter(place.case for part in bundle.parts for place in part.counted)
    shared = sum(count > 1 for count in times.values())
    if not shared:
        return "No case is in two of the pooled studies."
    verb, they = ("is", "it counts") if shared == 1 else ("are", "they count")
    return (
        f"{counted(shared, 'case')} {verb} in more than one of the pooled studies; {they} once, with the "
        "raters of each study."
    )


def _check(bundles: Sequence[StudyBundle]) -> None:
    """Raise RequestError if a study is named twice, or if the studies do not ask the same questions."""
    first, *others = bundles
    if third := next((bundle.study.name for bundle in bundles if bundle.design.third), None):
        raise RequestError(
            f"study {third!r} asks for third votes where two raters disagree, and cannot be pooled: its "
            "majorities are made of other votes than those of the other studies."
        )
    names = [bundle.study.name for bundle in bundles]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RequestError(f"study {twice!r} is named twice; pool it with other studies.")
    for other in others:
        pair = f"studies {first.study.name!r} and {other.study.name!r}"
        if other.protocol.name != first.protocol.name:
            raise RequestError(
                f"{pair} are of different protocols ({first.protocol.name} and {other.protocol.name}) and "
                "cannot be pooled."
            )
        _check_questions(pair, first.questions, other.questions)


def _check_questions(pair: str, first: Sequence[Question], other: Sequence[Question]) -> None:
    known = {question.key: question for question in other}
    if {question.key for question in first} != set(known):
        lists = " and ".join(", ".join(question.key for question in asked) for asked in (first, other))
        raise RequestError(f"{pair} do not ask the same questions ({lists}) and cannot be pooled.")
    for question in first:
        there = known[question.key].model_dump()
        differing = [name for name, value in question.model_dump().items() if there.get(name) != value]
        differing += [name for name in there if name not in question.model_dump()]
        if differing:
            raise RequestError(
                f"{pair} ask question {question.key!r} differently (its {', '.join(differing)}) and cannot "
                "be pooled."
            )


def _sample(bundles: Sequence[StudyBundle], name: str) -> tuple[StudyCase, ...]:
    places = {place.case: place for bundle in reversed(bundles) for place in bundle.counted}
    order = dict.fromkeys(place.case for bundle in bundles for place in bundle.counted)
    return tuple(
        places[case].model_copy(update={"study": name, "position": position})
        for position, case in enumerate(order)
    )


def _by_study(person: str, bundle: StudyBundle) -> str:
    return f"{person} ({bundle.study.name})"


def _panels(bundles: Sequence[StudyBundle]) -> Mapping[str, tuple[str, ...]]:
    """Each case with the raters who were asked about it in the studies that hold it."""
    panels: dict[str, tuple[str, ...]] = {}
    for bundle in bundles:
        for place in bundle.counted:
            asked = [rater.rater for rater in bundle.raters if bundle.design.asks_of(rater.rater, place.case)]
            panels[place.case] = (*panels.get(place.case, ()), *(_by_study(who, bundle) for who in asked))
    return panels


def _joined(parts: Sequence[Mapping[str, list[_Value]]]) -> dict[str, list[_Value]]:
    return {case: values for part in reversed(parts) for case, values in part.items()}


def _people(parts: Sequence[tuple[StudyBundle, Sequence[Assignment]]]) -> tuple[Assignment, ...]:
    return tuple(
        person.model_copy(update={"rater": _by_study(person.rater, bundle)})
        for bundle, people in parts
        for person in people
    )


def _acts(bundles: Sequence[StudyBundle]) -> list[StudyAct]:
    return [
        act.model_copy(update={"subject": _by_study(act.subject, bundle)})
        for bundle in bundles
        for act in bundle.acts
        if act.kind in _KEPT_ACTS and act.subject
    ]


def _events(bundle: StudyBundle, events: Sequence[Event], name: str, counted_cases: set[str]) -> list[Event]:
    """A study's events on its counted cases, without late ones, under the names of the whole."""
    late = {event.id for event in late_events(bundle, events)}
    own = {place.case for place in bundle.counted} & counted_cases
    return [
        event.model_copy(update={"rater": _by_study(event.rater, bundle), "study": name})
        for event in events
        if event.id not in late and event.case in own
    ]
