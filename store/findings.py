"""Measurements and findings: saved case by case, read by case or by dataset."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import ColumnElement, Connection, and_, delete, distinct, exists, func, or_, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from reviewer.core.check_result import NOT_TESTED
from store.cases import readable_cases
from store.database import Database
from store.dismissals import DISMISSED, dismissals_in
from store.records import Case, Dismissal, Finding, JsonValue, Measurement, Membership
from store.revisions import withdrawn_places
from store.row_records import records, select_as
from store.tables import CaseRow, DismissalRow, FindingRow, MeasurementRow, MembershipRow, number_of

_FAILED = (col(FindingRow.passed).is_(False), col(FindingRow.tested).is_(True))
AUDIT_MARK, CHECK_MARK = "audit", "check"
"""The names of the measurements that record the engine of a case's audit and check; each replaces its own."""
_ASKED_AT_ONCE = 500  # databases limit the number of values in a statement


@dataclass(frozen=True, slots=True)
class CaseFindings:
    """The results of checking one case: all measured values, and a finding for each check.

    ``mark`` is the measurement that records, by name and value, what was checked. ``unasked`` are checks that
    could not run this time; their earlier findings are deleted.
    """

    mark: Measurement
    measured: tuple[Measurement, ...]
    findings: tuple[Finding, ...]
    unasked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding at a place of a dataset, and why it was dismissed, if it was.

    ``earlier`` is the newest dismissal of an earlier version of the check. It does not count: the finding
    stands until somebody dismisses it again.
    """

    place: Membership
    group: str
    finding: Finding
    dismissal: Dismissal | None = None
    earlier: Dismissal | None = None

    @property
    def severity(self) -> str:
        """The severity of the finding, or that its check was not tested."""
        return self.finding.severity if self.finding.tested else NOT_TESTED


def keep_case_findings(database: Database, cases: Sequence[CaseFindings]) -> None:
    """Save results in one transaction. Each replaces earlier results of the same engine or checks.

    Values of other engines stay. A case keeps only one mark of each name, that of the stored findings.
    """
    measured = [value for checked in cases for value in (checked.mark, *checked.measured)]
    findings = [finding for checked in cases for finding in checked.findings]
    with database.write() as session:
        connection = session.connection()
        _forget(connection, cases)
        if measured:
            connection.execute(MeasurementRow.__table__.insert(), [v.model_dump() for v in measured])  # type: ignore[attr-defined]
        if findings:
            connection.execute(FindingRow.__table__.insert(), [f.model_dump() for f in findings])  # type: ignore[attr-defined]


def replace_findings(database: Database, findings: Sequence[Finding]) -> None:
    """Save findings in one transaction. Each replaces the earlier finding of its check on the case."""
    if findings:
        with database.write() as session:
            put_findings(session, findings)


def put_findings(session: Session, findings: Sequence[Finding]) -> None:
    """Save at least one finding in the place of the earlier ones of its check on the case."""
    connection = session.connection()
    for finding in findings:
        _forget_findings(connection, [finding.case], [finding.check])
    connection.execute(FindingRow.__table__.insert(), [f.model_dump() for f in findings])  # type: ignore[attr-defined]


def marks_of(session: Session, name: str, digests: Sequence[str]) -> dict[str, Measurement]:
    """Case → its mark of this name, for the cases that have one."""
    marks: dict[str, Measurement] = {}
    for some in _portions(digests):
        rows = session.exec(
            select(MeasurementRow).where(
                col(MeasurementRow.case).in_(some),
                col(MeasurementRow.name) == name,
                col(MeasurementRow.source) == "measured",
            )
        )
        marks |= {row.case: Measurement.model_validate(row.model_dump(exclude={"id"})) for row in rows}
    return marks


def published_values(
    session: Session, digests: Sequence[str], names: Sequence[str]
) -> dict[str, list[Measurement]]:
    """Case → the published values of these names, ordered by dataset and key."""
    values: dict[str, list[Measurement]] = {digest: [] for digest in digests}
    for some in _portions(digests):
        rows = session.exec(
            select(MeasurementRow)
            .where(
                col(MeasurementRow.case).in_(some),
                col(MeasurementRow.source) == "published",
                col(MeasurementRow.name).in_(names),
            )
            .order_by(col(MeasurementRow.dataset), col(MeasurementRow.key))
        )
        for row in rows:
            values[row.case].append(Measurement.model_validate(row.model_dump(exclude={"id"})))
    return values


def get_findings(session: Session, digests: Sequence[str]) -> dict[str, list[Finding]]:
    """Case → all its findings, passed or not, in the order in which the checks ran."""
    findings: dict[str, list[Finding]] = {digest: [] for digest in digests}
    for some in _portions(digests):
        wanted = select_as(Finding, FindingRow).where(col(FindingRow.case).in_(some))
        for finding in records(session, Finding, wanted.order_by(number_of(FindingRow))):
            findings[finding.case].append(finding)
    return findings


def failed_findings(
    session: Session,
    dataset: str,
    checks: Sequence[str] = (),
    severities: Sequence[str] = (),
    *,
    dismissed: bool = False,
) -> list[PlacedFinding]:
    """The failed checks of a dataset's cases, in its order, without withdrawn ones. () means no restriction.

    Dismissed findings are included only with ``dismissed``. Checks that could not run are left out.
    """
    conditions: list[ColumnElement[bool]] = [*_FAILED]
    if not dismissed:
        conditions.append(col(DismissalRow.case).is_(None))
    conditions += _among(checks)
    if severities:
        conditions.append(col(FindingRow.severity).in_(severities))
    return _placed(session, dataset, conditions)


def untested_findings(session: Session, dataset: str, checks: Sequence[str] = ()) -> list[PlacedFinding]:
    """Findings of checks that could not run on a dataset's cases, in its order. () means all checks."""
    return _placed(session, dataset, [col(FindingRow.tested).is_(False), *_among(checks)])


def _among(checks: Sequence[str]) -> list[ColumnElement[bool]]:
    return [col(FindingRow.check).in_(checks)] if checks else []


def _placed(session: Session, dataset: str, conditions: Sequence[ColumnElement[bool]]) -> list[PlacedFinding]:
    rows = session.exec(
        select(MembershipRow, CaseRow.group, FindingRow, DismissalRow)
        .join(CaseRow, col(CaseRow.digest) == col(MembershipRow.case))
        .join(FindingRow, col(FindingRow.case) == col(MembershipRow.case))
        .join(DismissalRow, DISMISSED, isouter=True)
        .where(col(MembershipRow.dataset) == dataset, *conditions)
        .order_by(col(MembershipRow.position), number_of(FindingRow))
    )
    gone, dismissed = withdrawn_places(session, [dataset]), dismissals_in(session, dataset)
    return [
        PlacedFinding(
            Membership.model_validate(place.model_dump()),
            group,
            Finding.model_validate(finding.model_dump(exclude={"id"})),
            dismissal and Dismissal.model_validate(dismissal.model_dump()),
            None if dismissal else _earlier(finding, dismissed.get((finding.case, finding.check), ())),
        )
        for place, group, finding, dismissal in rows
        if (place.dataset, place.key) not in gone
    ]


def _earlier(finding: Finding, dismissals: Sequence[Dismissal]) -> Dismissal | None:
    earlier = (
        dismissal for dismissal in reversed(dismissals) if dismissal.check_version < finding.check_version
    )
    return next(earlier, None)


def failed_checks_in(session: Session, dataset: str) -> list[tuple[str, str, str, bool]]:
    """Case, check, severity of every failed check on a dataset's cases, and whether it was dismissed."""
    rows = session.exec(
        select(
            col(FindingRow.case),
            col(FindingRow.check),
            col(FindingRow.severity),
            col(DismissalRow.case).is_not(None),
        )
        .join(MembershipRow, col(MembershipRow.case) == col(FindingRow.case))
        .join(DismissalRow, DISMISSED, isouter=True)
        .where(col(MembershipRow.dataset) == dataset, *_FAILED)
    )
    return [(case, check, severity, bool(dismissed)) for case, check, severity, dismissed in rows]


def untested_checks_in(session: Session, dataset: str) -> list[tuple[str, str]]:
    """Case and check, for every check that could not run on a dataset's cases."""
    rows = session.exec(
        select(col(FindingRow.case), col(FindingRow.check))
        .join(MembershipRow, col(MembershipRow.case) == col(FindingRow.case))
        .where(col(MembershipRow.dataset) == dataset, col(FindingRow.tested).is_(False))
    )
    return list(rows)


def marks_in(session: Session, dataset: str, name: str) -> dict[str, tuple[str, JsonValue]]:
    """Case → engine and value of its mark of this name, for a dataset's cases that have one."""
    rows = session.exec(
        select(col(MeasurementRow.case), col(MeasurementRow.engine), col(MeasurementRow.value))
        .join(MembershipRow, col(MembershipRow.case) == col(MeasurementRow.case))
        .where(
            col(MembershipRow.dataset) == dataset,
            col(MeasurementRow.name) == name,
            col(MeasurementRow.source) == "measured",
        )
    )
    return {case: (engine or "", value) for case, engine, value in rows}


def measured_in(session: Session, dataset: str, name: str) -> dict[str, dict[str, JsonValue]]:
    """Case → variant → what an audit measured under this name, for a dataset's cases that have a value."""
    value = MeasurementRow
    rows = session.exec(
        select(col(value.case), col(value.variant), col(value.value))
        .join(MembershipRow, col(MembershipRow.case) == col(value.case))
        .where(
            col(MembershipRow.dataset) == dataset,
            col(value.name) == name,
            col(value.source) == "measured",
            col(value.dataset) == "",
        )
        .order_by(number_of(value))
    )
    measured: dict[str, dict[str, JsonValue]] = {}
    for digest, variant, content in rows:
        measured.setdefault(digest, {})[variant] = content
    return measured


def count_marked(session: Session, name: str) -> dict[str, tuple[int, int]]:
    """Dataset → (number of cases, number of cases with the mark of this name)."""
    marked = and_(
        col(MeasurementRow.case) == col(MembershipRow.case),
        col(MeasurementRow.name) == name,
        col(MeasurementRow.source) == "measured",
    )
    rows = session.exec(
        select(
            MembershipRow.dataset,
            func.count(distinct(col(MembershipRow.case))),
            func.count(distinct(col(MeasurementRow.case))),
        )
        .join(MeasurementRow, marked, isouter=True)
        .group_by(col(MembershipRow.dataset))
    )
    return {dataset: (cases, done) for dataset, cases, done in rows}


def cases_in(session: Session, dataset: str) -> list[Case]:
    """The cases of a dataset in its order, each once. An unreadable case has no content."""
    wanted = (
        select_as(Case, CaseRow)
        .join(MembershipRow, col(MembershipRow.case) == col(CaseRow.digest))
        .where(col(MembershipRow.dataset) == dataset)
        .order_by(col(MembershipRow.position))
    )
    return list({case.digest: case for case in readable_cases(session, wanted)}.values())


def case_pages(database: Database, dataset: str, size: int = 500) -> Iterator[list[Case]]:
    """The cases of a dataset as ``cases_in`` has them, some at a time, read when they are asked for."""
    place, earlier = MembershipRow, aliased(MembershipRow)
    in_order = (col(place.position), col(place.key))
    before = (col(earlier.position), col(earlier.key))
    first = ~exists().where(
        col(earlier.dataset) == dataset,
        col(earlier.case) == col(place.case),
        tuple_(*before) < tuple_(*in_order),
    )
    wanted = select(*in_order, col(place.case)).where(col(place.dataset) == dataset, first)
    after: tuple[int, str] = (-1, "")
    while True:
        with database.read() as session:
            rows = session.exec(
                wanted.where(tuple_(*in_order) > tuple_(*after)).order_by(*in_order).limit(size)
            ).all()
            order = {digest: number for number, (_, _, digest) in enumerate(rows)}
            cases = readable_cases(session, select_as(Case, CaseRow).where(col(CaseRow.digest).in_(order)))
        if not rows:
            return
        after = (rows[-1][0], rows[-1][1])
        yield sorted(cases, key=lambda case: order[case.digest])


def count_cases(session: Session, dataset: str, *, without_mark: str | None = None) -> int:
    """The number of cases of a dataset; with ``without_mark``, of those that have no mark of this name."""
    cases = select(func.count(distinct(col(MembershipRow.case)))).where(col(MembershipRow.dataset) == dataset)
    if without_mark is None:
        return session.exec(cases).one()
    marked = exists().where(
        col(MeasurementRow.case) == col(MembershipRow.case),
        col(MeasurementRow.name) == without_mark,
        col(MeasurementRow.source) == "measured",
    )
    return session.exec(cases.where(~marked)).one()


def _forget(connection: Connection, cases: Sequence[CaseFindings]) -> None:
    """Delete what the results of these cases replace, with one pair of statements for cases alike."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for checked in cases:
        mark, checks = checked.mark, (*(finding.check for finding in checked.findings), *checked.unasked)
        alike.setdefault((mark.name, mark.engine, checks), []).append(mark.case)
    for (name, engine, checks), digests in alike.items():
        _forget_measured(connection, digests, name, engine)
        _forget_findings(connection, digests, checks)


def _forget_measured(connection: Connection, digests: Sequence[str], mark: str, engine: str) -> None:
    """Delete a mark, and the measurements of its engine; other marks stay."""
    others = {AUDIT_MARK, CHECK_MARK} - {mark}
    by_engine = and_(col(MeasurementRow.engine) == engine, col(MeasurementRow.name).not_in(others))
    connection.execute(
        delete(MeasurementRow).where(
            col(MeasurementRow.case).in_(digests),
            col(MeasurementRow.source) == "measured",
            or_(by_engine, col(MeasurementRow.name) == mark),
        )
    )


def _forget_findings(connection: Connection, digests: Sequence[str], checks: Sequence[str]) -> None:
    connection.execute(
        delete(FindingRow).where(col(FindingRow.case).in_(digests), col(FindingRow.check).in_(checks))
    )


def _portions(digests: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(digests)
    while some := list(islice(rest, _ASKED_AT_ONCE)):
        yield some
