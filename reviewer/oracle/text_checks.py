"""Checks of what two versions say: clauses, names, and what the system has to say about them."""

import re
from collections.abc import Iterator

from reviewer.oracle.evidence import Evidence, Sign
from reviewer.oracle.result import Part, Status


def lost_clauses(evidence: Evidence) -> Sign | None:
    """A clause does not read, or is refused by the system: the program runs without it.

    Lost from the second version alone it leaves the label as it is, but what that version adds may be gone.
    """
    first, second = ([m for m in r.messages if m.kind in {"syntax", "refused_clause"}] for r in evidence.both)
    if not first and not second:
        return None
    place = (first or second)[0].place
    why = f"is silently lost at loading, {place.part.value} line {place.line}."
    kinds = sorted({message.kind for message in (*first, *second)})
    if first:
        return Sign("lost_clauses", "serious", f"A clause {why}", kinds)
    return Sign("lost_clauses", "doubtful", f"A clause of the second version {why}", kinds)


def gate(evidence: Evidence) -> Sign | None:
    """The gate has something against a version."""
    kinds = sorted({finding.kind for result in evidence.both for finding in result.findings})
    if any(result.status is Status.REFUSED for result in evidence.both):
        return Sign("gate", "serious", f"A version was refused: {', '.join(kinds)}.", kinds)
    return (
        Sign("gate", "doubtful", f"A name means something else: {', '.join(kinds)}.", kinds)
        if kinds
        else None
    )


def differs_from_published(evidence: Evidence) -> Sign | None:
    """Choice or steps are not those that were published with the programs."""
    for choice, inferences, choices in evidence.published:
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


def option_in_axioms(evidence: Evidence) -> Sign | None:
    """The axioms, which should hold for any case, name an option of this one."""
    sources = (*evidence.sources(0, "fact", Part.AXIOMS), *evidence.sources(0, "rule", Part.AXIOMS))
    naming = [source for source in sources if _names(source, evidence.options)]
    if naming:
        why = f"The axioms name an option: {naming[0]}"
        return Sign("option_in_axioms", "serious", why, naming)
    return None


def clauses_differ(evidence: Evidence) -> Sign | None:
    """The second version drops or alters a fact of the first, or its rules are others."""
    dropped = _missing(evidence, "fact")
    if dropped:
        why = f"The second version drops or alters {_some(len(dropped), 'fact')} of the first: {dropped[0]}"
        return Sign("clauses_differ", "doubtful", why, dropped)
    rules = _missing(evidence, "rule")
    if rules:
        why = f"The second version words {_some(len(rules), 'rule')} of the first otherwise: {rules[0]}"
        return Sign("clauses_differ", "untidy", why, rules)
    return None


def _missing(evidence: Evidence, kind: str) -> list[str]:
    kept = set(evidence.sources(1, kind, Part.FACTS))
    return [source for source in evidence.sources(0, kind, Part.FACTS) if source not in kept]


def same_text(evidence: Evidence) -> Sign | None:
    """The two versions are the same program."""
    first, second = evidence.programs
    if first.text == second.text:
        return Sign("same_text", "doubtful", "The second version says nothing that the first does not.")
    return None


def undefined(evidence: Evidence) -> Sign | None:
    """A predicate is called that is defined nowhere; only untidy where no search comes to call it."""
    names = sorted({name for result in evidence.both for name in result.undefined})
    if not names:
        return None
    met = any(f"procedure, {name})" in _errors(evidence) for name in names)
    why = f"Called, defined nowhere: {', '.join(names)}."
    return Sign("undefined", "doubtful" if met else "untidy", why, names)


def load_messages(evidence: Evidence) -> Sign | None:
    """Warnings at loading: singletons, discontiguous clauses and the like."""
    kinds = sorted({message.kind for result in evidence.both for message in result.messages})
    return Sign("load_messages", "untidy", f"Loading warns: {', '.join(kinds)}.", kinds) if kinds else None


def fact_holds_of_all(evidence: Evidence) -> Sign | None:
    """A fact has a variable where a name was meant, so it holds of everything, and a proof may rest on that.

    Variables that begin with an underscore are meant, and pass.
    """
    found = list(_facts_with_variables(evidence))
    if not found:
        return None
    used = [fact for fact in found if fact[2]]
    source, variable, _ = (used or found)[0]
    why = (
        f"The fact {source.removesuffix('.')} holds of everything, for {variable} is a variable, not a name."
    )
    sources = list(dict.fromkeys(source for source, _, _ in found))
    return Sign("fact_holds_of_all", "doubtful" if used else "untidy", why, sources)


def _facts_with_variables(evidence: Evidence) -> Iterator[tuple[str, str, bool]]:
    """Facts with a variable that occurs but once in them: text, variable, whether the proof uses it."""
    for version, result in enumerate(evidence.both):
        once = {
            each.place: re.findall(r"\w+", each.text) for each in result.messages if each.kind == "singleton"
        }
        for index, clause in enumerate(result.clauses):
            source = evidence.source(version, clause) if clause.kind == "fact" else ""
            variables = [name for name in once.get(clause.place, ()) if _occurs(name, source)]
            if variables:
                yield source, variables[0], result.proof is not None and index in result.proof.used


def facts_name_no_option(evidence: Evidence) -> Sign | None:
    """No fact speaks of an option, so exchanging them tests nothing."""
    own = [
        source for source in evidence.sources(0, "fact", Part.FACTS) if not source.startswith(_head(evidence))
    ]
    if own and not any(_names(source, evidence.options) for source in own):
        return Sign(
            "facts_name_no_option", "untidy", "No fact names an option: exchanging them tests nothing."
        )
    return None


def unused_facts(evidence: Evidence) -> Sign | None:
    """Facts that the proof does not touch."""
    clauses = evidence.first.clauses
    unused = [clauses[index] for index in evidence.first.unused if clauses[index].kind == "fact"]
    if unused:
        return Sign("unused_facts", "untidy", f"{len(unused)} facts are not in the proof.", len(unused))
    return None


def _errors(evidence: Evidence) -> str:
    return " ".join(f"{result.error} {result.solutions_end}" for result in evidence.both)


def _names(source: str, options: tuple[str, str]) -> bool:
    return any(_occurs(option, source) for option in options)


def _occurs(word: str, source: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", source) is not None


def _head(evidence: Evidence) -> str:
    return evidence.decision.partition("/")[0] + "("


def _some(number: int, noun: str) -> str:
    return f"a {noun}" if number == 1 else f"{number} {noun}s"
