"""The most frequent queries find rows by an index, in a file and on a server."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event, text

from store.calls import StoredCalls
from store.cases import Filter, get_case, get_measurements, list_places, memberships_of
from store.database import Database
from store.findings import get_findings
from store.ledger import Ledger
from store.studies import cases_of, sample_of, stale_cases
from tests.postgres import Server

_CASES, _STUDIES = 12_000, 400
_LARGE = ("events", "cases", "memberships", "study_cases", "measurements", "findings", "arrivals", "calls")
_AT = "'2026-01-01T00:00:00.000Z'"
_STUDY, _RATER, _DATASET = "study 7", "rater 3", "dataset 7"
_CASE = f"{7:064d}"

# Case n is at a place of dataset n % 400 and in study n % 400; ten raters of each study have events there.
_ROWS = (
    "INSERT INTO datasets SELECT 'dataset ' || n, 'probe-swe', 'a test', {at} FROM {studies}",
    "INSERT INTO cases SELECT {digest}, 'probe-swe', 'group ' || (n % 8), 1, '{{}}' FROM {cases}",
    'INSERT INTO memberships (dataset, key, "case", position, generator, origin, extra, raw) SELECT '
    "'dataset ' || (n % 400), 'key ' || n, {digest}, n, 'model', 'generated', '{{}}', NULL FROM {cases}",
    "INSERT INTO studies SELECT 'study ' || n, 'probe-swe', n, 'full', '{{}}', '[]', {at}, NULL "
    "FROM {studies}",
    "INSERT INTO study_cases SELECT 'study ' || (n % 400), {digest}, n,"
    " 'dataset ' || (n % 400), 'key ' || n, "
    "'group ' || (n % 8), 'model', 'counted' FROM {cases}",
    "INSERT INTO assignments (study, rater, order_seed, joined_at, role) SELECT "
    "'study ' || (n % 400), 'rater ' || (n / 400), n, {at}, 'rater' FROM {ten}",
    'INSERT INTO measurements (id, "case", name, variant, source, dataset, key, engine, program, value) '
    "SELECT n + 1, {digest}, 'steps', '', 'published', 'dataset ' || (n % 400), 'key ' || n, '', '', '5' "
    "FROM {cases}",
    'INSERT INTO findings (id, "case", "check", check_version, passed, severity, value, threshold, why, '
    "tested) SELECT n + 1, {digest}, 'same choice', 1, {true}, 'serious', '1', '1', '', {true} FROM {cases}",
    'INSERT INTO events (id, study, rater, "case", question, question_digest, showing, phase, kind, '
    "supersedes, at, given, follows, digest) SELECT substr({digest}, 33), 'study ' || (n % 400), "
    "'rater ' || (n / 400 % 10), {digest}, 'axioms', {digest}, 0, 'before', 'label', '[]', {at}, 'app', "
    "'[]', {digest} FROM {cases}",
    "INSERT INTO arrivals (id, study, rater, source, events, at) SELECT n + 1, 'study ' || (n % 400), "
    "'rater ' || (n / 400 % 10), 'a pack', 1, {at} FROM {cases}",
    "INSERT INTO calls (id, ask, endpoint, model, purpose, repeat, attempt, request, seconds, at) SELECT "
    "substr({digest}, 33), {digest}, 'an endpoint', 'model', 'a test', 0, 1, '{{}}', 1, {at} FROM {cases}",
)


def in_a_file(last: int) -> str:
    """Rows n from 0, as SQLite counts them."""
    return (
        f"(WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < {last}) SELECT n FROM c)"
    )


def filled(database: Database) -> None:
    """Fill an empty store by plain statements, and let the database look at how much there is."""
    server = database.on_server
    count: Callable[[int], str] = (lambda last: f"generate_series(0, {last}) c(n)") if server else in_a_file
    names = {
        "at": _AT,
        "digest": "lpad(n::text, 64, '0')" if server else "printf('%064d', n)",
        "true": "true" if server else "1",
        "cases": count(_CASES - 1),
        "studies": count(_STUDIES - 1),
        "ten": count(10 * _STUDIES - 1),
    }
    with database.write() as session:
        if server:
            session.execute(text("SET LOCAL session_replication_role = replica"))
        for statement in _ROWS:
            session.connection().exec_driver_sql(
                statement.format(**names).replace("%", "%%" if server else "%")
            )
        session.execute(text("ANALYZE"))


@pytest.fixture(scope="module")
def in_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path_factory.mktemp("plans") / "reviewer.db"))) as database:
        filled(database)
        yield database


@pytest.fixture(scope="module")
def on_server(server: Server, new_store: str) -> Iterator[Database]:
    with closing(Database.open(server.database("plans", new_store))) as database:
        filled(database)
        yield database


def _read(query: Callable[..., Any], *arguments: Any) -> Callable[[Database], None]:
    """A query of a session, as one of a store."""

    def asked(database: Database) -> None:
        with database.read() as session:
            query(session, *arguments)

    return asked


def _turn(database: Database) -> None:
    """What is read under the write lock at each answer."""
    with Ledger(database).turn(_STUDY, _RATER, "f" * 32):
        pass


FREQUENT: dict[str, Callable[[Database], Any]] = {
    "a rater's events": lambda database: Ledger(database).events(_STUDY, _RATER),
    "before an answer is saved": _turn,
    "a study's events": lambda database: Ledger(database).events(_STUDY),
    "a case": _read(get_case, _CASE),
    "places of a case": _read(memberships_of, _CASE),
    "a page of a dataset": _read(list_places, Filter((_DATASET,)), 50),
    "the sample of a study": _read(sample_of, _STUDY),
    "the cases of a study": _read(cases_of, _STUDY),
    "stale cases of a study": _read(stale_cases, _STUDY),
    "measurements of cases": _read(get_measurements, [_CASE]),
    "findings of cases": _read(get_findings, [_CASE]),
    "answers to requests": lambda database: StoredCalls(database).answers_to([_CASE], "an endpoint"),
}


@contextmanager
def statements() -> Iterator[list[tuple[str, Any]]]:
    """The SELECT statements that are run, with their values."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, *_more: Any) -> None:
        if statement.lstrip().startswith(("SELECT", "WITH")):
            asked.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def whole_tables(database: Database, asked: Sequence[tuple[str, Any]]) -> list[str]:
    """The lines of the plans that read a large table whole."""
    how = "EXPLAIN" if database.on_server else "EXPLAIN QUERY PLAN"
    with database.read() as session:
        plans = [
            str(row[-1])
            for statement, values in asked
            for row in session.connection().exec_driver_sql(f"{how} {statement}", values)
        ]
    # Everything after some id, which is what a file resorts to without an index, is the whole table too.
    reads = re.compile(rf"(Seq Scan on|^SCAN) ({'|'.join(_LARGE)})\b|^SEARCH .*\(\w+>\?\)")
    return [line for line in plans if reads.search(line)]


@pytest.mark.parametrize("place", ["in_file", "on_server"])
def test_no_frequent_query_reads_a_large_table_whole(place: str, request: pytest.FixtureRequest) -> None:
    database: Database = request.getfixturevalue(place)
    found = {}
    for what, query in FREQUENT.items():
        with statements() as asked:
            query(database)
        assert asked, what
        found[what] = whole_tables(database, asked)
    assert {what: lines for what, lines in found.items() if lines} == {}
