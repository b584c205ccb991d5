"""Things to do about the cases of datasets: noted, listed, done."""

from sqlalchemy import insert
from sqlmodel import Session, col, select

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import is_blank, one_line, too_long
from store.clock import instant, next_id, now_ms
from store.database import Database
from store.records import Todo
from store.revisions import place_now
from store.row_records import records, select_as
from store.tables import TodoRow


def add_todo(database: Database, dataset: str, key: str, *, note: str, name: str, by: str) -> Todo:
    """Note what has to be done about a case, and by whom; raises RequestError."""
    checked_name("person", name)
    checked_name("author", by)
    if is_blank(note):
        raise RequestError("there is nothing to note; say in a few words what has to be done.")
    if long := too_long(note.strip()):
        raise RequestError(f"the note has {long}; shorten it.")
    milliseconds = now_ms()
    with database.write() as session:
        place_now(session, dataset, key)
        greatest = max(session.exec(select(TodoRow.id)), default=None)
        todo = Todo(
            id=next_id(greatest, milliseconds),
            dataset=dataset,
            key=key,
            note=note.strip(),
            name=name,
            made_by=by,
            made_at=instant(milliseconds),
        )
        session.execute(insert(TodoRow), todo.model_dump())
    return todo


def finish_todo(database: Database, dataset: str, reference: str, by: str) -> Todo:
    """Mark something as done, by the beginning of its id; raises RequestError."""
    checked_name("author", by)
    with database.write() as session:
        begins = col(TodoRow.id).startswith(reference, autoescape=True)
        rows = session.exec(select(TodoRow).where(TodoRow.dataset == dataset, begins)).all()
        if len(rows) != 1 or not reference:
            many = "begins the ids of several notes" if rows and reference else "is not a note"
            raise RequestError(
                f"{one_line(reference, 40)!r} {many} of dataset {dataset!r}; "
                f"see `reviewer datasets todo {dataset} --all`."
            )
        if rows[0].done_at is not None:
            raise RequestError(f"this was done already, by {rows[0].done_by} on {rows[0].done_at[:10]}.")
        session.add(rows[0].sqlmodel_update({"done_by": by, "done_at": instant(now_ms())}))
        return Todo.model_validate(rows[0].model_dump())


def todos_of(session: Session, dataset: str | None = None, *, done: bool = False) -> list[Todo]:
    """What is open in a dataset or in all, oldest first; with ``done`` also what was done."""
    statement = select_as(Todo, TodoRow).order_by(col(TodoRow.id))
    if dataset is not None:
        statement = statement.where(col(TodoRow.dataset) == dataset)
    if not done:
        statement = statement.where(col(TodoRow.done_at).is_(None))
    return list(records(session, Todo, statement))
