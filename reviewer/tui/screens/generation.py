"""Generation: the runs of the store and their progress; runs are started, stopped and resumed here."""

from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from reviewer.runs.discovery.discovery_progress import DiscoveryProgress, DiscoveryStanding
from reviewer.runs.generation.run_progress import RunProgress
from reviewer.tui.dialogs.new_run import RunDialog, RunForm
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
        self._work = GenerationWork(self, database)

    def read_runs(self) -> None:
        """Read the runs in the background."""
        self._work.read_runs()

    def run_work(self) -> GenerationWork:
        """What works for this screen in the background."""
        return self._work

    # -- results of background work ------------------------------------------------------------

    def on_generation_work_listed(self, message: GenerationWork.Listed) -> None:
        """List the runs."""
        self.runs = message.runs
        items = [ListedLines(2, partial(run_item, listed.run, listed.progress)) for listed in self.runs]
        self.show_runs([listed.run.name for listed in self.runs], items)

    def on_run_work_moved(self, message: GenerationWork.Moved) -> None:
        """List a discovery run again after each round; the base draws the progress."""
        before = self.moved
        is_next = before is None or before.progress.rounds != message.progress.rounds
        if is_next and isinstance(message.progress, DiscoveryProgress):
            self.read_runs()

    # -- keys --------------------------------------------------------------------------------------

    def action_new_run(self) -> None:
        """Ask what to generate, and start."""
        if self.is_free():
            dialog = RunDialog(without_seeds=self._work.without_seeds())
            self.app.push_screen(dialog, self.begin)

    def action_carry_on(self) -> None:
        """Ask how to reach the model, and resume the run."""
        listed = self.chosen
        if listed is None:
            self.say("There is no run yet that could be carried on.")
        elif isinstance(listed.progress, DiscoveryStanding) and listed.run.state == "finished":
            self.say(f"{listed.run.name} is finished, because {listed.run.why}.")
        elif self.is_free():
            target = None if listed.run.procedure == "discover" else int(listed.run.settings["target"])
            self.app.push_screen(RunDialog(listed.run.name, listed.run.model, target), self.begin)

    def action_discards(self) -> None:
        """List what the highlighted run has discarded."""
        if (listed := self.chosen) is None:
            self.say("There is no run yet that could have discarded anything.")
        else:
            self.app.push_screen(DiscardsScreen(self.database, listed.run.name))

    def ask_again(self, form: RunForm, refused: str = "") -> None:
        """Ask again, with everything still in the fields."""
        model = next((listed.run.model for listed in self.runs if listed.run.name == form.name), "")
        name = form.name if model and not (form.seeds or form.protocol) else ""
        offered = self._work.without_seeds()
        dialog = RunDialog(name, model if name else "", without_seeds=offered, before=form, refused=refused)
        self.app.push_screen(dialog, self.begin)

    # -- painting ----------------------------------------------------------------------------------

    @property
    def chosen(self) -> ListedRun | None:
        """The highlighted run."""
        at = self.chosen_index
        return None if at is None else self.runs[at]

    def text_of(self, index: int, width: int) -> Content:
        """Settings, groups, funnel and cost of a run."""
        listed, moved = self.runs[index], self.moved
        if moved is not None and moved.name != listed.run.name:
            moved = None
        spent = moved.spent if moved else self.spent.get(listed.run.name)
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
