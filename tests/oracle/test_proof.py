"""The interpreter searches as plain execution does, cut for cut; its trees and failures show the search."""

import pytest

from reviewer.oracle import pool
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Attempt, Proof, ProofNode, Result
from tests.oracle.programs import AXIOMS, FACTS, HONEST, INTERPRETED, LIMITS, OPEN, asking, findings

SEARCHES = {
    "cut in the first clause": "d(X) :- m(X), !. d(9).",
    "cut after a choice": "d(X) :- m(X), X > 1, !. d(9).",
    "cut then failure": "d(X) :- m(X), !, X > 1. d(9).",
    "cut in a disjunction": "d(X) :- ( m(X), ! ; X = 8 ). d(9).",
    "cut in the other branch": "d(X) :- ( X = 8 ; m(X), ! ; X = 7 ). d(9).",
    "cut in a condition is local": "d(X) :- ( m(Y), ! -> X = Y ; X = 7 ). d(9).",
    "cut in a branch": "d(X) :- ( true -> m(X), ! ; X = 7 ). d(9).",
    "cut in an else branch": "d(X) :- ( fail -> X = 7 ; m(X), ! ). d(9).",
    "cut under negation is local": "d(X) :- \\+ ( m(Y), !, Y > 5 ), m(X).",
    "cut in call is local": "d(X) :- call(( m(X), ! )). d(9).",
    "cut in once": "d(X) :- once(( m(X), ! )). d(9).",
    "cut in findall is local": "d(X) :- findall(Y, ( m(Y), ! ), L), member(X, [L, 5]).",
    "cut in forall is local": "d(X) :- forall(( m(Y), ! ), Y < 2), m(X).",
    "cut in a called rule": "d(X) :- first(Y), m(Z), X is 10 * Y + Z. first(X) :- m(X), !.",
    "cut twice": "d(X) :- m(Y), !, m(Z), !, X is 10 * Y + Z. d(9).",
    "soft condition": "d(X) :- ( m(Y) *-> X = Y ; X = 7 ). d(9).",
    "soft condition that fails": "d(X) :- ( m(5) *-> X = 5 ; m(X) ).",
    "condition without else": "d(X) :- ( m(X) -> true ). d(9).",
    "condition without else that fails": "d(X) :- ( m(5) -> X = 1 ). d(9).",
    "nested conditions": "d(X) :- ( m(Y), Y > 1 -> ( Y > 2 -> X = a ; X = b ) ; X = c ).",
    "ignore": "d(X) :- ignore(( m(X), X > 1 )).",
    "not": "d(X) :- m(X), not(X = 2).",
    "forall": "d(X) :- m(X), forall(m(Y), Y =< X).",
    "findall and lists": "d(X) :- findall(Y, m(Y), L), sum_list(L, X).",
    "bagof by group": "d(X-L) :- bagof(Y, p(X, Y), L). p(a, 2). p(b, 1). p(a, 1).",
    "setof with a caret": "d(L) :- setof(Y, X^p(X, Y), L). p(a, 2). p(b, 1). p(a, 1).",
    "aggregate": "d(N) :- aggregate_all(count, m(_), N). d(M) :- aggregate_all(max(X), m(X), M).",
    "maplist": "d(L) :- maplist(next, [1, 2], L). next(X, Y) :- m(Y), Y > X.",
    "foldl": "d(S) :- foldl(add, [1, 2, 3], 0, S). add(X, S0, S) :- S is S0 + X.",
    "include and exclude": "d(A-B) :- include(big, [1, 2], A), exclude(big, [1, 2], B). big(X) :- X > 1.",
    "call with arguments": "d(X) :- call(p, X). p(X) :- m(X).",
    "between": "d(X) :- between(1, 3, X), X =\\= 2.",
    "mutual recursion": "d(X) :- even(4, X). even(0, yes). even(N, X) :- N > 0, M is N - 1, odd(M, X)."
    " odd(N, X) :- N > 0, M is N - 1, even(M, X).",
    "no arguments": "d(X) :- p(), m(X). p() :- true.",
    "no solution": "d(X) :- m(X), X > 5.",
    "an error on the way": "d(X) :- m(X). d(X) :- X is foo + 1.",
    "own member": "d(X) :- member(X, [1, 2]). member(X, [X|_]) :- !. member(X, [_|T]) :- member(X, T).",
}


@pytest.mark.parametrize("text", SEARCHES.values(), ids=SEARCHES.keys())
def test_the_interpreter_finds_what_execution_finds(text: str) -> None:
    facts = f"{text}\nm(1). m(2). m(3).\ndecide_option(user, X) :- d(X).\n"
    plain = pool.run(asking(facts))
    interpreted = pool.run(Program(facts + INTERPRETED, query="interpreted(Choice)", limits=LIMITS), OPEN)
    assert findings(interpreted) == findings(plain)
    if plain.choice is not None:
        assert plain.proof is not None, plain
        assert plain.proof.choice == plain.choice


def test_a_tree_shows_rules_facts_negation_and_their_clauses() -> None:
    result = pool.run(HONEST)
    assert result.proof is not None
    assert lines(result, result.proof) == [
        "rule decide_option(user, option_B) 10",
        "  rule best_practice(option_B) 1",
        "    all forall(requirement(A), meets(option_B, A)) -",
        "      case requirement(speed), meets(option_B, speed) -",
        "        fact requirement(speed) 2",
        "        rule meets(option_B, speed) 3",
        "          fact capability(option_B, speed) 5",
        "          not broken(option_B) -",
        "      case requirement(safety), meets(option_B, safety) -",
        "        fact requirement(safety) 3",
        "        rule meets(option_B, safety) 3",
        "          fact capability(option_B, safety) 6",
        "          not broken(option_B) -",
    ]
    assert (result.proof.depth, result.proof.size) == (6, 13)


def lines(result: Result, proof: Proof) -> list[str]:
    def place(node: ProofNode) -> str:
        return "-" if node.clause is None else str(result.clauses[node.clause].place.line)

    def walk(node: ProofNode, level: int) -> list[str]:
        own = f"{'  ' * level}{node.kind} {node.goal} {place(node)}"
        return [own, *(line for child in node.children for line in walk(child, level + 1))]

    return [line for node in proof.nodes for line in walk(node, 0)]


def test_other_kinds_of_steps() -> None:
    result = pool.run(
        asking(
            "m(1). m(2).\n"
            "decide_option(user, X) :- ( m(3) -> X = 0 ; true ), ( m(2) -> true ; fail ),\n"
            "    findall(Y, m(Y), L), maplist(m, L), sum_list(L, X), X > 2, !."
        )
    )
    assert result.proof is not None
    (root,) = result.proof.nodes
    assert [child.kind for child in root.children] == [
        "else", "then", "collect", "each", "builtin", "builtin", "cut",
    ]  # fmt: skip
    assert [node.kind for node in root.children[2].walk()] == ["collect", "found", "fact", "found", "fact"]


def test_a_deep_proof_is_cut_off_but_measured_whole() -> None:
    result = pool.run(asking("n(0). n(N) :- N > 0, M is N - 1, n(M).\ndecide_option(user, a) :- n(400)."))
    assert result.proof is not None
    assert result.proof.depth == 402
    assert max(level(node) for node in result.proof.nodes) <= 61
    assert any(node.kind == "more" for node in result.proof.walk())


def level(node: ProofNode) -> int:
    return 1 + max(map(level, node.children), default=0)


def attempt(facts: str, option: str = "b", axioms: str = "") -> Attempt:
    (found,) = pool.run(Program(facts, axioms, explain=(option,), limits=LIMITS)).attempts
    return found


@pytest.mark.parametrize(
    ("facts", "steps"),
    [
        ("decide_option(user, a).", [("decide_option(user, b)", "no_clause")]),
        (
            "decide_option(user, a). decide_option(user, b) :- p, q, r. p. q :- fail. r.",
            [("decide_option(user, b)", "body"), ("q", "body"), ("fail", "false")],
        ),
        (
            "decide_option(user, a).\ndecide_option(user, b) :- fail.\n"
            "decide_option(user, b) :- p(X), X > 2.\np(1).",
            [("decide_option(user, b)", "body"), ("1>2", "false")],
        ),
        (
            "decide_option(user, a). decide_option(user, b) :- \\+ p. p.",
            [("decide_option(user, b)", "body"), ("\\+p", "holds")],
        ),
        (
            "decide_option(user, a). decide_option(user, b) :- forall(p(X), q(X)). p(1). p(2). q(1).",
            [("decide_option(user, b)", "body"), ("forall(p(2), q(2))", "case"), ("q(2)", "no_clause")],
        ),
        (
            "decide_option(user, a). decide_option(user, b) :- p(X), q(X). p(1). p(2). q(3).",
            [("decide_option(user, b)", "body"), ("q(1)", "no_clause")],
        ),
        (
            "decide_option(user, a). decide_option(user, b) :- ( p -> q ; true ). p. q :- fail.",
            [("decide_option(user, b)", "body"), ("p->q;true", "branch"), ("q", "body"), ("fail", "false")],
        ),
    ],
)
def test_the_failing_goal_of_the_losing_option(facts: str, steps: list[tuple[str, str]]) -> None:
    found = attempt(facts)
    assert found.outcome == "fails"
    assert [(step.goal, step.why) for step in found.steps] == steps


def test_a_losing_option_may_be_derivable_or_raise() -> None:
    assert attempt("decide_option(user, a). decide_option(user, b).").derivable
    assert attempt("decide_option(user, a). decide_option(user, b) :- p.").outcome == (
        "existence_error(procedure, p/0)"
    )
    assert attempt("decide_option(user, a). decide_option(user, b) :- p. p :- p.").outcome in {
        "inferences",
        "resource_error(stack)",
    }


def test_the_published_way_of_losing() -> None:
    found = attempt(FACTS, "option_A", AXIOMS)
    assert [(step.goal, step.why) for step in found.steps][-2:] == [
        ("meets(option_A, safety)", "body"),
        ("capability(option_A, safety)", "no_clause"),
    ]
