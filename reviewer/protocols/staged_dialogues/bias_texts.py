"""Texts that may show a bias, with the questions which one: an implementation of the contract."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from reviewer.core.pane import Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.protocols.base import Protocol, Value
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.payload_text import FilledText
from reviewer.protocols.staged_dialogues.biases import BIAS_LABELS, BIASES, NO_BIAS
from store.records import Case, Finding, Measurement, digest_of

if TYPE_CHECKING:
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.procedure import ModelTask

KNOWN_BIAS: Final = "known_bias"
"""The value with the bias that a text is known to show, or "none"."""
DETECTED_BIAS, DETECTION = "detected_bias", "detection"
"""The values that a run of detection gives: the bias, and the transcript."""
_AFTER: Final = ("published", "findings", DETECTION)


def bias_questions(*shows: str) -> tuple[Question, Question]:
    """Which bias a text shows, first and second choice: agreement is about the first one."""
    definitions = tuple((bias.name, bias.definition) for bias in BIASES)
    first = Question(
        key="which_bias",
        title="bias",
        prompt="Which bias does the text show?",
        criteria=((NO_BIAS, "the text fits no definition, or you would have to add something to it."),),
        guideline="Go by the definitions alone. Choose the bias that explains most of the text. The "
        "published list defines contrast effect and distinction bias in the same words; here they differ. "
        "Order bias is none of these.",
        examples=(
            DecidedExample(
                case="“We have paid for two years of this system, so we cannot leave it now.”",
                label="Sunk cost fallacy",
                why="What was spent is the only reason to go on.",
            ),
            DecidedExample(
                case="“The new system costs less and does more, so we change.”",
                label=NO_BIAS,
                why="The reasons bear on the decision.",
            ),
        ),
        labels=BIAS_LABELS,
        definitions=definitions,
        shows=shows,
        reveals=_AFTER,
    )
    second = Question(
        key="second_bias",
        title="second choice",
        prompt="Which bias would be your second choice?",
        criteria=((NO_BIAS, "no other bias comes into question."),),
        guideline="It is shown beside the first choice; agreement is about the first choice.",
        labels=BIAS_LABELS,
        definitions=definitions,
        shows=shows,
        reveals=_AFTER,
    )
    return first, second


class BiasText(BaseModel):
    """The content of a case: a text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: FilledText


def text_digest(text: str) -> str:
    """What tells a text from others, whatever its group."""
    return digest_of({"text": text})


def text_of_case(case: Case) -> str:
    """What a case holds as its text."""
    return str(case.payload["text"])


_SPELLINGS: Final = {name: bias.name for bias in BIASES for name in (bias.name, *bias.also)}
_QUESTIONS: Final = bias_questions("text")
_OPINION: Final = {**_SPELLINGS, NO_BIAS: NO_BIAS}


class BiasTexts(Protocol):
    """A text that shows one of 72 biases, or none."""

    name = "bias-texts"
    title = "Texts that may show a bias"
    about = "A case is a text, such as a model's answer. People say which of 72 biases it shows, if any."
    payload_model = BiasText
    payload_version = 1
    headline_field = "text"
    questions = _QUESTIONS
    values = (
        Value(KNOWN_BIAS, _QUESTIONS[0].key, _OPINION, "known bias"),
        Value(DETECTED_BIAS, _QUESTIONS[0].key, _OPINION, "detector"),
        Value(DETECTION, _QUESTIONS[0].key),
    )
    taken_by_name = True

    def procedures(self) -> "Iterator[ModelTask]":
        """Detection by one question, by candidates, or by a debate."""
        from reviewer.protocols.staged_dialogues.detection_evaluation import EVALUATION  # loads its readers

        yield EVALUATION
        from reviewer.protocols.staged_dialogues.detection_evaluation import DETECT

        yield DETECT

    def outcome_files(self) -> "Sequence[OutcomeFiles]":
        """Weights that are learnt from the debates of a run."""
        from reviewer.protocols.staged_dialogues.debate_weights import DebateWeights  # loads numpy

        return (DebateWeights(self),)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The text; afterwards what is known of it, and how detectors came to their answers."""
        text = Pane("text", "text", Text(text_of_case(case)))
        return [text, *panes_after_answer(measurements, findings), *_detections(measurements)]


def _detections(measurements: Sequence[Measurement]) -> Iterator[Pane]:
    """The transcript of each run of detection; rarely there are several."""
    transcripts = {value.engine: str(value.value) for value in measurements if value.name == DETECTION}
    if transcripts:
        from reviewer.protocols.staged_dialogues.detection import transcript_dialogue  # the same

        for number, (run, transcript) in enumerate(transcripts.items()):
            key = DETECTION + (f" {number + 1}" if number else "")
            said = transcript_dialogue(transcript)
            yield Pane(key, f"detection by {run}", said if said.turns else Text(transcript))
