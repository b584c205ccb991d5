"""The history of cases as tables: revisions, what a revision changed, conflicts, things to do."""

from collections.abc import Iterable, Iterator, Sequence

from reviewer.core.prose_diff import diff_prose
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from store.records import Case, JsonValue, Revision, Todo, canonical_json
from store.revisions import PlaceHistory

SHORT_ID = 16
"""So many digits of a revision's id tell revisions apart that were made at the same moment."""
_PEOPLE_READ = ("revision", "created", "key", "author", "kind", "proposed_by", "reason", "resolves", "state")
_LONGEST = 400


def history_table(histories: Iterable[PlaceHistory], *, whole: bool) -> Table:
    """One row for each revision, oldest first within a place; ``whole`` has every column, for programs."""
    rows = [(history, step) for history in histories for step in history.revisions]
    if not whole:
        return Table.of(_PEOPLE_READ, [_read_row(*row) for row in rows])
    columns = (*_PEOPLE_READ, "dataset", "case_before", "case_after", "parent", "settles", "digest")
    return Table.of((*columns, "before", "after"), [_whole_row(*row) for row in rows])


def _read_row(history: PlaceHistory, step: Revision) -> tuple[Cell, ...]:
    return (
        step.id[:SHORT_ID],
        step.created,
        step.key,
        step.author,
        step.kind,
        step.proposed_by,
        step.reason,
        "; ".join(map(resolved_words, step.resolves)) or None,
        state_words(history, step),
    )


def _whole_row(history: PlaceHistory, step: Revision) -> tuple[Cell, ...]:
    measured = (canonical_json(step.before), canonical_json(step.after))
    told = (step.dataset, step.case_before, step.case_after, step.parent, " ".join(step.settles), step.digest)
    return (step.id, *_read_row(history, step)[1:], *told, *measured)


def resolved_words(finding: dict[str, JsonValue]) -> str:
    """A resolved finding as people read it: its check, and the program that it is about."""
    check = str(finding.get("check", "")).replace("_", " ")
    program = finding.get("program")
    return f"{check} ({program})" if program else check


def measured_words(measured: JsonValue, name: str = "") -> Iterator[str]:
    """What was measured, value by value: its name, such as "choice", and the value."""
    if isinstance(measured, dict):
        for key, value in measured.items():
            yield from measured_words(value, f"{name} {key}".strip().replace("_", " "))
    else:
        values = measured if isinstance(measured, list) else [measured]
        yield f"{name}: {', '.join(map(str, values)) or 'none'}"


def state_words(history: PlaceHistory, step: Revision) -> str:
    """Whether a revision is the newest of its place, in conflict with another one, or was followed."""
    if step not in history.newest:
        return "followed"
    return "in conflict" if history.in_conflict else "newest"


def changes_table(before: Case, after: Case) -> Table:
    """One row for each changed passage: the text that it is in, how it was, and how it is."""
    return Table.of(("text", "before", "after"), list(_changes(before, after)))


def _changes(before: Case, after: Case) -> Iterator[tuple[str, str | None, str | None]]:
    for name in dict.fromkeys((*before.payload, *after.payload)):
        was, now = _text(before.payload.get(name)), _text(after.payload.get(name))
        if was is None or now is None:
            if was != now:
                yield name, was, now
            continue
        for change in diff_prose(was, now).changes:
            if not change.equal:
                yield name, change.left or None, change.right or None


def _text(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else canonical_json(value)


def conflicts_table(histories: Iterable[PlaceHistory]) -> Table:
    """One row for each newest revision of a place in conflict."""
    rows = [
        (history.dataset, history.key, step.id[:SHORT_ID], step.created, step.author, step.kind, step.reason)
        for history in histories
        if history.in_conflict
        for step in history.newest
    ]
    return Table.of(("dataset", "key", "revision", "created", "author", "kind", "reason"), rows)


def todo_table(todos: Sequence[Todo]) -> Table:
    """One row for each thing to do."""
    rows = [
        (
            todo.id[:SHORT_ID],
            todo.dataset,
            todo.key,
            todo.name,
            one_line(todo.note, _LONGEST),
            todo.made_by,
            todo.made_at,
            todo.done_by,
            todo.done_at,
        )
        for todo in todos
    ]
    columns = ("todo", "dataset", "key", "name", "note", "made_by", "made_at", "done_by", "done_at")
    return Table.of(columns, rows)
