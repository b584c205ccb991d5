"""Starting or resuming a generation run: which model writes, and how to reach it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from textual.app import ComposeResult
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.exchange.rows.shipped_seeds import SHIPPED
from reviewer.llm.models_file import ModelsFile, read_models_file
from reviewer.tui.dialogs.form import Form, in_row
from reviewer.tui.rendering.literal import literal


class ServerForm(Protocol):
    """What a form says of the models' server: its address, the variable with its key, and the budget."""

    @property
    def base_url(self) -> str:
        """The address."""
        ...

    @property
    def key_variable(self) -> str:
        """The name of an environment variable; "" for the usual one."""
        ...

    @property
    def budget(self) -> float | None:
        """The amount of money that may be spent; None without a limit."""
        ...


@dataclass(frozen=True, slots=True)
class RunForm:
    """The contents of the fields. ``key_variable`` is the name of an environment variable, never a key.

    ``seeds`` is the dataset with the examples, "" for a resumed run, which has its own. Without a ``budget``,
    money is not limited.
    """

    name: str
    model: str
    base_url: str
    key_variable: str
    target: int
    seeds: str
    budget: float | None = None


class RunDialog(Form[RunForm]):
    """Returns the contents of the form; whether the model can be reached shows at its first call.

    A resumed run has its name and model already, and only its target can be changed. What a person entered
    ``before`` stands in the fields again, with the reason why it was ``refused``.
    """

    TITLE_LINE = "generate cases"
    DONE = "Start"

    def __init__(
        self,
        name: str = "",
        model: str = "",
        target: int = 10,
        *,
        before: RunForm | None = None,
        refused: str = "",
    ) -> None:
        super().__init__()
        self._run = (name, model)
        self._before, self._refused = before or usual_form(target), refused
        if before is None:
            self._refused = models_file_problem()

    def on_mount(self) -> None:
        """Say why the form is here again; the form's own handler runs too."""
        if self._refused:
            self.complain(self._refused)

    def fields(self) -> ComposeResult:
        """Name, model, address, key, seeds, target."""
        (name, model), before = self._run, self._before
        if name:
            yield in_row("Carried on", Static(literal(f" {name} · {model}")))
        else:
            yield in_row(
                "Name of the run", Input(before.name, id="name", placeholder="its dataset has the same name")
            )
            yield in_row("Model", Input(before.model, id="model", placeholder="it writes, and it judges"))
        yield in_row("Its server", Input(before.base_url, id="base-url"))
        usual = "the server's usual environment variable"
        yield in_row("Key is in", Input(before.key_variable, id="key-variable", placeholder=usual))
        if not name:
            yield in_row(
                "Seeds", Input(before.seeds, id="seeds", placeholder="the dataset that holds examples")
            )
        yield in_row("Valid cases a group", Input(str(before.target), id="target"))
        budget = "" if before.budget is None else f"{before.budget:g}"
        yield in_row("Budget", Input(budget, id="budget", placeholder="none; or an amount of money"))

    def answer(self) -> RunForm:
        """The contents of the fields; raises RequestError where they are not valid."""
        name, model = self._run
        target = self.text_of("target")
        if not target.isdecimal() or not 0 < int(target) <= 100_000:
            raise RequestError(f"{target[:20]!r} is not a number of cases; use 1, 2, 3 …")
        form = RunForm(
            name or self.text_of("name"),
            model or self.text_of("model"),
            self.text_of("base-url"),
            self.text_of("key-variable"),
            int(target),
            "" if name else self.text_of("seeds"),
            budget_of(self.text_of("budget")),
        )
        if not form.name or not form.model:
            raise RequestError("a run needs a name and a model.")
        return form


def models_file() -> ModelsFile:
    """The file that REVIEWER_MODELS names, as the command reads it; raises InputError."""
    path = os.environ.get("REVIEWER_MODELS")
    return read_models_file(Path(path)) if path else ModelsFile()


def models_file_problem() -> str:
    """What is wrong with that file; "" if nothing is."""
    try:
        models_file()
    except ReviewerError as error:
        return str(error)
    return ""


def usual_form(target: int) -> RunForm:
    """What stands in the fields at first: the server and the budget that the command would take."""
    file = ModelsFile() if models_file_problem() else models_file()
    url = os.environ.get("REVIEWER_BASE_URL") or file.base_url
    key = os.environ.get("REVIEWER_KEY_ENV") or file.key_env or ""
    return RunForm("", "", url, key, target, SHIPPED, file.limits.budget)


def budget_of(text: str) -> float | None:
    """The budget in a field, None without one; raises RequestError."""
    if not text:
        return None
    if not text.replace(".", "", 1).isdecimal() or len(text) > 12:
        raise RequestError(f"{text[:20]!r} is not a budget; use a number such as 2 or 0.5, or none.")
    return float(text)
