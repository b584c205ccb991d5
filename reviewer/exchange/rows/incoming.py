"""What was read from a file or folder, before any of it is written."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.core.errors import InputError
from reviewer.protocols.formats import ReadCase, Reading
from reviewer.protocols.intake import SeenCases
from store.entries import Entry, published_at
from store.records import JsonValue, Membership
from store.spool import Spool

MOST_NAMED = 10
_AS_IT_CAME = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class Incoming:
    """Valid entries, notices of what was normalised, and an error for everything that is not valid."""

    entries: tuple[Entry, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


@dataclass(frozen=True, slots=True)
class StreamedReading:
    """Cases that are read one after the other, each with its place in words, or what is wrong there."""

    cases: Iterator[tuple[str, ReadCase | InputError]]
    notices: Sequence[str]


def incoming_of(reading: Reading | StreamedReading, dataset: str) -> Incoming:
    """What a reader found, as entries of a dataset. Those of a stream are packed as they come."""
    if isinstance(reading, StreamedReading):
        return _streamed(reading, dataset)
    entries = tuple(_entry(read, dataset) for read in reading.cases)
    return Incoming(entries, reading.notices, reading.problems)


def _streamed(reading: StreamedReading, dataset: str) -> Incoming:
    seen, spool, entries, problems = SeenCases(), Spool(), [], []
    for where, read in reading.cases:
        if isinstance(read, InputError):
            problems.append(_alone(read))
            continue
        try:
            seen.add(read, where)
        except InputError as error:
            problems.append(_alone(error))
        else:
            raw = None if read.raw is None else raw_text(read.raw)
            entries.append(Entry.packed(read.case, _place(read, dataset), read.published, raw, spool))
    return Incoming(tuple(entries), tuple(reading.notices), tuple(problems))


def _alone(problem: InputError) -> InputError:
    """The error without the row that its traceback holds."""
    return InputError(problem.where, problem.wrong, problem.remedy)


def raw_text(raw: JsonValue) -> str:
    """A record of a file as it is kept: in its own order and spelling."""
    return _AS_IT_CAME.encode(raw)


def _entry(found: ReadCase, dataset: str) -> Entry:
    place = _place(found, dataset)
    raw = None if found.raw is None else raw_text(found.raw)
    return Entry(found.case, place, published_at(place, found.published), raw)


def _place(found: ReadCase, dataset: str) -> Membership:
    return Membership(
        dataset=dataset,
        key=found.key,
        case=found.case.digest,
        position=found.position,
        generator=found.generator,
        run=found.run,
        origin=found.origin,
        extra=found.extra,
    )


def all_problems(problems: Sequence[InputError], *, can_skip: bool = True) -> InputError:
    """The first problem, with the number of further ones and the places of the first of them.

    ``can_skip``: the command has the option --skip-invalid.
    """
    first, more = problems[0], len(problems) - 1
    wrong = (
        f"{first.wrong} (and {more:,} more {'is' if more == 1 else 'are'} invalid: "
        f"{_places(problems[1:], first.where.partition(', ')[0])})"
        if more
        else first.wrong
    )
    or_skip = "; or leave out what is invalid with --skip-invalid" if can_skip else ""
    return InputError(first.where, wrong, f"{first.remedy}{or_skip}")


def _places(problems: Sequence[InputError], file: str) -> str:
    """Where in the file the first problems are."""
    places = "; ".join(problem.where.removeprefix(f"{file}, ") for problem in problems[:MOST_NAMED])
    return f"{places}; …" if len(problems) > MOST_NAMED else places
