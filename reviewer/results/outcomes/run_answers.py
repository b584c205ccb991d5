"""All answers of the part of a run that a study's answers were drawn from, for judges beyond its draw."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.answer_cases import AnswerMaker, answer_entries, made_once
from reviewer.results.outcomes.answer_draw import DrawSize, draw_answers
from reviewer.results.outcomes.different_answers import different_answers
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.runs.evaluation.evaluation_settings import DrawnSample
from reviewer.study.design.drawn_answers import answers_at, answers_in, placing_answers, whole_run_dataset
from reviewer.study.design.study_bundle import StudyBundle
from store.cases import Filter, PlacedCase, bare_places, list_places
from store.clock import instant, now_ms
from store.database import Database
from store.records import JsonValue


def is_run_of(bundle: StudyBundle, name: str) -> bool:
    """Whether a name is that of the run whose answers a study reviews."""
    return bundle.design.answers is not None and bundle.design.answers.run == name


def all_answers(database: Database, bundle: StudyBundle) -> DrawnSample:
    """All different answers as a sample of judges; raises RequestError if the run has others than were drawn.

    The first time they are not in the store, and ``placing`` of the sample makes a dataset of them.
    """
    source = bundle.design.answers
    assert source is not None
    dataset, protocol = whole_run_dataset(bundle.study.name), bundle.study.protocol
    if stored := stored_answers(database, bundle):
        return DrawnSample(protocol, stored, (dataset,), seed=bundle.study.seed)
    evaluation = read_evaluation(database, protocols_of(database), source.run)
    answers = different_answers(database, evaluation.of_models(source.models), source.where, source.groups)
    _check_number(bundle, sum(len(answer.given) for answer in answers))
    everything = draw_answers(answers, DrawSize(per_case=len(answers)), bundle.study.seed)
    made = list(made_once(AnswerMaker(database, evaluation), everything))
    entries = answer_entries(dataset, made, bundle.study.seed)
    placed = [(entry.place, entry.case) for entry in entries]
    sample = DrawnSample(protocol, placed, (dataset,), seed=bundle.study.seed)
    return replace(sample, placing=placing_answers(dataset, protocol, entries, instant(now_ms())))


def stored_answers(database: Database, bundle: StudyBundle) -> Sequence[PlacedCase]:
    """The answers that judges were asked about beyond the draw; () if they were not.

    Raises RequestError if another dataset has their name.
    """
    with database.read() as session:
        placed = list_places(session, Filter(datasets=(whole_run_dataset(bundle.study.name),)))
    if placed:
        _check_stored(bundle, [answers_at(place) for place, _ in placed])
    return placed


class StoredAnswer(NamedTuple):
    """An answer that judges were asked about: digest and group of its case, and the outcomes behind it."""

    case: str
    group: str
    given: Sequence[Mapping[str, JsonValue]]


def bare_answers(database: Database, bundle: StudyBundle) -> Sequence[StoredAnswer]:
    """The same answers as ``stored_answers``, without their texts, quickly."""
    with database.read() as session:
        stored = [
            StoredAnswer(case, group, answers_in(extra))
            for case, group, extra in bare_places(session, whole_run_dataset(bundle.study.name))
        ]
    if stored:
        _check_stored(bundle, [answer.given for answer in stored])
    return stored


def _check_stored(bundle: StudyBundle, given: Sequence[Sequence[Mapping[str, JsonValue]]]) -> None:
    """Raise RequestError if another dataset has their name, or the run has other answers now."""
    source = bundle.design.answers
    assert source is not None
    if {one["run"] for of_place in given for one in of_place} != {source.run}:
        raise RequestError(
            f"dataset {whole_run_dataset(bundle.study.name)!r} has other cases than the answers of run "
            f"{one_line(source.run)!r}, which are kept under that name; draw the study again under another "
            "name to judge all of them."
        )
    _check_number(bundle, sum(map(len, given)))


def _check_number(bundle: StudyBundle, now: int) -> None:
    source = bundle.design.answers
    assert source is not None
    if source.outcomes != now:
        raise RequestError(
            f"study {bundle.study.name!r} was drawn from {counted(source.outcomes, 'outcome')} of run "
            f"{one_line(source.run)!r}, which has {now:,} now; draw a new study to judge all of them."
        )
