"""Generation: the runs of the store and their progress; runs are started, stopped and resumed here."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from reviewer.llm.usage import Usage
from reviewer.tui.dialogs.new_run import RunDialog, RunForm
from reviewer.tui.dialogs.start_run import StartDialog
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.discards import DiscardsScreen
from reviewer.tui.screens.generation_work import GenerationWork, ListedRun
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import keys_by_id, offers
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.run_content import no_run_yet, run_item, run_text
from reviewer.tui.widgets.status_line import StatusLine
from store.database import Database

_FREE = (("generation.new", "new run"),)
_CHOSEN = (*_FREE, ("generation.carry-on", "carry on"), ("generation.discards", "discards"))
_UNDER_WAY = (("generation.stop", "stop"), ("generation.discards", "discards"))
_ALWAYS = (("generation.leave", "back"),)


class GenerationScreen(Screen[None]):
    """Runs at the left, the highlighted one at the right; one of them may be under way."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape",
            "leave",
            "back",
            id="generation.leave",
            tooltip="Go home; a run under way is stopped first",
        ),
        Binding("n", "new_run", "new run", id="generation.new", tooltip="Generate a new dataset"),
        Binding("c", "carry_on", "carry on", id="generation.carry-on", tooltip="Resume the highlighted run"),
        Binding("s", "stop", "stop", id="generation.stop", tooltip="Stop after the calls under way"),
        Binding(
            "d", "discards", "discards", id="generation.discards", tooltip="What the run discarded, and why"
        ),
    ]
    DEFAULT_CSS = """
    GenerationScreen {
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
        self.runs: list[ListedRun] = []
        self.under_way: str | None = None
        self._stop: Callable[[], object] | None = None
        self._moved: GenerationWork.Moved | None = None
        self._spent: dict[str, Usage] = {}
        """What each run took that ended while this screen was open."""
        self._leaving = False
        self._work = GenerationWork(self, database)

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
                Content.styled("generation", "bold $foreground"), literal(f"   {self.database.location}")
            )
        )
        self._work.read_runs()

    def on_unmount(self) -> None:
        """Stop the run: once the screen is gone, nobody could."""
        if self._stop is not None:
            self._stop()

    # -- results of background work ------------------------------------------------------------

    def on_generation_work_listed(self, message: GenerationWork.Listed) -> None:
        """List the runs; highlight the one under way, or else the one that was highlighted before."""
        before = self.under_way or (self.chosen.run.name if self.chosen else None)
        self.runs = message.runs
        names = [listed.run.name for listed in self.runs]
        highlight = names.index(before) if before in names else 0
        self.set_class(not names, "-empty")
        self.query_one(ItemList).show(
            [ListedLines(2, partial(run_item, listed.run, listed.progress)) for listed in self.runs],
            highlight,
        )
        self._draw()

    def on_generation_work_asking(self, message: GenerationWork.Asking) -> None:
        """Remember how to stop the run; it can be stopped from now on."""
        self._stop = message.stop_asking
        self.say(f"{self.under_way}: under way")
        self._work.read_runs()
        if self._leaving:
            self._stop()

    def on_generation_work_moved(self, message: GenerationWork.Moved) -> None:
        """Draw the progress of the run, after listing it if it is new."""
        self._moved = message
        if message.name not in (listed.run.name for listed in self.runs):
            self._work.read_runs()
        self._draw()

    def on_generation_work_ended(self, message: GenerationWork.Ended) -> None:
        """Say how the run ended."""
        if message.spent is not None:
            self._spent[message.name] = message.spent
        if message.name == self.under_way:
            self.under_way = self._stop = self._moved = None
        self.say(message.sentence, message.failed)
        if self._leaving and self.under_way is None:
            self.dismiss()
        elif message.name:
            self._work.read_runs()

    def on_generation_work_estimated(self, message: GenerationWork.Estimated) -> None:
        """Show what the run may cost; nothing is sent before somebody agrees."""
        dialog = StartDialog(message.form, message.model, message.estimate)
        self.app.push_screen(dialog, partial(self._agreed, message.form))

    def on_generation_work_refused(self, message: GenerationWork.Refused) -> None:
        """Say why the run cannot begin, with everything still in its fields."""
        self.under_way = self._stop = self._moved = None
        self.say(message.sentence, failed=True)
        self._draw_keys()
        if self._leaving:
            self.dismiss()
        else:
            self._ask(message.form, message.sentence)

    def on_option_list_option_highlighted(self) -> None:
        """Draw the highlighted run."""
        self._draw()

    # -- keys --------------------------------------------------------------------------------------

    def action_new_run(self) -> None:
        """Ask what to generate, and start."""
        if self._is_free():
            self.app.push_screen(RunDialog(), self._begin)

    def action_carry_on(self) -> None:
        """Ask how to reach the model, and resume the run."""
        listed = self.chosen
        if listed is None:
            self.say("There is no run yet that could be carried on.")
        elif self._is_free():
            target = int(listed.run.settings["target"])
            self.app.push_screen(RunDialog(listed.run.name, listed.run.model, target), self._begin)

    def action_discards(self) -> None:
        """List what the highlighted run has discarded."""
        if (listed := self.chosen) is None:
            self.say("There is no run yet that could have discarded anything.")
        else:
            self.app.push_screen(DiscardsScreen(self.database, listed.run.name))

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

    def _is_free(self) -> bool:
        if self.under_way is not None:
            self.say(f"{self.under_way} is under way; s stops it.")
        return self.under_way is None

    def _ask(self, form: RunForm, refused: str = "") -> None:
        """Ask again, with everything still in the fields."""
        model = next((listed.run.model for listed in self.runs if listed.run.name == form.name), "")
        name = form.name if model and not form.seeds else ""
        dialog = RunDialog(name, model if name else "", before=form, refused=refused)
        self.app.push_screen(dialog, self._begin)

    def _begin(self, form: RunForm | None) -> None:
        if form is not None:
            self.say(f"{form.name}: estimating what it costs …")
            self._work.estimate(form)

    def _agreed(self, form: RunForm, agreed: RunForm | None) -> None:
        """Start, or go back to the fields."""
        if agreed is None:
            self.say("Nothing was sent.")
            self._ask(form)
            return
        self.under_way, self._moved = form.name, None
        self._draw_keys()
        self.say(f"{form.name}: getting ready …")
        self._work.carry_on(form)

    # -- painting ----------------------------------------------------------------------------------

    @property
    def chosen(self) -> ListedRun | None:
        """The highlighted run."""
        at = self.query_one(ItemList).highlighted
        return self.runs[at] if at is not None and at < len(self.runs) else None

    @property
    def _width(self) -> int:
        return self.query_one("#run", Static).size.width or 80

    def on_resize(self) -> None:
        """Draw the bars for the new width."""
        self.call_after_refresh(self._draw)

    def say(self, sentence: str, failed: bool = False) -> None:
        """Put a sentence on the status line."""
        self.query_one(StatusLine).say(sentence, failed)

    def _draw(self) -> None:
        self._draw_keys()
        listed, moved = self.chosen, self._moved
        if listed is None:
            self.query_one("#empty", Static).update(no_run_yet(keys_by_id(self)))
            return
        if moved is not None and moved.name == listed.run.name:
            text = run_text(listed.run, moved.progress, self._width, moved.spent, moved.left)
        else:
            text = run_text(listed.run, listed.progress, self._width, self._spent.get(listed.run.name))
        self.query_one(VerticalScroll).border_title = literal_line(listed.run.name, 40)
        self.query_one("#run", Static).update(text)

    def _draw_keys(self) -> None:
        """Show the keys that do something now."""
        now = _UNDER_WAY if self.under_way is not None else _FREE if self.chosen is None else _CHOSEN
        self.query_one("#keys", PlainLabel).put(offers(keys_by_id(self), (*now, *_ALWAYS)))
