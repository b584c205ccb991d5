"""The part of the contract for logic: how programs decide a case."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from store.records import Case, Measurement

if TYPE_CHECKING:
    from reviewer.oracle.evidence import Published
    from reviewer.oracle.examination import Examination
    from reviewer.oracle.oracle_program import Program
    from reviewer.oracle.result import Result
    from reviewer.protocols.evaluation import Condition


@dataclass(frozen=True, slots=True)
class ModelDecision:
    """How a model decides a case as its first program does: under which condition of the evaluation, and
    which label means a choice of that program (the choice itself if none does).
    """

    condition: "Condition"
    label_of: Callable[[str], str]


class Logic(ABC):
    """How logic decides a protocol's cases. A protocol without logic never starts the oracle."""

    published: ClassVar[tuple[str, ...]] = ()
    """The published values that results are compared with."""
    shows: ClassVar[tuple[str, ...]]
    """The panes in which an author sees what logic did, in reading order, with the texts first."""
    beside: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The most useful panes for a check."""
    sources: ClassVar[Mapping[tuple[str, str], tuple[str, int]]] = {}
    """The pane and the side (0, 1) that show a variant's part of a program; a part that the versions share
    has the variant "".
    """

    @abstractmethod
    def examination(self, case: Case) -> "Examination | None":
        """What is run to decide the case; None if it has no programs."""

    def not_asked(self, case: Case) -> Collection[str]:
        """The checks of the oracle that do not apply to the case."""
        return ()

    def published_in(self, values: Sequence[Measurement]) -> "tuple[Published, ...]":
        """What the published values of a case say that its programs decide, each once."""
        return ()

    def variant_panes(self, case: Case, measurements: Sequence[Measurement]) -> Sequence[Pane]:
        """What variants of the case's first program gave in an audit, for the author of the case."""
        return ()

    def programs(self, case: Case) -> "tuple[Program, ...]":
        """The programs that the checks of a case run: those of both versions."""
        examination = self.examination(case)
        return (examination.first, examination.second) if examination else ()

    def model_decision(self) -> ModelDecision | None:
        """How models are compared with logic; None if they are not."""
        return None

    def judge(self, case: Case, results: "Sequence[Result]") -> tuple[CheckResult, ...]:
        """The results of the checks on these programs' results."""
        return ()
