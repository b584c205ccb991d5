"""Finding cases by the words in them.

A file (SQLite) has an index of words that triggers keep in step whoever writes; a database server does
without: there the texts themselves are searched. Either way the case of letters does not matter, and every
word that is asked for must be in the case. In a file a word is found by how it begins, accents aside.
"""

# ruff: noqa: S608 -- only constants are put into the statements; what people type is bound

from sqlalchemy import ColumnElement, Connection, String, TextClause, and_, cast, false, text
from sqlmodel import Session, col, or_

from store.tables import CaseRow

Condition = ColumnElement[bool] | TextClause
_INDEX = "case_words"
_PARTS = ("data", "idx", "content", "docsize", "config")
_MANY = 2_000
_TEXTS = """
    SELECT {row}."group" || char(10) || COALESCE(group_concat(atom, char(10)), '')
    FROM json_tree({row}.payload) WHERE type = 'text'
"""
# Its own numbers, for SQLite may number the rows of a table without an integer key anew.
_TABLES = (
    "CREATE TABLE searched_cases (id INTEGER PRIMARY KEY, "
    '"case" VARCHAR NOT NULL UNIQUE REFERENCES cases (digest))',
    f"CREATE VIRTUAL TABLE {_INDEX} USING fts5(words, content='', prefix='1 2 3', "
    "tokenize='unicode61 remove_diacritics 2')",
)
_TRIGGER = f"""
    CREATE TRIGGER cases_are_searched AFTER INSERT ON cases BEGIN
        INSERT INTO searched_cases ("case") VALUES (NEW.digest);
        INSERT INTO {_INDEX} (rowid, words)
        SELECT id, ({_TEXTS.format(row="NEW")}) FROM searched_cases WHERE "case" = NEW.digest;
    END
"""
_FILL = (
    'INSERT INTO searched_cases ("case") SELECT digest FROM cases ORDER BY digest',
    f"INSERT INTO {_INDEX} (rowid, words) SELECT searched_cases.id, ({_TEXTS.format(row='cases')}) "
    'FROM searched_cases JOIN cases ON cases.digest = searched_cases."case"',
)

OWN_TABLES = frozenset({"searched_cases", _INDEX, *(f"{_INDEX}_{part}" for part in _PARTS)})
"""The tables of the index; SQLite makes those of its parts."""
OWN_TRIGGERS = {"cases_are_searched": _TRIGGER.strip()}
"""The trigger that keeps the index in step, by name."""


def index_cases(connection: Connection) -> None:
    """Make the index of a file, with every case there is; elsewhere, or without FTS5, there is none."""
    if connection.dialect.name != "sqlite" or not _has_fts5(connection):
        return
    for statement in (*_TABLES, *_FILL, _TRIGGER):
        connection.exec_driver_sql(statement)


def holds_words(session: Session, wanted: str) -> Condition:
    """Whether a case holds all words of a text; a text without letters and digits finds nothing."""
    words = [word for word in wanted.split() if any(map(str.isalnum, word))]
    if not words:
        return false()
    return _by_index(session, words) if _is_indexed(session) else _by_texts(words)


def _by_index(session: Session, words: list[str]) -> TextClause:
    """Two ways to the same answer: what many cases hold is looked up case by case, until enough are found."""
    # In quotes a word is never an operator of the query language; the star finds it by its beginning.
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


def _has_fts5(connection: Connection) -> bool:
    options = connection.exec_driver_sql("PRAGMA compile_options")
    return any(row[0] == "ENABLE_FTS5" for row in options)
