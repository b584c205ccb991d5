"""Turns the reply of a child into a result.

The child ran a program that may be hostile, so its reply is read as data. A reply that does not have the
expected form raises GarbledError and nothing else.
"""

import json
from bisect import bisect_right
from dataclasses import dataclass
from typing import Annotated, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field, RootModel, Strict, StringConstraints, ValidationError

from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import (
    Attempt,
    Clause,
    FailureStep,
    GateFinding,
    LoadMessage,
    Part,
    Proof,
    ProofNode,
    Result,
    SourceLine,
    Status,
)

_MOST_ROWS = 100_000
_MOST_MESSAGES = 200
_MOST_NODES = 2_000
_MOST_STEPS = 100
TEXT_CHARS = 20_000
"""The longest text in a reply; the child cuts longer ones off (oracle_text:shown_limited/3)."""

ReplyText = Annotated[str, Strict(), StringConstraints(max_length=TEXT_CHARS, pattern=r"^[^\x00]*$")]
Word = Annotated[str, Strict(), StringConstraints(max_length=40, pattern=r"^[a-z_]*$")]
ReplyCount = Annotated[int, Strict(), Field(ge=-1_000, le=10**12)]
Offset = Annotated[int, Strict(), Field(ge=-1, le=10**9)]
Index = Annotated[int, Strict(), Field(ge=0, lt=_MOST_ROWS)]
Flag = Annotated[bool, Strict()]
ClauseKind = Literal["fact", "rule", "directive", "unreadable"]

ClauseRow = tuple[Offset, Offset, Offset, ClauseKind, ReplyText, ReplyText, Flag]
GateFindingRow = tuple[Literal["stop", "accident"], Word, ReplyText, Offset]
MessageRow = tuple[Word, Offset, ReplyText]
StepRow = tuple[ReplyText, Index | None, Word]
AttemptRow = tuple[ReplyText, ReplyText, Annotated[list[StepRow], Field(max_length=_MOST_STEPS)]]
ReplyStatus = Literal[
    "ok", "no_solution", "not_ground", "refused", "load_error", "error", "inferences", "memory", "output",
    "stopped", "alone",
]  # fmt: skip


class NodeRow(RootModel[tuple[Word, ReplyText, Index | None, list["NodeRow"]]]):
    """A step of a proof, with the steps below it."""


class ReplyForm(BaseModel):
    """What oracle_job:run/4 writes, and nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    status: ReplyStatus
    cpu: Annotated[float, Field(ge=0, le=10**6, allow_inf_nan=False)]
    choice: ReplyText | None = None
    error: ReplyText | None = None
    raw: tuple[ReplyCount, ReplyCount, ReplyCount, ReplyCount] | None = None
    solutions: Annotated[list[ReplyText], Field(max_length=_MOST_ROWS)] = []
    end: ReplyText = ""
    failures: Annotated[list[AttemptRow], Field(max_length=_MOST_STEPS)] = []
    steps: ReplyCount | None = None
    depth: ReplyCount | None = None
    nodes: ReplyCount | None = None
    proof: Annotated[list[NodeRow], Field(max_length=_MOST_NODES)] | None = None
    proof_choice: ReplyText | None = None
    proof_error: ReplyText | None = None
    clauses: Annotated[list[ClauseRow], Field(max_length=_MOST_ROWS)] = []
    undefined: Annotated[list[ReplyText], Field(max_length=_MOST_ROWS)] = []
    messages: Annotated[list[MessageRow], Field(max_length=_MOST_MESSAGES)] = []
    findings: Annotated[list[GateFindingRow], Field(max_length=_MOST_ROWS)] = []


def read_reply(payload: bytes) -> ReplyForm:
    """The reply as it was written, one byte a character. Raises ValueError or RecursionError."""
    reply = json.loads(payload.decode("latin-1"), strict=False, parse_constant=_no_number)
    return ReplyForm.model_validate(reply)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


ALONE = "alone"
_DECIDED = {"ok", "not_ground"}
_LONGEST = 100
_DEEPEST = 80


class GarbledError(ValueError):
    """The reply is not of the form that oracle_job:run/4 writes."""


@dataclass(frozen=True, slots=True)
class RawCounts:
    """Counts as this version gives them: inferences, profiler nodes, calls of findall, nodes that call it."""

    inferences: int
    nodes: int
    findall_calls: int
    findall_sites: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A result whose counts are not comparable yet; ``alone`` asks for a run in a child of its own."""

    result: Result
    raw: RawCounts | None
    alone: bool


class Places:
    """From an offset in a program's text to a line of its axioms or facts."""

    def __init__(self, program: Program) -> None:
        self._axioms = len(program.axioms)
        self._starts = {
            Part.AXIOMS: _line_starts(program.axioms),
            Part.FACTS: _line_starts(program.facts),
        }

    def within(self, offset: int) -> tuple[Part, int]:
        """The part and the offset in it."""
        if offset < self._axioms:
            return Part.AXIOMS, offset
        return Part.FACTS, max(0, offset - self._axioms - 1)

    def place(self, offset: int) -> SourceLine:
        """The line; no place for a negative offset."""
        if offset < 0:
            return SourceLine(Part.NONE, 0)
        part, at = self.within(offset)
        return SourceLine(part, bisect_right(self._starts[part], at))


def _line_starts(text: str) -> list[int]:
    return [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]


def decode(payload: bytes, program: Program, engine: str) -> Reply:
    """The reply of one program. Raises GarbledError."""
    try:
        reply = read_reply(payload)
        _check(reply, program)
        return _Decoder(program).reply(reply, engine)
    except ValidationError as error:
        field = ".".join(map(str, error.errors(include_url=False)[0]["loc"][:2]))
        raise GarbledError(f"{field or 'reply'} is not as expected") from error
    except (ValueError, RecursionError) as error:
        raise GarbledError(f"{type(error).__name__}: {str(error)[:_LONGEST]}") from error


def _check(reply: ReplyForm, program: Program) -> None:
    """Check that the fields fit each other and the program. Raises ValueError."""
    decided = reply.status in _DECIDED
    rules = {
        "choice": (reply.choice is not None) == (decided or reply.status == "output"),
        "raw": (reply.raw is not None) == (decided and program.count),
        "solutions": len(reply.solutions) <= program.limits.solutions,
        "proof": reply.proof is None or (decided and program.prove),
        "failures": len(reply.failures) <= len(program.explain),
        "clauses": program.listing or not reply.clauses,
    }
    for field, holds in rules.items():
        if not holds:
            raise ValueError(f"{field} does not fit")


class _Decoder:
    """Decodes the reply of one program, which refers to places and clauses of that program."""

    def __init__(self, program: Program) -> None:
        self._places = Places(program)
        self._size = len(program.text)
        self._clauses = 0

    def reply(self, reply: ReplyForm, engine: str) -> Reply:
        self._clauses = len(reply.clauses)
        alone = reply.status == ALONE
        result = Result(
            status=Status.REFUSED if alone else Status(reply.status),
            engine=engine,
            choice=reply.choice,
            solutions=tuple(reply.solutions),
            solutions_end=reply.end,
            error=reply.error,
            proof=self._proof(reply),
            proof_error=reply.proof_error,
            attempts=tuple(map(self._attempt, reply.failures)),
            clauses=tuple(map(self._clause, reply.clauses)),
            messages=tuple(LoadMessage(kind, self._place(at), text) for kind, at, text in reply.messages),
            undefined=tuple(reply.undefined),
            findings=tuple(
                GateFinding(severity == "stop", kind, detail, self._place(at))
                for severity, kind, detail, at in reply.findings
            ),
            cpu_seconds=reply.cpu,
        )
        return Reply(result, None if reply.raw is None else RawCounts(*reply.raw), alone)

    def _place(self, offset: int) -> SourceLine:
        if offset > self._size:
            raise ValueError("an offset is beyond the text")
        return self._places.place(offset)

    def _clause(self, row: ClauseRow) -> Clause:
        start, end, _line, kind, predicate, shape, loaded = row
        if not 0 <= start <= end <= self._size:
            raise ValueError("a clause is beyond the text")
        _, at = self._places.within(start)
        return Clause(self._place(start), at, at + end - start, kind, predicate, shape, loaded)

    def _proof(self, reply: ReplyForm) -> Proof | None:
        if reply.proof is None:
            return None
        measures = (reply.steps, reply.depth, reply.nodes)
        if reply.proof_choice is None or None in measures:
            raise ValueError("a proof lacks its measures")
        steps, depth, nodes = (measure or 0 for measure in measures)
        return Proof(reply.proof_choice, steps, depth, nodes, tuple(self._node(row) for row in reply.proof))

    def _node(self, row: NodeRow, level: int = 0) -> ProofNode:
        kind, goal, clause, children = row.root
        if level > _DEEPEST:
            raise ValueError("a proof is too deep")
        below = tuple(self._node(child, level + 1) for child in children)
        return ProofNode(kind, goal, self._index(clause), below)

    def _attempt(self, row: AttemptRow) -> Attempt:
        option, outcome, steps = row
        way = tuple(FailureStep(goal, self._index(clause), why) for goal, clause, why in steps)
        return Attempt(option, outcome, way)

    def _index(self, clause: int | None) -> int | None:
        if clause is not None and clause >= self._clauses:
            raise ValueError("a clause is named that is not there")
        return clause
