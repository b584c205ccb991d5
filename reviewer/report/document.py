"""A report as plain blocks, the same for every format; all text in them is literal."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.table import RowType, Table, TableSpec


@dataclass(frozen=True)
class Command:
    """A command inside a sentence."""

    line: str


Words = tuple[str | Command, ...]
"""A text with commands in it, in their order."""


_WITH_FACT = re.compile(r"\{(\w+):(.*?)\}")


def words(text: str, *commands: str) -> Words:
    """A text whose commands stand in backticks; any other backtick may come from outside and is literal."""
    if not commands:
        return (text,)
    *others, last = commands
    before, quoted, after = text.rpartition(f"`{last}`")
    return (*words(before, *others), Command(last), after) if quoted else words(text, *others)


@dataclass(frozen=True)
class Appendices:
    """What follows are appendices."""


@dataclass(frozen=True)
class Section:
    """A heading; level 1 is a section, 2 a part of one, or one of an ``appendix``."""

    title: str
    level: int = 1
    appendix: bool = False

    @property
    def heading(self) -> str:
        """The title, for formats that do not count appendices."""
        return f"Appendix: {self.title}" if self.appendix else self.title

    @property
    def anchor(self) -> str:
        """Where links inside a page lead."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.title.lower())


@dataclass(frozen=True)
class Paragraph:
    """A few sentences; ``commands`` are those that stand in backticks in them."""

    text: str
    commands: tuple[str, ...] = ()

    @property
    def words(self) -> Words:
        """The text with its commands told apart."""
        return words(self.text, *self.commands)


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Box:
    """A few sentences set apart, under a title."""

    title: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names with their values."""

    rows: tuple[tuple[str, Words], ...]


@dataclass(frozen=True)
class Quote:
    """A text that is quoted word for word, under a title: its paragraphs, each with its head or ""."""

    title: str
    parts: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The paragraphs below each other."""
        return "\n".join(f"{head} {text}".lstrip() for head, text in self.parts)


@dataclass(frozen=True)
class Numbers:
    """A table with its caption and notes; ``name`` is its label.

    ``loud`` says which rows are emphasised, and ``quiet`` which rest on few cases and are grey.

    The first ``keys`` columns say what a row is about: they are repeated where a table is split.
    """

    name: str
    caption: str
    table: Table
    notes: tuple[str, ...] = ()
    loud: tuple[bool, ...] = ()
    keys: int = 1
    quiet: tuple[bool, ...] = ()


def told_of(caption: str, facts: Mapping[str, bool]) -> str:
    """A caption whose words in braces are true only with a fact ("{fact:words}"), without what is not so."""
    return _WITH_FACT.sub(lambda words: words[2] if facts[words[1]] else "", caption)


def numbers(
    name: str,
    caption: str,
    spec: TableSpec[RowType],
    rows: Sequence[RowType],
    digits: int,
    notes: Sequence[str] = (),
    loud: Sequence[bool] = (),
) -> Numbers:
    """A declared table with its rows; ``notes`` stand behind its legend."""
    remarks = tuple(note for note in (spec.legend(rows), *notes) if note)
    quiet = tuple(map(spec.rests_on_few, rows))
    return Numbers(name, caption, spec.for_people(rows, digits), remarks, tuple(loud), spec.keys, quiet)


@dataclass(frozen=True)
class Picture:
    """A figure by its name, with its caption and an alternative text for readers who cannot see it."""

    name: str
    caption: str
    alternative: str


@dataclass(frozen=True)
class VoteLine:
    """The votes on one item in a line, and the notes on it, each with the name of who wrote it."""

    line: str
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Votes:
    """A case with votes of raters: its title, its texts, each with the name of its version, and its items."""

    title: str
    texts: tuple[tuple[str, str], ...]
    items: tuple[VoteLine, ...]


@dataclass(frozen=True)
class Commands:
    """What to type."""

    lines: tuple[str, ...]


Block = Appendices | Section | Paragraph | Points | Box | Facts | Quote | Numbers | Picture | Votes | Commands


def undefined_section(
    places: Mapping[str, Sequence[str]], means: Callable[[str, Sequence[str]], str]
) -> list[Block]:
    """Each reason for a dash with what it means, which may depend on its places, and all of these."""
    items = tuple(
        f"{reason}: {means(reason, at)} Undefined: {'; '.join(_joined(at))}." for reason, at in places.items()
    )
    lead = (
        "A dash in a table means that a value is undefined. These are the reasons."
        if items
        else "Every value in this report is defined."
    )
    return [Section("Undefined values"), Paragraph(lead), Points(items)]


def _joined(places: Sequence[str]) -> Iterator[str]:
    """Places such as "κ at a", those of the same numbers together: "κ at a, b"."""
    joined: dict[str, list[str]] = {}
    for place in dict.fromkeys(places):
        link = next((link for link in (" at ", " of ") if link in place), "")
        names, _, where = place.partition(link) if link else (place, "", "")
        joined.setdefault(names + link, []).append(where)
    yield from (names + ", ".join(where) for names, where in joined.items())


@dataclass(frozen=True)
class Document:
    """A titled sequence of blocks."""

    title: str
    blocks: tuple[Block, ...]

    def visible(self, figures: frozenset[str]) -> list[Block]:
        """The blocks that have something to show; pictures only where their figures are drawn."""
        return [block for block in self.blocks if not _is_empty(block, figures)]


def _is_empty(block: Block, figures: frozenset[str]) -> bool:
    if isinstance(block, Points | Box):
        return not block.items
    return isinstance(block, Picture) and block.name not in figures
