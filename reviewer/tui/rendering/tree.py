"""A tree of steps in two versions as lines, in two aligned columns or as one text."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest

from textual.content import Content

from reviewer.core.pane import Branch, Tree, TreeStep
from reviewer.tui.rendering.comparison import Columns
from reviewer.tui.rendering.line import (
    EMPTY,
    FOLDED,
    UNFOLDED,
    Line,
    Toggled,
    Trail,
    display_text,
    link_style,
    wrapped,
)

_INDENT = 2
_MOST_INDENT = 24
_GAP = 2


@lru_cache(maxsize=64)
def tree_columns(tree: Tree, width: int, toggled: Toggled) -> Columns:
    """Both versions, each at this width in cells, with matching steps on the same rows."""
    rows: list[tuple[Line, Line]] = []
    for trail, branch, is_folded in _in_sight(tree.branches, toggled):
        sign = "▌" if branch.differs or (is_folded and _differs_below(branch)) else " "
        style = "difference" if branch.differs else ""
        left, right = (
            _step_lines(step, trail, branch, is_folded, width, sign, style)
            for step in (branch.left, branch.right)
        )
        rows.extend(zip_longest(left, right, fillvalue=EMPTY))
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows)


@lru_cache(maxsize=64)
def tree_lines(tree: Tree, width: int, toggled: Toggled) -> tuple[Line, ...]:
    """Both versions as one text: a step that differs appears twice, left (−) and right (+)."""
    lines: list[Line] = []
    for trail, branch, is_folded in _in_sight(tree.branches, toggled):
        if branch.differs:
            lines += _step_lines(branch.left, trail, branch, is_folded, width, "−", "left-only")
            lines += _step_lines(branch.right, trail, branch, is_folded, width, "+", "right-only")
        else:
            sign = "±" if is_folded and _differs_below(branch) else " "
            lines += _step_lines(branch.either, trail, branch, is_folded, width, sign, "")
    return tuple(lines)


def legend_of(tree: Tree, toggled: Toggled) -> str:
    """What the signs of the tree's language mean: those of the visible steps."""
    steps = [
        step for _, branch, _ in _in_sight(tree.branches, toggled) for step in (branch.left, branch.right)
    ]
    texts = "\n".join(f"{step.text}\n{step.behind}" for step in steps if step)
    return signs_explained(tree.signs, texts)


def signs_explained(signs: Iterable[tuple[str, str]], text: str) -> str:
    """The explanations of the signs that occur in a text."""
    return "  ".join(explanation for sign, explanation in signs if re.search(sign, text))


def folds_of(tree: Tree, toggled: Toggled) -> dict[Trail, bool]:
    """Every branch with branches below it, by its trail, and whether it is folded."""
    return dict(_folds(tree.branches, toggled, ()))


def _folds(branches: tuple[Branch, ...], toggled: Toggled, above: Trail) -> Iterator[tuple[Trail, bool]]:
    for number, branch in enumerate(branches):
        trail = (*above, number)
        if branch.children:
            yield trail, branch.folded != (trail in toggled)
            yield from _folds(branch.children, toggled, trail)


def _in_sight(
    branches: tuple[Branch, ...], toggled: Toggled, above: Trail = ()
) -> Iterator[tuple[Trail, Branch, bool]]:
    """Every visible branch, with its trail and whether it is folded."""
    for number, branch in enumerate(branches):
        trail = (*above, number)
        is_folded = bool(branch.children) and branch.folded != (trail in toggled)
        yield trail, branch, is_folded
        if not is_folded:
            yield from _in_sight(branch.children, toggled, trail)


def _differs_below(branch: Branch) -> bool:
    return any(child.differs or _differs_below(child) for child in branch.children)


def _step_lines(
    step: TreeStep | None, trail: Trail, branch: Branch, is_folded: bool, width: int, sign: str, style: str
) -> list[Line]:
    if step is None:
        return []
    indent = min(_INDENT * (len(trail) - 1), _MOST_INDENT, width // 2)
    handle = (FOLDED if is_folded else UNFOLDED) if branch.children else "  "
    text = Content(display_text(step.text))
    text = text.stylize(link_style(step.link)) if step.link else text
    room = max(2, width - indent - len(handle))
    text = text.stylize(style) if style else text
    first, *more = _with_origin(text, step.origin, room, source=bool(step.link))
    if step.behind:
        more += wrapped(Content.styled(display_text(step.behind), "code-comment"), room, source=True)
    fold = trail if branch.children else None
    return [
        Line(Content.assemble(handle, first).pad_left(indent), sign, fold),
        *(Line(part.pad_left(indent + len(handle)), sign) for part in more),
    ]


def _with_origin(text: Content, origin: str, width: int, source: bool) -> list[Content]:
    """The text of a step with its origin after it, or below it where there is no room."""
    lines = wrapped(text, width, source=source)
    muted = Content.styled(display_text(origin), "muted")
    if not origin:
        return lines
    if lines[-1].cell_length + _GAP + muted.cell_length <= width:
        return [*lines[:-1], Content.assemble(lines[-1], " " * _GAP, muted)]
    return [*lines, *muted.wrap(width)]
