"""Work: what a protocol has done for it, as a generator that yields needs and is sent what it needed.

A work yields requests to models, texts to compare, programs to run, or other works, and returns its result.
``reviewer/runs/engine`` fulfils the needs. It does not know what the work is about. A request without an
answer raises its ModelError in the work.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from reviewer.llm.request import ModelReply, ModelRequest
from reviewer.llm.request_errors import ModelError

if TYPE_CHECKING:  # most works need neither programs nor vectors
    from reviewer.oracle.evidence import Evidence
    from reviewer.oracle.examination import Examination
    from reviewer.oracle.oracle_program import Program
    from reviewer.oracle.result import Result
    from reviewer.similarity.encoder import Vectors

T = TypeVar("T")
Work = Generator["Need", Any, T]
"""A generator that yields any number of needs and then returns a T."""


@dataclass(frozen=True, slots=True)
class Replies:
    """Needs a model's replies to these requests: a sequence of ModelReply in the same order.

    ``role`` names who answers; "" is the only role of a procedure.
    """

    requests: tuple[ModelRequest, ...]
    role: str = ""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Needs the vectors of these texts: an array with one row of length 1 for each text."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProgramsRun:
    """Needs these programs of one case to be run: a sequence of Result."""

    programs: "tuple[Program, ...]"


@dataclass(frozen=True, slots=True)
class Examined:
    """Needs everything that an audit runs on a case: an Evidence."""

    examination: "Examination"


@dataclass(frozen=True, slots=True)
class Nearest:
    """Needs the approved text most similar to this one: a Neighbour, or None if nothing is approved yet."""

    text: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An approved text, named by the key of its place, and its similarity (cosine)."""

    key: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Together:
    """Needs the results of all these works, which run at the same time: a list in their order.

    ``title`` says in a word or two what they are, for displays of progress; "" if nothing is displayed.
    """

    title: str
    works: "tuple[Work[Any], ...]"


@dataclass(frozen=True, slots=True)
class Traced:
    """Needs the Trace of this work, whether or not its requests are answered."""

    work: "Work[Any]"


@dataclass(frozen=True, slots=True)
class Trace(Generic[T]):
    """The value that a work returned, or the error of the unanswered request that ended it; and its requests.

    ``requests`` are as they were sent, and ``calls`` the ids of those that were answered.
    """

    result: T | None
    error: ModelError | None
    requests: Sequence[ModelRequest]
    calls: tuple[str, ...]

    @property
    def returned(self) -> T:
        """What the work returned; raises the error that ended it."""
        if self.error is not None:
            raise self.error
        return cast(T, self.result)


Need = Replies | Embedded | ProgramsRun | Examined | Nearest | Together | Traced


def replies_to(*requests: ModelRequest, role: str = "") -> Work[tuple[ModelReply, ...]]:
    """The replies to all requests, which may be sent at the same time."""
    replies: Sequence[ModelReply] = yield Replies(requests, role)
    return tuple(replies)


def together(title: str, works: Iterable[Work[T]]) -> Work[list[T]]:
    """The results of works that run at the same time, in their order."""
    results: list[T] = yield Together(title, tuple(works))
    return results


def traced(work: Work[T]) -> Work[Trace[T]]:
    """The result of a work, or why there is none, with its requests."""
    trace: Trace[T] = yield Traced(work)
    return trace


def vectors_of(*texts: str) -> "Work[Vectors]":
    """The vectors of the texts, one row for each."""
    vectors: Vectors = yield Embedded(texts)
    return vectors


def results_of(*programs: "Program") -> "Work[tuple[Result, ...]]":
    """The results of the programs of one case."""
    results: Sequence[Result] = yield ProgramsRun(programs)
    return tuple(results)


def evidence_of(examination: "Examination") -> "Work[Evidence]":
    """The evidence that the checks of the audit examine."""
    evidence: Evidence = yield Examined(examination)
    return evidence


def nearest_to(text: str) -> Work[Neighbour | None]:
    """The approved text most similar to this one; None if nothing is approved yet."""
    neighbour: Neighbour | None = yield Nearest(text)
    return neighbour
