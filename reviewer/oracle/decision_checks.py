"""Checks of how two versions decide, and of what the decision rests on."""

from reviewer.oracle.evidence import Evidence, Sign
from reviewer.oracle.result import Part, ProofNode, Result
from reviewer.oracle.variants import Change


def both_derivable(evidence: Evidence) -> Sign | None:
    """Both options are solutions: which is first depends on the order of clauses."""
    if set(evidence.options) <= set(evidence.first.solutions):
        return Sign("both_derivable", "serious", "Both options can be derived: the order of clauses decides.")
    return None


def no_option(evidence: Evidence) -> Sign | None:
    """A version decides nothing, or something that is no option."""
    wrong = [
        result.choice or result.status.value
        for result in evidence.both
        if result.choice not in evidence.options
    ]
    if wrong:
        return Sign(
            "no_option", "serious", f"A version does not decide for an option: {', '.join(wrong)}.", wrong
        )
    return None


def versions_disagree(evidence: Evidence) -> Sign | None:
    """The two versions choose differently, or take other steps to the same choice."""
    first, second = evidence.both
    if first.choice != second.choice:
        why = f"The versions choose differently: {first.choice} and {second.choice}."
        return Sign("versions_disagree", "serious", why, [first.choice, second.choice])
    if first.counts != second.counts:
        return Sign("versions_disagree", "doubtful", "The versions take different numbers of steps.")
    return None


def solutions_disagree(evidence: Evidence) -> Sign | None:
    """First answers agree, but all answers do not."""
    first, second = evidence.both
    if first.choice == second.choice and set(first.solutions) != set(second.solutions):
        return Sign("solutions_disagree", "doubtful", "Asked for all solutions, the versions differ.")
    return None


def stray_solution(evidence: Evidence) -> Sign | None:
    """Asked for all solutions, a version gives one that is no option."""
    stray = sorted({s for result in evidence.both for s in result.solutions} - set(evidence.options))
    if stray:
        return Sign("stray_solution", "doubtful", f"A solution is no option: {', '.join(stray)}.", stray)
    return None


def further_search(evidence: Evidence) -> Sign | None:
    """Asked for all solutions, a version raises an error, does not end, or repeats itself."""
    ends = [result.solutions_end for result in evidence.both if result.solutions_end not in {"all", ""}]
    if not ends:
        return None
    if set(ends) == {"most"}:
        return Sign("further_search", "untidy", "The same solutions are found over and over.", ends)
    worst = next(end for end in ends if end != "most")
    words = "the search does not end" if worst == "inferences" else worst
    return Sign("further_search", "doubtful", f"Asked for all solutions: {words}.", ends)


def hard_coded(evidence: Evidence) -> Sign | None:
    """The decision is stated rather than derived."""
    clauses = [clause for clause in evidence.first.clauses if clause.predicate == evidence.decision]
    if any(clause.kind == "fact" for clause in clauses):
        return Sign("hard_coded", "serious", "The decision is stated as a fact.")
    if any(clause.place.part is Part.AXIOMS for clause in clauses):
        return Sign("hard_coded", "doubtful", "The axioms, not the case, decide.")
    return None


def one_option_only(evidence: Evidence) -> Sign | None:
    """The other option cannot be decided whatever the facts are: no clause that decides fits it."""
    for attempt in evidence.first.attempts:
        if attempt.steps and attempt.steps[0].why == "no_clause":
            return Sign("one_option_only", "serious", f"Nothing can ever decide for {attempt.option}.")
    return None


def swap_keeps(evidence: Evidence) -> Sign | None:
    """The facts' options exchanged, the decision stays; less grave where its option is the default."""
    if not evidence.unchanged(Change.OPTIONS_EXCHANGED):
        return None
    why = "What the facts say of the two options exchanged, the decision stays"
    if by_default(evidence):
        return Sign("swap_keeps", "doubtful", f"{why}, for its option is the default.", evidence.first.choice)
    return Sign("swap_keeps", "serious", f"{why}.", evidence.first.choice)


def facts_idle(evidence: Evidence) -> Sign | None:
    """All facts removed, the decision stays; less grave where that follows from how such programs are built.

    With nothing known a default is taken, and with nothing required whatever is asked of all holds.
    """
    if not evidence.unchanged(Change.FACTS_REMOVED):
        return None
    why = "Without any of its facts the program decides the same"
    if by_default(evidence):
        return Sign("facts_idle", "doubtful", f"{why}, for its option is the default.")
    if any(node.kind == "all" for root in _roots(evidence.first) for node in root.walk()):
        return Sign("facts_idle", "doubtful", f"{why}, for without requirements all are met.")
    return Sign("facts_idle", "serious", f"{why}.")


def axioms_idle(evidence: Evidence) -> Sign | None:
    """All axioms removed, the decision stays."""
    if evidence.unchanged(Change.AXIOMS_REMOVED):
        return Sign("axioms_idle", "serious", "Without the axioms the program decides the same.")
    return None


def order_matters(evidence: Evidence) -> Sign | None:
    """Reversing what decides, or the facts, changes the decision to another option."""
    orders = {
        "the clauses that decide": evidence.outcome(Change.DECISION_REVERSED),
        "the facts": evidence.outcome(Change.FACTS_REVERSED),
    }
    changing = [
        name
        for name, result in orders.items()
        if result is not None and result.choice in evidence.options and result.choice != evidence.first.choice
    ]
    if not changing:
        return None
    why = f"Reversing {' or '.join(changing)} changes the decision"
    if both_derivable(evidence):  # which has said so already
        return Sign("order_matters", "doubtful", f"{why}, as both options can be derived.")
    return Sign("order_matters", "serious", f"{why}.")


def no_fact_matters(evidence: Evidence) -> Sign | None:
    """No single fact of the program's own part changes the decision when it is removed."""
    facts = [
        result.choice == evidence.first.choice
        for clause, result in evidence.knocked_out()
        if clause.kind == "fact" and clause.place.part is Part.FACTS
    ]
    if facts and all(facts):
        return Sign(
            "no_fact_matters", "doubtful", "No fact, removed alone, changes the decision.", len(facts)
        )
    return None


def no_fact_used(evidence: Evidence) -> Sign | None:
    """The proof touches no fact at all; no news where the option is the default."""
    proof = evidence.first.proof
    if proof is None or any(node.kind == "fact" for node in proof.walk()):
        return None
    if by_default(evidence):
        return Sign("no_fact_used", "untidy", "The proof uses no fact, for the option is the default.")
    return Sign("no_fact_used", "doubtful", "The proof uses no fact.")


def by_default(evidence: Evidence) -> Sign | None:
    """The option is chosen because something fails: the deciding clause holds a negation at its top."""
    if any(node.kind == "not" for root in _roots(evidence.first) for node in root.children):
        return Sign("by_default", "doubtful", "The option is chosen because something cannot be shown.")
    return None


def _roots(result: Result) -> tuple[ProofNode, ...]:
    return () if result.proof is None else result.proof.nodes
