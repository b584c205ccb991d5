"""Panes as plain values. A protocol makes them; the screen draws them."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from reviewer.core.clause_diff import ClauseSpan
from reviewer.core.dialogue import Dialogue
from reviewer.core.table import Table


@dataclass(frozen=True, slots=True)
class PaneLink:
    """Characters ``start`` to ``end`` of a body, linked to everything with the same ``name`` in other panes.

    ``alone``: nothing was found that is linked to it.
    """

    start: int
    end: int
    name: str
    alone: bool = False


class LateLinks(Collection[PaneLink]):
    """Links that are looked for when they are first read, since that takes longer than all else of a pane."""

    def __init__(self, look: Callable[[], tuple[PaneLink, ...]]) -> None:
        self._look = look

    @cached_property
    def _links(self) -> tuple[PaneLink, ...]:
        return self._look()

    def __iter__(self) -> Iterator[PaneLink]:
        return iter(self._links)

    def __len__(self) -> int:
        return len(self._links)

    def __contains__(self, link: object) -> bool:
        return link in self._links

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | LateLinks) and self._links == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._links)


@dataclass(frozen=True, slots=True)
class Marking:
    """Spans that somebody marks in a text: first character, the one behind the last, and the sign of a label.

    ``names`` are the labels, whose places are their signs. ``cursor`` is the letter that keys act on, and
    ``selected`` what is chosen and has no label yet.
    """

    names: tuple[str, ...] = ()
    spans: tuple[tuple[int, int, str], ...] = ()
    cursor: tuple[int, int] | None = None
    selected: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """Prose, shown word for word. ``marks`` are the characters (start, end) that were filled in, ``heads``
    those that head a paragraph, and ``marking`` the spans of an answer.
    """

    text: str
    links: Collection[PaneLink] = field(default=(), hash=False)
    marks: tuple[tuple[int, int], ...] = field(default=(), hash=False)
    heads: tuple[tuple[int, int], ...] = field(default=(), hash=False)
    marking: Marking | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Code:
    """Source text. ``language`` is the name of a Pygments lexer; "" means no language."""

    text: str
    language: str = ""
    clauses: tuple[ClauseSpan, ...] = field(default=(), hash=False)
    """Its clauses in their order, if they are known. Two sources with clauses are compared by them."""
    links: Collection[PaneLink] = field(default=(), hash=False)
    marks: tuple[tuple[int, int], ...] = field(default=(), hash=False)
    """The ranges of characters (start, end) that a finding is about."""
    numbered: bool = False
    """Whether each line stands beside its number in the source."""
    signs: tuple[tuple[str, str], ...] = field(default=(), hash=False)
    """Signs of its language that need explaining, each as a regular expression with its explanation."""


TitledText = tuple[str, Text | Code]
"""A text or source with its title."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts (or two sources) to compare: side by side if there is room, else as one diff.

    ``reworded``: one text says in other words what the other says, so that only content words are compared.
    Texts that are not ``compared`` are side by side or one after the other, and no difference is shown.
    """

    left_title: str
    right_title: str
    left: Text | Code
    right: Text | Code
    reworded: bool = False
    compared: bool = True

    def exchanged(self) -> "Pair":
        """The same with its sides the other way round."""
        return replace(
            self, left_title=self.right_title, right_title=self.left_title, left=self.right, right=self.left
        )

    def titled(self, left: str, right: str) -> "Pair":
        """The same with other titles."""
        return replace(self, left_title=left, right_title=right)

    @property
    def text(self) -> str:
        """Both texts, each below its title."""
        return _titled_texts(((self.left_title, self.left), (self.right_title, self.right)))


_LEAST_VARIANTS, _MOST_VARIANTS = 2, 9


@dataclass(frozen=True, slots=True)
class Variants:
    """Two to nine texts (or sources) with titles, in their order. Two neighbours at a time are shown, with
    their differences unless the texts are not ``compared``.

    Raises ValueError for another number of texts.
    """

    texts: tuple[TitledText, ...]
    compared: bool = True

    def __post_init__(self) -> None:
        """Check the number of texts."""
        if not _LEAST_VARIANTS <= len(self.texts) <= _MOST_VARIANTS:
            raise ValueError(
                f"{len(self.texts)} texts as variants; give {_LEAST_VARIANTS} to {_MOST_VARIANTS}."
            )

    def neighbours(self, number: int) -> Pair:
        """The text with this number (from 0) and the one after it."""
        (left_title, left), (right_title, right) = self.texts[number : number + 2]
        return Pair(left_title, right_title, left, right, compared=self.compared)

    def titled(self, title: str) -> "Variants":
        """The same with this title before the title of each."""
        return replace(self, texts=tuple((f"{title} · {name}", body) for name, body in self.texts))

    @property
    def text(self) -> str:
        """All texts, each below its title."""
        return _titled_texts(self.texts)


@dataclass(frozen=True, slots=True)
class TreeStep:
    """One step of a tree: its text, its origin in a few words, the link to the place of its origin, and the
    text at that place if the step does not contain it (``behind``).
    """

    text: str
    origin: str = ""
    link: str = ""
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """A step of the left tree next to one of the right (None if there is none), with the steps below it.

    ``folded``: the steps below are hidden until somebody unfolds them.
    """

    left: TreeStep | None
    right: TreeStep | None
    differs: bool
    children: tuple["Branch", ...] = ()
    folded: bool = False

    @property
    def either(self) -> TreeStep | None:
        """The step of the version that has it; the left one if both do."""
        return self.left or self.right

    def exchanged(self) -> "Branch":
        """The same with its sides the other way round."""
        children = tuple(child.exchanged() for child in self.children)
        return replace(self, left=self.right, right=self.left, children=children)


@dataclass(frozen=True, slots=True)
class Tree:
    """The steps of two versions, aligned.

    ``signs`` are those of its language that need explaining, each as a regular expression with its
    explanation. ``in_words`` makes the same tree with sentences for steps.
    """

    left_title: str
    right_title: str
    branches: tuple[Branch, ...]
    signs: tuple[tuple[str, str], ...] = ()
    in_words: "Callable[[], Tree] | None" = field(default=None, compare=False, repr=False)

    def exchanged(self) -> "Tree":
        """The same with its sides the other way round."""
        branches = tuple(branch.exchanged() for branch in self.branches)
        in_words = self.in_words and partial(_exchanged, self.in_words)
        return Tree(self.right_title, self.left_title, branches, self.signs, in_words)

    @property
    def text(self) -> str:
        """One indented line for each step; steps of one version only begin with − (left) or + (right)."""
        return "\n".join(_tree_lines(self.branches, 0))


def _exchanged(make: Callable[[], Tree]) -> Tree:
    return make().exchanged()


Body = Text | Code | Pair | Variants | Dialogue | Table | Tree


@dataclass(frozen=True, slots=True)
class Pane:
    """A titled body. ``key`` is its stable name ("texts", "programs"), ``title`` the name that people read.

    ``held_back``: the body only says that something will be shown later. ``summary`` is the body in a few
    words, for a place with one line.
    """

    key: str
    title: str
    body: Body
    held_back: bool = False
    summary: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that it shows word for word, without links and marks; () for a table or a tree."""
        body = self.body
        match body:
            case Pair():
                return body.left.text, body.right.text
            case Variants():
                return tuple(text.text for _, text in body.texts)
            case Text() | Code() | Dialogue():
                return (body.text,)
            case Table() | Tree():
                return ()

    @property
    def compares(self) -> bool:
        """Whether it shows the differences between its texts."""
        body = self.body
        return isinstance(body, Tree) or (isinstance(body, Pair | Variants) and body.compared)

    def in_words(self) -> "Pane":
        """The same with sentences for the steps of a tree, where there are words for it."""
        make = self.body.in_words if isinstance(self.body, Tree) else None
        return replace(self, body=make()) if make else self


@dataclass(frozen=True, slots=True)
class Sheet:
    """The panes that one question shows of one case: first those asked about, then those beside them."""

    first: tuple[Pane, ...]
    beside: tuple[Pane, ...] = ()

    def __iter__(self) -> Iterator[Pane]:
        yield from self.first
        yield from self.beside


def _titled_texts(texts: Iterable[TitledText]) -> str:
    return "\n\n".join(f"{title}\n{body.text}" for title, body in texts)


def _tree_lines(branches: tuple[Branch, ...], depth: int) -> Iterator[str]:
    for branch in branches:
        sides = (("−", branch.left), ("+", branch.right)) if branch.differs else ((" ", branch.either),)
        for sign, step in sides:
            if step:
                origin = f"  % {step.origin}" if step.origin else ""
                yield f"{sign} {'  ' * depth}{step.text}{origin}"
        yield from _tree_lines(branch.children, depth + 1)
