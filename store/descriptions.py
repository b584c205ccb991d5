"""What a study's lead says about the study for its report: the newest wording of each topic."""

from sqlmodel import Session, col, select

from store.database import Database
from store.records import StudyDescription
from store.tables import StudyDescriptionRow
from store.upsert import upsert


def describe(database: Database, descriptions: list[StudyDescription]) -> None:
    """Keep these, each in place of what was said about its topic before."""
    with database.write() as session:
        connection = session.connection()
        for each in descriptions:
            row = each.model_dump()
            changed = {name: row[name] for name in ("text", "who", "at")}
            connection.execute(
                upsert(connection, StudyDescriptionRow)
                .values(**row)
                .on_conflict_do_update(index_elements=["study", "topic"], set_=changed)
            )


def descriptions_of(session: Session, study: str) -> list[StudyDescription]:
    """What is said about a study, by topic."""
    rows = session.exec(
        select(StudyDescriptionRow)
        .where(StudyDescriptionRow.study == study)
        .order_by(col(StudyDescriptionRow.topic))
    )
    return [StudyDescription.model_validate(row.model_dump()) for row in rows]
