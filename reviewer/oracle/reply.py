"""The form of a child's reply. The child ran a program that may be hostile, so every field has bounds."""

import json
from typing import Annotated, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field, RootModel, Strict, StringConstraints

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
