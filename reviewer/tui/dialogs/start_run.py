"""What a generation run may cost, before anything is sent."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.widgets import Static

from reviewer.core.sanitize import counted
from reviewer.runs.generation.cost_estimate import CostEstimate
from reviewer.tui.dialogs.form import Form
from reviewer.tui.dialogs.new_run import RunForm
from reviewer.tui.rendering.literal import literal


class StartDialog(Form[RunForm]):
    """Returns the form to start with; None to change it first."""

    TITLE_LINE = "nothing is sent yet"
    DONE = "Start"

    def __init__(self, form: RunForm, model: str, estimate: CostEstimate) -> None:
        super().__init__()
        self._form, self._model, self._estimate = form, model, estimate

    def fields(self) -> ComposeResult:
        """The run, its cost estimate, its budget."""
        yield Static(literal(f"{self._form.name} · {self._model} at {self._form.base_url}", "bold"))
        for line in self._lines():
            yield Static(literal(line))

    def answer(self) -> RunForm:
        """The form as it was."""
        return self._form

    def _lines(self) -> Iterator[str]:
        yield f"For {counted(self._form.target, 'valid case')} of each group, the whole run takes about:"
        for title, (calls, tokens, cost) in self._estimate.totals.items():
            money = "" if cost is None else f", cost {cost:.2f}"
            yield f"  {title}: {calls:,} calls, {tokens:,} tokens{money}"
        yield "Tokens are characters / 4, without reasoning. Answers that are kept already cost nothing."
        budget = self._form.budget
        if self._estimate.price is None:
            yield f"No price is known for {self._model}, so its cost is not counted."
        if budget is None:
            yield "Budget: none. Only the target ends the run; you can stop it at any time."
        else:
            yield f"Budget: {budget:g}. No call is sent once that much is spent."
