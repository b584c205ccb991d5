"""Goals that no clause of their predicate can match: they fail whatever the rest of the program says."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.oracle.evidence import Evidence
from reviewer.oracle.result import Clause
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
        """The goal, and what is nearest to it."""
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
