"""The contract of procedures: what a protocol has done that asks models, in units of work.

A procedure declares its prompts, its settings, and the roles of models. Its work (``work.py``) names the role
that answers a request; a run binds each role to a model. What a unit of work returns is its product, such as
a case that was tried or values of a case. ``reviewer/runs`` stores it.

Prompts are texts with named placeholders, from files that ``reviewer/runs/run_setup.py`` reads. They are
checked before anything is asked, and filled in one pass. A file holds messages, each below a line
``[system]``, ``[user]`` or ``[assistant]``. A placeholder is a name in braces. Inserted text is not searched
for placeholders, so text from outside cannot add any.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from reviewer.core.check_result import CheckResult, first_failed
from reviewer.core.errors import InputError
from reviewer.core.sanitize import strange_character
from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.protocols.work import Work
from store.records import Case, JsonValue, digest_of

if TYPE_CHECKING:
    from reviewer.protocols.base import DatasetCase


Role = Literal["system", "user", "assistant"]

_HEADING = re.compile(r"^\[(system|user|assistant)\][ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
MOST_CHARACTERS_OF_PROMPT = 50_000
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """The prompts of a protocol: the package whose folder ``prompts`` holds them, and for each prompt by name
    exactly the placeholders that it must have. ``texts`` are prompts that are not files of the package.
    """

    package: str
    placeholders: Mapping[str, frozenset[str]]
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompts:
    """Prompts that were read and checked, by name, as their files hold them."""

    texts: Mapping[str, str]

    @property
    def digest(self) -> str:
        """SHA-256 over all prompts; it identifies what a run's candidates were generated with."""
        return digest_of(dict(self.texts))

    def fill(self, name: str, **values: str) -> tuple[ChatMessage, ...]:
        """The messages of a prompt with its placeholders filled; raises KeyError if a value is missing."""
        return tuple(
            ChatMessage(role, _PLACEHOLDER.sub(lambda match: values[match[1]], text))
            for role, text in _messages(self.texts[name])
        )


def checked_prompts(plan: PromptPlan, texts: Mapping[str, str]) -> Prompts:
    """The prompts of the plan from the texts of their files, by name; raises InputError."""
    for name in plan.placeholders:
        _check(name, texts[name], plan.placeholders[name])
    return Prompts({name: texts[name].strip() + "\n" for name in sorted(plan.placeholders)})


def _check(name: str, text: str, expected: frozenset[str]) -> None:
    where = f"prompt {name}.txt"
    if len(text) > MOST_CHARACTERS_OF_PROMPT or (strange := strange_character(text)):
        wrong = (
            f"has more than {MOST_CHARACTERS_OF_PROMPT:,} characters"
            if len(text) > MOST_CHARACTERS_OF_PROMPT
            else strange
        )
        raise InputError(where, str(wrong), "correct it")
    messages = _messages(text)
    before = _HEADING.split(text, maxsplit=1)[0].strip()
    if before or not messages or messages[-1][0] != "user" or not all(said for _, said in messages):
        wrong = "does not consist of messages below [system], [user] or [assistant] with [user] last"
        raise InputError(where, wrong, "write it like the shipped prompt")
    placeholders = {placeholder for _, said in messages for placeholder in _PLACEHOLDER.findall(said)}
    if missing := sorted(expected - placeholders):
        raise InputError(where, f"lacks the placeholder {{{missing[0]}}}", "add it")
    if unknown := sorted(placeholders - expected):
        known = ", ".join(f"{{{placeholder}}}" for placeholder in sorted(expected))
        raise InputError(where, f"has the unknown placeholder {{{unknown[0]}}}", f"use only {known}")


@lru_cache(maxsize=64)  # a run fills a few prompts thousands of times
def _messages(text: str) -> tuple[tuple[Role, str], ...]:
    parts = _HEADING.split(text)[1:]
    return tuple((_ROLES[role], said.strip()) for role, said in zip(parts[::2], parts[1::2], strict=True))


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
