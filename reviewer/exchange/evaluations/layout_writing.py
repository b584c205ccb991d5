"""Writing an evaluation run in the layout of another package, so that the package's scripts run on it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reviewer.core.errors import RequestError
from reviewer.core.progress import NamedProgress
from reviewer.core.sanitize import shown
from reviewer.exchange.evaluations.import_target import layout_of
from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.rows.dataset_export import stored_cases
from reviewer.exchange.rows.row_writing import content_of_rows
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import StoredCase
from reviewer.protocols.intake import HAND_WRITTEN
from reviewer.protocols.outcome_files import (
    AnsweredCase,
    ComparedTexts,
    FiledOutcome,
    LaidOutFiles,
    OutcomesOfModel,
    WritableOutcomeFiles,
)
from reviewer.runs.check.diversity import mean_similarities
from reviewer.runs.evaluation.case_groupings import tiers_of
from reviewer.runs.evaluation.evaluated import EvaluatedCase, Evaluation
from reviewer.similarity.embeddings import Embeddings
from store.database import Database
from store.evaluations import Evaluations
from store.records import Case, Membership


@dataclass(frozen=True, slots=True)
class WrittenLayout:
    """The files that were written, and the pairs of runs and conditions that the layout has no place for."""

    files: tuple[Path, ...]
    left_out: int
    other: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the files of all models of a run share."""

    files: WritableOutcomeFiles
    stored: Sequence[StoredCase]
    quartiles: tuple[float, float, float] | None
    compared: Mapping[str, ComparedTexts]


def write_layout(
    database: Database,
    evaluation: Evaluation,
    layout: str,
    folder: Path,
    embeddings: Embeddings | None,
    progress: NamedProgress | None = None,
) -> WrittenLayout:
    """Write the files of every model; raises RequestError. Without ``embeddings`` no texts are compared.

    A case that a model was not asked is in none of its files, and in none of its numbers.
    The files of one model are written together or not at all.
    """
    files = layout_of(evaluation.protocol, layout)
    if not isinstance(files, WritableOutcomeFiles):
        raise RequestError(
            f"files of the layout {files.name!r} can only be read; use `reviewer outcomes export`."
        )
    stored = _stored_cases(database, evaluation)
    shared = _Shared(
        files,
        stored,
        _quartiles(database, evaluation, files, embeddings, progress),
        _compared(files, stored, embeddings, progress),
    )
    written: dict[str, Path] = {}
    left_out = 0
    other: tuple[Condition, ...] = ()
    for model in evaluation.models:
        laid_out = _laid_out(database, evaluation, shared, model)
        contents = _contents(laid_out)
        if taken := written.keys() & contents.keys():
            raise RequestError(
                f"the files of model {shown(model)!r} have the names of another model's "
                f"({shown(min(taken))}); write the models from two runs, into two folders."
            )
        left_out += laid_out.left_out
        other = laid_out.other
        written |= zip(contents, write_texts(folder, contents), strict=True)
    return WrittenLayout(tuple(written.values()), left_out, other)


def _laid_out(database: Database, evaluation: Evaluation, shared: _Shared, model: str) -> LaidOutFiles:
    conditions = {condition.key: condition for condition in evaluation.conditions}
    outcomes: list[dict[tuple[Condition, int], FiledOutcome]] = [{} for _ in evaluation.cases]
    for outcome in Evaluations(database).outcomes(evaluation.run.name, model=model):
        if outcome.label is not None:
            key = conditions[outcome.condition], outcome.repeat
            outcomes[outcome.case][key] = FiledOutcome(outcome.label, outcome.reply)
    asked = evaluation.asked[evaluation.models.index(model)]
    every = zip(shared.stored, evaluation.cases, outcomes, strict=True)
    cases = [
        AnsweredCase(stored, case.facts, case.sizes, found)
        for (stored, case, found), was_asked in zip(every, asked, strict=True)
        if was_asked
    ]
    return shared.files.files(
        OutcomesOfModel(
            model=model,
            generators=_generators(cases),
            cases=cases,
            conditions=evaluation.conditions,
            repeats=evaluation.repeats,
            quartiles=shared.quartiles,
            compared=shared.compared,
        )
    )


def _generators(cases: Iterable[AnsweredCase]) -> tuple[str, ...]:
    """The models that wrote the cases."""
    names = dict.fromkeys(case.stored.place.generator for case in cases)
    return tuple(name for name in names if name != HAND_WRITTEN)


def _contents(laid_out: LaidOutFiles) -> dict[str, str | bytes]:
    tables = {name: content_of_rows(rows, name, for_scripts=True) for name, rows in laid_out.rows.items()}
    values = {
        name: json.dumps(value, ensure_ascii=False, indent=4) for name, value in laid_out.values.items()
    }
    return {**tables, **values}


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
        origin="seed" if case.generator == HAND_WRITTEN else "generated",
    )
    return StoredCase(place, content, dict(case.sizes))


def _quartiles(
    database: Database,
    evaluation: Evaluation,
    files: WritableOutcomeFiles,
    embeddings: Embeddings | None,
    progress: NamedProgress | None,
) -> tuple[float, float, float] | None:
    if not any(files.size in case.sizes for case in evaluation.cases):
        return None
    several = len(evaluation.settings.datasets) > 1
    return tiers_of(database, evaluation, files.size, embeddings if several else None, progress).quartiles


def _compared(
    files: WritableOutcomeFiles,
    stored: Iterable[StoredCase],
    embeddings: Embeddings | None,
    progress: NamedProgress | None,
) -> dict[str, ComparedTexts]:
    by_group: dict[str, list[str]] = {}
    if embeddings is None:
        return {kept.case.group: ComparedTexts(None, None) for kept in stored}
    for kept in stored:
        by_group.setdefault(kept.case.group, []).append(files.compared_text(kept))
    step = None if progress is None else lambda done, total: progress("Encoding texts", done, total)
    every = [text for texts in by_group.values() for text in texts]
    vectors = dict(zip(every, embeddings.of(every, step), strict=True))
    similarities = {
        group: mean_similarities(texts, np.stack([vectors[text] for text in texts]))
        for group, texts in by_group.items()
    }
    return {group: ComparedTexts(*found) for group, found in similarities.items()}
