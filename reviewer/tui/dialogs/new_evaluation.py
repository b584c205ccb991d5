"""Starting or resuming an evaluation run: which cases, how they are put, which models, how to reach them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError
from reviewer.exchange.evaluations.case_sample import SampleRequest
from reviewer.options.evaluate import EvaluateOptions
from reviewer.protocols.evaluation import Factor
from reviewer.tui.dialogs.form import OptionForm, in_row
from reviewer.tui.dialogs.new_run import models_file_problem, usual_form
from reviewer.tui.in_background import in_background
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.form_fields import Checkbox

FactorsOf = Callable[[Sequence[str]], Sequence[Factor]]
_SMALLEST = "smallest"


@dataclass(frozen=True, slots=True)
class EvaluationForm:
    """The contents of the fields. ``key_variable`` is the name of an environment variable, never a key.

    A resumed run has its ``sample`` already (None); its ``models`` may be new ones. None, also for the
    ``conditions`` and ``repeats``, and "" for ``repeats_by`` stand for the defaults. Without a ``budget``,
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


def _no_factors(datasets: Sequence[str]) -> Sequence[Factor]:
    return ()


class EvaluationDialog(OptionForm[EvaluationForm]):
    """Returns the contents of the form; whether a model can be reached shows at its first call.

    A resumed run has its ``name``, its ``models`` and their ``server``; models that it does not have are
    added to it. What a person entered ``before`` stands in the fields again, with the reason why it was
    ``refused``. The conditions that can be ticked are those of the datasets that are named: ``factors_of``
    looks them up.
    """

    OPTIONS = EvaluateOptions
    TITLE_LINE = "put cases to models"
    DONE = "Start"
    DEFAULT_CSS = """
    EvaluationDialog {
        #conditions, .values { height: auto; }
        .values { width: 1fr; }
    }
    """

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
            self._look_up_factors()

    def fields(self) -> ComposeResult:
        """Which cases, under which conditions, how often; models, server, key, budget."""
        before = self._before
        if self._run_name:
            yield in_row("Carried on", Static(literal(f" {self._run_name}")))
        else:
            yield from self._new_fields(before, before.sample or SampleRequest(()))
        yield self.row("Models", "asked", before.models, "one, or several of one server: a, b")
        yield self.row("Their server", "base_url", before.base_url)
        usual = "the server's usual environment variable"
        yield self.row("Key is in", "key_env", before.key_variable, usual)
        yield self.row("Budget", "budget", before.budget, "none; or an amount of money")

    def _new_fields(self, before: EvaluationForm, sample: SampleRequest) -> ComposeResult:
        """What a stored run has already."""
        yield self.row("Name of the run", "name", before.name)
        yield self.row("Datasets", "datasets", sample.datasets, "one, or several: a, b")
        yield Vertical(id="conditions")
        per_group = _SMALLEST if sample.smallest else str(sample.per_group or "")
        yield self.row("Cases a group", "per_group", per_group, "all; a number; or: smallest (group)")
        yield self.row("Only cases of a file", "picked", sample.picked, "all; or a CSV with dataset,key")
        yield self.row("Seed of the draw", "seed", sample.seed)
        yield self.row("Repeats", "repeats", before.repeats, "as usual for the cases; or a number")
        usual = "what is usual for the cases"
        yield self.row("Repeats differ by", "repeats_by", before.repeats_by, usual)

    # -- conditions of the named datasets --------------------------------------------------------

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer the conditions of the datasets that are named now."""
        if event.input.id == "datasets":
            self._look_up_factors()

    def _look_up_factors(self) -> None:
        """Ask the store in the background; what is wrong with a name shows when the form is submitted."""
        find = partial(self._factors_of or _no_factors, self.given("datasets"))
        in_background(self, "factors", find, self._offer, lambda error: self._offer(()))

    async def _offer(self, factors: Sequence[Factor]) -> None:
        """Show the values of each factor, those ticked that are usual or were chosen before."""
        if tuple(factors) != self._factors:
            self._factors = tuple(factors)
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
            models=self.given("asked"),
            base_url=self.given("base_url") or "",
            key_variable=self.given("key_env") or "",
            budget=self.given("budget"),
        )
        if self._run_name:
            return form
        form = replace(
            form,
            name=self.given("name") or "",
            sample=self._sample(),
            conditions=dict(self._chosen_values()) or None,
            repeats=self.given("repeats"),
            repeats_by=self.given("repeats_by") or "",
        )
        if not form.name or not form.sample or not form.sample.datasets or not form.models:
            raise RequestError("a run needs a name, a dataset and a model.")
        return form

    def _sample(self) -> SampleRequest:
        size, picked = self.text_of("per-group"), self.given("picked")
        if size and picked:
            raise RequestError("a file names every case; leave the number of cases a group empty.")
        smallest = size.casefold() == _SMALLEST
        return SampleRequest(
            self.given("datasets"),
            per_group=None if smallest else self.given("per_group"),
            smallest=smallest,
            picked=picked,
            seed=self.given("seed"),
        )
