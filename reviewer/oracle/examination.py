"""Runs everything that the checks of one case look at: both versions, then variants of the first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewer.oracle import pool
from reviewer.oracle.evidence import Evidence, Published, same_option
from reviewer.oracle.oracle_program import Program
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
    variants = _variants(case, first)
    run = iter(
        pool.run_within(VARIANT_SECONDS, [variant.program for variant in variants if not variant.omitted])
    )
    outcomes = [pool.TOO_MANY if variant.omitted else next(run) for variant in variants]
    ran = tuple(zip(variants, outcomes, strict=True))
    others = (_other_proof(case, case.first, first), _other_proof(case, case.second, second))
    return _evidence(case, first, second, ran, others, _telling(first, ran))


@dataclass(frozen=True, slots=True)
class ExaminationResults:
    """What ``examine`` ran, without the programs: these follow from the case and the results.

    ``variants`` are those of the variants that were run, ``telling`` those of the variants run again.
    """

    first: Result
    second: Result
    variants: tuple[Result, ...]
    others: tuple[Proof | None, Proof | None]
    telling: tuple[Result, ...]

    @classmethod
    def of(cls, evidence: Evidence) -> "ExaminationResults":
        """The results in the evidence of a case."""
        run = tuple(result for variant, result in evidence.variants if not variant.omitted)
        telling = tuple(result for _, result in evidence.telling)
        return cls(evidence.first, evidence.second, run, evidence.others, telling)


def evidence_from(case: Examination, results: ExaminationResults) -> Evidence:
    """The evidence of a case that another process examined; raises ValueError if the results do not fit."""
    variants = _variants(case, results.first)
    run = iter(results.variants)
    ran = tuple((variant, pool.TOO_MANY if variant.omitted else next(run, None)) for variant in variants)
    known = tuple((variant, result) for variant, result in ran if result is not None)
    telling = _wanted(results.first, known)
    if len(known) < len(ran) or next(run, None) or len(telling) != len(results.telling):
        raise ValueError("the results are not those of the case's variants")
    return _evidence(
        case,
        results.first,
        results.second,
        known,
        results.others,
        tuple(zip(telling, results.telling, strict=True)),
    )


def _variants(case: Examination, first: Result) -> tuple[Variant, ...]:
    """The variants of the first version; none if it decides nothing."""
    return all_variants(case.first, first.clauses, case.options, case.decision) if first.decided else ()


def _evidence(
    case: Examination,
    first: Result,
    second: Result,
    ran: tuple[tuple[Variant, Result], ...],
    others: tuple[Proof | None, Proof | None],
    telling: tuple[tuple[Variant, Result], ...],
) -> Evidence:
    return Evidence(
        case.programs,
        first,
        second,
        ran,
        case.options,
        case.decision,
        case.published,
        others,
        case.names,
        telling,
    )


def _wanted(first: Result, ran: Sequence[tuple[Variant, Result]]) -> list[Variant]:
    """The variants that should have changed the decision and did not, or the other way round."""
    return [
        variant
        for variant, result in ran
        if variant.change in _SHOULD_CHANGE
        and result.decided
        and _SHOULD_CHANGE[variant.change] != (not same_option(result.choice, first.choice))
    ]


def _telling(first: Result, ran: Sequence[tuple[Variant, Result]]) -> tuple[tuple[Variant, Result], ...]:
    """The variants that a finding is about, run again with proofs."""
    wanted = _wanted(first, ran)
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
    # With its clauses, because the proof names them by number.
    asked = replace(program, query=query, listing=True, count=False, prove=True, explain=())
    (found,) = pool.run_case([asked])
    return found.proof if found.clauses == result.clauses else None
