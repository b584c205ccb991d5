"""A rater's database user guesses what others did. Nothing that the server shows tells right guesses apart.

Compared are plans (with their buffers), rows, errors, and the counts of rows that the transaction touched.
Nobody guesses the id of an event: it has 73 random bits.
"""

import json
from collections.abc import Iterator
from difflib import unified_diff

import psycopg
import pytest

from reviewer.study.session.review_session import ReviewSession
from store.clock import id_time, instant, next_id, now_ms
from store.database import Database
from store.ledger import Ledger
from store.records import Event, JsonValue
from tests.postgres import Server
from tests.server.conftest import PASSWORD
from tests.server.test_attacks import anew, name_of

_TABLES = (
    "SELECT oid::regclass::text, relname FROM pg_class WHERE relnamespace = 'reviewer'::regnamespace AND "
)
_COUNTS = ("seq_scan", "seq_tup_read", "idx_scan", "idx_tup_fetch", "n_tup_ins", "n_tup_upd", "n_tup_del")
_PLAN = "EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING OFF, SUMMARY OFF) "


@pytest.fixture
def anna(as_anna: str, central: Database, server: Server) -> Iterator[psycopg.Connection]:
    session = ReviewSession(central, "pilot", "ben")
    for label in ("True", "False", "True"):
        session.answer(label)
    server.ask(name_of(as_anna), "ANALYZE")
    address = {"host": "127.0.0.1", "port": server.port, "user": "reviewer_anna", "password": PASSWORD}
    address["options"] = "-csearch_path=reviewer"
    with psycopg.connect(dbname=name_of(as_anna), autocommit=True, **address) as connection:
        yield connection


def touched(anna: psycopg.Connection) -> dict[str, int]:
    """Table and kind of count → the rows that this session touched."""
    columns = ", ".join(f"coalesce({name}, 0)" for name in _COUNTS)
    rows = anna.execute(f"SELECT relname, {columns} FROM pg_stat_xact_user_tables ORDER BY relname".encode())
    return {f"{row[0]} {name}": count for row in rows for name, count in zip(_COUNTS, row[1:], strict=True)}


def shown(anna: psycopg.Connection, statement: str, guess: str) -> str:
    """Everything that the server shows of a statement that is then undone, without the guess itself."""
    anna.execute("BEGIN; SAVEPOINT before")
    before = touched(anna)
    try:
        lines = [str(cell) for row in anna.execute(statement.encode()) for cell in row]
    except psycopg.Error as error:
        told = error.diag
        parts = (told.sqlstate, told.message_primary, told.message_detail, told.message_hint, told.context)
        lines = [str(part) for part in parts]
        anna.execute("ROLLBACK TO before")
    lines += [f"{name} {count - before[name]}" for name, count in touched(anna).items()]
    anna.execute("ROLLBACK")
    as_text = guess.replace("'", "''")
    return "\n".join(lines).replace(f"'{as_text}'", "…").replace(f"={guess} ", "=… ")


def told_apart(anna: psycopg.Connection, statement: str, right: str, wrong: str) -> list[str]:
    """How the answers to a right and a wrong guess differ; the guess goes in the place of {}.

    Each is asked three times: at about one call in 64 the store also counts the rater's events.
    """
    differing: list[str] = []
    for form in (_PLAN + statement, statement):
        # The first ones also load what every later one has at hand.
        _, _, *told = [shown(anna, form.replace("{}", guess), guess) for guess in (right, wrong) * 4]
        if not {*told[::2]} & {*told[1::2]}:
            one, other = told[:2]
            differing += [form, *unified_diff(one.splitlines(), other.splitlines(), "right", "wrong")]
    return differing


@pytest.mark.slow
def test_no_plan_of_a_table_tells_a_right_guess_from_a_wrong_one(
    anna: psycopg.Connection, as_anna: str, server: Server
) -> None:
    name, differing, guessed = name_of(as_anna), [], 0
    for table, _ in server.ask(name, _TABLES + "relkind IN ('r', 'v', 'm', 'p') ORDER BY 2"):
        rows = server.ask(
            name, f"SELECT to_json(t)::text FROM {table} t WHERE to_json(t)::text LIKE '%ben%' LIMIT 1"
        )
        row = json.loads(rows[0][0]) if rows else {"rater": "ben", "name": "pilot"}
        for column, value in row.items():
            right = str(value).replace("'", "''")
            statement = f"SELECT 1 FROM {table} WHERE \"{column}\"::text = '{{}}'"
            differing += told_apart(anna, statement, right, right + "x")
            guessed += 1
    assert not differing, "\n".join(differing)
    assert guessed > 100


def test_a_raters_user_may_read_no_table_of_the_store(anna: psycopg.Connection) -> None:
    rights = "'SELECT, INSERT, UPDATE, REFERENCES'"
    may = anna.execute(
        f"{_TABLES}relkind = 'r' AND (has_any_column_privilege(oid, {rights}) "
        "OR has_table_privilege(oid, 'DELETE, TRUNCATE, TRIGGER'))".encode()
    )
    assert [row[1] for row in may] == ["alembic_version"]
    sequences = anna.execute(
        f"{_TABLES}relname IN ('arrivals_id_seq') AND "
        "has_sequence_privilege('arrivals_id_seq', 'USAGE, SELECT')".encode()
    )
    assert sequences.fetchall() == []
    known = "SELECT tablename FROM pg_stats WHERE schemaname = 'reviewer' AND tablename <> 'alembic_version'"
    assert anna.execute(known).fetchall() == []


_LATER = next_id(None, now_ms() + 3_600_000)


def _sent(event: Event, **changes: JsonValue) -> str:
    """A delivery of one event that anna makes."""
    return json.dumps([anew(event, **{"id": _LATER, "at": instant(id_time(_LATER)), **changes})])


def guesses(ben: list[Event], another_case: str) -> dict[str, list[tuple[str, str, str]]]:
    """For each function that a rater's user may call: statements with a right and a wrong guess."""
    event = ben[0]
    other, older = ("True" if event.value == "False" else "False"), next_id(None, id_time(event.id))
    reads = "SELECT * FROM rater_events('pilot', 'anna') WHERE rater = 'ben' AND \"case\" = '{}'"
    labels = f"SELECT * FROM rater_events('pilot', 'anna') WHERE \"case\" = '{event.case}' AND value = '{{}}'"
    send = "SELECT rater_sends('pilot', 'anna', '{}')"
    return {
        "rater_seats()": [
            ("SELECT study, rater FROM rater_seats() WHERE rater = '{}'", "ben", "nob"),
            ("SELECT study, rater FROM rater_seats() WHERE study = '{}'", "other", "nowhe"),
        ],
        "rater_events(text, text)": [
            (reads, event.case, "a" * 64),
            (labels, str(event.value), other),
            ("SELECT * FROM rater_events('pilot', '{}')", "ben", "nob"),
            ("SELECT * FROM rater_events('{}', 'anna')", "other", "nowhe"),
            ("SELECT * FROM rater_events('{}', 'ben')", "other", "nowhe"),
        ],
        "rater_sends(text, text, json)": [
            ("SELECT rater_sends('pilot', '{}', '[]')", "ben", "nob"),
            ("SELECT rater_sends('{}', 'anna', '[]')", "other", "nowhe"),
            (send, _sent(event, rater="ben"), _sent(event, rater="nob")),
            (send, _sent(event, study="other"), _sent(event, study="nowhe")),
            (send, _sent(event, case=another_case), _sent(event, case="a" * 64)),
            *[
                (send, _sent(event, **{name: value(event.id)}), _sent(event, **{name: value(older)}))
                for name, value in (
                    ("target", str),
                    ("supersedes", lambda one: [one]),
                    ("follows", lambda one: [one]),
                )
            ],
        ],
    }


def test_no_function_tells_a_right_guess_from_a_wrong_one(
    anna: psycopg.Connection, as_anna: str, central: Database, server: Server
) -> None:
    """Anna is asked about one case only, as in a study with panels. The other cases are guesses too."""
    ben = [event for event in Ledger(central).events("pilot", "ben") if event.kind == "label"]
    own, another = ben[0].case, next(event.case for event in ben if event.case != ben[0].case)
    server.ask(name_of(as_anna), f"UPDATE seats SET cases = '[\"{own}\"]' WHERE rater = 'anna'")
    may = anna.execute(
        "SELECT proname || '(' || oidvectortypes(proargtypes) || ')' FROM pg_proc "
        "WHERE pronamespace = 'reviewer'::regnamespace AND has_function_privilege(oid, 'EXECUTE')"
    )
    table = guesses(ben, another)
    assert sorted(row[0] for row in may) == ["events_refuse()", *sorted(table)]
    differing = [line for pairs in table.values() for pair in pairs for line in told_apart(anna, *pair)]
    assert not differing, "\n".join(differing)
    anna.execute("SELECT rater_sends('pilot', 'anna', %s)", (_sent(ben[0], follows=[ben[0].id]),))
    assert [event.id for event in Ledger(central).events("pilot", "anna")] == [_LATER]


def test_a_rater_learns_of_no_case_that_others_are_asked_about(
    anna: psycopg.Connection, as_anna: str, central: Database, server: Server
) -> None:
    event = Ledger(central).events("pilot", "ben")[0]
    server.ask(name_of(as_anna), "UPDATE seats SET cases = '[]' WHERE rater = 'anna'")
    with pytest.raises(psycopg.Error, match="this rater is not asked about the case"):
        anna.execute("SELECT rater_sends('pilot', 'anna', %s)", (_sent(event),))
