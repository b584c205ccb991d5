"""All cases of the store: search at the top, results at the left, the highlighted case at the right."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, OptionList

from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import counted
from reviewer.protocols.registry import protocols_of
from reviewer.study.session.blinding import hidden_datasets, owed_by_dataset, without_generator
from reviewer.study.session.rater_progress import StudyProgress, study_progress
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.filter import FilterDialog, offers_for
from reviewer.tui.in_background import in_background
from reviewer.tui.keys.workbench_keys import REPAIR_KEY
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.screens.history import HISTORY_KEY, open_history
from reviewer.tui.widgets.case_content import case_item, case_lines, case_name, none_lines, rest_item
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import hint, in_one_line, keys_by_id, offered
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.text_pane import TextPane
from reviewer.tui.workbench.opening import open_workbench
from store.cases import Filter, count_places, facets, get_measurements, readable_places
from store.database import Database
from store.records import Case, Membership
from store.revisions import place_states

# Nobody reads a longer list, people search it; and each line takes a little time.
_MOST = 200
_COUNTED = 10_000
_LIST_HINTS = [
    ("cases.search", "search"),
    ("cases.only", "filter …"),
    ("workbench.open", "repair"),
    ("history.open", "history"),
]
_NARROWED_HINTS = [*_LIST_HINTS, ("cases.everything", "view all")]


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: how many places match, and the first of them with their cases.

    ``states`` says which places were revised or withdrawn, ``owed`` in which studies this person has cases of
    a dataset to answer.
    """

    wanted: Filter
    total: int
    places: tuple[tuple[Membership, Case], ...]
    states: Mapping[tuple[str, str], str]
    owed: Mapping[str, Sequence[StudyProgress]]


@dataclass(frozen=True, slots=True)
class Only:
    """Which places are shown; a field that is None filters nothing."""

    dataset: str | None = None
    group: str | None = None
    generator: str | None = None
    origin: str | None = None

    @property
    def words(self) -> str:
        """The filter in words, such as "one group, seed"; "" for everything."""
        return ", ".join(filter(None, (self.dataset, self.group, self.generator, self.origin)))

    def places(self, text: str) -> Filter:
        """The filter for these places, and for the words of a text."""
        datasets = (self.dataset,) if self.dataset is not None else ()
        return Filter(datasets, self.group, self.generator, self.origin, text.strip())


class CasesScreen(AppScreen):
    """Finds and shows cases, without findings or measurements that bear on a question for raters.

    Somebody who has cases of a dataset to answer sees the panes that their questions show.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "back", id="cases.leave", tooltip="Go back to the home screen"),
        Binding("down", "list", "list", id="cases.list", tooltip="Go to the list of cases", show=False),
        Binding("slash", "search", "search", key_display="/", id="cases.search", tooltip="Search again"),
        Binding("i", "only", "filter …", id="cases.only", tooltip="Show one group, dataset … only"),
        HISTORY_KEY,
        REPAIR_KEY,
        Binding("I", "everything", "view all", id="cases.everything", tooltip="Show all cases again"),
    ]
    DEFAULT_CSS = """
    CasesScreen {
        background: $background;
        Input, Input:focus {
            border: round $foreground 18%; height: 3;
            background: $background; background-tint: $background 0%;
        }
        Input:focus { border: round $foreground 45%; }
        ItemList, ItemList:focus {
            width: 42%; min-width: 36; max-width: 54; border: round $foreground 18%; padding: 0;
            border-title-color: $foreground;
        }
        ItemList:focus { border: round $foreground 45%; }
        #count { height: auto; max-height: 3; padding: 0 1; color: $foreground 60%; }
    }
    """

    def __init__(self, database: Database, words: str = "", dataset: str | None = None) -> None:
        super().__init__()
        self.database, self._words = database, words
        self.found: Found | None = None
        self.only = Only(dataset)
        self._counts: dict[str, Counter[str]] | None = None
        self._wants_only = False

    def compose(self) -> ComposeResult:
        """Search, list and case, and the number of results."""
        yield Input(self._words, placeholder="words of a case, or how they begin", id="search")
        with Horizontal():
            yield ItemList()
            yield TextPane()
        yield PlainLabel(id="count")

    def on_mount(self) -> None:
        """List everything, and count the values for filters meanwhile."""
        self._search()
        in_background(self, "count", self._counts_of_all, self._show_counts, self.complain)

    # -- results of background work ------------------------------------------------------------

    def _search(self) -> None:
        """Search in the background: a large store takes a moment."""
        found = partial(self._found_of, self._wanted)
        in_background(self, "search", found, self._show_found, self.complain)

    def _found_of(self, wanted: Filter) -> Found:
        with self.database.read() as session:
            total = count_places(session, wanted, _COUNTED + 1)
            places, states = readable_places(session, wanted, _MOST), place_states(session)
            return Found(wanted, total, tuple(self._without_hidden(places)), states, self._owed())

    def _counts_of_all(self) -> dict[str, Counter[str]]:
        """The values for filters; without those that this person may not know yet."""
        with self.database.read() as session:
            counts = facets(session)
        hidden = ("generator", "origin") if self._hidden() else ()
        return {name: values for name, values in counts.items() if name not in hidden}

    def _hidden(self) -> frozenset[str]:
        """The datasets whose generators this person may not see yet."""
        studies, person = study_progress(self.database), base_app(self).person
        return hidden_datasets(self.database, protocols_of(self.database), studies, person)

    def _owed(self) -> Mapping[str, Sequence[StudyProgress]]:
        return owed_by_dataset(self.database, study_progress(self.database), base_app(self).person)

    def _without_hidden(self, places: Iterable[tuple[Membership, Case]]) -> Iterator[tuple[Membership, Case]]:
        hidden = self._hidden()
        for place, case in places:
            yield (without_generator(place) if place.dataset in hidden else place), case

    def _show_found(self, found: Found) -> None:
        """List the results, unless the search has changed since."""
        if found.wanted != self._wanted:
            return
        same = self.found is not None and self.found.wanted == found.wanted
        self.found, self._words = found, self.query_one(Input).value
        items = self.query_one(ItemList)
        items.border_title = literal_line(f"only {self.only.words}", 50) if self.only.words else ""
        items.show(
            [
                ListedLines(
                    2,
                    partial(
                        case_item, protocols_of(self.database), self._words, place, case, self._state(place)
                    ),
                )
                for place, case in self.found.places
            ]
            + self._rest(),
            None if same else 0,
        )
        if not self.found.places:
            self.query_one(TextPane).show(PaneText("case", 0, "", partial(none_lines, self.only.words)))
        self._draw_count()

    def _state(self, place: Membership) -> str:
        return "" if self.found is None else self.found.states.get((place.dataset, place.key), "")

    def _rest(self) -> list[ListedLines]:
        """The last line of a list that does not hold every case."""
        if self.found is None or self.found.total <= len(self.found.places):
            return []
        return [ListedLines(2, partial(rest_item, len(self.found.places), _number(self.found.total)))]

    def _show_counts(self, counts: dict[str, Counter[str]]) -> None:
        """Ask which cases to show, if the person is waiting for that."""
        self._counts = counts
        if self._wants_only:
            self.action_only()

    def on_case_changed(self) -> None:
        """List the cases as they are now."""
        self._search()

    def say(self, sentence: str, failed: bool = False) -> None:
        """Show a sentence in place of the number of results."""
        self.query_one("#count", PlainLabel).put(literal(f"✗ {sentence}" if failed else sentence))

    # -- keys --------------------------------------------------------------------------------------

    def on_input_changed(self) -> None:
        """Search while the words are typed."""
        self._search()

    def on_input_submitted(self) -> None:
        """Go to the results."""
        self.action_list()

    def on_descendant_focus(self) -> None:
        """Show the keys that work at the new focus: in the search, letters are text."""
        self._draw_count()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the highlighted case."""
        if self.found is None or event.option_index >= len(self.found.places):
            return
        place, case = self.found.places[event.option_index]
        try:
            with self.database.read() as session:
                measurements = get_measurements(session, [case.digest])[case.digest]
        except ReviewerError as error:
            self.complain(error)
            return
        here = [value for value in measurements if not value.came_with_place or value.key == place.key]
        title = f"{case_name(place)} · {place.dataset}"
        self.query_one(TextPane).show(
            PaneText(
                "case",
                0,
                title,
                partial(
                    case_lines,
                    protocols_of(self.database),
                    self._words,
                    place,
                    case,
                    here,
                    self.found.owed.get(place.dataset, ()),
                ),
            )
        )

    def on_option_list_option_selected(self) -> None:
        """Read the case."""
        self.query_one(TextPane).focus()

    def action_history(self) -> None:
        """Open the history of the highlighted case."""
        if place := self._highlighted:
            open_history(self, self.database, place, base_app(self).person, self._refuse)

    def action_repair(self) -> None:
        """Open the highlighted case in the workbench."""
        if place := self._highlighted:
            open_workbench(self, self.database, place, base_app(self).person, self._refuse)

    @property
    def _highlighted(self) -> Membership | None:
        place = self.query_one(ItemList).chosen_of(self.found.places if self.found else ())
        return place and place[0]

    def _refuse(self, sentence: str) -> None:
        self.say(sentence, failed=True)

    def action_list(self) -> None:
        """Go to the list."""
        self.query_one(ItemList).focus()

    def action_search(self) -> None:
        """Go to the search."""
        self.query_one(Input).focus()

    def action_only(self) -> None:
        """Ask which cases to show."""
        self._wants_only = self._counts is None
        if self._counts is None:
            self.say("Counting the cases …")
            return
        # A value that all cases share is useless as a filter.
        counts = {name: values for name, values in self._counts.items() if len(values) > 1}
        self.app.push_screen(FilterDialog("filter", offers_for(self.only, Only(), counts)), self._narrow)

    def action_everything(self) -> None:
        """Show all cases again."""
        self._narrow(Only())

    # -- painting ----------------------------------------------------------------------------------

    @property
    def _wanted(self) -> Filter:
        return self.only.places(self.query_one(Input).value)

    def _narrow(self, only: Only | None) -> None:
        if only is not None:
            self.only = only
            self._search()
            self.action_list()

    def _draw_count(self) -> None:
        """Draw the number of results, and the keys."""
        if self.found is None:
            return
        shown = len(self.found.places)
        more = f", only the first {shown} listed" if self.found.total > shown else ""
        number = literal(f"{_number(self.found.total)}{more}", "$foreground 85%")
        keys = keys_by_id(self)
        known = _NARROWED_HINTS if self.only.words else _LIST_HINTS
        typing = self.query_one(Input).has_focus
        moves = [hint("↓", "list")] if typing else offered(keys, known)
        line = [number, *moves, hint("tab", "case")], offered(keys, [("cases.leave", "back")])
        self.query_one("#count", PlainLabel).put(in_one_line(*line, self.room))


def _number(total: int) -> str:
    return f"over {_COUNTED:,} cases" if total > _COUNTED else counted(total, "case")
