"""Generation: the runs of the store, how far each is, and starting, stopping and carrying one on."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from reviewer.llm.calls import Spent
from reviewer.runs.standing import GroupStanding, Standing
from reviewer.runs.standing_text import discarded_in_words, sentence_of, spent_in_words, state_of
from reviewer.tui.dialogs.new_run import RunDialog, RunForm
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.screens.generation_work import GenerationWork, RunSeen
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import hints
from store.database import Database

_LIST_WIDTH = 40
_NAME = 23
_LEAST_BAR, _MOST_BAR = 8, 20


class GenerationScreen(GenerationWork):
    """Runs at the left, the chosen one at the right; one of them may be under way."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "back", id="generation.leave", tooltip="Go home; a run is stopped first"),
        Binding("n", "new_run", "new run", id="generation.new", tooltip="Generate a new dataset"),
        Binding("c", "carry_on", "carry on", id="generation.carry-on", tooltip="Carry the chosen run on"),
        Binding("s", "stop", "stop", id="generation.stop", tooltip="Stop after the calls under way"),
    ]
    DEFAULT_CSS = """
    GenerationScreen {
        background: $background;
        #head { height: 1; padding: 0 1; color: $foreground 75%; }
        OptionList {
            width: 30%; max-width: 42; height: 1fr; border: round $foreground 18%; background: $background;
            scrollbar-size-vertical: 1;
        }
        OptionList:focus { border: round $foreground 45%; }
        OptionList > .option-list--option-highlighted { background: $foreground 10%; text-style: none; }
        OptionList:focus > .option-list--option-highlighted {
            background: $foreground 16%; color: $foreground;
        }
        VerticalScroll {
            height: 1fr; padding: 0 1; border: round $foreground 18%; scrollbar-size-vertical: 1;
        }
        VerticalScroll:focus { border: round $foreground 45%; }
        #status { height: auto; min-height: 1; max-height: 3; padding: 0 1; }
        #status.-failed { color: $text-error; background: $error 20%; }
        #keys { height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self.runs: list[RunSeen] = []
        self.under_way: str | None = None
        self._stop: Callable[[], object] | None = None
        self._moved: GenerationWork.Moved | None = None
        self._leaving = False

    def compose(self) -> ComposeResult:
        """Head, runs, the chosen run, what happened last, keys."""
        yield Static(id="head")
        with Horizontal():
            yield OptionList(markup=False)
            with VerticalScroll():
                yield Static(id="run")
        yield Static(id="status")
        yield Static(hints([("n", "new run"), ("c", "carry on"), ("s", "stop"), ("esc", "back")]), id="keys")

    def on_mount(self) -> None:
        """Read what there is."""
        self.query_one("#head", Static).update(
            Content.assemble(
                Content.styled("generation", "bold $foreground"), literal(f"   {self.database.location}")
            )
        )
        self.read_runs()

    def on_unmount(self) -> None:
        """A screen that is gone can stop nothing, so nothing goes on behind it."""
        if self._stop is not None:
            self._stop()

    # -- what was done in the background -----------------------------------------------------------

    def on_generation_work_listed(self, message: GenerationWork.Listed) -> None:
        """List the runs, with the one under way or the one that was chosen before highlighted."""
        options = self.query_one(OptionList)
        before = self.under_way or (self.chosen.run.name if self.chosen else None)
        self.runs = message.runs
        options.set_options(Option(_line(seen)) for seen in self.runs)
        names = [seen.run.name for seen in self.runs]
        options.highlighted = names.index(before) if before in names else (0 if names else None)
        self._draw()

    def on_generation_work_asking(self, message: GenerationWork.Asking) -> None:
        """From now on the run can be stopped."""
        self._stop = message.stop_asking
        self.say(f"{self.under_way}: under way")
        self.read_runs()
        if self._leaving:
            self._stop()

    def on_generation_work_moved(self, message: GenerationWork.Moved) -> None:
        """Draw how far the run is; it may have to be listed first."""
        self._moved = message
        if message.name not in (seen.run.name for seen in self.runs):
            self.read_runs()
        self._draw()

    def on_generation_work_ended(self, message: GenerationWork.Ended) -> None:
        """Say how it ended."""
        if message.name == self.under_way:
            self.under_way = self._stop = self._moved = None
        self.say(message.sentence, message.failed)
        if self._leaving and self.under_way is None:
            self.dismiss()
        elif message.name:
            self.read_runs()

    def on_option_list_option_highlighted(self) -> None:
        """Draw the chosen run."""
        self._draw()

    # -- keys --------------------------------------------------------------------------------------

    def action_new_run(self) -> None:
        """Ask what to generate, and begin."""
        if self._is_free():
            self.app.push_screen(RunDialog(), self._begin)

    def action_carry_on(self) -> None:
        """Ask where the model is reached, and go on."""
        seen = self.chosen
        if seen is None:
            self.say("There is no run yet; n begins one.")
        elif self._is_free():
            target = int(seen.run.settings["target"])
            self.app.push_screen(RunDialog(seen.run.name, seen.run.model, target), self._begin)

    def action_stop(self) -> None:
        """Stop after the calls under way."""
        if self._stop is None:
            self.say("No run is under way here.")
        else:
            self.say(f"{self.under_way}: stopping after the calls under way …")
            self._stop()

    def action_leave(self) -> None:
        """Go back, when what is under way has ended."""
        if self.under_way is None:
            self.dismiss()
            return
        self._leaving = True
        self.action_stop()

    def _is_free(self) -> bool:
        if self.under_way is not None:
            self.say(f"{self.under_way} is under way; s stops it.")
        return self.under_way is None

    def _begin(self, form: RunForm | None) -> None:
        if form is not None:
            self.under_way, self._moved = form.name, None
            self.say(f"{form.name}: getting ready …")
            self.carry_on(form)

    # -- painting ----------------------------------------------------------------------------------

    @property
    def chosen(self) -> RunSeen | None:
        """The run under the highlight."""
        at = self.query_one(OptionList).highlighted
        return self.runs[at] if at is not None and at < len(self.runs) else None

    @property
    def _width(self) -> int:
        return self.query_one("#run", Static).size.width or 80

    def on_resize(self) -> None:
        """Bars are as wide as there is room."""
        self.call_after_refresh(self._draw)

    def say(self, sentence: str, failed: bool = False) -> None:
        """Put a sentence on the status line."""
        status = self.query_one("#status", Static)
        status.set_class(failed, "-failed")
        status.update(literal(f"✗ {sentence}" if failed else sentence))

    def _draw(self) -> None:
        seen, moved = self.chosen, self._moved
        if seen is None:
            text = literal("No runs yet. n begins one: seeds, expanded by a model, checked by machine.")
        elif moved is not None and moved.name == seen.run.name:
            text = _run_text(seen, moved.standing, self._width, moved.spent, moved.left)
        else:
            text = _run_text(seen, seen.standing, self._width)
        self.query_one("#run", Static).update(text)


def _line(seen: RunSeen) -> Content:
    run, standing = seen.run, seen.standing
    told = f"{standing.valid:,} valid · {run.state} · {run.model}"
    return Content("\n").join(
        [
            literal_line(run.name, _LIST_WIDTH - 4, "bold"),
            literal_line(told, _LIST_WIDTH - 4, "$foreground 60%"),
        ]
    )


def _run_text(
    seen: RunSeen, standing: Standing, width: int, spent: Spent | None = None, left: str = ""
) -> Content:
    """The run in lines: what it is, each group, the funnel, what was spent, how long it takes."""
    run = seen.run
    head = f"{run.name} · {run.model} · seed {run.seed} · order {run.settings['order']}"
    lines = [literal(head), literal(""), *(_group_line(group, width) for group in standing.groups)]
    lines += [literal(""), literal(sentence_of(standing)), literal(discarded_in_words(standing))]
    if spent is not None:
        lines += [literal(spent_in_words(spent)), literal(left)]
    elif run.why:
        lines.append(literal(run.why))
    lines += [literal(""), literal(f"reviewer funnel {run.name}   counts why candidates were discarded")]
    return Content("\n").join(lines)


def _group_line(group: GroupStanding, width: int) -> Content:
    """One group on one line; what does not fit is left out."""
    told = f" {group.valid:>4} of {group.target}"
    for more in (f"   {state_of(group)}", f"   {group.tried} tried"):
        if _NAME + _LEAST_BAR + len(told) + len(more) <= width:
            told += more
    name = literal(f"{group.group[: _NAME - 1]:<{_NAME}}")
    cells = max(_LEAST_BAR, min(_MOST_BAR, width - _NAME - len(told)))
    return Content.assemble(name, bar(group.valid, group.target, cells), literal(told))
