"""What a worker says of a program must fit the program, as what a child says must (see ``oracle.decode``)."""

import json
from collections.abc import Iterable

from reviewer.oracle.program import Program
from reviewer.oracle.result import Counts, Proof, Result, Status

_MOST_COUNT = 10**12
_WITH_CHOICE = {Status.OK, Status.NOT_GROUND, Status.OUTPUT}
_DECIDED = {Status.OK, Status.NOT_GROUND}


def need_fitting(result: Result, program: Program) -> None:
    """Return if a result can be one of the program; raises ValueError that names the field."""
    rules = {
        "choice": result.choice is None or result.status in _WITH_CHOICE,
        "status": result.choice is not None or result.status not in _DECIDED,
        "counts": result.counts is None or (result.status in _DECIDED and program.count),
        "proof": result.proof is None or (result.status in _DECIDED and program.prove),
        "solutions": len(result.solutions) <= program.limits.solutions,
        "attempts": len(result.attempts) <= len(program.explain),
        "clauses": program.listing or not result.clauses,
        "cpu_seconds": 0 <= result.cpu_seconds <= _MOST_COUNT,
    }
    for field, holds in rules.items():
        if not holds:
            raise ValueError(f"{field} does not fit")
    _need_places(result, program)
    if result.counts:
        _need_counts(result.counts)
    if result.proof:
        need_known_clauses(result.proof, result)
    steps = (step.clause for attempt in result.attempts for step in attempt.steps)
    _need_indices(steps, len(result.clauses))


def need_known_clauses(proof: Proof, result: Result) -> None:
    """Return if a proof names only clauses that the result lists; raises ValueError."""
    _need_range((proof.steps, proof.depth, proof.size), -_MOST_COUNT, _MOST_COUNT)
    _need_indices((node.clause for node in proof.walk()), len(result.clauses))


def need_no_nul(line: bytes) -> None:
    """Return if no text of a line of JSON has the character NUL, which no store keeps; raises ValueError."""
    if b"\\u0000" in line and "\0" in _texts(json.loads(line)):
        raise ValueError("a text has the character NUL")


def _texts(value: object) -> str:
    if isinstance(value, dict):
        return _texts([*value, *value.values()])
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return value if isinstance(value, str) else ""


def _need_places(result: Result, program: Program) -> None:
    named = [each.place for each in result.clauses]
    named += [each.place for each in result.messages] + [each.place for each in result.findings]
    if not named:
        return
    size = len(program.text)
    if len(result.clauses) > size + 1:
        raise ValueError("there are more clauses than characters")
    for clause in result.clauses:
        if not 0 <= clause.start <= clause.end <= size:
            raise ValueError("a clause is beyond the text")
    _need_range((place.line for place in named), 0, size + 1)


def _need_counts(counts: Counts) -> None:
    numbers = (
        counts.inference_steps,
        counts.choice_steps,
        counts.raw_inference_steps,
        counts.raw_choice_steps,
    )
    _need_range(numbers, -_MOST_COUNT, _MOST_COUNT)


def _need_indices(indices: Iterable[int | None], size: int) -> None:
    _need_range((index for index in indices if index is not None), 0, size - 1)


def _need_range(numbers: Iterable[int], least: int, most: int) -> None:
    if not all(least <= number <= most for number in numbers):
        raise ValueError("a number is out of range")
