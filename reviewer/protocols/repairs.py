"""The part of the contract for repairs: what a protocol offers if people can change the content of its cases.

A content is changed through its editor panes, by a rule, or by a proposal of a model. Each way turns a case
into another case, as a plain value. Nothing here is stored.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from reviewer.core.errors import InputError
from reviewer.oracle.evidence import Evidence
from reviewer.protocols.procedure import PromptPlan
from store.records import Case

PROPOSED = "proposals"
"""The label of a reply with a proposal that can be tried; other replies are labelled by their fault."""
PROPOSAL_PLACEHOLDERS = frozenset({"group", "definition", "finding", "case"})
"""What the prompt ``repair`` is filled with: the group and its definition, the finding, and the texts."""


@dataclass(frozen=True, slots=True)
class EditorPane:
    """One text of a case as a person edits it: a stable key, a title, the kind of text, and the text.

    ``program`` names a text that logic runs as findings name it: the variant ("" if both share the text) and
    the part. It is None for any other text.
    """

    key: str
    title: str
    kind: Literal["prose", "program"]
    text: str
    program: tuple[str, str] | None = None


class ContentError(InputError):
    """An edited text that cannot be the content of a case: the pane, and the line (from 1) if it is known."""

    def __init__(self, pane: EditorPane, line: int | None, wrong: str, remedy: str) -> None:
        self.pane, self.line = pane.key, line
        super().__init__(pane.title if line is None else f"{pane.title}, line {line}", wrong, remedy)


@dataclass(frozen=True, slots=True)
class NotRepaired:
    """A rule left a case as it is; ``why`` is a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class RepairRule:
    """A repair without a person's or a model's judgement: a function of a case and of its evidence.

    ``does`` says in a sentence what it does. ``mends`` names the checks whose findings it may settle.
    ``expects`` gives the decision that a version must take after the repair, from the one before.
    ``other_steps`` is a sentence on when a repaired program decides in other steps than before.
    """

    name: str
    does: str
    mends: tuple[str, ...]
    repaired: Callable[[Case, Evidence], Case | NotRepaired]
    expects: Callable[[str], str] = str
    other_steps: str = "A repaired program has other clauses, so it may search in other steps."


class Repairs(ABC):
    """How the cases of a protocol are edited and repaired."""

    rules: ClassVar[tuple[RepairRule, ...]] = ()
    prompts: ClassVar[PromptPlan | None] = None
    """The prompt ``repair``, which asks a model for proposals; None if models are not asked. Its placeholders
    are ``PROPOSAL_PLACEHOLDERS``."""
    exchange: ClassVar[RepairRule | None] = None
    """The rule that makes the right option the wrong one, by which a dataset is balanced."""

    @abstractmethod
    def editor_panes(self, case: Case) -> tuple[EditorPane, ...]:
        """The texts of the case that a person can edit, in the order in which they are shown."""

    @abstractmethod
    def edited(self, case: Case, texts: Mapping[str, str]) -> Case:
        """The case with these texts in place of those of the panes with the same keys.

        The same case if nothing changes. What was made from a text that changed is cleared. Raises
        ContentError for the first text that no case can have, and KeyError for an unknown key.
        """
