"""Starting or resuming a generation run: which model writes, how to reach it, and the budget."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.exchange.rows.shipped import SHIPPED
from reviewer.llm.models_file import ModelsFile, read_models_file
from reviewer.options.generate import GenerateOptions
from reviewer.tui.dialogs.form import Form, OptionForm, in_row
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.form_fields import InlineSelect, PathInput


@dataclass(frozen=True, slots=True)
class RunForm:
    """The contents of the fields. ``key_variable`` is the name of an environment variable, never a key.

    ``seeds`` is the dataset with the examples, "" for a resumed run, which has its own. A ``protocol`` that
    needs no seeds takes its settings from ``settings_file`` and ``scenarios`` (None: the shipped ones). A
    discovery run has no ``target``. Without a ``budget``, money is not limited.
    """

    name: str
    model: str
    base_url: str
    key_variable: str
    target: int | None
    seeds: str
    budget: float | None = None
    protocol: str = ""
    settings_file: Path | None = None
    scenarios: Path | None = None
    seed: int = 0


Started = TypeVar("Started")


class RunDialog(OptionForm[RunForm]):
    """Returns the contents of the form; whether the model can be reached shows at its first call.

    A resumed run has its name and model already, and only its target can be changed, if it has one. What a
    person entered ``before`` stands in the fields again, with the reason why it was ``refused``.
    ``without_seeds`` are the titles, by name, of the protocols whose cases need no seeds.
    """

    OPTIONS = GenerateOptions
    TITLE_LINE = "generate cases"
    DONE = "Start"
    DEFAULT_CSS = "RunDialog #material { height: auto; }"

    def __init__(
        self,
        name: str = "",
        model: str = "",
        target: int | None = 10,
        *,
        without_seeds: Mapping[str, str] | None = None,
        before: RunForm | None = None,
        refused: str = "",
    ) -> None:
        super().__init__()
        self._run = (name, model)
        self._origins = {"": "examples of a dataset", **(without_seeds or {})}
        self._before, self._refused = before or usual_form(target), refused
        if before is None:
            self._refused = models_file_problem()

    def on_mount(self) -> None:
        """Say why the form is here again; the form's own handler runs too."""
        if self._refused:
            self.complain(self._refused)

    def fields(self) -> ComposeResult:
        """Name, model, address, key, what cases are made from, target."""
        (name, model), before = self._run, self._before
        if name:
            yield in_row("Carried on", Static(literal(f" {name} · {model}")))
        else:
            yield self.row("Name of the run", "name", before.name, "its dataset has the same name")
            yield self.row("Model", "model", before.model, "it writes, and it judges")
        yield self.row("Its server", "base_url", before.base_url)
        usual = "the server's usual environment variable"
        yield self.row("Key is in", "key_env", before.key_variable, usual)
        if not name:
            yield in_row("Cases from", InlineSelect(self._origins, id="origin", chosen=before.protocol))
            yield Vertical(*self._material(before.protocol), id="material")
            yield self.row("Random seed", "seed", before.seed)
        if before.target is not None:
            yield self.row("Valid cases a group", "target", before.target)
        yield self.row("Budget", "budget", before.budget, "none; or an amount of money")

    def _material(self, protocol: str) -> list[Widget]:
        """The fields for the source of the cases: seeds, or settings and scenarios."""
        before = self._before
        if not protocol:
            seeds = before.seeds or SHIPPED
            return [self.row("Seeds", "seeds", seeds, "the dataset that holds examples")]
        files = (
            ("Settings file", "settings-file", before.settings_file, "TOML; empty: the shipped templates"),
            ("Scenarios", "scenarios", before.scenarios, "text, one a line; empty: those of the settings"),
        )
        return [
            in_row(label, PathInput(str(path or ""), id=field, placeholder=usual))
            for label, field, path, usual in files
        ]

    async def on_inline_select_changed(self) -> None:
        """Show the fields of the chosen source."""
        chosen = self.query_one("#origin", InlineSelect).chosen
        await self.put_fields(self.query_one("#material"), self._material(chosen))

    def answer(self) -> RunForm:
        """The contents of the fields; raises RequestError where they are not valid."""
        name, model = self._run
        form = RunForm(
            name or self.given("name") or "",
            model or self.given("model") or "",
            self.given("base_url") or "",
            self.given("key_env") or "",
            None if self._before.target is None else self.given("target"),
            "",
            self.given("budget"),
        )
        if not name:
            form = self._with_material(form)
        if not form.name or not form.model:
            raise RequestError("a run needs a name and a model.")
        if self._before.target is not None and form.target is None:
            raise RequestError("a run needs a number of valid cases for each group.")
        return form

    def _with_material(self, form: RunForm) -> RunForm:
        form = replace(form, seed=self.given("seed") or 0)
        if not (protocol := self.query_one("#origin", InlineSelect).chosen):
            return replace(form, seeds=self.given("seeds"))
        settings_file, scenarios = (
            self.query_one(f"#{field}", PathInput).path for field in ("settings-file", "scenarios")
        )
        return replace(form, protocol=protocol, settings_file=settings_file, scenarios=scenarios)


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


def usual_form(target: int | None) -> RunForm:
    """What stands in the fields at first: the server and the budget that the command would take."""
    file = ModelsFile() if models_file_problem() else models_file()
    url = os.environ.get("REVIEWER_BASE_URL") or file.base_url
    key = os.environ.get("REVIEWER_KEY_ENV") or file.key_env or ""
    return RunForm("", "", url, key, target, SHIPPED, file.limits.budget)


class StartDialog(Form[Started], Generic[Started]):
    """Shows lines about a run below its head. Returns the form to start with; None to change it first."""

    TITLE_LINE = "nothing is sent yet"
    DONE = "Start"

    def __init__(self, form: Started, head: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._form, self._head, self._lines = form, head, lines

    def fields(self) -> ComposeResult:
        """The run, its cost estimate, its budget."""
        yield Static(literal(self._head, "bold"))
        for line in self._lines:
            yield Static(literal(line))

    def answer(self) -> Started:
        """The form as it was."""
        return self._form


def budget_line(budget: float | None, end: str) -> str:
    """What a budget does, or what ends a run without one."""
    if budget is None:
        return f"Budget: none. Only {end} ends the run; you can stop it at any time."
    return f"Budget: {budget:g}. No call is sent once that much is spent."
