"""Programs that several tests run, with known facts about them."""

from reviewer.oracle.jail import Jail
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.result import Result, Status

NEEDS_NO_PROLOG = {"test_confinement.py", "test_alignment.py", "test_missing.py", "test_terms.py"}

# Generous clocks: the machine may be busy. What has to end soon ends by inferences, memory or CPU time.
LIMITS = Limits(inferences=1_000_000, cpu_seconds=1, seconds=60.0)

AXIOMS = """best_practice(Option) :-
    forall(requirement(Need), meets(Option, Need)).
meets(Option, Need) :-
    capability(Option, Need),
    \\+ broken(Option)."""

FACTS = """:- consult('axioms').
requirement(speed).
requirement(safety).
capability(option_A, speed).
capability(option_B, speed).
capability(option_B, safety).
broken(option_C).
decide_option(user, option_A) :-
    best_practice(option_A).
decide_option(user, option_B) :-
    best_practice(option_B).
"""

HONEST = Program(FACTS, AXIOMS, limits=LIMITS)

# The interpreter asked for all solutions, by a program that the gate would refuse.
INTERPRETED = """
interpreted(Choice) :-
    context_module(M),
    oracle_proof:solve_local(decide_option(user, Choice), ctx(M, steps(0)), _, []).
"""
OPEN = Jail(gate=False)


def assert_honest(result: Result) -> None:
    """The honest program's result, whatever ran before."""
    assert result.status is Status.OK, result
    assert result.choice == "option_B"
    assert result.solutions == ("option_B",)
    assert result.counts is not None
    assert result.counts.comparable
    assert (result.counts.inference_steps, result.counts.choice_steps) == HONEST_COUNTS


HONEST_COUNTS = (20, 7)


def asking(facts: str) -> Program:
    """The facts, asked for a decision under the tests' limits."""
    return Program(facts, limits=LIMITS)


def findings(result: Result) -> tuple[object, ...]:
    return result.status, result.choice, result.solutions, result.solutions_end
