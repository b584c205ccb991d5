"""Nothing is said of the decision of a program that did not run, and no variant that did not run tests it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from reviewer.core.check_result import CheckResult, Location
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.result import Part, Result, Status
from reviewer.oracle.variants import VariantChange
from reviewer.oracle.version_checks import CHECKS, failed_checks
from tests.oracle.test_checks import GOOD, OTHER, bearing, evidence, names

DANGEROUS = GOOD + "x :- shell(ls).\n"
DID_NOT_RUN = [
    Status.REFUSED,
    Status.TIME,
    Status.INFERENCES,
    Status.MEMORY,
    Status.OUTPUT,
    Status.KILLED,
    Status.GARBLED,
    Status.STOPPED,
]
# What the texts alone show, whatever became of the programs.
OF_TEXTS = {"same_text", "clauses_differ", "option_in_axioms", "hard_coded"}
# What the first version alone shows.
OF_FIRST = {check.name for check in CHECKS} - {
    "not_run",
    "no_option",
    "versions_disagree",
    "solutions_disagree",
    "stray_solution",
    "further_search",
    "lost_clauses",
    "gate",
    "differs_from_published",
    "cue_in_axioms",
    "undefined",
    "load_messages",
    "fact_holds_of_all",
}


def untested(found: Evidence) -> dict[str, str]:
    said = (check.ask(found) for check in CHECKS)
    return {each.check: each.why for each in said if each.state == "not tested"}


def test_ran_is_what_ended_by_itself() -> None:
    assert {status for status in Status if not Result(status, "").ran} == set(DID_NOT_RUN)


def test_a_refused_pair_has_one_finding_and_no_other_about_its_decision() -> None:
    found = evidence(DANGEROUS, DANGEROUS)
    assert [result.status for result in found.both] == [Status.REFUSED] * 2
    assert found.variants == ()
    assert names(found) == ["not_run", "same_text"]
    assert untested(found).keys() == {check.name for check in CHECKS} - OF_TEXTS - {"not_run"}
    (failure,) = [failure for failure in failed_checks(found) if failure.check == "not_run"]
    assert failure.severity == "serious"
    assert failure.why.startswith("The first program was refused")
    assert [text_at(found, at)[at.start : at.end] for at in failure.places] == ["x :- shell(ls)."] * 2


def test_what_the_version_that_ran_shows_stays() -> None:
    found = evidence(GOOD + "decide_option(user, wait).\n", DANGEROUS)
    assert {"not_run", "stray_solution"} <= set(names(found))
    assert untested(found).keys() == {check.name for check in CHECKS} - OF_FIRST - {
        "not_run",
        "stray_solution",
    }
    assert untested(found)["versions_disagree"].startswith("The second program was refused")


@pytest.mark.parametrize("status", DID_NOT_RUN)
def test_nothing_is_said_about_a_decision_that_nobody_knows(status: Status) -> None:
    ended = Result(status, "9.2.9", stopped_by="a reason")
    found = replace(evidence(GOOD, OTHER), second=ended, published=(("option_B", 1, 2),))
    found = replace(found, published=())
    assert "not_run" in names(found)
    assert not {"no_option", "versions_disagree", "differs_from_published"} & set(names(found))
    both = replace(found, first=ended, variants=(), published=(("option_B", 1, 2),))
    assert names(both) == ["not_run"]
    assert "a reason" in untested(both)["both_derivable"]


def changed(found: Evidence, which: Callable[[VariantChange], bool], status: Status) -> Evidence:
    """The evidence as if these variants had ended so."""
    ended = Result(status, "9.2.9", stopped_by="deadline")
    variants = ((each, ended if which(each.change) else result) for each, result in found.variants)
    return replace(found, variants=tuple(variants))


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ("swap_keeps", VariantChange.OPTIONS_EXCHANGED),
        ("facts_idle", VariantChange.FACTS_REMOVED),
        ("axioms_idle", VariantChange.AXIOMS_REMOVED),
        ("order_matters", VariantChange.DECISION_REVERSED),
        ("no_fact_matters", VariantChange.CLAUSE_REMOVED),
    ],
)
def test_a_variant_that_did_not_run_tests_nothing(check: str, change: VariantChange) -> None:
    found = evidence(GOOD, OTHER)
    assert check not in untested(found)
    without = changed(found, change.__eq__, Status.TIME)
    assert untested(without).keys() == {check}
    assert "did not end in time (deadline)" in untested(without)[check]


def test_a_clause_hangs_on_nothing_that_did_not_run() -> None:
    found = evidence(GOOD, OTHER)
    assert bearing(found)
    for status in (Status.REFUSED, Status.TIME, Status.KILLED):
        assert bearing(changed(found, VariantChange.CLAUSE_REMOVED.__eq__, status)) == {}
    endless = changed(found, VariantChange.CLAUSE_REMOVED.__eq__, Status.INFERENCES)
    assert set(bearing(endless).values()) == {None}
    assert "no_fact_matters" not in {*names(endless), *untested(endless)}


@pytest.mark.parametrize("lost", ["\\+ f(x).", "a = b."])
def test_a_clause_that_was_never_loaded_bears_nothing(lost: str) -> None:
    found = evidence(GOOD + lost + "\n")
    assert "lost_clauses" in names(found)
    assert bearing(found).keys() == bearing(evidence(GOOD)).keys()
    idle = evidence(f"p(a).\np(b).\n{lost}\ndecide_option(user, option_A) :- p(_).\n", axioms="")
    assert "no_fact_matters" in names(idle)


def text_at(found: Evidence, at: Location) -> str:
    """The part of the program that a location is in."""
    return found.text(found.names.index(at.variant) if at.variant else 0, Part(at.part))


def the(check: str, found: Evidence) -> CheckResult:
    (failure,) = [failure for failure in failed_checks(found) if failure.check == check]
    return failure


def test_a_program_that_ran_and_decided_nothing_is_said_in_words() -> None:
    nothing = evidence(GOOD.replace("user, option_", "nobody, option_"), GOOD)
    assert "nothing" in the("no_option", nothing).why
    published = replace(nothing, published=(("option_B", 1, 2),))
    assert not any("None" in failure.why for failure in failed_checks(published))
    said = "The first program decides nothing, so it has no decision to compare."
    assert untested(nothing)["facts_idle"] == untested(nothing)["versions_disagree"] == said


def test_options_in_other_letters_are_the_same_option() -> None:
    lower = GOOD.replace("option_", "choice_").replace("choice_B", "option_b").replace("choice_", "option_")
    found = evidence(lower, lower + "x(y).\n")
    assert found.first.choice == "option_b"
    counts = found.first.counts
    assert counts is not None
    found = replace(found, published=(("option_B", counts.inference_steps, counts.choice_steps),))
    for check in ("no_option", "differs_from_published"):
        assert the(check, found).severity == "untidy"
        assert "only upper and lower case differ" in the(check, found).why
    assert not {"one_option_only", "stray_solution", "versions_disagree"} & set(names(found))
    mixed = evidence(GOOD + "decide_option(user, option_a) :- requirement(_).\n")
    assert "both_derivable" in names(mixed)
    assert "stray_solution" not in names(mixed)


def test_steps_that_do_not_compare_are_not_tested() -> None:
    found = evidence(GOOD, OTHER)
    counts = found.first.counts
    assert counts is not None
    raw = replace(found.first, counts=replace(counts, comparable=False))
    found = replace(found, first=raw, published=(("option_B", 1, 2),), second=raw)
    assert "differs_from_published" not in names(found)
    assert "does not count steps" in untested(found)["differs_from_published"]


RULE = "sound(Option) :-\n  heard(Option)."
DROPPED = GOOD.replace("broken(option_C).", "")


@pytest.mark.parametrize(
    ("first", "second", "said", "places"),
    [
        (GOOD, GOOD + RULE, ["adds a rule: sound(Option):-heard(Option)"], [(1, RULE)]),
        (GOOD + RULE, GOOD, ["leaves out a rule: sound(Option):-heard(Option)"], [(0, RULE)]),
        (
            GOOD,
            DROPPED + RULE,
            ["drops or alters a fact: broken(option_C)", "adds a rule: sound(Option):-heard(Option)"],
            [(0, "broken(option_C)."), (1, RULE)],
        ),
        (
            GOOD + RULE,
            GOOD + RULE.replace("heard", "told"),
            ["rewords a rule: sound(Option):-heard(Option)"],
            [(0, RULE), (1, RULE.replace("heard", "told"))],
        ),
        (
            GOOD + "late(a).\nlate(b).",
            GOOD,
            ["drops or alters 2 facts, late(a) first"],
            [(0, "late(a)."), (0, "late(b).")],
        ),
    ],
)
def test_every_kind_of_change_between_versions_is_said(
    first: str, second: str, said: list[str], places: list[tuple[int, str]]
) -> None:
    found = evidence(first, second)
    failure = the("clauses_differ", found)
    assert all(each in failure.why for each in said)
    assert [
        (found.names.index(at.variant), text_at(found, at)[at.start : at.end]) for at in failure.places
    ] == places


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("recorded(a, b, c).", "recorded/3 is also the name of a predicate of SWI-Prolog"),
        ("f(a), g(b).", "SWI-Prolog rejects the clause for (',')/2, a predicate that it keeps to itself"),
        (
            "fast: g(b).",
            "the colon puts the clause for fast:g(b) into a module, where plain calls do not see it",
        ),
    ],
)
def test_what_the_gate_lets_pass_is_said_in_words_at_its_place(added: str, said: str) -> None:
    line = GOOD.count("\n") + 1
    assert the("gate", evidence(GOOD + added, GOOD)).why == f"Facts line {line}: {said}."
    second = the("gate", evidence(GOOD, GOOD + added + "\nrecorda(a, b).\n"))
    assert second.why == f"Second version, facts line {line}: {said}. 1 more such place."


def test_a_program_that_ends_with_an_error_decides_none() -> None:
    found = evidence("decide_option(user, option_A) :- nowhere(1).\n")
    assert untested(found)["swap_keeps"].startswith("The first program ends with an error: it calls")


BOTH = GOOD + "capability(option_A, speed).\n"
FACT = "decide_option(user, option_B).\n"
MARKED = {
    "both_derivable": (
        BOTH,
        ["decide_option(user, option_A) :- best_practice(option_A).", GOOD.splitlines()[5]],
    ),
    "lost_clauses": (GOOD + "oops( .\n", ["oops( ."]),
    "gate": (GOOD + "recorded(a, b, c).\n", ["recorded(a, b, c)."]),
    "hard_coded": (FACT + GOOD, [FACT.strip()]),
    "stray_solution": (GOOD + "decide_option(user, wait).\n", ["wait", "wait"]),
    "undefined": (GOOD + "x :- z(nowhere(1, 2)), nowhere(y). z(_). % nowhere(1)\n", ["nowhere", "nowhere"]),
    "fact_holds_of_all": (GOOD + "x(Y).\n", ["Y", "Y"]),
    "load_messages": (GOOD + "x(Y) :- y.\n", ["Y", "Y"]),
    "unused_facts": (GOOD, ["broken(option_C)."]),
}


@pytest.mark.parametrize("check", MARKED)
def test_a_finding_about_a_clause_or_a_word_says_where_it_stands(check: str) -> None:
    program, marked = MARKED[check]
    found = evidence(program)
    places = the(check, found).places
    texts = [text_at(found, at)[at.start : at.end] for at in places]
    assert texts[: len(marked)] == marked
    assert check != "undefined" or texts == marked
    for at in places:
        assert text_at(found, at).count("\n", 0, at.start) + 1 == at.line
    assert {at.part for at in places} == {Part.FACTS}


def test_an_option_named_in_the_axioms_is_marked_there() -> None:
    found = evidence(GOOD, axioms="best_practice(option_B). % not option_A")
    (at,) = the("option_in_axioms", found).places
    assert (at.part, at.line) == (Part.AXIOMS, 1)
    assert found.text(0, Part.AXIOMS)[at.start : at.end] == "option_B"


def test_the_option_that_comes_second_has_its_own_proof() -> None:
    found = evidence(BOTH, GOOD)
    first, second = found.others
    assert found.first.choice == "option_A"
    assert first is not None
    assert (first.choice, first.nodes[0].goal) == ("option_B", "decide_option(user, option_B)")
    assert second is None
