"""How a study was drawn and how its raters are asked, as one typed value over the study's stored design.

A stop rule says when the study may end early: once a pass rate is surely above a limit.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.question import Question
from reviewer.core.sanitize import counted, one_line
from reviewer.study.design.seeding import derived_seed, shuffled

if TYPE_CHECKING:
    from reviewer.protocols.base import Protocol
    from reviewer.protocols.registry import Protocols
    from store.overview import StudyHeader
    from store.records import JsonValue, Study, StudyAct


_RULE = re.compile(r"(?:(?P<question>.*\S)\s+)?pass rate\s*>\s*(?P<share>0?\.\d+|\d+(?:\.\d+)?\s*%)\s*")

REOPENED_MEANS = (
    "The interval of the stop rule holds at every look, so a claim that was made before the study was closed "
    "stays valid, and answers that come after the reopening may support it less: report both. The interval "
    "does not cover answers that raters change after they could see those of others."
)
"""What the report of a study with a stop rule says if it was opened again."""
REOPENED = f"The study has a stop rule. {REOPENED_MEANS}"
"""What a lead who opens such a study again should know."""


class StopRule(BaseModel):
    """The claim that more than ``above`` of all cases pass each of these questions, by key.

    ``sizes`` is how many cases could be drawn that each question is asked about: the cases that the claim
    speaks of.
    """

    model_config = ConfigDict(frozen=True)

    above: float = Field(gt=0.0, lt=1.0)
    sizes: Mapping[str, int]
    level: float = 0.95


class WantedRule(BaseModel):
    """What a lead asks for, before it is known which questions and cases a study has."""

    model_config = ConfigDict(frozen=True)

    above: float
    question: str = ""

    @classmethod
    def read(cls, text: str) -> "WantedRule":
        """The rule in a text such as "pass rate > .9"; raises RequestError."""
        match = _RULE.fullmatch(text.strip())
        share = match["share"] if match else "0"
        number = float(share.rstrip("% ")) / (100 if "%" in share else 1)
        if match is None or not 0 < number < 1:
            raise RequestError(
                f'--stop {one_line(text, 60)!r} is not a rule; give one such as "pass rate > .9", or for one '
                'question "same_task pass rate > .9".'
            )
        return cls(above=number, question=(match["question"] or "").strip())

    def asked(self, questions: Sequence[Question]) -> list[Question]:
        """The questions that it is about; raises RequestError where it can be about none."""
        meant = [q for q in questions if self.question in ("", q.key, q.title)]
        if not meant:
            keys = ", ".join(question.key for question in questions)
            raise RequestError(
                f"--stop names {one_line(self.question, 60)!r}, which the study does not ask; it asks {keys}."
            )
        if without := next((question for question in meant if not question.passing), None):
            raise RequestError(
                f"question {without.key!r} has no passing label, so no pass rate of it can be claimed; name "
                "another question in --stop."
            )
        return meant


def common_order(study_seed: int, cases: Iterable[str]) -> list[str]:
    """Cases, by digest, in the one random order in which all raters see them."""
    return shuffled(cases, common_order_seed(study_seed))


def common_order_seed(study_seed: int) -> int:
    """The seed of this order."""
    return derived_seed(study_seed, "common order")


Asking = Literal["question", "case"]
Reveal = Literal["none", "back", "findings"]
Third = Literal["", "on-disagreement"]


class Options(BaseModel):
    """The lead's choices on how raters are asked.

    ``asking``: all cases of one question before the next question, or all questions of one case before the
    next case. ``reveal``: what an answer reveals is shown never, when raters return to an answered case and
    ask for it, or right after answering (raters are then asked for a second verdict). ``swap``: sides are
    exchanged at random if the question allows it. ``repeats``: the share of counted cases that every rater
    is shown twice. ``briefing``: what the lead tells raters about the purpose of the study before they begin.
    ``training_pass`` and ``gold_pass``: the shares of known answers that a rater should match in training and
    in gold cases; the lead is warned of raters who do not. With a ``machine_rater``, an answer also reveals
    what a model answered to the same question; its name is not here, because raters may read the design.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    asking: Asking = "question"
    reveal: Reveal = "back"
    swap: bool = False
    repeats: float = Field(default=0.0, ge=0.0, le=0.5)
    briefing: str = ""
    training_pass: float | None = Field(default=None, gt=0.0, le=1.0)
    gold_pass: float = Field(default=0.7, gt=0.0, le=1.0)
    machine_rater: bool = False
    confidence: bool = False
    """Whether raters may say after an answer how sure they are of it."""


class FrozenStratum(BaseModel):
    """Cases of a dataset with the same probability of being drawn: ``size`` could be drawn, ``cases`` were.

    The draw within a stratum is at random, without replacement. ``cases`` are digests. In a study of answers
    the stratum is a model and a group, ``size`` counts different answers, and a case can stand for several
    equal outcomes (``outcomes``, where it is more than one) and can have a chance of its own (``chances``).
    """

    model_config = ConfigDict(frozen=True)

    dataset: str
    name: str
    size: int
    cases: tuple[str, ...]
    outcomes: Mapping[str, int] = Field(default_factory=dict)
    chances: Mapping[str, float] = Field(default_factory=dict)

    @property
    def drawn(self) -> int:
        """How many cases were drawn."""
        return len(self.cases)

    @property
    def probability(self) -> float:
        """With which probability each of its cases was drawn."""
        return self.drawn / self.size

    def chance_of(self, case: str) -> float:
        """With which probability this case was drawn."""
        return self.chances.get(case, self.probability)

    def weight_of(self, case: str) -> float:
        """For how many cases this one speaks: outcomes of the run in a study of answers."""
        return self.outcomes.get(case, 1) / self.chance_of(case)


class AnswerSource(BaseModel):
    """The evaluation run whose answers a study reviews, and the part of them that it was drawn from.

    ``where`` names the part ("all", "flips" …) and ``meaning`` describes it. ``outcomes`` counts the
    outcomes of that part, ``answers`` the different ones among them. At most ``per_case`` answers were drawn
    of a case of the run.
    """

    model_config = ConfigDict(frozen=True)

    run: str
    datasets: tuple[str, ...]
    where: str
    meaning: str
    per_case: int
    models: tuple[str, ...]
    outcomes: int
    answers: int
    groups: tuple[str, ...] = ()
    """Answers to cases of these groups alone; () for all."""


class Draw(BaseModel):
    """The strata of a study's draw, and the lead's request if it was not a number of cases per group.

    ``by`` lists criteria of the strata, such as ("finding:gist_differs", "group"). ``guesses`` are the
    pass rates by stratum that Neyman's allocation assumed, and ``guessed_from`` the study that gave them.
    """

    model_config = ConfigDict(frozen=True)

    strata: tuple[FrozenStratum, ...]
    by: tuple[str, ...] = ()
    allocation: str = ""
    guesses: Mapping[str, float] = Field(default_factory=dict)
    guessed_from: str = ""


USUAL = Options()
"""The options of a study that names none."""


class StudyDesign(Options):
    """The whole design: the options, the requested sample, and the numbers of the drawn one.

    ``asked`` counts the counted cases of each question. ``repeated`` holds the digests of the cases that are
    shown twice. ``training`` and ``gold`` count cases. ``slots`` is the number of verdicts that each rater
    gives in all. If the cases were ``picked`` for a reason or ``listed`` by their keys, results do not carry
    over to other cases.
    """

    datasets: tuple[str, ...] = ()
    per_group: int | None = None
    total: int | None = None
    include_seeds: bool = False
    raters_declared: bool = False
    picked: bool = False
    listed: bool = False
    others: int = 0
    """How many cases that were not picked were drawn beside the picked ones."""
    draw: Draw | None = None
    """The strata of the draw; None if the design does not tell them (see ``inclusion``)."""
    draw_hidden: bool = False
    """Whether this copy of the design leaves out how cases were chosen (see ``blinding.without_draw``)."""
    answers: AnswerSource | None = None
    """The run whose answers are the cases; None in a study of other cases, and where it is hidden."""
    revised_since: str = ""
    """The day since which the drawn cases were repaired; "" if that was not asked for."""
    before: Mapping[str, str] = Field(default_factory=dict)
    """Digest of a drawn case → that of its content before its repair, if raters see it beside the new one."""
    cases: int
    population: Mapping[str, Mapping[str, tuple[int, int]]] = Field(default_factory=dict)
    """Dataset → group → (number of cases in the dataset, number of those that could be drawn)."""
    withdrawn: Mapping[str, int] = Field(default_factory=dict)
    """Dataset → the number of its cases that were withdrawn, and so not drawn."""
    lacking: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    asked: Mapping[str, int]
    training: int = 0
    gold: int = 0
    repeated: tuple[str, ...] = ()
    definitions: Mapping[str, str] = Field(default_factory=dict)
    """Definitions of groups that came with the datasets, by group, as they were when the study was made."""
    owed: int | None = None
    raters_per_case: int | None = None
    """How many of the raters are asked about each counted case; None if all are."""
    panels: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Digest of each counted case → the raters who are asked about it; empty if all are asked about all."""
    owed_by: Mapping[str, int] = Field(default_factory=dict)
    """Rater → the verdicts that they give in all, where that differs; ``owed`` is then the greatest."""
    third: Third = ""
    """Whether a third rater is asked about cases on which the two fixed votes differ."""
    stop: StopRule | None = None
    """The rule by which the study may be stopped early; cases then come in one order for all raters."""
    third_lists: Mapping[str, tuple[tuple[str, ...], ...]] = Field(default_factory=dict)
    """Rater → the lists of cases (digests) that they were asked about later, for third votes."""
    owed_elsewhere: tuple[tuple[str, str, str], ...] = ()
    """In a pack: case, question and other study, wherever its rater owed an answer when it was made."""

    @classmethod
    def of(cls, study: "Study | StudyHeader") -> "StudyDesign":
        """The design of a study; raises StoreError if this release cannot read it."""
        try:
            return cls.model_validate(study.design)
        except ValidationError as error:
            field = ".".join(map(str, error.errors()[0]["loc"]))
            raise StoreError(
                f"study {study.name!r} has a design that this release cannot read (at {field!r}); "
                "a newer release made it, or it was altered; open it with the release that made it."
            ) from error

    @property
    def slots(self) -> int:
        """How many verdicts each rater gives in all; the most of any rater where that differs."""
        return sum(self.asked.values()) if self.owed is None else self.owed

    def slots_of(self, rater: str) -> int:
        """How many verdicts this rater gives in all."""
        return self.owed_by.get(rater, self.slots)

    @property
    def slots_in_words(self) -> str:
        """How many verdicts a rater gives in all, for people."""
        fewest = min(self.owed_by.values(), default=self.slots)
        return (
            counted(self.slots, "verdict")
            if fewest == self.slots
            else f"{fewest:,} to {self.slots:,} verdicts"
        )

    def asks_of(self, rater: str, case: str) -> bool:
        """Whether the rater is asked about the case."""
        return self.has_fixed_vote(rater, case) or case in chain(*self.third_lists.get(rater, ()))

    @property
    def needs_its_lead(self) -> bool:
        """Whether its lead has something to watch besides the raters."""
        return bool(self.third) or self.stop is not None

    def has_fixed_vote(self, rater: str, case: str) -> bool:
        """Whether the rater is one of those whose votes on the case count in agreement."""
        return case not in self.panels or rater in self.panels[case]

    @cached_property
    def third_raters(self) -> Mapping[str, tuple[str, ...]]:
        """Digest of a case → who was asked about it for a third vote; the first one who counts gives it."""
        raters: dict[str, tuple[str, ...]] = {}
        for rater, lists in self.third_lists.items():
            for case in chain(*lists):
                raters[case] = (*raters.get(case, ()), rater)
        return raters

    def asking_more(self, verdicts: Mapping[str, int]) -> Self:
        """The design with this number of verdicts of raters that were asked for later."""
        if not verdicts:
            return self
        owed_by = {rater: owed + verdicts.get(rater, 0) for rater, owed in self.owed_by.items()}
        return self.model_copy(update={"owed_by": owed_by, "owed": max(owed_by.values(), default=self.slots)})

    def with_third_lists(self, acts: "Iterable[StudyAct]") -> Self:
        """The design with the lists of cases that acts asked for third votes about."""
        design, lists = self, {rater: list(held) for rater, held in self.third_lists.items()}
        for act in acts:
            if act.kind == "third" and act.subject:
                lists.setdefault(act.subject, []).append(tuple(act.held))
                design = design.asking_more(act.unfinished)
        if design is self:
            return self
        return design.model_copy(
            update={"third_lists": {rater: tuple(held) for rater, held in lists.items()}}
        )

    def as_json(self) -> "dict[str, JsonValue]":
        """The design as JSON, as the study stores it."""
        content = self.model_dump(mode="json", exclude={"owed_elsewhere", "third_lists"})
        for name in (
            "answers",
            "third",
            "stop",
            "confidence",
        ):  # other studies are as they were before there were these
            if not content[name]:
                del content[name]
        for stratum in (content["draw"] or {}).get("strata", ()):
            for name in ("outcomes", "chances"):
                if not stratum[name]:
                    del stratum[name]
        return content


def cases_before(study: "Study") -> Mapping[str, str]:
    """``StudyDesign.before``, even if the rest of the design cannot be read."""
    before = study.design.get("before")
    return before if isinstance(before, dict) else {}


def study_protocol(protocols: "Protocols", study: "Study") -> "Protocol":
    """The protocol of a study, with the definitions of groups that were frozen with it.

    Raises RequestError and StoreError if it is not known, or cannot be used.
    """
    definitions = study.design.get("definitions")
    given = definitions if isinstance(definitions, dict) else {}
    return protocols.named(study.protocol).defining({str(name): str(text) for name, text in given.items()})


def panels_of(study: "Study", acts: "Iterable[StudyAct]") -> Mapping[str, Sequence[str]]:
    """The raters of each case that not all raters are asked about, with those asked for a third vote.

    It can be read even if the rest of the design cannot.
    """
    panels, lists = study.design.get("panels"), study.design.get("third_lists")
    held = panels.items() if isinstance(panels, dict) else ()
    raters = {case: [*panel] for case, panel in held if isinstance(panel, list | tuple)}
    asked = [(act.subject, act.held) for act in acts if act.kind == "third"]
    asked += (
        [(rater, case) for rater, its in (lists or {}).items() for case in its]
        if isinstance(lists, dict)
        else []
    )
    for rater, cases in asked:
        for case in cases:
            if rater and case in raters:
                raters[case].append(rater)
    return raters


RESCUED = "rescued"
"""In the design of a study in a rescued file, which has neither a secret nor signed counts."""
