"""Answers of models as cases that experts review: the one way from outcomes to cases."""

import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import enumerated, one_line
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.evaluation import LabelRead, ModelAnswer
from reviewer.protocols.name_masking import NameMask, put_in_words
from reviewer.results.outcomes.answer_draw import (
    EVERYTHING,
    AnswerDraw,
    DifferentAnswer,
    DrawnAnswer,
    DrawSize,
    draw_answers,
)
from reviewer.results.outcomes.different_answers import ALL, different_answers, meaning_of
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.study.design.drawn_answers import ANSWERS_OF_PLACE, DrawnAnswers, answers_dataset
from reviewer.study.design.seeding import derived_seed, shuffled
from reviewer.study.design.strata import stratum_name
from reviewer.study.design.study_design import AnswerSource, Draw, FrozenStratum
from store.case_import import Entry, published_at
from store.database import Database
from store.evaluations import Evaluations
from store.records import Case, JsonValue, Membership, digest_of


@dataclass(frozen=True, slots=True)
class AnswersWanted:
    """Which answers of a run a study reviews: part, numbers and seed; models and groups (none: all)."""

    where: str = ALL
    size: DrawSize = EVERYTHING
    seed: int = 0
    models: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswersForStudy:
    """The drawn answers, and the names of models that were taken out of their texts: name → answers."""

    drawn: DrawnAnswers
    masked: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AnswerToReview:
    """An answer as a case, and the model that gave it."""

    made: DatasetCase
    model: str


@dataclass(frozen=True, slots=True)
class _Made:
    """A drawn answer as a case, the names that were taken out of it, and the outcomes it stands for."""

    drawn: DrawnAnswer
    made: DatasetCase
    names: tuple[str, ...]
    sources: "tuple[dict[str, JsonValue], ...]"


class AnswerMaker:
    """Makes cases of answers of a run."""

    def __init__(self, database: Database, evaluation: Evaluation) -> None:
        self.evaluation, self._database = evaluation, database
        self._conditions = {condition.key: condition for condition in evaluation.conditions}
        self._mask = NameMask(evaluation.models)

    @cached_property
    def _cases(self) -> dict[str, Case]:
        return Evaluations(self._database).cases(self.evaluation.run.name)

    def made(self, answer: DifferentAnswer) -> tuple[DatasetCase | None, tuple[str, ...]]:
        """The answer as a case without names of models, and these names; None if it makes no case."""
        evaluated = self.evaluation.cases[answer.case]
        case = self._cases[evaluated.digest]
        masked = self._mask.masked(answer.reply, put_in_words(case))
        read = LabelRead(answer.label, answer.why)
        given = ModelAnswer(case, self._conditions[answer.condition], masked.text, read, evaluated.facts)
        return self.evaluation.plan.answer_case(given), masked.names


def answers_for_study(
    database: Database, evaluation: Evaluation, study: str, wanted: AnswersWanted
) -> AnswersForStudy:
    """The answers of a new study, drawn by the seed; raises RequestError if there are none or too few."""
    chosen = evaluation.of_models(wanted.models)
    answers = different_answers(database, chosen, wanted.where, wanted.groups)
    maker = AnswerMaker(database, evaluation)
    _check_some(evaluation, answers, maker, wanted.where)
    draw = draw_answers(answers, wanted.size, wanted.seed)
    made = list(made_once(maker, draw))
    dataset = answers_dataset(study)
    entries = answer_entries(dataset, made, wanted.seed)
    source = AnswerSource(
        run=evaluation.run.name,
        datasets=tuple(evaluation.settings.datasets),
        where=wanted.where,
        meaning=_part_in_words(evaluation, wanted),
        per_case=wanted.size.per_case,
        models=chosen.models,
        groups=wanted.groups,
        outcomes=sum(len(answer.given) for answer in answers),
        answers=len(answers),
    )
    population = Counter(answer.group for answer in answers)
    protocol = made[0].made.case.protocol
    frozen = Draw(strata=_strata(dataset, draw, made), by=("model", "group"), allocation="equal")
    drawn = DrawnAnswers(protocol, dataset, entries, frozen, source, population)
    return AnswersForStudy(drawn, Counter(name for one in made for name in one.names))


def _part_in_words(evaluation: Evaluation, wanted: AnswersWanted) -> str:
    cases = f" to cases of {enumerated(wanted.groups)}" if wanted.groups else ""
    return meaning_of(evaluation, wanted.where) + cases


def _check_some(
    evaluation: Evaluation, answers: Sequence[DifferentAnswer], maker: AnswerMaker, where: str
) -> None:
    """Raise RequestError if a part of a run has no answers, or answers of its protocol make no cases."""
    name = one_line(evaluation.run.name)
    if not answers:
        some = "no answers yet" if where == ALL else f"no {meaning_of(evaluation, where)}"
        raise RequestError(f"run {name!r} has {some}; see `reviewer outcomes list {name}`.")
    if not any(maker.made(answer)[0] for answer in answers[:100]):
        raise RequestError(_NO_CASES.format(name))


_NO_CASES: Final = (
    "run {!r} has no answer that makes a case to review; only protocols whose models explain or answer "
    "freely, such as probe-swe and detail-levels, have such answers."
)


def made_once(maker: AnswerMaker, draw: AnswerDraw) -> Iterator[_Made]:
    """Drawn answers as cases. Two that are equal without names of models are one, given by both."""
    known: dict[str, _Made] = {}
    for drawn in draw.drawn:
        made, names = maker.made(drawn.answer)
        if made is None:
            raise RequestError(
                f"an answer to case {maker.evaluation.cases[drawn.answer.case].key!r} cannot be kept as it "
                "is (it has a character that no text may have); draw with another --seed."
            )
        sources = (*_sources(maker.evaluation, drawn.answer),)
        if (other := known.get(made.case.digest)) is not None:
            sources = (*other.sources, *sources)
            given = (*other.drawn.answer.given, *drawn.answer.given)
            drawn, names = replace(other.drawn, answer=other.drawn.answer._replace(given=given)), other.names
        known[made.case.digest] = _Made(drawn, made, names, sources)
    yield from known.values()


def answer_entries(dataset: str, made: Sequence[_Made], seed: int) -> tuple[Entry, ...]:
    """The answers at places whose order and keys tell nothing of where they come from."""
    by_digest = {one.made.case.digest: one for one in made}
    digits = max(3, len(str(len(made))))
    ordered = shuffled(by_digest, derived_seed(seed, "answers"))
    return tuple(
        _entry(dataset, f"answer-{position + 1:0{digits}}", position, by_digest[digest])
        for position, digest in enumerate(ordered)
    )


def _entry(dataset: str, key: str, position: int, one: _Made) -> Entry:
    case = one.made.case
    place = Membership(
        dataset=dataset,
        key=key,
        case=case.digest,
        position=position,
        generator=", ".join(sorted({model for model, _ in one.drawn.answer.given})),
        origin="generated",
        extra={ANSWERS_OF_PLACE: list(one.sources)},
    )
    return Entry(case, place, published_at(place, one.made.published))


def _sources(evaluation: Evaluation, answer: DifferentAnswer) -> Iterator[dict[str, JsonValue]]:
    """Each outcome that an answer stands for, with the digest of its reply and label."""
    case = evaluation.cases[answer.case]
    for model, repeat in answer.given:
        yield {
            "run": evaluation.run.name,
            "model": model,
            "dataset": case.dataset,
            "key": case.key,
            "place": answer.case,
            "condition": answer.condition,
            "repeat": repeat,
            "outcome": outcome_digest(answer.reply_of(model, repeat), answer.label),
        }


def outcome_digest(reply: str, label: str | None) -> str:
    """The identity of an outcome's content: another reply or another label has another one."""
    return digest_of({"reply": reply, "label": label})


def _strata(dataset: str, draw: AnswerDraw, made: Sequence[_Made]) -> tuple[FrozenStratum, ...]:
    return tuple(
        FrozenStratum(
            dataset=dataset,
            name=stratum_name(stratum),
            size=size,
            cases=tuple(sorted(of_stratum)),
            outcomes={case: len(d.answer.given) for case, d in of_stratum.items() if d.answer.given[1:]},
            chances={case: d.chance for case, d in of_stratum.items()},
        )
        for stratum, size in draw.sizes.items()
        for of_stratum in [{one.made.case.digest: one.drawn for one in made if one.drawn.stratum == stratum}]
    )


def answers_to_review(
    database: Database, evaluation: Evaluation, number: int | None, seed: int, model: str | None
) -> list[AnswerToReview]:
    """So many answers of a run, drawn by the seed, each text once; raises RequestError if it has none."""
    of_model = evaluation if model is None else evaluation.of_models([model])
    made = list(_to_review(AnswerMaker(database, evaluation), different_answers(database, of_model)))
    if not made:
        raise RequestError(_NO_CASES.format(evaluation.run.name))
    if number is None or number >= len(made):
        return made
    chosen = random.Random(seed).sample(range(len(made)), number)  # noqa: S311  # no secret is drawn
    return [made[at] for at in sorted(chosen)]


def _to_review(maker: AnswerMaker, answers: Collection[DifferentAnswer]) -> Iterator[AnswerToReview]:
    seen = set[str]()
    for answer in sorted(answers, key=lambda a: (a.case, a.given[0][0], a.condition, a.given[0][1])):
        made, _ = maker.made(answer)
        if made is None or made.case.digest in seen:
            continue
        seen.add(made.case.digest)
        model, repeat = answer.given[0]
        key = f"{maker.evaluation.cases[answer.case].key}/{answer.condition}/{model}/{repeat + 1}"
        values = {**made.published, "condition": answer.condition}
        yield AnswerToReview(DatasetCase(key, made.case, values), model)
