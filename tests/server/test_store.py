"""A store on PostgreSQL keeps what a store in a file keeps, with the same guarantees."""

from collections.abc import Callable

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.exc import ProgrammingError
from sqlmodel import SQLModel

import store.run_tables
import store.study_tables  # noqa: F401
from reviewer.core.errors import RequestError, StoreError
from reviewer.core.sanitize import with_article
from reviewer.study.design.closing import close_study
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from store.append_only import ledger_is_protected
from store.database import Database
from store.database_users import admission, creation
from store.leases import held, renew_lease
from store.ledger import Ledger
from tests.postgres import SECRET, Server
from tests.studies import a_study
from tests.study.test_closing import arrive

Opener = Callable[[str], Database]


def name_of(url: str) -> str:
    return url.rsplit("/", 1)[1]


def test_migrations_make_exactly_the_tables_of_the_records(empty_server_url: str, opened: Opener) -> None:
    with opened(empty_server_url).read() as session:
        context = MigrationContext.configure(session.connection())
        assert compare_metadata(context, SQLModel.metadata) == []
        assert ledger_is_protected(session.connection())


def test_a_verdict_is_there_when_the_store_is_opened_again(server_url: str, opened: Opener) -> None:
    a_study(opened(server_url))
    ReviewSession(opened(server_url), "pilot", "anna").answer("True")
    assert [event.value for event in Ledger(opened(server_url)).events("pilot")] == ["True"]


@pytest.mark.parametrize(
    "deed", ["UPDATE events SET value = 'False'", "DELETE FROM events", "TRUNCATE events"]
)
def test_the_ledger_refuses_every_change(server_url: str, server: Server, opened: Opener, deed: str) -> None:
    database = opened(server_url)
    a_study(database)
    ReviewSession(database, "pilot", "anna").answer("True")
    for statement in (deed, f"SET session_replication_role = replica; {deed}"):
        with pytest.raises(psycopg.Error, match="append-only"):
            server.ask(name_of(server_url), statement)


def test_triggers_that_are_gone_or_off_are_put_back_at_opening(
    server_url: str, server: Server, opened: Opener
) -> None:
    opened(server_url)
    server.ask(name_of(server_url), "ALTER TABLE events DISABLE TRIGGER events_refuse_update")
    server.ask(name_of(server_url), "DROP TRIGGER events_refuse_delete ON events")
    with opened(server_url).read() as session:
        assert ledger_is_protected(session.connection())


def test_texts_sort_as_in_a_file_whatever_the_locale(server_url: str, server: Server, opened: Opener) -> None:
    opened(server_url)
    others = server.ask(
        name_of(server_url),
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'reviewer' "
        "AND data_type = 'character varying' AND collation_name IS DISTINCT FROM 'C' "
        "AND table_name <> 'alembic_version'",
    )
    assert others == []


def test_a_server_without_a_store_is_named_where_one_must_exist(empty_server_url: str) -> None:
    with pytest.raises(StoreError, match="there is no store at") as told:
        Database.open(empty_server_url, must_exist=True)
    assert "import a dataset there" in str(told.value)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize(("old", "new"), [(SECRET, "wrong-secret"), ("127.0.0.1", "127.0.0.2")])
def test_a_server_that_refuses_or_is_not_there_is_one_sentence(server_url: str, old: str, new: str) -> None:
    with pytest.raises(StoreError, match="cannot be reached") as told:
        Database.open(server_url.replace(old, new))
    assert SECRET not in str(told.value)
    assert "wrong-secret" not in str(told.value)


def test_a_write_that_fails_leaves_nothing(server_url: str, opened: Opener) -> None:
    database = opened(server_url)

    def write_half() -> None:
        with database.write() as session:
            session.connection().exec_driver_sql("INSERT INTO datasets VALUES ('half', 'p', 's', 't')")
            session.connection().exec_driver_sql("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(ProgrammingError):
        write_half()
    with database.read() as session:
        assert session.connection().exec_driver_sql("SELECT name FROM datasets").first() is None


def test_reading_cannot_write(server_url: str, opened: Opener) -> None:
    def write_while_reading() -> None:
        with opened(server_url).read() as session:
            session.connection().exec_driver_sql("INSERT INTO datasets VALUES ('half', 'p', 's', 't')")

    with pytest.raises(StoreError, match="read-only transaction"):
        write_while_reading()


def test_a_run_is_held_by_one_process(server_url: str, opened: Opener) -> None:
    database = opened(server_url)
    with held(database, "run") as hold:
        with pytest.raises(RequestError, match="under way in process"), held(opened(server_url), "run"):
            pass
        assert renew_lease(database, hold)
        with held(opened(server_url), "run", take_over=True):
            assert not renew_lease(database, hold)
    with held(opened(server_url), "run"):
        pass


def test_progress_counts_nothing_that_came_late(server_url: str, opened: Opener) -> None:
    database = opened(server_url)
    a_study(database)
    anna, _ = (ReviewSession(database, "pilot", rater) for rater in ("anna", "ben"))
    anna.answer("True")
    close_study(database, "pilot", "lead", anyway=True)
    arrive(database, "ben")
    assert [rater.done for rater in progress_of(database, "pilot").raters] == [1, 0]


def test_a_new_store_has_a_schema_where_nobody_else_creates(
    empty_server_url: str, server: Server, opened: Opener
) -> None:
    with opened(empty_server_url).read() as session:
        asked = (
            "SELECT current_schema(), current_setting('search_path'), "
            "has_schema_privilege('public', 'reviewer', 'CREATE, USAGE')"
        )
        assert session.connection().exec_driver_sql(asked).one() == ("reviewer", "reviewer, pg_temp", False)
    assert server.ask(name_of(empty_server_url), "SELECT 1 FROM pg_tables WHERE schemaname = 'public'") == []


def test_a_search_path_that_somebody_set_changes_nothing(
    server_url: str, server: Server, opened: Opener
) -> None:
    a_study(opened(server_url))
    server.ask(name_of(server_url), "CREATE SCHEMA theirs; CREATE TABLE theirs.events (id text)")
    server.ask(name_of(server_url), f"ALTER DATABASE {name_of(server_url)} SET search_path = theirs, public")
    database = opened(server_url)
    ReviewSession(database, "pilot", "anna").answer("True")
    assert len(Ledger(database).events("pilot")) == 1


def test_a_user_who_can_do_more_is_given_no_seat(server_url: str, opened: Opener) -> None:
    with pytest.raises(RequestError, match="has more rights than a rater's user may have"):
        admission(opened(server_url), "reviewer_lead", None, run=False)


@pytest.mark.parametrize(
    "more",
    [
        "GRANT SELECT ON reviewer.events TO zoe",
        "GRANT SELECT (value) ON reviewer.events TO zoe",
        "GRANT TRUNCATE ON reviewer.studies TO zoe",
        "GRANT SELECT ON reviewer.outcomes TO PUBLIC",
        "GRANT pg_read_all_stats TO zoe",
        "GRANT pg_monitor TO zoe",
        "GRANT pg_read_all_data TO zoe",
    ],
)
def test_a_user_who_reads_or_watches_more_is_given_no_seat(
    server_url: str, server: Server, opened: Opener, more: str
) -> None:
    database, name = opened(server_url), name_of(server_url)
    server.ask(name, "CREATE ROLE zoe LOGIN")
    try:
        assert admission(database, "zoe", None, run=False)
        server.ask(name, more)
        with pytest.raises(RequestError, match="has more rights than a rater's user may have"):
            admission(database, "zoe", None, run=False)
    finally:
        server.ask(name, "DROP OWNED BY zoe; DROP ROLE zoe")


def test_another_programs_database_is_left_alone(empty_server_url: str, server: Server) -> None:
    server.ask(name_of(empty_server_url), "CREATE TABLE public.theirs (x int)")
    with pytest.raises(StoreError, match="is another program's database"):
        Database.open(empty_server_url)


FOREIGN = {
    "view 'sight'": "CREATE VIEW reviewer.sight AS SELECT 1",
    "materialized view 'sight'": "CREATE MATERIALIZED VIEW reviewer.sight AS SELECT 1",
    "table 'theirs'": "CREATE TABLE reviewer.theirs (x int)",
    "table 'more_events'": "CREATE TABLE public.more_events () INHERITS (reviewer.events)",
    "sequence 'numbers'": "CREATE SEQUENCE reviewer.numbers",
    "function 'max'": "CREATE FUNCTION reviewer.max(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1::text'",
    "function 'events_refuse'": "CREATE FUNCTION reviewer.events_refuse(int) RETURNS int LANGUAGE sql "
    "AS 'SELECT 1'",
    "function 'does'": "CREATE PROCEDURE reviewer.does() LANGUAGE sql AS 'SELECT 1'",
    "operator '='": "CREATE FUNCTION public.same(varchar, varchar) RETURNS bool LANGUAGE sql "
    "AS 'SELECT true'; "
    "CREATE OPERATOR reviewer.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = public.same)",
    "type 'text'": "CREATE DOMAIN reviewer.text AS int",
    "type 'pair'": "CREATE TYPE reviewer.pair AS (x int, y int)",
    "collation 'C'": 'CREATE COLLATION reviewer."C" FROM pg_catalog."POSIX"',
    "trigger 'undo'": "CREATE FUNCTION public.undo() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RETURN NULL; END'; CREATE TRIGGER undo BEFORE INSERT ON reviewer.events FOR EACH ROW "
    "EXECUTE FUNCTION public.undo()",
    "rule 'nothing'": "CREATE RULE nothing AS ON INSERT TO reviewer.events DO INSTEAD NOTHING",
    "policy 'all_of_it'": "CREATE POLICY all_of_it ON reviewer.events USING (true)",
}


@pytest.mark.parametrize("named", FOREIGN)
def test_what_is_not_ours_is_refused_by_name(
    server_url: str, server: Server, opened: Opener, named: str
) -> None:
    opened(server_url)
    server.ask(name_of(server_url), FOREIGN[named])
    sentence = f"has {with_article(named)}, which is not of this program"
    with pytest.raises(StoreError, match=sentence) as refused:
        opened(server_url)
    assert SECRET not in str(refused.value)


def test_what_lies_elsewhere_and_what_extensions_make_is_left_alone(
    server_url: str, server: Server, opened: Opener
) -> None:
    database = opened(server_url)
    a_study(database, raters=("anna",))
    for statement in (
        "CREATE SCHEMA theirs",
        "CREATE TABLE theirs.events (x int)",
        "CREATE VIEW public.sight AS SELECT * FROM reviewer.events",
        "CREATE FUNCTION public.max(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1::text'",
        "CREATE EXTENSION citext SCHEMA reviewer",
        "CREATE INDEX theirs ON reviewer.events (value)",
        "ANALYZE",
    ):
        server.ask(name_of(server_url), statement)
    statements = admission(database, "reviewer_zoe", "x", run=False)
    assert statements
    ReviewSession(opened(server_url), "pilot", "anna").answer("True")


def test_a_refusal_that_was_made_to_agree_is_put_back_at_opening(
    server_url: str, server: Server, opened: Opener
) -> None:
    a_study(opened(server_url))
    ReviewSession(opened(server_url), "pilot", "anna").answer("True")
    body = "CREATE OR REPLACE FUNCTION reviewer.events_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    server.ask(name_of(server_url), body + "'BEGIN RETURN OLD; END'")
    opened(server_url)
    with pytest.raises(psycopg.Error, match="append-only"):
        server.ask(name_of(server_url), "DELETE FROM events")


def test_a_schema_that_somebody_else_made_is_not_used(empty_server_url: str, server: Server) -> None:
    server.ask(name_of(empty_server_url), "CREATE SCHEMA reviewer AUTHORIZATION pg_database_owner")
    with pytest.raises(StoreError, match="belongs to another database user"):
        Database.open(empty_server_url)


def test_a_password_is_never_in_a_statement() -> None:
    statement = creation("reviewer_anna", "s3cret-one")
    assert "s3cret-one" not in statement
    assert "SCRAM-SHA-256$4096:" in statement
