"""What an audit stores of a program's proof and failed attempts, for tests of how they are shown."""

from dataclasses import dataclass
from typing import Any

from reviewer.oracle import pool
from reviewer.oracle.derivation_steps import AuthorsClauses
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Part, ProofNode, Result
from tests.oracle.programs import LIMITS


@dataclass(frozen=True)
class Stored:
    """A proof and the failed attempts at options as stored rows, with the clauses of the program."""

    proof: list[Any]
    attempts: dict[str, list[dict[str, Any]]]
    clauses: AuthorsClauses


def stored(facts: str, axioms: str = "", *options: str) -> Stored:
    """What is stored of a program, run by SWI-Prolog."""
    result = pool.run(Program(facts, axioms, explain=options, limits=LIMITS))
    assert result.proof is not None, result
    attempts = {
        attempt.option: [
            {"goal": step.goal, "why": step.why, "at": _at(result, step.clause)} for step in attempt.steps
        ]
        for attempt in result.attempts
    }
    texts = {Part.FACTS: facts, Part.AXIOMS: axioms}
    clauses = [
        (_at(result, number) or "", texts[clause.place.part][clause.start : clause.end])
        for number, clause in enumerate(result.clauses)
    ]
    return Stored([_row(result, node) for node in result.proof.nodes], attempts, AuthorsClauses(clauses))


def _row(result: Result, node: ProofNode) -> list[Any]:
    below = [_row(result, child) for child in node.children]
    return [node.kind, node.goal, _at(result, node.clause), below]


def _at(result: Result, clause: int | None) -> str | None:
    if clause is None:
        return None
    place = result.clauses[clause].place
    return f"{place.part.value}:{place.line}"
