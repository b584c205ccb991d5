"""Replies of a Prolog child: frames, JSON, numbers and texts that no honest child sends.

Decoding gives a result in bounds or says that the reply is garbled; checks and measurements of the result
never end in a traceback, and everything can be stored.
"""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from reviewer.core.sanitize import strange_character
from reviewer.oracle.decode import GarbledError, decode
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.result import Result
from reviewer.oracle.worker.frames import frame, split
from reviewer.protocols.registry import PROTOCOLS
from reviewer.runs.audit.check_texts import examination_of
from reviewer.runs.audit.measurements import measured_values
from tests.fuzz.harness import Attempt, Case, Wrong
from tests.fuzz.mutations import mutated_bytes
from tests.oracle.programs import AXIOMS, FACTS
from tests.studies import a_case

# As oracle_job:run/4 writes it for an honest program.
HONEST: dict[str, Any] = {
    "cpu": 0.01,
    "findings": [["accident", "system_name", "not/1", 3]],
    "clauses": [
        [0, 40, 1, "rule", "best_practice/1", "best(A):-b(A)", True],
        [50, 70, 3, "fact", "broken/1", "broken(a)", True],
    ],
    "undefined": ["p/1"],
    "messages": [["singleton", 10, "['X']"]],
    "status": "ok",
    "choice": "option_B",
    "raw": [20, 7, 0, 0],
    "solutions": ["option_B"],
    "end": "all",
    "failures": [["option_A", "fails", [["best_practice(option_A)", 0, "body"]]]],
    "proof": [["rule", "best_practice(option_B)", 0, [["fact", "broken(a)", 1, []]]]],
    "proof_choice": "option_B",
    "steps": 5,
    "depth": 2,
    "nodes": 3,
}
PROGRAM = Program(FACTS, AXIOMS, explain=("option_A", "option_B"))
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 10**399, 0.5, -0.0, 1e308),
    *(
        math.inf,
        -math.inf,
        math.nan,
        "",
        "x",
        "\0",
        "\ud800",
        "\udfff",
        "\x1b[31m",
        "9" * 5_000,
        "1e999",
        "nan",
    ),
    *([], {}, [[]], [None], {"a": 1}, ["x"] * 1_000, "x" * 10_000, [0, 0, 0, 0], "option_A", "ok", "alone"),
)


@contextmanager
def opened(_folder: Path) -> Iterator[Attempt]:
    """Nothing is shared: each case makes a reply, whole or in frames."""

    def attempt(case: Case) -> None:
        payload = _payload(case.random)
        case.keep("reply.json", payload)
        if case.random.random() < 0.2:
            _framed(case.random, payload)
        _decoded(payload)

    yield attempt


def _payload(random: Random) -> bytes:
    reply = json.loads(json.dumps(HONEST))
    for _ in range(random.choice((1, 1, 2, 4))):
        _change(random, reply)
    data = json.dumps(reply).encode("latin-1", "replace")
    if len(data) > Limits().reply_bytes:  # the worker takes no more
        data = json.dumps(HONEST).encode()
    return mutated_bytes(random, data) if random.random() < 0.3 else data


def _change(random: Random, reply: dict[str, Any]) -> None:
    """Puts an odd value somewhere, takes something away, doubles it, or nests it deeply."""
    holder, key = random.choice(list(_places(reply)))
    match random.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, _copy(holder[key]))
        case 2:
            holder[key] = _nested(random.choice((3, 100, 200)), holder[key])
        case 3:
            holder[key] = [_copy(holder[key]) for _ in range(random.choice((2, 100)))]
        case _:
            holder[key] = _copy(random.choice(ODD))  # what is put in may be changed afterwards


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder with a key of it; not recursive, for values nest deeper than Python's stack."""
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _copy(value: Any) -> Any:
    """A copy of a JSON value; unlike ``deepcopy``, it follows 800 levels."""
    return json.loads(json.dumps(value))


def _nested(levels: int, value: Any) -> Any:
    for _ in range(levels):
        value = [value]
    return value


def _framed(random: Random, payload: bytes) -> None:
    data = mutated_bytes(random, frame(payload) + frame(b"") + frame(payload))
    pieces = split(data)
    if sum(map(len, pieces)) > len(data):
        raise Wrong("more came out of the frames than was in them")


def _decoded(payload: bytes) -> None:
    program = PROGRAM
    try:
        reply = decode(payload, program, "9.2.9")
    except GarbledError:
        return
    _check_bounds(reply.result, reply.raw, len(FACTS) + len(AXIOMS) + 1)
    _used(program, reply.result)


def _check_bounds(result: Result, raw: object, most: int) -> None:
    for clause in result.clauses:
        if not 0 <= clause.start <= clause.end <= most:
            raise Wrong(f"a clause from {clause.start} to {clause.end} of {most} characters")
    indices = [node.clause for node in result.proof.walk()] if result.proof else []
    indices += [step.clause for attempt in result.attempts for step in attempt.steps]
    if any(index is not None and not 0 <= index < len(result.clauses) for index in indices):
        raise Wrong(f"a clause's index is out of range: {indices}"[:500])
    for number in _numbers([asdict(result), raw and asdict(raw)]):  # type: ignore[call-overload]
        if not math.isfinite(number) or abs(number) >= 2**63:
            raise Wrong(f"a number is out of bounds: {str(number)[:100]}")
    if strange := strange_character(json.dumps(asdict(result), ensure_ascii=False)):
        raise Wrong(f"a text has {strange}")


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value if abs(value) < 2**63 else math.inf


def _used(program: Program, result: Result) -> None:
    """What an audit makes of the result can be written down."""
    case = a_case()
    plan = examination_of(PROTOCOLS[case.protocol], case)
    if plan is None:
        raise Wrong("the case has no programs to audit")
    evidence = Evidence((program, program), result, result, (), plan.options, plan.decision, ())
    from reviewer.oracle.version_checks import failed_checks

    found = [*measured_values(case.digest, evidence, "9.2.9"), *failed_checks(evidence)]
    for each in found:
        json.dumps(str(each), allow_nan=False).encode()
