"""Generation: the runs of the store and their progress; runs are started, stopped and resumed here."""

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from reviewer.core.number_text import fixed
from reviewer.core.sanitize import counted
from reviewer.llm.usage import Usage
from reviewer.runs.discovery.discovery_progress import DiscoveryProgress, DiscoveryStanding
from reviewer.runs.generation.cost_estimate import CostEstimate
from reviewer.runs.generation.run_progress import RunProgress
from reviewer.tui.dialogs.new_run import RunDialog, RunForm
from reviewer.tui.dialogs.start_run import StartDialog, budget_line
from reviewer.tui.screens.discards import DiscardsScreen
from reviewer.tui.screens.generation_work import GenerationWork, ListedRun
from reviewer.tui.screens.runs_screen import Hints, RunsScreen
from reviewer.tui.widgets.item_list import ListedLines
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.run_content import discovery_text, no_run_yet, run_item, run_text
from store.database import Database

_FREE = (("generation.new", "new run"),)
_CHOSEN = (*_FREE, ("generation.carry-on", "carry on"), ("generation.discards", "discards"))
_UNDER_WAY = (("generation.stop", "stop"), ("generation.discards", "discards"))
_ALWAYS = (("generation.leave", "back"),)


class GenerationScreen(RunsScreen):
    """Generation runs; new ones begin here, and open ones are resumed."""

    HEADING = "generation"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,q",
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

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.runs: list[ListedRun] = []
        self._moved: GenerationWork.Moved | None = None
        self._spent: dict[str, Usage] = {}
        """What each run took that ended while this screen was open."""
        self._work = GenerationWork(self, database)

    def read_runs(self) -> None:
        """Read the runs in the background."""
        self._work.read_runs()

    # -- results of background work ------------------------------------------------------------

    def on_generation_work_listed(self, message: GenerationWork.Listed) -> None:
        """List the runs."""
        self.runs = message.runs
        items = [ListedLines(2, partial(run_item, listed.run, listed.progress)) for listed in self.runs]
        self.show_runs([listed.run.name for listed in self.runs], items)

    def on_generation_work_asking(self, message: GenerationWork.Asking) -> None:
        """From now on the run can be stopped."""
        self.run_began(message.stop_asking)

    def on_generation_work_moved(self, message: GenerationWork.Moved) -> None:
        """Draw the progress of the run, after listing it if it is new."""
        before, self._moved = self._moved, message
        is_next = before is None or before.progress.rounds != message.progress.rounds
        if message.name not in self.names or (is_next and isinstance(message.progress, DiscoveryProgress)):
            self.read_runs()
        self.draw()

    def on_generation_work_ended(self, message: GenerationWork.Ended) -> None:
        """Say how the run ended."""
        if message.spent is not None:
            self._spent[message.name] = message.spent
        if message.name == self.under_way:
            self._moved = None
        self.run_ended(message.name, message.sentence, message.failed)

    def on_generation_work_estimated(self, message: GenerationWork.Estimated) -> None:
        """Show what the run may cost; nothing is sent before somebody agrees."""
        form, model = message.form, message.model
        lines = _cost_lines(form, message.estimate)
        dialog = StartDialog(form, f"{form.name} · {model} at {form.base_url}", [*lines])
        self.app.push_screen(dialog, partial(self._agreed, message.form))

    def on_generation_work_noted(self, message: GenerationWork.Noted) -> None:
        """Say it."""
        self.say(message.sentence)

    def on_generation_work_refused(self, message: GenerationWork.Refused) -> None:
        """Say why the run cannot begin, with everything still in its fields."""
        self._moved = None
        if self.run_refused(message.sentence):
            self._ask(message.form, message.sentence)

    # -- keys --------------------------------------------------------------------------------------

    def action_new_run(self) -> None:
        """Ask what to generate, and start."""
        if self.is_free():
            dialog = RunDialog(without_seeds=self._work.without_seeds())
            self.app.push_screen(dialog, self._begin)

    def action_carry_on(self) -> None:
        """Ask how to reach the model, and resume the run."""
        listed = self.chosen
        if listed is None:
            self.say("There is no run yet that could be carried on.")
        elif isinstance(listed.progress, DiscoveryStanding) and listed.run.state == "finished":
            self.say(f"{listed.run.name} is finished, because {listed.run.why}.")
        elif self.is_free():
            target = None if listed.run.procedure == "discover" else int(listed.run.settings["target"])
            self.app.push_screen(RunDialog(listed.run.name, listed.run.model, target), self._begin)

    def action_discards(self) -> None:
        """List what the highlighted run has discarded."""
        if (listed := self.chosen) is None:
            self.say("There is no run yet that could have discarded anything.")
        else:
            self.app.push_screen(DiscardsScreen(self.database, listed.run.name))

    def _ask(self, form: RunForm, refused: str = "") -> None:
        """Ask again, with everything still in the fields."""
        model = next((listed.run.model for listed in self.runs if listed.run.name == form.name), "")
        name = form.name if model and not (form.seeds or form.protocol) else ""
        offered = self._work.without_seeds()
        dialog = RunDialog(name, model if name else "", without_seeds=offered, before=form, refused=refused)
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
        self._moved = None
        self.getting_ready(form.name)
        self._work.carry_on(form)

    # -- painting ----------------------------------------------------------------------------------

    @property
    def chosen(self) -> ListedRun | None:
        """The highlighted run."""
        at = self.chosen_index
        return None if at is None else self.runs[at]

    def text_of(self, index: int, width: int) -> Content:
        """Settings, groups, funnel and cost of a run."""
        listed, moved = self.runs[index], self._moved
        if moved is not None and moved.name != listed.run.name:
            moved = None
        spent = moved.spent if moved else self._spent.get(listed.run.name)
        if isinstance(listed.progress, DiscoveryStanding):
            now = moved.progress if moved and isinstance(moved.progress, DiscoveryProgress) else None
            return discovery_text(listed.run, listed.progress, now, spent)
        if moved and isinstance(moved.progress, RunProgress):
            return run_text(listed.run, moved.progress, width, spent, moved.left)
        return run_text(listed.run, listed.progress, width, spent)

    def nothing_yet(self) -> Content:
        """What a run is, and the key that starts one."""
        return no_run_yet(keys_by_id(self))

    def hints_now(self) -> Hints:
        """The keys that do something now."""
        now = _UNDER_WAY if self.under_way is not None else _FREE if self.chosen is None else _CHOSEN
        return (*now, *_ALWAYS)


def _cost_lines(form: RunForm, estimate: CostEstimate) -> Iterator[str]:
    of_each = f"For {counted(form.target, 'valid case')} of each group, the" if form.target else "The"
    yield f"{of_each} whole run takes about:"
    for title, (calls, tokens, cost) in estimate.totals.items():
        money = "" if cost is None else f", cost {fixed(cost)}"
        yield f"  {title}: {calls:,} calls, {tokens:,} tokens{money}"
    yield "Tokens are characters / 4, without reasoning. Answers that are kept already cost nothing."
    if estimate.without_price:
        yield f"No price is known for {', '.join(estimate.without_price)}, so the cost is not known."
    yield budget_line(form.budget, "the target" if form.target else "a round that keeps nothing")
