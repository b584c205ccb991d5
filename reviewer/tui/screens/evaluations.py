"""Evaluation runs of the store and their progress; runs are started, stopped, resumed and opened here."""

from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.widgets import OptionList

from reviewer.tui.dialogs.new_evaluation import EvaluationDialog, EvaluationForm
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.screens.effects import EffectsScreen
from reviewer.tui.screens.evaluation_work import EvaluationWork, ListedEvaluation
from reviewer.tui.screens.runs_screen import Hints, RunsScreen
from reviewer.tui.widgets.evaluation_content import evaluation_item, evaluation_text, no_evaluation_yet
from reviewer.tui.widgets.item_list import ListedLines
from reviewer.tui.widgets.key_hints import keys_by_id
from store.database import Database

_SECONDS_BETWEEN_LOOKS = 3.0
_key = partial(named_key, "evaluations")
_FREE = (("evaluations.new", "new run"),)
_CHOSEN = (
    ("evaluations.effects", "effects"),
    *_FREE,
    ("evaluations.carry-on", "carry on"),
)
_UNDER_WAY = (("evaluations.effects", "effects"), ("evaluations.stop", "stop"))
_ALWAYS = (("evaluations.leave", "back"),)


class EvaluationsScreen(RunsScreen):
    """Evaluation runs; new ones begin here, open ones are resumed, and each opens its effects."""

    HEADING = "evaluation of models"
    BINDINGS: ClassVar[list[BindingType]] = [
        _key("e", "effects", "effects", "effects", "See the effects of the highlighted run"),
        _key("n", "new_run", "new run", "new", "Put the cases of datasets to models"),
        _key("c", "carry_on", "carry on", "carry-on", "Resume the highlighted run, or add models to it"),
        _key("s", "stop", "stop", "stop", "Stop after the calls under way"),
        _key("escape,q", "leave", "back", "leave", "Go home; a run under way is stopped first"),
    ]

    def __init__(self, database: Database, person: str) -> None:
        super().__init__(database)
        self._person = person
        self.runs: tuple[ListedEvaluation, ...] = ()
        self._work = EvaluationWork(self, database, person)

    def on_mount(self) -> None:
        """Look regularly how far the runs are, also those of other processes; the base reads them first."""
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self._look_again)

    def _look_again(self) -> None:
        if self.is_current:
            self._work.read_runs(self.runs)

    def read_runs(self) -> None:
        """Read the runs in the background."""
        self._work.read_runs()

    def run_work(self) -> EvaluationWork:
        """What works for this screen in the background."""
        return self._work

    # -- results of background work ------------------------------------------------------------

    def on_evaluation_work_listed(self, message: EvaluationWork.Listed) -> None:
        """List the runs."""
        self.runs = message.runs
        items = [ListedLines(2, partial(evaluation_item, listed)) for listed in self.runs]
        self.show_runs([listed.run.name for listed in self.runs], items)

    # -- keys --------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the effects of a run."""
        event.stop()
        self.action_effects()

    def action_effects(self) -> None:
        """Open the effects of the highlighted run."""
        if self.chosen_name is None:
            self.say("There is no run yet whose effects could be shown.")
        else:
            self.app.push_screen(EffectsScreen(self.database, self.chosen_name, self._person))

    def action_new_run(self) -> None:
        """Ask which cases are put to which models, and start."""
        if self.is_free():
            self.app.push_screen(EvaluationDialog(factors_of=self._work.factors_of), self.begin)

    def action_carry_on(self) -> None:
        """Ask how to reach the models, and resume the run."""
        at = self.chosen_index
        if at is None:
            self.say("There is no run yet that could be carried on.")
        elif self.is_free():
            listed = self.runs[at]
            models = [model.model for model in listed.progress.models]
            dialog = EvaluationDialog(listed.run.name, models, server=listed.endpoint)
            self.app.push_screen(dialog, self.begin)

    def ask_again(self, form: EvaluationForm, refused: str = "") -> None:
        """Ask again, with everything still in the fields."""
        name = form.name if form.sample is None else ""
        dialog = EvaluationDialog(name, factors_of=self._work.factors_of, before=form, refused=refused)
        self.app.push_screen(dialog, self.begin)

    # -- painting ----------------------------------------------------------------------------------

    def text_of(self, index: int, width: int) -> Content:
        """Settings, models and cost of a run."""
        listed, moved = self.runs[index], self.moved
        if moved is not None and moved.name == listed.run.name:
            return evaluation_text(listed, moved.progress, width, moved.spent, moved.left)
        return evaluation_text(listed, listed.progress, width, self.spent.get(listed.run.name))

    def nothing_yet(self) -> Content:
        """What a run is, and the key that starts one."""
        return no_evaluation_yet(keys_by_id(self))

    def hints_now(self) -> Hints:
        """The keys that do something now."""
        chosen = _CHOSEN if self.chosen_index is not None else _FREE
        return (*(_UNDER_WAY if self.under_way is not None else chosen), *_ALWAYS)
