"""What a result says of small programs: status, choice, solutions, places, messages."""

import pytest

from reviewer.oracle import pool
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.result import Part, Result, SourceLine, Status
from tests.oracle.programs import AXIOMS, FACTS, HONEST, LIMITS, asking


@pytest.mark.parametrize(
    ("facts", "status", "choice"),
    [
        ("decide_option(user, a).", Status.OK, "a"),
        ("decide_option(user, a) :- fail.", Status.NO_SOLUTION, None),
        ("decide_option(user, X) :- X = f(_).", Status.NOT_GROUND, "f(A)"),
        ("decide_option(user, X) :- X is a + 1.", Status.ERROR, None),
        ("decide_option(user, a) :- nowhere(b).", Status.ERROR, None),
        ("something(else).", Status.LOAD_ERROR, None),
        ("", Status.LOAD_ERROR, None),
        ("decide_option(user, a) :- halt.", Status.REFUSED, None),
        ("decide_option(user, a) :- p. p :- p.", Status.INFERENCES, None),
        ("decide_option(user, a) :- p(x). p(X) :- length(L, 500000), p(X-L).", Status.MEMORY, None),
        ("decide_option(user, X) :- numlist(1, 100000, X).", Status.OUTPUT, "'[|]'/2 (too large to show)"),
        ("p(" + "f(" * 30_000 + "a" + ")" * 30_000 + ").", Status.KILLED, None),
        pytest.param(
            *("decide_option(user, a) :- p. p :- length(L, 60000), msort(L, _), p.", Status.TIME, None),
            marks=pytest.mark.slow,  # of two seconds; every run has the same program in test_hostile.py
        ),
    ],
)
def test_status(facts: str, status: Status, choice: str | None) -> None:
    result = pool.run(asking(facts))
    assert (result.status, result.choice) == (status, choice), result


def test_only_an_answer_means_that_a_program_ran() -> None:
    answers = {Status.OK, Status.NO_SOLUTION, Status.NOT_GROUND, Status.ERROR, Status.LOAD_ERROR}
    assert {status for status in Status if Result(status, "").ran} == answers


def test_the_first_solution_and_all_distinct_ones() -> None:
    result = pool.run(asking("decide_option(user, X) :- member(X, [b, a, b, c]).")).solutions
    assert result == ("b", "a", "c")


def test_solutions_end_at_the_limit() -> None:
    program = Program("decide_option(user, X) :- between(1, inf, X).", limits=Limits(solutions=3))
    result = pool.run(program)
    assert (result.solutions, result.solutions_end) == (("1", "2", "3"), "most")


def test_an_error_after_the_first_solution_is_told() -> None:
    result = pool.run(asking("decide_option(user, a). decide_option(user, b) :- nowhere."))
    assert (result.status, result.solutions) == (Status.OK, ("a",))
    assert result.solutions_end == "error: existence_error(procedure, nowhere/0)"
    assert result.undefined == ("nowhere/0",)


def test_another_query() -> None:
    program = Program("likes(ann, tea). likes(bob, milk).", query="likes(bob, What)", limits=LIMITS)
    assert pool.run(program).choice == "milk"


@pytest.mark.parametrize(
    "name", ["'Größe'", "'𝔘😀'", "'it''s'", '"a string"', "'two\\nlines'", "'\\\\ and \"'"]
)
def test_names_in_any_script_come_back(name: str) -> None:
    result = pool.run(asking(f"decide_option(user, X) :- X = {name}."))
    assert result.status is Status.OK
    again = pool.run(asking(f"decide_option(user, X) :- X = {result.choice}, X == {name}."))
    assert again.choice == result.choice


def test_clauses_have_places_in_their_own_part() -> None:
    result = pool.run(HONEST)
    rows = [(clause.kind, clause.predicate, clause.place) for clause in result.clauses]
    assert rows[:3] == [
        ("rule", "best_practice/1", SourceLine(Part.AXIOMS, 1)),
        ("rule", "meets/2", SourceLine(Part.AXIOMS, 3)),
        ("fact", "requirement/1", SourceLine(Part.FACTS, 2)),
    ]
    sources = {Part.AXIOMS: AXIOMS, Part.FACTS: FACTS}
    for clause in result.clauses:
        source = sources[clause.place.part][clause.start : clause.end]
        assert source.startswith(clause.predicate.partition("/")[0])
        assert source.endswith(".")


def test_messages_have_a_kind_and_a_line() -> None:
    result = pool.run(
        asking("a(1).\nb(2).\na(3).\nc(X, Y) :- a(X).\natom(z).\nd( .\ndecide_option(user, o).")
    )
    assert [(message.kind, message.place.line) for message in result.messages] == [
        ("discontiguous", 3),
        ("singleton", 4),
        ("refused_clause", 5),
        ("syntax", 6),
    ]
    assert result.choice == "o"


def test_axioms_stand_where_they_are_consulted_whatever_the_quotes() -> None:
    for line in (":- consult('axioms').", ":- consult(axioms).", ":- [axioms].", ':- consult("axioms.pl").'):
        facts = FACTS.replace(":- consult('axioms').", line)
        assert pool.run(Program(facts, AXIOMS, limits=LIMITS)).choice == "option_B"


def test_used_and_unused_clauses() -> None:
    result = pool.run(HONEST)
    unused = {result.clauses[index].predicate for index in result.unused}
    assert unused == {"capability/2", "broken/1", "decide_option/2"}
    assert used(result) == [1, 3, 2, 3, 5, 6, 10]


def used(result: Result) -> list[int]:
    assert result.proof is not None
    return [result.clauses[index].place.line for index in sorted(result.proof.used)]
