"""Studies, their frozen samples and their raters."""

import secrets
import sys
from collections.abc import Callable, Collection, Iterable, Sequence

from sqlalchemy import bindparam, insert
from sqlmodel import Session, col, select

from store.cases import readable_cases
from store.database import Database
from store.records import Assignment, Case, KnownAnswer, Study, StudyCase, StudySecret
from store.row_records import records, select_as
from store.study_tables import AssignmentRow, KnownAnswerRow, StudyCaseRow, StudyRow, StudySecretRow
from store.tables import CaseRow, MembershipRow


def add_study(
    database: Database,
    study: Study,
    sample: Sequence[StudyCase],
    raters: Sequence[Assignment],
    known: Sequence[KnownAnswer] = (),
    also: Sequence[Callable[[Session], None]] = (),
    first: Callable[[Session], None] | None = None,
) -> None:
    """Save a study with its sample, raters, known answers and the secret that seals packs.

    ``also`` save more in the same transaction, one after the other. ``first`` saves what the study needs,
    such as its cases.
    """
    with database.write() as session:
        if first is not None:
            first(session)
        session.execute(insert(StudyRow), study.model_dump())
        session.execute(insert(StudySecretRow), {"study": study.name, "secret": secrets.token_hex(32)})
        session.execute(insert(StudyCaseRow), [case.model_dump() for case in sample])
        if raters:
            session.execute(insert(AssignmentRow), [rater.model_dump() for rater in raters])
        if known:
            session.execute(insert(KnownAnswerRow), [answer.model_dump() for answer in known])
        for save in also:
            save(session)


def add_rater(database: Database, assignment: Assignment) -> None:
    """Add a rater to a study. A rater who is already in it stays unchanged."""
    with database.write() as session:
        add_assignments(session, [assignment])


def add_assignments(session: Session, newcomers: Iterable[Assignment]) -> None:
    """The same for several raters, in an open transaction."""
    for newcomer in newcomers:
        if session.get(AssignmentRow, (newcomer.study, newcomer.rater)) is None:
            session.execute(insert(AssignmentRow), newcomer.model_dump())


def set_profile(
    database: Database, study: str, rater: str, field: str | None, degree: str | None, years: int | None
) -> None:
    """Save a rater's own profile; raises KeyError if the rater is not in the study."""
    with database.write() as session:
        row = session.get(AssignmentRow, (study, rater))
        if row is None:
            raise KeyError(rater)
        profile = Assignment.model_validate(
            row.model_dump() | {"field": field, "degree": degree, "years": years}
        )
        session.add(row.sqlmodel_update(profile.model_dump(include={"field", "degree", "years"})))


def find_study(session: Session, name: str) -> Study | None:
    """The study of this name, if there is one."""
    found = list(records(session, Study, _STUDY, {"study": name}))
    return found[0] if found else None


def secret_of(session: Session, study: str) -> str | None:
    """The secret that seals the study's packs; None in a pack."""
    row = session.get(StudySecretRow, study)
    return StudySecret.model_validate(row.model_dump()).secret if row else None


def packed_raters(session: Session) -> dict[str, str]:
    """Study → its only rater, of the studies that came in a pack: those without a secret."""
    own = select(StudySecretRow.study)
    raters = select(AssignmentRow.study, AssignmentRow.rater).where(AssignmentRow.role == "rater")
    return dict(session.exec(raters.where(col(AssignmentRow.study).not_in(own))).all())


def studies_with_case(session: Session, digest: str) -> list[str]:
    """The names of the studies that have this case in their sample."""
    asked = select(StudyCaseRow.study).where(StudyCaseRow.case == digest)
    return list(session.exec(asked.order_by(col(StudyCaseRow.study))))


def asked_datasets(session: Session, studies: Collection[str]) -> dict[str, set[str]]:
    """Study → the datasets that hold a case of its sample, also those that it was not drawn from."""
    held = (
        select(StudyCaseRow.study, MembershipRow.dataset)
        .join(MembershipRow, col(MembershipRow.case) == col(StudyCaseRow.case))
        .where(col(StudyCaseRow.study).in_(studies))
        .distinct()
    )
    datasets: dict[str, set[str]] = {study: set() for study in studies}
    for study, dataset in session.exec(held):
        datasets[study].add(dataset)
    return datasets


def shared_cases(session: Session, study: str) -> dict[str, list[str]]:
    """The other studies with cases of this study's sample in theirs, each with these cases."""
    cases: dict[str, list[str]] = {}
    for other, case in session.execute(_SHARED_CASES, {"study": study}):
        cases.setdefault(other, []).append(case)
    return cases


def list_studies(session: Session) -> list[Study]:
    """All studies, oldest first."""
    rows = session.exec(select(StudyRow).order_by(col(StudyRow.created_at), col(StudyRow.name)))
    return [Study.model_validate(row.model_dump()) for row in rows]


def studies_of_answers(session: Session, run: str) -> list[Study]:
    """The studies whose cases are answers of this evaluation run, oldest first."""
    sources = [(study, study.design.get("answers")) for study in list_studies(session)]
    return [study for study, source in sources if isinstance(source, dict) and source.get("run") == run]


def sample_of(session: Session, study: str) -> list[StudyCase]:
    """The study's cases in the order of its sample."""
    return list(records(session, StudyCase, _SAMPLE, {"study": study}))


def raters_of(session: Session, study: str) -> list[Assignment]:
    """Everybody in the study, by name: raters and adjudicators."""
    return list(records(session, Assignment, _RATERS, {"study": study}))


def known_answers_of(session: Session, study: str) -> list[KnownAnswer]:
    """The answers that are known in advance, by case and question."""
    return list(records(session, KnownAnswer, _KNOWN_ANSWERS, {"study": study}))


def cases_of(session: Session, study: str) -> dict[str, Case]:
    """The study's cases by digest. An unreadable case has no content and is not whole."""
    statement = (
        select_as(Case, CaseRow)
        .join(StudyCaseRow, col(StudyCaseRow.case) == col(CaseRow.digest))
        .where(col(StudyCaseRow.study) == study)
    )
    return {case.digest: case for case in readable_cases(session, statement)}


def groups_by_case(session: Session, study: str) -> dict[str, str]:
    """The group of each of the study's cases, by digest."""
    statement = (
        select(CaseRow.digest, CaseRow.group)
        .join(StudyCaseRow, col(StudyCaseRow.case) == col(CaseRow.digest))
        .where(col(StudyCaseRow.study) == study)
    )
    return {digest: sys.intern(group) for digest, group in session.exec(statement)}


def cases_with(session: Session, digests: Iterable[str]) -> dict[str, Case]:
    """The cases with these digests that are in the store. An unreadable case is not whole."""
    statement = select_as(Case, CaseRow).where(col(CaseRow.digest).in_(list(digests)))
    return {case.digest: case for case in readable_cases(session, statement)}


def studies_drawn_from(session: Session, dataset: str) -> list[str]:
    """The names of the studies with cases of a dataset in their sample."""
    drawn = select(StudyCaseRow.study).where(StudyCaseRow.dataset == dataset).distinct()
    return list(session.exec(drawn.order_by(col(StudyCaseRow.study))))


def open_studies_with(session: Session, dataset: str, case: str) -> list[str]:
    """The names of the open studies that drew this case from this dataset."""
    drawn = (col(StudyCaseRow.dataset) == dataset) & (col(StudyCaseRow.case) == case)
    still_open = (
        select(StudyRow.name)
        .join(StudyCaseRow, col(StudyCaseRow.study) == col(StudyRow.name))
        .where(drawn, col(StudyRow.closed_at).is_(None))
    )
    return list(session.exec(still_open.order_by(col(StudyRow.name))))


def stale_cases(session: Session, study: str) -> set[str]:
    """Digests of the sample's cases whose place in the dataset now holds other content."""
    return set(session.execute(_STALE_CASES, {"study": study}).scalars())


# Whatever opens a study runs these. Building a statement takes as long as running it on a small study.
_OF_STUDY = col(StudyCaseRow.study) == bindparam("study")
_STUDY = select_as(Study, StudyRow).where(col(StudyRow.name) == bindparam("study"))
_SAMPLE = select_as(StudyCase, StudyCaseRow).where(_OF_STUDY).order_by(col(StudyCaseRow.position))
_RATERS = (
    select_as(Assignment, AssignmentRow)
    .where(col(AssignmentRow.study) == bindparam("study"))
    .order_by(col(AssignmentRow.rater))
)
_KNOWN_ANSWERS = (
    select_as(KnownAnswer, KnownAnswerRow)
    .where(col(KnownAnswerRow.study) == bindparam("study"))
    .order_by(col(KnownAnswerRow.case), col(KnownAnswerRow.question))
)
_SHARED_CASES = select(StudyCaseRow.study, StudyCaseRow.case).where(
    col(StudyCaseRow.case).in_(select(StudyCaseRow.case).where(_OF_STUDY)),
    col(StudyCaseRow.study) != bindparam("study"),
)
_STALE_CASES = (
    select(StudyCaseRow.case)
    .join(
        MembershipRow,
        (col(MembershipRow.dataset) == col(StudyCaseRow.dataset))
        & (col(MembershipRow.key) == col(StudyCaseRow.key)),
    )
    .where(_OF_STUDY, col(MembershipRow.case) != col(StudyCaseRow.case))
)
