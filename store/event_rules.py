"""The rules for events that a rater's machine sends to a server, as SQL.

The function ``rater_sends`` (``store.rater_functions``) applies them. The program checks the same rules and
more when it reads any event (``reviewer.study.integrity.quarantine``). Here are only the rules that a
server can decide exactly. No rule compares what was sent with rows of other raters.
"""

from typing import get_args

from sqlalchemy import JSON, Boolean, Integer

from reviewer.core.sanitize import LONGEST_TEXT
from store.event_limits import LONGEST_PANE_KEY, MOST_PANES
from store.records import Event, GivenBy

MOST_EVENTS = 100_000
"""For one rater in one study. Nobody can delete an event, so there is a limit."""
MOST_BYTES = 256 << 20
"""The size limit of the same events, as the server stores them."""
_LOOKS_EVERY = 64
_MOST_NAMED = 1_000
_DEEPEST = 20
_LONGEST_PANES = MOST_PANES * (LONGEST_PANE_KEY + len('"",'))
_ID = "'^[0-7][0-9a-f]{11}7[0-9a-f]{3}[89ab][0-9a-f]{15}$'"
_DIGEST = "'^[0-9a-f]{64}$'"
# Without backslashes, which a setting of the sender's session gives another meaning.
_INSTANT = "'^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$'"
_TIME = "(timestamp 'epoch' + ('x' || left(sent.id, 12))::bit(48)::bigint * interval '1 millisecond')"
_AS_INSTANT = """'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'"""


def _at(path: str) -> str:
    """SQL: what is at a path of an answer in JSON; [] where it is of another form."""
    return f"coalesce(jsonb_path_query_array(listed, '{path}', '{{}}', true), '[]')"


_IS_RANKING = (
    f"jsonb_array_length({_at('strict $[*][*]')}) = jsonb_array_length(asked -> 'labels') "
    f"AND {_at('strict $[*][*]')} @> (asked -> 'labels') "
    f"AND {_at('strict $[*] ? (@.size() == 0)')} = '[]'"
)
"""Each output once: as many as there are, and all of them."""
_SPAN = "@.size() == 3 && @[0] >= 0 && @[1] > @[0] && @[1] <= $.length"
_IS_MARKED = (
    f"jsonb_typeof(listed -> 'length') = 'number' AND {_at('$.spans[*][2]')} <@ (asked -> 'labels') "
    f"AND jsonb_array_length({_at(f'strict $.spans[*] ? ({_SPAN})')}) "
    f"= ({_at('strict $.spans.size()')} ->> 0)::integer"
)
"""Every span has a label and an end behind its beginning, within the length that the answer names."""
_IS_ANSWER = f"""coalesce(CASE asked ->> 'kind'
    WHEN 'text' THEN sent.value <> ''
    WHEN 'labels' THEN jsonb_typeof(listed) = 'array' AND listed <@ (asked -> 'labels')
    WHEN 'ranking' THEN {_IS_RANKING}
    WHEN 'spans' THEN {_IS_MARKED}
    ELSE asked -> 'labels' ? sent.value END, false)"""
"""SQL: whether a value answers the question: one label, JSON of a list, a ranking or spans, or a text.

The text that spans are about is not known to a server as raters see it.
"""
_READ_LIST = (
    "IF asked ->> 'kind' IN ('labels', 'ranking', 'spans') THEN "
    "BEGIN listed := sent.value::jsonb; EXCEPTION WHEN OTHERS THEN listed := 'null'; END; END IF; "
)


def _names_older_events(column: str) -> str:
    """SQL: whether a JSON column is a list of ids that are smaller than the event's own."""
    listed = f"json_array_elements_text(sent.{column}) named"
    return (
        f"(length(sent.{column}::text) <= {_MOST_NAMED * 36} AND "
        f'(SELECT coalesce(bool_and(named ~ {_ID} AND named < sent.id COLLATE "C"), true) FROM {listed}))'
    )


def _unlike_python(column: str) -> str:
    """SQL: whether a JSON column holds something that Python reads differently or not at all.

    Half a character makes the cast fail; numbers beyond a float and deep nesting do not.
    """
    size = '@.type() == "number" && (@ > 1e300 || @ < -1e300)'
    return (
        f"(sent.{column} IS NOT NULL AND (jsonb_path_exists(sent.{column}::jsonb, '$.** ? ({size})') "
        f"OR jsonb_path_exists(sent.{column}::jsonb, '$.**{{{_DEEPEST} to last}}')))"
    )


def _holds_no_texts(column: str) -> str:
    """SQL: whether a JSON list holds anything but texts."""
    path = '$[*] ? (@.type() != "string")'
    return f"(sent.{column} IS NOT NULL AND jsonb_path_exists(sent.{column}::jsonb, '{path}'))"


def _json_of(name: str) -> str:
    """The canonical JSON of a column, in SQL; null if it is null. JSON columns keep the text as written."""
    from store.study_tables import EventRow

    kind = EventRow.__table__.c[name].type  # type: ignore[attr-defined]
    text = f'sent."{name}"::text'
    return text if isinstance(kind, JSON | Boolean | Integer) else f"to_json({text})::text"


def _content_digest() -> str:
    """``Event.content_digest`` in SQL."""
    names = sorted(set(Event.model_fields) - {"digest"})
    parts = ", ".join(f"'\"{name}\":' || {_json_of(name)}" for name in names)
    return f"encode(sha256(convert_to('{{' || concat_ws(',', {parts}) || '}}', 'UTF8')), 'hex')"


def _rules() -> dict[str, str]:
    """Condition → what is wrong with the event; the first true condition counts."""
    given = ", ".join(f"'{value}'" for value in get_args(GivenBy))
    return {
        f"sent.id !~ {_ID}": "its id has another form",
        f"{_TIME} > (clock_timestamp() AT TIME ZONE 'UTC') + interval '1 day'": "its id lies more than a day "
        "ahead; the clock of that machine is wrong",
        f'sent.at !~ {_INSTANT} OR sent.at COLLATE "C" > to_char({_TIME}, {_AS_INSTANT}) '
        "OR sent.at::timestamptz IS NULL": "its time contradicts its id",
        "sent.study <> of_study OR sent.rater <> of_rater": "it is of another rater or study",
        f'sent."case" !~ {_DIGEST} OR sent.question_digest !~ {_DIGEST}': "it names no case or wording",
        # The rater's own cases, not those of the study: which cases others review is not for them to learn.
        'NOT own_cases ? sent."case"': "this rater is not asked about the case",
        "asked IS NULL": "the study does not ask this question",
        "sent.showing NOT BETWEEN 0 AND 99 OR sent.active_ms < 0": "a number is out of range",
        "sent.kind = 'adjudication'": "raters do not adjudicate",
        f"sent.kind = 'label' AND (sent.value IS NULL OR NOT {_IS_ANSWER})": "its value is no answer",
        f"sent.kind = 'undo' AND sent.value IS NOT NULL AND NOT {_IS_ANSWER}": "it brings back no answer",
        f"length(sent.value) > {LONGEST_TEXT} OR length(sent.passage::text) > {LONGEST_TEXT}": (
            "it is too long"
        ),
        f"sent.given NOT IN ({given}) OR length(sent.panes::text) > {_LONGEST_PANES} "
        "OR (sent.panes IS NOT NULL AND json_typeof(sent.panes) <> 'array') "
        "OR (sent.passage IS NOT NULL AND json_typeof(sent.passage) <> 'object')": "a field is not readable",
        " OR ".join(
            [_unlike_python("passage"), *map(_holds_no_texts, ("panes", "supersedes", "follows"))]
        ): "a field is of another form",
        f'sent.target !~ {_ID} OR sent.target COLLATE "C" >= sent.id '
        f"OR NOT {_names_older_events('supersedes')} "
        f"OR NOT {_names_older_events('follows')}": "it names no older event",
        f"sent.digest <> {_content_digest()}": "its digest is of other content",
    }


def _too_many() -> str:
    """SQL: whether the rater has reached the limits of the study.

    Counting costs more than adding, so this counts only at some rows, which nobody can predict.
    """
    return (
        f"hashtext(clock_timestamp()::text) % {_LOOKS_EVERY} = 0 AND "
        f"(SELECT count(*) > {MOST_EVENTS} OR sum(pg_column_size(own.*)) > {MOST_BYTES} FROM events own "
        "WHERE own.study = of_study AND own.rater = of_rater)"
    )


def event_fault_body() -> str:
    """The body of the function that returns the fault of ``sent``, an event; null if it has none."""
    cases = " ".join(f"WHEN {condition} THEN '{wrong}'" for condition, wrong in _rules().items())
    return (
        " DECLARE asked jsonb; listed jsonb; BEGIN "
        "SELECT question INTO asked "
        "FROM studies, jsonb_array_elements(studies.questions::jsonb) question "
        "WHERE studies.name = of_study AND question ->> 'key' = sent.question; "
        f"{_READ_LIST}RETURN CASE {cases} "
        f"WHEN {_too_many()} THEN 'this rater has added too many events' END; END "
    )
