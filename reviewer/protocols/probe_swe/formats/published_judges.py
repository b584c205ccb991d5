"""Published tables of judges: how many pairs a judge rejected, by bias and check.

A file is an object with ``discarded_dilemmas_count``, the same as a share of all pairs, and counts by bias
and by check. The check that the files call ``bias_towards_incorrect`` in fact counts pairs of which the judge
denies the bias: that it is in the biased version only, and speaks for the wrong option.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import RepeatingObject, kind_of, parse
from reviewer.protocols.judging.judge_table import JudgeTable, TableCheck
from reviewer.protocols.probe_swe.dilemma import BIASES

_WHOLE, _SHARE = "discarded_dilemmas_count", "discarded_dilemmas_count_ratio"
_BY_GROUP, _BY_CHECK = f"{_WHOLE}_by_bias", f"{_WHOLE}_by_filter_by_bias"
_FIELDS: Final = (_WHOLE, _SHARE, _BY_GROUP, _BY_CHECK)
CHECKS: Final = (
    TableCheck("bias_towards_incorrect", "the bias exists", "bias_presence"),
    TableCheck("output_matching", "models decide as logic does"),
)
_PERCENT: Final = re.compile(r"(?P<percent>[0-9]{1,3}(?:\.[0-9]{1,9})?)%")
_JUDGE: Final = re.compile(r"judges?\.(?:(?P<dataset>.+)\.)?(?P<judge>[^.].*?)\.json", re.DOTALL)
_MOST: Final = 10**9
_RIGHT_FILE: Final = "check that it is a published table of a judge"


def read_judge_table(text: str, file: str) -> JudgeTable:
    """The table of one judge; raises InputError, also where counts contradict each other."""
    where = repr(file)
    fields = _object(parse(text, where), where, _FIELDS)
    counts = {
        group: _counts(_object(of_group, f"{where}, {group}"), f"{where}, {group}")
        for group, of_group in _object(fields[_BY_CHECK], f"{where}, {_BY_CHECK}").items()
    }
    for group in counts:
        if group not in {bias.name for bias in BIASES}:
            raise InputError(where, f"has the bias {shown(group)!r}, which PROBE-SWE has not", _RIGHT_FILE)
    sums = {group: sum(of_group.values()) for group, of_group in counts.items()}
    by_group = {
        group: _count(number, f"{where}, {_BY_GROUP}, {group}")
        for group, number in _object(fields[_BY_GROUP], f"{where}, {_BY_GROUP}").items()
    }
    whole = _count(fields[_WHOLE], f"{where}, {_WHOLE}")
    if by_group != sums or whole != sum(sums.values()):
        raise InputError(where, "has totals that are not the sums of its counts by check", _RIGHT_FILE)
    return JudgeTable(_judge_of(file), CHECKS, _cases(fields[_SHARE], whole, where), counts)


def _judge_of(file: str) -> str:
    """The judge that a file is named after: ``judges.DATASET.JUDGE.json``; else the file's name."""
    name = file.rsplit("/", 1)[-1]
    match = _JUDGE.fullmatch(name)
    return match["judge"] if match else name


def _cases(share: Any, rejected: int, where: str) -> range:
    """How many pairs there can be: the share is rounded to the digits that it has."""
    match = _PERCENT.fullmatch(share) if isinstance(share, str) else None
    if match is None:
        raise InputError(where, f"has no percentage, such as 33.50%, as its {_SHARE}", _RIGHT_FILE)
    text = match["percent"]
    near = 0.5 * 10.0 ** -(len(text.partition(".")[2])) * (1 + 1e-9)
    low, high = (float(text) - near) / 100, (float(text) + near) / 100
    if not rejected or low <= 0:
        return range(rejected, _MOST)
    fewest = -int(-rejected / high // 1)
    most = int(rejected / low)
    if high > 1 + 2 * near or fewest > most:
        raise InputError(
            where, f"has {shown(share)} as its {_SHARE}, which no number of pairs gives", _RIGHT_FILE
        )
    return range(max(fewest, rejected), most + 1)


def _counts(found: Mapping[str, Any], where: str) -> dict[str, int]:
    known = {check.name for check in CHECKS}
    if unknown := [name for name in found if name not in known]:
        raise InputError(
            where, f"has the check {shown(unknown[0])!r}", f"such tables have {' and '.join(sorted(known))}"
        )
    return {check.name: _count(found.get(check.name, 0), f"{where}, {check.name}") for check in CHECKS}


def _count(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST:
        raise InputError(where, "is not a number of pairs", "give a whole number from 0")
    return value


def _object(value: Any, where: str, fields: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(where, f"is {kind_of(value)}, not an object", _RIGHT_FILE)
    if isinstance(value, RepeatingObject):
        raise InputError(where, f"names {shown(value.repeated)!r} twice", "leave one of them out")
    if missing := next(_missing(value, fields), None):
        raise InputError(where, f"has no {missing}", _RIGHT_FILE)
    return value


def _missing(value: Mapping[str, Any], fields: tuple[str, ...]) -> Iterator[str]:
    return (name for name in fields if name not in value)
