"""The runs of a store at the left, the highlighted one at the right; one of them may be under way here."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from reviewer.llm.usage import Usage
from reviewer.tui.dialogs.start_run import StartDialog
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.run_work import RunWork
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import keys_by_id, offers
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.status_line import StatusLine
from store.database import Database

Hints = Sequence[tuple[str, str]]
"""Actions on the bottom line, by id, each with its word."""


class RunsScreen(StyledOnce, Screen[None]):
    """Shows runs, stops the one under way, and leaves once it has ended; subclasses say what a run is."""

    HEADING: ClassVar[str]
    DEFAULT_CSS = """
    RunsScreen {
        background: $background;
        ItemList, ItemList:focus { width: 30%; max-width: 42; border: round $foreground 18%; }
        ItemList:focus { border: round $foreground 45%; }
        VerticalScroll {
            height: 1fr; padding: 0 1; border: round $foreground 18%; border-title-color: $foreground;
            scrollbar-gutter: stable;
        }
        VerticalScroll:focus { border: round $foreground 45%; }
        #empty { height: 1fr; padding: 0 1; content-align: center middle; display: none; }
        &.-empty #empty { display: block; }
        &.-empty Horizontal { display: none; }
        StatusLine { min-height: 1; }
    }
    """

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self.names: list[str] = []
        self.under_way: str | None = None
        self.moved: RunWork.Moved | None = None
        """The latest progress of the run under way."""
        self.spent: dict[str, Usage] = {}
        """What each run took that ended while this screen was open."""
        self._stop: Callable[[], object] | None = None
        self._leaving = False

    # -- what a run is -----------------------------------------------------------------------------

    def read_runs(self) -> None:
        """Read the runs in the background."""
        raise NotImplementedError

    def run_work(self) -> RunWork[Any]:
        """What works for this screen in the background."""
        raise NotImplementedError

    def ask_again(self, form: Any, refused: str = "") -> None:
        """Ask again for a run, with everything still in the fields."""
        raise NotImplementedError

    def text_of(self, index: int, width: int) -> Content:
        """A run in lines, at a width in cells."""
        raise NotImplementedError

    def nothing_yet(self) -> Content:
        """What stands there without a run."""
        raise NotImplementedError

    def hints_now(self) -> Hints:
        """The keys that do something now."""
        raise NotImplementedError

    # -- the screen --------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Head, runs, the highlighted run, the latest status, keys."""
        yield Static(id="head")
        with Horizontal():
            yield ItemList()
            with VerticalScroll():
                yield Static(id="run")
        yield Static(id="empty")
        yield StatusLine()
        yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Read the runs."""
        self.query_one("#head", Static).update(
            Content.assemble(
                Content.styled(self.HEADING, "bold $foreground"), literal(f"   {self.database.location}")
            )
        )
        self.read_runs()

    def on_unmount(self) -> None:
        """Stop the run: once the screen is gone, nobody could."""
        if self._stop is not None:
            self._stop()

    def show_runs(self, names: Sequence[str], items: Iterable[ListedLines]) -> None:
        """List the runs; highlight the one under way if it is new, or else the one highlighted before."""
        is_new = self.under_way is not None and self.under_way not in self.names
        before = self.under_way if is_new else self.chosen_name
        self.names = [*names]
        highlight = self.names.index(before) if before in self.names else 0
        self.set_class(not names, "-empty")
        self.query_one(ItemList).show(items, highlight)
        self.draw()

    def begin(self, form: Any) -> None:
        """Estimate the run of a form; None means that nothing was asked for."""
        if form is not None:
            self.say(f"{form.name}: estimating what it costs …")
            self.run_work().estimate(form)

    def on_run_work_estimated(self, message: RunWork.Estimated) -> None:
        """Show what the run may take; nothing is sent before somebody agrees."""
        dialog = StartDialog(message.form, message.head, message.lines)
        self.app.push_screen(dialog, partial(self._agreed, message.form))

    def _agreed(self, form: Any, agreed: Any) -> None:
        """Start, or go back to the fields."""
        if agreed is None:
            self.say("Nothing was sent.")
            self.ask_again(form)
            return
        self.moved = None
        self.getting_ready(form.name)
        self.run_work().carry_on(form)

    def getting_ready(self, name: str) -> None:
        """The run begins now."""
        self.under_way = name
        self.draw_keys()
        self.say(f"{name}: getting ready …")

    def on_run_work_moved(self, message: RunWork.Moved) -> None:
        """Draw the progress of the run, after listing it if it is new."""
        self.moved = message
        if message.name not in self.names:
            self.read_runs()
        self.draw()

    def on_run_work_noted(self, message: RunWork.Noted) -> None:
        """Say it."""
        self.say(message.sentence)

    def on_run_work_asking(self, message: RunWork.Asking) -> None:
        """Remember how to stop the run; it can be stopped from now on."""
        stop = self._stop = message.stop_asking
        self.say(f"{self.under_way}: under way")
        self.read_runs()
        if self._leaving:
            stop()

    def on_run_work_ended(self, message: RunWork.Ended) -> None:
        """Say how the run ended, and leave if that was waited for."""
        if message.spent is not None:
            self.spent[message.name] = message.spent
        if message.name == self.under_way:
            self.under_way = self._stop = self.moved = None
        self.say(message.sentence, message.failed)
        if self._leaving and self.under_way is None:
            self.dismiss()
        elif message.name:
            self.read_runs()

    def on_run_work_refused(self, message: RunWork.Refused) -> None:
        """Say why the run cannot begin, with everything still in its fields."""
        self.under_way = self._stop = self.moved = None
        self.say(message.sentence, failed=True)
        self.draw_keys()
        if self._leaving:
            self.dismiss()
        else:
            self.ask_again(message.form, message.sentence)

    def is_free(self) -> bool:
        """Whether no run is under way; if one is, say so."""
        if self.under_way is not None:
            self.say(f"{self.under_way} is under way; s stops it.")
        return self.under_way is None

    def on_option_list_option_highlighted(self) -> None:
        """Draw the highlighted run."""
        self.draw()

    def action_stop(self) -> None:
        """Stop after the calls under way."""
        if self._stop is None:
            self.say("No run is under way here.")
        else:
            self.say(f"{self.under_way}: stopping after the calls under way …")
            self._stop()

    def action_leave(self) -> None:
        """Go back, after the run under way has ended."""
        if self.under_way is None:
            self.dismiss()
            return
        self._leaving = True
        self.action_stop()

    # -- painting ----------------------------------------------------------------------------------

    @property
    def chosen_index(self) -> int | None:
        """The index of the highlighted run."""
        at = self.query_one(ItemList).highlighted
        return at if at is not None and at < len(self.names) else None

    @property
    def chosen_name(self) -> str | None:
        """The name of the highlighted run."""
        at = self.chosen_index
        return None if at is None else self.names[at]

    def on_resize(self) -> None:
        """Draw the bars for the new width."""
        self.call_after_refresh(self.draw)

    def say(self, sentence: str, failed: bool = False) -> None:
        """Put a sentence on the status line."""
        self.query_one(StatusLine).say(sentence, failed)

    def draw(self) -> None:
        """Draw the highlighted run and the keys."""
        self.draw_keys()
        at = self.chosen_index
        if at is None:
            self.query_one("#empty", Static).update(self.nothing_yet())
            return
        shown = self.query_one("#run", Static)
        self.query_one(VerticalScroll).border_title = literal_line(self.names[at], 40)
        shown.update(self.text_of(at, shown.size.width or 80))

    def draw_keys(self) -> None:
        """Show the keys that do something now."""
        self.query_one("#keys", PlainLabel).put(offers(keys_by_id(self), self.hints_now()))
