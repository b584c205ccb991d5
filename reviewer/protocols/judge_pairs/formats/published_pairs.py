"""The published files of pairs: one row for each pair, as Parquet or JSON Lines.

The place of the right answer is written as 1 and 2 in one of these files, and as A>B and B>A in the other.
The files of one kind name the domain, for the others it follows from the benchmark.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import kind_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import ReadCase, RowsFormat, Source, SourceRow, SourceRows, StoredCase
from reviewer.protocols.intake import (
    CORRECT,
    UNSTATED_GENERATOR,
    checked_columns,
    is_generator_name,
    known_group,
    origin_of,
    valid_case,
)
from reviewer.protocols.judge_pairs.payloads import FIRST, RIGHT_ANSWER, SECOND
from store.records import JsonValue

KEY, LABEL, SOURCE, DOMAIN, MODEL = "pair_id", "label", "source", "domain", "response_model"
COLUMN_OF: Final = {"question": "question", "first": "response_A", "second": "response_B", "source": SOURCE}
"""The column of each field of the payload."""
TEXTS: Final = ("question", "response_A", "response_B")
JUDGEMENTS: Final = "judgments"
_DOMAINS: Final = {
    "mmlu-pro-math": "math",
    "livebench-math": "math",
    "livebench-reasoning": "reason",
    "livecodebench": "code",
}
_OTHER_SUBJECTS: Final = ("mmlu-pro-", "knowledge")
_PLACES: Final = {"1": FIRST, "2": SECOND, "a>b": FIRST, "b>a": SECOND}
_LONGEST_KEY = 200


class PublishedPairs(RowsFormat):
    """The published pairs of one or several models."""

    name = "published pairs (Parquet or JSON Lines)"
    endings = (".parquet", ".jsonl")

    def reader(self, rows: SourceRows, protocol: Protocol, source: Source) -> Callable[[SourceRow], ReadCase]:
        """Rows of pairs."""
        return lambda row: _case_of(row, protocol, source)

    def is_record(self, raw: JsonValue) -> bool:
        """An object with the key of a pair."""
        return isinstance(raw, dict) and KEY in raw

    def write(self, cases: Iterable[StoredCase], protocol: Protocol) -> Iterator[Mapping[str, JsonValue]]:
        """The row of each case: as it was imported, else made from the case."""
        for stored in cases:
            raw = stored.raw
            yield raw if isinstance(raw, dict) else _row_of(stored)


def payload_of(row: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The fields of the payload that a row has, as they stand there."""
    return {name: row[column] for name, column in COLUMN_OF.items() if row.get(column) is not None}


def domain_of(row: Mapping[str, JsonValue], where: str) -> str:
    """The domain that a row names, else that of its benchmark; raises InputError."""
    named, source = row.get(DOMAIN), row.get(SOURCE)
    if isinstance(named, str) and named.strip():
        return named.strip()
    if isinstance(source, str):
        subject, knowledge = _OTHER_SUBJECTS
        known = _DOMAINS.get(source) or (knowledge if source.startswith(subject) else source.strip())
        if known:
            return known
    raise InputError(where, "names neither a domain nor a source", f"add a column {DOMAIN!r}")


def side_that_is_right(label: JsonValue, where: str) -> str | None:
    """The side that a published label calls right; None for null; raises InputError for another spelling."""
    if label is None:
        return None
    text = str(label) if isinstance(label, int | float) and not isinstance(label, bool) else label
    if isinstance(text, str):
        side = _PLACES.get("".join(text.split()).removesuffix(".0").casefold())
        if side:
            return side
    wrong = f"{shown(text)!r} names no right answer" if isinstance(text, str) else f"is {kind_of(label)}"
    raise InputError(f"{where}, column {LABEL!r}", wrong, "give 1 or 2, or A>B or B>A")


def _case_of(row: SourceRow, protocol: Protocol, source: Source) -> ReadCase:
    content, where = checked_columns(row), row.where
    _check_columns(content, where, source)
    group = known_group(protocol, domain_of(content, where), where)
    right = side_that_is_right(content.get(LABEL), where)
    named = {KEY, LABEL, DOMAIN, MODEL, *COLUMN_OF.values()}
    generator = _generator(content, source, where)
    return ReadCase(
        case=valid_case(protocol, group, payload_of(content), where, COLUMN_OF, "column"),
        key=_key(content, where),
        position=row.number - 1,
        generator=generator,
        origin=origin_of(generator),
        published={RIGHT_ANSWER: right} if right else {},
        extra={name: value for name, value in content.items() if name not in named and value is not None},
        raw=content,
    )


def _check_columns(row: Mapping[str, JsonValue], where: str, source: Source) -> None:
    if missing := [name for name in (KEY, *TEXTS) if name not in row]:
        remedy = source.or_name_protocol("add it, or give a file of pairs")
        raise InputError(where, f"has no column {missing[0]!r}", remedy)
    if JUDGEMENTS in row:
        remedy = "import the pairs first, then this file with `reviewer outcomes import --as judge-bench`"
        raise InputError(where, "holds what a judge said of the pair", remedy)


def _key(row: Mapping[str, JsonValue], where: str) -> str:
    key = str(row[KEY]) if type(row[KEY]) is int else row[KEY]
    if isinstance(key, str) and 0 < len(key.strip()) <= _LONGEST_KEY and key.isprintable():
        return key.strip()
    wrong = f"{shown(key)!r} cannot be a key" if isinstance(key, str) else f"is {kind_of(key)}, not a key"
    raise InputError(f"{where}, column {KEY!r}", wrong, CORRECT)


def _generator(row: Mapping[str, JsonValue], source: Source, where: str) -> str:
    named = source.generator or row.get(MODEL) or UNSTATED_GENERATOR
    if isinstance(named, str) and is_generator_name(named):
        return named
    said = shown(named) if isinstance(named, str) else kind_of(named)
    raise InputError(f"{where}, column {MODEL!r}", f"{said!r} cannot be the name of a generator", CORRECT)


def _row_of(stored: StoredCase) -> dict[str, JsonValue]:
    payload = stored.case.payload
    row: dict[str, JsonValue] = {KEY: stored.place.key, MODEL: stored.place.generator}
    row |= {column: payload.get(name) for name, column in COLUMN_OF.items()}
    if RIGHT_ANSWER in stored.published:
        row[LABEL] = {FIRST: 1, SECOND: 2}[str(stored.published[RIGHT_ANSWER])]
    return {**row, DOMAIN: stored.case.group, **stored.place.extra}
