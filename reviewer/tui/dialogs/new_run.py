"""Starting or resuming a generation run: which model writes, and how to reach it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.exchange.rows.shipped_seeds import SHIPPED
from reviewer.llm.models_file import ModelsFile, read_models_file
from reviewer.tui.dialogs.form import Form, in_row
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.inline_select import InlineSelect
from reviewer.tui.widgets.path_input import PathInput


class ServerForm(Protocol):
    """What a form says of a run and its server: name, address, the variable with its key, and the budget."""

    @property
    def name(self) -> str:
        """The name of the run."""
        ...

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


class RunDialog(Form[RunForm]):
    """Returns the contents of the form; whether the model can be reached shows at its first call.

    A resumed run has its name and model already, and only its target can be changed, if it has one. What a
    person entered ``before`` stands in the fields again, with the reason why it was ``refused``.
    ``without_seeds`` are the titles, by name, of the protocols whose cases need no seeds.
    """

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
            yield in_row(
                "Name of the run", Input(before.name, id="name", placeholder="its dataset has the same name")
            )
            yield in_row("Model", Input(before.model, id="model", placeholder="it writes, and it judges"))
        yield in_row("Its server", Input(before.base_url, id="base-url"))
        usual = "the server's usual environment variable"
        yield in_row("Key is in", Input(before.key_variable, id="key-variable", placeholder=usual))
        if not name:
            yield in_row("Cases from", InlineSelect(self._origins, id="origin", chosen=before.protocol))
            yield Vertical(*self._material(before.protocol), id="material")
            yield in_row("Random seed", Input(str(before.seed), id="seed"))
        if before.target is not None:
            yield in_row("Valid cases a group", Input(str(before.target), id="target"))
        budget = "" if before.budget is None else f"{before.budget:g}"
        yield in_row("Budget", Input(budget, id="budget", placeholder="none; or an amount of money"))

    def _material(self, protocol: str) -> list[Widget]:
        """The fields for what cases are made from."""
        before = self._before
        if not protocol:
            seeds = before.seeds or SHIPPED
            return [in_row("Seeds", Input(seeds, id="seeds", placeholder="the dataset that holds examples"))]
        files = (
            ("Settings file", "settings-file", before.settings_file, "TOML; empty: the shipped templates"),
            ("Scenarios", "scenarios", before.scenarios, "text, one a line; empty: those of the settings"),
        )
        return [
            in_row(label, PathInput(str(path or ""), id=field, placeholder=usual))
            for label, field, path, usual in files
        ]

    async def on_inline_select_changed(self) -> None:
        """Show the fields of what was chosen."""
        chosen = self.query_one("#origin", InlineSelect).chosen
        await self.put_fields(self.query_one("#material"), self._material(chosen))

    def answer(self) -> RunForm:
        """The contents of the fields; raises RequestError where they are not valid."""
        name, model = self._run
        form = RunForm(
            name or self.text_of("name"),
            model or self.text_of("model"),
            self.text_of("base-url"),
            self.text_of("key-variable"),
            None if self._before.target is None else target_of(self.text_of("target")),
            "",
            budget_of(self.text_of("budget")),
        )
        if not name:
            form = self._with_material(form)
        if not form.name or not form.model:
            raise RequestError("a run needs a name and a model.")
        return form

    def _with_material(self, form: RunForm) -> RunForm:
        seed = self.text_of("seed")
        if not seed.isdecimal() or len(seed) > 9:
            raise RequestError(f"seed {seed[:20]!r} is not a whole number; use 0, 1, 2 …")
        form = replace(form, seed=int(seed))
        if not (protocol := self.query_one("#origin", InlineSelect).chosen):
            return replace(form, seeds=self.text_of("seeds"))
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


def target_of(text: str) -> int:
    """The number of cases in a field; raises RequestError."""
    if not text.isdecimal() or not 0 < int(text) <= 100_000:
        raise RequestError(f"{text[:20]!r} is not a number of cases; use 1, 2, 3 …")
    return int(text)


def budget_of(text: str) -> float | None:
    """The budget in a field, None without one; raises RequestError."""
    if not text:
        return None
    if not text.replace(".", "", 1).isdecimal() or len(text) > 12:
        raise RequestError(f"{text[:20]!r} is not a budget; use a number such as 2 or 0.5, or none.")
    return float(text)
