"""Programs that differ from a given one in one respect, to see what its decision rests on.

A clause is removed by writing blanks over it, so that every other clause keeps its line and offset. Only
loaded clauses are removed, exchanged or reversed: one that SWI-Prolog rejected decides nothing. A predicate
that is left without clauses is declared, so that calling it fails and is not an error. All variants ask for
the decision alone: no listing, no counts, no proof.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Clause, Part

_BLANKS = re.compile(r"%[^\n]*|\s+")
MOST_CHARACTERS = 2_000_000
"""The most characters in all knock-outs of a program together; published ones have some 50,000."""
INFERENCES = 1_000_000  # removing a clause can make a loop; programs decide within thousands


class VariantChange(StrEnum):
    """What a variant changes."""

    CLAUSE_REMOVED = "clause_removed"
    AXIOMS_REMOVED = "axioms_removed"
    FACTS_REMOVED = "facts_removed"
    OPTIONS_EXCHANGED = "options_exchanged"
    DECISION_REVERSED = "decision_reversed"
    FACTS_REVERSED = "facts_reversed"


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed program; ``clause`` is the index of the clause that was removed, for CLAUSE_REMOVED only.

    ``omitted``: it is not run because the program has too many clauses; its program is the unchanged one.
    """

    change: VariantChange
    program: Program
    clause: int | None = None
    omitted: bool = False


def all_variants(
    program: Program, clauses: Sequence[Clause], options: tuple[str, str], decision: str = "decide_option/2"
) -> tuple[Variant, ...]:
    """Every variant that differs from the program in text, knock-outs first.

    ``clauses`` are those of the program's own result, ``decision`` the predicate that decides.
    """
    loaded = [clause for clause in clauses if clause.loaded]
    changed = (
        axioms_removed(program),
        facts_removed(program, loaded, decision),
        options_exchanged(program, loaded, options, decision),
        decision_reversed(program, loaded, decision),
        facts_reversed(program, loaded, decision),
    )
    variants = (*knock_outs(program, clauses), *changed)
    text = program.text
    return tuple(variant for variant in variants if variant.omitted or variant.program.text != text)


def knock_outs(program: Program, clauses: Sequence[Clause]) -> tuple[Variant, ...]:
    """The program without each of its loaded facts and rules in turn, as far as MOST_CHARACTERS go."""
    loaded = [clause for clause in clauses if clause.loaded]
    removed = [
        (index, clause)
        for index, clause in enumerate(clauses)
        if clause.loaded and clause.kind in {"fact", "rule"}
    ]
    most = MOST_CHARACTERS // max(1, len(program.text))
    run = [
        Variant(VariantChange.CLAUSE_REMOVED, _without(program, loaded, [clause]), index)
        for index, clause in removed[:most]
    ]
    omitted = [
        Variant(VariantChange.CLAUSE_REMOVED, program, index, omitted=True) for index, _ in removed[most:]
    ]
    return (*run, *omitted)


def axioms_removed(program: Program) -> Variant:
    """The program without its axioms; calling what they define is then an error."""
    return Variant(VariantChange.AXIOMS_REMOVED, _decision_only(program).with_axioms(_blank(program.axioms)))


def facts_removed(program: Program, clauses: Sequence[Clause], decision: str) -> Variant:
    """The program without the facts of its own part; its rules and axioms stay."""
    return Variant(VariantChange.FACTS_REMOVED, _without(program, clauses, _own_facts(clauses, decision)))


def options_exchanged(
    program: Program, clauses: Sequence[Clause], options: tuple[str, str], decision: str
) -> Variant:
    """The two options exchanged in all facts, but not in the clauses that decide.

    Facts that say the same of both options stay as they are: their order alone would change.
    """
    heads = [
        _source(program, clause).partition(":-")[0] for clause in clauses if clause.predicate == decision
    ]
    facts = [(clause, _source(program, clause)) for clause in _own_facts(clauses, decision)]
    names = spelled_options([*heads, *(source for _, source in facts)], options)
    edits = [(clause, _exchanged(source, *names)) for clause, source in facts]
    if sorted(_BLANKS.sub("", source) for _, source in edits) == sorted(
        _BLANKS.sub("", source) for _, source in facts
    ):
        edits = []
    return Variant(VariantChange.OPTIONS_EXCHANGED, _edited(program, edits))


def decision_reversed(program: Program, clauses: Sequence[Clause], decision: str) -> Variant:
    """The clauses of the deciding predicate in the opposite order."""
    return Variant(
        VariantChange.DECISION_REVERSED,
        _reversed(program, [clause for clause in clauses if clause.predicate == decision]),
    )


def facts_reversed(program: Program, clauses: Sequence[Clause], decision: str) -> Variant:
    """The facts of the program's own part in the opposite order."""
    return Variant(VariantChange.FACTS_REVERSED, _reversed(program, _own_facts(clauses, decision)))


def _own_facts(clauses: Sequence[Clause], decision: str) -> list[Clause]:
    return [
        clause
        for clause in clauses
        if clause.kind == "fact" and clause.place.part is Part.FACTS and clause.predicate != decision
    ]


def spelled_options(texts: Sequence[str], options: tuple[str, str]) -> tuple[str, str]:
    """The options as the first of these texts that names them spells them.

    To Prolog, other letters are another name, and with a capital first a variable, which names no option.
    """
    return _spelled(texts, options[0]), _spelled(texts, options[1])


def _spelled(texts: Sequence[str], option: str) -> str:
    name = re.compile(rf"(?<!\w){re.escape(option[:1])}(?i:{re.escape(option[1:])})(?!\w)")
    return next((match.group() for match in map(name.search, texts) if match), option)


def _exchanged(source: str, first: str, second: str) -> str:
    """Each option in place of the other."""
    other = {first: second, second: first}
    name = re.compile(rf"(?<!\w)(?:{re.escape(first)}|{re.escape(second)})(?!\w)")
    return name.sub(lambda match: other[match.group()], source)


def _reversed(program: Program, clauses: Sequence[Clause]) -> Program:
    sources = [_source(program, clause) for clause in clauses]
    return _edited(program, zip(clauses, reversed(sources), strict=True))


def _without(program: Program, clauses: Sequence[Clause], removed: Sequence[Clause]) -> Program:
    changed = _edited(program, [(clause, _blank(_source(program, clause))) for clause in removed])
    left = {clause.predicate for clause in clauses if clause not in removed}
    gone = sorted({clause.predicate for clause in removed} - left)
    return changed.with_facts(changed.facts + "".join(f"\n:- dynamic {predicate}." for predicate in gone))


def _source(program: Program, clause: Clause) -> str:
    text = program.axioms if clause.place.part is Part.AXIOMS else program.facts
    return text[clause.start : clause.end]


def _edited(program: Program, edits: Iterable[tuple[Clause, str]]) -> Program:
    """The program with each clause's source replaced; from the end, so that offsets hold."""
    parts = {Part.AXIOMS: program.axioms, Part.FACTS: program.facts}
    for clause, source in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = parts[clause.place.part]
        parts[clause.place.part] = text[: clause.start] + source + text[clause.end :]
    return replace(_decision_only(program), axioms=parts[Part.AXIOMS], facts=parts[Part.FACTS])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _decision_only(program: Program) -> Program:
    limits = replace(program.limits, inferences=min(program.limits.inferences, INFERENCES))
    return replace(program, listing=False, count=False, prove=False, explain=(), limits=limits)
