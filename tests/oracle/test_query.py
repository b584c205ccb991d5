"""Queries of a person: their solutions, and resources that a goal can neither read, start nor use up."""

import pytest

from reviewer.oracle.oracle_program import Program
from reviewer.oracle.query import MOST_SOLUTIONS, answer_query

PROGRAM = Program("fix(a). fix(b). cost(a, 3).\nnat(0). nat(N) :- nat(M), N is M+1.", "safe(X) :- fix(X).")


@pytest.mark.parametrize(
    ("goal", "solutions"),
    [
        ("?- safe(X).", ("X=a", "X=b")),
        ("safe(X), cost(X, Price)  % a remark", ("X=a, Price=3",)),
        ("fix(b)", ("true",)),
        ("fix(_Any)", ("true",)),
        ("findall(X, fix(X), L), X = 'A b'", ("X='A b', L=[a, b]",)),
        ("fix(c)", ()),
    ],
)
def test_a_goal_has_all_its_solutions_with_the_names_of_its_variables(
    goal: str, solutions: tuple[str, ...]
) -> None:
    answer = answer_query(PROGRAM, goal)
    assert (answer.solutions, answer.failed) == (solutions, False), answer


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        ("", "Type a goal"),
        ("shell(ls)", "the program calls shell/1"),
        ("G = open(f, write, S), call(G)", "a variable is called"),
        ("a)), shell((X", "the program calls shell/1"),
        ("a), (b", "its brackets do not match"),
        ("{|html||<p>|}", "forbidden in a query"),
        ("user:fix(X)", "in a module"),
        ("fix(X", "cannot be read"),
        ("fixes(X)", "fixes/1, which is defined nowhere"),
        ("between(1, inf, X), X < 0", "within the inference limit"),
        ("length(L, 100000)", "more output"),
        ("x" * 3_000, "3,000 characters"),
    ],
)
def test_what_a_goal_cannot_do_is_said_in_a_sentence(goal: str, why: str) -> None:
    answer = answer_query(PROGRAM, goal)
    assert (answer.solutions, answer.failed) == ((), True)
    assert why in answer.sentence


def test_solutions_without_end_are_cut_off() -> None:
    answer = answer_query(PROGRAM, "nat(X)")
    assert len(answer.solutions) == MOST_SOLUTIONS
    assert "There are more" in answer.sentence
