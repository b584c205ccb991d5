"""How programs end that give no decision, in words that follow "the program"."""

import re

from reviewer.oracle.result import Result, Status

NEVER_RUN = "not tested: "
"""How ``Result.stopped_by`` begins for a program that was never started."""
_LONGEST = 300
_ENDED = {
    Status.OK: "decides",
    Status.NO_SOLUTION: "decides nothing",
    Status.NOT_GROUND: "leaves its choice open",
    Status.LOAD_ERROR: "cannot be asked for a decision",
    Status.ERROR: "ends with an error",
    Status.REFUSED: "was refused",
    Status.INFERENCES: "did not end within the inference limit",
    Status.TIME: "did not end in time",
    Status.MEMORY: "needed more memory than a program may use",
    Status.OUTPUT: "gave more output than is read",
    Status.KILLED: "crashed",
    Status.GARBLED: "gave a reply that cannot be read",
    Status.STOPPED: "was stopped",
}
_SAID_ALREADY = "inference limit"
_PREFIX = re.compile(r"gate: |memory: |its reply is garbled: ")
_NO_PROCEDURE = re.compile(r"existence_error\(procedure, (.+)\)")


def ended(status: Status) -> str:
    """How a program with this status ended, in a few words."""
    return _ENDED[status]


def did_not_run(result: Result) -> str:
    """Why a program did not run to an answer."""
    because = result.stopped_by or ""
    if because.startswith(NEVER_RUN):
        return f"was not run: {because.removeprefix(NEVER_RUN)}"
    if not because or because == _SAID_ALREADY:
        return ended(result.status)
    return f"{ended(result.status)} ({_PREFIX.sub('', because, count=1)})"


def without_decision(result: Result, decision: str) -> str:
    """How a program that ran ended without a decision; ``decision`` is the predicate that was asked."""
    words = ended(result.status)
    if result.status is Status.NOT_GROUND:
        return f"{words} ({str(result.choice)[:_LONGEST]})"
    if result.status is Status.LOAD_ERROR and _missing(result) == decision:
        return f"does not define {decision}"
    return f"{words}: {error_words(result.error)}" if result.error else words


def error_words(error: str) -> str:
    """An error of Prolog; the most frequent ones in plain words."""
    if missing := _NO_PROCEDURE.fullmatch(error):
        return f"it calls {missing.group(1)}, which is defined nowhere"
    if error == "instantiation_error":
        return "a variable has no value where one is needed"
    return error[:_LONGEST]


def _missing(result: Result) -> str | None:
    missing = _NO_PROCEDURE.fullmatch(result.error or "")
    return missing.group(1) if missing else None
