"""Starting or resuming an evaluation run: which cases, how they are put, which models, how to reach them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.exchange.evaluations.case_sample import SampleRequest
from reviewer.protocols.evaluation import Factor
from reviewer.tui.dialogs.form import Form, in_row
from reviewer.tui.dialogs.new_run import budget_of, models_file_problem, usual_form
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.checkbox import Checkbox
from reviewer.tui.widgets.inline_select import InlineSelect
from reviewer.tui.widgets.path_input import PathInput

FactorsOf = Callable[[Sequence[str]], Sequence[Factor]]
_SMALLEST = "smallest"
_MOST = 100_000
_LONGEST_SEED = 18
_REPEATS_BY = {
    "": "what is usual for the cases",
    "blanks": "blanks at the end of the prompt",
    "seed": "the seed that is sent",
    "none": "nothing",
}


@dataclass(frozen=True, slots=True)
class EvaluationForm:
    """The contents of the fields. ``key_variable`` is the name of an environment variable, never a key.

    A resumed run has its ``sample`` already (None); its ``models`` may be new ones. None, also for the
    ``conditions`` and ``repeats``, and "" for ``repeats_by`` stand for what is usual. Without a ``budget``,
    money is not limited.
    """

    name: str
    sample: SampleRequest | None
    models: tuple[str, ...]
    base_url: str
    key_variable: str
    conditions: Mapping[str, tuple[str, ...]] | None = None
    repeats: int | None = None
    repeats_by: str = ""
    budget: float | None = None


class EvaluationDialog(Form[EvaluationForm]):
    """Returns the contents of the form; whether a model can be reached shows at its first call.

    A resumed run has its ``name``, its ``models`` and their ``server``; models that it does not have are
    added to it. What a person entered ``before`` stands in the fields again, with the reason why it was
    ``refused``. The conditions that can be ticked are those of the datasets that are named: ``factors_of``
    looks them up.
    """

    TITLE_LINE = "put cases to models"
    DONE = "Start"
    DEFAULT_CSS = """
    EvaluationDialog {
        #conditions, .values { height: auto; }
        .values { width: 1fr; }
    }
    """

    class Offered(Message):
        """What the named datasets can be asked under."""

        def __init__(self, factors: Sequence[Factor]) -> None:
            self.factors = tuple(factors)
            super().__init__()

    def __init__(
        self,
        name: str = "",
        models: Sequence[str] = (),
        *,
        server: str = "",
        factors_of: FactorsOf | None = None,
        before: EvaluationForm | None = None,
        refused: str = "",
    ) -> None:
        super().__init__()
        usual = usual_form(0)
        self._run_name, self._factors_of = name, factors_of
        self._before = before or EvaluationForm(
            name, None, tuple(models), server or usual.base_url, usual.key_variable, budget=usual.budget
        )
        self._refused = refused if before is not None else models_file_problem()
        self._factors: tuple[Factor, ...] = ()

    def on_mount(self) -> None:
        """Say why the form is here again, and offer conditions; the form's own handler runs too."""
        if self._refused:
            self.complain(self._refused)
        if not self._run_name:
            self.look_up_factors(_listed(self.text_of("datasets")))

    def fields(self) -> ComposeResult:
        """Which cases, under which conditions, how often; models, server, key, budget."""
        before = self._before
        if self._run_name:
            yield in_row("Carried on", Static(literal(f" {self._run_name}")))
        else:
            yield from self._new_fields(before, before.sample or SampleRequest(()))
        models = ", ".join(before.models)
        yield in_row("Models", Input(models, id="models", placeholder="one, or several of one server: a, b"))
        yield in_row("Their server", Input(before.base_url, id="base-url"))
        usual = "the server's usual environment variable"
        yield in_row("Key is in", Input(before.key_variable, id="key-variable", placeholder=usual))
        budget = "" if before.budget is None else f"{before.budget:g}"
        yield in_row("Budget", Input(budget, id="budget", placeholder="none; or an amount of money"))

    def _new_fields(self, before: EvaluationForm, sample: SampleRequest) -> ComposeResult:
        """What a stored run has already."""
        yield in_row("Name of the run", Input(before.name, id="name"))
        datasets = ", ".join(sample.datasets)
        yield in_row("Datasets", Input(datasets, id="datasets", placeholder="one, or several: a, b"))
        yield Vertical(id="conditions")
        per_group = _SMALLEST if sample.smallest else str(sample.per_group or "")
        size = "all; a number; or: smallest (group)"
        yield in_row("Cases a group", Input(per_group, id="per-group", placeholder=size))
        picked = str(sample.picked or "")
        listed = "all; or a CSV with dataset,key"
        yield in_row("Only cases of a file", PathInput(picked, id="picked", placeholder=listed))
        yield in_row("Seed of the draw", Input(str(sample.seed), id="seed"))
        repeats = str(before.repeats or "")
        usual = "as usual for the cases; or a number"
        yield in_row("Repeats", Input(repeats, id="repeats", placeholder=usual))
        differ = InlineSelect(_REPEATS_BY, id="repeats-by", chosen=before.repeats_by)
        yield in_row("Repeats differ by", differ)

    # -- conditions of the named datasets --------------------------------------------------------

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer the conditions of the datasets that are named now."""
        if event.input.id == "datasets":
            self.look_up_factors(_listed(event.value))

    @work(thread=True, exclusive=True, group="factors")
    def look_up_factors(self, datasets: Sequence[str]) -> None:
        """Ask the store in the background."""
        try:
            factors = self._factors_of(datasets) if self._factors_of else ()
        except ReviewerError:
            factors = ()  # what is wrong with the store or a name shows when the form is submitted
        self.post_message(self.Offered(factors))

    async def on_evaluation_dialog_offered(self, message: Offered) -> None:
        """Show the values of each factor, those ticked that are usual or were chosen before."""
        if message.factors != self._factors:
            self._factors = message.factors
            await self.put_fields(self.query_one("#conditions"), [*map(self._row_of, self._factors)])

    def _row_of(self, factor: Factor) -> Widget:
        ticked = (self._before.conditions or {}).get(factor.name, factor.usual)
        boxes = (Checkbox(value, on=value in ticked) for value in factor.values)
        return in_row(factor.name.capitalize(), Vertical(*boxes, classes="values"))

    def _chosen_values(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The ticked values of each factor; raises RequestError for a factor without one."""
        boxes = iter(self.query("#conditions Checkbox").results(Checkbox))
        for factor in self._factors:
            values = tuple(value for value in factor.values if next(boxes).on)
            if not values:
                raise RequestError(f"no {factor.name} is ticked; tick one with space.")
            yield factor.name, values

    # -- the answer ------------------------------------------------------------------------------

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
            sample=self._sample(),
            conditions=dict(self._chosen_values()) or None,
            repeats=_number(repeats, "repeats") if (repeats := self.text_of("repeats")) else None,
            repeats_by=self.query_one("#repeats-by", InlineSelect).chosen,
        )
        if not form.name or not form.sample or not form.sample.datasets or not form.models:
            raise RequestError("a run needs a name, a dataset and a model.")
        return form

    def _sample(self) -> SampleRequest:
        size, picked = self.text_of("per-group"), self._picked()
        if size and picked:
            raise RequestError("a file names every case; leave the number of cases a group empty.")
        smallest = size.casefold() == _SMALLEST
        return SampleRequest(
            _listed(self.text_of("datasets")),
            per_group=_number(size, "cases") if size and not smallest else None,
            smallest=smallest,
            picked=picked,
            seed=_seed(self.text_of("seed")),
        )

    def _picked(self) -> Path | None:
        return self.query_one("#picked", PathInput).path


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (part.strip() for part in text.split(",")))))


def _number(text: str, what: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= _MOST:
        raise RequestError(f"{text[:20]!r} is not a number of {what}; use 1, 2, 3 …")
    return int(text)


def _seed(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > _LONGEST_SEED:
        raise RequestError(f"seed {text[:20]!r} is not a whole number; use one of at most 18 digits.")
    return int(text)
