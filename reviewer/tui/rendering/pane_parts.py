"""The parts of a pane of which it shows some at a time: variants, or the speakers of a dialogue."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reviewer.core.pane import Dialogue, Pane, Variants

PartKind = Literal["variants", "speakers"]


@dataclass(frozen=True, slots=True)
class PaneParts:
    """The names of a pane's parts, and which are shown, each by its number from 0.

    Each name has a sign (a number, or the mark of a speaker) and a count ("" for none).
    ``position`` is what the keys change: the first of the variants that are shown; for a dialogue 0 if
    everybody's turns are shown, otherwise the speaker, counted from 1. It is below ``positions``.
    """

    pane: str
    title: str
    kind: PartKind
    names: tuple[str, ...]
    signs: tuple[str, ...]
    counts: tuple[str, ...]
    shown: tuple[int, ...]
    position: int
    positions: int

    def after(self, step: int) -> int | None:
        """The position so many steps further. Speakers go round; after the last variant there is none."""
        position = self.position + step
        if self.kind == "speakers":
            return position % self.positions
        return position if 0 <= position < self.positions else None

    def position_of(self, number: int) -> int:
        """The position that shows a part; everybody's turns where that speaker's are shown alone already."""
        if self.kind == "variants":
            return min(number, self.positions - 1)
        return 0 if number in self.shown else number + 1


def count_with_parts(panes: Iterable[Pane]) -> int:
    """How many of the panes have parts."""
    return sum(isinstance(pane.body, Variants | Dialogue) and not pane.held_back for pane in panes)


def parts_of_variants(pane: Pane, variants: Variants, position: int, width: int) -> PaneParts:
    """The variants of a pane of which ``width`` neighbours are shown, from a position on."""
    titles = tuple(title for title, _ in variants.texts)
    signs = tuple(str(number) for number in range(1, len(titles) + 1))
    positions = len(titles) - width + 1
    position = min(position, positions - 1)
    shown = tuple(range(position, position + width))
    counts = ("",) * len(titles)
    return PaneParts(pane.key, pane.title, "variants", titles, signs, counts, shown, position, positions)
