"""Panes as plain values. A protocol makes them; the screen draws them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from reviewer.core.clause_diff import ClauseSpan
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


@dataclass(frozen=True, slots=True)
class Text:
    """Prose, shown word for word."""

    text: str
    links: tuple[PaneLink, ...] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True)
class Code:
    """Source text. ``language`` is the name of a Pygments lexer; "" means no language."""

    text: str
    language: str = ""
    clauses: tuple[ClauseSpan, ...] = field(default=(), hash=False)
    """Its clauses in their order, if they are known. Two sources with clauses are compared by them."""
    links: tuple[PaneLink, ...] = field(default=(), hash=False)
    marks: tuple[tuple[int, int], ...] = field(default=(), hash=False)
    """The ranges of characters (start, end) that a finding is about."""
    numbered: bool = False
    """Whether each line stands beside its number in the source."""
    signs: tuple[tuple[str, str], ...] = field(default=(), hash=False)
    """Signs of its language that need explaining, each as a regular expression with its explanation."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts (or two sources) to compare: side by side if there is room, else as one diff.

    ``reworded``: one text says in other words what the other says, so that only content words are compared.
    """

    left_title: str
    right_title: str
    left: Text | Code
    right: Text | Code
    reworded: bool = False

    def exchanged(self) -> "Pair":
        """The same with its sides the other way round."""
        return replace(
            self, left_title=self.right_title, right_title=self.left_title, left=self.right, right=self.left
        )

    def titled(self, left: str, right: str) -> "Pair":
        """The same with other titles."""
        return replace(self, left_title=left, right_title=right)


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


Body = Text | Code | Pair | Table | Tree


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
        if isinstance(body, Pair):
            return body.left.text, body.right.text
        return (body.text,) if isinstance(body, Text | Code) else ()

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


def _tree_lines(branches: tuple[Branch, ...], depth: int) -> Iterator[str]:
    for branch in branches:
        sides = (("−", branch.left), ("+", branch.right)) if branch.differs else ((" ", branch.either),)
        for sign, step in sides:
            if step:
                origin = f"  % {step.origin}" if step.origin else ""
                yield f"{sign} {'  ' * depth}{step.text}{origin}"
        yield from _tree_lines(branch.children, depth + 1)
