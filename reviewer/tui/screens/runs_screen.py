"""All runs of a store at the left, the highlighted one at the right; they begin, stop and go on here."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, Static

from reviewer.core.errors import ReviewerError
from reviewer.exchange.evaluations.case_sample import factors_for
from reviewer.llm.usage import Usage
from reviewer.protocols.evaluation import Factor
from reviewer.protocols.generation import GenerationPlan
from reviewer.protocols.registry import protocols_of
from reviewer.runs.run_list import RunSummary, run_summaries
from reviewer.study.session.blinding import studies_with_hidden_judges
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.dialogs.new_evaluation import EvaluationDialog, EvaluationForm
from reviewer.tui.dialogs.new_run import RunDialog, RunForm
from reviewer.tui.dialogs.start_run import StartDialog
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.discards import DiscardsScreen
from reviewer.tui.screens.effects import EffectsScreen
from reviewer.tui.screens.run_work import AskingForm, RunWork
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import keys_by_id, offers
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.run_content import no_run_yet, run_item, run_text
from reviewer.tui.widgets.status_line import StatusLine
from store.database import Database
from store.records import EVALUATE, JUDGES

_SECONDS_BETWEEN_LOOKS = 3.0
_key = partial(named_key, "runs")
_NEW = (("runs.generate", "new dataset"), ("runs.evaluate", "ask models"))
_STOP = (("runs.stop", "stop"),)
_CHOSEN = (*_NEW, ("runs.carry-on", "carry on"))
_ALWAYS = (("runs.leave", "back"),)
_DISCARDS = (("runs.discards", "discards"),)
_OPENS = {EVALUATE: (("runs.effects", "effects"),), JUDGES: ()}
"""The key that opens what a run has brought, with its word; judges stand on the agreement screen."""


class RunsScreen(StyledOnce, Screen[None]):
    """Shows all runs, begins, resumes and stops them, and leaves once the one under way has ended."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("n", "generate", "new dataset", "generate", "Generate a dataset with a language model"),
        _key("m", "evaluate", "ask models", "evaluate", "Put the cases of datasets to models"),
        _key("e", "effects", "effects", "effects", "See the effects of the highlighted evaluation"),
        _key("d", "discards", "discards", "discards", "What the highlighted run discarded, and why"),
        _key("c", "carry_on", "carry on", "carry-on", "Resume the highlighted run, or add models to it"),
        _key("s", "stop", "stop", "stop", "Stop after the calls under way"),
        _key("escape,q", "leave", "back", "leave", "Go home; a run under way is stopped first"),
    ]
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

    class Listed(Message):
        """The runs of the store."""

        def __init__(self, runs: tuple[RunSummary, ...]) -> None:
            self.runs = runs
            super().__init__()

    def __init__(self, database: Database, person: str) -> None:
        super().__init__()
        self.database, self._person = database, person
        self.runs: tuple[RunSummary, ...] = ()
        self._work = RunWork(self, database, person)
        self.under_way: str | None = None
        self.moved: RunWork.Moved | None = None
        """The latest progress of the run under way."""
        self.spent: dict[str, Usage] = {}
        """What each run took that ended while this screen was open."""
        self._stop: Callable[[], object] | None = None
        self._leaving = False

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
        """Read the runs, and look regularly how far they are, also those of other processes."""
        heading = Content.styled("runs that ask models", "bold $foreground")
        head = Content.assemble(heading, literal(f"   {self.database.location}"))
        self.query_one("#head", Static).update(head)
        self.read_runs()
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self._look_again)

    def _look_again(self) -> None:
        if self.is_current:
            self.read_runs(self.runs)

    def read_runs(self, known: tuple[RunSummary, ...] | None = None) -> None:
        """Read the runs and their progress in the background; ``known`` ones are not listed again."""
        self.run_worker(partial(self._read_runs, known), thread=True, exclusive=True, group="read")

    def _read_runs(self, known: tuple[RunSummary, ...] | None) -> None:
        before = {listed.run.name: listed for listed in known or ()}
        try:
            hidden = studies_with_hidden_judges(study_progress(self.database), self._person)
            every = run_summaries(self.database, before)
            listed = tuple(summary for summary in every if summary.run.judged_study not in hidden)
        except ReviewerError as error:
            self.post_message(RunWork.Ended("", str(error), failed=True))
            return
        if listed != known:
            self.post_message(self.Listed(listed))

    def on_unmount(self) -> None:
        """Stop the run: once the screen is gone, nobody could."""
        if self._stop is not None:
            self._stop()

    def on_runs_screen_listed(self, message: Listed) -> None:
        """List the runs; highlight the one under way if it is new, or else the one highlighted before."""
        is_new = self.under_way is not None and self.under_way not in self.names
        before = self.under_way if is_new else self.chosen and self.chosen.run.name
        self.runs = message.runs
        highlight = self.names.index(before) if before in self.names else 0
        self.set_class(not self.runs, "-empty")
        items = [ListedLines(2, partial(run_item, listed)) for listed in self.runs]
        self.query_one(ItemList).show(items, highlight)
        self.draw()

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [listed.run.name for listed in self.runs]

    # -- beginning and carrying on -------------------------------------------------------------------

    def action_generate(self) -> None:
        """Ask what to generate, and start."""
        self._ask(self._generation_dialog())

    def action_evaluate(self) -> None:
        """Ask which cases are put to which models, and start."""
        self._ask(EvaluationDialog(factors_of=self.factors_of))

    def action_carry_on(self) -> None:
        """Ask how to reach the models, and resume the run."""
        listed = self.chosen
        if listed is None:
            self.say("There is no run yet that could be carried on.")
        elif listed.run.procedure == "discover" and listed.is_finished:
            self.say(f"{listed.run.name} is finished, because {listed.run.why}.")
        else:
            self._ask(self._resuming(listed))

    def _ask(self, dialog: ModalScreen[Any]) -> None:
        """Open the form of a run."""
        if self.is_free():
            self.app.push_screen(dialog, self.begin)

    def ask_again(self, form: AskingForm, refused: str = "") -> None:
        """Ask again, with everything still in the fields."""
        known = next((listed for listed in self.runs if listed.run.name == form.name), None)
        dialog: ModalScreen[Any]
        if isinstance(form, EvaluationForm) and (known is None or form.sample is not None):
            dialog = EvaluationDialog(factors_of=self.factors_of, before=form, refused=refused)
        elif isinstance(form, RunForm) and (known is None or form.seeds or form.protocol):
            dialog = self._generation_dialog(form, refused)
        else:
            assert known is not None
            dialog = self._resuming(known, form, refused)
        self.app.push_screen(dialog, self.begin)

    def _generation_dialog(self, before: RunForm | None = None, refused: str = "") -> RunDialog:
        """The form of a new run that makes cases."""
        plans = {known: known.offered(GenerationPlan) for known in protocols_of(self.database).values()}
        without_seeds = {known.name: known.title for known, plan in plans.items() if plan and plan.groups}
        return RunDialog(without_seeds=without_seeds, before=before, refused=refused)

    def _resuming(self, listed: RunSummary, before: Any = None, refused: str = "") -> ModalScreen[Any]:
        """The form of a stored run: how to reach its models."""
        run = listed.run
        if run.keeps_outcomes:
            models = [part.name for part in listed.progress.parts]
            server = listed.roles[-1].endpoint if listed.roles else ""
            return EvaluationDialog(run.name, models, server=server, before=before, refused=refused)
        target = int(run.settings["target"]) if run.procedure == "generate" else None
        asked = ", ".join(dict.fromkeys(run.roles.values()))
        return RunDialog(run.name, asked, target, before=before, refused=refused)

    def factors_of(self, datasets: Sequence[str]) -> Sequence[Factor]:
        """What may differ between the ways in which cases of these datasets are put to models."""
        return factors_for(self.database, datasets)

    def begin(self, form: Any) -> None:
        """Estimate the run of a form; None means that nothing was asked for."""
        if form is not None:
            self.say(f"{form.name}: estimating what it costs …")
            self._work.estimate(form)

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
        self._work.carry_on(form)

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

    # -- keys ----------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the effects of an evaluation, or what another run discarded."""
        event.stop()
        if self.chosen is not None and self.chosen.run.judged_study:
            self.say(f"The agreement of study {self.chosen.run.judged_study} has a view of its judges.")
        elif self.chosen is not None and self.chosen.run.procedure == EVALUATE:
            self.action_effects()
        else:
            self.action_discards()

    def action_effects(self) -> None:
        """Open the effects of the highlighted evaluation."""
        if (listed := self.chosen) is None or listed.run.procedure != "evaluate":
            self.say("Only an evaluation has effects; highlight one.")
        else:
            self.app.push_screen(EffectsScreen(self.database, listed.run.name, self._person))

    def action_discards(self) -> None:
        """List what the highlighted run has discarded."""
        if (listed := self.chosen) is None or listed.run.keeps_outcomes:
            self.say("Only a run that makes cases discards some; highlight one.")
        else:
            self.app.push_screen(DiscardsScreen(self.database, listed.run.name, self._person))

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
    def chosen(self) -> RunSummary | None:
        """The highlighted run."""
        at = self.query_one(ItemList).highlighted
        return self.runs[at] if at is not None and at < len(self.runs) else None

    def on_resize(self) -> None:
        """Draw the bars for the new width."""
        self.call_after_refresh(self.draw)

    def say(self, sentence: str, failed: bool = False) -> None:
        """Put a sentence on the status line."""
        self.query_one(StatusLine).say(sentence, failed)

    def draw(self) -> None:
        """Draw the highlighted run and the keys."""
        self.draw_keys()
        listed = self.chosen
        if listed is None:
            self.query_one("#empty", Static).update(no_run_yet(keys_by_id(self)))
            return
        shown, name = self.query_one("#run", Static), listed.run.name
        self.query_one(VerticalScroll).border_title = literal_line(name, 40)
        width = shown.size.width or 80
        if (moved := self.moved) is not None and moved.name == name:
            shown.update(run_text(listed, width, moved.progress, moved.spent, moved.left))
        else:
            shown.update(run_text(listed, width, spent=self.spent.get(name)))

    def draw_keys(self) -> None:
        """Show the keys that do something now."""
        now = _STOP if self.under_way is not None else _NEW if self.chosen is None else _CHOSEN
        opens = () if self.chosen is None else _OPENS.get(self.chosen.run.procedure, _DISCARDS)
        self.query_one("#keys", PlainLabel).put(offers(keys_by_id(self), (*opens, *now, *_ALWAYS)))
