"""The published values, exactly; and nothing that ran before changes a count."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from reviewer.oracle import pool
from reviewer.oracle.calibration import GOALS, Calibration, calibrate
from reviewer.oracle.decode import RawCounts
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Counts, Result, Status
from tests.oracle.programs import HONEST, INTERPRETED, OPEN, asking, assert_honest, findings
from tests.rounds import rounds

VERSIONS = ("unbiased_prolog", "biased_prolog")


@pytest.fixture(scope="module", params=rounds(8, [1]))
def pairs(published: list[dict[str, Any]], request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Published pairs: every eighth of each file, and all."""
    assert len(published) == 806
    step: int = request.param
    return published[::step]


@pytest.fixture(scope="module")
def cases(pairs: list[dict[str, Any]]) -> list[tuple[Program, ...]]:
    return [tuple(Program(pair[version], pair["axioms"]) for version in VERSIONS) for pair in pairs]


@pytest.fixture(scope="module")
def results(cases: list[tuple[Program, ...]]) -> list[tuple[Result, ...]]:
    with pool.open_executor() as executor:
        return list(pool.in_order(pool.run_case, cases, executor))


def test_all_published_values_are_reproduced(
    pairs: list[dict[str, Any]], results: list[tuple[Result, ...]]
) -> None:
    assert [measured(result) for result in chain(*results)] == [
        (pair["correct_option"], pair["inference_steps"], pair["choice_steps"])
        for pair in pairs
        for _ in VERSIONS
    ]


def test_the_interpreter_comes_to_every_published_decision(results: list[tuple[Result, ...]]) -> None:
    assert all(
        result.proof is not None and result.proof.choice == result.choice for result in chain(*results)
    )


def test_the_interpreter_finds_all_solutions_of_all_programs(
    cases: list[tuple[Program, ...]], results: list[tuple[Result, ...]]
) -> None:
    asked = [
        replace(
            program, facts=program.facts + INTERPRETED, query="interpreted(Choice)", prove=False, count=False
        )
        for program in chain(*cases)
    ]
    jobs = [asked[start : start + 12] for start in range(0, len(asked), 12)]
    with pool.open_executor(2) as executor:
        futures = [executor.submit(pool.run_case, job, OPEN) for job in jobs]
        interpreted = [result for future in futures for result in future.result()]
    assert len(interpreted) == 2 * len(cases)
    assert list(map(findings, interpreted)) == list(map(findings, chain(*results)))


def test_counts_do_not_depend_on_order_or_company(
    cases: list[tuple[Program, ...]], results: list[tuple[Result, ...]]
) -> None:
    chosen = random.Random(7).sample(range(len(cases)), 60)
    crowd = [replace(cases[index][0], prove=False) for index in chosen]
    for start in range(0, len(crowd), 20):
        together = pool.run_case(crowd[start : start + 20])
        assert [result.counts for result in together] == [
            results[index][0].counts for index in chosen[start : start + 20]
        ]


def test_an_honest_program_alone_and_after_errors() -> None:
    assert_honest(pool.run(HONEST))
    failing = Program("decide_option(user, X) :- X is foo + 1.")
    assert_honest(pool.run_case([failing, failing, HONEST])[2])


def test_calibration_makes_this_version_comparable() -> None:
    _, calibration = pool.calibration()
    assert calibration.differing == ()


def test_calibration_measures_what_a_version_adds() -> None:
    raw = [
        RawCounts(g.inference_steps + 3 + 2 * calls, g.choice_steps + 4 * sites, calls, sites)
        for g, (calls, sites) in zip(GOALS, findalls(), strict=True)
    ]
    assert calibrate(raw) == Calibration(3, 2, 0, 4, ())


def test_a_goal_that_differs_takes_comparability_away() -> None:
    raw: list[RawCounts | None] = [
        RawCounts(g.inference_steps, g.choice_steps, calls, sites)
        for g, (calls, sites) in zip(GOALS, findalls(), strict=True)
    ]
    exact = calibrate(raw)
    assert exact.counts(RawCounts(5, 6, 0, 0)) == Counts(5, 6, 5, 6, comparable=True)
    raw[4] = None
    differing = calibrate(raw)
    assert differing.differing == (GOALS[4].name,)
    assert differing.counts(RawCounts(5, 6, 0, 0)) == Counts(5, 6, 5, 6, comparable=False)


def findalls() -> Sequence[tuple[int, int]]:
    """Calls of findall and their sites in each calibration goal."""
    return [(0, 0), (1, 1), *[(0, 0)] * 8, (5, 1), (3, 2), (2, 1)]


def measured(result: Result) -> tuple[str | None, int, int]:
    assert result.status is Status.OK, result
    assert result.counts is not None
    return result.choice, result.counts.inference_steps, result.counts.choice_steps


REDEFINING = [
    "member(X, _) :- X = a. decide_option(user, X) :- member(X, [b, c]).",
    "append(a, b, c). last(x, y). decide_option(user, X) :- append(X, b, c), last(x, y).",
    "length(_, 3). decide_option(user, X) :- length([], X).",
    "not(_). decide_option(user, a) :- not(true), forall(member(X, [1, 2]), X > 0).",
    "forall(_, _). decide_option(user, a) :- forall(true, fail).",
    "findall(_, _, [a]). decide_option(user, X) :- findall(Y, fail, [X]), Y = 1.",
    "print_message(_, _). message_to_codes(_, _, _). decide_option(user, a) :- print_message(a, b).",
    "call_time(_, _). profile(_). decide_option(user, a) :- call_time(a, b), profile(c).",
    "garbage_collect. statistics(_, _). nb_setval(_, _). decide_option(user, a) :- garbage_collect.",
    "probe(_, _, true). shown(_, x). decide_option(user, a) :- probe(a, b, true), shown(a, x).",
    ":- dynamic member/2, is_list/1. decide_option(user, a) :- \\+ member(a, [a]).",
    "option_A: member(_, _). lists_of(x). decide_option(user, a) :- option_A:member(b, c).",
]


@pytest.mark.parametrize("facts", REDEFINING)
def test_what_a_program_redefines_changes_nothing_of_others(facts: str) -> None:
    """Its numbers in a shared child are those of a run of its own, and so are its neighbours'."""
    program = asking(facts)
    alone = pool.run(program)
    before, shared, after = pool.run_case([HONEST, program, HONEST])
    assert replace(shared, cpu_seconds=0) == replace(alone, cpu_seconds=0)
    assert_honest(before)
    assert_honest(after)
