"""Templates of scenarios at five levels of detail: cases, published shares, and how answers are read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from reviewer.agreement.proportions import wilson
from reviewer.core.errors import InputError
from reviewer.core.estimate import Estimate
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.sanitize import agreeing, counted, one_line, shown
from reviewer.core.strict_json import parse
from reviewer.core.table import Cell, Table
from reviewer.protocols.base import DatasetCase, Protocol
from reviewer.protocols.detail_levels.levels_protocol import (
    AS_KEYED,
    BIASED,
    CHOICE_TAKEN,
    KIND,
    KNOWN,
    NO_CHOICE,
    NUMBER_OF_LEVELS,
    AnsweredLevel,
    DetailLevels,
    asked_choice,
)
from reviewer.protocols.detail_levels.published_shares import (
    ABSENT,
    CELL_COLUMNS,
    WITHOUT_CASES,
    PublishedShares,
    read_shares,
)
from reviewer.protocols.intake import invalid
from reviewer.protocols.reading.answer_reader import chosen_in
from reviewer.protocols.reading.choices import Choices
from reviewer.protocols.templates.pieces import FilledPiece
from reviewer.protocols.templates.slot_template import FilledSlots, SlotTemplate
from reviewer.protocols.templates.template_plans import NotedTable, SlotTemplates
from store.records import Case

RIGHT, OTHER_CHOICE, OVERLOOKED, INVENTED = "right", "another choice", "not read", "read without a choice"
RESULTS: Final = (RIGHT, OTHER_CHOICE, OVERLOOKED, INVENTED)


@dataclass(frozen=True, slots=True)
class KnownReading:
    """An answer with its known choice and the choice that the reader finds; "none" without a choice."""

    key: str
    kind: str
    answer: str
    known: str
    read: str
    remark: str

    @property
    def result(self) -> str:
        """One of ``RESULTS``."""
        if self.read == self.known:
            return RIGHT
        if self.read == NO_CHOICE:
            return OVERLOOKED
        return INVENTED if self.known == NO_CHOICE else OTHER_CHOICE


def known_readings(text: str, where: str) -> Iterator[KnownReading]:
    """Reads the answers of a file of cases with known choices; raises InputError."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _known_reading(parse(line, f"{where}, line {number}"), f"{where}, line {number}")


def _known_reading(content: Any, where: str) -> KnownReading:
    published = content.get("published") if isinstance(content, dict) else None
    if not isinstance(published, Mapping) or published.get(KNOWN) not in CHOICE_TAKEN.labels:
        raise InputError(where, f"has no published {KNOWN}", f"give one of {', '.join(CHOICE_TAKEN.labels)}")
    try:
        answered = AnsweredLevel.model_validate(content.get("payload"))
    except ValidationError as error:
        first = error.errors()[0]
        wrong = f"has a payload that does not fit ({' '.join(map(str, first['loc']))}: {shown(first['msg'])})"
        raise InputError(where, wrong, "give text, choices and answer") from None
    read = chosen_in(answered.answer, Choices.lettered(answered.choices))
    kind, key = str(published.get(KIND, "")), str(content.get("key", ""))
    return KnownReading(key, kind, answered.answer, str(published[KNOWN]), read.label or NO_CHOICE, read.why)


FILLED_BY: Final = "templates"
"""The generator of these cases."""


def instances_of(
    protocol: Protocol, templates: Sequence[SlotTemplate], number: int, seed: int
) -> Iterator[DatasetCase]:
    """So many instances of each template, with the slots' values as published; raises InputError."""
    for template in templates:
        for at, filled in enumerate(template.fillings(number, seed), 1):
            case = _case(protocol, template, filled)
            values = "; ".join(f"{name} = {value}" for name, value in filled.values.items())
            keyed = asked_choice(case).key == BIASED
            key = f"{template.group}/{template.name}/{at}"
            yield DatasetCase(key, case, {"slots": values, AS_KEYED: keyed})


def _case(protocol: Protocol, template: SlotTemplate, filled: FilledSlots) -> Case:
    levels = [_text(pieces) for pieces in filled.levels]
    payload = {
        "template": template.name,
        "levels": levels,
        "choices": [{"text": _text(pieces), "key": key} for pieces, key in filled.choices],
        "filled": [span for level, pieces in enumerate(filled.levels, 1) for span in _spans(level, pieces)],
    }
    try:
        return protocol.case(template.group, payload)
    except ValidationError as error:
        raise invalid(template.where, error) from None


def _text(pieces: Sequence[FilledPiece]) -> str:
    return "".join(piece.text for piece in pieces)


def _spans(level: int, pieces: Sequence[FilledPiece]) -> Iterator[dict[str, str | int]]:
    end = 0
    for piece in pieces:
        start, end = end, end + len(piece.text)
        if piece.kind != "literal":
            yield {"level": level, "start": start, "end": end, "name": piece.name}


_LEVELS = tuple(f"level_{number}" for number in range(1, NUMBER_OF_LEVELS + 1))


class LevelTemplates(SlotTemplates):
    """Templates of scenarios, told at five levels."""

    levels = NUMBER_OF_LEVELS
    filled_by = FILLED_BY
    share_columns = CELL_COLUMNS

    def cases(self, templates: Sequence[SlotTemplate], times: int, seed: int) -> Iterator[DatasetCase]:
        """One instance of each filling."""
        return instances_of(DetailLevels(), templates, times, seed)

    def published_shares(self, texts: Mapping[str, str], view: str) -> NotedTable:
        """Every share (entries), the models in order (ranking), or means by level (levels)."""
        shares = read_shares(texts)
        table = {"entries": _entries, "ranking": _ranking, "levels": _levels}[view](shares)
        return NotedTable(table, tuple(_sentences(shares)))

    def compared_shares(
        self, texts: Mapping[str, str], where: str, rows: Sequence[Mapping[str, str]]
    ) -> NotedTable:
        """The published averages beside the means over temperatures."""
        compared = list(read_shares(texts).compared(rows, where))
        table = [
            (cell.model, cell.group, cell.published, all_digits(cell.recomputed), cell.fits)
            for cell in compared
        ]
        known = [cell.fits for cell in compared if cell.fits is not None]
        of = f"{sum(known):,} of {counted(len(known), 'cell')}"
        notes = [f"{of} {agreeing(len(known), 'is', 'are')} within .001 of the mean over temperatures."]
        if absent := len(compared) - len(known):
            have = agreeing(absent, "has no shares", "have no shares")
            notes.append(f"{counted(absent, 'cell')} {have} in the files: not compared.")
        columns = ("model", "group", "published", "recomputed", "within_.001")
        return NotedTable(Table.of(columns, table), tuple(notes))

    def known_readings(self, text: str, where: str, *, errors: bool) -> NotedTable:
        """The reader's results by the kind of answer, or every answer that is read wrongly."""
        readings = list(known_readings(text, where))
        if not readings:
            raise InputError(where, "holds no answer", "check that it is the right file")
        right = sum(reading.result == RIGHT for reading in readings)
        interval = wilson(right, len(readings))
        ends = f"{fixed(interval.low, 3)} to {fixed(interval.high, 3)}, {interval.method}"
        share = fixed(right / len(readings), 3)
        note = f"{right:,} of {len(readings):,} answers are read rightly: {share} ({ends})."
        return NotedTable(_errors(readings) if errors else _by_kind(readings), (note,))


def _entries(shares: PublishedShares) -> Table:
    rows = [
        (
            *(entry.model, entry.group, entry.temperature, entry.answers),
            *(entry.estimate.value, *entry.levels),
            *(entry.average_fits, None if entry in shares.truncated else entry.counts_fit),
        )
        for entry in shares.entries
    ]
    columns = ("model", "group", "temperature", "answers", "average", *_LEVELS)
    return Table.of((*columns, "average_is_mean", "whole_numbers"), rows)


def _ranking(shares: PublishedShares) -> Table:
    rows = [(each.rank, each.model, all_digits(each.resistance), each.answers) for each in shares.ranking()]
    return Table.of(("rank", "model", "resistance", "answers"), rows)


def _levels(shares: PublishedShares) -> Table:
    rows = [(each.group, *map(all_digits, each.levels), *_ends(each.slope)) for each in shares.level_means()]
    return Table.of(("group", *_LEVELS, "slope", "low", "high", "models"), rows)


def _ends(slope: Estimate) -> Iterator[Cell]:
    low, high = (slope.interval.low, slope.interval.high) if slope.interval else (None, None)
    yield from (all_digits(slope.value), all_digits(low), all_digits(high), slope.n)


def _sentences(shares: PublishedShares) -> Iterator[str]:
    for file in dict.fromkeys(entry.file for entry in shares.entries):
        entries = [entry for entry in shares.entries if entry.file == file]
        answers = sum(entry.answers for entry in entries)
        models = counted(len({entry.model for entry in entries}), "model")
        number = f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}"
        truncated = counted(sum(entry in shares.truncated for entry in entries), "truncated run")
        yield f"{file}: {number} of {models}, {answers:,} answers, {truncated}."
    fit = sum(entry.average_fits for entry in shares.entries)
    yield f"The average is the mean of the levels to 1e-9 in {fit:,} of {len(shares.entries):,}."
    whole = [entry for entry in shares.entries if entry not in shares.truncated]
    fit = sum(entry.counts_fit for entry in whole)
    yield f"The shares are whole numbers of answers in {fit:,} of {len(whole):,} without the truncated runs."
    yield from shares.faults()
    if shares.truncated:
        yield "Counts by level are not published for the runs with fewer answers than others of their group:"
        for entry in shares.truncated:
            where = f"{entry.model}, {entry.group}, temperature {entry.temperature}"
            yield f"  {where}: {entry.answers:,} answers."
    yield ABSENT
    for model in shares.models:
        lacking, first = shares.lacking(model)
        if lacking:
            more = f" and {lacking - len(first):,} more" if lacking > len(first) else ""
            yield f"{model} has no share for {', '.join(first)}{more}."
    common = shares.common_groups
    yield f"Models are ranked over the {len(common)} of {counted(len(shares.groups), 'group')} that all have."
    yield f"Shares are {WITHOUT_CASES}, so they have no interval over cases."


def _by_kind(readings: list[KnownReading]) -> Table:
    counts = Counter((reading.kind, reading.result) for reading in readings)
    kinds = dict.fromkeys(reading.kind for reading in readings)
    rows: list[tuple[Cell, ...]] = [
        (kind, sum(counts[kind, result] for result in RESULTS), *(counts[kind, result] for result in RESULTS))
        for kind in kinds
    ]
    return Table.of(("kind", "answers", *RESULTS), rows)


def _errors(readings: list[KnownReading]) -> Table:
    columns = ("key", "kind", "result", "known", "read", "remark")
    wrong = [reading for reading in readings if reading.result != RIGHT]
    rows = [(*(getattr(one, name) for name in columns), one_line(one.answer)) for one in wrong]
    return Table.of((*columns, "answer"), rows)
