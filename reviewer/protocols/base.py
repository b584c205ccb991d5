"""The contract: what a protocol must offer. Protocols open no doors; they turn values into values."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel

from reviewer.core.check_result import CheckResult, Severity
from reviewer.core.pane import Pane
from reviewer.core.question import Question
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.evaluation import DecisionPlan
    from reviewer.protocols.formats import CaseFormat
    from reviewer.protocols.generation import GenerationPlan
    from reviewer.protocols.logic import Logic


@dataclass(frozen=True, slots=True)
class Group:
    """What cases are stratified by, with the definition that raters judge by."""

    name: str
    definition: str


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a validation sheet: its name, what it holds, and whether its text tells cases apart.

    One that ``sways`` (a model's opinion of the very question) is left blank unless it is asked for.
    """

    name: str
    meaning: str
    identifies: bool = False
    sways: bool = False


@dataclass(frozen=True, slots=True)
class ValidationSheet:
    """One question as a file that a rater fills in with a spreadsheet, as the benchmark's authors lay it out.

    ``judgement`` names the first column, which takes the rater's label.
    """

    question: str
    file: str
    judgement: str
    columns: tuple[SheetColumn, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How like each other two texts of a case are; ``measure`` names the value, published ones too."""

    measure: str
    kind: Literal["cosine", "levenshtein"]
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """What a failed check weighs, the question that it bears on (None: none), and its version.

    ``published`` names the published value that its value is compared with, equal within ``tolerance``; a
    check whose value is a list has one for each version, and all are compared. ``asks`` is a sentence that
    says what the check looks for.
    """

    severity: Severity
    question: str | None = None
    published: str = ""
    tolerance: float = 0.0
    version: int = 1
    asks: str = ""

    def weighed(self, result: CheckResult) -> CheckResult:
        """The check's result with its severity and its version."""
        return replace(result, severity=self.severity, version=self.version)


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What is computed of a case before it is judged: similarities of its texts.

    ``distinct`` is the text that may not be like that of another case: a cosine similarity of ``collides_at``
    or more is a collision. "" compares the case with no other. A plan of defaults is for checks that only
    read the case.
    """

    comparisons: tuple[Comparison, ...] = ()
    distinct: str = ""
    collides_at: float = 1.0

    @property
    def needs_vectors(self) -> bool:
        """Whether a sentence model has to compare texts."""
        return bool(self.distinct) or any(each.kind == "cosine" for each in self.comparisons)

    @property
    def reads_only(self) -> bool:
        """Whether the checks need no sentence model."""
        return not self.needs_vectors


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Answers about one case (question key → label) that one person should not give without a reason.

    ``why`` completes the question: a sentence that says what does not go together.
    """

    answers: Mapping[str, str]
    why: str


class Protocol(ABC):
    """One benchmark's rules: its kind of case, its questions, and what people get to see of a case."""

    name: ClassVar[str]
    """The stable name that cases and studies carry."""
    title: ClassVar[str]
    """What people read."""
    payload_model: ClassVar[type[BaseModel]]
    """Validates a payload; its dump is the normalised payload that the case's digest covers."""
    payload_version: ClassVar[int]
    groups: ClassVar[tuple[Group, ...]] = ()
    """None where the groups are those of the data."""
    group_noun: ClassVar[str] = "group"
    """What a group is, in one word, as options and files may call it too."""
    questions: ClassVar[tuple[Question, ...]]
    bears_on: ClassVar[Mapping[str, str]]
    """Which question a measurement is a machine's opinion of: measurement name → question key."""
    machine_checks: ClassVar[Mapping[str, MachineCheck]] = {}
    """Every check that ``judge`` may speak of, here and in the protocol's logic, by name."""
    contradictions: ClassVar[tuple[Contradiction, ...]] = ()
    """Combinations of answers that raters are asked about, once."""
    validation_sheets: ClassVar[tuple[ValidationSheet, ...]] = ()
    """The benchmark's own CSV workflow; none where it has none."""
    sheet_generators: ClassVar[tuple[str, ...]] = ()
    """The generators that the authors' own script for these sheets knows; none where it knows any."""
    seeds_folder: ClassVar[str] = ""
    """The folder of ``seeds/`` with the hand-written cases that come with the program; "" where none do."""

    def case(self, group: str, payload: Mapping[str, object]) -> Case:
        """The case of a raw payload; raises pydantic.ValidationError where it is not valid."""
        normalised = self.payload_model.model_validate(payload).model_dump(mode="json")
        return Case.of(self.name, group, self.payload_version, normalised)

    def group(self, name: str) -> Group:
        """The group of this name, without a definition where groups come from the data; raises KeyError."""
        if not self.groups:
            return Group(name, "")
        return {group.name: group for group in self.groups}[name]

    def groups_among(self, found: Iterable[str]) -> list[str]:
        """Those of these that are groups of the protocol, each once: in its order, else in theirs."""
        names = dict.fromkeys(found)
        return [group.name for group in self.groups if group.name in names] if self.groups else list(names)

    @abstractmethod
    def asks(self, question: Question, case: Case) -> bool:
        """Whether the question can be asked about the case."""

    @abstractmethod
    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The case's own words in the questions: what fills the prompts, and what else raters judge by.

        A verdict given under other terms is stale.
        """

    def sheet_texts(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """What the columns of every validation sheet say about a case, by the column's name."""
        return {}

    @abstractmethod
    def headline(self, case: Case) -> str:
        """One line that tells this case from others in a list."""

    def formats(self) -> "Sequence[CaseFormat]":
        """The benchmark's own formats of files; every protocol also has JSON Lines (``case_lines``)."""
        return ()

    def logic(self) -> "Logic | None":
        """How cases are decided by logic; None where they are not."""
        return None

    def check_plan(self, case: Case) -> CheckPlan | None:
        """What machines can check without a language model; None where that is nothing."""
        return None

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """What the checks say of the case and of the plan's values, by measure."""
        return ()

    def draft_case(self, group: str, payload: Mapping[str, object]) -> Case | None:
        """The case of a discarded candidate, as far as it got; None where there is nothing to review."""
        return None

    def generation_plan(self) -> "GenerationPlan | None":
        """How cases are generated; None where they are not."""
        return None

    def decision_plan(self) -> "DecisionPlan | None":
        """How a model is asked to decide a case; None where there is nothing to decide."""
        return None

    @abstractmethod
    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Everything there is to look at, from the measurements and findings that the rater may see."""
