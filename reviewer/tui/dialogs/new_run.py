"""Starting or resuming a generation run: which model writes, and how to reach it."""

import os
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError
from reviewer.exchange.rows.shipped_seeds import SHIPPED
from reviewer.llm.settings import DEFAULT_URL
from reviewer.tui.dialogs.form import Form, in_row
from reviewer.tui.rendering.literal import literal


@dataclass(frozen=True, slots=True)
class RunForm:
    """The contents of the fields. ``key_variable`` is the name of an environment variable, never a key.

    ``seeds`` is the dataset with the examples, "" for a resumed run, which has its own.
    """

    name: str
    model: str
    base_url: str
    key_variable: str
    target: int
    seeds: str


class RunDialog(Form[RunForm]):
    """Returns the contents of the form; whether the model can be reached shows at its first call.

    A resumed run has its name and model already, and only its target can be changed.
    """

    TITLE_LINE = "generate cases"
    DONE = "Start"

    def __init__(self, name: str = "", model: str = "", target: int = 10) -> None:
        super().__init__()
        self._before = (name, model, target)

    def fields(self) -> ComposeResult:
        """Name, model, address, key, seeds, target."""
        name, model, target = self._before
        if name:
            yield in_row("Carried on", Static(literal(f" {name} · {model}")))
        else:
            yield in_row("Name of the run", Input(id="name", placeholder="its dataset has the same name"))
            yield in_row("Model", Input(id="model", placeholder="it writes, and it judges"))
        url, variable = os.environ.get("REVIEWER_BASE_URL"), os.environ.get("REVIEWER_KEY_ENV")
        yield in_row("Its server", Input(url or DEFAULT_URL, id="base-url"))
        usual = "the server's usual environment variable"
        yield in_row("Key is in", Input(variable or "", id="key-variable", placeholder=usual))
        if not name:
            yield in_row("Seeds", Input(SHIPPED, id="seeds", placeholder="the dataset that holds examples"))
        yield in_row("Valid cases a group", Input(str(target), id="target"))

    def answer(self) -> RunForm:
        """The contents of the fields; raises RequestError where they are not valid."""
        name, model, _ = self._before
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
        )
        if not form.name or not form.model:
            raise RequestError("a run needs a name and a model.")
        return form
