"""Running everything that the checks of one case look at: both versions, then the first one's variants."""

from dataclasses import dataclass, replace

from reviewer.oracle import pool
from reviewer.oracle.evidence import Evidence, Published
from reviewer.oracle.program import Program
from reviewer.oracle.variants import all_variants

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

    @property
    def programs(self) -> tuple[Program, Program]:
        """The versions, asked also why an option is not derived."""
        return replace(self.first, explain=self.options), replace(self.second, explain=self.options)


def examine(case: Examination) -> Evidence:
    """Everything run for one case, fit for any ``Executor``. Raises OracleMissing without SWI-Prolog.

    A first version that did not run has no decision that a variant could be compared with, so none is run.
    The variants together have VARIANT_SECONDS: those that were not run say so (``Result.ran`` is False).
    """
    first, second = pool.run_case(case.programs)
    variants = all_variants(case.first, first.clauses, case.options, case.decision) if first.ran else ()
    outcomes = pool.run_within(VARIANT_SECONDS, [variant.program for variant in variants])
    tried = tuple(zip(variants, outcomes, strict=True))
    return Evidence(case.programs, first, second, tried, case.options, case.decision, case.published)
