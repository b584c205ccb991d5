"""The checks of one case: computes values, has the protocol judge them, and returns the findings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.runs.check_findings import finding_of
from store.findings import CaseFindings
from store.records import Case, JsonValue, Measurement

if TYPE_CHECKING:
    from reviewer.oracle.oracle_program import Program
    from reviewer.oracle.result import Result
    from reviewer.similarity.encoder import Vectors

RULES = "rules"
"""The engine name of values that need neither programs nor a sentence model."""


def compared_values(plan: CheckPlan, vectors: "Mapping[str, Vectors]") -> dict[str, float]:
    """Every similarity of the plan, by its measure; ``vectors`` holds those that cosines need."""
    if not plan.comparisons:
        return {}
    from reviewer.similarity.edit_distance import levenshtein_similarity
    from reviewer.similarity.near_texts import cosine  # numpy takes a fifth of a second to load

    values = {}
    for comparison in plan.comparisons:
        first, second = comparison.texts
        if comparison.kind == "cosine":
            values[comparison.measure] = cosine(vectors[first], vectors[second])
        else:
            values[comparison.measure] = levenshtein_similarity(first, second)
    return values


def checks_asked(protocol: Protocol) -> dict[str, JsonValue]:
    """The version and the question of each check of a protocol, as a mark records them."""
    return {
        name: [each.version, protocol.concerns.get(name)] for name, each in protocol.machine_checks.items()
    }


def rules_mark(name: str, protocol: Protocol, case: Case) -> Measurement:
    """The mark of a case whose checks need neither programs nor a sentence model."""
    about = {"checks": checks_asked(protocol)}
    return Measurement(case=case.digest, name=name, source="measured", engine=RULES, value=about)


def programs_of(protocol: Protocol, case: Case) -> "tuple[Program, ...]":
    """The programs that the checks of a case run; none if the protocol has no logic."""
    logic = protocol.logic()
    return logic.programs(case) if logic else ()


def judged_case(
    protocol: Protocol,
    case: Case,
    mark: Measurement,
    values: Mapping[str, float],
    results: "Sequence[Result]" = (),
) -> CaseFindings:
    """Values and findings of a case, as they are stored under the mark."""
    checks = protocol.machine_checks
    measured = tuple(
        Measurement(case=mark.case, name=name, source="measured", engine=mark.engine, value=value)
        for name, value in values.items()
    )
    results_of_checks = (*protocol.judge(case, values), *_judged_by_logic(protocol, case, results))
    findings = tuple(
        finding_of(checks[result.check].weighed(result), mark.case, protocol.concerns.get(result.check))
        for result in results_of_checks
    )
    unasked = checks.keys() - {finding.check for finding in findings}
    return CaseFindings(mark, measured, findings, tuple(sorted(unasked)))


def _judged_by_logic(protocol: Protocol, case: Case, results: "Sequence[Result]") -> tuple[CheckResult, ...]:
    logic = protocol.logic() if results else None
    return logic.judge(case, results) if logic else ()
