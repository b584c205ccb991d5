"""What a rater's own database user tries with plain SQL: the server refuses it, and the lead goes on."""

import gc
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest

from reviewer.core.errors import StoreError
from reviewer.core.sanitize import LONGEST_TEXT
from reviewer.study.design.closing import close_study
from reviewer.study.session.review_session import ReviewSession
from store import event_rules
from store.clock import instant, next_id, now_ms
from store.database import Database
from store.event_limits import LONGEST_PANE_KEY, MOST_PANES
from store.ledger import Ledger
from store.records import Event, JsonValue, canonical_json, digest_of
from store.server_ledger import ServerLedger
from tests.cli.conftest import Run
from tests.postgres import SECRET, SUPERUSER, Server
from tests.server.conftest import PASSWORD, Opener

_REFUSED = "does not fit its study|permission denied|violates|not-null|cannot|invalid|out of range|must be"


def name_of(url: str) -> str:
    return url.rsplit("/", 1)[1]


@pytest.fixture
def honest(central: Database, as_anna: str, tmp_path: Path, opened: Opener) -> Event:
    """An event as anna's machine makes it, not yet sent."""
    return ReviewSession(central, "pilot", "ben").answer("True")


def anew(event: Event, **changes: JsonValue) -> dict[str, JsonValue]:
    """Anna's event like another one, with changes; its digest fits unless one is given."""
    content = (
        event.model_dump(exclude={"digest"}) | {"rater": "anna", "id": next_id(None, now_ms())} | changes
    )
    said = {name: value for name, value in content.items() if value is not None}
    return {**content, "digest": changes.get("digest", digest_of(said))}


class Raw(str):
    """JSON as it is to stand in the column."""


def _sent(value: JsonValue) -> str:
    return str(value) if isinstance(value, Raw) else canonical_json(value)


def send_plainly(
    server: Server,
    url: str,
    fields: dict[str, JsonValue],
) -> None:
    """An event as psql would send it, by anna."""
    event = ", ".join(f'"{name}":{_sent(value)}' for name, value in fields.items())
    address = {"host": "127.0.0.1", "port": server.port, "user": "reviewer_anna", "password": PASSWORD}
    with psycopg.connect(dbname=name_of(url), autocommit=True, **address) as connection:
        connection.execute("SELECT reviewer.rater_sends('pilot', 'anna', %s)", (f"[{{{event}}}]",))


def insert_as_owner(server: Server, url: str, fields: dict[str, JsonValue]) -> None:
    """A row as the owner of the tables may put it in, whom no rule binds."""
    columns = ", ".join(f'"{name}"' for name in fields)
    values = [
        str(value)
        if isinstance(value, Raw)
        else canonical_json(value)
        if isinstance(value, list | dict)
        else value
        for value in fields.values()
    ]
    address = {"host": "127.0.0.1", "port": server.port, "user": SUPERUSER, "password": SECRET}
    with psycopg.connect(dbname=name_of(url), autocommit=True, **address) as connection:
        marks = ", ".join(["%s"] * len(values))
        connection.execute(f"INSERT INTO reviewer.events ({columns}) VALUES ({marks})", values)


def refused(server: Server, url: str, fields: dict[str, JsonValue]) -> bool:
    """Whether the server refuses a plain INSERT for a reason that is in the data or in the user's rights."""
    try:
        send_plainly(server, url, fields)
    except psycopg.Error as error:
        return re.search(_REFUSED, str(error)) is not None
    return False


def test_an_honest_event_is_taken_in(honest: Event, as_anna: str, server: Server, central: Database) -> None:
    send_plainly(server, as_anna, anew(honest))
    assert [event.value for event in Ledger(central).events("pilot", "anna")] == ["True"]


_FAR = next_id(None, now_ms() + 50 * 365 * 86_400_000)
ATTACKS: dict[str, dict[str, JsonValue]] = {
    "id zzzz": {"id": "zzzz"},
    "id of no time": {"id": "0" * 32},
    "greatest id": {"id": "f" * 32},
    "id in capitals": {"id": next_id(None, now_ms()).upper()},
    "id fifty years ahead": {"id": _FAR, "at": instant(now_ms())},
    "time after its id": {"at": instant(now_ms() + 5_000_000)},
    "time that is none": {"at": "2020-02-31T00:00:00.000Z"},
    "time in words": {"at": "yesterday"},
    "zero digest": {"digest": "0" * 64},
    "digest that is none": {"digest": "x"},
    "unknown question": {"question": "nowhere"},
    "no question": {"question": ""},
    "a label that is none": {"value": "Perhaps"},
    "a label without value": {"value": None},
    "undo to no label": {"kind": "undo", "value": "Perhaps"},
    "unknown kind": {"kind": "decree"},
    "adjudication": {"kind": "adjudication"},
    "unknown phase": {"phase": "during"},
    "negative showing": {"showing": -1},
    "showing without end": {"showing": 2_000_000_000},
    "negative time at work": {"active_ms": -5},
    "unknown case": {"case": "a" * 64},
    "case that is none": {"case": "x"},
    "wording that is none": {"question_digest": "x"},
    "text without end": {"kind": "comment", "value": "x" * (LONGEST_TEXT + 1)},
    "passage without end": {"kind": "comment", "passage": {"x": "x" * LONGEST_TEXT}},
    "passage that is a list": {"kind": "comment", "passage": [1]},
    "supersedes what is no id": {"supersedes": ["x"]},
    "supersedes what is not older": {"supersedes": ["7" + "f" * 11 + "7fff8" + "f" * 15]},
    "supersedes without end": {"supersedes": ["0" * 12 + "7" + "0" * 3 + "8" + "0" * 15] * 2_000},
    "supersedes that is an object": {"supersedes": {}},
    "target that is no id": {"kind": "undo", "value": None, "target": "x"},
    "unknown way": {"given": "telepathy"},
    "panes that are an object": {"panes": {"x": 1}},
    "panes without end": {"panes": ["x" * LONGEST_PANE_KEY] * MOST_PANES + ["x"]},
    "follows what is no id": {"follows": ["x"]},
    "does not say what it follows": {"follows": None},
    "does not say how it was given": {"given": None},
    "somebody else": {"rater": "ben"},
    "another study": {"study": "other"},
}


def test_an_event_that_does_not_fit_is_refused(
    honest: Event, as_anna: str, server: Server, central: Database
) -> None:
    before = Ledger(central).events("pilot")
    taken = [
        name for name, changes in ATTACKS.items() if not refused(server, as_anna, anew(honest, **changes))
    ]
    assert taken == []
    assert Ledger(central).events("pilot") == before


TEXTS = (
    "",
    " ",
    "ä ☃ 𝄞 \u2028",
    'quote " and \\ slash / ',
    "tab\tline\nreturn\r",
    "\b\f\x01\x1f\x7f",
    "50 %",
    "$$;--",
)


def test_what_the_program_writes_has_the_digest_that_the_server_computes(
    honest: Event, as_anna: str, opened: Opener, central: Database
) -> None:
    """Sent as the courier sends it: fields said and unsaid, and texts that JSON writes in other signs."""
    some_id, events = next_id(None, now_ms() - 1_000), []
    for text in TEXTS:
        passage = {"pane": text, "b": [1, 2.5, 1e-7, 10**20, True, None, {"z": text, "a": ""}]}
        said = {
            "swapped": True,
            "passage": passage,
            "given": "app",
            "panes": [text, "x"],
            "follows": [some_id],
        }
        also = {
            "supersedes": [some_id],
            "target": some_id,
            "active_ms": 1_234,
            "showing": 1,
            "phase": "after",
        }
        for fields in (
            anew(honest, kind="comment", value=text),
            anew(honest, kind="comment", value=text, **said, **also),
            anew(honest, kind="skip", value=None, swapped=False, follows=[], panes=[]),
        ):
            events.append(Event.model_validate(fields))
    ServerLedger(opened(as_anna), "pilot", "anna").send(events)
    assert {e.id: e for e in Ledger(central).events("pilot", "anna")} == {e.id: e for e in events}


ODD_JSON = {
    "passage": [
        '{"a":' + "[" * 4_900 + "]" * 4_900 + "}",
        '{"a":' + "9" * 5_000 + "}",
        '{"a":1e999}',
        '{"a":-0.0,"b":1.0}',
        '{"a":"\\ud800"}',
        '{"a":1,"a":2}',
        '{"a" : 1}',
    ],
    "panes": ["[" * 4_900 + "]" * 4_900, "[" + "9" * 5_000 + "]", '["\\ud800"]', "[null]", "[1e999]", "[{}]"],
}


TOLD_BY_THEIR_DIGEST = [
    ("passage", '{"a":-0.0,"b":1.0}'),
    ("passage", '{"a":1,"a":2}'),
    ("passage", '{"a" : 1}'),
]
"""JSON that the server takes for what it is not; whoever reads it finds another digest, and leaves it out."""
READERS = (
    ("agreement", "pilot"),
    ("labels", "pilot"),
    ("export", "pilot", "-o", "out"),
    ("report", "pilot", "-o", "report.html", "--no-figures"),
    ("study", "pack", "pilot", "--rater", "anna", "-o", "anna.review"),
    ("study", "list"),
    ("store", "check"),
)


def odd_fields(event: Event, column: str, text: str) -> dict[str, JsonValue]:
    """A comment whose JSON column holds this text; its digest is of the text, as the server computes it."""
    mark = "the odd one"
    content = anew(event, kind="comment", value="x", **{column: mark})
    said = {k: v for k, v in content.items() if k != "digest" and v is not None}
    digest = sha256(canonical_json(said).replace(f'"{mark}"', text).encode()).hexdigest()
    return {**content, column: Raw(text), "digest": digest}


def test_json_that_python_reads_otherwise_is_refused(honest: Event, as_anna: str, server: Server) -> None:
    """PostgreSQL takes JSON that is too deep, too long a number or half a character for Python."""
    odd = {
        (column, text): odd_fields(honest, column, text)
        for column, texts in ODD_JSON.items()
        for text in texts
    }
    taken = [about for about, fields in odd.items() if not refused(server, as_anna, fields)]
    assert taken == TOLD_BY_THEIR_DIGEST


def test_no_rater_fills_the_disk(
    honest: Event,
    as_anna: str,
    server: Server,
    central: Database,
    opened: Opener,
    server_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counted now and then, so a few more may pass; what comes by the lead is not counted."""
    monkeypatch.setattr(event_rules, "MOST_EVENTS", 40)
    monkeypatch.setattr(event_rules, "_LOOKS_EVERY", 2)
    opened(server_url)  # makes the functions again
    came = 0
    with suppress(psycopg.errors.CheckViolation):
        for came in range(100):  # noqa: B007
            send_plainly(server, as_anna, anew(honest))
    assert 40 <= came < 80
    sent = [Event.model_validate(anew(honest)) for _ in range(40)]
    with pytest.raises(StoreError, match="this rater has added too many events"):
        ServerLedger(opened(as_anna), "pilot", "anna").send(sent)
    assert ReviewSession(central, "pilot", "ben").answer("False")


def test_a_delivery_of_nothing_new_leaves_no_row(honest: Event, as_anna: str, server: Server) -> None:
    event, count = anew(honest), "SELECT count(*) FROM arrivals"
    send_plainly(server, as_anna, event)
    before = server.ask(name_of(as_anna), count)
    send_plainly(server, as_anna, event)
    assert server.ask(name_of(as_anna), count) == before


DEEDS = (
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "CREATE TEMP TABLE events (x int)",
    "CREATE FUNCTION reviewer.max(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1::text'",
    "CREATE FUNCTION public.max(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1::text'",
    "CREATE SCHEMA mine",
    "CREATE TABLE public.mine (x int)",
    "SELECT nextval('reviewer.arrivals_id_seq')",
    "INSERT INTO reviewer.arrivals (id, study, rater, source, events, at) "
    "VALUES (2147483647, 'pilot', 'anna', 's', 1, '2026-01-01T00:00:00.000Z')",
    "INSERT INTO reviewer.arrivals (study, rater, source, events, at) "
    "VALUES ('pilot', 'anna', repeat('x', 1000), 1, '2026-01-01T00:00:00.000Z')",
    "INSERT INTO reviewer.arrivals (study, rater, source, events, at) "
    "VALUES ('pilot', 'ben', 's', 1, '2026-01-01T00:00:00.000Z')",
    "BEGIN; LOCK TABLE reviewer.study_secrets IN ACCESS SHARE MODE",
    "BEGIN; LOCK TABLE reviewer.events IN SHARE ROW EXCLUSIVE MODE",
    "ALTER ROLE reviewer_lead SET search_path = 'x'",
    "SET session_replication_role = replica",
    "SELECT questions FROM reviewer.studies",
    "SELECT rolpassword FROM pg_authid",
    "COPY reviewer.events TO PROGRAM 'true'",
)


def test_what_a_raters_user_does_not_need_is_refused(as_anna: str, server: Server) -> None:
    done = []
    for deed in DEEDS:
        with suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation):
            server.ask(name_of(as_anna), deed, "reviewer_anna", PASSWORD)
            done.append(deed)
    assert done == []


def test_no_lock_of_a_raters_user_stops_the_lead(
    as_anna: str,
    server: Server,
    central: Database,
    honest: Event,
) -> None:
    address = {"host": "127.0.0.1", "port": server.port, "user": "reviewer_anna", "password": PASSWORD}
    with psycopg.connect(dbname=name_of(as_anna), **address) as holding:
        holding.execute("SELECT pg_advisory_lock(23187432837866853)")
        holding.execute("SELECT reviewer.rater_events('pilot', 'anna')")
        holding.execute("SELECT reviewer.rater_sends('pilot', 'anna', %s)", (canonical_json([anew(honest)]),))
        assert ReviewSession(central, "pilot", "ben").answer("False")
        close_study(central, "pilot", "lead", anyway=True)


def test_two_writers_of_the_store_wait_for_each_other(server_url: str, opened: Opener) -> None:
    first, second = opened(server_url), opened(server_url)
    with first.write() as session:
        assert session.connection().exec_driver_sql("SELECT 1").scalar() == 1
        locks = "SELECT mode FROM pg_locks WHERE relation = 'study_secrets'::regclass AND granted"
        with second.read() as looking:
            assert "ShareRowExclusiveLock" in {row[0] for row in looking.connection().exec_driver_sql(locks)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # commands leave connections to the end of the process
def test_the_lead_goes_on_after_every_attack(
    as_anna: str,
    server: Server,
    central: Database,
    server_url: str,
    honest: Event,
    run: Run,
) -> None:
    """A store may hold odd JSON from before it was refused: its owner puts it in, whom no rule binds."""
    for attack in ATTACKS.values():
        with pytest.raises(psycopg.Error):
            send_plainly(server, as_anna, anew(honest, **attack))
    for row in (
        anew(honest, value="False"),
        anew(honest, kind="undo", value=None),
        anew(honest, question_digest="a" * 64),
    ):
        send_plainly(server, as_anna, row)  # odd, but each of them fits the study
    for column, texts in ODD_JSON.items():
        for text in texts:
            with suppress(psycopg.Error):
                insert_as_owner(server, as_anna, odd_fields(honest, column, text))
    assert server.ask(name_of(server_url), "SELECT count(*) FROM events WHERE value = 'x'") > [(8,)]
    for command in READERS:
        done = run(*command, "--store", server_url)
        assert "Traceback" not in done.err
        assert done.code == 0 or command[0] == "store", (command, done.err)
    close_study(central, "pilot", "lead", anyway=True)
    assert run("labels", "pilot", "--final", "--store", server_url).code in (0, 2)
    gc.collect()
