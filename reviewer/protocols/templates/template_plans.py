"""The part of the contract for templates: what a protocol offers whose cases come from templates.

Tables on published files are plain values too: a command reads the file and prints the table.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from reviewer.core.table import Table
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.slot_template import SlotTemplate
from reviewer.protocols.templates.template_toml import TemplateFile

RulesByGroup = Mapping[str, CaseTemplate]
"""Values and rules that a person gives, by ``rules_key`` of their group."""


@dataclass(frozen=True, slots=True)
class NotedTable:
    """A table, and the sentences below it."""

    table: Table
    notes: tuple[str, ...]


class GapTemplates(ABC):
    """Templates with gaps that a model fills: their published form, their rules and their scores."""

    score_columns: ClassVar[tuple[str, ...]]
    """The columns of a file of published scores."""

    @abstractmethod
    def published(self, text: str, where: str) -> CaseTemplate:
        """The template of a file of the published form; raises InputError."""

    @abstractmethod
    def published_text(self, template: CaseTemplate) -> str:
        """The template in the published form."""

    @abstractmethod
    def rules_key(self, group: str) -> str:
        """By which name rules of a group are looked up."""

    @abstractmethod
    def with_rules(self, template: CaseTemplate, beside: RulesByGroup) -> CaseTemplate:
        """The template with the values and rules that are known for its group."""

    @abstractmethod
    def try_out(self, template: CaseTemplate) -> None:
        """Raise InputError for values or rules with which no case can be scored."""

    @abstractmethod
    def remarks(self, read: TemplateFile) -> Sequence[str]:
        """Sentences on the scenarios and the templates of files."""

    @abstractmethod
    def null_scores(self, templates: Sequence[CaseTemplate], *, rounded: bool) -> NotedTable:
        """What those score who do not read the cases, by template."""

    @abstractmethod
    def published_scores(
        self, where: str, rows: Sequence[Mapping[str, str]], beside: RulesByGroup, *, differing: bool
    ) -> NotedTable:
        """Published scores, computed again; raises InputError."""


class SlotTemplates(ABC):
    """Templates with slots that are sampled: their cases, and the published values of such cases."""

    levels: ClassVar[int]
    """At how many levels of detail a template is told."""
    filled_by: ClassVar[str]
    """The generator of the cases."""
    share_columns: ClassVar[tuple[str, ...]]
    """The columns of a published table of shares."""

    @abstractmethod
    def cases(self, templates: Sequence[SlotTemplate], times: int, seed: int) -> Iterator[DatasetCase]:
        """The cases of so many fillings of each template; raises InputError."""

    @abstractmethod
    def published_shares(self, texts: Mapping[str, str], view: str) -> NotedTable:
        """The shares in published files, by the name of the file; raises InputError."""

    @abstractmethod
    def compared_shares(
        self, texts: Mapping[str, str], where: str, rows: Sequence[Mapping[str, str]]
    ) -> NotedTable:
        """A published table beside the shares of the files; raises InputError."""

    @abstractmethod
    def known_readings(self, text: str, where: str, *, errors: bool) -> NotedTable:
        """How answers with known choices are read: by kind, or each error; raises InputError."""
