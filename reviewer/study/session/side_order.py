"""Which side of a pair is on the left: at random for each rater and case, if the question allows it."""

import hashlib
from dataclasses import replace

from reviewer.core.pane import Pair, Pane, Sheet, Tree
from reviewer.core.question import Sides
from reviewer.core.table import Table
from reviewer.protocols.altered_case import ALTERED
from reviewer.study.session.verdicts import Slot


def sides_exchanged(order_seed: int, slot: Slot) -> bool:
    """Whether the sides are exchanged: a coin toss that depends only on rater, case and showing."""
    coin = hashlib.sha256(f"{order_seed}\0sides\0{slot.case}\0{slot.showing}".encode()).digest()
    return bool(coin[0] & 1)


def with_sides(sheet: Sheet, sides: Sides, *, exchanged: bool, named: bool) -> Sheet:
    """The sheet with the sides of its pairs, trees and tables in their places.

    Unless the versions may be ``named``, pairs are titled only "left" and "right" or the like, and panes that
    would identify the versions are left out.
    """
    first, beside = (
        tuple(_placed(pane, sides, exchanged, named) for pane in panes if named or _is_blind(pane, sides))
        for panes in (sheet.first, sheet.beside)
    )
    return Sheet(first, beside)


def _is_blind(pane: Pane, sides: Sides) -> bool:
    return isinstance(pane.body, Pair) or pane.key in (*sides.neutral, ALTERED)


def _placed(pane: Pane, sides: Sides, exchanged: bool, named: bool) -> Pane:
    if not isinstance(pane.body, Pair | Tree | Table):
        return pane
    body = pane.body.exchanged() if exchanged else pane.body
    if isinstance(body, Pair) and not named:
        left, right = sides.titles
        body = body.titled(f"{pane.title} · {left}", f"{pane.title} · {right}")
    return replace(pane, body=body)
