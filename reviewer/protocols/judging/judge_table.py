"""A published table of a judge: how many cases of each group it rejected, by check."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableCheck:
    """A check of such tables: its name in the files, what it asks, and the question that asks the same.

    ``question`` is "" where experts and judges of a study are not asked that.
    """

    name: str
    asks: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class JudgeTable:
    """``rejected`` has for each group and check how many cases were rejected, of ``cases`` in all.

    Shares are published rounded, so that several numbers of cases are possible.
    """

    judge: str
    checks: tuple[TableCheck, ...]
    cases: range
    rejected: Mapping[str, Mapping[str, int]]
