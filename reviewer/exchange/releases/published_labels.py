"""The labels that a release publishes, and the studies that are read back from them.

A study is read back as if its ledger held nothing but the published labels. Its numbers are computed from
that alone, both when a release is made and when somebody checks it, so a card states what its labels say.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, Field, ValidationError, model_validator

from reviewer.core.errors import InputError
from reviewer.core.question import Question, answer_fault
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import fault_in, parse
from reviewer.exchange.releases.release_content import Count, Stated, StatedText
from reviewer.exchange.releases.release_folder import GET_AGAIN, ReleaseFile, utf8_text
from reviewer.exchange.rows.row_files import json_text
from reviewer.protocols.base import Protocol
from reviewer.protocols.intake import invalid
from reviewer.results.labels.final_labels import ClosedStudy, final_labels
from reviewer.study.adjudication.decisions import AdjudicatedLabel
from reviewer.study.design.inclusion import weighted_strata
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_bundle import AskedQuestions, StudyBundle
from reviewer.study.design.study_design import Draw, FrozenStratum, StopRule, StudyDesign
from reviewer.study.session.label_rows import LabelRow, label_rows
from store.records import Assignment, Digest, Event, Phase, RaterRole, Study, StudyCase

WITHHELD = "(not published)"
"""The mark in the place of a free text."""
_LARGEST_POPULATION = 10_000_000
"""The interval of a stop rule is computed for every number of passing cases."""
_Place = tuple[str, str, str, str, int, Phase, bool]


class PublishedCase(Stated):
    """A counted case of a study. ``raters`` and ``asked`` questions are None where all are.

    ``third`` are the raters who were asked for a third vote, which counts where the votes of ``raters``
    differ; None in studies without third votes.
    ``passing`` has the labels with which it passes a question, where they are not the question's own.
    ``about`` is the number of the case that it answers, where several cases of the study may answer the same.
    """

    case: Digest
    dataset: StatedText
    key: StatedText
    group: StatedText
    raters: tuple[StatedText, ...] | None = None
    third: tuple[StatedText, ...] | None = None
    asked: tuple[StatedText, ...] | None = None
    passing: dict[StatedText, tuple[StatedText, ...]] = {}
    about: Count = 0


class PublishedStratum(Stated):
    """Cases with the same probability of being drawn: ``size`` could be drawn, and ``cases`` were."""

    dataset: StatedText
    name: StatedText
    size: Count
    cases: tuple[Digest, ...] = Field(min_length=1)

    @property
    def weight(self) -> float:
        """For how many cases each drawn one speaks."""
        return self.size / len(self.cases)


class PublishedStop(Stated):
    """The rule by which a study could be stopped: more than ``above`` of all cases pass each question.

    ``sizes`` counts the cases that could be drawn and that a question is asked about, by its key. The common
    order of the cases follows from the study's seed and their digests. ``raters`` are all who were asked,
    also those without a label: where one of them did not answer, a case is not complete.
    """

    above: float = Field(gt=0, lt=1)
    sizes: dict[StatedText, Annotated[int, Field(ge=1, le=_LARGEST_POPULATION)]]
    level: float = Field(gt=0, lt=1)
    raters: tuple[StatedText, ...]


class PublishedStudy(Stated):
    """A closed study without its people's names: its questions as they were frozen, and its counted cases.

    ``strata`` are those of its draw, where cases had different probabilities of being drawn.
    """

    name: StatedText
    protocol: StatedText
    drawn: StatedText
    closed: StatedText
    seed: int
    questions: tuple[dict[str, Any], ...]
    cases: tuple[PublishedCase, ...] = Field(min_length=1)
    strata: tuple[PublishedStratum, ...] = ()
    stop: PublishedStop | None = None

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each case; {} where all cases had the same probability."""
        return {case: stratum.weight for stratum in self.strata for case in stratum.cases}

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        keys = [str(question.get("key")) for question in self.questions]
        once = {
            "question": keys,
            "title": [
                *{
                    str(q.get("entry_of") or q.get("key")): str(q.get("title")) for q in self.questions
                }.values()
            ],
            "case": [each.case for each in self.cases],
        }
        for what, names in once.items():
            if twice := next((name for name, number in Counter(names).items() if number > 1), None):
                raise ValueError(f"has {what} {twice!r} twice")
        for each in self.cases:
            if strange := sorted({*(each.asked or ()), *each.passing} - {*keys}):
                raise ValueError(f"asks {strange[0]!r}, which is none of its questions")
        if len({each.about > 0 for each in self.cases}) > 1:
            raise ValueError("says of some of its cases which case they answer, and of others not")
        return self

    @model_validator(mode="after")
    def _strata_fit(self) -> Self:
        drawn = sorted(case for stratum in self.strata for case in stratum.cases)
        if self.strata and drawn != sorted(each.case for each in self.cases):
            raise ValueError("has strata that do not hold each of its cases once")
        if small := next((s for s in self.strata if s.size < len(s.cases)), None):
            raise ValueError(f"drew more cases of stratum {small.name!r} than it has")
        return self


class PublishedLabel(Stated):
    """A label that counts now: of a rater, or, if ``adjudicated``, the decision about the case.

    ``showing`` is 1 for a case that is shown again. ``earlier_wording``: it was given before the question was
    worded as it is now. ``weight``: for how many cases of the dataset its case speaks, where there are
    strata.
    """

    study: StatedText
    question: StatedText
    case: Digest
    rater: StatedText
    label: StatedText
    showing: int = 0
    phase: Phase = "before"
    adjudicated: bool = False
    earlier_wording: bool = False
    weight: float | None = None

    @property
    def place(self) -> _Place:
        """What at most one label may have."""
        whose = "" if self.adjudicated else self.rater
        return self.study, self.question, self.case, whose, self.showing, self.phase, self.adjudicated


@dataclass(frozen=True)
class StudyLabels:
    """A published study with its labels, by question, place in the sample and rater."""

    study: PublishedStudy
    labels: tuple[PublishedLabel, ...]

    @classmethod
    def of(cls, closed: ClosedStudy, secret: str, held_out: Collection[str] = ()) -> Self:
        """The published form of a study without its cases that are ``held_out``; at least one case is not.

        Nobody knows the order of its raters' numbers without ``secret``.
        """
        bundle = closed.bundle
        counted = [place for place in bundle.counted if place.case not in held_out]
        left = {place.case for place in counted}
        rows = [row for row in label_rows(bundle, closed.events) if row.label and row.place.case in left]
        raters = _numbers("rater", {row.rater for row in rows} | _asked_raters(bundle), secret)
        study = _published_study(bundle, counted, raters)
        weights = study.weights
        decided = [
            (final, final.decision)
            for final in closed.finals
            if final.adjudicated is not None and final.place.case in left
        ]
        deciders = {decision.event.rater for _, decision in decided if decision}
        adjudicators = _numbers("adjudicator", deciders, secret)
        decisions = [
            PublishedLabel(
                study=bundle.study.name,
                question=final.question.key,
                case=final.place.case,
                rater=adjudicators[decision.event.rater],
                label=str(decision.label) if final.question.answer_kind.is_published else WITHHELD,
                adjudicated=True,
                weight=weights.get(final.place.case),
            )
            for final, decision in decided
            if decision
        ]
        given = [_published_row(bundle, row, raters[row.rater], weights) for row in rows]
        return cls(study, (*given, *decisions))

    def closed(self, protocol: Protocol) -> ClosedStudy:
        """The study as its published labels alone tell it."""
        study, questions = self.study, tuple(map(Question.model_validate, self.study.questions))
        name, panels = study.name, {each.case: each.raters for each in study.cases if each.raters is not None}
        strata = tuple(FrozenStratum(**stratum.model_dump()) for stratum in study.strata)
        draw = Draw(strata=strata, by=("strata",)) if strata else None
        thirds = [each for each in study.cases if each.third is not None]
        lists = {
            rater: [[c.case for c in thirds if rater in (c.third or ())]]
            for rater in dict.fromkeys(rater for each in thirds for rater in each.third or ())
        }
        design = StudyDesign(
            cases=len(study.cases),
            asked={},
            panels=panels,
            draw=draw,
            third="on-disagreement" if thirds else "",
            stop=StopRule(**study.stop.model_dump(exclude={"raters"})) if study.stop else None,
        ).as_json() | ({"third_lists": lists} if lists else {})
        bundle = StudyBundle(
            study=Study.model_construct(
                name=name,
                protocol=study.protocol,
                seed=study.seed,
                view="full",
                design=design,
                questions=list(study.questions),
                created_at=study.drawn,
                closed_at=study.closed,
            ),
            protocol=protocol,
            questions=questions,
            sample=tuple(
                StudyCase.model_construct(
                    study=name,
                    case=each.case,
                    position=position,
                    dataset=each.dataset,
                    key=each.key,
                    group=each.group,
                    generator="",
                    role="counted",
                )
                for position, each in enumerate(study.cases)
            ),
            cases={},
            measurements={},
            findings={},
            raters=tuple(self._people("rater")),
            adjudicators=tuple(self._people("adjudicator")),
            acts=(),
            stale=frozenset(),
            known={},
            outline={each.case: _asked(questions, each) for each in study.cases},
            same_case={each.case: f"{each.about}" for each in study.cases if each.about},
        )
        events = tuple(_event(number, label) for number, label in enumerate(self.labels))
        return ClosedStudy(bundle, events, tuple(final_labels(bundle, events)))

    def _people(self, role: RaterRole) -> Iterator[Assignment]:
        names = {label.rater for label in self.labels if label.adjudicated == (role == "adjudicator")}
        if role == "rater" and self.study.stop:
            names.update(self.study.stop.raters)
        for name in sorted(names):
            yield Assignment.model_construct(
                study=self.study.name, rater=name, order_seed=0, joined_at="", role=role
            )


def _numbers(role: RaterRole, names: Iterable[str], secret: str) -> dict[str, str]:
    return {name: f"{role} {number}" for number, name in enumerate(shuffled(names, f"{secret} {role}"), 1)}


def _asked_raters(bundle: StudyBundle) -> set[str]:
    """Who has a number also without a label: without them, cases of a stop rule would look complete.

    Where a third vote decides, those of a rater who was left out are still missing.
    """
    if bundle.design.stop is None:
        return set()
    left_out = set() if bundle.design.third else {*bundle.excluded}
    return {person.rater for person in bundle.raters} - left_out


def _published_study(
    bundle: StudyBundle, counted: Collection[StudyCase], raters: Mapping[str, str]
) -> PublishedStudy:
    study, panels = bundle.study, bundle.design.panels
    keys, thirds = [question.key for question in bundle.questions], bundle.design.third_raters
    about = [bundle.same_case[place.case] for place in counted if place.case in bundle.same_case]
    numbers = {case: number for number, case in enumerate(dict.fromkeys(about), 1)}

    def published(place: StudyCase) -> PublishedCase:
        asked = tuple(key for key in keys if bundle.asks(key, place.case))
        passing = {question.key: bundle.passing(question, place.case) for question in bundle.questions}
        panel = panels.get(place.case)
        return PublishedCase(
            case=place.case,
            dataset=place.dataset,
            key=place.key,
            group=place.group,
            raters=None if panel is None else tuple(sorted(raters[name] for name in panel if name in raters)),
            third=tuple(raters[name] for name in thirds.get(place.case, ()) if name in raters)
            if bundle.design.third
            else None,
            asked=None if len(asked) == len(keys) else asked,
            passing={q.key: passing[q.key] for q in bundle.questions if passing[q.key] != q.passing},
            about=numbers.get(bundle.same_case.get(place.case, ""), 0),
        )

    return PublishedStudy(
        name=study.name,
        protocol=study.protocol,
        drawn=study.created_at[:10],
        closed=(study.closed_at or "")[:10],
        seed=study.seed,
        questions=tuple(study.questions),
        cases=tuple(map(published, counted)),
        strata=_published_strata(bundle, counted),
        stop=_published_stop(bundle, raters),
    )


def _published_stop(bundle: StudyBundle, raters: Mapping[str, str]) -> PublishedStop | None:
    rule = bundle.design.stop
    if rule is None:
        return None
    asked = sorted(raters[name] for name in _asked_raters(bundle))
    return PublishedStop(above=rule.above, sizes={**rule.sizes}, level=rule.level, raters=tuple(asked))


def _published_strata(bundle: StudyBundle, counted: Iterable[StudyCase]) -> tuple[PublishedStratum, ...]:
    """The strata with the published ones of their drawn cases; none if a stratum is left without any."""
    left = {place.case for place in counted}
    strata = weighted_strata(bundle)
    if any(left.isdisjoint(stratum.cases) for stratum in strata):
        return ()
    return tuple(
        PublishedStratum(
            dataset=stratum.dataset,
            name=stratum.name,
            size=stratum.size,
            cases=tuple(case for case in stratum.cases if case in left),
        )
        for stratum in strata
    )


def _published_row(
    bundle: StudyBundle, row: LabelRow, rater: str, weights: Mapping[str, float]
) -> PublishedLabel:
    slot, event = row.verdict.slot, row.verdict.event
    return PublishedLabel(
        study=bundle.study.name,
        question=slot.question,
        case=slot.case,
        rater=rater,
        label=str(row.label) if row.question.answer_kind.is_published else WITHHELD,
        showing=slot.showing,
        phase=slot.phase,
        earlier_wording=event is not None and event.question_digest != bundle.shown_digest(slot),
        weight=weights.get(slot.case),
    )


def _asked(questions: Sequence[Question], case: PublishedCase) -> AskedQuestions:
    keys = [question.key for question in questions]
    return AskedQuestions(
        frozenset(keys if case.asked is None else case.asked),
        tuple((key, key) for key in keys),
        tuple((question.key, case.passing.get(question.key, question.passing)) for question in questions),
    )


def _event(number: int, label: PublishedLabel) -> Event:
    """The label as the only event of its place. Its wording is named by the question's key."""
    value = AdjudicatedLabel(label=label.label).as_value() if label.adjudicated else label.label
    return Event.model_construct(
        id=f"{number:012}",
        study=label.study,
        rater=label.rater,
        case=label.case,
        question=label.question,
        question_digest="" if label.earlier_wording else label.question,
        showing=label.showing,
        phase=label.phase,
        kind="adjudication" if label.adjudicated else "label",
        value=value,
        supersedes=[],
        follows=[],
        at="",
        given="import",
        digest="",
    )


def label_files(published: Sequence[StudyLabels]) -> dict[str, bytes]:
    """The files of studies and labels by their paths; none without a study."""
    if not published:
        return {}
    studies = [each.study.model_dump(mode="json", exclude_defaults=True) for each in published]
    lines = [
        json_text(label.model_dump(mode="json", exclude_none=True))
        for each in published
        for label in each.labels
    ]
    script = files(__package__).joinpath("templates", "agreement_script.txt")
    return {
        ReleaseFile.STUDIES: json_text(studies, indent=1).encode(),
        ReleaseFile.LABELS: "".join(lines).encode(),
        ReleaseFile.SCRIPT: script.read_bytes(),
    }


def read_labels(held: Mapping[str, bytes]) -> dict[str, StudyLabels]:
    """The published studies by name; {} if there are none.

    Raises InputError for content that no release writes, such as a label on a case outside the study.
    """
    if ReleaseFile.STUDIES not in held or ReleaseFile.LABELS not in held:
        return {}
    studies = _read_studies(held[ReleaseFile.STUDIES])
    labels: dict[str, list[PublishedLabel]] = {name: [] for name in studies}
    for label in _read_lines(held[ReleaseFile.LABELS], studies):
        labels[label.study].append(label)
    return {name: StudyLabels(study, tuple(labels[name])) for name, study in studies.items()}


def names_with_labels(held: Mapping[str, bytes]) -> frozenset[str]:
    """The names of the studies whose labels are included, whatever else is wrong with their file.

    Raises InputError where it cannot be parsed.
    """
    if ReleaseFile.STUDIES not in held:
        return frozenset()
    studies = parse(utf8_text(held[ReleaseFile.STUDIES], ReleaseFile.STUDIES), ReleaseFile.STUDIES)
    listed = studies if isinstance(studies, list) else []
    return frozenset(str(study.get("name")) for study in listed if isinstance(study, dict))


def _read_studies(content: bytes) -> dict[str, PublishedStudy]:
    where = ReleaseFile.STUDIES
    held = parse(utf8_text(content, where), where)
    if not isinstance(held, list):
        raise InputError(where, "is not a list of studies", GET_AGAIN)
    studies = [_as(PublishedStudy, study, where) for study in held]
    by_name = {study.name: study for study in studies}
    if len(by_name) < len(studies):
        raise InputError(where, "has a study twice", GET_AGAIN)
    return by_name


def _read_lines(content: bytes, studies: Mapping[str, PublishedStudy]) -> Iterator[PublishedLabel]:
    questions = {name: _questions(study) for name, study in studies.items()}
    cases = {name: {each.case for each in study.cases} for name, study in studies.items()}
    weights = {name: study.weights for name, study in studies.items()}
    seen = set[_Place]()
    for number, line in enumerate(utf8_text(content, ReleaseFile.LABELS).split("\n"), 1):
        if not line:
            continue
        where = f"{ReleaseFile.LABELS}, line {number}"
        label = _as(PublishedLabel, parse(line, where), where)
        if label.study not in studies or label.case not in cases[label.study]:
            raise InputError(where, f"is about no case of the studies in {ReleaseFile.STUDIES}", GET_AGAIN)
        question = questions[label.study].get(label.question)
        if question is None or answer_fault(question, label.label):
            raise InputError(where, f"{shown(label.label)!r} does not answer a question there", GET_AGAIN)
        if label.weight != weights[label.study].get(label.case):
            raise InputError(
                where, f"has another weight than its stratum in {ReleaseFile.STUDIES}", GET_AGAIN
            )
        if label.place in seen:
            raise InputError(where, f"is a second label of {shown(label.rater)!r} there", GET_AGAIN)
        seen.add(label.place)
        yield label


def _questions(study: PublishedStudy) -> dict[str, Question]:
    try:
        return {question.key: question for question in map(Question.model_validate, study.questions)}
    except ValidationError as error:
        raise invalid(f"{ReleaseFile.STUDIES}, study {shown(study.name)}", error) from None


_ModelT = TypeVar("_ModelT", bound=BaseModel)


def _as(model: type[_ModelT], value: Any, where: str) -> _ModelT:
    if fault := fault_in(value):
        raise InputError(where, f"has a value that {fault}", GET_AGAIN)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid(where, error) from None
