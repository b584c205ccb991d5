"""The trigger that refuses events of a rater's own database user that do not fit their study.

The trigger does not apply to the owner of the tables. The program checks the same rules and more when it
reads any event (``reviewer.study.integrity.event_faults``). Here are only the rules that a server can decide
exactly.
"""

from typing import get_args

from sqlalchemy import JSON, Boolean, Connection, Integer

from reviewer.core.sanitize import LONGEST_TEXT
from store.event_limits import LONGEST_PANE_KEY, MOST_PANES
from store.records import SAID_LATER, Event, GivenBy

MOST_EVENTS = 100_000
"""For one rater in one study. Nobody can delete an event, so there is a limit."""
MOST_BYTES = 256 << 20
"""The size limit of the same events, as the server stores them."""
_LOOKS_EVERY = 64
_MOST_NAMED = 1_000
_DEEPEST = 20
_LONGEST_PANES = MOST_PANES * (LONGEST_PANE_KEY + len('"",'))
_TRIGGERS = {"events": "events_check_fit", "arrivals": "arrivals_check_fit"}
_ID = "'^[0-7][0-9a-f]{11}7[0-9a-f]{3}[89ab][0-9a-f]{15}$'"
_DIGEST = "'^[0-9a-f]{64}$'"
_INSTANT = r"'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$'"
_TIME = "(timestamp 'epoch' + ('x' || left(NEW.id, 12))::bit(48)::bigint * interval '1 millisecond')"
_AS_INSTANT = """'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'"""


def _names_older_events(column: str) -> str:
    """SQL: whether a JSON column is a list of ids that are smaller than the event's own."""
    listed = f"json_array_elements_text(NEW.{column}) named"
    return (
        f"(length(NEW.{column}::text) <= {_MOST_NAMED * 36} AND "
        f'(SELECT coalesce(bool_and(named ~ {_ID} AND named < NEW.id COLLATE "C"), true) FROM {listed}))'
    )


def _unlike_python(column: str) -> str:
    """SQL: whether a JSON column holds something that Python reads differently or not at all.

    Half a character makes the cast fail; numbers beyond a float and deep nesting do not.
    """
    size = '@.type() == "number" && (@ > 1e300 || @ < -1e300)'
    return (
        f"(NEW.{column} IS NOT NULL AND (jsonb_path_exists(NEW.{column}::jsonb, '$.** ? ({size})') "
        f"OR jsonb_path_exists(NEW.{column}::jsonb, '$.**{{{_DEEPEST} to last}}')))"
    )


def _holds_no_texts(column: str) -> str:
    """SQL: whether a JSON list holds anything but texts."""
    path = '$[*] ? (@.type() != "string")'
    return f"(NEW.{column} IS NOT NULL AND jsonb_path_exists(NEW.{column}::jsonb, '{path}'))"


_IS_ANSWER = """CASE coalesce(asked_here ->> 'kind', 'label')
    WHEN 'text' THEN NEW.value <> ''
    WHEN 'labels' THEN jsonb_typeof(listed) = 'array' AND listed <@ (asked_here -> 'labels')
    ELSE asked_here -> 'labels' ? NEW.value END"""
"""SQL: whether a value answers the question: one label, a JSON list of labels, or a text."""
_READ_LIST = (
    "IF asked_here ->> 'kind' = 'labels' THEN "
    "BEGIN listed := NEW.value::jsonb; EXCEPTION WHEN OTHERS THEN listed := 'null'; END; END IF; "
)


def _json_of(column: str) -> str:
    """The canonical JSON of a column, in SQL."""
    from store.study_tables import EventRow  # only a server has these triggers

    kind = EventRow.__table__.c[column].type  # type: ignore[attr-defined]
    plain = isinstance(kind, JSON | Boolean | Integer)
    return f"NEW.{column}::text" if plain else f"to_json(NEW.{column}::text)::text"


def _content_digest() -> str:
    """``Event.content_digest`` in SQL. JSON columns keep the canonical text that the program writes."""
    parts = []
    for name in sorted(set(Event.model_fields) - {"digest"}):
        column = f'"{name}"'
        said = _json_of(name).replace(f"NEW.{name}", f"NEW.{column}")
        said = said if name in SAID_LATER else f"coalesce({said}, 'null')"
        parts.append(f"'\"{name}\":' || {said}")
    return f"encode(sha256(convert_to('{{' || concat_ws(',', {', '.join(parts)}) || '}}', 'UTF8')), 'hex')"


def _rules() -> dict[str, str]:
    """Condition → what is wrong with the event; the first true condition counts."""
    given = ", ".join(f"'{value}'" for value in get_args(GivenBy))
    return {
        f"NEW.id !~ {_ID}": "its id has another form",
        f"{_TIME} > (clock_timestamp() AT TIME ZONE 'UTC') + interval '1 day'": "its id lies more than a day "
        "ahead; the clock of that machine is wrong",
        f'NEW.at !~ {_INSTANT} OR NEW.at COLLATE "C" > to_char({_TIME}, {_AS_INSTANT}) '
        "OR NEW.at::timestamptz IS NULL": "its time contradicts its id",
        f'NEW."case" !~ {_DIGEST} OR NEW.question_digest !~ {_DIGEST}': "it names no case or wording",
        "asked_here IS NULL": "the study does not ask this question",
        "NEW.showing NOT BETWEEN 0 AND 99 OR NEW.active_ms < 0": "a number is out of range",
        "NEW.kind = 'adjudication'": "raters do not adjudicate",
        f"NEW.kind = 'label' AND (NEW.value IS NULL OR NOT {_IS_ANSWER})": "its value is no answer",
        f"NEW.kind = 'undo' AND NEW.value IS NOT NULL AND NOT {_IS_ANSWER}": "it brings back no answer",
        f"length(NEW.value) > {LONGEST_TEXT} OR length(NEW.passage::text) > {LONGEST_TEXT}": "it is too long",
        f"NEW.given NOT IN ({given}) OR length(NEW.panes::text) > {_LONGEST_PANES} "
        "OR (NEW.panes IS NOT NULL AND json_typeof(NEW.panes) <> 'array') "
        "OR (NEW.passage IS NOT NULL AND json_typeof(NEW.passage) <> 'object')": "a field is not readable",
        " OR ".join(
            [_unlike_python("passage"), *map(_holds_no_texts, ("panes", "supersedes", "follows"))]
        ): "a field is of another form",
        f'NEW.target !~ {_ID} OR NEW.target COLLATE "C" >= NEW.id OR NOT {_names_older_events("supersedes")} '
        f"OR (NEW.follows IS NOT NULL AND NOT {_names_older_events('follows')})": "it names no older event",
        f"NEW.digest <> {_content_digest()}": "its digest is of other content",
    }


def _path(schema: str) -> str:
    return f"search_path = pg_catalog, {schema}, pg_temp"


def _too_many(table: str) -> str:
    """SQL: whether a rater has reached the limits of the study.

    Counting costs more than adding, so this counts only at some rows, which nobody can predict.
    """
    return (
        f"hashtext(clock_timestamp()::text) % {_LOOKS_EVERY} = 0 AND "
        f"(SELECT count(*) > {MOST_EVENTS} OR sum(pg_column_size(rows.*)) > {MOST_BYTES} FROM {table} rows "
        "WHERE rows.study = NEW.study AND rows.rater = NEW.rater)"
    )


def _event_function() -> str:
    cases = " ".join(f"WHEN {condition} THEN '{wrong}'" for condition, wrong in _rules().items())
    return (
        " DECLARE asked_here jsonb; listed jsonb; wrong text; BEGIN "
        "SELECT asked INTO asked_here "
        "FROM studies, jsonb_array_elements(studies.questions::jsonb) asked "
        "WHERE studies.name = NEW.study AND asked ->> 'key' = NEW.question "
        # A user learns nothing about studies in which they have no seat.
        "AND EXISTS (SELECT 1 FROM seats WHERE seats.db_user = session_user "
        "AND seats.study = NEW.study AND seats.rater = NEW.rater); "
        f"{_READ_LIST}wrong := CASE {cases} "
        f"WHEN {_too_many('events')} THEN 'this rater has added too many events' END; "
        "IF wrong IS NOT NULL THEN RAISE EXCEPTION 'this event does not fit its study: %', wrong "
        "USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END "
    )


def _arrival_function() -> str:
    return (
        " BEGIN IF NEW.events < 0 OR length(NEW.source) > 200 OR NEW.at !~ "
        f"{_INSTANT} THEN "
        "RAISE EXCEPTION 'this arrival does not fit its study' USING ERRCODE = 'check_violation'; "
        f"END IF; IF {_too_many('arrivals')} THEN RAISE EXCEPTION "
        "'this arrival does not fit its study: this rater has sent too often' "
        "USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END "
    )


def _functions() -> dict[str, str]:
    return {_TRIGGERS["events"]: _event_function(), _TRIGGERS["arrivals"]: _arrival_function()}


def own_functions() -> list[str]:
    """The names of the triggers, which their functions share."""
    return [*_TRIGGERS.values()]


def check_inserts(connection: Connection, schema: str) -> None:
    """Create the triggers again. Their functions run as their owner, with a fixed search path."""
    bodies = _functions()
    for table, name in _TRIGGERS.items():
        for statement in (
            f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER "
            f"SET {_path(schema)} AS $${bodies[name]}$$",
            f"REVOKE ALL ON FUNCTION {name}() FROM PUBLIC",
            f"DROP TRIGGER IF EXISTS {name} ON {table}",
            # WHEN is evaluated as the inserting user; inside the function it would be as its owner.
            f"CREATE TRIGGER {name} BEFORE INSERT ON {table} FOR EACH ROW "
            f"WHEN (row_security_active('{table}'::regclass)) EXECUTE FUNCTION {name}()",
            f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}",
        ):
            connection.exec_driver_sql(statement.replace("%", "%%"))


def inserts_are_checked(connection: Connection, schema: str) -> bool:
    """Whether both triggers exist, are enabled and are the ones of this release."""
    rows = connection.exec_driver_sql(
        "SELECT p.proname, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "
        "WHERE t.tgname = p.proname AND t.tgenabled = 'A' AND p.prosecdef AND p.proconfig = ARRAY[%s] "
        "AND t.tgrelid IN (to_regclass('events'), to_regclass('arrivals'))",
        (_path(schema).replace(" = ", "="),),
    )
    return {row[0]: row[1] for row in rows} == _functions()
