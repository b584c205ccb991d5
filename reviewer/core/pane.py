"""One thing to look at, as a plain value. A protocol makes panes; the screen draws them."""

from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.table import Table


@dataclass(frozen=True, slots=True)
class Text:
    """Prose, shown word for word."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Source text in a language that Pygments knows by this name."""

    text: str
    language: str = "prolog"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts (or two sources) to compare: side by side where there is room, as one diff elsewhere."""

    left_title: str
    right_title: str
    left: Text | Code
    right: Text | Code


Body = Text | Code | Pair | Table


@dataclass(frozen=True, slots=True)
class Pane:
    """A titled body; ``key`` is its stable name ("texts", "axioms"), ``title`` what people read."""

    key: str
    title: str
    body: Body


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one question shows of one case: first what is asked about, then what stands beside it."""

    first: tuple[Pane, ...]
    beside: tuple[Pane, ...] = ()

    def __iter__(self) -> Iterator[Pane]:
        yield from self.first
        yield from self.beside
