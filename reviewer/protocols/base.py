"""The contract: what a protocol must offer. Protocols open no doors; they turn values into values."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel

from reviewer.core.pane import Pane
from reviewer.core.question import Question
from store.records import Case, Measurement


@dataclass(frozen=True, slots=True)
class Group:
    """What cases are stratified by (in PROBE-SWE the bias), with the definition that raters judge by."""

    name: str
    definition: str


class Protocol(ABC):
    """One benchmark's rules: its kind of case, its questions, and what people get to see of a case."""

    name: ClassVar[str]
    """The stable name that cases and studies carry."""
    title: ClassVar[str]
    """What people read."""
    payload_model: ClassVar[type[BaseModel]]
    """Validates a payload; its dump is the normalised payload that the case's digest covers."""
    payload_version: ClassVar[int]
    groups: ClassVar[tuple[Group, ...]]
    questions: ClassVar[tuple[Question, ...]]
    bears_on: ClassVar[Mapping[str, str]]
    """Which question a measurement is a machine's opinion of: measurement name → question key."""

    def case(self, group: str, payload: Mapping[str, object]) -> Case:
        """The case of a raw payload; raises pydantic.ValidationError where it is not valid."""
        normalised = self.payload_model.model_validate(payload).model_dump(mode="json")
        return Case.of(self.name, group, self.payload_version, normalised)

    def group(self, name: str) -> Group:
        """The group of this name; raises KeyError."""
        return {group.name: group for group in self.groups}[name]

    @abstractmethod
    def asks(self, question: Question, case: Case) -> bool:
        """Whether the question can be asked about the case."""

    @abstractmethod
    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The case's own words in the questions: what fills the prompts, and what else raters judge by.

        A verdict given under other terms is stale.
        """

    @abstractmethod
    def headline(self, case: Case) -> str:
        """One line that tells this case from others in a list."""

    @abstractmethod
    def panes(self, case: Case, measurements: Sequence[Measurement]) -> Sequence[Pane]:
        """Everything there is to look at, from the measurements that the rater may see."""
