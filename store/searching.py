"""Finds cases by the words in them.

A file (SQLite) has an index of words, which triggers keep up to date. On a database server the texts
themselves are searched. Upper and lower case make no difference, and a case must contain all words. In a
file, words are found by their beginning, and accents are ignored.
"""

# ruff: noqa: S608 -- only constants are put into the statements; what people type is bound

from sqlalchemy import ColumnElement, Connection, String, TextClause, and_, cast, false, text
from sqlmodel import Session, col, or_

from store.tables import CaseRow

Predicate = ColumnElement[bool] | TextClause
_INDEX = "case_words"
_PARTS = ("data", "idx", "content", "docsize", "config")
_MANY = 2_000
# The most that SQLite takes for the first; it fails at 2,000 parts.
_PARTS_TO_MERGE, _MOST_PARTS = 64, 1_000
_CACHE_KB = 64 << 10
_LOG_PAGES = 8_000
_TEXTS = """
    SELECT NEW."group" || char(10) || COALESCE(group_concat(atom, char(10)), '')
    FROM json_tree(NEW.payload) WHERE type = 'text'
"""
# Numbers of its own, because SQLite may renumber the rows of a table without an integer key.
_TABLES = (
    "CREATE TABLE searched_cases (id INTEGER PRIMARY KEY, "
    '"case" VARCHAR NOT NULL UNIQUE REFERENCES cases (digest))',
    f"CREATE VIRTUAL TABLE {_INDEX} USING fts5(words, content='', prefix='1', "
    "tokenize='unicode61 remove_diacritics 2')",
)
_TRIGGER = f"""
    CREATE TRIGGER cases_are_searched AFTER INSERT ON cases BEGIN
        INSERT INTO searched_cases ("case") VALUES (NEW.digest);
        INSERT INTO {_INDEX} (rowid, words)
        SELECT id, ({_TEXTS}) FROM searched_cases WHERE "case" = NEW.digest;
    END
"""

OWN_TABLES = frozenset({"searched_cases", _INDEX, *(f"{_INDEX}_{part}" for part in _PARTS)})
"""The tables of the index. SQLite creates those of its parts."""
OWN_TRIGGERS = {"cases_are_searched": _TRIGGER.strip()}
"""Name → SQL of the trigger that keeps the index up to date."""


def index_cases(connection: Connection) -> None:
    """Create the index of a new file. Servers, and SQLite without FTS5, have no index."""
    if connection.dialect.name != "sqlite":
        return
    options = connection.exec_driver_sql("PRAGMA compile_options")
    if all(row[0] != "ENABLE_FTS5" for row in options):
        return
    for statement in (*_TABLES, _TRIGGER):
        connection.exec_driver_sql(statement)


def expect_many_cases(connection: Connection) -> None:
    """Let the index of words merge its parts late and in small steps; keep more pages in memory and log.

    A merge of many parts at once, as SQLite does at 16, takes twice the time and holds the write lock for
    seconds.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA cache_size = -{_CACHE_KB}")
        connection.exec_driver_sql(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    if connection.dialect.name == "sqlite" and connection.dialect.has_table(connection, _INDEX):
        for setting, parts in (("automerge", _PARTS_TO_MERGE), ("crisismerge", _MOST_PARTS)):
            connection.exec_driver_sql(f"INSERT INTO {_INDEX} ({_INDEX}, rank) VALUES ('{setting}', {parts})")


def holds_words(session: Session, wanted: str) -> Predicate:
    """Condition that a case contains all words of a text. A text without letters and digits finds nothing."""
    words = [word for word in wanted.split() if any(map(str.isalnum, word))]
    if not words:
        return false()
    return _by_index(session, words) if _is_indexed(session) else _by_texts(words)


def _by_index(session: Session, words: list[str]) -> TextClause:
    """If many cases match, they are looked up one by one until there are enough; else all at once."""
    # A word in quotes is never an operator of the query language; the star matches word beginnings.
    query = " ".join('"' + word.replace('"', " ") + '" *' for word in words)
    hits = f"SELECT rowid FROM {_INDEX} WHERE {_INDEX} MATCH :words"
    some = session.connection().exec_driver_sql(f"{hits} LIMIT {_MANY}", {"words": query})
    cases = f'SELECT "case" FROM searched_cases WHERE id IN ({hits})'
    many = f'EXISTS ({cases} AND "case" = cases.digest)'
    chosen = many if len(some.all()) == _MANY else f"cases.digest IN ({cases})"
    return text(chosen).bindparams(words=query)


def _by_texts(words: list[str]) -> ColumnElement[bool]:
    texts = cast(col(CaseRow.payload), String)
    places = (texts, col(CaseRow.group))
    return and_(*(or_(*(place.icontains(word, autoescape=True) for place in places)) for word in words))


def _is_indexed(session: Session) -> bool:
    connection = session.connection()
    return connection.dialect.name == "sqlite" and connection.dialect.has_table(connection, _INDEX)
