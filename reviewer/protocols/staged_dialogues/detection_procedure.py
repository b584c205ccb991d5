"""Detection as a procedure: a model for each role, and their result is an opinion of the case.

Experts do not see the opinion before they answer which bias the text shows; then it is compared with theirs.
"""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from reviewer.protocols.procedure import CaseProcedure, ProcedureSettings, RunContext, Values
from reviewer.protocols.role import Sampling
from reviewer.protocols.staged_dialogues.bias_texts import (
    DETECTED_BIAS,
    DETECTION,
    text_digest,
    text_of_case,
)
from reviewer.protocols.staged_dialogues.detection import (
    DETECTION_PROMPTS,
    METHODS,
    ROLES,
    WEIGHTS_OF_TEXT,
    Detection,
    DetectionSettings,
)
from reviewer.protocols.staged_dialogues.detection_transcript import transcript_text
from reviewer.protocols.work import Work
from store.records import Case


class DetectSettings(DetectionSettings):
    """The same with what an evaluation takes from its conditions and its sampling."""

    method: Literal["one question", "candidates", "debate"] = "debate"
    """how a bias is found: by one question, by one for each candidate, or by a debate of candidates"""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """sampling temperature of all roles; the second reading has its own"""


def _detected(case: Case, before: Values, run: RunContext) -> Work[Values]:
    """The bias, and the transcript; nothing where no bias could be read."""
    settings, text = run.settings, text_of_case(case)
    assert isinstance(settings, DetectSettings)
    detection = Detection(run.prompts, text, text_digest(text), settings)
    if settings.method == "debate" and detection.taught_weights:
        return {DETECTION: WEIGHTS_OF_TEXT}
    detected = yield from METHODS[settings.method](detection)
    return (
        {DETECTED_BIAS: detected.ranking[0], DETECTION: transcript_text(detected)} if detected.ranking else {}
    )


def _sampling(settings: ProcedureSettings) -> Mapping[str, Sampling]:
    assert isinstance(settings, DetectSettings)
    return dict.fromkeys(ROLES, Sampling(settings.temperature))


DETECT: Final = CaseProcedure(
    name="detect",
    roles=ROLES,
    settings=DetectSettings,
    prompts=DETECTION_PROMPTS,
    work=_detected,
    sampling=_sampling,
)
