"""Reads the store on a server as ``store check`` reads a file: row by row, each validated, a few at a time.

The server itself keeps references whole, and opening a store refuses what is not of this program and renews
its triggers, so only the rows are left to check.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from sqlalchemy import JSON
from sqlmodel import Session, SQLModel

from store.database import Database
from store.row_records import portions
from store.untrusted_store import UntrustedStore

_ROWS_AT_ONCE = 2_000


@contextmanager
def rows_on_server(location: str) -> Iterator[UntrustedStore]:
    """The rows of a server's store, in one consistent state. Raises StoreError if it cannot be opened."""
    with closing(Database.open(location, must_exist=True)) as database, database.read() as session:
        yield _RowsOnServer(session, database.location)


class _RowsOnServer(UntrustedStore):
    """The rows of a server's store, as records. JSON is read as its text, as from a file."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self.name = name
        self.unreadable, self.unreadable_events, self._seen = [], set(), set()
        self.damage = self.orphan = None
        self._kinds = {}

    def deleted_rows(self) -> Iterator[tuple[str, int]]:
        """Nothing: rows on a server have no numbers."""
        return iter(())

    def _check_columns(self, name: str, columns: Sequence[str]) -> None:
        """Nothing: a store on a server that opens has every column."""

    def _rows(
        self, name: str, columns: list[str], where: str | None, among: Sequence[str], order: str = ""
    ) -> Iterator[Sequence[Any]]:
        table = SQLModel.metadata.tables[name]
        in_json = {column.name for column in table.c if isinstance(column.type, JSON)}
        shown = ", ".join(f'"{column}"::text' if column in in_json else f'"{column}"' for column in columns)
        asked = f'SELECT {shown} FROM "{name}"'  # noqa: S608 (names of our own tables and columns)
        if where is None:
            yield from self._run(asked)
        for some in portions(among):
            yield from self._run(f'{asked} WHERE "{where}" = ANY(%s){order}', (list(some),))

    def _run(self, asked: str, values: tuple[Any, ...] = ()) -> Iterator[Sequence[Any]]:
        streamed = {"stream_results": True, "max_row_buffer": _ROWS_AT_ONCE}
        connection = self._session.connection()
        with closing(connection.exec_driver_sql(asked, values, execution_options=streamed)) as result:
            yield from result.yield_per(_ROWS_AT_ONCE)
