"""The lead's texts about a study for its report; only the newest text of each topic is kept."""

from sqlmodel import Session, col, select

from store.database import Database
from store.records import StudyDescription
from store.study_tables import StudyDescriptionRow
from store.upsert import upsert


def describe(database: Database, descriptions: list[StudyDescription]) -> None:
    """Save these texts. Each replaces the earlier text on its topic."""
    with database.write() as session:
        connection = session.connection()
        for description in descriptions:
            row = description.model_dump()
            changed = {name: row[name] for name in ("text", "who", "at")}
            connection.execute(
                upsert(connection, StudyDescriptionRow)
                .values(**row)
                .on_conflict_do_update(index_elements=["study", "topic"], set_=changed)
            )


def descriptions_of(session: Session, study: str) -> list[StudyDescription]:
    """The texts about a study, by topic."""
    rows = session.exec(
        select(StudyDescriptionRow)
        .where(StudyDescriptionRow.study == study)
        .order_by(col(StudyDescriptionRow.topic))
    )
    return [StudyDescription.model_validate(row.model_dump()) for row in rows]
