"""Running everything that the checks of one case look at: both versions, then the first one's variants."""

from dataclasses import dataclass, replace

from reviewer.oracle import pool
from reviewer.oracle.evidence import Evidence, Published
from reviewer.oracle.program import Program
from reviewer.oracle.variants import all_variants


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
    """Everything run for one case, fit for any ``Executor``. Raises OracleMissing without SWI-Prolog."""
    first, second = pool.run_case(case.programs)
    variants = all_variants(case.first, first.clauses, case.options, case.decision)
    outcomes = pool.run_case([variant.program for variant in variants]) if variants else ()
    tried = tuple(zip(variants, outcomes, strict=True))
    return Evidence(case.programs, first, second, tried, case.options, case.decision, case.published)
