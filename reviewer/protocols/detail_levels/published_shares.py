"""Published tables of resistance by model, bias, temperature and level: estimates without cases.

A file is a JSON object of models; each holds biases; each of these holds temperatures with the number of
answers, the average, and the share of resistant answers at each level.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final

from reviewer.agreement.clustered_ratios import ClusterSums, combination
from reviewer.core.errors import InputError
from reviewer.core.estimate import Estimate
from reviewer.core.sanitize import counted, shown
from reviewer.core.strict_json import RepeatingObject, kind_of, parse
from reviewer.protocols.detail_levels.levels_protocol import NUMBER_OF_LEVELS

_NAME, _ANSWERS, _AVERAGE = "displayName", "total_samples", "average"
_LEVELS: Final = tuple(f"level_{number}" for number in range(1, NUMBER_OF_LEVELS + 1))
_FIELDS: Final = (_ANSWERS, _AVERAGE, *_LEVELS)
_AVERAGE_CLOSE: Final = 1e-9
_COUNT_CLOSE: Final = 1e-6
_TEMPERATURE: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_HIGHEST_TEMPERATURE: Final = 100
_CELL_CLOSE: Final = 0.001 + 1e-12
_MOST_ANSWERS: Final = 10**9
_NAMED: Final = 8
WITHOUT_CASES: Final = "published without cases"
ABSENT: Final = (
    "The files hold only resistance, 1 minus the biased share: the unrelated share, the unbiased share and "
    "the share of answers that were not read are nowhere."
)
CELL_COLUMNS: Final = ("model_key", "bias", "paper_table1")


@dataclass(frozen=True, slots=True)
class ShareEntry:
    """The resistance of one model to one bias at one temperature: the average, and that of each level."""

    file: str
    model: str
    group: str
    temperature: str
    answers: int
    average: float
    levels: tuple[float, ...]

    @property
    def estimate(self) -> Estimate:
        """The average, whose error is unknown without the cases."""
        return Estimate(self.average, self.answers, se_reason=WITHOUT_CASES)

    @property
    def average_fits(self) -> bool:
        """Whether the average is the mean of the levels."""
        return math.isclose(
            self.average, math.fsum(self.levels) / NUMBER_OF_LEVELS, rel_tol=0, abs_tol=_AVERAGE_CLOSE
        )

    @property
    def counts_fit(self) -> bool:
        """Whether each level's share is a whole number of answers, with as many answers at each level."""
        a_level, rest = divmod(self.answers, NUMBER_OF_LEVELS)
        counts = (share * a_level for share in self.levels)
        return not rest and all(abs(count - round(count)) <= _COUNT_CLOSE for count in counts)


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A model with its mean over the biases that all models have."""

    rank: int
    model: str
    resistance: float
    answers: int


@dataclass(frozen=True, slots=True)
class LevelMeans:
    """The mean over models at each level for one bias, and the mean slope with an interval over models."""

    group: str
    levels: tuple[float, ...]
    slope: Estimate


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A cell of a published table of averages, and the mean over temperatures; None if no entry has it."""

    model: str
    group: str
    published: float
    recomputed: float | None

    @property
    def fits(self) -> bool | None:
        """Whether both are within .001; None if there is nothing to compare with."""
        return None if self.recomputed is None else abs(self.published - self.recomputed) <= _CELL_CLOSE


@dataclass(frozen=True)
class PublishedShares:
    """All entries of some files."""

    entries: tuple[ShareEntry, ...]

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The biases, in the order of the files."""
        return tuple(dict.fromkeys(entry.group for entry in self.entries))

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models, in the order of the files."""
        return tuple(dict.fromkeys(entry.model for entry in self.entries))

    @cached_property
    def truncated(self) -> Mapping[ShareEntry, None]:
        """Entries with fewer answers than others of their bias: their counts by level are not published."""
        most = Counter[str]()
        for entry in self.entries:
            most[entry.group] = max(most[entry.group], entry.answers)
        return dict.fromkeys(entry for entry in self.entries if entry.answers < most[entry.group])

    @cached_property
    def by_cell(self) -> Mapping[tuple[str, str], tuple[ShareEntry, ...]]:
        """The entries of each model and bias: one for each temperature."""
        cells = defaultdict[tuple[str, str], list[ShareEntry]](list)
        for entry in self.entries:
            cells[entry.model, entry.group].append(entry)
        return {key: tuple(cell) for key, cell in cells.items()}

    @property
    def common_groups(self) -> tuple[str, ...]:
        """The biases that all models have."""
        models = Counter(group for _, group in self.by_cell)
        return tuple(group for group in self.groups if models[group] == len(self.models))

    def lacking(self, model: str) -> tuple[int, tuple[str, ...]]:
        """How many biases a model has no share for, and the first of them."""
        absent = (group for group in self.groups if (model, group) not in self.by_cell)
        return len(self.groups) - self._groups_of[model], tuple(islice(absent, _NAMED))

    @cached_property
    def _groups_of(self) -> Counter[str]:
        return Counter(model for model, _ in self.by_cell)

    def average(self, model: str, group: str) -> float | None:
        """The mean of the averages over temperatures; None if there is no entry."""
        of_cell = self.by_cell.get((model, group))
        return math.fsum(entry.average for entry in of_cell) / len(of_cell) if of_cell else None

    def faults(self) -> Iterator[str]:
        """A sentence for each entry that breaks an identity."""
        for entry in self.entries:
            where = f"{entry.file}: {entry.model}, {entry.group}, temperature {entry.temperature}"
            if not entry.average_fits:
                yield f"{where}: the average is not the mean of the levels."
            if entry not in self.truncated and not entry.counts_fit:
                yield f"{where}: a level's share is not a whole number of its answers."

    def ranking(self) -> list[RankedModel]:
        """Models by their mean over the biases that all have; none if no bias is common to all."""
        groups = frozenset(self.common_groups)
        if not groups:
            return []
        means = {
            model: math.fsum(self.average(model, group) or 0.0 for group in groups) / len(groups)
            for model in self.models
        }
        answers = Counter[str]()
        for entry in self.entries:
            answers[entry.model] += entry.answers * (entry.group in groups)
        order = sorted(means, key=lambda model: -means[model])
        return [RankedModel(at, model, means[model], answers[model]) for at, model in enumerate(order, 1)]

    def level_means(self) -> Iterator[LevelMeans]:
        """For each bias the mean over models, each of these the mean over its temperatures."""
        by_group = defaultdict[str, list[tuple[float, ...]]](list)
        for (_, group), cell in self.by_cell.items():
            levels = zip(*(entry.levels for entry in cell), strict=True)
            by_group[group].append(tuple(math.fsum(at) / len(cell) for at in levels))
        for group, of_models in by_group.items():
            slopes = [_slope(levels) for levels in of_models]
            means = tuple(math.fsum(at) / len(of_models) for at in zip(*of_models, strict=True))
            yield LevelMeans(
                group, means, combination([ClusterSums.of_cases(slopes, [1.0] * len(slopes))], [1])
            )

    def compared(self, rows: Sequence[Mapping[str, str]], where: str) -> Iterator[ComparedCell]:
        """The cells of a table with the columns ``CELL_COLUMNS``; raises InputError."""
        for number, row in enumerate(rows, 1):
            at = f"{where}, row {number}"
            model, group, said = (row[column] for column in CELL_COLUMNS)
            try:
                published = float(said)
            except ValueError:
                published = math.nan
            if not 0 <= published <= 1:
                raise InputError(at, f"has {shown(said)} as its cell", "give a share from 0 to 1")
            yield ComparedCell(model, group, published, self.average(model, group))


def read_shares(texts: Mapping[str, str]) -> PublishedShares:
    """The entries of files, given as texts by name; raises InputError."""
    entries: list[ShareEntry] = []
    seen: dict[str, str] = {}
    for file, text in texts.items():
        for model, content in _items(parse(text, file), file, "models"):
            where = f"{file}, model {shown(model)}"
            if model in seen:
                raise InputError(where, f"is in {seen[model]} already", "leave one of them out")
            seen[model] = file
            for group, temperatures in _items(content, where, "biases"):
                if group == _NAME:
                    continue
                of_group = f"{where}, {shown(group)}"
                for temperature, values in _by_temperature(temperatures, of_group):
                    at = f"{of_group}, temperature {temperature}"
                    entries.append(_entry(file, model, group, temperature, values, at))
    if not entries:
        raise InputError(", ".join(texts), "holds no share", "check that it is the right file")
    return PublishedShares(tuple(entries))


def _items(content: Any, where: str, holds: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(content, dict):
        raise InputError(where, f"is {kind_of(content)}, not an object of {holds}", "correct it")
    if isinstance(content, RepeatingObject):
        raise InputError(where, f"names {shown(content.repeated)} twice", "leave one of them out")
    yield from content.items()


def _by_temperature(content: Any, where: str) -> Iterator[tuple[str, Any]]:
    """The shares at each temperature. Files write one temperature in several ways, such as 0.2 and 0.20."""
    seen: dict[float, str] = {}
    for text, values in _items(content, where, "temperatures"):
        temperature = float(text) if _TEMPERATURE.fullmatch(text) else math.inf
        if temperature > _HIGHEST_TEMPERATURE:
            raise InputError(
                where,
                f"has {shown(text)} as a temperature",
                f"give a number from 0 to {_HIGHEST_TEMPERATURE}, such as 0.2",
            )
        if temperature in seen:
            both = f"gives temperature {temperature} twice, as {seen[temperature]} and {text}"
            raise InputError(where, both, "leave one of them out")
        seen[temperature] = text
        yield str(temperature), values


def _entry(file: str, model: str, group: str, temperature: str, values: Any, where: str) -> ShareEntry:
    found = dict(_items(values, where, "shares"))
    levels = sum(name.startswith("level_") for name in found)
    if levels != NUMBER_OF_LEVELS:
        raise InputError(where, f"has {counted(levels, 'level')}", f"give {NUMBER_OF_LEVELS}")
    for name in _FIELDS:
        if name not in found:
            raise InputError(where, f"has no {name}", "add it")
    if unknown := [name for name in found if name not in _FIELDS]:
        raise InputError(where, f"has the unknown field {shown(unknown[0])}", f"use {', '.join(_FIELDS)}")
    answers = found[_ANSWERS]
    if isinstance(answers, bool) or not isinstance(answers, int) or not 0 < answers <= _MOST_ANSWERS:
        raise InputError(where, f"has no whole number of answers as its {_ANSWERS}", "correct it")
    shares = {name: _share_in(found[name], name, where) for name in (_AVERAGE, *_LEVELS)}
    average, *by_level = shares.values()
    return ShareEntry(file, model, group, temperature, answers, average, tuple(by_level))


def _share_in(value: Any, name: str, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(where, f"has {shown(str(value))} as its {name}", "give a share from 0 to 1")
    return float(value)


def _slope(levels: Sequence[float]) -> float:
    """The least-squares slope from one level to the next."""
    middle = (len(levels) - 1) / 2
    spread = math.fsum((at - middle) ** 2 for at in range(len(levels)))
    return math.fsum((at - middle) * share for at, share in enumerate(levels)) / spread
