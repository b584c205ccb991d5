"""A list of filters, of which one is chosen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.styles import StyledOnce

Chosen = TypeVar("Chosen")
_WORDS = 44


@dataclass(frozen=True)
class Offer(Generic[Chosen]):
    """One line: its words, how many cases or answers match (None: not counted), and its value."""

    words: str
    count: int | None
    value: Chosen
    holds: bool = False
    """Whether this filter is active; choosing an active filter removes it."""
    heading: str = ""
    """The line above it, where a new kind of filter begins."""


class FilterDialog(StyledOnce, ModalScreen[Chosen | None]):
    """Returns the value of the chosen filter, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,q", "leave", "leave as it was", id="only.leave", tooltip="Close this and change nothing"
        )
    ]
    DEFAULT_CSS = """
    FilterDialog {
        align: center middle; background: $background 40%;
        #box {
            width: 62; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
            background: $background; border: round $foreground 45%;
            border-title-color: $foreground; border-subtitle-color: $foreground 62%;
        }
        OptionList, OptionList:focus {
            height: auto; max-height: 100%; border: none; padding: 0;
            background: $background; background-tint: $background 0%; scrollbar-size-vertical: 1;
        }
        OptionList > .option-list--option-disabled { color: $foreground 60%; }
        OptionList > .option-list--option-highlighted, OptionList:focus > .option-list--option-highlighted {
            background: $foreground 12%; color: $foreground; text-style: none;
        }
    }
    """

    def __init__(self, title: str, offers: Sequence[Offer[Chosen]]) -> None:
        super().__init__()
        self._title = title
        self._lines = [line for offer in offers for line in _lines(offer)]

    def compose(self) -> ComposeResult:
        """A line for each offer."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title)
            box.border_subtitle = literal("enter chooses, escape leaves it")
            options = (Option(content, disabled=offer is None) for content, offer in self._lines)
            yield OptionList(*options, markup=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return what was chosen."""
        _, offer = self._lines[event.option_index]
        self.dismiss(offer.value if offer else None)

    def action_leave(self) -> None:
        """Return None."""
        self.dismiss(None)


def _lines(offer: Offer[Chosen]) -> list[tuple[Content, Offer[Chosen] | None]]:
    """The line of an offer, below its heading if it has one."""
    heading = Content.styled(offer.heading, "bold $foreground 60%")
    return [*([(heading, None)] if offer.heading else []), (_line(offer), offer)]


def _line(offer: Offer[Chosen]) -> Content:
    words = literal_line(offer.words, _WORDS)
    count = "" if offer.count is None else f"{offer.count:,}"
    return Content.assemble(
        "✓ " if offer.holds else "  ",
        words.pad_right(_WORDS - words.cell_length),
        Content.styled(count.rjust(8), "$foreground 60%"),
    )


Narrowed = TypeVar("Narrowed")


def offers_for(
    now: Narrowed, everything: Narrowed, counts: Mapping[str, Counter[str] | Sequence[str]]
) -> list[Offer[Narrowed]]:
    """One offer for each value of each field of a filter, after one for no filter at all.

    ``counts`` has the values by field, with or without numbers. A chosen value leaves other fields unchanged.
    """
    offers = [Offer("everything", None, everything, holds=now == everything)]
    for field, values in counts.items():
        counted = values if isinstance(values, Counter) else None
        for place, value in enumerate(values):
            holds = getattr(now, field) == value
            changed = replace(now, **{field: None if holds else value})  # type: ignore[type-var]
            heading = "" if place else field.replace("_", " ")
            offers.append(Offer(value, counted[value] if counted else None, changed, holds, heading))
    return offers
