"""The manual in the app: one page at a time, beside the list of pages where there is room."""

from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from reviewer.manual.manual_pages import NAMES, manual_page
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.widgets.label import PlainLabel

_ROOMY = 118
"""From this width in cells, the list of pages stands beside the page."""
_HINTS = (
    *(("manual.leave", "back"), ("manual.next", "next page"), ("manual.previous", "page before")),
    ("manual.keys", "keys"),
)

_key = partial(named_key, "manual")

PAGES = {
    "HomeScreen": "first-study",
    "ReviewScreen": "reviewing",
    "OwnLabelsScreen": "reviewing",
    "OwnLabelScreen": "reviewing",
    "OwnAnswersScreen": "reviewing",
    "DisputeQueueScreen": "adjudicating",
    "DisputeScreen": "adjudicating",
    "AgreementScreen": "agreement",
    "DisagreementsScreen": "agreement",
    "VerdictsScreen": "agreement",
    "AuditScreen": "auditing",
    "FindingScreen": "auditing",
    "CasesScreen": "files",
    "WorkbenchScreen": "workbench",
    "HistoryScreen": "repairing",
    "CandidatesDialog": "workbench",
    "SaveRepairDialog": "workbench",
    "StudyProgressScreen": "designing",
    "RaterAnswersScreen": "designing",
    "RunsScreen": "models",
    "DiscardsScreen": "generating",
    "EffectsScreen": "evaluating",
    "ChangedCasesScreen": "evaluating",
    "CaseAnswersScreen": "evaluating",
    "LibraryScreen": "libraries",
    "ChangedItemsScreen": "libraries",
    "ChangedItemScreen": "libraries",
    "EvaluationDialog": "evaluating",
    "NewStudyDialog": "designing",
    "AnswerStudyDialog": "answers",
    "ImportDialog": "files",
    "RunDialog": "generating",
    "CloseDialog": "adjudicating",
    "RescueDialog": "safety",
}
"""The page that belongs to each screen and dialog; any other dialog has the page of the screen below it."""


def page_of(screen: type[Screen[Any]]) -> str | None:
    """The page of the manual that belongs to a kind of screen, if it has one."""
    return PAGES.get(screen.__name__)


class ManualScreen(AppScreen):
    """Shows a page; keys turn pages, and the list goes to any of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("n,right", "turn(1)", "next page", "next", "Show the next page of the manual"),
        _key("b,left", "turn(-1)", "page before", "previous", "Show the page before"),
        _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
        _key("q,escape", "leave", "back", "leave", "Leave the manual"),
    ]
    DEFAULT_CSS = """
    ManualScreen {
        background: $background;
        #head { height: 1; padding: 0 1; color: $foreground 75%; }
        #keys { dock: bottom; height: 1; padding: 0 1; color: $foreground 60%; }
        OptionList { width: 42; height: 1fr; border: none; padding: 1 0; background: $background; }
        #page { height: 1fr; padding: 0 2; }
        #text { max-width: 100; height: auto; }
        &.-narrow OptionList { display: none; }
    }
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page

    def compose(self) -> ComposeResult:
        """Head, list of pages, page, keys."""
        yield Static(id="head")
        with Horizontal():
            yield OptionList(*(Option(literal(manual_page(name).title), id=name) for name in NAMES))
            with VerticalScroll(id="page"):
                yield Static(id="text")
        yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Show the page that was asked for."""
        self._show(self.page)
        self.query_one("#page").focus()

    def on_resize(self, event: Resize) -> None:
        """Show or hide the list."""
        self.set_class(event.size.width < _ROOMY, "-narrow")
        self._draw_lines()

    def _show(self, name: str) -> None:
        # Only who reads the manual needs its parser.
        from rich.markdown import Markdown

        self.page = name
        self.query_one("#text", Static).update(Markdown(manual_page(name).plain, hyperlinks=False))
        self.query_one("#page").scroll_home(animate=False)
        self.query_one(OptionList).highlighted = NAMES.index(name)
        self._draw_lines()

    def _draw_lines(self) -> None:
        page = f"page {NAMES.index(self.page) + 1} of {len(NAMES)}"
        self.put_head(f"manual · {page} · {manual_page(self.page).title}")
        self.put_keys(_HINTS)

    # -- keys --------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Show the chosen page, and put the focus on it, so that arrows scroll."""
        event.stop()
        self._show(NAMES[event.option_index])
        self.query_one("#page").focus()

    def action_turn(self, by: int) -> None:
        """Show the page after or before this one, if there is one."""
        place = NAMES.index(self.page) + by
        if 0 <= place < len(NAMES):
            self._show(NAMES[place])
