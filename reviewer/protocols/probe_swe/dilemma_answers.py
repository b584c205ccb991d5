"""Makes a case of an answer to a dilemma."""

from functools import lru_cache

from pydantic import ValidationError

from reviewer.core.prose_diff import diff_prose
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.evaluation import Condition, ModelAnswer, NotAsked
from reviewer.protocols.probe_swe.answers_protocol import ANSWERS, merged_spans, shortened
from reviewer.protocols.probe_swe.dilemma import DraftDilemma
from reviewer.protocols.probe_swe.evaluation import (
    BIASED,
    VERSION,
    DilemmaFacts,
    letter_put,
    pair_put,
    text_put,
)
from reviewer.protocols.repairs import NotRepaired


def answered_case(answer: ModelAnswer) -> DatasetCase | None:
    """The answer as a case; None if it has no reply, or a text cannot be kept as it is."""
    facts, condition = answer.facts, answer.condition
    assert isinstance(facts, DilemmaFacts)
    pair = pair_put(answer.case, condition)
    text = text_put(pair, condition)
    if isinstance(pair, NotRepaired) or isinstance(text, NotAsked):
        return None
    payload = {
        "text": text,
        "cue": cue_in(pair, condition),
        "reply": shortened(answer.reply),
        "decision": letter_put(answer.read.label or "", condition),
        "accepted": letter_put(facts.right, condition),
    }
    try:
        return DatasetCase("", ANSWERS.case(answer.case.group, payload))
    except ValidationError:
        return None


def cue_in(pair: DraftDilemma, condition: Condition) -> tuple[tuple[int, int], ...]:
    """The characters of the biased text in which it differs from the unbiased one; () for the latter."""
    return _changed(pair.unbiased, pair.biased) if condition[VERSION] == BIASED else ()


@lru_cache(maxsize=4096)
def _changed(unbiased: str, biased: str) -> tuple[tuple[int, int], ...]:
    """The characters of the second text that differ; kept, since a run has many answers to one text."""
    marks = diff_prose(unbiased, biased).right_marks
    return merged_spans([(mark.start, mark.end) for mark in marks], biased)
