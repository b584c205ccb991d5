"""Of a program that gives no decision one finding says so, in plain words; nothing compares what it lacks."""

import re
from dataclasses import replace

import pytest

from reviewer.core.check_result import CheckResult
from reviewer.oracle import pool
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.result import Result, Status
from reviewer.oracle.version_checks import CHECKS, failed_checks
from tests.oracle.test_checks import GOOD, evidence

ERROR = GOOD.replace(":- best_practice(option_A)", ":- nowhere(1)")
KINDS: dict[str, tuple[str, Status, str]] = {
    "calls what is not there": (
        ERROR,
        Status.ERROR,
        "ends with an error: it calls nowhere/1, which is defined nowhere",
    ),
    "compares a word": (
        "w(many).\ndecide_option(user, option_A) :- w(W), W > 3.\n",
        Status.ERROR,
        "ends with an error: type_error(evaluable, many/0)",
    ),
    "computes with nothing": (
        "decide_option(user, option_A) :- W > 3, W = 4.\n",
        Status.ERROR,
        "ends with an error: a variable has no value where one is needed",
    ),
    "decides nothing": (
        "p(a).\ndecide_option(user, option_A) :- p(b).\n",
        Status.NO_SOLUTION,
        "decides nothing",
    ),
    "an open choice": ("decide_option(user, _).\n", Status.NOT_GROUND, "leaves its choice open (A)"),
    "no decide_option": ("p(a).\n", Status.LOAD_ERROR, "does not define decide_option/2"),
    "unreadable": ("decide_option(user, a :- .\n", Status.LOAD_ERROR, "does not define decide_option/2"),
}
# Checks of the texts, and of the other version, whatever the decision.
OF_TEXTS = {
    "no_option",
    "not_run",
    "hard_coded",
    "one_option_only",
    "lost_clauses",
    "gate",
    "differs_from_published",
    "option_in_axioms",
    "cannot_match",
    "cue_in_axioms",
    "clauses_differ",
    "same_text",
    "undefined",
    "load_messages",
    "fact_holds_of_all",
    "facts_name_no_option",
    "unused_facts",
}
OF_DECISIONS = {"versions_disagree", "solutions_disagree", "stray_solution", "further_search"}
OF_FIRST = {
    "both_derivable",
    "swap_keeps",
    "facts_idle",
    "axioms_idle",
    "order_matters",
    "no_fact_matters",
    "no_fact_used",
    "by_default",
}


def answers(found: Evidence) -> dict[str, CheckResult]:
    return {check.name: check.ask(found) for check in CHECKS}


def untested(found: Evidence) -> dict[str, str]:
    return {name: said.why for name, said in answers(found).items() if said.state == "not tested"}


def published(found: Evidence) -> Evidence:
    counts = [result.counts for _, result in found.decided if result.counts]
    steps = (counts[0].inference_steps, counts[0].choice_steps) if counts else (1, 2)
    return replace(found, published=(("option_B", *steps),), names=("unbiased", "biased"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_version_without_a_decision_has_one_finding_about_that(kind: str) -> None:
    text, status, words = KINDS[kind]
    found = published(evidence(GOOD, text))
    assert found.second.status is status
    said = f"The biased program {words}, so it has no decision to compare."
    (failure,) = [
        failure for failure in failed_checks(found) if failure.check in OF_DECISIONS | {"no_option"}
    ]
    assert (failure.check, failure.severity, failure.why) == ("no_option", "serious", said)
    missing = untested(found)
    assert missing.keys() == OF_DECISIONS | {"differs_from_published"}
    assert set(missing.values()) == {said}
    assert not any(
        "decide_option/2" in failure.why for failure in failed_checks(found) if failure.check == "undefined"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_version_without_a_decision_tests_nothing_that_rests_on_one(kind: str) -> None:
    text, _, words = KINDS[kind]
    found = published(evidence(text, GOOD))
    said = f"The unbiased program {words}, so it has no decision to compare."
    (failure,) = [failure for failure in failed_checks(found) if failure.check == "no_option"]
    assert failure.why == said
    assert found.variants == ()
    missing = untested(found)
    assert OF_DECISIONS | OF_FIRST | {"differs_from_published", "unused_facts"} <= missing.keys()
    assert missing["both_derivable"] == said
    shown = {failure.check for failure in failed_checks(found)}
    assert shown <= OF_TEXTS - {"differs_from_published", "unused_facts"}


def test_two_versions_without_a_decision_are_told_one_after_the_other() -> None:
    found = published(evidence(ERROR, "decide_option(user, a) :- fail.\n"))
    (failure,) = [failure for failure in failed_checks(found) if failure.check == "no_option"]
    assert failure.why == (
        "The unbiased program ends with an error: it calls nowhere/1, which is defined nowhere, so it has no "
        "decision to compare. The biased program decides nothing, so it has no decision to compare."
    )
    assert failure.value == ["error", "no_solution"]


def test_a_decision_that_is_no_option_is_compared_as_one() -> None:
    found = published(evidence(GOOD, "decide_option(user, wait).\n"))
    said = {failure.check: failure.why for failure in failed_checks(found)}
    assert said["no_option"] == "The biased program decides wait, which is not one of the options."
    assert said["versions_disagree"] == "The versions choose differently: option_B and wait."
    assert "Published as option_B, decided as wait by the biased program." in said.values()


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (GOOD + "x :- shell(ls).\n", "was refused (the program calls shell/1, which can reach files"),
        ("p :- p.\ndecide_option(user, a) :- p.\n", "did not end within the inference limit."),
        (
            "p(X) :- length(L, 500000), p(L-X).\ndecide_option(user, a) :- p(a).\n",
            "needed more memory than a program may use (resource_error(",
        ),
        (
            "decide_option(user, X) :- numlist(1, 200000, X).\n",
            "gave more output than is read (the choice is",
        ),
        ("p(" + "f(" * 20_000 + "a" + ")" * 20_000 + ").\n", "crashed (the process died of SIGSEGV)."),
        (GOOD.replace("(speed).", "(speed) :- license(gpl)."), "was stopped (the program calls license/1,"),
    ],
)
def test_a_version_that_did_not_run_has_one_finding_that_says_why(facts: str, words: str) -> None:
    found = published(evidence(GOOD, facts))
    (failure,) = [
        failure
        for failure in failed_checks(found)
        if failure.check in OF_DECISIONS | {"no_option", "not_run"}
    ]
    assert failure.check == "not_run"
    assert failure.why.startswith(f"The biased program {words}"), failure.why
    assert failure.why.endswith(" Its decision was not tested.")
    both = published(evidence(facts, facts))
    (failure,) = [failure for failure in failed_checks(both) if failure.check == "not_run"]
    assert failure.why.endswith(" Their decisions were not tested.")
    assert failure.why.count("The unbiased program ") == failure.why.count("The biased program ") == 1


def test_a_variant_that_nobody_ran_is_not_said_to_have_run() -> None:
    found = evidence(GOOD)
    found = replace(found, variants=tuple((each, pool.NOT_TESTED) for each, _ in found.variants))
    told = "the program was not run: the time for all variants of the case was used up."
    assert untested(found)["swap_keeps"] == f"With the options exchanged {told}"


@pytest.mark.parametrize("status", Status)
def test_no_sentence_names_a_state_of_the_machine(status: Status) -> None:
    """Whatever a version came to, no word of our code and no None stands in a sentence."""
    choice = {Status.OK: "wait", Status.NOT_GROUND: "f(A)"}.get(status)
    ended = Result(status, "9.2.9", choice=choice, error="oops", stopped_by="a reason")
    for found in (evidence(GOOD, GOOD), evidence(GOOD + "decide_option(user, wait).\n", GOOD)):
        for both in ((ended, found.second), (found.first, ended), (ended, ended)):
            case = published(replace(found, first=both[0], second=both[1], variants=()))
            for said in answers(case).values():
                assert said is None or not re.search(r"\b[a-z]+_(run|error|solution|ground)\b|None", said.why)
