"""The contract of procedures: what a protocol has done that asks models, in units of work.

A procedure declares its prompts, its settings, and the roles of models. Its work (``work.py``) names the role
that answers a request; a run binds each role to a model. What a unit of work returns is its product, such as
a case that was tried or values of a case. ``reviewer/runs`` stores it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from reviewer.core.check_result import CheckResult, first_failed
from reviewer.llm.request import ModelRequest
from reviewer.protocols.prompts import PromptPlan, Prompts
from reviewer.protocols.work import Work
from store.records import Case, JsonValue

if TYPE_CHECKING:
    from reviewer.protocols.base import DatasetCase


@dataclass(frozen=True, slots=True)
class Sampling:
    """The parameters that are sent with the messages, and how the repeats of a request differ.

    Parameters that are None are not sent, so the server uses its defaults. Repeats differ by blanks at the
    end of the last message (as many as the number of the repeat), by the seed that is sent, or not at all.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    repeats_by: Literal["blanks", "seed", "none"] = "none"

    def applied(self, request: ModelRequest, repeat: int, model: str = "") -> ModelRequest:
        """The request of one repeat (from 0) as it is sent to a model; it keeps what it names itself."""
        *before, last = request.messages
        if self.repeats_by == "blanks":
            last = replace(last, content=last.content + " " * repeat)
        parameters = self.parameters(repeat).items()
        sent = {name: value for name, value in parameters if getattr(request, name) is None}
        number = request.repeat + repeat
        return replace(request, messages=(*before, last), repeat=number, model=model or request.model, **sent)

    def parameters(self, repeat: int) -> dict[str, Any]:
        """The parameters of one repeat (from 0) by name; those that are None are not sent."""
        return {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": (self.seed or 0) + repeat if self.repeats_by == "seed" else self.seed,
        }

    @property
    def in_words(self) -> str:
        """Which parameters are sent, and which are not; a seed is that of the first repeat."""
        parameters = self.parameters(0).items()
        sent = [f"{name} {value:g}" for name, value in parameters if value is not None]
        left_out = [name for name, value in parameters if value is None]
        if not sent:
            return "none sent, so the server's defaults"
        return "; not sent: ".join(filter(None, (", ".join(sent), ", ".join(left_out))))


GivenSettings = Mapping[str, JsonValue]
"""Settings by name, unchecked."""


class ProcedureSettings(BaseModel):
    """The settings of a procedure, with a default each."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    of_this_release: ClassVar[Mapping[str, JsonValue]] = {}
    """Settings that the release decides: a run that it resumes takes them over."""
    changeable: ClassVar[frozenset[str]] = frozenset()
    """Settings that may change when a run is resumed: they decide when it ends, not what it makes."""


class ModelTask:
    """What a protocol has models do. Each kind of task is a class."""

    lacking: ClassVar[str] = "has no such procedure"
    """What is true of a protocol without this kind, to stand after its name in a sentence."""

    prompts: PromptPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure(ModelTask):
    """A task with a name, whose settings a run keeps.

    ``roles`` say who answers requests. The only role of a procedure need not be named. ``unnamed`` has the
    roles for which nobody need name a model: each with the role whose model takes its part, or with "" if it
    is left out.
    """

    name: str
    prompts: PromptPlan
    settings: type[ProcedureSettings]
    roles: tuple[str, ...]
    unnamed: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def author(self) -> str:
        """The role that writes what the procedure makes."""
        return self.roles[-1]


@dataclass(frozen=True, slots=True)
class Sample:
    """An example of a request, the approximate number of characters of its answer, and who answers."""

    request: ModelRequest
    answer_characters: int
    role: str = ""


@dataclass(frozen=True, slots=True)
class TriedCase:
    """A product: a case that a unit tried, with its payload (any JSON), its values, and its last step.

    ``protocol`` names the protocol whose case it is, and ``key`` its place. ``step`` is the last step that it
    reached, and ``judged`` has the results of the checks there: the first one that failed discards it, else
    it is kept. ``counts_as`` names the category that it is counted in, and ``calls`` are the ids of its
    calls. ``expansion`` is the number of the round, or of the group's expansion, that tried it, and ``place``
    its position there, from 1.
    """

    protocol: str
    group: str
    key: str
    payload: Mapping[str, JsonValue]
    step: str
    judged: tuple[CheckResult, ...]
    counts_as: str = ""
    values: Mapping[str, JsonValue] = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    expansion: int = 0
    place: int = 0

    @property
    def decisive(self) -> CheckResult:
        """The first check that was not passed, else the last one."""
        return first_failed(self.judged)

    @property
    def approved(self) -> bool:
        """Whether the case passed every check of its last step."""
        return self.decisive.passed


Values = Mapping[str, JsonValue]
"""Values of a case by name."""


@dataclass(frozen=True, slots=True)
class MadeCase:
    """A product: values of a case, and a case of another protocol that came of it, such as the dialogue that
    a script gave. With the key "" it has the key of the case that it came of.
    """

    values: Values
    made: "DatasetCase"


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the work of every unit of a run knows: its settings, its prompts, its random seed, and the roles
    that models take.
    """

    settings: ProcedureSettings
    prompts: Prompts
    seed: int
    roles: frozenset[str] = frozenset()


def cases_without_values(cases: Sequence[Case], kept: Mapping[str, Values]) -> Sequence[Case]:
    """The cases that have no values yet."""
    return [case for case in cases if case.digest not in kept]


def _no_sampling(settings: ProcedureSettings) -> Mapping[str, Sampling]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseProcedure(Procedure):
    """A procedure over the cases of a dataset. A unit is a case; its products are values of the case.

    ``work`` returns the values of a case, from the case and the values that this run gave it before. They
    become measurements of the case that name the run. If ``makes`` names a protocol, the work may also return
    a MadeCase: its cases of that protocol are put into the dataset of the run's name, and their generator is
    the model in the role ``made_by``, or with "" the generator of the case that they came of.

    ``units`` says which cases the next round works on, from all cases and the values that the run has given,
    by digest. A run ends when a round has no cases or gives no values. ``sampling`` has the parameters that
    are sent with the messages, by role.
    """

    work: Callable[[Case, Values, RunContext], Work[Values | MadeCase]]
    makes: str = ""
    made_by: str = ""
    units: Callable[[Sequence[Case], Mapping[str, Values]], Sequence[Case]] = cases_without_values
    sampling: Callable[[ProcedureSettings], Mapping[str, Sampling]] = _no_sampling
