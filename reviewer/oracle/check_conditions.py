"""What must have run before a check can look: each function says in a sentence what is missing, or None."""

from collections.abc import Callable, Sequence

from reviewer.oracle.evidence import Evidence, same_option, tells
from reviewer.oracle.goal_checks import MOST_CHARACTERS, MOST_CLAUSES, sources_of, unreadable_rule
from reviewer.oracle.result import Part, did_not_run, without_decision
from reviewer.oracle.variants import VariantChange

Precondition = Callable[[Evidence], str | None]


def nothing(_evidence: Evidence) -> str | None:
    """The texts alone are enough."""
    return None


def first_ran(evidence: Evidence) -> str | None:
    """The first version ran."""
    return not_run_sentence(evidence, [0])


def both_ran(evidence: Evidence) -> str | None:
    """Both versions ran."""
    return not_run_sentence(evidence, [0, 1])


def first_decided(evidence: Evidence) -> str | None:
    """The first version gave a decision."""
    return no_decision_sentence(evidence, [0])


def both_decided(evidence: Evidence) -> str | None:
    """Both versions gave a decision."""
    return no_decision_sentence(evidence, [0, 1])


def first_read(evidence: Evidence) -> str | None:
    """The clauses of the first version are known."""
    return None if evidence.first.clauses else first_ran(evidence)


def both_read(evidence: Evidence) -> str | None:
    """The clauses of both versions are known."""
    return first_read(evidence) or (None if evidence.second.clauses else both_ran(evidence))


def goals_read(evidence: Evidence) -> str | None:
    """Every rule of the first version could be read goal by goal."""
    clauses, sources = evidence.first.clauses, sources_of(evidence, 0)
    if len(clauses) > MOST_CLAUSES or sum(map(len, sources)) > MOST_CHARACTERS:
        return "The program is too long to compare each goal with every clause."
    if rule := unreadable_rule(clauses, sources):
        where = f"{rule.place.part.value} line {rule.place.line}"
        return f"The goals of the rule in {where} cannot be compared: only SWI-Prolog can read it."
    return None


def swap_ran(evidence: Evidence) -> str | None:
    """The variant with the options exchanged was run, if there is one."""
    return _untold(evidence, [VariantChange.OPTIONS_EXCHANGED])


def without_facts_ran(evidence: Evidence) -> str | None:
    """The variant without facts was run, if there is one."""
    return _untold(evidence, [VariantChange.FACTS_REMOVED])


def without_axioms_ran(evidence: Evidence) -> str | None:
    """The variant without axioms was run, if there is one."""
    return _untold(evidence, [VariantChange.AXIOMS_REMOVED])


def orders_ran(evidence: Evidence) -> str | None:
    """The variants with clauses in the opposite order were run, if there are any."""
    return _untold(evidence, [VariantChange.DECISION_REVERSED, VariantChange.FACTS_REVERSED])


def each_fact_told(evidence: Evidence) -> str | None:
    """Some fact matters, or the program was run without each."""
    facts = [
        result
        for clause, result in evidence.knocked_out()
        if clause.kind == "fact" and clause.place.part is Part.FACTS
    ]
    deciding = [result for result in facts if tells(result)]
    if any(not same_option(result.choice, evidence.first.choice) for result in deciding):
        return None
    missing = [result for result in facts if not tells(result)]
    return f"Without one of its facts the program {did_not_run(missing[0])}." if missing else None


def steps_compare(evidence: Evidence) -> str | None:
    """Both versions decided, and their steps can be compared with published ones, if there are any."""
    if missing := both_decided(evidence):
        return missing
    counts = [result.counts for result in evidence.both]
    if evidence.published and any(count is None or not count.comparable for count in counts):
        return "This version of SWI-Prolog does not count steps as the published ones were counted."
    return None


def not_run_sentence(evidence: Evidence, versions: Sequence[int]) -> str | None:
    """Which of these versions did not run, and why; None if all ran."""
    said = [
        f"The {evidence.names[version]} program {did_not_run(evidence.both[version])}."
        for version in versions
        if not evidence.both[version].ran
    ]
    return " ".join(said) or None


def no_decision_sentence(evidence: Evidence, versions: Sequence[int]) -> str | None:
    """Which of these versions gave no decision, and why; None if all decided."""
    said = [_no_decision(evidence, version) for version in versions if not evidence.both[version].decided]
    return " ".join(said) or None


def _no_decision(evidence: Evidence, version: int) -> str:
    result = evidence.both[version]
    if not result.ran:
        return f"The {evidence.names[version]} program {did_not_run(result)}."
    how = without_decision(result, evidence.decision)
    return f"The {evidence.names[version]} program {how}, so it has no decision to compare."


def _untold(evidence: Evidence, changes: Sequence[VariantChange]) -> str | None:
    for variant, result in evidence.variants:
        if variant.change in changes and not tells(result):
            return f"{_CHANGED[variant.change]} the program {did_not_run(result)}."
    return None


_CHANGED = {
    VariantChange.OPTIONS_EXCHANGED: "With the options exchanged",
    VariantChange.FACTS_REMOVED: "Without its facts",
    VariantChange.AXIOMS_REMOVED: "Without the axioms",
    VariantChange.DECISION_REVERSED: "With the deciding clauses reversed",
    VariantChange.FACTS_REVERSED: "With the facts reversed",
}
