"""Checks of the goals of rules: what nothing matches, what nothing defines, what only the cue defines."""

from collections.abc import Iterator

from reviewer.core.check_result import CheckResult, Location, failure
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.locations import MOST_PLACES, call_locations, clause_location, first_places
from reviewer.oracle.result import Clause, Part
from reviewer.oracle.unmatched_goals import UnmatchedGoal, sources_of, unmatched_goals

_MOST_NAMES = 100
"""The most names whose places are looked for."""


def cannot_match(evidence: Evidence) -> CheckResult | None:
    """A rule asks for something that no fact and no rule can ever match, so the rule never applies.

    It is untidy if the decision never comes to that rule, or if a fact states another value instead: then the
    goal fails because of the case, and often that decides for the right option.
    """
    clauses = evidence.first.clauses
    goals = unmatched_goals(clauses, sources_of(evidence, 0), evidence.decision)
    if not goals:
        return None
    first = goals[0]
    where = (f"{place.part} line {place.line}" for place in _goal_places(evidence, first))
    why = f"{first.words} ({', '.join(where)})."
    values = [
        {
            "clause": evidence.source(0, clauses[goal.rule]),
            "goal": goal.goal_words,
            "nearest": goal.head_words,
        }
        for goal in goals[:_MOST_NAMES]
    ]
    places = first_places(place for goal in goals for place in _goal_places(evidence, goal))
    return failure("cannot_match", "serious" if first.weighs else "untidy", why, values, places)


def _goal_places(evidence: Evidence, goal: UnmatchedGoal) -> Iterator[Location]:
    """The goal itself, and the clause that is nearest to it."""
    rule = evidence.first.clauses[goal.rule]
    start = rule.start + goal.goal.start
    line = evidence.text(0, rule.place.part).count("\n", 0, start) + 1
    yield evidence.location(0, rule.place.part, line, start, rule.start + goal.goal.end)
    yield clause_location(evidence, 0, evidence.first.clauses[goal.nearest])


def cue_in_axioms(evidence: Evidence) -> CheckResult | None:
    """The axioms, which both versions share, ask for what only the second version states."""
    calls = _cue_calls(evidence)
    if not calls:
        return None
    names = ", ".join(calls)
    why = f"The axioms ask for {names}, which only the {evidence.names[1]} version states."
    places = first_places(place for found in calls.values() for place in found)
    return failure("cue_in_axioms", "serious", why, sorted(calls), places)


def _cue_calls(evidence: Evidence) -> dict[str, tuple[Location, ...]]:
    """What the axioms call and only the second version defines, each with the places of the calls."""
    own = evidence.second.clauses
    stated = {clause.predicate for clause in own if clause.loaded and clause.place.part is Part.FACTS}
    names = [name for name in evidence.first.undefined[:_MOST_NAMES] if name in stated - {evidence.decision}]
    rules = evidence.clauses(0, "rule", Part.AXIOMS)
    places = {name: tuple(_calls_in(evidence, 0, rules, name)) for name in names}
    return {name: found for name, found in places.items() if found}


def undefined(evidence: Evidence) -> CheckResult | None:
    """A predicate is called that is not defined; only untidy if no search comes to call it."""
    missing = {name for _, result in evidence.ran for name in result.undefined}
    # A version without a decision says so itself, and what the cue defines is in ``cue_in_axioms``.
    names = sorted(missing - {evidence.decision} - _cue_calls(evidence).keys())
    if not names:
        return None
    met = any(f"procedure, {name})" in _errors(evidence) for name in names)
    why = f"Called, defined nowhere: {', '.join(names)}."
    places = first_places(_calls(evidence, names[:_MOST_NAMES]))
    return failure("undefined", "doubtful" if met else "untidy", why, names, places)


def _calls(evidence: Evidence, names: list[str]) -> Iterator[Location]:
    """Where each version names a predicate that it does not define."""
    for version, result in evidence.ran:
        rules = [clause for clause in result.clauses if clause.kind == "rule"]
        for name in names:
            if name in result.undefined:
                yield from _calls_in(evidence, version, rules, name)


def _calls_in(evidence: Evidence, version: int, rules: list[Clause], name: str) -> Iterator[Location]:
    bare, found = name.rpartition("/")[0].strip("'"), 0
    for clause in rules:
        if bare in evidence.text(version, clause.place.part)[clause.start : clause.end]:
            for place in call_locations(evidence, version, clause, name):
                found += 1
                if found > MOST_PLACES:
                    return
                yield place


def _errors(evidence: Evidence) -> str:
    return " ".join(f"{result.error} {result.solutions_end}" for _, result in evidence.ran)
