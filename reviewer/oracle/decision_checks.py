"""Checks of how two versions decide."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from reviewer.core.check_result import CheckResult, Location, failure
from reviewer.oracle.check_conditions import first_decided, no_decision_sentence, not_run_sentence
from reviewer.oracle.evidence import (
    Evidence,
    clause_location,
    clause_locations,
    first_places,
    is_option,
    line_locations,
    same_option,
    tells,
    word_locations,
)
from reviewer.oracle.result import Clause, Part, Proof, ProofNode, Result, error_words
from reviewer.oracle.variants import VariantChange


def not_run(evidence: Evidence) -> CheckResult | None:
    """A version was refused or did not end, so nothing is known of its decision."""
    why = not_run_sentence(evidence, [0, 1])
    if why is None:
        return None
    places = first_places(
        place
        for version, result in enumerate(evidence.both)
        for finding in result.findings
        if finding.stop
        for place in line_locations(evidence, version, finding.place)
    )
    statuses = [result.status.value for result in evidence.both]
    untested = "Its decision was" if evidence.ran else "Their decisions were"
    return failure("not_run", "serious", f"{why} {untested} not tested.", statuses, places)


def both_derivable(evidence: Evidence) -> CheckResult | None:
    """Both options are solutions: which is first depends on the order of clauses."""
    if are_both_derivable(evidence):
        why = "Both options can be derived: the order of clauses decides."
        return failure("both_derivable", "serious", why, places=_parting_places(evidence))
    return None


def _parting_places(evidence: Evidence) -> tuple[Location, ...]:
    """The two clauses with which the derivations of the options part, else the clause that decides."""
    first, other = evidence.first.proof, evidence.others[0]
    clauses = evidence.first.clauses
    parting = _parting(first.nodes, other.nodes) if first and other else ()
    if parting:
        return clause_locations(evidence, 0, (clauses[index] for index in parting))
    return tuple(dict.fromkeys(_root_places(evidence, 0, first)))


def _parting(left: Sequence[ProofNode], right: Sequence[ProofNode]) -> tuple[int, ...]:
    """The clauses of the first steps that two proofs do not share, in their order; () if there are none."""
    for one, other in zip(left, right, strict=False):
        if one.clause != other.clause:
            return tuple(index for index in (one.clause, other.clause) if index is not None)
        if below := _parting(one.children, other.children):
            return below
    return ()


def no_option(evidence: Evidence) -> CheckResult | None:
    """A version gives no decision, or decides for something that is not an option."""
    wrong = [
        (version, result)
        for version, result in evidence.ran
        if not (result.decided and is_option(result.choice, evidence.options))
    ]
    if wrong:
        why = " ".join(_no_option_sentence(evidence, version) for version, _ in wrong)
        values = [result.choice or result.status.value for _, result in wrong]
        return failure("no_option", "serious", why, values, _chosen_by(evidence, wrong))
    other = [(version, each) for version, each in evidence.ran if each.choice not in evidence.options]
    if other:
        choices = [str(result.choice) for _, result in other]
        why = f"A version writes its option as {choices[0]}: only upper and lower case differ."
        return failure("no_option", "untidy", why, choices, _chosen_by(evidence, other))
    return None


def _no_option_sentence(evidence: Evidence, version: int) -> str:
    missing = no_decision_sentence(evidence, [version])
    choice = evidence.both[version].choice
    return missing or (
        f"The {evidence.names[version]} program decides {choice}, which is not one of the options."
    )


def versions_disagree(evidence: Evidence) -> CheckResult | None:
    """The two versions choose differently, or take other steps to the same choice."""
    first, second = evidence.both
    if not same_option(first.choice, second.choice) and first.choice != second.choice:
        why = f"The versions choose differently: {first.choice} and {second.choice}."
        places = _chosen_by(evidence, list(enumerate(evidence.both)))
        return failure("versions_disagree", "serious", why, [first.choice, second.choice], places)
    if first.counts != second.counts:
        return failure("versions_disagree", "doubtful", "The versions take different numbers of steps.")
    return None


def solutions_disagree(evidence: Evidence) -> CheckResult | None:
    """The versions agree on the first solution, but not on all solutions."""
    first, second = ({solution.casefold() for solution in result.solutions} for result in evidence.both)
    agree = same_option(evidence.first.choice, evidence.second.choice)
    if (agree or evidence.first.choice == evidence.second.choice) and first != second:
        return failure("solutions_disagree", "doubtful", "Asked for all solutions, the versions differ.")
    return None


def stray_solution(evidence: Evidence) -> CheckResult | None:
    """Asked for all solutions, a version gives one that is no option."""
    solutions = {solution for _, result in evidence.decided for solution in result.solutions}
    stray = sorted(solution for solution in solutions if not is_option(solution, evidence.options))
    if stray:
        why = f"A solution is not one of the options: {', '.join(stray)}."
        return failure("stray_solution", "doubtful", why, stray, first_places(_stray_words(evidence, stray)))
    return None


def _stray_words(evidence: Evidence, stray: list[str]) -> Iterator[Location]:
    pattern = "|".join(map(re.escape, stray))
    for version, _ in evidence.decided:
        for clause in evidence.deciding(version):
            yield from word_locations(evidence, version, clause, pattern)


def further_search(evidence: Evidence) -> CheckResult | None:
    """Asked for all solutions, a version raises an error, does not end, or repeats itself."""
    endings = [result.solutions_end for _, result in evidence.decided]
    ends = [end for end in endings if end not in {"all", ""}]
    if not ends:
        return None
    if set(ends) == {"most"}:
        return failure("further_search", "untidy", "The same solutions are found over and over.", ends)
    worst = next(end for end in ends if end != "most")
    return failure("further_search", "doubtful", f"Asked for all solutions, {_search_words(worst)}.", ends)


def _search_words(end: str) -> str:
    """How a search for all solutions ended, in words."""
    how, _, detail = end.partition(": ")
    if how == "error":
        return f"a version ends with an error: {error_words(detail)}"
    if how == "stopped":
        return f"a version is stopped: it calls {detail}, which SWI-Prolog has and this tool does not run"
    return "the search does not end"


def hard_coded(evidence: Evidence) -> CheckResult | None:
    """The decision is stated rather than derived.

    A fact that comes after rules holds if they fail: see ``by_default``.
    """
    clauses = evidence.deciding(0)
    chosen = _chosen(evidence)
    leading = list(takewhile(lambda clause: clause.kind == "fact", clauses))
    stated = [clause for clause in leading if chosen in (None, clause)]
    if stated:
        places = clause_locations(evidence, 0, stated)
        return failure("hard_coded", "serious", "The decision is stated as a fact.", places=places)
    general = [clause for clause in clauses if clause.place.part is Part.AXIOMS]
    if general:
        places = clause_locations(evidence, 0, general)
        return failure("hard_coded", "doubtful", "The axioms, not the case, decide.", places=places)
    return None


def one_option_only(evidence: Evidence) -> CheckResult | None:
    """No clause can decide for the other option, whatever the facts are."""
    for attempt in evidence.first.attempts:
        chosen = any(same_option(attempt.option, solution) for solution in evidence.first.solutions)
        unmatched = attempt.steps and attempt.steps[0].why == "no_clause"
        if unmatched and not chosen and not _named_by_head(evidence, attempt.option):
            why = f"Nothing can ever decide for {attempt.option}."
            places = clause_locations(evidence, 0, evidence.deciding(0))
            return failure("one_option_only", "serious", why, places=places)
    return None


def _named_by_head(evidence: Evidence, option: str) -> bool:
    """Whether the head of a deciding clause names the option, in whatever letters."""
    heads = (evidence.source(0, clause).partition(":-")[0] for clause in evidence.deciding(0))
    return any(re.search(rf"(?<!\w){re.escape(option)}(?!\w)", head, re.IGNORECASE) for head in heads)


def by_default(evidence: Evidence) -> CheckResult | None:
    """The option is chosen because something fails: a negation, or every rule before a fact that decides.

    Many pairs are built like this, so that it is untidy. If the decision also stays when the options are
    exchanged, ``swap_keeps`` says so.
    """
    places = tuple(_root_places(evidence, 0, evidence.first.proof))
    if any(node.kind == "not" for root in proof_roots(evidence.first) for node in root.children):
        why = "The option is chosen because something cannot be shown."
        return failure("by_default", "untidy", why, places=places)
    chosen, deciding = _chosen(evidence), evidence.deciding(0)
    if chosen and chosen.kind == "fact" and deciding and deciding[0].kind == "rule":
        why = "The option is chosen because no rule before this fact applies."
        return failure("by_default", "untidy", why, places=places)
    return None


def is_default(evidence: Evidence) -> bool:
    """Whether the option is chosen because something fails."""
    return by_default(evidence) is not None


def are_both_derivable(evidence: Evidence) -> bool:
    """Whether both options are solutions of the first version."""
    solutions = evidence.first.solutions
    return all(any(same_option(option, solution) for solution in solutions) for option in evidence.options)


# -- what other checks need -------------------------------------------------------------------------


def one_derivable(evidence: Evidence) -> str | None:
    """The first version decided, and not for both options: then their order decides, whatever changes."""
    if missing := first_decided(evidence):
        return missing
    if are_both_derivable(evidence):
        return "Both options can be derived, which is a finding of its own."
    return None


def no_default(evidence: Evidence) -> str | None:
    """The first version decided, and not by default: a default needs no fact."""
    if missing := first_decided(evidence):
        return missing
    return "The option is the default, which needs no fact." if is_default(evidence) else None


def exchange_decides(evidence: Evidence) -> str | None:
    """The first version decided, and not the same with the options exchanged."""
    if missing := first_decided(evidence):
        return missing
    if is_default(evidence) and evidence.unchanged(VariantChange.OPTIONS_EXCHANGED):
        if are_both_derivable(evidence):
            return None
        return "The decision stays when the options are exchanged, which is a finding of its own."
    return None


def _chosen(evidence: Evidence) -> Clause | None:
    """The clause that the first version's proof begins with; None without a proof."""
    roots = proof_roots(evidence.first)
    at = roots[0].clause if roots else None
    return None if at is None else evidence.first.clauses[at]


def proof_roots(result: Result) -> tuple[ProofNode, ...]:
    """The goals that a proof begins with; () without one."""
    return () if result.proof is None else result.proof.nodes


def _chosen_by(evidence: Evidence, results: list[tuple[int, Result]]) -> tuple[Location, ...]:
    """The clauses by which versions chose."""
    return tuple(
        place for version, result in results for place in _root_places(evidence, version, result.proof)
    )


def _root_places(evidence: Evidence, version: int, proof: Proof | None) -> Iterator[Location]:
    for root in proof.nodes if proof else ():
        if root.clause is not None:
            yield clause_location(evidence, version, evidence.both[version].clauses[root.clause])


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
