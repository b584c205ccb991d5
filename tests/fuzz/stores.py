"""Stores and packs that were damaged or tampered with: bytes, rows, schema.

Every command that reads gives an answer or a sentence. Where only rows of one study were changed, the numbers
of another stay. A merge changes nothing that was there, and adds what it says: nothing, where it says so.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing.context import ForkServerContext
from pathlib import Path
from random import Random

from reviewer.exchange.packs.pack import write_pack
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.fuzz.command_lines import rows_of
from tests.fuzz.command_process import TRACEBACK, Call, Done, call, forking
from tests.fuzz.harness import Attempt, Case, Wrong
from tests.fuzz.mutations import mutated_bytes
from tests.fuzz.small_store import DATASET, STUDY, small_store
from tests.studies import a_study

OTHER = "other"
VALUES = (
    *(
        None,
        "",
        "x",
        "True",
        "False",
        "nan",
        "[]",
        "{}",
        "null",
        '{"a":',
        "[1,2",
        "\0",
        "\ud800x",
        b"\xff\xfe",
        b"",
    ),
    *(
        0,
        -1,
        1,
        2**62,
        -(2**63),
        1e308,
        float("inf"),
        "zzzz",
        "0" * 64,
        "a" * 100_000,
        "2026-13-45T99:99:99.000Z",
    ),
    *(
        "9999-12-31T23:59:59.999Z",
        "=cmd|' /C calc'!A1",
        "\x1b[31m",
        "[" * 3_000,
        '{"a": NaN}',
        '"\\ud800"',
        "😀",
    ),
)
SCHEMA = (
    "CREATE TRIGGER odd AFTER INSERT ON events BEGIN DELETE FROM events; END",
    "CREATE TRIGGER more AFTER INSERT ON links BEGIN DELETE FROM events; END",
    "CREATE TABLE odd (a)",
    "CREATE VIEW odd AS SELECT * FROM events",
    "CREATE INDEX odd ON events (rater)",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 1382381175",
    "UPDATE alembic_version SET version_num = '9999'",
    "UPDATE alembic_version SET version_num = '0001'",
    "DELETE FROM alembic_version",
    "INSERT INTO alembic_version VALUES ('0002')",
)
READING = (
    ("datasets",),
    ("cases",),
    ("show", "anchoring bias/0"),
    ("study", "list"),
    ("study", "show", STUDY),
    ("study", "links", STUDY),
    ("progress", STUDY),
    ("progress",),
    ("labels", STUDY),
    ("agreement", STUDY, "--interval", "analytic"),
    ("agreement", STUDY, "--pass-rates"),
    ("agreement", STUDY, "--raters", "--interval", "none"),
    ("export", STUDY),
    ("report", STUDY, "--no-figures", "--interval", "none"),
    ("models", "calls"),
    ("candidates", DATASET),
    ("funnel", DATASET),
    ("datasets", "export", DATASET, "-o", "data.json"),
    ("store", "check"),
    ("store", "backup", "-o", "backup.db"),
    ("review", STUDY, "--rater", "zoe", "--plain"),
    ("study", "pack", STUDY, "--rater", "anna", "-o", "a.review"),
)
NUMBERS = (
    ("agreement", OTHER, "--interval", "none", "--format", "json"),
    ("agreement", OTHER, "--raters", "--interval", "none", "--format", "json"),
    ("labels", OTHER, "--format", "json"),
    ("progress", OTHER, "--format", "json"),
)
Outputs = dict[tuple[str, ...], str]


@contextmanager
def opened(folder: Path) -> Iterator[Attempt]:
    """One store with two studies, one pack of it, and the numbers of the other study."""
    store, pack = _prepared(folder)
    context = forking()
    (folder / "first").mkdir()
    shutil.copy(store, folder / "first" / "store.db")
    numbers = {asked: _printed(_call(context, folder / "first", asked)) for asked in NUMBERS}

    def attempt(case: Case) -> None:
        if case.random.random() < 0.3:
            _try_pack(case, context, store, pack)
        else:
            _try_store(case, context, store, numbers)

    yield attempt


def _prepared(folder: Path) -> tuple[Path, Path]:
    store = small_store(folder)
    pack = folder / "zoe.review"
    with closing(Database.open(str(store))) as database:
        a_study(database, OTHER, 2)
        for rater in ("anna", "ben"):
            session = ReviewSession(database, OTHER, rater)
            while not session.finished:
                session.answer("False" if rater == "ben" and session.position == 2 else "True")
        write_pack(database, STUDY, "zoe", pack)
    with closing(Database.open(str(pack), must_exist=True)) as database:
        session = ReviewSession(database, STUDY, "zoe")
        for label in ("True", "False", "True"):
            session.answer(label)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store, pack


def _printed(done: Done) -> str:
    if done.code != 0 or not done.out:
        raise Wrong(f"nothing can be compared with what a whole store says: {done}"[:1_000])
    return done.out


def _try_store(case: Case, context: ForkServerContext, store: Path, numbers: Outputs) -> None:
    damaged = case.folder / "store.db"
    shutil.copy(store, damaged)
    only_one_study = _damage(case.random, damaged)
    case.keep("store.db", damaged.read_bytes())
    for arguments in case.random.sample(READING, 3):
        _check(case, _call(context, case.folder, arguments), arguments)
    if only_one_study:
        asked = case.random.choice(NUMBERS)
        again = _call(context, case.folder, asked)
        _check(case, again, asked)
        if again.code == 0 and again.out != numbers[asked]:
            raise Wrong("the numbers of a study that nobody touched have changed")


def _try_pack(case: Case, context: ForkServerContext, store: Path, pack: Path) -> None:
    damaged = case.folder / "zoe.review"
    shutil.copy(store, case.folder / "store.db")
    shutil.copy(pack, damaged)
    _damage(case.random, damaged)
    case.keep("zoe.review", damaged.read_bytes())
    if case.random.random() < 0.3:
        arguments: tuple[str, ...] = ("review", str(damaged), "--plain")
        _check(case, _call(context, case.folder, arguments), arguments)
        return
    arguments = ("merge", str(damaged), "--format", "json")
    before, events = rows_of(case.folder / "store.db"), _events(case.folder / "store.db")
    done = _call(context, case.folder, arguments)
    _check(case, done, arguments)
    _refuse_untold(
        done, rows_of(case.folder / "store.db") != before, _events(case.folder / "store.db"), events
    )
    check = _call(context, case.folder, ("store", "check"))
    _check(case, check, ("store", "check"))
    if check.code:
        raise Wrong(f"the store is not whole after a merge: {check.out[:500]}")
    again = _call(context, case.folder, ("agreement", STUDY, "--interval", "none"))
    _check(case, again, ("agreement", STUDY))


def _refuse_untold(
    done: Done, changed: bool, after: dict[str, tuple[object, ...]], before: dict[str, tuple[object, ...]]
) -> None:
    """Refused rows of a pack do not affect the rest; the rest is as in the table, and of the pack's rater."""
    table = json.loads(done.out) if done.out.strip() else []
    added = sum(account["added"] for account in table)
    if changed and not added + sum(account["kept aside"] for account in table):
        raise Wrong("nothing was added, it says, and yet the store changed")
    new = [after[key] for key in after.keys() - before.keys()]
    if len(new) != added or any(row[1] != "zoe" for row in new):
        raise Wrong(f"it says that {added} events were added: {new}"[:1_000])
    if any(after.get(key) != row for key, row in before.items()):
        raise Wrong("a merge changed or deleted events that were there")


def _events(store: Path) -> dict[str, tuple[object, ...]]:
    """Every event's row by its id: study, rater and the rest."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        columns = [name for name in _columns(connection, "events") if name not in ("id", "study", "rater")]
        chosen = ", ".join(f'"{name}"' for name in ("id", "study", "rater", *columns))
        return {row[0]: row[1:] for row in connection.execute(f"SELECT {chosen} FROM events")}


def _call(context: ForkServerContext, folder: Path, arguments: tuple[str, ...]) -> Done:
    wanted = Call(arguments, folder, environment={"REVIEWER_STORE": "store.db"}, typed=b"t\nf\n")
    logs = folder / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    return call(context, wanted, logs)


def _check(case: Case, done: Done, arguments: tuple[str, ...]) -> None:
    case.keep("command.txt", " ".join(("reviewer", *arguments)))
    case.keep("out.txt", done.out[-4_000:])
    case.keep("err.txt", done.err[-8_000:])
    said = " ".join(arguments)
    if done.code is None:
        raise Wrong(f"it hangs: {said}")
    if TRACEBACK in done.err or done.code not in (0, 2):
        last = (done.err.strip().splitlines() or [""])[-1]
        raise Wrong(f"exit code {done.code}: {said}: {last[:300]}")


def _damage(random: Random, path: Path) -> bool:
    """Changes bytes, rows or the schema; whether only rows of the first study were changed."""
    kind = random.randrange(6)
    if kind == 0:
        path.write_bytes(mutated_bytes(random, path.read_bytes()))
        return False
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        if kind == 1:
            _change_schema(random, connection)
            return False
        triggers = _triggers(connection)
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        only = [_change_row(random, connection) for _ in range(random.choice((1, 1, 2, 4)))]
        for _, sql in triggers:
            with suppress(sqlite3.Error):
                connection.execute(sql)
    return all(only)


def _triggers(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    return list(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return [name for (name,) in found]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]


def _change_schema(random: Random, connection: sqlite3.Connection) -> None:
    table = random.choice(_tables(connection))
    column = random.choice(_columns(connection, table))
    statement = random.choice(
        (
            *SCHEMA,
            f'DROP TABLE "{table}"',
            f'ALTER TABLE "{table}" RENAME TO odd',
            f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO odd',
            f'ALTER TABLE "{table}" DROP COLUMN "{column}"',
            f'ALTER TABLE "{table}" ADD COLUMN odd DEFAULT 7',
            f'DELETE FROM "{table}"',
            *(f'DROP TRIGGER "{name}"' for name, _ in _triggers(connection)),
        )
    )
    with suppress(sqlite3.Error):
        connection.execute(statement)


def _change_row(random: Random, connection: sqlite3.Connection) -> bool:
    """Changes, deletes or doubles a row, mostly of the first study; whether it was such a row."""
    tables = _tables(connection)
    of_studies = [table for table in tables if "study" in _columns(connection, table)]
    table = random.choice(of_studies if of_studies and random.random() < 0.6 else tables)
    columns = _columns(connection, table)
    where, mine = ("1 = 1", False)
    if "study" in columns:
        where, mine = (f"study = '{STUDY}'", True)
    rows: list[int] = []
    with suppress(sqlite3.Error):  # some tables have no rowid
        rows = [row[0] for row in connection.execute(f'SELECT rowid FROM "{table}" WHERE {where}')]
    if not rows:
        return True
    column, row = random.choice(columns), random.choice(rows)
    with suppress(sqlite3.Error, UnicodeEncodeError, OverflowError):
        if random.random() < 0.15:
            connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
        else:
            value = _value(random, connection, table, column)
            connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (value, row))
            mine = mine and column != "study"
    return mine


def _value(random: Random, connection: sqlite3.Connection, table: str, column: str) -> object:
    """An odd value, another row's, or what is there with a part of its JSON changed."""
    if random.random() < 0.5:
        return random.choice(VALUES)
    there = random.choice([row[0] for row in connection.execute(f'SELECT "{column}" FROM "{table}"')])
    if not isinstance(there, str) or not there.startswith(("{", "[")):
        return there
    content = json.loads(there)
    if isinstance(content, dict) and content:
        content[random.choice(list(content))] = random.choice(
            (None, [], {}, 3, "x", "\x1b[31m", 10**30, [[None]])
        )
    return json.dumps(content)
