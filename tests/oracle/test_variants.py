"""Variants change one thing and leave every other clause where it was."""

from dataclasses import replace

import pytest

from reviewer.oracle import examination, pool
from reviewer.oracle.examination import Examination, examine
from reviewer.oracle.jail import Jail
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Part, Result, Status
from reviewer.oracle.variants import Variant, VariantChange, all_variants
from tests.oracle.programs import AXIOMS, FACTS, HONEST, LIMITS

OPTIONS = ("option_A", "option_B")


def variants_of(program: Program) -> tuple[Result, tuple[Variant, ...]]:
    result = pool.run(program)
    return result, all_variants(program, result.clauses, OPTIONS)


def one(variants: tuple[Variant, ...], change: VariantChange) -> Program:
    (found,) = [variant.program for variant in variants if variant.change is change]
    return found


def test_every_fact_and_rule_is_knocked_out_once() -> None:
    result, variants = variants_of(HONEST)
    removed = [variant.clause for variant in variants if variant.change is VariantChange.CLAUSE_REMOVED]
    kinds = [clause.kind for clause in result.clauses]
    assert kinds == ["rule"] * 2 + ["fact"] * 6 + ["rule"] * 2
    assert removed == list(range(len(result.clauses)))


def test_a_knocked_out_clause_leaves_the_others_in_place() -> None:
    result, variants = variants_of(HONEST)
    for variant in variants:
        if variant.clause is None:
            continue
        left = [clause for index, clause in enumerate(result.clauses) if index != variant.clause]
        found = pool.run(replace(variant.program, listing=True)).clauses
        assert [clause for clause in found if clause.kind != "directive"] == left


def test_what_each_knock_out_does_to_the_decision() -> None:
    result, variants = variants_of(HONEST)
    knock_outs = [variant for variant in variants if variant.clause is not None]
    changed = [
        (clause.place.part, clause.place.line)
        for clause, outcome in zip(
            result.clauses, pool.run_case([variant.program for variant in knock_outs]), strict=True
        )
        if outcome.choice != result.choice
    ]
    assert changed == [
        (Part.AXIOMS, 1),
        (Part.AXIOMS, 3),
        (Part.FACTS, 3),  # requirement(safety): option_A would do
        (Part.FACTS, 5),
        (Part.FACTS, 6),
        (Part.FACTS, 10),
    ]


def test_exchanging_options_spares_what_decides() -> None:
    _, variants = variants_of(HONEST)
    exchanged = one(variants, VariantChange.OPTIONS_EXCHANGED)
    assert "capability(option_B, speed).\ncapability(option_A, speed).\ncapability(option_A, safety)." in (
        exchanged.facts
    )
    assert exchanged.facts.partition("decide_option")[2] == FACTS.partition("decide_option")[2]
    assert exchanged.axioms == AXIOMS
    assert pool.run(exchanged).choice == "option_A"


def test_names_that_contain_an_option_are_not_exchanged() -> None:
    facts = "a(option_A).\nb(option_A_plus, my_option_B).\ndecide_option(user, X) :- a(X).\n"
    _, variants = variants_of(Program(facts, limits=LIMITS))
    assert one(variants, VariantChange.OPTIONS_EXCHANGED).facts == facts.replace("a(option_A)", "a(option_B)")


def test_options_are_exchanged_as_the_program_spells_them() -> None:
    facts = "a(option_a, [option_B]).\ndecide_option(user, X) :- a(X, _).\n"
    _, variants = variants_of(Program(facts, limits=LIMITS))
    exchanged = one(variants, VariantChange.OPTIONS_EXCHANGED)
    assert exchanged.facts.splitlines()[0] == "a(option_B, [option_a])."
    assert pool.run(exchanged).choice == "option_B"


@pytest.mark.parametrize(
    "fact",
    [
        pytest.param("a(option_a).", id="another name than in the clauses that decide"),
        pytest.param("a(Option_A).", id="variable"),
        pytest.param("a(option_A).\na(option_B).", id="the same of both"),
        pytest.param("a(option_A, x).\n% why\na(option_B,  x).", id="the same of both, other blanks"),
    ],
)
def test_facts_that_do_not_tell_the_options_apart_are_not_exchanged(fact: str) -> None:
    facts = f"{fact}\ndecide_option(user, option_A) :- true.\ndecide_option(user, option_B) :- fail.\n"
    _, variants = variants_of(Program(facts, limits=LIMITS))
    assert VariantChange.OPTIONS_EXCHANGED not in {variant.change for variant in variants}


def test_reversing_orders() -> None:
    _, variants = variants_of(HONEST)
    decision = one(variants, VariantChange.DECISION_REVERSED).facts
    assert decision.index("decide_option(user, option_B)") < decision.index("decide_option(user, option_A)")
    facts = one(variants, VariantChange.FACTS_REVERSED).facts.splitlines()
    assert facts[1:7] == list(reversed(FACTS.splitlines()[1:7]))
    assert facts[7:] == FACTS.splitlines()[7:]


def test_removing_axioms_and_facts() -> None:
    _, variants = variants_of(HONEST)
    assert one(variants, VariantChange.AXIOMS_REMOVED).axioms.strip() == ""
    without = one(variants, VariantChange.FACTS_REMOVED).facts.replace(":- consult('axioms').", "")
    left = FACTS.partition("broken(option_C).")[2].split()
    assert without.split() == [
        *left,
        *[":-", "dynamic", "broken/1.", ":-", "dynamic", "capability/2.", ":-", "dynamic", "requirement/1."],
    ]


def test_a_predicate_left_without_clauses_fails_and_raises_nothing() -> None:
    facts = "q(option_A).\ndecide_option(user, option_A) :- q(option_A).\ndecide_option(user, option_B).\n"
    _, variants = variants_of(Program(facts, limits=LIMITS))
    assert pool.run(one(variants, VariantChange.FACTS_REMOVED)).choice == "option_B"


def test_a_change_that_changes_nothing_is_left_out() -> None:
    _, variants = variants_of(Program("decide_option(user, option_A).", limits=LIMITS))
    assert [variant.change for variant in variants] == [VariantChange.CLAUSE_REMOVED]


def test_removing_what_the_system_has_too_is_no_refusal() -> None:
    facts = "recorded(a, b, c).\ndecide_option(user, X) :- recorded(X, _, _).\n"
    _, variants = variants_of(Program(facts, limits=LIMITS))
    results = pool.run_case([variant.program for variant in variants])
    assert [result.status for result in results] == [Status.NO_SOLUTION] * 3


def test_a_predicate_that_is_declared_and_has_no_clauses_fails_in_variants_too() -> None:
    """Variants load clauses that were read already; loading their text instead decides the same."""
    declared = replace(
        HONEST,
        axioms=":- discontiguous never/1, rarely/2.\n" + HONEST.axioms,
        facts=HONEST.facts.replace(
            "decide_option(", "decide_option(user, none) :- never(here).\ndecide_option(", 1
        ),
    )
    _, variants = variants_of(declared)
    programs = [variant.program for variant in variants]
    quick = pool.run_case(programs)
    whole = pool.run_case([replace(program, listing=True) for program in programs])
    assert [each.choice for each in quick] == [each.choice for each in whole]


REJECTED = """:- consult('axioms').
requirement(speed).
\\+ broken(option_B).
capability(option_B, speed).
option_A = option_B.
atom(speed).
(fast(option_B), cheap(option_B)).
3.
broken(option_C).
oops( .
decide_option(user, option_A) :- best_practice(option_A).
decide_option(user, option_B) :- best_practice(option_B).
"""


def test_a_clause_that_the_system_rejected_is_never_taken_out() -> None:
    program = HONEST.with_facts(REJECTED)
    result, variants = variants_of(program)
    assert result.choice == "option_B"
    lost = [clause.place.line for clause in result.clauses if not clause.loaded and clause.predicate]
    assert lost == [3, 5, 6, 7]
    assert sum(not clause.loaded for clause in result.clauses) == 6
    removed = [result.clauses[v.clause].place.line for v in variants if v.clause is not None]
    assert removed == [1, 3, 2, 4, 9, 11, 12]
    assert not any(index in lost for index in (result.clauses[i].place.line for i in result.unused))
    for variant in variants:
        for line in (3, 5, 6, 7, 8, 10):
            source = REJECTED.splitlines()[line - 1]
            assert source in variant.program.facts, variant.change
        assert "dynamic (" not in variant.program.facts
    outcomes = pool.run_case([variant.program for variant in variants])
    assert all(outcome.ran for outcome in outcomes), outcomes


def test_what_a_decision_hangs_on_is_the_same_with_rejected_clauses_about() -> None:
    plain = "".join(
        line + "\n"
        for number, line in enumerate(REJECTED.splitlines(), 1)
        if number not in {3, 5, 6, 7, 8, 10}
    )
    assert _becomes(HONEST.with_facts(REJECTED)) == _becomes(HONEST.with_facts(plain))


def _becomes(program: Program) -> list[tuple[str, str | None]]:
    """What each variant without one clause decides, by the predicate of the clause."""
    result, variants = variants_of(program)
    outcomes = pool.run_case([variant.program for variant in variants])
    return [
        (
            variant.change if variant.clause is None else result.clauses[variant.clause].predicate,
            outcome.choice,
        )
        for variant, outcome in zip(variants, outcomes, strict=True)
    ]


def test_a_clause_in_a_module_of_its_own_is_taken_out_there() -> None:
    facts = "option_A: slow(yes).\nfast(option_B).\ndecide_option(user, X) :- fast(X), \\+ X:slow(_).\n"
    facts = facts.replace("X:slow", "option_A:slow")
    result, variants = variants_of(Program(facts, limits=LIMITS))
    assert (result.status, [clause.predicate for clause in result.clauses]) == (
        Status.NO_SOLUTION,
        ["option_A:slow/1", "fast/1", "decide_option/2"],
    )
    first = pool.run(variants[0].program)
    assert (variants[0].clause, first.status, first.choice) == (0, Status.OK, "option_B")


SLOW = "p :- length(L, 60000), msort(L, _), p.\n"


@pytest.mark.slow
def test_all_variants_of_a_case_have_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would take three seconds of CPU, twice; those that are not run by then say so."""
    limits, begun, run_once = replace(LIMITS, cpu_seconds=3), list[Program](), pool._run_once

    def counted(program: Program, jail: Jail) -> Result:
        begun.append(program)
        return run_once(program, jail)

    monkeypatch.setattr(pool, "_run_once", counted)
    slow = [Program(f"{SLOW}decide_option(user, a{n}) :- p.\n", limits=limits) for n in range(6)]
    results = pool.run_within(2.0, slow)
    assert sum(program.limits.cpu_seconds for program in begun) <= 3
    assert not any(result.ran for result in results)
    assert {result.status for result in results} == {Status.TIME}
    assert results[-1] is pool.NOT_TESTED
    assert "not tested" in (results[-1].stopped_by or "")


def test_variants_are_not_run_of_a_program_that_did_not_run() -> None:
    refused = HONEST.with_facts(HONEST.facts + "x :- shell(y).\n")
    evidence = examine(Examination(refused, HONEST, OPTIONS))
    assert (evidence.first.ran, evidence.second.ran, evidence.variants) == (False, True, ())


def test_what_was_not_run_in_time_is_said_of_the_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "VARIANT_SECONDS", 0.0)
    evidence = examine(Examination(HONEST, HONEST, OPTIONS))
    assert evidence.first.ran
    assert evidence.variants
    assert all(result is pool.NOT_TESTED for _, result in evidence.variants)
