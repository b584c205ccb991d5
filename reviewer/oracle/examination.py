"""Runs everything that the checks of one case look at: both versions, then variants of the first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewer.oracle import pool
from reviewer.oracle.evidence import Evidence, Published, same_option
from reviewer.oracle.program import Program
from reviewer.oracle.result import Proof, Result
from reviewer.oracle.variants import Variant, VariantChange, all_variants

_VARIABLE = re.compile(r"(?<!\w)[A-Z]\w*")

_SHOULD_CHANGE = {
    VariantChange.OPTIONS_EXCHANGED: True,
    VariantChange.FACTS_REMOVED: True,
    VariantChange.AXIOMS_REMOVED: True,
    VariantChange.DECISION_REVERSED: False,
    VariantChange.FACTS_REVERSED: False,
}
"""Whether a variant of a sound program decides for another option."""
VARIANT_SECONDS = 5.0
"""Processor time of all variants of a case together; those of a published one mostly take some hundredths."""


@dataclass(frozen=True, slots=True)
class Examination:
    """Two versions of one case, the two options that can be chosen, and the predicate that chooses."""

    first: Program
    second: Program
    options: tuple[str, str]
    decision: str = "decide_option/2"
    published: tuple[Published, ...] = ()
    names: tuple[str, str] = ("first", "second")

    @property
    def programs(self) -> tuple[Program, Program]:
        """The versions; each also explains why an option is not derived."""
        return replace(self.first, explain=self.options), replace(self.second, explain=self.options)


def examine(case: Examination) -> Evidence:
    """Run everything for one case; works with any ``Executor``. Raises OracleMissing without SWI-Prolog.

    If the first version has no decision, there is nothing to compare variants with, so none is run. All
    variants together have VARIANT_SECONDS and at most MOST_CHARACTERS. For those that were not run,
    ``Result.ran`` is False.
    """
    first, second = pool.run_case(case.programs)
    variants = all_variants(case.first, first.clauses, case.options, case.decision) if first.decided else ()
    run = iter(pool.run_within(VARIANT_SECONDS, [each.program for each in variants if not each.omitted]))
    outcomes = [pool.TOO_MANY if variant.omitted else next(run) for variant in variants]
    ran = tuple(zip(variants, outcomes, strict=True))
    return Evidence(
        case.programs,
        first,
        second,
        ran,
        case.options,
        case.decision,
        case.published,
        (_other_proof(case, case.first, first), _other_proof(case, case.second, second)),
        case.names,
        _telling(first, ran),
    )


def _telling(first: Result, ran: Sequence[tuple[Variant, Result]]) -> tuple[tuple[Variant, Result], ...]:
    """The variants that should have changed the decision and did not, or the other way round, with proofs."""
    wanted = [
        variant
        for variant, result in ran
        if variant.change in _SHOULD_CHANGE
        and result.decided
        and _SHOULD_CHANGE[variant.change] != (not same_option(result.choice, first.choice))
    ]
    asked = [replace(variant.program, listing=True, prove=True) for variant in wanted]
    return tuple(zip(wanted, pool.run_within(VARIANT_SECONDS, asked), strict=True)) if asked else ()


def _other_proof(case: Examination, program: Program, result: Result) -> Proof | None:
    """How a program derives the option that it does not choose; None where it does not."""
    derived = {option.casefold(): option for option in result.solutions}
    named = [derived.get(option.casefold()) for option in case.options]
    others = [option for option in named if option is not None and option != result.choice]
    if not others or None in named:
        return None
    choice = _VARIABLE.search(program.query)
    query = f"{program.query}, {choice.group()} == {others[0]}" if choice else program.query
    # With its clauses, for the proof names them by number.
    asked = replace(program, query=query, listing=True, count=False, prove=True, explain=())
    (found,) = pool.run_case([asked])
    return found.proof if found.clauses == result.clauses else None
