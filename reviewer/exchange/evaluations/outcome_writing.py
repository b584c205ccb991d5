"""Writing an evaluation run: its outcomes in long form, or in the layout of another package's scripts."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import shown
from reviewer.core.whole_files import write_texts
from reviewer.core.work_progress import NamedProgress
from reviewer.exchange.evaluations.import_target import layout_of
from reviewer.exchange.exports.study_export import table_files
from reviewer.exchange.rows.dataset_export import stored_cases
from reviewer.exchange.rows.row_files import content_of_rows
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import StoredCase
from reviewer.protocols.intake import HAND_WRITTEN, origin_of
from reviewer.protocols.outcome_files import (
    AnsweredCase,
    FiledOutcome,
    LaidOutFiles,
    OutcomesOfModel,
    Similarities,
    WritableOutcomeFiles,
)
from reviewer.protocols.procedure import Sampling
from reviewer.results.outcomes.case_groupings import tiers_of
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation
from reviewer.results.tables.evaluation_tables import OutcomeLine, outcomes_spec
from reviewer.runs.check.diversity import mean_similarities
from reviewer.similarity.text_vectors import Embeddings
from store.database import Database
from store.evaluations import Evaluations
from store.records import Case, Membership


@dataclass(frozen=True, slots=True)
class WrittenLayout:
    """The files that were written, and the pairs of runs and conditions that the layout has no place for.

    ``not_asked`` says how many cases of the run each model was not asked; its files hold only the others.
    ``remarks`` are those of the layout.
    """

    files: tuple[Path, ...]
    left_out: int
    other: tuple[Condition, ...]
    not_asked: Mapping[str, int]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """The cases that a model was asked, and the values that its files have of them as a whole."""

    evaluation: Evaluation
    stored: Sequence[StoredCase]
    quartiles: Callable[[str], tuple[float, float, float] | None]
    similarities: Callable[[Callable[[StoredCase], str]], Mapping[str, Similarities]]

    @property
    def generators(self) -> tuple[str, ...]:
        """The models that wrote these cases."""
        names = dict.fromkeys(stored.place.generator for stored in self.stored)
        return tuple(name for name in names if name != HAND_WRITTEN)


def write_layout(
    database: Database,
    evaluation: Evaluation,
    layout: str,
    folder: Path,
    embeddings: Embeddings | None,
    progress: NamedProgress | None = None,
) -> WrittenLayout:
    """Write the files of every model; raises RequestError. Without ``embeddings`` no texts are compared.

    The files of one model are written together or not at all. They are about the cases that it was asked, as
    if it were alone in the run; a model that was asked none has no files.
    """
    files = layout_of(evaluation.protocol, layout)
    if not isinstance(files, WritableOutcomeFiles):
        raise RequestError(
            f"files of the layout {files.name!r} can only be read; use `reviewer outcomes export`."
        )
    written: dict[str, Path] = {}
    left_out = 0
    other: tuple[Condition, ...] = ()
    remarks: list[str] = []
    own = {model: _asked_of(evaluation, model) for model in evaluation.models}
    asked: _Asked | None = None
    for model in (model for model in own if own[model].cases):
        if asked is None or asked.evaluation.cases != own[model].cases:
            asked = _asked(database, own[model], embeddings, progress)
        laid_out = files.files(_outcomes(database, asked, model))
        contents = _contents(laid_out)
        if taken := written.keys() & contents.keys():
            raise RequestError(
                f"the files of model {shown(model)!r} have the names of another model's "
                f"({shown(min(taken))}); write the models from two runs, into two folders."
            )
        left_out += laid_out.left_out
        other = laid_out.other
        remarks += laid_out.remarks
        written |= zip(contents, write_texts(folder, contents), strict=True)
    total = len(evaluation.cases)
    not_asked = {model: total - len(own[model].cases) for model in own if len(own[model].cases) < total}
    return WrittenLayout(tuple(written.values()), left_out, other, not_asked, tuple(remarks))


def _asked_of(evaluation: Evaluation, model: str) -> Evaluation:
    """The run as it is for one model alone: the cases that it was asked, and their datasets."""
    asked = evaluation.asked[evaluation.models.index(model)]
    cases = tuple(case for case, is_asked in zip(evaluation.cases, asked, strict=True) if is_asked)
    held = {case.dataset for case in cases}
    datasets = tuple(name for name in evaluation.settings.datasets if name in held)
    settings = evaluation.settings.model_copy(update={"datasets": datasets})
    labels = {model: evaluation.labels[model][asked]}
    return replace(evaluation, settings=settings, cases=cases, models=(model,), labels=labels)


def _asked(
    database: Database,
    evaluation: Evaluation,
    embeddings: Embeddings | None,
    progress: NamedProgress | None,
) -> _Asked:
    """Quartiles and similarities are computed once for all models that were asked these cases."""
    stored = _stored_cases(database, evaluation)
    return _Asked(
        evaluation,
        stored,
        cache(partial(_quartiles, database, evaluation, embeddings, progress)),
        cache(partial(_similarities, stored, embeddings, progress)),
    )


def _outcomes(database: Database, asked: _Asked, model: str) -> OutcomesOfModel:
    evaluation = asked.evaluation
    conditions = {condition.key: condition for condition in evaluation.conditions}
    outcomes: dict[int, dict[tuple[Condition, int], FiledOutcome]] = defaultdict(dict)
    not_asked: dict[int, set[Condition]] = defaultdict(set)
    for outcome in Evaluations(database).outcomes(evaluation.run.name, model=model):
        condition = conditions[outcome.condition]
        if outcome.label is not None:
            filed = FiledOutcome(outcome.label, outcome.reply)
            outcomes[outcome.case][condition, outcome.repeat] = filed
        elif outcome.state == "not_asked":
            not_asked[outcome.case].add(condition)
    cases = [
        AnsweredCase(stored, case.facts, case.sizes, outcomes[case.place], frozenset(not_asked[case.place]))
        for stored, case in zip(asked.stored, evaluation.cases, strict=True)
    ]
    return OutcomesOfModel(
        model=model,
        generators=asked.generators,
        cases=cases,
        conditions=evaluation.conditions,
        repeats=evaluation.repeats,
        quartiles=asked.quartiles,
        similarities=asked.similarities,
    )


def _contents(laid_out: LaidOutFiles) -> dict[str, str | bytes]:
    tables = {name: content_of_rows(rows, name, for_scripts=True) for name, rows in laid_out.rows.items()}
    values = {
        name: json.dumps(value, ensure_ascii=False, indent=4) for name, value in laid_out.values.items()
    }
    return {**tables, **values, **laid_out.texts}


def _stored_cases(database: Database, evaluation: Evaluation) -> list[StoredCase]:
    """Every case of the sample as it was published; one that was replaced as it was when the run began."""
    frozen = Evaluations(database).cases(evaluation.run.name)
    now = {
        (stored.place.dataset, stored.place.key, stored.case.digest): stored
        for dataset in dict.fromkeys(case.dataset for case in evaluation.cases)
        for stored in stored_cases(database, dataset, withdrawn=True)
    }
    return [
        now.get((case.dataset, case.key, case.digest)) or _as_it_was(case, frozen[case.digest])
        for case in evaluation.cases
    ]


def _as_it_was(case: EvaluatedCase, content: Case) -> StoredCase:
    place = Membership(
        dataset=case.dataset,
        key=case.key,
        case=case.digest,
        position=case.place,
        generator=case.generator,
        origin=origin_of(case.generator),
    )
    return StoredCase(place, content, dict(case.sizes))


def _quartiles(
    database: Database,
    evaluation: Evaluation,
    embeddings: Embeddings | None,
    progress: NamedProgress | None,
    size: str,
) -> tuple[float, float, float] | None:
    if not any(size in case.sizes for case in evaluation.cases):
        return None
    several = len(evaluation.settings.datasets) > 1
    return tiers_of(database, evaluation, size, embeddings if several else None, progress).quartiles


def _similarities(
    stored: Iterable[StoredCase],
    embeddings: Embeddings | None,
    progress: NamedProgress | None,
    text_of: Callable[[StoredCase], str],
) -> dict[str, Similarities]:
    by_group: dict[str, list[str]] = {}
    if embeddings is None:
        return {kept.case.group: (None, None) for kept in stored}
    for kept in stored:
        by_group.setdefault(kept.case.group, []).append(text_of(kept))
    step = None if progress is None else lambda done, total: progress("Encoding texts", done, total)
    every = [text for texts in by_group.values() for text in texts]
    vectors = dict(zip(every, embeddings.of(every, step), strict=True))
    return {
        group: mean_similarities(texts, np.stack([vectors[text] for text in texts]))
        for group, texts in by_group.items()
    }


_FILE = "outcomes.csv"


def export_outcomes(database: Database, evaluation: Evaluation, folder: Path) -> tuple[int, Sequence[Path]]:
    """Write outcomes.csv, outcomes.jsonl and codebook.csv; the number of outcomes, and the files.

    The same outcomes give the same bytes. Raises RequestError if the folder cannot be written.
    """
    conditions = {condition.key: condition for condition in evaluation.conditions}
    sampling = Sampling(**evaluation.settings.sampling)
    lines = [
        OutcomeLine(outcome, evaluation.cases[outcome.case], conditions[outcome.condition], sampling)
        for outcome in Evaluations(database).outcomes(evaluation.run.name)
    ]
    table = outcomes_spec(evaluation.plan.factors).for_programs(lines)
    return len(lines), write_texts(folder, table_files({_FILE: table}))
