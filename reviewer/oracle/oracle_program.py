"""What the oracle runs: a program, a query, and limits."""

import re
from dataclasses import dataclass, field, replace

from reviewer.oracle.result import Part

DEFAULT_QUERY = "decide_option(user, Choice)"
SOURCE_LANGUAGE = "prolog"
"""The name of the lexer that colours programs."""
CONSULT_AXIOMS = re.compile(
    r":-\s*(?:(?:consult|ensure_loaded)\(\s*(?:'axioms(?:\.pl)?'|\"axioms(?:\.pl)?\"|axioms)\s*\)"
    r"|\[\s*(?:'axioms(?:\.pl)?'|axioms)\s*\])\s*\."
)

_SCRIPT_HEADER = re.compile(r"\A#[^\n]*")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use: inferences for each search, seconds of CPU and of the clock, bytes.

    ``solutions`` limits the distinct solutions that are listed, ``source_chars`` the text that is run. The
    inference limit is meant to be reached first: it is the same on every machine. Every further program that
    shares a process adds one second of the clock to the deadline.
    """

    inferences: int = 10_000_000
    cpu_seconds: int = 3
    seconds: float = 15.0
    memory_bytes: int = 512 * 2**20
    stack_bytes: int = 32 * 2**20
    reply_bytes: int = 2**20
    solutions: int = 20
    source_chars: int = 200_000


@dataclass(frozen=True, slots=True)
class Program:
    """Axioms, facts and a query as in a case; the query's first named variable is the choice.

    ``listing`` asks for the clauses, the messages of loading and the undefined predicates, ``count`` for the
    published counts, ``prove`` for the proof of the first solution, and ``explain``
    for the failing goal of each of these options (Prolog terms as text) that cannot be derived. Both name
    clauses of the listing, so they need it.
    """

    facts: str
    axioms: str = ""
    query: str = DEFAULT_QUERY
    listing: bool = True
    count: bool = True
    prove: bool = True
    explain: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def text(self) -> str:
        """What is loaded: the axioms, a space, the facts; both without lines that consult the axioms.

        Such a line becomes spaces of the same length, so that an offset in the text is one in the facts,
        after ``len(axioms) + 1`` characters. This is how the published values were made. A first line that
        begins with ``#`` becomes spaces too: SWI-Prolog skips it, like the first line of a script.
        """
        text = " ".join(CONSULT_AXIOMS.sub(_blanks, part) for part in (self.axioms, self.facts))
        return _SCRIPT_HEADER.sub(_blanks, text, count=1)

    def part(self, part: Part) -> str:
        """One part as it was written."""
        return self.axioms if part is Part.AXIOMS else self.facts

    def with_facts(self, facts: str) -> "Program":
        """The same program with other facts."""
        return replace(self, facts=facts)

    def with_axioms(self, axioms: str) -> "Program":
        """The same program with other axioms."""
        return replace(self, axioms=axioms)


def _blanks(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())
