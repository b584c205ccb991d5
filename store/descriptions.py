"""Texts of leads about studies and of authors about datasets; only the newest of each topic is kept."""

from collections.abc import Iterable

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from store.database import Database
from store.records import DatasetDescription, StudyDescription
from store.row_records import records, select_as, upsert
from store.study_tables import StudyDescriptionRow
from store.tables import DatasetDescriptionRow


def describe(database: Database, descriptions: list[StudyDescription] | list[DatasetDescription]) -> None:
    """Save these texts. Each replaces the earlier text on its topic."""
    with database.write() as session:
        put_descriptions(session, descriptions)


def put_descriptions(
    session: Session, descriptions: Iterable[StudyDescription] | Iterable[DatasetDescription]
) -> None:
    """Save these texts in the place of earlier ones."""
    connection = session.connection()
    for description in descriptions:
        of_study = isinstance(description, StudyDescription)
        row = description.model_dump()
        changed = {name: row[name] for name in ("text", "who", "at")}
        connection.execute(
            upsert(connection, StudyDescriptionRow if of_study else DatasetDescriptionRow)
            .values(**row)
            .on_conflict_do_update(index_elements=["study" if of_study else "dataset", "topic"], set_=changed)
        )


def descriptions_of(session: Session, study: str) -> list[StudyDescription]:
    """The texts about a study, by topic."""
    return list(records(session, StudyDescription, _OF_STUDY, {"study": study}))


_OF_STUDY = (
    select_as(StudyDescription, StudyDescriptionRow)
    .where(col(StudyDescriptionRow.study) == bindparam("study"))
    .order_by(col(StudyDescriptionRow.topic))
)


def dataset_descriptions_of(session: Session, datasets: Iterable[str]) -> list[DatasetDescription]:
    """The texts about these datasets, by dataset and topic."""
    table = DatasetDescriptionRow
    wanted = select(table).where(col(table.dataset).in_(list(datasets)))
    rows = session.exec(wanted.order_by(col(table.dataset), col(table.topic)))
    return [DatasetDescription.model_validate(row.model_dump()) for row in rows]
