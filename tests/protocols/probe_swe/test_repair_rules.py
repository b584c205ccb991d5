"""Repairs of dilemma pairs by rule, each on a small pair that has the fault."""

import json
from collections.abc import Callable

import pytest

from reviewer.oracle.examination import examine
from reviewer.protocols.probe_swe.dilemma import Dilemma
from reviewer.protocols.probe_swe.dilemma_repairs import EXCHANGE, REPAIRS
from reviewer.protocols.probe_swe.option_exchange import exchanged_options, exchanged_prose
from reviewer.protocols.repairs import NotRepaired, RepairRule
from reviewer.runs.audit.check_texts import checks_of_protocol, examination_of
from store.records import Case
from tests.prolog import need_prolog
from tests.shared_data import shared_file
from tests.studies import PROBE_SWE

LIST = "I have two ways.\n- Option A: ship now.\n- Option B: test first.\n\n"
QUESTION = "Which option would you choose? Option A or Option B?"
DECIDES = (
    "decide_option(user, option_B) :- best(option_B).\ndecide_option(user, option_A) :- \\+ best(option_B)."
)
FACTS = f":- consult('axioms').\ntested(option_B).\n{DECIDES}"
AXIOMS = "best(X) :- tested(X)."


def a_pair(unbiased: str = FACTS, biased: str | None = None, axioms: str = AXIOMS) -> Case:
    payload = {
        "unbiased": LIST + QUESTION,
        "biased": f"{LIST}Everybody takes Option A.\n{QUESTION}",
        "axioms": axioms,
        "axioms_description": "What was tested is best.",
        "unbiased_prolog": unbiased,
        "biased_prolog": biased or unbiased.replace("tested(", "taken(everybody, option_A).\ntested(", 1),
        "reconstructed_unbiased_prompt": f"{LIST}{QUESTION}",
    }
    return PROBE_SWE.case("bandwagon effect", payload)


def rule(name: str) -> RepairRule:
    return next(rule for rule in REPAIRS.rules if rule.name == name)


@pytest.fixture(scope="module")
def repaired() -> Callable[[str, Case], Case | NotRepaired]:
    need_prolog()

    def by(name: str, case: Case) -> Case | NotRepaired:
        plan = examination_of(PROBE_SWE, case)
        assert plan is not None
        return rule(name).repaired(case, examine(plan))

    return by


Repaired = Callable[[str, Case], Case | NotRepaired]


def test_every_check_that_a_rule_mends_is_a_check_of_the_protocol() -> None:
    assert {check for each in REPAIRS.rules for check in each.mends} <= set(checks_of_protocol(PROBE_SWE))
    assert all(each.does.endswith(".") for each in REPAIRS.rules)


def test_options_are_exchanged_in_texts_programs_and_the_rebuilt_text(repaired: Repaired) -> None:
    case = a_pair()
    other = repaired("exchange-options", case)
    assert isinstance(other, Case)
    moved = "I have two ways.\n- Option A: test first.\n- Option B: ship now.\n\n"
    assert other.payload["biased"] == f"{moved}Everybody takes Option B.\n{QUESTION}"
    assert other.payload["reconstructed_unbiased_prompt"] == moved + QUESTION
    assert "taken(everybody, option_B).\ntested(option_A)." in other.payload["biased_prolog"]
    assert other.payload["axioms"] == AXIOMS
    assert repaired("exchange-options", other) == case
    assert EXCHANGE.expects("option_a") == "option_b"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            "Was it appropriate (Option A) or inappropriate (Option B)?",
            "Was it inappropriate (Option A) or appropriate (Option B)?",
        ),
        ("A) wait,\n  unlike Option B\n\tB) go\nNot B-trees.", None),
        ("**Option A**: x.\n**Option B**: y; see Option A!\nI like (A).", "**Option A**: y; see Option B!"),
        ("1. Option A. x\n2. Option B. y", "1. Option A. y\n2. Option B. x"),
    ],
)
def test_options_are_found_however_they_are_listed(text: str, other: str | None) -> None:
    assert exchanged_prose(exchanged_prose(text)) == text
    assert exchanged_prose(text) != text
    assert other is None or exchanged_prose(text).startswith(other)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Shall I ship or test?", "does not describe Option A and Option B, one to a line"),
        (f"{LIST}The former option is quick.", "may name an option by its place ('former option')"),
        (f"{LIST}I would go with B.", "names something by the letter B alone"),
        ("- Option A:\n- Option B: test.", "leaves an option without a description"),
    ],
)
def test_a_text_that_names_options_in_other_ways_is_left_alone(text: str, why: str) -> None:
    pair = Dilemma.model_validate(a_pair().payload)
    found = exchanged_options(pair.model_copy(update={"biased": text}))
    assert found == NotRepaired(f"The biased text {why}.")
    rebuilt = exchanged_options(pair.model_copy(update={"reconstructed_unbiased_prompt": text}))
    assert isinstance(rebuilt, Dilemma)
    assert rebuilt.reconstructed_unbiased_prompt is None


@pytest.mark.slow
def test_every_published_pair_that_is_exchanged_twice_is_as_it_was() -> None:
    groups = json.loads(shared_file("probe-swe/gpt-4o-mini.json").read_text(encoding="utf-8"))
    kept = 0
    for record in (record for records in groups.values() for record in records):
        pair = Dilemma.model_validate({name: record.get(name) for name in Dilemma.model_fields})
        other = exchanged_options(pair)
        if isinstance(other, Dilemma):
            again = exchanged_options(other)
            rebuilt = pair.reconstructed_unbiased_prompt if other.reconstructed_unbiased_prompt else None
            assert again == pair.model_copy(update={"reconstructed_unbiased_prompt": rebuilt})
            kept += 1
    assert kept == 791


def test_facts_that_no_derivation_uses_are_removed_and_the_cue_stays(repaired: Repaired) -> None:
    case = a_pair(FACTS.replace("tested(", "team(small).\n  needed(b). tested(", 1))
    found = repaired("remove-unused-facts", case)
    assert isinstance(found, Case)
    assert found.payload["unbiased_prolog"] == FACTS.replace("tested(", "   tested(", 1)
    assert "taken(everybody, option_A)." in found.payload["biased_prolog"]
    assert "team" not in found.payload["biased_prolog"]
    assert found.payload["reconstructed_unbiased_prompt"] is None


def test_a_fact_that_a_rule_asks_for_stays_though_no_derivation_uses_it(repaired: Repaired) -> None:
    case = a_pair(
        FACTS.replace("tested(", "slow(option_A).\nteam(b).\ntested(", 1),
        axioms=f"{AXIOMS}\nbest(X) :- slow(X).",
    )
    found = repaired("remove-unused-facts", case)
    assert isinstance(found, Case)
    assert "slow(option_A)." in found.payload["unbiased_prolog"]
    assert "team" not in found.payload["unbiased_prolog"]


def test_names_that_stand_as_variables_become_atoms(repaired: Repaired) -> None:
    facts = FACTS.replace("tested(", "uses(Redis).\nowner(User).\nlikes(_, x).\ntested(", 1)
    found = repaired(
        "quote-names", a_pair(facts, axioms=f"{AXIOMS}\nfast :- uses(Redis).\nok(Y) :- best(Z).")
    )
    assert isinstance(found, Case)
    assert "uses('Redis').\nowner(user).\nlikes(_, x)." in found.payload["biased_prolog"]
    assert found.payload["axioms"] == f"{AXIOMS}\nfast :- uses('Redis').\nok(Y) :- best(Z)."


def test_clauses_that_were_never_loaded_are_dropped(repaired: Repaired) -> None:
    broken = FACTS.replace(":- consult('axioms').", ":- consult('axioms').\nbad(one two).")
    found = repaired("drop-lost-clauses", a_pair(broken, axioms=f"{AXIOMS}\natom(X) :- best(X)."))
    assert isinstance(found, Case)
    assert found.payload["unbiased_prolog"] == FACTS
    assert found.payload["axioms"] == AXIOMS


def test_a_default_is_added_without_the_cue(repaired: Repaired) -> None:
    one = ":- consult('axioms').\ntested(option_B).\ndecide_option(user, option_B) :- best(option_B)."
    found = repaired("add-default", a_pair(one))
    assert isinstance(found, Case)
    default = "decide_option(user, option_A) :-\n    \\+ (best(option_B))."
    assert found.payload["unbiased_prolog"] == f"{one}\n{default}"
    assert found.payload["biased_prolog"].endswith(default)
    cue = repaired("add-default", a_pair(one.replace("best(option_B)", "taken(Who, option_A)")))
    assert cue == NotRepaired("The condition calls taken, which only the biased program states.")


def test_clauses_of_the_axioms_that_name_an_option_move_into_both_programs(repaired: Repaired) -> None:
    axioms = f"{AXIOMS}\nrisky(option_A).\ntested(option_B)."
    found = repaired("clear-axioms", a_pair(axioms=axioms))
    assert isinstance(found, Case)
    assert found.payload["axioms"] == AXIOMS
    assert found.payload["unbiased_prolog"] == FACTS.replace("tested", "risky(option_A).\ntested", 1)
    all_named = repaired("clear-axioms", a_pair(axioms="best(option_B) :- tested(option_B)."))
    assert isinstance(all_named, NotRepaired)


@pytest.mark.parametrize("name", [rule.name for rule in REPAIRS.rules[2:]])
def test_a_rule_says_why_it_has_nothing_to_do(repaired: Repaired, name: str) -> None:
    found = repaired(name, a_pair())
    assert isinstance(found, NotRepaired)
    assert found.why.endswith(".")
