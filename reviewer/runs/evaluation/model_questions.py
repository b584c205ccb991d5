"""The questions of an evaluation run, which one process asks, or several in chunks."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from reviewer.core.errors import RequestError
from reviewer.protocols.evaluation import Condition
from reviewer.runs.engine.shared_run import SharedUnits
from store.evaluations import Evaluations, asked_role, keep_leased_outcomes
from store.records import Lease, Outcome, OutcomeState, RunChunk, SampledCase

if TYPE_CHECKING:
    from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation

States = dict[tuple[str, int, str, int], OutcomeState]
"""State by model, place of the case, key of the condition, and repeat."""


class ModelQuestion(NamedTuple):
    """One question to one model; on a server with its chunk, and the lease under which it was taken."""

    model: str
    sampled: SampledCase
    condition: Condition
    repeat: int
    chunk: int = 0
    lease: str = ""

    @property
    def place(self) -> tuple[str, int, str, int]:
        """What identifies its outcome in the run."""
        return self.model, self.sampled.place, self.condition.key, self.repeat


class EvaluationUnits(SharedUnits[ModelQuestion, Outcome]):
    """The questions of an evaluation. ``states`` has the outcomes that this process knows of."""

    def __init__(self, prepared: "PreparedEvaluation") -> None:
        self._prepared, self._evaluations = prepared, Evaluations(prepared.database)
        self.run, self.models = prepared.run.name, prepared.models
        self.states: States = {}

    def begin(self, endpoint: str, lease: Lease | None = None) -> None:
        """Write a new run or new models."""
        models = dict.fromkeys(self.models, endpoint)
        if self._prepared.is_new:
            try:
                prepared = self._prepared
                self._evaluations.begin(prepared.run, prepared.sample, models, lease, prepared.placing)
            except RequestError:
                if lease:
                    raise
                self._check_same_run(endpoint)
        self._evaluations.add_models(self.run, models, lease, asked_role(self._prepared.run))

    def _check_same_run(self, endpoint: str) -> None:
        """Raise RequestError if another process has just begun another run of this name."""
        prepared, evaluations = self._prepared, self._evaluations
        begun = evaluations.with_outcomes(self.run)
        servers = {model.model: model.endpoint for model in evaluations.models(self.run)}
        same = (
            (begun.protocol, begun.settings, begun.material)
            == (prepared.run.protocol, prepared.run.settings, prepared.run.material)
            and evaluations.sample(self.run) == list(prepared.sample)
            and all(servers.get(model, endpoint) == endpoint for model in self.models)
        )
        if not same:
            raise RequestError(
                f"another process has just begun run {self.run!r} with other settings or cases; take part "
                f"in it with `{prepared.run.command}`, or choose another name."
            )

    def read(self, chunks: Sequence[RunChunk] | None = None) -> None:
        """Read the outcomes of these chunks, or of the whole run."""
        evaluations = self._evaluations
        if chunks is None:
            self.states.clear()
        rows = evaluations.coded(self.run) if chunks is None else evaluations.coded_in(chunks)
        self.states.update((row[:4], row[4]) for row in rows)

    def chunks(self, least: int, most: int) -> list[RunChunk]:
        """All conditions of some cases in one repeat, for each model."""
        prepared = self._prepared
        conditions, cases = len(prepared.conditions), len(prepared.sample)
        questions = conditions * cases * prepared.settings.repeats * len(self.models)
        places = max(1, max(least, questions // most) // max(1, conditions))
        return [
            RunChunk(
                run=self.run,
                number=0,
                model=model,
                repeat=repeat,
                first=first,
                places=min(places, cases - first),
            )
            for repeat in range(prepared.settings.repeats)
            for first in range(0, cases, places)
            for model in self.models
        ]

    def left(self, chunk: RunChunk, lease: str = "") -> list[ModelQuestion]:
        """The questions of a chunk without an answer."""
        places = range(chunk.first, chunk.first + chunk.places)
        left = questions_left(self._prepared, self.states, (chunk.repeat,), places, (chunk.model,))
        return [question._replace(chunk=chunk.number, lease=lease) for question in left]

    def all_left(self) -> Iterator[ModelQuestion]:
        """All questions without an answer."""
        prepared, everything = self._prepared, range(len(self._prepared.sample))
        repeats = range(prepared.settings.repeats)
        return questions_left(prepared, self.states, repeats, everything, self.models)

    def keep_alone(self, lease: Lease, products: Sequence[Outcome]) -> None:
        """Save outcomes in one transaction; raises RequestError if another process took the run over."""
        self._evaluations.keep(products, lease)

    def keep(self, lease: Lease, products: Sequence[tuple[int, Outcome]], done: Collection[int]) -> None:
        """Save outcomes with the numbers of their chunks, and mark chunks as done."""
        keep_leased_outcomes(self._prepared.database, lease, products, done)


def questions_left(
    prepared: "PreparedEvaluation",
    states: Mapping[tuple[str, int, str, int], OutcomeState],
    repeats: Iterable[int],
    places: Iterable[int],
    models: Iterable[str],
) -> Iterator[ModelQuestion]:
    """The questions without an answer: all cases and conditions of a repeat before the next repeat."""
    for repeat, place, condition, model in product(repeats, places, prepared.conditions, models):
        question = ModelQuestion(model, prepared.sample[place], condition, repeat)
        if states.get(question.place, "missing") == "missing":
            yield question
