"""The differences between two programs, clause by clause, ignoring names of variables and order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from reviewer.core.text_diff import Change, TextDiff, diff_texts


@dataclass(frozen=True, slots=True)
class ClauseSpan:
    """Characters ``start`` up to, not including, ``end`` of a source. Equal ``shape``, equal clause."""

    start: int
    end: int
    shape: str


@dataclass(frozen=True, slots=True)
class _Unit:
    """A clause or a remark, with the blanks after it."""

    text: str
    shape: str

    @property
    def subject(self) -> str:
        """The name that the clause begins with."""
        return self.shape.partition("(")[0]


Clauses = tuple[ClauseSpan, ...]


@lru_cache(maxsize=64)
def diff_clauses(left: str, left_clauses: Clauses, right: str, right_clauses: Clauses) -> TextDiff:
    """Compare two sources by their clauses, and two clauses on the same subject by their words.

    Text outside clauses, such as remarks, is compared line by line. Joined, the changes give each source
    back. A clause that was only moved appears on one side at each of its places and is marked ``alike``.
    """
    here, there = list(_units(left, left_clauses)), list(_units(right, right_clauses))
    matcher = SequenceMatcher(None, [u.shape for u in here], [u.shape for u in there], autojunk=False)
    blocks = [(op, here[i1:i2], there[j1:j2]) for op, i1, i2, j1, j2 in matcher.get_opcodes()]
    apart = [(ours, theirs) for op, ours, theirs in blocks if op != "equal"]
    moved = Counter(u.shape for ours, _ in apart for u in ours) & Counter(
        u.shape for _, theirs in apart for u in theirs
    )
    gone, come = moved.copy(), moved.copy()
    changes: list[Change] = []
    for op, ours, theirs in blocks:
        if op == "equal":
            changes += [Change(a.text, b.text, alike=True) for a, b in zip(ours, theirs, strict=True)]
        else:
            changes += _parted(ours, theirs, gone, come)
    return TextDiff(tuple(changes))


def _parted(
    ours: Sequence[_Unit], theirs: Sequence[_Unit], gone: Counter[str], come: Counter[str]
) -> Iterator[Change]:
    """The changes of a block that differs: moved clauses, changed clauses, and clauses of one side only."""
    rest = [(unit, _taken(come, unit)) for unit in theirs]
    for unit in ours:
        if _taken(gone, unit):
            yield Change(unit.text, "", alike=True)
            continue
        partner = next((n for n, (u, elsewhere) in enumerate(rest) if not elsewhere and _kin(u, unit)), None)
        if partner is None:
            yield Change(unit.text, "")
            continue
        yield from (Change("", u.text, alike=elsewhere) for u, elsewhere in rest[:partner])
        yield from diff_texts(unit.text, rest[partner][0].text).changes
        rest = rest[partner + 1 :]
    yield from (Change("", u.text, alike=elsewhere) for u, elsewhere in rest)


def _taken(counter: Counter[str], unit: _Unit) -> bool:
    """Whether the counter still holds the unit; takes it out."""
    counter[unit.shape] -= 1
    return counter[unit.shape] >= 0


def _kin(one: _Unit, other: _Unit) -> bool:
    return one.subject == other.subject


def _units(text: str, clauses: Clauses) -> Iterator[_Unit]:
    starts: list[tuple[int, str]] = []
    at = 0
    for clause in clauses:
        starts += _remarks(text, at, clause.start)
        starts.append((_indented(text, at, clause.start), clause.shape))
        at = clause.end
    starts += _remarks(text, at, len(text))
    # Text before the first unit belongs to it, so that the units cover the whole text.
    starts[:1] = [(0, starts[0][1] if starts else "")] if text else []
    for (start, shape), (end, _) in pairwise([*starts, (len(text), "")]):
        yield _Unit(text[start:end], shape)


def _remarks(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The start and the text of each line that is not blank."""
    for line in text[start:end].splitlines(keepends=True):
        if line.strip():
            yield start, line.strip()
        start += len(line)


def _indented(text: str, least: int, start: int) -> int:
    """The start of the blanks before a clause on its line."""
    while start > least and text[start - 1] in " \t":
        start -= 1
    return start
