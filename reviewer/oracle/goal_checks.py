"""Checks of the goals of rules: what nothing matches, what nothing defines, what only the cue defines."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.core.check_result import CheckResult, Location, failure
from reviewer.oracle.evidence import MOST_PLACES, Evidence, call_locations, clause_location, first_places
from reviewer.oracle.result import Clause, Part
from reviewer.oracle.terms import Term, UnreadableError, read_term, written

MOST_CLAUSES = 500
MOST_CHARACTERS = 100_000
"""Larger programs are not compared goal by goal; published ones have some 30 clauses."""

# The arguments that are goals, by name and number of arguments.
_CONTROL: dict[tuple[str, int], tuple[int, ...]] = {
    (",", 2): (0, 1),
    (";", 2): (0, 1),
    ("->", 2): (0, 1),
    ("*->", 2): (0, 1),
    ("forall", 2): (0, 1),
    ("\\+", 1): (0,),
    ("not", 1): (0,),
    ("call", 1): (0,),
    ("once", 1): (0,),
    ("ignore", 1): (0,),
    ("^", 2): (1,),
    ("findall", 3): (1,),
    ("findall", 4): (1,),
    ("bagof", 3): (1,),
    ("setof", 3): (1,),
    ("aggregate_all", 3): (1,),
    ("aggregate_all", 4): (2,),
}
_SHORTEST_WORD = 4
_OPPOSITES = ("not_", "no_", "non_", "un", "in", "dis")

_Name = tuple[str, int]


@dataclass(frozen=True, slots=True)
class UnmatchedGoal:
    """A goal in a rule, and the head of its predicate that agrees with it in most arguments.

    ``rule`` and ``nearest`` are indices of clauses. ``reached``: the decision calls the rule, perhaps through
    others. ``denied``: the nearest head says the opposite by its name, as in reviewed and not_reviewed.
    ``slipped``: the nearest head looks like the same thing written otherwise. If it states another value, as
    minimal for thorough, the goal fails because of the case, and that often decides for the right option.
    """

    rule: int
    goal: Term
    nearest: int
    head: Term
    reached: bool
    denied: bool
    slipped: bool

    @property
    def weighs(self) -> bool:
        """Whether the decision can depend on it, and it looks like a slip."""
        return self.reached and self.slipped and not self.denied

    @property
    def goal_words(self) -> str:
        """The goal as text."""
        return written(self.goal)

    @property
    def head_words(self) -> str:
        """The nearest head as text."""
        return written(self.head)

    @property
    def words(self) -> str:
        """The goal, and the head that is nearest to it."""
        return f"Nothing can match {self.goal_words}; nearest is {self.head_words}"


@dataclass(frozen=True, slots=True)
class _ReadClause:
    index: int
    head: Term
    body: Term | None


def unmatched_goals(clauses: Sequence[Clause], sources: Sequence[str], decision: str) -> list[UnmatchedGoal]:
    """The goals of loaded rules that match no head, those that weigh most first.

    ``sources`` are the texts of the clauses. A predicate with a clause that cannot be read may match
    anything, and so may one without any clause, which is undefined.
    """
    if len(clauses) > MOST_CLAUSES or sum(map(len, sources)) > MOST_CHARACTERS:
        return []
    read = list(_read(clauses, sources))
    heads: dict[_Name, list[_ReadClause]] = defaultdict(list)
    for clause in read:
        heads[_name(clause.head)].append(clause)
    readable = {clause.index for clause in read}
    unreadable = {
        clause.predicate
        for index, clause in enumerate(clauses)
        if clause.loaded and clause.predicate and index not in readable
    }
    reached = _reached(read, decision)
    goals = (
        _unmatched(clause, goal, heads[_name(goal)], _name(clause.head) in reached)
        for clause in read
        for goal in _goals(clause.body)
        if _name(goal) in heads and _indicator(goal) not in unreadable
    )
    return sorted((goal for goal in goals if goal), key=lambda goal: (not goal.weighs, not goal.reached))


def sources_of(evidence: Evidence, version: int) -> list[str]:
    """The clauses of a version as they were written."""
    clauses = evidence.both[version].clauses
    return [evidence.text(version, clause.place.part)[clause.start : clause.end] for clause in clauses]


def unreadable_rule(clauses: Sequence[Clause], sources: Sequence[str]) -> Clause | None:
    """The first loaded rule whose goals are not known, because only SWI-Prolog can read it."""
    read = {clause.index for clause in _read(clauses, sources)}
    rules = (
        clause
        for index, clause in enumerate(clauses)
        if clause.loaded and clause.kind == "rule" and index not in read
    )
    return next(rules, None)


def _read(clauses: Sequence[Clause], sources: Sequence[str]) -> Iterator[_ReadClause]:
    for index, (clause, source) in enumerate(zip(clauses, sources, strict=True)):
        if not clause.loaded or clause.kind not in ("fact", "rule"):
            continue
        try:
            term = read_term(source)
        except UnreadableError:
            continue
        head, body = term.args if term.calls(":-", 2) else (term, None)
        if head.kind in ("atom", "compound"):
            yield _ReadClause(index, head, body)


def _unmatched(
    clause: _ReadClause, goal: Term, heads: Sequence[_ReadClause], reached: bool
) -> UnmatchedGoal | None:
    if any(_may_match(goal, other.head) for other in heads):
        return None
    nearest = max(heads, key=lambda other: sum(map(_may_match, goal.args, other.head.args)))
    denied = all(
        _may_match(asked, said) or _opposite(asked, said)
        for asked, said in zip(goal.args, nearest.head.args, strict=True)
    )
    unlike = [
        (asked, said)
        for asked, said in zip(goal.args, nearest.head.args, strict=True)
        if not _may_match(asked, said)
    ]
    slipped = any(_is_slip(asked, said) for asked, said in unlike)
    return UnmatchedGoal(clause.index, goal, nearest.index, nearest.head, reached, denied, slipped)


def _is_slip(asked: Term, said: Term) -> bool:
    """Whether two terms are of different shapes, or names that share a word of some length."""
    if not asked.kind == said.kind == "atom":
        return True
    return bool(_words(asked.name) & _words(said.name))


def _words(name: str) -> set[str]:
    return {word for word in name.casefold().split("_") if len(word) >= _SHORTEST_WORD}


def _may_match(one: Term, other: Term) -> bool:
    """Whether two terms can be made equal, as far as each variable alone goes."""
    if "variable" in (one.kind, other.kind):
        return True
    if one.kind == other.kind == "list" and "|" in (one.name, other.name):
        return True
    same = (one.kind, one.name, len(one.args)) == (other.kind, other.name, len(other.args))
    return same and all(map(_may_match, one.args, other.args))


def _opposite(asked: Term, said: Term) -> bool:
    """Whether two names are each other's denial, by a prefix."""
    if not asked.kind == said.kind == "atom":
        return False
    short, long = sorted((asked.name, said.name), key=len)
    return any(long == prefix + short for prefix in _OPPOSITES) or {short, long} == {"no", "yes"}


def _goals(body: Term | None) -> Iterator[Term]:
    """The goals of a body that name a predicate, also inside control constructs."""
    if body is None or body.kind not in ("atom", "compound"):
        return
    inner = _CONTROL.get(_name(body))
    if inner is None:
        yield body
    else:
        for index in inner:
            yield from _goals(body.args[index])


def _reached(read: Sequence[_ReadClause], decision: str) -> set[_Name]:
    """The predicates that the decision calls, itself included."""
    calls: dict[_Name, set[_Name]] = defaultdict(set)
    for clause in read:
        calls[_name(clause.head)] |= {_name(goal) for goal in _goals(clause.body)}
    name, _, arity = decision.rpartition("/")
    names: set[_Name] = set()
    open_names = {(name, int(arity))}
    while open_names:
        names |= open_names
        open_names = {called for name_ in open_names for called in calls[name_]} - names
    return names


def _name(term: Term) -> _Name:
    return term.name, len(term.args)


def _indicator(term: Term) -> str:
    return f"{term.name}/{len(term.args)}"


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
    # Another check reports a version without a decision, and ``cue_in_axioms`` names the cue's predicates.
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
