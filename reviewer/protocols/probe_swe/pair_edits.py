"""Changes of the programs of a dilemma pair, collected clause by clause and made together."""

from collections import defaultdict
from collections.abc import Mapping

from reviewer.oracle.program import CONSULT_AXIOMS
from reviewer.oracle.result import Clause, Part

PROGRAMS = ("unbiased_prolog", "biased_prolog")
"""The fields with the programs, in the order of the versions."""


class PairEdits:
    """Replacements of characters in the axioms and programs of a pair. Both versions share the axioms."""

    def __init__(self, payload: Mapping[str, str]) -> None:
        self._payload = payload
        self._edits: dict[str, dict[tuple[int, int], str]] = defaultdict(dict)

    def __bool__(self) -> bool:
        return bool(self._edits)

    def remove(self, version: int, clause: Clause) -> None:
        """Remove a clause of a version (0 or 1), with its line if nothing else is on it."""
        field = _field(version, clause)
        text = self._payload[field]
        # A clause that cannot be read may begin with the line that loads the axioms, which is never read.
        loads = CONSULT_AXIOMS.match(text, clause.start)
        start = _after_blanks(text, loads.end()) if loads else clause.start
        self._edits[field][_with_line(text, start, clause.end)] = ""

    def replace(self, version: int, clause: Clause, start: int, end: int, text: str) -> None:
        """Replace characters of a clause, counted from its start."""
        self._edits[_field(version, clause)][clause.start + start, clause.start + end] = text

    def prepend(self, version: int, text: str) -> None:
        """Put lines before the clauses of a version's own program, after the line that loads the axioms."""
        loads = CONSULT_AXIOMS.match(self._payload[PROGRAMS[version]])
        at = loads.end() if loads else 0
        self._edits[PROGRAMS[version]][at, at] = f"\n{text}" if loads else f"{text}\n"

    def append(self, version: int, text: str) -> None:
        """Put lines after a version's own program."""
        at = len(self._payload[PROGRAMS[version]])
        self._edits[PROGRAMS[version]][at, at] = f"\n{text}"

    @property
    def texts(self) -> dict[str, str]:
        """The changed texts by field."""
        return {field: self._changed(field) for field in self._edits}

    def _changed(self, field: str) -> str:
        text = self._payload[field]
        for (start, end), new in sorted(self._edits[field].items(), reverse=True):
            text = text[:start] + new + text[end:]
        return text


def _field(version: int, clause: Clause) -> str:
    return "axioms" if clause.place.part is Part.AXIOMS else PROGRAMS[version]


def _after_blanks(text: str, at: int) -> int:
    return len(text) - len(text[at:].lstrip())


def _with_line(text: str, start: int, end: int) -> tuple[int, int]:
    """The range, or its whole lines if there is nothing but the range on them."""
    first = text.rfind("\n", 0, start) + 1
    newline = text.find("\n", end)
    last = len(text) if newline < 0 else newline + 1
    return (first, last) if not (text[first:start] + text[end:last]).strip() else (start, end)
