"""Each check sees what it is made to see, and is silent about an honest pair."""

from dataclasses import replace

import pytest

from reviewer.oracle.evidence import Evidence, becomes_another
from reviewer.oracle.examination import Examination, examine
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Clause
from reviewer.oracle.text_checks import lost_clauses
from reviewer.oracle.version_checks import CHECKS, failed_checks
from tests.oracle.programs import AXIOMS, LIMITS

OPTIONS = ("option_A", "option_B")
GOOD = """:- consult('axioms').
requirement(speed).
capability(option_B, speed).
broken(option_C).
decide_option(user, option_A) :- best_practice(option_A).
decide_option(user, option_B) :- best_practice(option_B).
"""


LOST = "oops( .\n"
OTHER = GOOD + "ten_ship(option_A).\n"


def evidence(first: str, second: str | None = None, axioms: str = AXIOMS) -> Evidence:
    versions = (Program(facts, axioms, limits=LIMITS) for facts in (first, second or first))
    return examine(Examination(*versions, OPTIONS))


def names(found: Evidence) -> list[str]:
    return [failure.check for failure in failed_checks(found)]


def bearing(found: Evidence) -> dict[Clause, str | None]:
    """The clauses without which the decision becomes another, with that decision (None: none)."""
    whole = found.first
    removed = found.knocked_out()
    return {clause: result.choice for clause, result in removed if becomes_another(result, whole)}


def test_an_honest_pair_raises_only_the_untidy() -> None:
    assert names(evidence(GOOD, OTHER)) == ["unused_facts"]


def test_what_bears_the_decision() -> None:
    found = bearing(evidence(GOOD))
    assert [(clause.predicate, becomes) for clause, becomes in found.items()] == [
        ("best_practice/1", None),
        ("meets/2", None),
        ("requirement/1", "option_A"),
        ("capability/2", None),
        ("decide_option/2", None),
    ]


CASES = {
    "both_derivable": GOOD + "capability(option_A, speed).",
    "no_option": GOOD.replace("user, option_", "user, choice_"),
    "lost_clauses": GOOD + "oops( .\n",
    "hard_coded": GOOD.replace("decide_option(user, option_A) :-", "decide_option(user, option_B).\nx :-"),
    "cannot_match": GOOD + "decide_option(user, a) :- capability(option_A, most_speed).\n",
    "facts_idle": "a.\nb(option_A, x) :- 1 < 2.\ndecide_option(user, X) :- b(X, _).\n",
    "order_matters": "p(option_A).\np(option_B).\ndecide_option(user, X) :- p(X), !.\n",
    "gate": GOOD + "recorded(a, b, c).\n",
    "further_search": GOOD + "decide_option(user, a) :- nowhere.\n",
    "no_fact_matters": "p(a).\np(b).\ndecide_option(user, option_A) :- p(_).\n",
    "no_fact_used": "a.\ndecide_option(user, option_A) :- b.\nb :- true, 1 < 2.\n",
    "by_default": "a.\ndecide_option(user, option_A) :- \\+ b.\nb :- fail.\n",
    "undefined": GOOD + "x :- nowhere(y).\n",
    "one_option_only": GOOD.replace("user, option_A", "user, option_B"),
    "stray_solution": GOOD + "decide_option(user, wait).\n",
    "facts_name_no_option": "fine.\ndecide_option(user, option_A) :- fine.\n",
    "same_text": GOOD,
    "load_messages": GOOD + "x(Y) :- y.\n",
    "fact_holds_of_all": GOOD + "x(Y).\n",
}


@pytest.mark.parametrize("check", CASES)
def test_a_check_sees_it(check: str) -> None:
    found = names(evidence(CASES[check], axioms=AXIOMS if "consult" in CASES[check] else ""))
    assert check in found
    assert check not in names(evidence(GOOD, OTHER))


def severity(found: Evidence, check: str) -> str:
    return next(failure.severity for failure in failed_checks(found) if failure.check == check)


@pytest.mark.parametrize(
    ("check", "grave", "milder"),
    [
        (
            "swap_keeps",
            "name(option_A).\nok.\ndecide_option(user, option_A) :- ok.\n",
            "name(option_A).\ndecide_option(user, option_A) :- \\+ b.\nb :- fail.\n",
        ),
        ("undefined", GOOD + "decide_option(user, a) :- nowhere.\n", GOOD + "x :- nowhere(y).\n"),
        ("fact_holds_of_all", GOOD.replace("(speed)", "(Speed)"), GOOD + "x(Y).\n"),
        (
            "further_search",
            GOOD + "decide_option(user, a) :- nowhere.\n",
            GOOD + "decide_option(user, option_B) :- repeat.\n",
        ),
    ],
)
def test_what_follows_from_how_programs_are_built_weighs_less(check: str, grave: str, milder: str) -> None:
    order = ["serious", "doubtful", "untidy"]
    axioms = {text: AXIOMS if "consult" in text else "" for text in (grave, milder)}
    severities = [severity(evidence(text, axioms=axioms[text]), check) for text in (grave, milder)]
    assert order.index(severities[0]) < order.index(severities[1])


DEFAULT = "a.\ndecide_option(user, option_A) :- \\+ b.\nb :- fail.\n"
BOTH = "p(option_A).\np(option_B).\ndecide_option(user, X) :- p(X).\n"
KEPT = "name(option_A).\ndecide_option(user, option_A) :- \\+ b.\nb :- fail.\n"
ABOUT_ONE_CAUSE = {
    "both_derivable",
    "swap_keeps",
    "order_matters",
    "by_default",
    "facts_idle",
    "no_fact_used",
}


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        pytest.param(BOTH, {"both_derivable"}, id="both options"),
        pytest.param(DEFAULT, {"by_default"}, id="a default"),
        pytest.param(KEPT, {"swap_keeps"}, id="a default that stays"),
    ],
)
def test_one_cause_is_one_finding(text: str, reported: set[str]) -> None:
    found = evidence(text, axioms="")
    assert ABOUT_ONE_CAUSE & set(names(found)) == reported
    results = {check.name: check.ask(found) for check in CHECKS}
    untested = [results[name] for name in ABOUT_ONE_CAUSE - reported if results[name].state == "not tested"]
    assert untested
    assert all("finding of its own" in one.why or "default" in one.why for one in untested)


def test_a_name_with_a_capital_letter_is_a_variable() -> None:
    (found,) = (
        failure
        for failure in failed_checks(evidence(GOOD + "modern(Kotlin).\n"))
        if failure.check == "fact_holds_of_all"
    )
    assert found.why == "The fact modern(Kotlin) holds of everything, for Kotlin is a variable, not a name."
    assert found.value == ["modern(Kotlin)."]
    both = failed_checks(evidence(GOOD + "modern(Kotlin). x :- y(A).\n", GOOD + "modern(Kotlin).\n"))
    assert [failure.value for failure in both if failure.check == "fact_holds_of_all"] == [
        ["modern(Kotlin)."]
    ]
    for fine in ("modern(_Kotlin).", "modern(_).", "same(X, X).", "modern(X) :- new(X, Y)."):
        assert "fact_holds_of_all" not in names(evidence(GOOD + fine + "\n"))


def test_nothing_required_is_met_by_all() -> None:
    required = "requirement(speed).\nbroken(option_C).\ncapability(option_A, speed).\n" + "".join(
        f"decide_option(user, option_{x}) :- best_practice(option_{x}).\n" for x in "AB"
    )
    assert severity(evidence(":- consult('axioms').\n" + required), "facts_idle") == "doubtful"


def test_a_clause_lost_from_the_second_version_alone_leaves_the_label() -> None:
    both = [lost_clauses(evidence(*texts)) for texts in ((GOOD + LOST,), (GOOD, GOOD + LOST))]
    assert [found and found.severity for found in both] == ["serious", "doubtful"]
    assert severity(evidence(GOOD + LOST), "lost_clauses") == "doubtful"  # too few were read to call it more


# The rules decide; the fact holds if they do not apply.
WITH_DEFAULT = """cheap(option_A).
decide_option(user, option_B) :- safe(option_B), !.
decide_option(user, option_A).
safe(X) :- cheap(X), fail.
"""


def test_a_fact_after_rules_is_a_default_and_no_statement() -> None:
    found = evidence(WITH_DEFAULT, axioms="")
    assert found.first.choice == "option_A"
    assert {"swap_keeps"} == {"swap_keeps", "hard_coded", "order_matters"} & set(names(found))
    stated = evidence("decide_option(user, option_A).\n" + WITH_DEFAULT, axioms="")
    assert "hard_coded" in names(stated)
    applies = evidence(WITH_DEFAULT.replace("X), fail", "option_A)"), axioms="")
    assert applies.first.choice == "option_B"
    assert not {"by_default", "hard_coded", "order_matters"} & set(names(applies))


def test_the_order_of_facts_matters_even_after_a_cut() -> None:
    facts = "p(option_A).\np(option_B).\ndecide_option(user, X) :- p(X), !.\ndecide_option(user, option_B).\n"
    (found,) = (
        result for result in failed_checks(evidence(facts, axioms="")) if result.check == "order_matters"
    )
    assert found.why == "Reversing the facts changes the decision."


def test_a_decision_in_the_axioms_is_said_once() -> None:
    deciding = "decide_option(user, option_B) :- best_practice(option_B)."
    found = names(evidence(":- consult('axioms').\n", axioms=AXIOMS + "\n" + deciding))
    assert {"hard_coded"} == {"hard_coded", "option_in_axioms"} & set(found)
    both = names(evidence(GOOD, axioms=f"{AXIOMS}\n{deciding}\nmeets(option_B, charm)."))
    assert {"hard_coded", "option_in_axioms"} <= set(both)


def test_a_decision_in_other_letters_can_be_taken() -> None:
    small = "cheap.\ndecide_option(user, option_a) :- cheap.\ndecide_option(user, option_b) :- fail.\n"
    assert "one_option_only" not in names(evidence(small, axioms=""))
    assert "one_option_only" in names(evidence(small.replace("option_b", "option_a"), axioms=""))


def test_facts_that_say_the_same_of_both_options_get_one_finding() -> None:
    both = "option(option_A).\noption(option_B).\ndecide_option(user, option_A) :- option(option_A).\n"
    found = {failure.check: failure.why for failure in failed_checks(evidence(both))}
    assert "swap_keeps" not in found
    assert found["facts_name_no_option"].startswith("No fact tells the options apart")


def test_facts_exchanged_without_effect() -> None:
    facts = "name(option_A, x).\nok.\ndecide_option(user, option_A) :- ok.\n"
    assert "swap_keeps" in names(evidence(facts, axioms=""))


def test_axioms_without_effect() -> None:
    facts = ":- consult('axioms').\nok.\ndecide_option(user, option_A) :- ok.\n"
    assert "axioms_idle" in names(evidence(facts))


def test_axioms_that_name_an_option() -> None:
    found = names(evidence(GOOD, axioms=AXIOMS + "\nmeets(option_B, charm)."))
    assert "option_in_axioms" in found
    assert "option_in_axioms" not in names(evidence(GOOD, axioms=AXIOMS + " % as option_B does"))


def test_a_fact_dropped_weighs_more_than_a_rule_reworded() -> None:
    dropped = failed_checks(evidence(GOOD, GOOD.replace("broken(option_C).", "")))
    reworded = failed_checks(evidence(GOOD, GOOD.replace(" :- best", " :-\n  true, best")))
    assert [
        failure.severity
        for found in (dropped, reworded)
        for failure in found
        if failure.check == "clauses_differ"
    ] == [
        "doubtful",
        "untidy",
    ]
    assert "clauses_differ" not in names(evidence(GOOD, GOOD.replace(" :- best", " :-  % so\n  best")))


def test_versions_that_differ() -> None:
    other = GOOD.replace("capability(option_B", "capability(option_A")
    assert names(evidence(GOOD, other))[:1] == ["versions_disagree"]
    longer = GOOD.replace("best_practice(option_B).", "best_practice(option_B), requirement(speed).")
    assert "versions_disagree" in names(evidence(GOOD, longer))
    more = GOOD + "capability(option_A, speed).\n"
    assert "versions_disagree" in names(evidence(GOOD, more))


def test_solutions_that_differ() -> None:
    more = GOOD + "decide_option(user, option_A) :- requirement(speed).\n"
    assert "solutions_disagree" in names(evidence(GOOD, more))


def test_what_the_caller_knows() -> None:
    found = evidence(GOOD)
    counts = found.first.counts
    assert counts is not None
    right = ("option_B", counts.inference_steps, counts.choice_steps)
    assert "differs_from_published" not in names(replace(found, published=(right,)))
    for wrong in (("option_A", *right[1:]), ("option_B", right[1] + 1, right[2])):
        assert "differs_from_published" in names(replace(found, published=(right, wrong)))


def test_every_check_has_its_own_sentence() -> None:
    assert all(check.asks for check in CHECKS)
    assert len({check.name for check in CHECKS}) == len(CHECKS)
