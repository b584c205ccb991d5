"""Warning signs in how two versions of a program decide: pure functions over results.

None of them proves a wrong label. ``serious`` may make the label wrong, ``doubtful`` weakens what the program
shows, ``untidy`` is only that. Every check looks at one :class:`Evidence` and gives a :class:`Sign` or None;
``signs`` asks them all.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from reviewer.oracle.result import Clause, Part, ProofNode, Result, Status
from reviewer.oracle.variants import Change, Variant

Severity = Literal["serious", "doubtful", "untidy"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was run: the first version, the second, and the first one's variants.

    ``options`` are the two that can be chosen, ``decision`` the predicate that chooses; ``published`` is the
    choice, inference steps and choice steps that came with the programs, where any did.
    """

    first: Result
    second: Result
    variants: tuple[tuple[Variant, Result], ...]
    options: tuple[str, str]
    decision: str = "decide_option/2"
    same_text: bool = False
    published: tuple[str, int, int] | None = None

    @property
    def both(self) -> tuple[Result, Result]:
        """The two versions."""
        return self.first, self.second

    def outcome(self, change: Change) -> Result | None:
        """The result of the one variant with this change; None where it changed nothing."""
        return next((result for variant, result in self.variants if variant.change is change), None)

    def unchanged(self, change: Change) -> bool:
        """True when the variant exists and decides as the program itself."""
        result = self.outcome(change)
        return result is not None and result.choice is not None and result.choice == self.first.choice

    def knocked_out(self) -> Iterator[tuple[Clause, Result]]:
        """Each clause of the first version with the result of the program without it."""
        for variant, result in self.variants:
            if variant.clause is not None:
                yield self.first.clauses[variant.clause], result


@dataclass(frozen=True, slots=True)
class Sign:
    """What a check saw: its name, how much it may matter, why in a sentence, and the value it looked at."""

    check: str
    severity: Severity
    why: str
    value: object = None


def signs(evidence: Evidence) -> tuple[Sign, ...]:
    """Every sign, serious ones first."""
    found = [sign for check in CHECKS if (sign := check(evidence)) is not None]
    return tuple(sorted(found, key=lambda sign: SEVERITIES.index(sign.severity)))


def load_bearing(evidence: Evidence) -> dict[Clause, str | None]:
    """The facts and rules without which the decision becomes another, with that decision (None: none)."""
    return {
        clause: result.choice
        for clause, result in evidence.knocked_out()
        if result.choice != evidence.first.choice
    }


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


def swap_keeps(evidence: Evidence) -> Sign | None:
    """The facts' options exchanged, the decision stays."""
    if evidence.unchanged(Change.OPTIONS_EXCHANGED):
        why = "What the facts say of the two options exchanged, the decision stays."
        return Sign("swap_keeps", "serious", why, evidence.first.choice)
    return None


def facts_idle(evidence: Evidence) -> Sign | None:
    """All facts removed, the decision stays."""
    if evidence.unchanged(Change.FACTS_REMOVED):
        return Sign("facts_idle", "serious", "Without any of its facts the program decides the same.")
    return None


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
    if changing:
        return Sign("order_matters", "serious", f"Reversing {' or '.join(changing)} changes the decision.")
    return None


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


def hard_coded(evidence: Evidence) -> Sign | None:
    """The decision is stated rather than derived."""
    clauses = [clause for clause in evidence.first.clauses if clause.predicate == evidence.decision]
    if any(clause.kind == "fact" for clause in clauses):
        return Sign("hard_coded", "serious", "The decision is stated as a fact.")
    if any(clause.place.part is Part.AXIOMS for clause in clauses):
        return Sign("hard_coded", "doubtful", "The axioms, not the case, decide.")
    return None


def by_default(evidence: Evidence) -> Sign | None:
    """The option is chosen because something fails: the deciding clause holds a negation at its top."""
    if any(node.kind == "not" for root in _roots(evidence.first) for node in root.children):
        return Sign("by_default", "doubtful", "The option is chosen because something cannot be shown.")
    return None


def no_fact_used(evidence: Evidence) -> Sign | None:
    """The proof touches no fact at all."""
    proof = evidence.first.proof
    if proof is not None and not any(node.kind == "fact" for node in proof.walk()):
        return Sign("no_fact_used", "doubtful", "The proof uses no fact.")
    return None


def same_text(evidence: Evidence) -> Sign | None:
    """The two versions are the same program."""
    if evidence.same_text:
        return Sign("same_text", "doubtful", "The second version says nothing that the first does not.")
    return None


def further_search(evidence: Evidence) -> Sign | None:
    """Asked for another solution, a version raises an error or does not end."""
    ends = [result.solutions_end for result in evidence.both if result.solutions_end not in {"all", ""}]
    if ends:
        words = {"most": "they do not end", "inferences": "the search does not end"}
        why = f"Asked for all solutions: {words.get(ends[0], ends[0])}."
        return Sign("further_search", "doubtful", why, ends)
    return None


def gate_findings(evidence: Evidence) -> Sign | None:
    """The gate has something against a version."""
    kinds = sorted({finding.kind for result in evidence.both for finding in result.findings})
    if any(result.status is Status.REFUSED for result in evidence.both):
        return Sign("gate", "serious", f"A version was refused: {', '.join(kinds)}.", kinds)
    return (
        Sign("gate", "doubtful", f"A name means something else: {', '.join(kinds)}.", kinds)
        if kinds
        else None
    )


def lost_clauses(evidence: Evidence) -> Sign | None:
    """A clause does not read, or is refused by the system: the program runs without it."""
    lost = [
        message.kind
        for result in evidence.both
        for message in result.messages
        if message.kind in {"syntax", "refused_clause"}
    ]
    if lost:
        return Sign("lost_clauses", "serious", "A clause is silently lost at loading.", sorted(set(lost)))
    return None


def undefined(evidence: Evidence) -> Sign | None:
    """A predicate is called that is defined nowhere."""
    names = sorted({name for result in evidence.both for name in result.undefined})
    return (
        Sign("undefined", "doubtful", f"Called, defined nowhere: {', '.join(names)}.", names)
        if names
        else None
    )


def load_messages(evidence: Evidence) -> Sign | None:
    """Warnings at loading: singletons, discontiguous clauses and the like."""
    kinds = sorted({message.kind for result in evidence.both for message in result.messages})
    return Sign("load_messages", "untidy", f"Loading warns: {', '.join(kinds)}.", kinds) if kinds else None


def unused_facts(evidence: Evidence) -> Sign | None:
    """Facts that the proof does not touch."""
    clauses = evidence.first.clauses
    unused = [clauses[index] for index in evidence.first.unused if clauses[index].kind == "fact"]
    if unused:
        return Sign("unused_facts", "untidy", f"{len(unused)} facts are not in the proof.", len(unused))
    return None


def differs_from_published(evidence: Evidence) -> Sign | None:
    """Choice or steps are not those that were published with the programs."""
    if evidence.published is None:
        return None
    choice, inferences, choices = evidence.published
    for result in evidence.both:
        if result.choice != choice:
            why = f"Published as {choice}, decided as {result.choice}."
            return Sign("differs_from_published", "serious", why, [choice, result.choice])
        counts = result.counts
        if counts is None or (
            counts.comparable and (counts.inference_steps, counts.choice_steps) != (inferences, choices)
        ):
            return Sign("differs_from_published", "doubtful", "Steps differ from the published ones.")
    return None


def _roots(result: Result) -> tuple[ProofNode, ...]:
    return () if result.proof is None else result.proof.nodes


SEVERITIES: tuple[Severity, ...] = ("serious", "doubtful", "untidy")
CHECKS: tuple[Callable[[Evidence], Sign | None], ...] = (
    both_derivable,
    no_option,
    versions_disagree,
    lost_clauses,
    hard_coded,
    swap_keeps,
    facts_idle,
    axioms_idle,
    order_matters,
    differs_from_published,
    gate_findings,
    solutions_disagree,
    further_search,
    no_fact_matters,
    no_fact_used,
    by_default,
    same_text,
    undefined,
    load_messages,
    unused_facts,
)
