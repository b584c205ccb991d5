"""Labels that were given in other tools: Label Studio, Prodigy, Argilla, Potato, or a plain table.

Each reader takes one record of the tool's own export and yields what it says, one value for each rater and
question. Records are told apart by their fields.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.rows.row_files import RowOptions, open_rows
from reviewer.exchange.rows.source_file import shown_path
from store.records import JsonValue

ForeignTool = Literal["label-studio", "prodigy", "argilla", "potato", "table"]
TOOLS: tuple[ForeignTool, ...] = get_args(ForeignTool)
_KEYS = ("key", "id", "case", "case_id", "item_id", "instance_id", "pair_id", "uid")
_WITHIN = ("", "data.", "meta.", "metadata.", "fields.")
ForeignRecord = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ForeignLabel:
    """What one rater said about one case: ``values`` are labels, numbers as text, or one free text.

    ``keys`` are the values that may be the key of the case, the likeliest first. None: the record names no
    rater, no dataset or no question. ``from_labels`` are names that were chosen beside values, as Potato has
    them.
    """

    where: str
    rater: str | None
    keys: tuple[str, ...]
    question: str | None
    values: tuple[str, ...]
    comment: str = ""
    dataset: str | None = None
    from_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignLabels:
    """The labels of a file, the tool that it came from, notices, and an error for each invalid record."""

    tool: ForeignTool
    labels: tuple[ForeignLabel, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


def read_foreign_labels(
    path: Path, options: RowOptions, tool: ForeignTool | None = None, key_field: str | None = None
) -> ForeignLabels:
    """All labels of a file; raises InputError if it is of no known tool or holds no label."""
    rows = open_rows(path, options)
    labels: list[ForeignLabel] = []
    problems: list[InputError] = []
    for row in rows.read():
        if isinstance(row.content, InputError):
            problems.append(row.content)
            continue
        tool = tool or _tool_of(row.content, row.where)
        try:
            labels += _READERS[tool](row.content, row.where, _keys(row.content, key_field))
        except InputError as error:
            problems.append(error)
    if tool is None or not (labels or problems):
        raise InputError(shown_path(path), "holds no label", "check that the file is the right export")
    return ForeignLabels(tool, tuple(labels), rows.notices, tuple(problems))


def _tool_of(record: ForeignRecord, where: str) -> ForeignTool:
    """The tool that writes such records; raises InputError."""
    names = set(record)
    if "annotations" in names and "data" in names:
        return "label-studio"
    if names & {"label_annotations", "instance_id_to_label_to_value"} or {"annotations", "user_id"} <= names:
        return "potato"
    if "responses" in names or any(name.endswith(".responses") for name in names):
        return "argilla"
    if names & {"_annotator_id", "_session_id"} or record.get("answer") in ("accept", "reject", "ignore"):
        return "prodigy"
    if {"key", "label"} <= {name.casefold() for name in names}:
        return "table"
    remedy = (
        f"name the tool with --tool ({', '.join(TOOLS)}), or give a CSV with rater, key, question and label"
    )
    raise InputError(where, "is a record of no tool that is known", remedy)


def _keys(record: ForeignRecord, key_field: str | None) -> tuple[str, ...]:
    """The values of a record that may be its key; of the named field alone if there is one."""
    paths = [key_field] if key_field else [f"{above}{name}" for above in _WITHIN for name in _KEYS]
    from reviewer.protocols.declared.mapping import value_at  # its module loads all of declared protocols

    values = (value_at(record, path) for path in paths)
    return tuple(dict.fromkeys(str(value) for value in values if _is_name(value)))


def _is_name(value: JsonValue) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _name(value: JsonValue) -> str | None:
    """A name, also the number of a user; None if there is none."""
    if isinstance(value, Mapping):
        names = (value.get(field) for field in ("username", "email", "user_id", "id"))
        return next((str(name) for name in names if _is_name(name)), None)
    return str(value).strip() if _is_name(value) else None


def _texts(value: JsonValue, where: str) -> tuple[str, ...]:
    """A label, or a list of labels, as texts."""
    values = value if isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            if isinstance(one, bool):
                continue
            raise InputError(where, "holds a value that is neither a label nor a text", "leave it out")
    return tuple(str(one) for one in values)


# -- Label Studio ----------------------------------------------------------------------------------

_STUDIO_VALUES = ("choices", "rating", "text", "number", "selected", "taxonomy", "labels")


def _label_studio(record: ForeignRecord, where: str, keys: tuple[str, ...]) -> Iterator[ForeignLabel]:
    """A task with its annotations. Cancelled ones and predictions of models are not labels of raters."""
    for number, annotation in enumerate(_list_of(record.get("annotations"), where), 1):
        if annotation.get("was_cancelled"):
            continue
        at = f"{where}, annotation {number}"
        for result in _list_of(annotation.get("result"), at):
            value = result.get("value")
            said = (
                next((value[name] for name in _STUDIO_VALUES if name in value), None)
                if isinstance(value, Mapping)
                else None
            )
            if said is None:
                kind = shown(str(result.get("type")))
                raise InputError(
                    at,
                    f"has a result of type {kind!r}, which is not a label",
                    "export choices, ratings and texts only",
                )
            if said and isinstance(said, list) and isinstance(said[0], list):
                said = [path[-1] for path in said if path]  # a taxonomy gives the way to each label
            yield ForeignLabel(
                at,
                _name(annotation.get("completed_by")),
                keys,
                _name(result.get("from_name")),
                _texts(said, at),
            )


# -- Prodigy ---------------------------------------------------------------------------------------


def _prodigy(record: ForeignRecord, where: str, keys: tuple[str, ...]) -> Iterator[ForeignLabel]:
    """An answered example. Ignored ones are not labels; a binary answer is True or False."""
    answer = record.get("answer")
    if answer == "ignore":
        return
    chosen = record.get("accept")
    if isinstance(chosen, list):
        values = _texts(chosen, where) if answer == "accept" else ()
    else:
        values = ("True",) if answer == "accept" else ("False",)
    if isinstance(chosen, list) and not values:
        return
    rater = _name(record.get("_annotator_id")) or _name(record.get("_session_id"))
    question = record.get("label") if not isinstance(chosen, list) else None
    yield ForeignLabel(where, rater, keys, question if isinstance(question, str) else None, values)


# -- Argilla ---------------------------------------------------------------------------------------


def _argilla(record: ForeignRecord, where: str, keys: tuple[str, ...]) -> Iterator[ForeignLabel]:
    """A record with its responses: by question, flat by question, or by user. Drafts are left out."""
    responses = record.get("responses")
    if isinstance(responses, Mapping):
        for question, answers in responses.items():
            for answer in _list_of(answers, where):
                if answer.get("status", "submitted") == "submitted":
                    rater = _name(answer.get("user_id"))
                    yield ForeignLabel(where, rater, keys, question, _texts(answer.get("value"), where))
        return
    if responses is not None:
        yield from _by_user(_list_of(responses, where), where, keys)
    for name, values in record.items():
        if name.endswith(".responses") and isinstance(values, list):
            yield from _flat(record, name, values, where, keys)


def _by_user(responses: Sequence[ForeignRecord], where: str, keys: tuple[str, ...]) -> Iterator[ForeignLabel]:
    for response in responses:
        values = response.get("values")
        if response.get("status", "submitted") != "submitted" or not isinstance(values, Mapping):
            continue
        for question, answer in values.items():
            value = answer.get("value") if isinstance(answer, Mapping) else answer
            yield ForeignLabel(where, _name(response.get("user_id")), keys, question, _texts(value, where))


def _flat(
    record: ForeignRecord, name: str, values: Sequence[JsonValue], where: str, keys: tuple[str, ...]
) -> Iterator[ForeignLabel]:
    users = record.get(f"{name}.users") or [None] * len(values)
    states = record.get(f"{name}.status") or ["submitted"] * len(values)
    if not (len(users) == len(values) == len(states)):
        raise InputError(where, f"has not as many users as answers in {shown(name)!r}", "export it again")
    for value, user, state in zip(values, users, states, strict=True):
        if state == "submitted" and value is not None:
            yield ForeignLabel(
                where, _name(user), keys, name.removesuffix(".responses"), _texts(value, where)
            )


# -- Potato ----------------------------------------------------------------------------------------


def _potato(record: ForeignRecord, where: str, keys: tuple[str, ...]) -> Iterator[ForeignLabel]:
    """An instance with its schemes, or the state of a user with all instances."""
    rater = _name(record.get("user_id") or record.get("user") or record.get("annotator"))
    states = record.get("instance_id_to_label_to_value")
    if isinstance(states, Mapping):
        for instance, pairs in states.items():
            yield from _potato_state(pairs, where, rater, (str(instance),))
        return
    schemes = record.get("label_annotations", record.get("annotations"))
    if not isinstance(schemes, Mapping):
        raise InputError(
            where, "has no annotations by scheme", "give annotated_instances.jsonl or user_state.json"
        )
    for scheme, chosen in schemes.items():
        if isinstance(chosen, Mapping):
            yield _of_scheme(scheme, chosen, where, rater, keys)
        elif chosen not in (None, ""):
            yield ForeignLabel(where, rater, keys, scheme, _texts(chosen, where))


def _of_scheme(
    scheme: str, chosen: ForeignRecord, where: str, rater: str | None, keys: tuple[str, ...]
) -> ForeignLabel:
    """The names that are switched on, and their values: which of the two are labels, the question tells."""
    on = {
        str(name): value for name, value in chosen.items() if value not in (None, "", False, "false", "False")
    }
    values = tuple("True" if value is True else str(value) for value in on.values())
    return ForeignLabel(where, rater, keys, scheme, values, from_labels=tuple(on))


def _potato_state(
    pairs: JsonValue, where: str, rater: str | None, keys: tuple[str, ...]
) -> Iterator[ForeignLabel]:
    schemes: dict[str, dict[str, JsonValue]] = {}
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], Mapping):
            schemes.setdefault(str(pair[0].get("schema")), {})[str(pair[0].get("name"))] = pair[1]
    for scheme, chosen in schemes.items():
        yield _of_scheme(scheme, chosen, where, rater, keys)


# -- a plain table ---------------------------------------------------------------------------------


def _table(record: ForeignRecord, where: str, keys: tuple[str, ...]) -> Iterator[ForeignLabel]:
    """A row with rater, key, question and label, and where known dataset and comment. No label: no answer."""
    cells = {name.strip().casefold(): value for name, value in record.items()}
    if cells.get("label") in (None, ""):
        return
    comment = cells.get("comment") or ""
    yield ForeignLabel(
        where,
        _name(cells.get("rater")),
        tuple(filter(None, [_name(cells.get("key"))])) or keys,
        _name(cells.get("question")),
        _texts(cells["label"], where),
        comment if isinstance(comment, str) else "",
        _name(cells.get("dataset")),
    )


def _list_of(value: JsonValue, where: str) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        return value
    raise InputError(where, "is not laid out as an export of this tool", "check the file, or give --tool")


_READERS: Mapping[ForeignTool, Callable[[ForeignRecord, str, tuple[str, ...]], Iterator[ForeignLabel]]] = {
    "label-studio": _label_studio,
    "prodigy": _prodigy,
    "argilla": _argilla,
    "potato": _potato,
    "table": _table,
}
