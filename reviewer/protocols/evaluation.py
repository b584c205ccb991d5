"""The part of the contract for evaluation: how models are asked about cases and how replies are read."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Final, Literal, Self

from reviewer.core.errors import RequestError
from reviewer.llm.request import ModelRequest
from reviewer.protocols.answer_schema import (
    AnswersAs,
    answer_names,
    in_words,
    named_labels,
    response_format,
    schema_answer,
)
from reviewer.protocols.procedure import ModelTask, ProcedureSettings, Prompts, Sampling
from reviewer.protocols.work import Work, replies_to
from store.records import Case, JsonValue

if TYPE_CHECKING:
    from reviewer.protocols.base import DatasetCase


@dataclass(frozen=True, slots=True)
class Factor:
    """One thing that may differ between the ways in which a case is put to a model, with its values.

    ``usual`` are the values that are asked if nobody names others.
    """

    name: str
    values: tuple[str, ...]
    usual: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """One way in which a case is put to a model: a value for each factor, in the order of the factors."""

    values: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, **values: str) -> "Condition":
        """A condition from names and values."""
        return cls(tuple(values.items()))

    def __getitem__(self, factor: str) -> str:
        """The value of a factor; raises KeyError."""
        return dict(self.values)[factor]

    def without(self, *factors: str) -> "Condition":
        """The rest, which the conditions of one comparison share."""
        return Condition(tuple(pair for pair in self.values if pair[0] not in factors))

    @property
    def key(self) -> str:
        """Its name in tables and exports: the values, with a stroke between two."""
        return "/".join(value for _, value in self.values) or "as it is"


def conditions_of(factors: Sequence[Factor], chosen: Mapping[str, Sequence[str]]) -> tuple[Condition, ...]:
    """All combinations of the chosen values, those of a factor that is not named being its usual ones.

    Raises RequestError for an unknown factor or value.
    """
    known = {factor.name: factor for factor in factors}
    for name, values in chosen.items():
        if name not in known:
            raise RequestError(f"there is no condition {name!r}; there are {', '.join(known)}.")
        if unknown := [value for value in values if value not in known[name].values]:
            raise RequestError(f"{name} has no {unknown[0]!r}; it has {', '.join(known[name].values)}.")
    ranges = [
        [(factor.name, value) for value in factor.values if value in chosen.get(factor.name, factor.usual)]
        for factor in factors
    ]
    return tuple(Condition(values) for values in product(*ranges))


@dataclass(frozen=True, slots=True)
class LabelRead:
    """The label that a reply was read into, or why there is none."""

    label: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A model's last reply about a case under a condition, and how it was read."""

    reply: str
    read: LabelRead


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A reply to a case under a condition, how it was read, and the facts that measures know of the case."""

    case: Case
    condition: Condition
    reply: str
    read: LabelRead
    facts: Hashable


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Why a case cannot be put under a condition, as a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class Brought:
    """What one comparison of one case brings to a measure: a value, and the weight that it has.

    The weight is 0 if what the measure needs to know of the case is unknown.
    """

    value: float
    weight: float = 1.0


Judge = Callable[[Hashable, Condition, Mapping[str, str]], Brought]
"""From a case's facts for the measure, the rest of the condition, and the label under each value compared."""


def has_label(wanted: str) -> Judge:
    """How often the label is this one."""
    return lambda facts, rest, label: Brought(label[""] == wanted)


def has_changed(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    """How often the label is not the same under all values compared."""
    return Brought(len(set(label.values())) > 1)


RUNS_EITHER_WAY: Final = (
    "runs that change forward, such as from right to wrong",
    "runs that change back",
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A ratio of sums over comparisons of runs.

    ``over`` is the factor whose values are compared, run by run; "" if each label is judged by itself. Names
    with strokes between them are several factors: then the combinations of their values are compared.
    ``value`` judges one comparison; ``least`` and ``most`` bound it. ``meaning`` is a sentence. Comparisons
    with an unreadable reply are left out, unless ``unread_as`` is the label that stands for such a reply.
    """

    key: str
    title: str
    meaning: str
    over: str
    value: Judge
    least: float = 0.0
    most: float = 1.0
    best: float | None = None
    """The value of a model without the fault that is measured; None if no single value is the best."""
    unread_as: str | None = None
    of_reading: bool = False
    """Whether unreadable replies are the very thing that is measured."""
    test: Literal["clustered", "exact"] = "clustered"
    """How a measure with a sign is tested: by a z over clusters, or exactly, by the sign of each cluster."""
    directions: tuple[str, str] = RUNS_EITHER_WAY
    """What is counted above and below 0 in a measure with a sign."""
    among: tuple[str, ...] = ()
    """The values of ``over`` that are compared, where others are asked too; () if all are."""
    unproven: str = ""
    """What is said of a model whose value is not above 0 by the test, such as "X does not beat Y"."""

    @property
    def factors(self) -> tuple[str, ...]:
        """The names of the factors whose values are compared."""
        return tuple(self.over.split("/")) if self.over else ()


@dataclass(frozen=True, slots=True)
class Answerer:
    """Somebody who answers without reading: what they answer to a case under a condition.

    The answer is "" where it depends on something that is not known of the case; it then counts nowhere.
    """

    key: str
    title: str
    answer: Callable[[Hashable, Condition], str]


@dataclass(frozen=True, slots=True)
class Division:
    """Something known of cases that divides effects, such as the right option: its label of a case."""

    key: str
    title: str
    of: Callable[[Hashable], str]


@dataclass(frozen=True, slots=True)
class BaselineItem:
    """A case of a baseline as an item that changed cases refer to.

    ``labels`` maps labels of the baseline to those of the changed case, and ``conditions`` maps the
    baseline's conditions to those of the changed case that put the same layout.
    """

    item: Hashable
    labels: Mapping[str, str]
    conditions: Mapping[Condition, Condition]


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """Answers that are picked by a measure: those whose comparison contributes more than 0.

    ``measure`` is the key of a measure that compares values of a factor, and ``under`` the value whose answer
    is picked. ``meaning`` describes these answers, as "answers that …".
    """

    measure: str
    under: str
    meaning: str


class EvaluationPlan(ModelTask, ABC):
    """How the cases of a protocol are put to models, how replies are read, and how labels are measured."""

    lacking = "does not say how models are asked; a declaration says it in its table [evaluation]"

    factors: tuple[Factor, ...]
    measures: tuple[Measure, ...]
    answerers: tuple[Answerer, ...] = ()
    sampling: Sampling = Sampling()
    """The sampling parameters that are sent if nobody gives others."""
    repeats: int = 1
    """How often a case is asked under each condition if nobody gives another number."""
    divisions: tuple[Division, ...] = ()
    tiers_by: str = ""
    """The measurement whose quartiles divide cases into tiers, if nobody names another."""
    reader_version: int = 1
    """The version of ``read``. Outcomes keep it, and a newer reader reads their replies again."""
    read_by_judge: bool = False
    """Whether a second model reads each reply; its requests name the role "reader"."""
    answers_as: AnswersAs = "text"
    """Whether replies are text, or JSON by a schema, which ``answering_as`` chooses."""
    cluster_noun: str = ""
    """What several cases may share, so that they are not independent, such as "question"; "" if nothing."""
    answer_kinds: Mapping[str, AnswerKind] = {}
    awareness_kinds: tuple[str, str] | None = None
    """The kinds of answers of which awareness of a cue is published, and of which it deserves the name."""
    """Kinds of answers that studies of answers can draw from, by name, such as "flips"."""
    baseline_factor: tuple[str, str] = ("", "")
    """The factor that tells changed items from their baseline, and its value for the baseline."""
    settings: type[ProcedureSettings] = ProcedureSettings
    """What a run may set beside conditions and sampling; nothing by default."""
    answer_tokens: int = 150
    """The length of a reply with a short explanation, as a guess; estimates count with it."""
    usual_replies: Mapping[str, str] = {}
    """A usual reply by purpose, where the next requests depend on it: estimates count with it."""
    roles: tuple[str, ...] = ()
    """Roles that its requests name. The asked model has each of them, unless a run names another model."""

    def with_settings(self, settings: ProcedureSettings) -> Self:
        """The plan with the settings of a run; by default the same."""
        return self

    @abstractmethod
    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> Hashable:
        """What measures and answerers know of a case, from it and from its values by name.

        A value that came with the case has priority over one that an audit measured.
        """

    @abstractmethod
    def labels(self, case: Case) -> tuple[str, ...]:
        """The labels that a reply may be read into."""

    def guesses(self, case: Case) -> tuple[str, ...]:
        """The labels that a coin takes, each as often as any other."""
        return self.labels(case)

    def cluster(self, case: Case) -> Hashable:
        """What the case shares with others, if the plan has a ``cluster_noun``: equal for those that do."""
        return None

    def at(self, place: int) -> Self:
        """The plan for the case at this place of the sample; by default the same.

        A plan may ask about each place something that is known of it alone.
        """
        return self

    @abstractmethod
    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered] | NotAsked:
        """The work that puts a case to a model under a condition.

        Its requests name no model and no parameters, which the run adds.
        """

    def answering_as(self, way: AnswersAs) -> Self:
        """The plan that asks for answers in this way."""
        asking = copy(self)
        asking.answers_as = way
        return asking

    def answer_to(self, request: ModelRequest, case: Case, condition: Condition) -> Work[Answered]:
        """The work of a single request, with a schema of the answer if the run asks for one."""
        if self.answers_as == "schema":
            asked = "\n".join(message.content for message in request.messages)
            names = answer_names(self._reader(case, condition), self.labels(case), asked)
            request = replace(request, response_format=response_format(names) if names else None)
        (reply,) = yield from replies_to(request)
        return Answered(reply.text, self.label_in(case, condition, reply.text))

    def label_in(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The label of a reply to a run that asks in the plan's way."""
        answer = schema_answer(reply) if self.answers_as == "schema" else None
        return self.read(case, condition, reply if answer is None else in_words(answer))

    def takes_schema(self, case: Case, condition: Condition) -> bool:
        """Whether names of one form stand for all labels of a case."""
        named = answer_names(self._reader(case, condition), self.labels(case), "")
        return bool(named) and not self.read_by_judge

    def names(self, case: Case, condition: Condition) -> dict[str, str]:
        """The usual names of options under a condition, with the labels that replies mean by them."""
        return named_labels(self._reader(case, condition), self.labels(case))

    def _reader(self, case: Case, condition: Condition) -> Callable[[str], str | None]:
        return lambda reply: self.read(case, condition, reply).label

    def for_sample(self, cases: Sequence[Case]) -> Self:
        """The plan for a run over these cases; by default the same.

        A plan may give each case of a sample something that depends on the others, such as an order of its
        options. It must give the same for the same cases in the same order.
        """
        return self

    @abstractmethod
    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The label of the case that a reply names, whatever the condition called it."""

    def changed_item(self, case: Case) -> Hashable:
        """What a changed case shares with its baseline, if the plan has a ``baseline_factor``."""
        return None

    def baseline_items(self, case: Case) -> Sequence[BaselineItem]:
        """What a case of another run, of this protocol or another, may be the baseline of."""
        return ()

    def answer_case(self, answer: ModelAnswer) -> "DatasetCase | None":
        """An answer as a case that experts review, often of another protocol; None if it makes none.

        Nothing in it may name the model, the run or the repeat.
        """
        return None

    def known_label(self, facts: Hashable) -> str | None:
        """The label that is right for a case, where one label is and it is known."""
        return None

    def ranking(self, case: Case, condition: Condition, reply: str) -> Sequence[str]:
        """The labels that a reply thinks likely, the likeliest first; () if replies name one label."""
        return ()

    def is_wrong(self, facts: Hashable, condition: Condition, label: str) -> bool | None:
        """Whether a label is a wrong answer under a condition; None if the right answer is not known."""
        return None

    def meaning_of_labels(self, conditions: Sequence[Condition]) -> str:
        """What somebody must know who reads labels beside replies, as a sentence; "" if nothing."""
        return ""

    def cautions(self, facts: Sequence[Hashable], conditions: Sequence[Condition]) -> Sequence[str]:
        """Sentences on the limits of the measures of these cases under these conditions."""
        return ()
