"""Derivations in sentences: each states the content of the steps, and no more."""

from reviewer.oracle.derivation_steps import DerivationStep
from reviewer.protocols.probe_swe.derivation_words import Teller
from tests.derivations import stored

NET = """best_option(Opt) :-
    net_benefit(Opt, Mine),
    forall(( net_benefit(Other, Theirs), Other \\= Opt ), Mine >= Theirs).
net_benefit(Opt, Net) :- benefit(Opt, B), cost(Opt, C), Net is B - C.
"""
NET_FACTS = """benefit(option_A, 10). benefit(option_B, 5).
cost(option_A, 4). cost(option_B, 3).
decide_option(user, option_A) :- best_option(option_A).
decide_option(user, option_B) :- best_option(option_B).
"""


def lines(steps: tuple[DerivationStep, ...], depth: int = 0) -> list[str]:
    return [line for step in steps for line in ("  " * depth + step.goal, *lines(step.children, depth + 1))]


def told(facts: str, axioms: str = "", option: str = "option_B") -> list[str]:
    """The sentences on a program: why it decides as it does, and why not the other option."""
    program = stored(facts, axioms, option)
    teller = Teller(program.clauses)
    failed = lines(teller.why_not(option, program.attempts.get(option, [])))
    return [*lines(teller.why(program.proof)), *failed]


def test_numbers_are_compared_by_what_they_are() -> None:
    assert told(NET_FACTS, NET) == [
        "Option A, because its net benefit (6) is at least Option B's (2).",
        "  Option A's net benefit is 6, because its benefit (10) minus its cost (4) is 6.",
        "  Option B's net benefit is 2, because its benefit (5) minus its cost (3) is 2.",
        "Not Option B: its net benefit (2) is less than Option A's (6).",
        "  Needed for: Option B counts as “best option”.",
    ]


def test_a_rule_without_good_words_keeps_its_names() -> None:
    axioms = "ok(X) :- gather_feedback(X, now), trio(X, b, date(1, 2)).\n"
    facts = (
        "gather_feedback(option_A, now). trio(option_A, b, date(1, 2)).\ndecide_option(user, X) :- ok(X).\n"
    )
    assert told(facts, axioms) == [
        "Option A, because “gather feedback” holds for Option A and now, and “trio” holds for Option A, b and"
        " date(1, 2).",
        "Not Option B: nothing in the program says that “gather feedback” holds for Option B and now.",
        "  Needed for: Option B counts as “ok”.",
    ]


def test_a_default_says_that_no_rule_before_decides() -> None:
    facts = "option(option_A).\ndecide_option(U, X) :- best(U, X), !.\ndecide_option(_, X) :- option(X).\n"
    assert told(facts, ":- dynamic best/2.") == [
        "Option A, because it is an option and no rule before this one decides.",
        "Not Option B: in the attempt that came farthest, nothing in the program says that Option B counts"
        " as “best”.",
    ]


def test_several_values_of_one_name_are_not_said_to_be_the_only_one() -> None:
    facts = (
        "capability(option_A, speed). capability(option_A, safety). requirement(speed).\n"
        "decide_option(user, option_A) :- forall(requirement(R), suitable(option_A, R)).\n"
    )
    assert told(facts, "suitable(Opt, R) :- capability(Opt, R).\n")[:2] == [
        "Option A, because it is suitable for each requirement (speed).",
        "  Option A is suitable for speed, because one of its capabilities is speed.",
    ]


def test_negation_says_what_cannot_be_shown() -> None:
    facts = (
        "option(option_A).\nrisk(option_B, high).\n"
        "decide_option(user, option_A) :- option(option_A), \\+ risk(option_A, _), \\+ quick(_).\n"
        "quick(option_C) :- fail.\n"
    )
    assert told(facts)[0] == (
        "Option A, because it is an option, no risk of it can be shown and nothing can be shown to count as"
        " “quick”."
    )


def test_a_condition_without_cases_is_said_to_have_none() -> None:
    facts = "decide_option(user, option_A) :- forall(need(_, N), met(N)).\n:- dynamic need/2, met/1.\n"
    assert told(facts)[0] == "Option A, because there is no case of “need(_, N)” to check."


def test_what_was_cut_off_is_not_counted() -> None:
    facts = "n(1).\ndecide_option(user, option_A) :- forall(between(1, 150, X), ( n(1), X > 0 )).\n"
    assert told(facts)[0] == ("Option A, because “n(1), X > 0” holds in every case of “between(1, 150, X)”.")
