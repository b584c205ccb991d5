"""Detecting which bias a text shows: an evaluation of three methods against the known bias, or a procedure.

In the procedure each role has a model, and the result is an opinion of the case. Experts do not see the
opinion before they answer which bias the text shows; then it is compared with theirs.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import copy
from typing import Final, Literal, Self

from pydantic import Field

from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    Brought,
    Condition,
    EvaluationPlan,
    Factor,
    LabelRead,
    Measure,
    NotAsked,
    has_label,
)
from reviewer.protocols.judging.verdict_reading import VERDICT_READER
from reviewer.protocols.procedure import (
    CaseProcedure,
    ProcedureSettings,
    Prompts,
    RunContext,
    Sampling,
    Values,
)
from reviewer.protocols.staged_dialogues.bias_texts import (
    DETECTED_BIAS,
    DETECTION,
    KNOWN_BIAS,
    text_digest,
    text_of_case,
)
from reviewer.protocols.staged_dialogues.biases import BIAS_LABELS, NO_BIAS, OUTSIDE, bias_named
from reviewer.protocols.staged_dialogues.detection import (
    DETECTION_PROMPTS,
    METHODS,
    ROLES,
    USUAL_REPLIES,
    WEIGHTS_OF_TEXT,
    Detection,
    DetectionSettings,
    ranking_in,
    transcript_text,
)
from reviewer.protocols.work import Work
from store.records import Case, JsonValue

METHOD: Final = "method"
ONE_QUESTION, CANDIDATES, DEBATE = METHODS
_TEMPERATURE: Final = 0.0


def _right(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[""] == facts, float(facts in BIAS_LABELS))


def _gain(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    gain = (label[DEBATE] == facts) - (label[ONE_QUESTION] == facts)
    return Brought(gain, float(facts in BIAS_LABELS))


MEASURES: Final = (
    Measure(
        "right",
        "right",
        "How often the known bias of a text, or that it shows none, is the answer.",
        "",
        _right,
        best=1.0,
    ),
    Measure(
        "none",
        "none",
        "How often the answer is that the text shows none of the biases.",
        "",
        has_label(NO_BIAS),
    ),
    Measure(
        "debate_gain",
        "gain of the debate",
        "How much more often the debate is right than one question about the same text.",
        METHOD,
        _gain,
        least=-1.0,
        test="exact",
        directions=("that only the debate gets right", "that only one question gets right"),
        among=(ONE_QUESTION, DEBATE),
        unproven="The debate does not beat one question",
    ),
)


class DetectionEvaluation(EvaluationPlan):
    """Labels are the 72 biases and "none". A coin takes each of the 73 equally often."""

    prompts = DETECTION_PROMPTS
    factors = (Factor(METHOD, tuple(METHODS), tuple(METHODS)),)
    measures = MEASURES
    sampling = Sampling(temperature=_TEMPERATURE)
    reader_version = VERDICT_READER
    answerers = (Answerer("none", "always none", lambda facts, put: NO_BIAS),)
    settings = DetectionSettings
    usual_replies = USUAL_REPLIES
    roles = ROLES
    _chosen = DetectionSettings()

    def with_settings(self, settings: ProcedureSettings) -> Self:
        """The plan with its seed, and its weights."""
        assert isinstance(settings, DetectionSettings)
        plan = copy(self)
        plan._chosen = settings
        return plan

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> str:
        """The known bias by its name in the list; as it was published if it is none of the list."""
        known = str(values.get(KNOWN_BIAS) or "")
        named = bias_named(known)
        return named.name if named else known.casefold() if known.casefold() == NO_BIAS else known

    def labels(self, case: Case) -> tuple[str, ...]:
        """The 73 labels."""
        return BIAS_LABELS

    def known_label(self, facts: Hashable) -> str | None:
        """The known bias, if it is one of the list."""
        return str(facts) if facts in BIAS_LABELS else None

    def ranking(self, case: Case, condition: Condition, reply: str) -> Sequence[str]:
        """The biases of the result, the likeliest first."""
        return ranking_in(reply)

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered] | NotAsked:
        """The detection by a method; learnt weights are not used on a text that they were learnt from."""
        text, method = text_of_case(case), condition[METHOD]
        detection = Detection(prompts, text, text_digest(text), self._chosen)
        if method == DEBATE and detection.taught_weights:
            return NotAsked(WEIGHTS_OF_TEXT)
        return self._answered(detection, method)

    def _answered(self, detection: Detection, method: str) -> Work[Answered]:
        detected = yield from METHODS[method](detection)
        read = LabelRead(detected.ranking[0] if detected.ranking else None, detected.why)
        return Answered(transcript_text(detected), read)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The first bias of the result: what a detection goes on to ask follows from how it was read."""
        ranking = ranking_in(reply)
        return LabelRead(ranking[0], "") if ranking else LabelRead(None, "the transcript has no result")

    def cautions(self, facts: Sequence[Hashable], conditions: Sequence[Condition]) -> Sequence[str]:
        """Which texts measures leave out, and that methods are apart only where they are asked for."""
        return tuple(_cautions([str(known) for known in facts], conditions))


def _cautions(facts: Sequence[str], conditions: Sequence[Condition]) -> Iterator[str]:
    if len({condition[METHOD] for condition in conditions}) > 1:
        yield (
            "A row without a method has “right” and “none” of all methods together; --by model,method "
            "shows each method."
        )
    if unknown := facts.count(""):
        yield f"The bias of {counted(unknown, 'text')} is not known, so no answer to it is right or wrong."
    if others := [known for known in facts if known and known not in BIAS_LABELS]:
        named = enumerated([f"“{name}”" for name in sorted(set(others))][:5])
        outside = any(known in {bias.name for bias in OUTSIDE} for known in others)
        why = ", which published scripts use" if outside else ""
        yield (
            f"{counted(len(others), 'text')} {agreeing(len(others), 'is', 'are')} known to show {named}, "
            f"none of the 72 biases{why}; no detector can answer it, so these texts do not count."
        )


EVALUATION = DetectionEvaluation()


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
