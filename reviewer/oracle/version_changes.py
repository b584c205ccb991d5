"""The clauses that two versions of a case do not share."""

from dataclasses import dataclass

from reviewer.oracle.evidence import Evidence
from reviewer.oracle.result import Clause, Part


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
