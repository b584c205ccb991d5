"""The parts of a pane of which it shows some at a time: variants, or the speakers of a dialogue."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reviewer.core.dialogue import Dialogue
from reviewer.core.pane import Pane, Variants

PartKind = Literal["variants", "speakers"]


@dataclass(frozen=True, slots=True)
class PanePart:
    """A variant with its number, or a speaker with their mark and how many turns they have."""

    sign: str
    name: str
    text: str
    count: str = ""


@dataclass(frozen=True, slots=True)
class PaneParts:
    """The parts of a pane, and which of them are shown, each by its number from 0.

    ``position`` changes with the keys: it is the first of the variants that are shown; for a dialogue 0 if
    everybody's turns are shown, otherwise the speaker, counted from 1. It is below ``positions``.
    """

    pane: str
    title: str
    kind: PartKind
    parts: tuple[PanePart, ...]
    shown: tuple[int, ...]
    position: int
    positions: int

    @property
    def hidden(self) -> tuple[int, ...]:
        """The numbers of the parts that are not shown."""
        if self.kind == "speakers" and not self.position:
            return ()
        return tuple(number for number in range(len(self.parts)) if number not in self.shown)

    def after(self, step: int) -> int | None:
        """The position ``step`` steps further. Speakers go round; after the last variant there is none."""
        position = self.position + step
        if self.kind == "speakers":
            return position % self.positions
        return position if 0 <= position < self.positions else None

    def position_of(self, number: int) -> int:
        """The position that shows a part; everybody's turns where that speaker's are shown alone already."""
        if self.kind == "variants":
            return min(number, self.positions - 1)
        return 0 if number in self.shown else number + 1


def is_uncompared(pane: Pane) -> bool:
    """Whether a pane has variants that can be read one below the other, since nothing is marked in them."""
    return isinstance(pane.body, Variants) and not pane.body.compared and not pane.held_back


def count_with_parts(panes: Iterable[Pane], *, all_variants: bool = False) -> int:
    """How many of the panes have parts of which some are shown at a time."""
    return sum(
        isinstance(pane.body, Variants | Dialogue)
        and not pane.held_back
        and not (all_variants and is_uncompared(pane))
        for pane in panes
    )


def parts_of_variants(pane: Pane, variants: Variants, position: int, width: int) -> PaneParts:
    """The variants of a pane of which ``width`` neighbours are shown, from a position on."""
    parts = tuple(PanePart(str(n), title, body.text) for n, (title, body) in enumerate(variants.texts, 1))
    positions = len(parts) - width + 1
    position = min(position, positions - 1)
    shown = tuple(range(position, position + width))
    return PaneParts(pane.key, pane.title, "variants", parts, shown, position, positions)
