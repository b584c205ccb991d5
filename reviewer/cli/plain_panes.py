"""Panes as paragraphs, for plain mode."""

from collections.abc import Iterator
from textwrap import indent

from reviewer.core.pane import Pair, Pane
from reviewer.core.sanitize import one_line, visible
from reviewer.core.table import Table
from reviewer.core.text_diff import diff_texts
from reviewer.report.text_table import text_table


def pane_lines(pane: Pane) -> Iterator[str]:
    """A pane as paragraphs; of a pair both sides, then what differs, left against right."""
    body = pane.body
    if isinstance(body, Table):
        yield f"{visible(pane.title)}:\n{indent(visible(text_table(body)), '  ')}"
    elif isinstance(body, Pair):
        yield f"{visible(body.left_title)}:\n{indent(visible(body.left.text), '  ')}"
        yield f"{visible(body.right_title)}:\n{indent(visible(body.right.text), '  ')}"
        yield from _differences(body)
    else:
        yield f"{visible(pane.title)}:\n{indent(visible(body.text), '  ')}"


def _differences(pair: Pair) -> Iterator[str]:
    changes = [change for change in diff_texts(pair.left.text, pair.right.text).changes if not change.equal]
    if not changes:
        yield "Both sides are the same."
    for change in changes:
        left, right = one_line(change.left, 400), one_line(change.right, 400)
        yield (
            f"Differs: {left!r} at the left, {right!r} at the right."
            if left and right
            else (f"Only at the left: {left!r}." if left else f"Only at the right: {right!r}.")
        )
