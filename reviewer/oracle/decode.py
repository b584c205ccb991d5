"""From the reply of a child to a result. A reply is the word of a process that ran a hostile program: it is
read as data, and what does not have the expected form is an error, never an exception of another kind.
"""

import json
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from reviewer.oracle.program import Program
from reviewer.oracle.result import (
    Attempt,
    Clause,
    FailureStep,
    GateFinding,
    Message,
    Part,
    Place,
    Proof,
    ProofNode,
    Result,
    Status,
)

ALONE = "alone"


class GarbledError(ValueError):
    """The reply is not of the form that oracle_job:run/4 writes."""


@dataclass(frozen=True, slots=True)
class RawCounts:
    """Counts as this version gives them: inferences, profiler nodes, calls of findall and the nodes they are
    from.
    """

    inferences: int
    nodes: int
    findall_calls: int
    findall_sites: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A result whose counts still are to be made comparable; ``alone`` asks for a run of its own."""

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

    def place(self, offset: int) -> Place:
        """The line; no place for a negative offset."""
        if offset < 0:
            return Place(Part.NONE, 0)
        part, at = self.within(offset)
        return Place(part, bisect_right(self._starts[part], at))


def _line_starts(text: str) -> list[int]:
    return [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]


def decode(payload: bytes, program: Program, engine: str) -> Reply:
    """The reply of one program. Raises GarbledError."""
    try:
        reply = json.loads(payload.decode("latin-1"), strict=False)
        return _reply(reply, Places(program), engine)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise GarbledError(f"{type(error).__name__}: {error}") from error


def _reply(reply: dict[str, Any], places: Places, engine: str) -> Reply:
    alone = reply["status"] == ALONE
    raw = reply.get("raw")
    result = Result(
        status=Status.REFUSED if alone else Status(reply["status"]),
        engine=engine,
        choice=_text(reply.get("choice")),
        solutions=tuple(str(text) for text in reply.get("solutions", ())),
        solutions_end=str(reply.get("end", "")),
        error=_text(reply.get("error")),
        proof=_proof(reply),
        proof_error=_text(reply.get("proof_error")),
        attempts=tuple(_attempt(row) for row in reply.get("failures", ())),
        clauses=tuple(_clause(row, places) for row in reply.get("clauses", ())),
        messages=tuple(
            Message(str(kind), places.place(start), str(text))
            for kind, start, text in reply.get("messages", ())
        ),
        undefined=tuple(str(name) for name in reply.get("undefined", ())),
        findings=tuple(
            GateFinding(severity == "stop", str(kind), str(detail), places.place(start))
            for severity, kind, detail, start in reply.get("findings", ())
        ),
        cpu_seconds=float(reply["cpu"]),
    )
    return Reply(result, None if raw is None else RawCounts(*map(int, raw)), alone)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _clause(row: list[Any], places: Places) -> Clause:
    start, end, _line, kind, predicate, shape, loaded = row
    _, at = places.within(start)
    return Clause(places.place(start), at, at + end - start, str(kind), str(predicate), str(shape), loaded)


def _proof(reply: dict[str, Any]) -> Proof | None:
    if reply.get("proof") is None:
        return None
    nodes = tuple(map(_node, reply["proof"]))
    return Proof(
        str(reply["proof_choice"]), int(reply["steps"]), int(reply["depth"]), int(reply["nodes"]), nodes
    )


def _node(row: list[Any]) -> ProofNode:
    kind, goal, clause, children = row
    return ProofNode(str(kind), str(goal), _index(clause), tuple(map(_node, children)))


def _attempt(row: list[Any]) -> Attempt:
    option, outcome, steps = row
    return Attempt(
        str(option),
        str(outcome),
        tuple(FailureStep(str(goal), _index(clause), str(why)) for goal, clause, why in steps),
    )


def _index(value: object) -> int | None:
    return None if value is None else int(str(value))
