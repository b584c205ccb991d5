"""All cases of the store: search on top, what was found at the left, the chosen case at the right."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from reviewer.core.errors import ReviewerError
from reviewer.protocols.registry import protocol_named
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.typesetting.leaf import Leaf, leaves_of
from reviewer.tui.typesetting.line import EMPTY, Line
from reviewer.tui.widgets.key_hints import hints
from reviewer.tui.widgets.paper import Paper
from store.cases import Filter, count_places, get_measurements, list_places
from store.database import Database
from store.records import Case, Measurement, Membership

# A longer list is not read, it is searched; and each line costs the list a little.
_MOST = 200
_COUNTED = 10_000
_LIST_WIDTH = 44


@dataclass(frozen=True, slots=True)
class Found:
    """What a search brought: so many places in all, the first of them with their cases."""

    text: str
    total: int
    places: tuple[tuple[Membership, Case], ...]


class CasesScreen(Screen[None]):
    """Looks cases up; it shows nothing that a machine thinks about a question that raters are asked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "back", id="cases.leave", tooltip="Go back to the home screen"),
        Binding("down", "list", "list", id="cases.list", tooltip="Go to the list of cases", show=False),
        Binding("slash", "search", "search", key_display="/", id="cases.search", tooltip="Search again"),
    ]
    DEFAULT_CSS = """
    CasesScreen {
        background: $background;
        Input { border: round $foreground 18%; background: $background; height: 3; }
        Input:focus { border: round $foreground 45%; }
        OptionList {
            width: 46; height: 1fr; border: round $foreground 18%; background: $background;
            scrollbar-size-vertical: 1;
        }
        OptionList:focus { border: round $foreground 45%; }
        OptionList > .option-list--option-highlighted { background: $foreground 10%; text-style: none; }
        #count { height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    class Searched(Message):
        """A search is done."""

        def __init__(self, found: Found) -> None:
            self.found = found
            super().__init__()

    class Failed(Message):
        """A search did not work; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, database: Database, words: str = "") -> None:
        super().__init__()
        self.database, self._words = database, words
        self.found = Found("", 0, ())

    def compose(self) -> ComposeResult:
        """Search, list and case, and how many there are."""
        yield Input(self._words, placeholder="words of a case, or how they begin", id="search")
        with Horizontal():
            yield OptionList(markup=False)
            yield Paper()
        yield Static(id="count")

    def on_mount(self) -> None:
        """Begin with everything."""
        self.search(self._words)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as the words are typed."""
        self.search(event.value)

    def on_input_submitted(self) -> None:
        """Go to what was found."""
        self.action_list()

    @work(thread=True, exclusive=True, group="search")
    def search(self, text: str) -> None:
        """Search in the background: a large store takes a moment."""
        wanted = Filter(text=text.strip())
        try:
            with self.database.read() as session:
                total = count_places(session, wanted, _COUNTED + 1)
                found = Found(text, total, tuple(list_places(session, wanted, _MOST)))
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Searched(found))

    def on_cases_screen_searched(self, message: Searched) -> None:
        """List what was found, unless other words have been typed since."""
        if message.found.text != self.query_one(Input).value:
            return
        self.found = message.found
        options = self.query_one(OptionList)
        options.set_options(Option(_line(place, case)) for place, case in self.found.places)
        options.highlighted = 0 if self.found.places else None
        shown = len(self.found.places)
        more = (
            f"; the first {shown} are listed, type more words to see others"
            if self.found.total > shown
            else ""
        )
        keys = hints([("/", "search"), ("↓", "list"), ("tab", "case"), ("esc", "back")])
        counted = literal(
            f"{_number(self.found.total)} cases{more}   " if shown else "No case has these words.   "
        )
        self.query_one("#count", Static).update(Content.assemble(counted, keys))
        if not shown:
            self.query_one(Paper).show(Leaf("case", 0, "", lambda _width: (EMPTY,)))

    def on_cases_screen_failed(self, message: Failed) -> None:
        """Say what did not work."""
        self.query_one("#count", Static).update(literal(f"✗ {message.sentence}"))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the case under the highlight."""
        place, case = self.found.places[event.option_index]
        with self.database.read() as session:
            measurements = get_measurements(session, [case.digest])[case.digest]
        here = [value for value in measurements if value.source == "measured" or value.key == place.key]
        title = f"{place.dataset}: {place.key}"
        self.query_one(Paper).show(Leaf("case", 0, title, partial(_case_lines, case, here)))

    def on_option_list_option_selected(self) -> None:
        """Read the case."""
        self.query_one(Paper).focus()

    def action_list(self) -> None:
        """Go to the list."""
        self.query_one(OptionList).focus()

    def action_search(self) -> None:
        """Go to the search."""
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()


def _number(total: int) -> str:
    return f"more than {_COUNTED:,}" if total > _COUNTED else f"{total:,}"


def _line(place: Membership, case: Case) -> Content:
    return Content("\n").join(
        [
            literal_line(f"{place.key} · {place.generator}", _LIST_WIDTH - 4, "bold"),
            literal_line(protocol_named(case.protocol).headline(case), _LIST_WIDTH - 4, "$foreground 60%"),
        ]
    )


def _case_lines(case: Case, measurements: Sequence[Measurement], width: int) -> tuple[Line, ...]:
    """The whole case, one pane below the other."""
    protocol = protocol_named(case.protocol)
    neutral = [value for value in measurements if value.name not in protocol.bears_on]
    lines: list[Line] = []
    for pane in protocol.panes(case, neutral):
        for leaf in leaves_of(pane, "unified"):
            head = Line(literal(f"── {leaf.title}   {leaf.legend}".rstrip(), "muted"))
            lines += [head, *leaf.lines(width), EMPTY]
    return tuple(lines)
