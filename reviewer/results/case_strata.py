"""By what the cases of datasets are divided into strata, and what an earlier study says of each stratum."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from reviewer.core.check_result import NOT_TESTED, SEVERITIES
from reviewer.core.errors import RequestError
from reviewer.core.names import closest
from reviewer.core.sanitize import agreeing, counted, shown
from reviewer.protocols.base import Protocol, Value
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.strata import Classes, Strata, guesses_in, stratum_name
from reviewer.study.session.blinding import (
    Influence,
    why_not_influence,
    why_not_results,
    why_not_shared_cases,
)
from reviewer.study.session.rater_progress import progress_of, study_progress
from store.cases import PlacedCase, get_dataset, get_measurements
from store.database import Database
from store.findings import AUDIT_MARK, CHECK_MARK, failed_findings, get_findings, marks_in
from store.records import Measurement
from store.revisions import standing_places

if TYPE_CHECKING:
    from reviewer.agreement.allocation import Allocation

_MARKS = {AUDIT_MARK, CHECK_MARK}
NO_FINDING, NO_ANSWER, MISSING, SEVERAL = "none", "no answer", "missing", "several values"


@dataclass(frozen=True, slots=True)
class StrataRequest:
    """What a lead asks for: by what strata are made, the allocation, guesses as texts and from a study."""

    by: tuple[str, ...]
    allocation: "Allocation | None" = None
    guesses: tuple[str, ...] = ()
    guess_from: str | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """A dataset with its protocol and with the cases at its places, without withdrawn ones."""

    database: Database
    name: str
    protocol: Protocol
    places: Sequence[PlacedCase]

    @classmethod
    def read(cls, database: Database, name: str) -> "_Held":
        protocols = protocols_of(database)
        with database.read() as session:
            header = get_dataset(session, name)
            places = standing_places(session, [name])
        return cls(database, name, protocols.named(header.protocol), places)

    @property
    def digests(self) -> list[str]:
        """The digests of the cases, each once."""
        return [*dict.fromkeys(case.digest for _, case in self.places)]


_Division = tuple[Sequence[str], Sequence[str]]
"""The class of each place of a dataset, and the order of the classes."""
_Divide = Callable[[_Held, str], _Division]


def strata_of(database: Database, datasets: Iterable[str], request: StrataRequest, person: str) -> Strata:
    """The strata of these datasets as ``person`` asks for them; raises RequestError where that cannot be.

    Findings and values would influence raters, so that people who owe answers about the cases are refused.
    """
    by = tuple(dict.fromkeys(request.by))
    ways = [_way(one) for one in by]
    names = [*dict.fromkeys(datasets)]
    _check_may_see(database, names, by, person)
    classes: dict[tuple[str, str], Classes] = {}
    orders = [dict[str, None]() for _ in by]
    of_case = dict[str, str]()
    for held in (_Held.read(database, name) for name in names):
        divisions = [divide(held, argument) for divide, argument in ways]
        for order, (_, added) in zip(orders, divisions, strict=True):
            order.update(dict.fromkeys(added))
        each = zip(*(of_places for of_places, _ in divisions), strict=True)
        for (place, case), its in zip(held.places, each, strict=True):
            classes[held.name, place.key] = its
            of_case.setdefault(case.digest, stratum_name(its))
    guesses = guesses_in(request.guesses)
    if request.guess_from is not None:
        guesses = _rates_of(database, request.guess_from, by, of_case, person) | guesses
    allocation = request.allocation or ("neyman" if guesses else "equal")
    if bool(guesses) != (allocation == "neyman"):
        raise RequestError(
            "--allocate neyman needs guessed pass rates of the strata; give --guess or --guess-from."
            if allocation == "neyman"
            else f"--guess and --guess-from are for --allocate neyman, not for {allocation}; leave them out."
        )
    return Strata(
        by, classes, tuple(tuple(order) for order in orders), allocation, guesses, request.guess_from or ""
    )


def _way(by: str) -> tuple[_Divide, str]:
    """How classes are found, and by which check, opinion or value."""
    kind, _, argument = by.partition(":")
    divide = _WAYS.get((kind, bool(argument)))
    if divide is None:
        raise RequestError(
            f"strata cannot be made by {shown(by)!r}; choose group, findings, finding:CHECK, opinion:NAME or "
            "value:NAME, and repeat --strata to cross several."
        )
    return divide, argument


def _check_may_see(database: Database, datasets: Sequence[str], by: Sequence[str], person: str) -> None:
    kinds = {one.partition(":")[0] for one in by}
    by_findings, by_values = kinds & {"findings", "finding"}, kinds & {"opinion", "value"}
    shown = [Influence.FINDINGS] * bool(by_findings) + [Influence.PUBLISHED] * bool(by_values)
    studies = [*study_progress(database)]
    for dataset in datasets:
        reasons = (why_not_influence(database, studies, person, dataset, kind) for kind in shown)
        if reason := next(filter(None, reasons), None):
            raise RequestError(reason)


def _rates_of(
    database: Database, study: str, by: tuple[str, ...], of_case: Mapping[str, str], person: str
) -> dict[str, float]:
    """Stratum → the share of its reviewed cases that passed in a closed study.

    The study's own strata count if they were made by the same, else those in which its cases are now.
    """
    from reviewer.results.labels.final_labels import read_closed_study  # loads much, and few ask for it

    if reason := why_not_results(progress_of(database, study), person) or why_not_shared_cases(
        database, person, study
    ):
        raise RequestError(reason)
    closed = read_closed_study(database, study)
    draw = closed.bundle.design.draw
    if draw and draw.by == by:
        own = {case: stratum.name for stratum in draw.strata for case in stratum.cases}
        of_case = {case: name for case, name in own.items() if name in {*of_case.values()}}
    reviewed, passed = Counter[str](), Counter[str]()
    for case, result in closed.results().items():
        if case in of_case and result != "not reviewed":
            reviewed[of_case[case]] += 1
            passed[of_case[case]] += result == "passed"
    if not reviewed:
        raise RequestError(
            f"study {study!r} reviewed no case of these strata; name another study, or give "
            "--guess STRATUM=RATE."
        )
    return {name: passed[name] / number for name, number in reviewed.items()}


# -- the ways to divide ------------------------------------------------------------------------------


def _by_group(held: _Held, _argument: str) -> _Division:
    groups = [case.group for _, case in held.places]
    return groups, held.protocol.groups_among(groups)


def _by_worst_finding(held: _Held, _argument: str) -> _Division:
    """The worst finding that stands; untested where none stands and a check could not run."""
    _check_audited(held)
    with held.database.read() as session:
        standing = failed_findings(session, held.name)
        everything = get_findings(session, held.digests)
    worst: dict[str, str] = {}
    for severity in reversed(SEVERITIES):
        worst |= {placed.place.case: severity for placed in standing if placed.finding.severity == severity}
    bare = {
        case: NO_FINDING if findings and all(one.tested for one in findings) else NOT_TESTED
        for case, findings in everything.items()
    }
    return [worst.get(case.digest, bare[case.digest]) for _, case in held.places], (
        *SEVERITIES,
        NOT_TESTED,
        NO_FINDING,
    )


def _by_finding(held: _Held, check: str) -> _Division:
    """Whether a finding of the check stands, or the check could not run."""
    order = (check, NOT_TESTED, NO_FINDING)
    if check in held.protocol.dataset_checks:
        from reviewer.runs.check.dataset_findings import repeating_cases

        keys = repeating_cases(held.database, held.name, (check,))
        return [check if place.key in keys else NO_FINDING for place, _ in held.places], order
    _check_known(held, check)
    with held.database.read() as session:
        standing = {placed.place.case for placed in failed_findings(session, held.name, (check,))}
        everything = get_findings(session, held.digests)
    untested = {
        case
        for case, findings in everything.items()
        if any(finding.check == check and not finding.tested for finding in findings)
    }
    return [
        check if case.digest in standing else NOT_TESTED if case.digest in untested else NO_FINDING
        for _, case in held.places
    ], order


def _check_known(held: _Held, check: str) -> None:
    """Raise RequestError for an unknown check, or if its findings are missing or by an earlier version."""
    from reviewer.runs.audit.check_texts import audit_names, checks_of_protocol
    from reviewer.runs.audit.reader_reports import REPORTED

    known = [*checks_of_protocol(held.protocol), *held.protocol.dataset_checks]
    if check not in known:
        raise RequestError(f"there is no check {shown(check)!r}; {closest(check, known, 'use one of')}.")
    if check == REPORTED:
        return
    if check in audit_names(held.protocol):
        _check_audited(held)
        return
    version = held.protocol.machine_checks[check].version if check in held.protocol.machine_checks else None
    with held.database.read() as session:
        marked = marks_in(session, held.name, CHECK_MARK)
        findings = get_findings(session, held.digests)
    earlier = {
        case
        for case, some in findings.items()
        if any(one.check == check and version not in (None, one.check_version) for one in some)
    }
    _refuse(held, earlier, "checked by an earlier version of it", "check")
    _refuse(held, {*held.digests} - marked.keys(), "not checked", "check")


def _check_audited(held: _Held) -> None:
    """Raise RequestError unless every case that can be audited was, by the checks of this release."""
    from reviewer.runs.audit.audit_state import audit_state
    from reviewer.runs.audit.check_texts import audit_of

    state = audit_state(held.database, held.name, held.protocol)
    _refuse(held, state.earlier, "audited by earlier checks", "audit")
    nothing = {
        case.digest for _, case in held.places if case.is_whole and audit_of(held.protocol, case) is None
    }
    _refuse(held, state.cases - state.current - nothing, "not audited", "audit")


def _refuse(held: _Held, cases: "set[str] | frozenset[str]", state: str, command: str) -> None:
    if cases:
        were, strata = (
            agreeing(len(cases), "was", "were"),
            agreeing(len(cases), "its stratum is", "their strata are"),
        )
        raise RequestError(
            f"{counted(len(cases), 'case')} of dataset {held.name!r} {were} {state}, so {strata} "
            f"not known; run `reviewer {command} {quote(held.name)}` first."
        )


def _by_opinion(held: _Held, name: str) -> _Division:
    """The answer that the value stands for."""
    opinions = {opinion.name: opinion for opinion in reversed(held.protocol.opinions)}
    if name not in opinions:
        other = closest(name, opinions, "use one of") if opinions else f"{held.protocol.title} has none"
        raise RequestError(f"there is no opinion {shown(name)!r}; {other}.")
    opinion = opinions[name]
    question = held.protocol.question_named(opinion.question)
    assert question is not None, "a protocol whose opinion is about no question of it"
    answers = [opinion.answer_in(values, question) or NO_ANSWER for values in _values(held)]
    return answers, (*dict.fromkeys([*question.labels, *sorted({*answers} - {NO_ANSWER})]), NO_ANSWER)


def _by_value(held: _Held, name: str) -> _Division:
    """The content of a published or measured value, as it is."""
    values, of_places = Value(name, ""), _values(held)
    contents = [[*dict.fromkeys(map(_text, values.values_in(some)))] for some in of_places]
    if not any(contents):
        known = sorted({one.name for some in of_places for one in some if not one.variant} - _MARKS)
        other = closest(name, known, "there are") if known else "its cases have no values"
        raise RequestError(f"no case of dataset {held.name!r} has a value {shown(name)!r}; {other}.")
    classes = [some[0] if len(some) == 1 else SEVERAL if some else MISSING for some in contents]
    return classes, (*sorted({*classes} - {SEVERAL, MISSING}, key=_natural), SEVERAL, MISSING)


def _values(held: _Held) -> list[list[Measurement]]:
    """What is measured on each case, and what was published with it at its place."""
    with held.database.read() as session:
        by_case = get_measurements(session, held.digests)
    return [
        [one for one in by_case[case.digest] if not one.came_with_place or one.is_at(place)]
        for place, case in held.places
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _natural(text: str) -> tuple[bool, float, str]:
    """Numbers in their order before texts in theirs."""
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            return False, number, text
    return True, 0.0, text


_WAYS: Mapping[tuple[str, bool], _Divide] = {
    ("group", False): _by_group,
    ("findings", False): _by_worst_finding,
    ("finding", True): _by_finding,
    ("opinion", True): _by_opinion,
    ("value", True): _by_value,
}
"""Each by its word, and whether a name follows it."""
