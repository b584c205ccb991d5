"""The progress of an evaluation run as plain values for displays."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table
from store.evaluations import Evaluations
from store.records import OutcomeState


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """How far one model is: its outcomes by state of the ``planned`` ones, and why it failed ("" if not)."""

    model: str
    planned: int
    read: int
    unreadable: int
    missing: int
    not_asked: int
    why: str = ""

    @property
    def done(self) -> int:
        """Outcomes that need no further call."""
        return self.read + self.unreadable + self.not_asked


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """How far an evaluation run is, and how many ``processes`` take part in it."""

    models: tuple[ModelProgress, ...]
    processes: int = 1

    @property
    def planned(self) -> int:
        """Outcomes of all models."""
        return sum(model.planned for model in self.models)

    @property
    def done(self) -> int:
        """Outcomes that need no further call."""
        return sum(model.done for model in self.models)

    @property
    def is_finished(self) -> bool:
        """Whether every outcome is there."""
        return self.done == self.planned

    @property
    def sentence(self) -> str:
        """How far the run is, in a sentence."""
        unreadable = sum(model.unreadable for model in self.models)
        not_asked = sum(model.not_asked for model in self.models)
        beside = [
            *([f"{unreadable:,} unreadable"] if unreadable else []),
            *([f"{not_asked:,} not asked"] if not_asked else []),
        ]
        note = f" ({', '.join(beside)})" if beside else ""
        together = f" {self.processes:,} processes take part." if self.processes > 1 else ""
        return f"{self.done:,} of {counted(self.planned, 'outcome')}{note}.{together}"

    @property
    def table(self) -> Table:
        """One row for each model."""
        columns = ("model", "planned", "read", "unreadable", "missing", "not asked", "note")
        rows = [
            (m.model, m.planned, m.read, m.unreadable, m.missing, m.not_asked, m.why) for m in self.models
        ]
        return Table.of(columns, rows)


EvaluationProgressCallback = Callable[[EvaluationProgress], None]


def evaluation_progress(
    models: Sequence[str],
    planned: int,
    counts: Iterable[tuple[str, OutcomeState, int]],
    failed: Mapping[str, str] | None = None,
    processes: int = 1,
) -> EvaluationProgress:
    """The progress from numbers of outcomes by model and state; ``planned`` are those of each model."""
    numbers = Counter[tuple[str, OutcomeState]]()
    for model, state, number in counts:
        numbers[model, state] += number
    return EvaluationProgress(
        tuple(
            ModelProgress(
                model,
                planned,
                numbers[model, "read"],
                numbers[model, "unreadable"],
                numbers[model, "missing"],
                numbers[model, "not_asked"],
                (failed or {}).get(model, ""),
            )
            for model in models
        ),
        processes,
    )


def stored_progress(
    evaluations: Evaluations, run: str, models: Sequence[str], planned: int
) -> EvaluationProgress:
    """How far a run is, according to the store; ``planned`` are the outcomes of each model."""
    counts = ((count.model, count.state, count.outcomes) for count in evaluations.counts(run))
    return evaluation_progress(models, planned, counts)


def missing_in_words(progress: EvaluationProgress) -> list[str]:
    """A sentence for each model that failed."""
    return [
        f"{model.model}: {counted(model.missing, 'outcome')} {agreeing(model.missing, 'is', 'are')} missing, "
        f"because {model.why}"
        for model in progress.models
        if model.why and model.missing
    ]
