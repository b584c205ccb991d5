"""Transcripts as texts of which people and detectors say which bias they show: a procedure without models."""

from dataclasses import replace

from reviewer.core.dialogue import Dialogue
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.procedure import CaseProcedure, MadeCase, ProcedureSettings, RunContext, Values
from reviewer.protocols.prompts import PromptPlan
from reviewer.protocols.staged_dialogues.bias_texts import BiasTexts
from reviewer.protocols.staged_dialogues.transcript import Transcript
from reviewer.protocols.work import Work
from store.records import Case

_TEXTS = BiasTexts()
_GROUP, _KEY_DIGITS = "transcripts", 12


class _NoSettings(ProcedureSettings):
    """There are none."""


def _as_text(case: Case, kept: Values, run: RunContext) -> Work[Values | MadeCase]:
    """The turns, without rules, and who the subject is.

    Neither group nor key of the new case tells which bias the script tests.
    """
    yield from ()
    played = Transcript.model_validate(case.payload).dialogue
    said = Dialogue(tuple(replace(turn, rule="") for turn in played.turns)).text
    text = f"What bias does {played.subject} show?\n\n{said}"
    made = DatasetCase(case.digest[:_KEY_DIGITS], _TEXTS.case(_GROUP, {"text": text}))
    return MadeCase({"characters": len(text)}, made)


AS_TEXT = CaseProcedure(
    name="text",
    roles=(),
    settings=_NoSettings,
    prompts=PromptPlan("reviewer.protocols.staged_dialogues", {}),
    work=_as_text,
    makes=_TEXTS.name,
)
"""Makes a text of each transcript, without the script."""
