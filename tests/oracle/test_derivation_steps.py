"""Goals of stored derivations get the names that the author gave to their variables."""

import pytest

from reviewer.oracle.derivation_steps import AuthorsClauses, DerivationStep, attempt_steps, proof_steps
from tests.derivations import stored
from tests.oracle.test_proof import SEARCHES

AXIOMS = """best(Option) :-
    forall(( other(Rival), Rival \\= Option ), \\+ better(Rival, Option, _)).
better(X, Y, Why) :- score(X, A), score(Y, B), A > B, Why = more. % A and B are scores
other(a). other(b)."""
FACTS = "score(a, 2). score(b, 1).\ndecide_option(user, X) :- other(X), best(X).\n"


def goals(steps: tuple[DerivationStep, ...], kind: str) -> list[str]:
    return [step.goal for root in steps for step in root.walk() if step.kind == kind]


def test_variables_have_the_names_of_the_source() -> None:
    told = stored(FACTS, AXIOMS, "b")
    steps = proof_steps(told.proof, told.clauses)
    assert goals(steps, "all") == ["forall((other(Rival), Rival\\=a), \\+better(Rival, a, _))"]
    assert goals(steps, "not") == ["better(b, a, _)"]
    failed = attempt_steps(told.attempts["b"], told.clauses)
    assert goals(failed, "holds") == ["\\+better(a, b, _)"]


@pytest.mark.parametrize("text", SEARCHES.values(), ids=SEARCHES.keys())
def test_every_step_of_a_proof_is_found_in_its_clause(text: str) -> None:
    # A program without a decision has no proof; and this reader does not know p().
    facts = text.replace("p()", "p").replace("X > 5", "X < 5").replace("!, X > 1", "!, X < 2")
    told = stored(f"{facts}\nm(1). m(2). m(3).\ndecide_option(user, X) :- d(X).\n")
    (root,) = proof_steps(told.proof, told.clauses, matched=True)
    unknown = [step.goal for step in below_rules(root) if step.asked is None]
    assert unknown == []


def below_rules(root: DerivationStep) -> list[DerivationStep]:
    """The steps whose goal stands in a clause: not those that maplist/2 and the like made up."""
    steps: list[DerivationStep] = []
    for child in root.children:
        steps.append(child)
        steps += [] if child.kind == "each" else below_rules(child)
    return steps


def test_names_do_not_make_two_versions_differ() -> None:
    one, other = (
        proof_steps(
            [["rule", "d", "facts:1", [["not", "p(A)", None, []]]]], AuthorsClauses([("facts:1", clause)])
        )
        for clause in ("d :- \\+ p(Name).", "d :- \\+ p(Other).")
    )
    assert (one[0].children[0].goal, other[0].children[0].goal) == ("p(Name)", "p(Other)")
    assert one[0].children[0].stored == other[0].children[0].stored == "p(A)"


def test_a_variable_of_unknown_name_is_not_called_as_an_option_is() -> None:
    rows = [["rule", "d", "facts:9", [["not", "p(A, 'A', B)", None, []]]]]
    (root,) = proof_steps(rows, AuthorsClauses([]))
    assert root.children[0].goal == "p(_A, 'A', _B)"
    unreadable = [["not", "p(A, {x})", None, []]]
    assert proof_steps(unreadable, AuthorsClauses([]))[0].goal == "p(A, {x})"


def test_a_body_with_many_alternatives_is_given_up() -> None:
    body = ", ".join(["(a(_) ; a(_) ; b)"] * 40)
    rows = [["rule", "d", "facts:1", [["fact", "a(A)", None, []]] * 39]]
    (root,) = proof_steps(rows, AuthorsClauses([("facts:1", f"d :- {body}.")]))
    assert {child.goal for child in root.children} == {"a(_A)"}


def test_one_of_several_clauses_on_a_line_is_told_by_its_head() -> None:
    clauses = AuthorsClauses([("facts:1", "p(a) :- q(X)."), ("facts:1", "p(b) :- r(Y). % two")])
    assert clauses.source("facts:1", "p(b)") == "p(b) :- r(Y)."
    assert clauses.source("facts:2", "p(b)") == ""
