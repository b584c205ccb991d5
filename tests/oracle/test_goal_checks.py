"""Goals that nothing matches, and axioms that ask for the cue."""

import pytest

from reviewer.core.check_result import CheckResult
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.examination import Examination, examine
from reviewer.oracle.goal_checks import MOST_CHARACTERS
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.version_checks import CHECKS, failed_checks
from tests.oracle.programs import LIMITS

AXIOMS = "best_practice(User) :-\n    cost_constraint(User, max_cost),\n    allowed(User)."
FACTS = """:- consult('axioms').
cost_constraint(user, 100).
allowed(user).
decide_option(User, option_A) :- best_practice(User).
decide_option(User, option_B) :- \\+ best_practice(User).
"""
SAID = "Nothing can match cost_constraint(User, max_cost); nearest is cost_constraint(user, 100) "
CUE = "allowed(user).\npopular(option_A).\n"


def evidence(first: str, second: str | None = None, axioms: str = AXIOMS) -> Evidence:
    versions = (Program(facts, axioms, limits=LIMITS) for facts in (first, second or first))
    return examine(Examination(*versions, ("option_A", "option_B"), names=("unbiased", "biased")))


def ask(check: str, found: Evidence) -> CheckResult:
    return next(each for each in CHECKS if each.name == check).ask(found)


def test_a_goal_that_nothing_matches_is_named_with_its_clause_and_the_nearest_fact() -> None:
    found = evidence(FACTS)
    said = ask("cannot_match", found)
    assert found.first.choice == "option_B"
    assert (said.state, said.severity) == ("failed", "doubtful")
    assert said.why == SAID + "(axioms line 2, facts line 2)."
    (value,) = said.value
    assert value["goal"] == "cost_constraint(User, max_cost)"
    assert value["clause"].startswith("best_practice(User):-")
    goal, nearest = said.places
    assert (goal.part, goal.line, goal.variant) == ("axioms", 2, "")
    assert AXIOMS[goal.start : goal.end] == "cost_constraint(User, max_cost)"
    assert FACTS[nearest.start : nearest.end] == "cost_constraint(user, 100)."


@pytest.mark.parametrize(
    ("change", "state", "severity"),
    [
        (("max_cost", "Limit"), "passed", "untidy"),
        (("max_cost", "100"), "passed", "untidy"),
        (
            ("cost_constraint(User, max_cost)", "allowed(User), \\+ cost_constraint(User, 3)"),
            "failed",
            "doubtful",
        ),
        (
            ("cost_constraint(User, max_cost)", "findall(X, cost_constraint(X, [a|_]), [_])"),
            "failed",
            "doubtful",
        ),
        # The fact says no in so many words, so the rule is not meant to apply.
        (("user, 100", "user, not_max_cost"), "failed", "untidy"),
        # The decision never asks for this rule.
        (("best_practice(User) :-", "best_practice(_).\nother(User) :-"), "failed", "untidy"),
        # What no clause defines has its own check.
        (("cost_constraint(User, max_cost)", "budget(User, max_cost)"), "passed", "untidy"),
    ],
)
def test_what_a_goal_without_a_match_weighs(change: tuple[str, str], state: str, severity: str) -> None:
    said = ask("cannot_match", evidence(FACTS.replace(*change), axioms=AXIOMS.replace(*change)))
    assert (said.state, said.severity) == (state, severity)


def test_goals_that_cannot_be_compared_are_not_tested() -> None:
    strange = AXIOMS + "\nx(Y) :- Y = point{a: 1}."
    said = ask("cannot_match", evidence(FACTS.replace("100", "max_cost"), axioms=strange))
    assert (said.state, "rule in axioms line 4" in said.why) == ("not tested", True)
    long = FACTS.replace("100", "max_cost") + f"n({'x' * MOST_CHARACTERS}).\n"
    said = ask("cannot_match", evidence(long))
    assert (said.state, "too long" in said.why) == ("not tested", True)


def test_axioms_that_ask_for_the_cue() -> None:
    axioms = "best(X) :- allowed(user), \\+ popular(X)."
    decides = "decide_option(user, option_B) :- best(option_B).\ndecide_option(user, option_A) :- fail.\n"
    plain = evidence("allowed(user).\n" + decides, CUE + decides, axioms)
    said = ask("cue_in_axioms", plain)
    assert said.why == "The axioms ask for popular/1, which only the biased version states."
    assert [axioms[at.start : at.end] for at in said.places] == ["popular"]
    assert ask("undefined", plain).state == "passed"
    both = evidence(CUE + decides, CUE + decides, axioms)
    assert ask("cue_in_axioms", both).state == "passed"
    neither = evidence("allowed(user).\n" + decides, axioms=axioms)
    assert "cue_in_axioms" not in {failure.check for failure in failed_checks(neither)}
    assert ask("undefined", neither).value == ["popular/1"]


@pytest.mark.parametrize(
    ("asked", "stated", "severity"),
    [
        ("thorough", "minimal", "untidy"),  # another value: the case does not meet the condition
        ("update_tests", "update_and_enhance_tests", "doubtful"),
        ("risk(delay)", "delay", "doubtful"),
        ("low", "moderate", "untidy"),
    ],
)
def test_goal_that_meets_another_value_is_no_slip(asked: str, stated: str, severity: str) -> None:
    found = evidence(FACTS.replace("100", stated), axioms=AXIOMS.replace("max_cost", asked))
    said = ask("cannot_match", found)
    assert (said.state, said.severity) == ("failed", severity)
