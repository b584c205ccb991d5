"""How the counts of a version of SWI-Prolog differ from those of 9.2.9, measured when a worker starts.

Two counts depend on the version: inferences by how ``call_time/2`` is written and by how ``findall/3`` makes
its bag, profiler nodes by the latter only. Both are linear: a constant for every run plus a constant for each
call of findall (for nodes: each node that calls it). The first goals give these numbers. The other goals,
whose 9.2.9 values are known too, show whether the numbers explain this version. The known values follow
from versions 9.0.4 and 9.1.16, with which every published value of 806 pairs (made with 9.2) was reproduced.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewer.oracle.decode import RawCounts
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Counts


@dataclass(frozen=True, slots=True)
class Goal:
    """A program with the inference steps and choice steps that 9.2.9 gives."""

    name: str
    facts: str
    inference_steps: int
    choice_steps: int

    @property
    def program(self) -> Program:
        """The goal as a program that gives counts only."""
        return Program(facts=self.facts, query="ask(Choice)", prove=False)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Counts to subtract, and the names of the goals that they do not explain (none: comparable)."""

    per_run: int
    per_findall_call: int
    nodes_per_run: int
    nodes_per_findall_site: int
    differing: tuple[str, ...]

    def counts(self, raw: RawCounts) -> Counts:
        """The counts as 9.2.9 would give them, beside those of this version."""
        inferences = raw.inferences - self.per_run - self.per_findall_call * raw.findall_calls
        nodes = raw.nodes - self.nodes_per_run - self.nodes_per_findall_site * raw.findall_sites
        if self.differing:
            return Counts(raw.inferences, raw.nodes, raw.inferences, raw.nodes, comparable=False)
        return Counts(inferences, nodes, raw.inferences, raw.nodes, comparable=True)


FACT = Goal("a fact", "ask(1).", -1, 2)
FINDALL = Goal("findall once", "d(1). d(2). ask(X) :- findall(Y, d(Y), [X|_]).", 10, 8)
CHECKS = (
    Goal("a rule", "d(1). ask(X) :- d(X).", 0, 3),
    Goal("a chain of rules", "a(1). b(X) :- a(X). c(X) :- b(X). ask(X) :- c(X).", 2, 5),
    Goal("negation", "d(1). e(2). f(3). ask(X) :- d(X), \\+ e(X), \\+ f(X).", 4, 5),
    Goal("forall", "d(1). d(2). ok(1). ok(2). ask(yes) :- forall(d(X), ok(X)).", 3, 4),
    Goal("a condition", "d(1). ask(X) :- ( d(2) -> X = a ; d(1) -> X = b ; X = c ).", 2, 3),
    Goal("arithmetic", "d(1). d(5). ask(X) :- d(X), Y is X * 2 + 1, Y >= 10, X =< 5.", 5, 6),
    Goal("a cut", "d(1). d(2). ask(X) :- d(X), !. ask(3).", 0, 3),
    Goal("backtracking", "d(1). d(2). d(3). e(3). ask(X) :- d(X), \\+ \\+ e(X), X \\= 2.", 6, 5),
    Goal(
        "findall called five times from one place",
        "d(1). d(2). e(1). e(2). e(3). f(X) :- findall(Y, d(Y), [X|_]), e(X). "
        "ask(X) :- e(A), e(B), f(C), A = 2, B = 2, X = C.",
        66,
        11,
    ),
    Goal(
        "findall within findall",
        "d(1). d(2). e(1, a). e(2, b). g(X, L) :- findall(Y, e(X, Y), L). "
        "ask(Ls) :- findall(L, (d(X), g(X, L)), Ls).",
        32,
        15,
    ),
    Goal("findall twice", "d(1). d(2). ask(A-B) :- findall(X, d(X), A), findall(X, d(X), B).", 21, 8),
)
GOALS = (FACT, FINDALL, *CHECKS)


def calibrate(raw: Sequence[RawCounts | None]) -> Calibration:
    """The corrections from the raw counts of ``GOALS``, in their order; None if a goal gave no counts."""
    fact, findall = raw[0], raw[1]
    if fact is None or findall is None:
        return Calibration(0, 0, 0, 0, (FACT.name,))
    per_run = fact.inferences - FACT.inference_steps
    nodes_per_run = fact.nodes - FACT.choice_steps
    per_call = _share(findall.inferences - FINDALL.inference_steps - per_run, findall.findall_calls)
    per_site = _share(findall.nodes - FINDALL.choice_steps - nodes_per_run, findall.findall_sites)
    measured = Calibration(per_run, per_call, nodes_per_run, per_site, ())
    differing = tuple(
        goal.name for goal, counts in zip(GOALS, raw, strict=True) if not _explains(measured, goal, counts)
    )
    return replace(measured, differing=differing)


def _share(surplus: int, times: int) -> int:
    return surplus // times if times and surplus % times == 0 else 0


def _explains(calibration: Calibration, goal: Goal, raw: RawCounts | None) -> bool:
    if raw is None:
        return False
    counts = calibration.counts(raw)
    return (counts.inference_steps, counts.choice_steps) == (goal.inference_steps, goal.choice_steps)
