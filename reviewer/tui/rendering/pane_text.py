"""A pane cut into texts, each of which one widget shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal

from reviewer.core.pane import Body, Code, Pair, Pane, Text, Tree
from reviewer.core.table import Table
from reviewer.tui.rendering.comparison import body_content, column_lines, unified_lines
from reviewer.tui.rendering.line import Line, Trail, plain_lines
from reviewer.tui.rendering.table import table_lines
from reviewer.tui.rendering.tree import Toggled, folds_of, legend_of, tree_columns, tree_lines

PairForm = Literal["columns", "unified"]
"""How a pair is shown: side by side, or as one text."""


@dataclass(frozen=True, slots=True)
class PaneText:
    """A titled text that can be laid out as lines at any width in cells.

    ``pane`` is the key of its pane; the texts of one pane scroll together. ``text`` is what the copy key
    copies. ``legend`` explains the marks where that is needed. ``folds`` has each branch of a tree that can
    fold, and whether it is folded.
    """

    pane: str
    part: int
    title: str
    lines: Callable[[int], tuple[Line, ...]]
    text: str = ""
    legend: str = ""
    folds: Mapping[Trail, bool] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        """Identifies this text among all texts of a case."""
        return self.pane, self.part


def pane_texts_of(pane: Pane, form: PairForm, toggled: Toggled = frozenset()) -> tuple[PaneText, ...]:
    """One text, or two for a pair or tree in columns; ``toggled`` are branches whose folding was changed."""
    body = pane.body
    if isinstance(body, Tree):
        return _tree_texts(pane, body, form, toggled)
    if not isinstance(body, Pair):
        lines = partial(_single_lines, body)
        return (PaneText(pane.key, 0, pane.title, lines, body_text(body), _alone_legend(body)),)
    if form == "unified":
        legend = _legend(body.left_title, body.right_title, mark="−{}" if body.reworded else "‹{}›")
        legend = "  ".join(filter(None, (legend, _alone_legend(body.left, body.right))))
        return (PaneText(pane.key, 0, pane.title, partial(unified_lines, body), body_text(body), legend),)
    sides = ((body.left_title, body.left), (body.right_title, body.right))
    return tuple(
        PaneText(pane.key, part, title, partial(_side_lines, body, part), side.text, _alone_legend(side))
        for part, (title, side) in enumerate(sides)
    )


def _tree_texts(pane: Pane, tree: Tree, form: PairForm, toggled: Toggled) -> tuple[PaneText, ...]:
    titles = (tree.left_title, tree.right_title)
    folds, signs = folds_of(tree, toggled), legend_of(tree, toggled)
    if form == "unified":
        legend = "  ".join(filter(None, (_legend(*titles), signs)))
        lines = partial(tree_lines, tree, toggled=toggled)
        return (PaneText(pane.key, 0, pane.title, lines, tree.text, legend, folds),)
    return tuple(
        PaneText(pane.key, part, title, partial(_tree_side, tree, part, toggled), tree.text, signs, folds)
        for part, title in enumerate(titles)
    )


def _tree_side(tree: Tree, part: int, toggled: Toggled, width: int) -> tuple[Line, ...]:
    return tree_columns(tree, width, toggled)[part]


def body_text(body: Body) -> str:
    """A body as plain text; a table has one line for each row and tabs between cells."""
    match body:
        case Pair():
            return f"{body.left_title}\n{body.left.text}\n\n{body.right_title}\n{body.right.text}"
        case Table():
            rows = (body.columns, *body.rows)
            return "\n".join("\t".join("" if cell is None else str(cell) for cell in row) for row in rows)
        case _:
            return body.text


def _alone_legend(*bodies: Body) -> str:
    """What ``?`` means, if there is one."""
    linked = (body for body in bodies if isinstance(body, Text | Code))
    return "? not in text" if any(link.alone for body in linked for link in body.links) else ""


def _legend(left: str, right: str, mark: str = "‹{}›") -> str:
    """The marks at the names of both sides, without what both titles share before their last dot."""
    ours, theirs = (title.rpartition(" · ") for title in (left, right))
    if ours[0] == theirs[0]:
        left, right = ours[2], theirs[2]
    return f"{mark.format(left)}  +{right}"


def _single_lines(body: Text | Code | Table, width: int) -> tuple[Line, ...]:
    if isinstance(body, Table):
        return table_lines(body, width)
    return _body_lines(body, width)


@lru_cache(maxsize=64)
def _body_lines(body: Text | Code, width: int) -> tuple[Line, ...]:
    return plain_lines(body_content(body), width, source=isinstance(body, Code))


def _side_lines(pair: Pair, part: int, width: int) -> tuple[Line, ...]:
    return column_lines(pair, width)[part]
