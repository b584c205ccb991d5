"""Checks of what the decision of the first version rests on, by variants of its program and by its proof."""

import re

from reviewer.core.check_result import CheckResult, failure
from reviewer.oracle.decision_checks import is_default, proof_roots
from reviewer.oracle.evidence import Evidence, is_option, same_option, tells
from reviewer.oracle.locations import clause_locations
from reviewer.oracle.result import Part
from reviewer.oracle.variants import VariantChange

_CUT = re.compile(r"[,(;>-]!(?=[,.;)])")
"""A cut in a clause that is written without blanks."""


def swap_keeps(evidence: Evidence) -> CheckResult | None:
    """The decision stays when the facts exchange the options; less serious if its option is the default."""
    if not evidence.unchanged(VariantChange.OPTIONS_EXCHANGED):
        return None
    why = "What the facts say of the two options exchanged, the decision stays"
    if is_default(evidence):
        return failure(
            "swap_keeps", "doubtful", f"{why}, for its option is the default.", evidence.first.choice
        )
    return failure("swap_keeps", "serious", f"{why}.", evidence.first.choice)


def facts_idle(evidence: Evidence) -> CheckResult | None:
    """The decision stays without any facts; less serious if that follows from how such programs are built.

    Without facts, a negation holds, and a condition on all requirements is met as there are none.
    """
    if not evidence.unchanged(VariantChange.FACTS_REMOVED):
        return None
    why = "Without any of its facts the program decides the same"
    steps = {node.kind for root in proof_roots(evidence.first) for node in root.walk()}
    if "not" in steps:
        return failure("facts_idle", "doubtful", f"{why}, for something cannot be shown.")
    if "all" in steps:
        return failure("facts_idle", "doubtful", f"{why}, for without requirements all are met.")
    return failure("facts_idle", "serious", f"{why}.")


def axioms_idle(evidence: Evidence) -> CheckResult | None:
    """The decision stays without the axioms."""
    if evidence.unchanged(VariantChange.AXIOMS_REMOVED):
        return failure("axioms_idle", "serious", "Without the axioms the program decides the same.")
    return None


def order_matters(evidence: Evidence) -> CheckResult | None:
    """Reversing what decides, or the facts, changes the decision to another option.

    After a clause with a cut, the order of the clauses that decide is meant.
    """
    orders = {
        "the clauses that decide": VariantChange.DECISION_REVERSED,
        "the facts": VariantChange.FACTS_REVERSED,
    }
    deciding = evidence.deciding(0)
    if any(_CUT.search(evidence.source(0, clause)) for clause in deciding[:-1]):
        del orders["the clauses that decide"]
    changing = [name for name, change in orders.items() if _turns(evidence, change)]
    if not changing:
        return None
    why = f"Reversing {' or '.join(changing)} changes the decision"
    places = clause_locations(evidence, 0, deciding if "the clauses that decide" in changing else ())
    return failure("order_matters", "serious", f"{why}.", places=places)


def _turns(evidence: Evidence, change: VariantChange) -> bool:
    """Whether a variant decides for another option."""
    result = evidence.outcome(change)
    return (
        result is not None
        and is_option(result.choice, evidence.options)
        and not same_option(result.choice, evidence.first.choice)
    )


def no_fact_matters(evidence: Evidence) -> CheckResult | None:
    """No single fact of the program's own part changes the decision when it is removed."""
    facts = [
        tells(result) and same_option(result.choice, evidence.first.choice)
        for clause, result in evidence.knocked_out()
        if clause.kind == "fact" and clause.place.part is Part.FACTS
    ]
    if facts and all(facts):
        return failure(
            "no_fact_matters", "doubtful", "No fact, removed alone, changes the decision.", len(facts)
        )
    return None


def no_fact_used(evidence: Evidence) -> CheckResult | None:
    """The proof uses no fact."""
    proof = evidence.first.proof
    if proof is None or any(node.kind == "fact" for node in proof.walk()):
        return None
    return failure("no_fact_used", "doubtful", "The proof uses no fact.")
