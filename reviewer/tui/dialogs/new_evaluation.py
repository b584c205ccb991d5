"""Starting or resuming an evaluation run: which cases, which models, and how to reach them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.app import ComposeResult
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError
from reviewer.tui.dialogs.form import Form, in_row
from reviewer.tui.dialogs.new_run import budget_of, models_file_problem, usual_form
from reviewer.tui.rendering.literal import literal


@dataclass(frozen=True, slots=True)
class EvaluationForm:
    """The contents of the fields. ``key_variable`` is the name of an environment variable, never a key.

    ``datasets`` are empty for a resumed run, which has its sample; its ``models`` may be new ones. Without a
    ``budget``, money is not limited.
    """

    name: str
    datasets: tuple[str, ...]
    models: tuple[str, ...]
    base_url: str
    key_variable: str
    repeats: int | None = None
    per_group: int | None = None
    budget: float | None = None


class EvaluationDialog(Form[EvaluationForm]):
    """Returns the contents of the form; whether a model can be reached shows at its first call.

    A resumed run has its ``name`` and its ``models``; models that it does not have are added to it. What a
    person entered ``before`` stands in the fields again, with the reason why it was ``refused``.
    """

    TITLE_LINE = "put cases to models"
    DONE = "Start"

    def __init__(
        self,
        name: str = "",
        models: Sequence[str] = (),
        *,
        before: EvaluationForm | None = None,
        refused: str = "",
    ) -> None:
        super().__init__()
        usual = usual_form(0)
        self._run_name = name
        self._before = before or EvaluationForm(
            name, (), tuple(models), usual.base_url, usual.key_variable, budget=usual.budget
        )
        self._refused = refused if before is not None else models_file_problem()

    def on_mount(self) -> None:
        """Say why the form is here again; the form's own handler runs too."""
        if self._refused:
            self.complain(self._refused)

    def fields(self) -> ComposeResult:
        """Name, cases, models, server, key, repeats, budget."""
        before = self._before
        if self._run_name:
            yield in_row("Carried on", Static(literal(f" {self._run_name}")))
        else:
            yield in_row("Name of the run", Input(before.name, id="name"))
            datasets = ", ".join(before.datasets)
            yield in_row("Datasets", Input(datasets, id="datasets", placeholder="one, or several: a, b"))
            per_group = "" if before.per_group is None else str(before.per_group)
            yield in_row("Cases a group", Input(per_group, id="per-group", placeholder="all; or a number"))
            repeats = "" if before.repeats is None else str(before.repeats)
            yield in_row(
                "Repeats", Input(repeats, id="repeats", placeholder="as usual for the cases; or a number")
            )
        models = ", ".join(before.models)
        yield in_row("Models", Input(models, id="models", placeholder="one, or several of one server: a, b"))
        yield in_row("Their server", Input(before.base_url, id="base-url"))
        usual = "the server's usual environment variable"
        yield in_row("Key is in", Input(before.key_variable, id="key-variable", placeholder=usual))
        budget = "" if before.budget is None else f"{before.budget:g}"
        yield in_row("Budget", Input(budget, id="budget", placeholder="none; or an amount of money"))

    def answer(self) -> EvaluationForm:
        """The contents of the fields; raises RequestError where they are not valid."""
        form = replace(
            self._before,
            models=_listed(self.text_of("models")),
            base_url=self.text_of("base-url"),
            key_variable=self.text_of("key-variable"),
            budget=budget_of(self.text_of("budget")),
        )
        if self._run_name:
            return form
        form = replace(
            form,
            name=self.text_of("name"),
            datasets=_listed(self.text_of("datasets")),
            repeats=_number(repeats, "repeats") if (repeats := self.text_of("repeats")) else None,
            per_group=_number(per_group, "cases") if (per_group := self.text_of("per-group")) else None,
        )
        if not form.name or not form.datasets or not form.models:
            raise RequestError("a run needs a name, a dataset and a model.")
        return form


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in text.split(",")))))


def _number(text: str, what: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 100_000:
        raise RequestError(f"{text[:20]!r} is not a number of {what}; use 1, 2, 3 …")
    return int(text)
