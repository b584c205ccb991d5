"""Checks of the texts of two versions: clauses, names, and messages of SWI-Prolog about them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.check_result import SEVERITIES, CheckResult, Location, Severity, failure
from reviewer.oracle.evidence import (
    Evidence,
    clause_location,
    clause_locations,
    first_places,
    line_locations,
    same_option,
    word_locations,
)
from reviewer.oracle.result import Clause, GateFinding, LoadMessage, Part
from reviewer.oracle.variants import VariantChange, spelled_options


@dataclass(frozen=True, slots=True)
class VersionChanges:
    """What two versions do not share: facts and rules of the first, rules of the second.

    ``reworded`` are rules of the first version whose predicate has other rules in the second: ``rewordings``.
    ``altered`` are facts of the second version with the predicates of ``facts``.
    """

    facts: list[Clause]
    altered: list[Clause]
    added: list[Clause]
    reworded: list[Clause]
    rewordings: list[Clause]
    removed: list[Clause]

    @classmethod
    def of(cls, evidence: Evidence) -> "VersionChanges":
        """The changes of a case; both versions share the axioms."""
        gone, new = _only_in(evidence, 0, "rule"), _only_in(evidence, 1, "rule")
        changed = {clause.predicate for clause in gone} & {clause.predicate for clause in new}
        facts, others = _only_in(evidence, 0, "fact"), _only_in(evidence, 1, "fact")
        predicates = {clause.predicate for clause in facts}
        return cls(
            facts,
            [clause for clause in others if clause.predicate in predicates],
            [clause for clause in new if clause.predicate not in changed],
            [clause for clause in gone if clause.predicate in changed],
            [clause for clause in new if clause.predicate in changed],
            [clause for clause in gone if clause.predicate not in changed],
        )


def _only_in(evidence: Evidence, version: int, kind: str) -> list[Clause]:
    """The clauses of a version's own part that the other version does not have."""
    shared = set(evidence.sources(1 - version, kind, Part.FACTS))
    clauses = evidence.clauses(version, kind, Part.FACTS)
    return [clause for clause in clauses if evidence.source(version, clause) not in shared]


_MOST_NAMES = 100
"""The most names or messages whose places are looked for."""


def lost_clauses(evidence: Evidence) -> CheckResult | None:
    """SWI-Prolog cannot read a clause or refuses it, so the program runs without it.

    Lost from the second version alone it leaves the label as it is, but what that version adds may be gone.
    """
    lost = [
        (version, message)
        for version, result in evidence.ran
        for message in result.messages
        if message.kind in {"syntax", "refused_clause"}
    ]
    if not lost:
        return None
    version, message = lost[0]
    where = f"{message.place.part.value} line {message.place.line}"
    kinds = sorted({message.kind for _, message in lost})
    places = first_places(_all_message_places(evidence, lost))
    if version == 0:
        why = f"A clause is silently lost at loading, {where}."
        return failure("lost_clauses", "serious", why, kinds, places)
    why = f"A clause of the {evidence.names[1]} version is silently lost at loading, {where}."
    return failure("lost_clauses", "doubtful", why, kinds, places)


def gate(evidence: Evidence) -> CheckResult | None:
    """A name in a version means something else to SWI-Prolog."""
    findings = [(version, finding) for version, result in evidence.ran for finding in result.findings]
    if not findings:
        return None
    kinds = sorted({finding.kind for _, finding in findings})
    places = (
        place
        for version, finding in findings
        for place in line_locations(evidence, version, finding.place, finding.detail)
    )
    return failure("gate", "doubtful", _gate_sentence(evidence, findings), kinds, first_places(places))


def _gate_sentence(evidence: Evidence, found: list[tuple[int, GateFinding]]) -> str:
    """The place and the reason of the first finding, and the number of further ones."""
    said: dict[str, None] = {}
    for version, finding in sorted(found, key=lambda each: (each[0], each[1].place.line)):
        where = f"{finding.place.part.value} line {finding.place.line}"
        if version and finding.place.part is not Part.AXIOMS:
            where = f"{evidence.names[version]} version, {where}"
        said[f"{where[0].upper()}{where[1:]}: {finding.why}."] = None
    first, *more = said
    return f"{first} {len(more)} more such place{'s' if len(more) > 1 else ''}." if more else first


def differs_from_published(evidence: Evidence) -> CheckResult | None:
    """The choice or the steps differ from those published with the programs."""
    results = [
        _against(choice, evidence, version)
        for choice, _, _ in evidence.published
        for version, _ in evidence.decided
    ]
    steps = "Steps differ from the published ones."
    if _steps_differ(evidence):
        results.append(failure("differs_from_published", "doubtful", steps))
    differing = [result for result in results if result]
    return min(differing, key=lambda result: SEVERITIES.index(result.severity), default=None)


def _against(choice: str, evidence: Evidence, version: int) -> CheckResult | None:
    """A version's choice beside the published one: another, or the same in other letters."""
    result = evidence.both[version]
    if result.choice == choice:
        return None
    values = [choice, result.choice]
    if same_option(result.choice, choice):
        why = f"Published as {choice}, decided as {result.choice}: only upper and lower case differ."
        return failure("differs_from_published", "untidy", why, values)
    why = f"Published as {choice}, decided as {result.choice} by the {evidence.names[version]} program."
    return failure("differs_from_published", "serious", why, values)


def _steps_differ(evidence: Evidence) -> bool:
    return any(
        result.counts is not None
        and result.counts.comparable
        and (result.counts.inference_steps, result.counts.choice_steps) != (inferences, choices)
        for _, inferences, choices in evidence.published
        for _, result in evidence.decided
    )


def option_in_axioms(evidence: Evidence) -> CheckResult | None:
    """The axioms, which should hold for any case, name an option of this one.

    Clauses for the decision itself must name options: ``hard_coded`` says if they stand in the axioms.
    """
    stated = [*evidence.clauses(0, "fact", Part.AXIOMS), *evidence.clauses(0, "rule", Part.AXIOMS)]
    clauses = [clause for clause in stated if clause.predicate != evidence.decision]
    ways: tuple[tuple[str, Severity, str], ...] = (
        (_option_pattern(evidence.options), "serious", ""),
        (_option_pattern(evidence.options, any_case=True), "doubtful", " in other letters"),
    )
    for pattern, severity, letters in ways:
        naming = [source for clause in clauses if _names(source := evidence.source(0, clause), pattern)]
        if naming:
            places = (place for clause in clauses for place in word_locations(evidence, 0, clause, pattern))
            why = f"The axioms name an option{letters}: {naming[0]}"
            return failure("option_in_axioms", severity, why, naming, tuple(places))
    return None


def clauses_differ(evidence: Evidence) -> CheckResult | None:
    """The second version drops or alters a fact of the first, or its rules are others."""
    changes = VersionChanges.of(evidence)
    said = [
        f"{words} {_first_of(clauses, noun, evidence, version)}"
        for words, noun, version, clauses in (
            ("drops or alters", "fact", 0, changes.facts),
            ("adds", "rule", 1, changes.added),
            ("rewords", "rule", 0, changes.reworded),
            ("leaves out", "rule", 0, changes.removed),
        )
        if clauses
    ]
    if not said:
        return None
    why = f"The {evidence.names[1]} version {'; it '.join(said)}."
    gone = [*changes.facts, *changes.reworded, *changes.removed]
    values = [evidence.source(0, clause) for clause in gone]
    values += [evidence.source(1, clause) for clause in changes.added]
    new = [*changes.altered, *changes.added, *changes.rewordings]
    places = clause_locations(evidence, 0, gone) + clause_locations(evidence, 1, new)
    severity: Severity = "doubtful" if changes.facts or changes.added or changes.removed else "untidy"
    return failure("clauses_differ", severity, why, values, places)


def same_text(evidence: Evidence) -> CheckResult | None:
    """The two versions are the same program."""
    first, second = evidence.programs
    if first.text == second.text:
        return failure("same_text", "doubtful", "The second version says nothing that the first does not.")
    return None


def load_messages(evidence: Evidence) -> CheckResult | None:
    """Warnings at loading: singletons, discontiguous clauses and the like."""
    messages = [(version, message) for version, result in evidence.ran for message in result.messages]
    kinds = sorted({message.kind for _, message in messages})
    if not kinds:
        return None
    places = first_places(_all_message_places(evidence, messages))
    return failure("load_messages", "untidy", f"Loading warns: {', '.join(kinds)}.", kinds, places)


def _all_message_places(evidence: Evidence, messages: list[tuple[int, LoadMessage]]) -> Iterator[Location]:
    for version, message in messages[:_MOST_NAMES]:
        yield from _message_places(evidence, version, message)


def _message_places(evidence: Evidence, version: int, message: LoadMessage) -> Iterator[Location]:
    """The words that a message names where it names variables, else the clause that it is about."""
    lines = list(line_locations(evidence, version, message.place, message.text))
    if message.kind == "singleton":
        here = [clause for clause in evidence.both[version].clauses if clause.place == message.place]
        pattern = "|".join(map(re.escape, re.findall(r"\w+", message.text)))
        places = (place for clause in here for place in word_locations(evidence, version, clause, pattern))
        lines = list(first_places(places)) or lines
    yield from lines


def fact_holds_of_all(evidence: Evidence) -> CheckResult | None:
    """A fact has a variable where a name was meant, so it holds of everything, and a proof may rest on that.

    Variables that begin with an underscore are meant, and pass.
    """
    facts = list(_facts_with_variables(evidence))
    if not facts:
        return None
    used = [fact for fact in facts if fact.used]
    first = (used or facts)[0]
    why = (
        f"The fact {first.source.removesuffix('.')} holds of everything, for {first.variable} is a variable, "
        "not a name."
    )
    sources = list(dict.fromkeys(fact.source for fact in facts))
    places = first_places(place for fact in facts for place in fact.places)
    return failure("fact_holds_of_all", "doubtful" if used else "untidy", why, sources, places)


@dataclass(frozen=True, slots=True)
class _OpenFact:
    """A fact with a variable that occurs but once in it, and whether the proof uses it."""

    source: str
    variable: str
    used: bool
    places: tuple[Location, ...]


def _facts_with_variables(evidence: Evidence) -> Iterator[_OpenFact]:
    for version, result in evidence.ran:
        once = {
            message.place: re.findall(r"\w+", message.text)
            for message in result.messages
            if message.kind == "singleton"
        }
        for index, clause in enumerate(result.clauses):
            source = evidence.source(version, clause) if clause.kind == "fact" else ""
            variables = [name for name in once.get(clause.place, ()) if _names(source, re.escape(name))]
            if variables:
                pattern = "|".join(map(re.escape, variables))
                places = first_places(word_locations(evidence, version, clause, pattern))
                used = result.proof is not None and index in result.proof.used
                yield _OpenFact(source, variables[0], used, places)


def facts_name_no_option(evidence: Evidence) -> CheckResult | None:
    """No fact tells the options apart, so exchanging them tests nothing."""
    own = [
        source for source in evidence.sources(0, "fact", Part.FACTS) if not source.startswith(_head(evidence))
    ]
    if not own or any(variant.change is VariantChange.OPTIONS_EXCHANGED for variant, _ in evidence.variants):
        return None
    heads = [evidence.source(0, clause).partition(":-")[0] for clause in evidence.deciding(0)]
    pattern = _option_pattern(spelled_options([*heads, *own], evidence.options))
    named = any(_names(source, pattern) for source in own)
    why = "tells the options apart" if named else "names an option"
    return failure("facts_name_no_option", "untidy", f"No fact {why}: exchanging them tests nothing.")


def unused_facts(evidence: Evidence) -> CheckResult | None:
    """Facts that the proof does not touch."""
    clauses = evidence.first.clauses
    unused = [clauses[index] for index in evidence.first.unused if clauses[index].kind == "fact"]
    if unused:
        why = f"{_some(len(unused), 'fact')} {'is' if len(unused) == 1 else 'are'} not in the proof."
        places = tuple(clause_location(evidence, 0, clause) for clause in unused)
        return failure("unused_facts", "untidy", why[0].upper() + why[1:], len(unused), places)
    return None


def _names(source: str, pattern: str) -> bool:
    return re.search(rf"(?<!\w)(?:{pattern})(?!\w)", source) is not None


def _option_pattern(options: tuple[str, str], *, any_case: bool = False) -> str:
    """Either option; in ``any_case`` but as a name, since one that begins with a capital is a variable."""
    if not any_case:
        return "|".join(map(re.escape, options))
    return "|".join(f"{re.escape(option[:1])}(?i:{re.escape(option[1:])})" for option in options)


def _head(evidence: Evidence) -> str:
    return evidence.decision.partition("/")[0] + "("


def _first_of(clauses: list[Clause], noun: str, evidence: Evidence, version: int) -> str:
    """How many clauses there are, with the first of them in full."""
    source = evidence.source(version, clauses[0]).removesuffix(".")
    if len(clauses) == 1:
        return f"a {noun}: {source}"
    return f"{len(clauses)} {noun}s, {source} first"


def _some(number: int, noun: str) -> str:
    return f"a {noun}" if number == 1 else f"{number} {noun}s"
