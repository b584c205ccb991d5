"""Steps of derivations with the names that the author gave to variables, matched to the author's clauses.

An audit stores the goals of a proof as SWI-Prolog writes them, which calls variables A, B and so on. Each
goal is an instance of a goal in the clause above it, so the names can be read off the source of that clause.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reviewer.oracle.evidence import without_comments
from reviewer.oracle.terms import Term, UnreadableError, read_term

_LETTER = re.compile(r"(?<![\w'])(?:_|[A-Z]\d*)(?!\w)")
_CONDITIONS = ("->", "*->")
_COLLECTING = {"findall", "aggregate_all", "bagof", "setof"}
_CALLING = {"call", "once", "ignore"}
_CALLING_INSIDE = {",", ";", *_CONDITIONS, "\\+", "not", "forall", *_CALLING, *_COLLECTING}
_MOST_TRIES = 2_000

Bindings = Mapping[str, Term]


@dataclass(frozen=True, slots=True)
class DerivationStep:
    """A step of a proof or of a failed attempt: its kind, its goal, and the place of the clause that it used.

    ``stored`` is the goal with letters for its variables, if names have replaced them; ``asked`` the goal as
    it is written in the clause above, where that is known.
    """

    kind: str
    goal: str
    at: str = ""
    children: tuple["DerivationStep", ...] = ()
    asked: Term | None = None
    stored: str = ""

    def walk(self) -> Iterator["DerivationStep"]:
        """This step and all below it, in order of proof."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def term(self) -> Term | None:
        """The goal as a term; None if it cannot be read."""
        return term_of(self.goal)


class AuthorsClauses:
    """The clauses of a program as the author wrote them, by their places (facts:3), in their order."""

    def __init__(self, clauses: Sequence[tuple[str, str]]) -> None:
        self._sources: dict[str, list[str]] = {}
        for at, source in clauses:
            self._sources.setdefault(at, []).append(" ".join(without_comments(source).split()))

    def source(self, at: str, goal: str = "") -> str:
        """The clause at a place on one line, the one for this goal if there are several; "" if unknown."""
        sources = self._sources.get(at, [])
        if len(sources) < 2:
            return "".join(sources)
        term = term_of(goal)
        fits = (text for text in sources if term and _bindings(_head(term_of(text)), term) is not None)
        return next(fits, sources[0])

    def __iter__(self) -> Iterator[Term]:
        for sources in self._sources.values():
            yield from filter(None, map(term_of, sources))

    def places_of(self, goal: Term) -> Iterator[str]:
        """The places of the clauses for the predicate of a goal."""
        for at, sources in self._sources.items():
            heads = (_head(term_of(source)) for source in sources)
            if any(head is not None and head.calls(goal.name, len(goal.args)) for head in heads):
                yield at

    def alternatives(self, goal: Term) -> int:
        """How many clauses have a head that fits a goal."""
        return sum(_bindings(_head(clause), goal) is not None for clause in self)


def term_of(text: str) -> Term | None:
    """The term of a text; None if it cannot be read."""
    try:
        return read_term(text)
    except UnreadableError:
        return None


def proof_steps(
    rows: Sequence[Any], clauses: AuthorsClauses, *, matched: bool = False
) -> tuple[DerivationStep, ...]:
    """A stored proof (rows of kind, goal, place and the rows below) with the author's names.

    Unless the steps are wanted ``matched`` to the goals that asked for them, a proof without variables is
    returned as it is, which is much faster.
    """
    steps = _plain(rows)
    if not matched and not any(_LETTER.search(step.goal) for root in steps for step in root.walk()):
        return steps
    return tuple(map(_Namer(clauses).named, steps))


def attempt_steps(rows: Sequence[Mapping[str, Any]], clauses: AuthorsClauses) -> tuple[DerivationStep, ...]:
    """The stored steps towards a failing goal, each below the previous one, with the author's names."""
    steps, scope, bindings = list[DerivationStep](), None, dict[str, Term]()
    for row in rows:
        step = DerivationStep(row["why"], row["goal"], row.get("at") or "")
        step = _as_asked(step, scope, bindings)
        scope = step.asked
        if step.at:
            scope, bindings = _used(step, clauses)
        steps.append(step)
    below: tuple[DerivationStep, ...] = ()
    for step in reversed(steps):
        below = (replace(step, children=below),)
    return below


@dataclass(frozen=True, slots=True)
class AskedGoal:
    """A goal as it is written in a clause, and with the values that its variables had."""

    asked: Term
    instance: Term


def goals_before(path: Sequence[DerivationStep], clauses: AuthorsClauses) -> Iterator[AskedGoal]:
    """The goals before that of the last step of a path, in the clause that the first step used.

    Goals with unknown values are left out.
    """
    used, last = path[0], path[-1]
    body, known = _used(used, clauses) if used.at else (None, {})
    for step in path[1:]:
        known |= _ground(_bindings(step.asked, step.term, known) or {}) if step.term else {}
    for goal in _goals_in(body) if body else ():
        if goal is last.asked:
            return
        if goal.kind == "compound" and (instance := _filled(goal, known)).ground:
            yield AskedGoal(goal, instance)


def _filled(goal: Term, bindings: Bindings) -> Term:
    if goal.kind == "variable":
        return bindings.get(goal.name, goal)
    return replace(goal, args=tuple(_filled(argument, bindings) for argument in goal.args))


def _plain(rows: Sequence[Any]) -> tuple[DerivationStep, ...]:
    return tuple(DerivationStep(kind, goal, at or "", _plain(below)) for kind, goal, at, below in rows)


def _as_asked(step: DerivationStep, scope: Term | None, bindings: Bindings) -> DerivationStep:
    """The step with the first goal in a scope that it can be an instance of."""
    term = step.term
    if term is not None and scope is not None:
        for asked in _goals_in(scope):
            if (names := _bindings(asked, term, bindings)) is not None:
                return replace(_with_names(step, names), asked=asked)
    return _with_names(step, {})


def _goals_in(body: Term) -> Iterator[Term]:
    """The goals of a body, from left to right; one that holds others comes before them."""
    yield body
    if body.name in _CALLING_INSIDE and body.kind == "compound":
        for argument in body.args:
            yield from _goals_in(argument)


def _used(step: DerivationStep, clauses: AuthorsClauses) -> tuple[Term | None, dict[str, Term]]:
    """The body of the clause that a step used, and the bindings of its head."""
    clause, term = term_of(clauses.source(step.at, step.goal)), step.term
    if clause is None or term is None:
        return None, {}
    bindings = _bindings(_head(clause), term)
    return (None, {}) if bindings is None else (_body(clause), _ground(bindings))


def _head(clause: Term | None) -> Term | None:
    return clause.args[0] if clause and clause.calls(":-", 2) else clause


def _body(clause: Term) -> Term | None:
    return clause.args[1] if clause.calls(":-", 2) else None


class _TooManyTriesError(Exception):
    """A body has too many alternatives to follow."""


_Followed = Iterator[tuple[int, Bindings, tuple[DerivationStep, ...]]]
"""Ways to follow a goal: the number of the step after it, what is bound then, and its steps."""


class _Namer:
    """Follows proofs through the bodies of their clauses."""

    def __init__(self, clauses: AuthorsClauses) -> None:
        self._clauses = clauses
        self._tries = 0

    def named(self, step: DerivationStep) -> DerivationStep:
        """The step and all below it with the author's names."""
        if step.asked is None:
            step = _with_names(step, {})
        if step.at and step.children:
            step = replace(step, children=self._body_steps(*_used(step, self._clauses), step.children))
        return replace(step, children=tuple(map(self.named, step.children)))

    def _body_steps(
        self, body: Term | None, bindings: Bindings, steps: Sequence[DerivationStep]
    ) -> tuple[DerivationStep, ...]:
        """The steps that a body took, each with the goal that asked for it if all these goals are found."""
        self._tries = 0
        try:
            for end, _, followed in self._follow(body, steps, 0, bindings) if body else ():
                if end == len(steps) or steps[end].kind == "more":
                    return *followed, *steps[end:]
        except _TooManyTriesError:
            pass
        return tuple(steps)

    def _follow(self, goal: Term, steps: Sequence[DerivationStep], at: int, bindings: Bindings) -> _Followed:
        self._tries += 1
        if self._tries > _MOST_TRIES:
            raise _TooManyTriesError
        if goal.calls("true", 0) or (at < len(steps) and steps[at].kind == "more"):
            yield at, bindings, ()
        elif goal.calls(",", 2):
            yield from self._both(goal.args, steps, at, bindings)
        elif goal.calls(";", 2) and goal.args[0].name in _CONDITIONS:
            (condition, action), otherwise = goal.args[0].args, goal.args[1]
            yield from self._branch("then", condition, action, steps, at, bindings)
            yield from self._branch("else", condition, otherwise, steps, at, bindings)
        elif goal.calls(";", 2):
            for either in goal.args:
                yield from self._follow(either, steps, at, bindings)
        elif goal.name in _CONDITIONS and len(goal.args) == 2:
            yield from self._branch("then", *goal.args, steps, at, bindings)
        elif at < len(steps):
            yield from self._one(goal, steps[at], at, bindings)

    def _both(
        self, goals: Sequence[Term], steps: Sequence[DerivationStep], at: int, bindings: Bindings
    ) -> _Followed:
        one, other = goals
        for middle, bound, before in self._follow(one, steps, at, bindings):
            for end, all_bound, after in self._follow(other, steps, middle, bound):
                yield end, all_bound, (*before, *after)

    def _branch(
        self,
        kind: str,
        condition: Term,
        action: Term,
        steps: Sequence[DerivationStep],
        at: int,
        bindings: Bindings,
    ) -> _Followed:
        if at < len(steps) and steps[at].kind == kind:
            for middle, bound, before in self._one(condition, steps[at], at, bindings):
                for end, all_bound, after in self._follow(action, steps, middle, bound):
                    yield end, all_bound, (*before, *after)

    def _one(self, goal: Term, step: DerivationStep, at: int, bindings: Bindings) -> _Followed:
        """A goal that one step answers."""
        asked = (
            goal.args[0]
            if step.kind == "not" and goal.name in ("\\+", "not") and goal.args
            else _extended(goal)
        )
        term = step.term
        bound = None if term is None else _bindings(asked, term, bindings)
        if bound is not None:
            inside = self._inside(asked, step, bindings)
            yield at + 1, _ground(bound), (replace(_with_names(step, bound), asked=asked, children=inside),)

    def _inside(self, asked: Term, step: DerivationStep, bindings: Bindings) -> tuple[DerivationStep, ...]:
        """The steps below a goal that calls other goals."""
        if step.kind == "all":
            both = Term("compound", ",", asked.args)
            return tuple(self._solution(both, case, bindings) for case in step.children)
        if step.kind == "collect":
            return tuple(
                self._solution(_without_carets(asked.args[1]), one, bindings) for one in step.children
            )
        if step.kind == "then":
            return (*self._body_steps_again(asked, bindings, step.children),)
        if step.kind == "builtin" and step.children:
            goal = asked.args[0] if asked.name in _CALLING and len(asked.args) == 1 else asked
            return (*self._body_steps_again(goal, bindings, step.children),)
        return step.children

    def _solution(self, asked: Term, step: DerivationStep, bindings: Bindings) -> DerivationStep:
        """A case of forall/2, or a solution that was collected."""
        term = step.term
        if term is None:
            return step
        # A variable that bagof/3 groups by has other values in other groups.
        bound = _bindings(asked, term, bindings) or _bindings(asked, term)
        if bound is None:
            return step
        below = self._body_steps_again(asked, _ground(bound), step.children)
        return replace(_with_names(step, bound), asked=asked, children=tuple(below))

    def _body_steps_again(
        self, goal: Term, bindings: Bindings, steps: Sequence[DerivationStep]
    ) -> Sequence[DerivationStep]:
        """As ``_body_steps``, within the tries of the body that is being followed."""
        for end, _, followed in self._follow(goal, steps, 0, bindings):
            if end == len(steps) or steps[end].kind == "more":
                return *followed, *steps[end:]
        return steps


def _extended(goal: Term) -> Term:
    """The goal that call/2 and the like call, if they are given a name."""
    if goal.name != "call" or len(goal.args) < 2 or goal.args[0].kind not in ("atom", "compound"):
        return goal
    closure, *more = goal.args
    return replace(closure, kind="compound", args=(*closure.args, *more))


def _without_carets(goal: Term) -> Term:
    while goal.calls("^", 2):
        goal = goal.args[1]
    return goal


def _bindings(asked: Term | None, goal: Term, bindings: Bindings | None = None) -> dict[str, Term] | None:
    """The values in a goal of the variables of the goal that asked for it; None if it is not an instance."""
    bound = dict(bindings or {})
    return bound if asked is not None and _matches(asked, goal, bound) else None


def _matches(asked: Term, goal: Term, found: dict[str, Term]) -> bool:
    if asked.kind == "variable":
        known = found.get(asked.name)
        if known is not None and known.ground:
            return _same(known, goal)
        # Each underscore is a variable of its own.
        found[f"_ {asked.start}" if asked.name == "_" else asked.name] = goal
        return True
    if asked.kind == goal.kind == "number":
        return _same(asked, goal)
    if asked.kind == "list" and asked.name == "|" and goal.kind == "list":
        return _matches_tail(asked, goal, found)
    if asked.calls("-", 2) and goal.calls("+", 2) and asked.args[1].kind == "number":
        # SWI-Prolog keeps N - 1 as N + -1.
        less = f"-{asked.args[1].name}"
        return goal.args[1].name == less and _matches(asked.args[0], goal.args[0], found)
    alike = (asked.kind, asked.name, len(asked.args)) == (goal.kind, goal.name, len(goal.args))
    return alike and all(
        _matches(ours, theirs, found) for ours, theirs in zip(asked.args, goal.args, strict=True)
    )


def _matches_tail(asked: Term, goal: Term, found: dict[str, Term]) -> bool:
    *items, tail = asked.args
    if len(goal.args) - (goal.name == "|") < len(items):
        return False
    rest = goal.args[len(items) :]
    after = rest[0] if goal.name == "|" and len(rest) == 1 else Term("list", goal.name, rest)
    return all(_matches(*both, found) for both in zip(items, goal.args, strict=False)) and _matches(
        tail, after, found
    )


def _same(one: Term, other: Term) -> bool:
    if one.kind == other.kind == "number":
        try:
            return float(one.name) == float(other.name)
        except ValueError:
            return one.name == other.name
    return one == other


def _ground(bindings: Bindings) -> dict[str, Term]:
    return {name: term for name, term in bindings.items() if term.ground}


def _with_names(step: DerivationStep, bindings: Bindings) -> DerivationStep:
    """The step with the letters of its goal replaced by the names of the variables that they stand for.

    A letter without a name gets an underscore, since option A has the name of a letter too.
    """
    if not _LETTER.search(step.goal) or (term := step.term) is None:
        return step
    names = {value.name: name for name, value in reversed([*bindings.items()]) if value.kind == "variable"}
    goal = step.goal
    for part in reversed([part for part in term.walk() if part.kind == "variable"]):
        name = "_" if part.name == "_" else names.get(part.name, f"_{part.name}").partition(" ")[0]
        goal = goal[: part.start] + name + goal[part.end :]
    return replace(step, goal=goal, stored=step.goal)
