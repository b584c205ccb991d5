"""One thing to look at, as a plain value. A protocol makes panes; the screen draws them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from reviewer.core.clause_diff import ClauseSpan
from reviewer.core.table import Table


@dataclass(frozen=True, slots=True)
class PaneLink:
    """Characters ``start`` to ``end`` of a body that belong to what has the same ``name`` in other panes.

    ``alone``: nothing was found that belongs to it.
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
    """Source text in a language that Pygments knows by this name; "" for no language."""

    text: str
    language: str = ""
    clauses: tuple[ClauseSpan, ...] = field(default=(), hash=False)
    """Its clauses in their order, where they are known: two sources that know them are compared by them."""
    links: tuple[PaneLink, ...] = field(default=(), hash=False)
    marks: tuple[tuple[int, int], ...] = field(default=(), hash=False)
    """Characters (start, end) that a finding is about."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts (or two sources) to compare: side by side where there is room, as one diff elsewhere."""

    left_title: str
    right_title: str
    left: Text | Code
    right: Text | Code

    def exchanged(self) -> "Pair":
        """The same with its sides the other way round."""
        return replace(
            self, left_title=self.right_title, right_title=self.left_title, left=self.right, right=self.left
        )

    def titled(self, left: str, right: str) -> "Pair":
        """The same under other titles."""
        return replace(self, left_title=left, right_title=right)


@dataclass(frozen=True, slots=True)
class TreeStep:
    """One step of a tree: what it says, in a few words where it comes from, the link to that place, and
    what stands there where the step does not say it itself.
    """

    text: str
    origin: str = ""
    link: str = ""
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """A step of the left tree beside one of the right, None where that has none, with what follows from it.

    ``folded``: what is below it is not seen until it is asked for.
    """

    left: TreeStep | None
    right: TreeStep | None
    differs: bool
    children: tuple["Branch", ...] = ()
    folded: bool = False

    @property
    def either(self) -> TreeStep | None:
        """The step of the one version that has it, the left one's where both do."""
        return self.left or self.right

    def exchanged(self) -> "Branch":
        """The same with its sides the other way round."""
        children = tuple(child.exchanged() for child in self.children)
        return replace(self, left=self.right, right=self.left, children=children)


@dataclass(frozen=True, slots=True)
class Tree:
    """The steps of two versions, aligned."""

    left_title: str
    right_title: str
    branches: tuple[Branch, ...]

    def exchanged(self) -> "Tree":
        """The same with its sides the other way round."""
        branches = tuple(branch.exchanged() for branch in self.branches)
        return Tree(self.right_title, self.left_title, branches)

    @property
    def text(self) -> str:
        """One line a step, indented; those of one version alone begin with − (left) or + (right)."""
        return "\n".join(_tree_lines(self.branches, 0))


Body = Text | Code | Pair | Table | Tree


@dataclass(frozen=True, slots=True)
class Pane:
    """A titled body; ``key`` is its stable name ("texts", "programs"), ``title`` what people read.

    ``held_back``: the body only says that something is shown later.
    """

    key: str
    title: str
    body: Body
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one question shows of one case: first what is asked about, then what stands beside it."""

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
