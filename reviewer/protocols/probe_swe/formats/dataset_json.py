"""PROBE-SWE's published JSON: an object of bias → list of records, one record a pair with its values.

The names of files and generators that its authors use are here too.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import PurePath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import MOST_CHARACTERS, kind_of, repetition_in
from reviewer.protocols.base import Group, Protocol
from reviewer.protocols.formats import JsonFormat, ReadCase, Reading, Source, StoredCase, damaged_record
from reviewer.protocols.intake import (
    HAND_WRITTEN,
    UNKNOWN_GENERATOR,
    Intake,
    check_field_names,
    check_kept,
    invalid,
    is_generator_name,
    known_group,
    origin_of,
    valid_case,
)
from store.records import Case, JsonValue, Membership, canonical_json

PUBLISHED_GENERATORS = (
    "gpt-4.1-nano",
    "gpt-4.1-mini",
    "gpt-4o-mini",
    "llama-3.1-8b-instant",
    "llama-3.3-70b-versatile",
    "deepseek-r1-distill-llama-70b",
)
"""The only generators that the authors' script for validation sheets accepts."""

_DATASET = re.compile(r"\d+_augmented_dilemmas_dataset_(?P<generator>.+)", re.IGNORECASE)


def generator_of_file(name: str) -> str | None:
    """The generator in the name of a dataset file; None if the name contains none."""
    stem = PurePath(name).stem
    if match := _DATASET.fullmatch(stem):
        return match["generator"]
    return stem if stem in PUBLISHED_GENERATORS else None


_OPTIONS = {"option_a": "option_A", "option_b": "option_B"}
MEASURED_AS = {
    "correct_option": "choice",
    "inference_steps": "inference_steps",
    "choice_steps": "choice_steps",
    "pair_similarity": "pair_similarity",
    # A similarity, in spite of its name: 1 - distance / length.
    "pair_levenshtein_distance": "pair_levenshtein_similarity",
    "unbiased_prompt_reconstruction_similarity": "reconstruction_similarity",
    "agreement_rate": "agreement_rate",
    "decisions_towards_validity": "bias_verifications",
    "bias_is_towards_incorrect_only_in_biased_version": "bias_explanation",
}


def _option(text: str) -> str:
    option = _OPTIONS.get(text.casefold())
    if option is None:
        raise ValueError("is neither option_A nor option_B")
    return option


Option = Annotated[str, AfterValidator(_option)]
PublishedCount = Annotated[int, Field(ge=0, le=2**53)]


class PublishedValues(BaseModel):
    """The values, all optional, since hand-written pairs have fewer than generated ones."""

    model_config = ConfigDict(frozen=True, strict=True)

    correct_option: Option | None = None
    inference_steps: PublishedCount | None = None
    choice_steps: PublishedCount | None = None
    pair_similarity: FiniteFloat | None = None
    pair_levenshtein_distance: FiniteFloat | None = None
    unbiased_prompt_reconstruction_similarity: FiniteFloat | None = None
    agreement_rate: FiniteFloat | None = None
    decisions_towards_validity: PublishedCount | None = None
    bias_is_towards_incorrect_only_in_biased_version: str | None = None

    @property
    def measured(self) -> dict[str, JsonValue]:
        """The values that are present, by the names under which they are stored."""
        values = ((name, getattr(self, field)) for field, name in MEASURED_AS.items())
        return {name: value for name, value in values if value is not None}

    def notice_of(self, raw: JsonValue) -> str | None:
        """A notice about the spelling of the correct option if it is unusual, else None."""
        if raw is None or raw == self.correct_option:
            return None
        return f"correct_option {raw!r} is read as {self.correct_option!r}"


class PublishedRecord(PublishedValues):
    """A record's own fields besides its texts and values."""

    pair: PublishedCount
    run_id: PublishedCount | None = None
    AI_generated: bool = True

    @property
    def number(self) -> str:
        """The number of the record in its group, with its run, since pair numbers repeat in every run."""
        if not self.AI_generated:
            return f"seed-{self.pair}"
        return f"{self.pair}" if self.run_id is None else f"{self.run_id}-{self.pair}"


Piece = dict[str, list[JsonValue]]


class FilePieces:
    """Collects the pieces of a file while it is read."""

    def __init__(self) -> None:
        self._pieces: dict[str, Piece] = {}
        self._group = ""
        self._next: Piece = {}

    def begin(self, group: str) -> None:
        """Begin a group; its records follow, if it has any."""
        self._group = group
        self._next[group] = []

    def add(self, key: str, record: JsonValue) -> None:
        """Add the next record, whose place has this key."""
        self._next[self._group] = [record]
        self._pieces[key], self._next = self._next, {}

    def added_to(self, reading: Reading) -> Reading:
        """The reading with its piece added to each case."""
        if self._pieces:
            next(reversed(self._pieces.values())).update(self._next)
        return replace(
            reading, cases=tuple(replace(case, raw=self._pieces[case.key]) for case in reading.cases)
        )


def checked_piece(value: Any) -> Piece:
    """A stored piece; raises ValueError if it is not a group with one record, which every import stores."""
    try:
        ((group, (record,)),) = ((group, records) for group, records in value.items() if records)
        hash((record.get("run_id"), record["pair"]))
    except KeyError:
        raise ValueError(f"the record of {group!r} has no pair") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError("it is not a piece of a file") from error
    return {name: list(records) for name, records in value.items()}


def joined(pieces: Iterable[Piece]) -> Piece:
    """The file that the pieces belong to."""
    whole: Piece = {}
    for piece in pieces:
        for group, records in piece.items():
            whole.setdefault(group, []).extend(records)
    return whole


_NUMBER = re.compile(r".*/(?:seed-|(?:[0-9]+-)?)([0-9]{1,9})")


def dataset_value(cases: Sequence[StoredCase], groups: Sequence[Group]) -> Piece:
    """The value of the file: group → records."""
    return joined([*_in_order(cases, groups)])


def _in_order(cases: Sequence[StoredCase], groups: Sequence[Group]) -> Iterator[Piece]:
    """The pieces of the file: first the stored ones in their order, then the other cases by group."""
    taken: dict[str, set[tuple[int | None, int]]] = defaultdict(set)
    names: dict[str, str] = {}
    for stored in cases:
        if stored.raw is not None:
            piece = _kept(stored)
            names[stored.case.group], numbers = _spelled(piece)
            taken[stored.case.group].add(numbers)
            yield piece
    for group in (group.name for group in groups):
        for stored in cases:
            if stored.case.group == group and stored.raw is None:
                numbers = _numbers(stored.place, taken[group])
                record = _record(stored.place, stored.case, stored.published, numbers)
                yield {names.get(group, group): [record]}


def _kept(stored: StoredCase) -> Piece:
    try:
        return checked_piece(stored.raw)
    except ValueError as error:
        raise damaged_record(stored.place, str(error)) from error


def _spelled(piece: Piece) -> tuple[str, tuple[int | None, int]]:
    """The group as a piece spells it, and the run and pair of its record."""
    group, record = next((group, records[0]) for group, records in piece.items() if records)
    return group, (record.get("run_id"), record["pair"])


def _record(
    place: Membership, case: Case, published: Mapping[str, JsonValue], numbers: tuple[int | None, int]
) -> dict[str, JsonValue]:
    run, pair = numbers
    values = {field: published.get(name) for field, name in MEASURED_AS.items()}
    return {
        "run_id": run,
        "AI_generated": place.origin == "generated",
        "pair": pair,
        **case.payload,
        **values,
        "valid": True,
        **place.extra,
    }


def _numbers(place: Membership, taken: set[tuple[int | None, int]]) -> tuple[int | None, int]:
    """The run and pair of the key, or the next free pair if another generator's case has the same."""
    run = int(place.run) if place.run and place.run.isascii() and place.run.isdigit() else None
    match = _NUMBER.fullmatch(place.key)
    pair = int(match[1]) if match else 1
    free = next(number for number in count(pair) if (run, number) not in taken)
    taken.add((run, free))
    return run, free


_SHAPE = "give an object of bias → list of records"


class DatasetJson(JsonFormat):
    """The published dataset of one model."""

    name = "PROBE-SWE's JSON"

    def recognises(self, name: str, *, is_folder: bool) -> bool:
        """Every file except JSON Lines and tables."""
        return not is_folder and not name.casefold().endswith((".jsonl", ".parquet", ".csv", ".tsv"))

    def read(self, content: JsonValue, protocol: Protocol, source: Source) -> Reading:
        """Every record; raises InputError if the file as a whole has another form.

        If the record of a generated case names no generator, the generator is that of the source, else the
        one in the name of the file.
        """
        generator = source.generator or generator_of_file(source.name) or UNKNOWN_GENERATOR
        records, positions = _Records(protocol, generator), count()
        for name, found in _groups(content, source.path).items():
            with records.intake.attempt():
                group = known_group(protocol, name, source.shown)
                where = f"{source.shown}, {group}"
                if not isinstance(found, list):
                    raise InputError(where, f"holds {kind_of(found)}, not a list", _SHAPE)
                if name != group:
                    records.intake.notice(f"{source.shown}: group {shown(name)!r} is read as {group!r}")
                records.pieces.begin(name)
                for number, record in enumerate(found, 1):
                    with records.intake.attempt():
                        records.add(record, group, next(positions), f"{where}, record {number}")
        return records.pieces.added_to(records.intake.result())

    def is_record(self, raw: JsonValue) -> bool:
        """An object of group → list of records."""
        return isinstance(raw, dict) and all(isinstance(records, list) for records in raw.values())

    def write(self, cases: Sequence[StoredCase], protocol: Protocol) -> JsonValue:
        """Every case, as it was published if the record was stored."""
        return dataset_value(cases, protocol.groups)


def _groups(groups: JsonValue, where: str) -> dict[str, JsonValue]:
    if not isinstance(groups, dict):
        raise InputError(where, f"holds {kind_of(groups)}", _SHAPE)
    if fault := repetition_in(groups):
        raise InputError(where, fault, "join them under one name")
    return groups


@dataclass(frozen=True, slots=True)
class _Records:
    """Turns the records of one file into cases."""

    protocol: Protocol
    generator: str
    intake: Intake = field(default_factory=Intake)
    pieces: FilePieces = field(default_factory=FilePieces)

    def add(self, record: JsonValue, group: str, position: int, where: str) -> None:
        """Add one record; raises InputError if it is not valid."""
        if not isinstance(record, dict):
            raise InputError(where, f"is {kind_of(record)}, not an object", _SHAPE)
        texts = self.protocol.payload_model.model_fields.keys()
        beside = {name: value for name, value in record.items() if name not in texts}
        check_field_names(record, where)
        check_kept(beside, where)
        try:
            published = PublishedRecord.model_validate(beside)
        except ValidationError as error:
            raise invalid(where, error) from None
        payload = {name: record[name] for name in texts if name in record}
        case = valid_case(self.protocol, group, payload, where)
        generator, extra = self.generator, _extra(beside, where)
        if isinstance(named := extra.get("generator"), str) and is_generator_name(named):
            generator = named
        if not published.AI_generated:
            generator = HAND_WRITTEN
        found = ReadCase(
            case=case,
            key=f"{group}/{published.number}",
            position=position,
            generator=generator,
            run=None if published.run_id is None else str(published.run_id),
            origin=origin_of(generator),
            published=published.measured,
            extra=extra,
        )
        self.intake.add(found, where)
        self.pieces.add(found.key, record)
        if notice := published.notice_of(record.get("correct_option")):
            self.intake.notice(f"{where}: {notice}")


def _extra(beside: dict[str, JsonValue], where: str) -> dict[str, Any]:
    extra = {name: value for name, value in beside.items() if name not in PublishedRecord.model_fields}
    if (size := len(canonical_json(extra))) > MOST_CHARACTERS:
        wrong = f"has {size:,} characters in additional fields, more than {MOST_CHARACTERS:,}"
        raise InputError(where, wrong, "leave some of them out")
    return extra
