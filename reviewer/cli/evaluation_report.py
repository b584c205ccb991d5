"""``reviewer report --evaluation``: an evaluation run as pages, figures and tables."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from reviewer.cli.effect_options import read_clusters, read_picked, read_tiers
from reviewer.cli.options import open_store
from reviewer.core.errors import RequestError
from reviewer.core.number_text import DIGITS
from reviewer.protocols.registry import protocols_of
from reviewer.report.report_files import evaluation_files
from reviewer.results.labels.agreement_results import IntervalKind
from reviewer.results.outcomes.case_choice import ladder
from reviewer.results.outcomes.divisions import Tiers
from reviewer.results.outcomes.effect_rows import ClusterKind, ErrorMethod
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.results.outcomes.evaluation_statistics import EffectSettings, compute_evaluation
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, OutcomeState

_UNLABELLED: tuple[OutcomeState, ...] = ("unreadable", "missing", "not_asked")


@dataclass(frozen=True)
class EvaluationReportRequest:
    """What the options of a report on an evaluation run ask for."""

    run: str
    models: tuple[str, ...]
    passed: tuple[str, ...]
    picked: Path | None
    cluster: ClusterKind
    tiers_by: str
    sentence_model: str
    interval: IntervalKind
    resamples: int
    seed: int | None
    level: float
    digits: int

    @property
    def method(self) -> ErrorMethod:
        """How errors are computed; raises RequestError for none."""
        if self.interval == "none":
            raise RequestError("effects have intervals in any case; use --interval bootstrap or analytic.")
        interval = "bootstrap" if self.interval == "bootstrap" else "linearised"
        return ErrorMethod(interval, self.level, self.seed or 0, self.resamples)  # type: ignore[arg-type]

    @property
    def command(self) -> str:
        """What to type for the same report."""
        words = [f"reviewer report --evaluation {quote(self.run)}"]
        words += [f"--model {quote(model)}" for model in self.models]
        words += [f"--passed {quote(study)}" for study in self.passed]
        words += [f"--picked {quote(str(self.picked))}"] if self.picked else []
        words += [f"--cluster {self.cluster}"] if self.cluster != "case" else []
        words += [f"--tiers-by {quote(self.tiers_by)}"] if self.tiers_by else []
        words += [f"--interval {self.interval} --level {self.level:g}"]
        if self.interval == "bootstrap":
            words += [f"--resamples {self.resamples} --seed {self.seed or 0}"]
        words += [f"--digits {self.digits}"] if self.digits != DIGITS else []
        return " ".join(words)


def evaluation_report(
    store: str, request: EvaluationReportRequest, *, with_figures: bool
) -> dict[str, str | bytes]:
    """Every file of the report by its path in the folder; raises RequestError."""
    method = request.method
    with closing(open_store(store, must_exist=True)) as database:
        evaluation = read_evaluation(database, protocols_of(database), request.run)
        if not evaluation.models or not evaluation.cases:
            raise RequestError(
                f"evaluation run {request.run!r} has no outcomes yet; run `reviewer evaluate`."
            )
        evaluation = evaluation.of_models(request.models)
        settings = EffectSettings(
            read_clusters(database, evaluation, request.cluster, request.sentence_model),
            _tiers(database, evaluation, request),
            method,
        )
        choices = ladder(database, evaluation, request.passed, read_picked(request.picked))
        unlabelled = _unlabelled(database, request.run)
        statistics = compute_evaluation(evaluation, unlabelled, choices, settings, request.digits)
    return evaluation_files(statistics, request.command, with_figures=with_figures)


def _tiers(database: Database, evaluation: Evaluation, request: EvaluationReportRequest) -> Tiers | None:
    """Tiers by what was asked for, else by what the protocol names, if any case has it."""
    name = request.tiers_by or evaluation.plan.tiers_by
    if not request.tiers_by and not any(name in case.sizes for case in evaluation.cases):
        return None
    return read_tiers(database, evaluation, name, request.sentence_model)


def _unlabelled(database: Database, run: str) -> Iterator[Outcome]:
    for state in _UNLABELLED:
        yield from Evaluations(database).outcomes(run, state=state)
