"""How far a dataset is audited, and which of its cases are clean: the only definition of both words."""

from dataclasses import dataclass

from reviewer.core.check_result import NOT_RUN
from reviewer.core.sanitize import counted
from reviewer.protocols.base import Protocol
from reviewer.runs.audit.check_texts import audit_names
from reviewer.runs.check.case_rules import RULES, checks_asked
from store.cases import places_of
from store.database import Database
from store.findings import AUDIT_MARK, failed_checks_in, marks_in, untested_checks_in
from store.records import JsonValue
from store.revisions import withdrawn_places

AUDIT_CLEAN, STRICTLY_CLEAN = "audit-clean", "strictly clean"
CLEAN_MEANS = {
    AUDIT_CLEAN: "audited by the present checks, every check was tested, no serious finding stands, and "
    "every program was run",
    STRICTLY_CLEAN: "audit-clean, and no doubtful finding stands either",
}
"""A finding stands unless somebody dismissed it. A case whose program was not run is never clean."""


@dataclass(frozen=True, slots=True)
class AuditState:
    """The cases of a dataset, as digests; withdrawn ones only if they were asked for.

    ``current`` were audited by the checks of this release, ``earlier`` by those of an earlier one.
    ``untested`` are current ones with a check of the audit that could not run, ``serious`` those with a
    serious finding that stands. See ``CLEAN_MEANS`` for the clean ones.
    """

    cases: frozenset[str]
    current: frozenset[str]
    earlier: frozenset[str]
    untested: frozenset[str]
    audit_clean: frozenset[str]
    strictly_clean: frozenset[str]
    serious: frozenset[str]

    @property
    def undecided(self) -> frozenset[str]:
        """Current cases without a serious finding on which some check or program did not run."""
        return self.current - self.serious - self.audit_clean

    @property
    def clean_words(self) -> str:
        """For people: each audited case in one class; audit-clean ones are called "without serious"."""
        clean, strictly = len(self.audit_clean), len(self.strictly_clean)
        classes = worst_words(len(self.serious), clean - strictly, strictly)
        if self.undecided:
            return (
                f"{classes}, {len(self.undecided):,} not fully tested; {clean:,} tested and without serious"
            )
        return f"{classes}; {clean:,} without serious"

    @property
    def earlier_words(self) -> str:
        """For people: "12 cases were audited by earlier checks"; "" if none was."""
        if not self.earlier:
            return ""
        were = "was" if len(self.earlier) == 1 else "were"
        return f"{counted(len(self.earlier), 'case')} {were} audited by earlier checks"


def worst_words(serious: int, doubtful: int, rest: int) -> str:
    """For people: how many cases have which severity as their worst."""
    return f"{serious:,} with serious findings, {doubtful:,} doubtful at worst, {rest:,} untidy or none"


def audit_state(
    database: Database, dataset: str, protocol: Protocol, *, withdrawn: bool = False
) -> AuditState:
    """The result of a dataset's audit, according to the store; with withdrawn cases if requested."""
    with database.read() as session:
        gone = set() if withdrawn else withdrawn_places(session, [dataset])
        cases = {place.case for place in places_of(session, dataset) if (dataset, place.key) not in gone}
        marks = {case: mark for case, mark in marks_in(session, dataset, AUDIT_MARK).items() if case in cases}
        failed = failed_checks_in(session, dataset)
        not_tested = untested_checks_in(session, dataset)
    current = {case for case, mark in marks.items() if by_these_checks(protocol, *mark)}
    not_run = {case for case, check, _, _ in failed if check == NOT_RUN}
    serious, doubtful = (
        {case for case, _, severity, dismissed in failed if severity == wanted and not dismissed}
        for wanted in ("serious", "doubtful")
    )
    untested = current & {case for case, check in not_tested if check in audit_names(protocol)}
    clean = current - untested - not_run - serious
    sets = (cases, current, marks.keys() - current, untested, clean, clean - doubtful, current & serious)
    return AuditState(*map(frozenset, sets))


def by_these_checks(protocol: Protocol, engine: str, mark: JsonValue) -> bool:
    """Whether a mark says that a case was audited by the checks of this release."""
    if not isinstance(mark, dict):
        return False
    if engine == RULES:
        return bool(mark.get("checks") == checks_asked(protocol))
    from reviewer.oracle.version_checks import (
        EDITION,  # only the cases of protocols with logic need the oracle
    )

    return bool(mark.get("edition") == EDITION)
