"""All runs of a store at the left, the highlighted one at the right; they begin, stop and go on here."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from reviewer.exchange.evaluations.case_sample import factors_for
from reviewer.llm.usage import Usage
from reviewer.protocols.evaluation import Factor
from reviewer.protocols.generation import GenerationPlan
from reviewer.protocols.registry import protocols_of
from reviewer.runs.run_list import RunSummary, run_summaries
from reviewer.study.session.blinding import studies_with_hidden_judges
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.dialogs.new_evaluation import EvaluationDialog, EvaluationForm
from reviewer.tui.dialogs.new_run import RunDialog, RunForm, StartDialog
from reviewer.tui.in_background import in_background
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.discards import DiscardsScreen
from reviewer.tui.screens.effects_screen import EffectsScreen
from reviewer.tui.screens.list_screen import ListBesideTextScreen
from reviewer.tui.screens.run_work import AskingForm, RunMoved, RunWork
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.label import StatusLine
from reviewer.tui.widgets.run_content import no_run_yet, run_item, run_text
from store.database import Database
from store.records import EVALUATE, JUDGES, REPAIR

_SECONDS_BETWEEN_LOOKS = 3.0
_key = partial(named_key, "runs")
_NEW = (("runs.generate", "new dataset"), ("runs.evaluate", "ask models"))
_STOP = (("runs.stop", "stop"),)
_CHOSEN = (*_NEW, ("runs.carry-on", "carry on"))
_ALWAYS = (("runs.leave", "back"),)
_DISCARDS = (("runs.discards", "discards"),)
_OPENS = {EVALUATE: (("runs.effects", "effects"),), JUDGES: (), REPAIR: ()}
"""The key that opens what a run has brought, with its word; judges stand on the agreement screen."""


class RunsScreen(ListBesideTextScreen):
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
        ItemList, ItemList:focus { width: 30%; max-width: 42; }
        VerticalScroll { border-title-color: $foreground; scrollbar-gutter: stable; }
        #empty { height: 1fr; padding: 0 1; content-align: center middle; display: none; }
        &.-empty #empty { display: block; }
        &.-empty Horizontal { display: none; }
        #keys { color: $quiet; }
        StatusLine { min-height: 1; }
    }
    """

    def __init__(self, database: Database, person: str) -> None:
        super().__init__()
        self.database, self._person = database, person
        self.runs: tuple[RunSummary, ...] = ()
        self._work = RunWork(self, database, person)
        self.under_way: str | None = None
        self.moved: RunMoved | None = None
        """The latest progress of the run under way."""
        self.spent: dict[str, Usage] = {}
        """What each run took that ended while this screen was open."""
        self._stop: Callable[[], object] | None = None
        self._leaving = False

    def below(self) -> ComposeResult:
        """What stands in place of the list, and the latest status."""
        yield Static(id="empty")
        yield StatusLine()

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
        in_background(self, "read", partial(self._read_runs, known), self._list, self.complain)

    def _read_runs(self, known: tuple[RunSummary, ...] | None) -> tuple[RunSummary, ...] | None:
        """The runs that this person may see; None where nothing has changed."""
        before = {listed.run.name: listed for listed in known or ()}
        hidden = studies_with_hidden_judges(study_progress(self.database), self._person)
        every = run_summaries(self.database, before)
        listed = tuple(summary for summary in every if summary.run.judged_study not in hidden)
        return None if listed == known else listed

    def on_unmount(self) -> None:
        """Stop the run: once the screen is gone, nobody could."""
        if self._stop is not None:
            self._stop()

    def _list(self, runs: tuple[RunSummary, ...] | None) -> None:
        """List the runs; highlight the one under way if it is new, or else the one highlighted before."""
        if runs is None:
            return
        is_new = self.under_way is not None and self.under_way not in self.names
        before = self.under_way if is_new else self.chosen and self.chosen.run.name
        self.runs = runs
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

    def show_estimate(self, form: AskingForm, head: str, lines: Sequence[str]) -> None:
        """Show the cost estimate of a run; nothing is sent before somebody agrees."""
        self.app.push_screen(StartDialog(form, head, lines), partial(self._agreed, form))

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

    def show_moved(self, moved: RunMoved) -> None:
        """Draw the progress of the run, after listing it if it is new."""
        self.moved = moved
        if moved.name not in self.names:
            self.read_runs()
        self.draw()

    def can_stop(self, stop: Callable[[], object]) -> None:
        """Remember how to stop the run; it can be stopped from now on."""
        self._stop = stop
        self.say(f"{self.under_way}: under way")
        self.read_runs()
        if self._leaving:
            stop()

    def show_end(self, name: str, sentence: str, failed: bool, spent: Usage | None) -> None:
        """Say how the run ended, and leave if that was waited for."""
        if spent is not None:
            self.spent[name] = spent
        if name == self.under_way:
            self.under_way = self._stop = self.moved = None
        self.say(sentence, failed)
        if self._leaving and self.under_way is None:
            self.dismiss()
        else:
            self.read_runs()

    def show_refusal(self, form: AskingForm, sentence: str) -> None:
        """Say why the run cannot begin, with everything still in its fields."""
        self.under_way = self._stop = self.moved = None
        self.say(sentence, failed=True)
        self.draw_keys()
        if self._leaving:
            self.dismiss()
        else:
            self.ask_again(form, sentence)

    def is_free(self) -> bool:
        """Whether no run is under way; if one is, say so."""
        if self.under_way is not None:
            self.say(f"{self.under_way} is under way; s stops it.")
        return self.under_way is None

    # -- keys ----------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the effects of an evaluation, or what another run discarded."""
        event.stop()
        if self.chosen is not None and self.chosen.run.judged_study:
            self.say(f"The agreement of study {self.chosen.run.judged_study} has a view of its judges.")
        elif self.chosen is not None and self.chosen.run.procedure == REPAIR:
            self.say(f"The command of run {self.chosen.run.name} lists its proposals and saves one of them.")
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
        return self.query_one(ItemList).chosen_of(self.runs)

    def on_resize(self) -> None:
        """Draw the bars for the new width."""
        self.call_after_refresh(self.draw)

    def draw_text(self) -> None:
        """Draw the highlighted run and the keys."""
        self.draw()

    def draw(self) -> None:
        """Draw the highlighted run and the keys."""
        self.draw_keys()
        listed = self.chosen
        if listed is None:
            self.query_one("#empty", Static).update(no_run_yet(keys_by_id(self)))
            return
        shown, name = self.query_one("#text", Static), listed.run.name
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
        self.put_keys((*opens, *now, *_ALWAYS))
