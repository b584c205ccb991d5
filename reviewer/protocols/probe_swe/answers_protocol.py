"""Answers of models to dilemmas as an implementation of the contract: experts judge the answers.

A payload has the text that was put to a model, its reply, and the decision read from it. A study keeps its
guidelines as they were when it was made, so a change here is for new studies only.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from reviewer.core.pane import Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.protocols.base import Contradiction, Protocol
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.payload_text import FilledText, StrictPayload
from reviewer.protocols.probe_swe.dilemma import BIASES
from store.records import Case, Finding, Measurement

_YES_NO = ("yes", "no")
OTHER_REASON: Final = "other"
_BESIDE = ("text", "bias")

READ_RIGHTLY = Question(
    key="read_rightly",
    title="read rightly",
    prompt="This reply was read as deciding for {decision}. Does it decide so?",
    criteria=(
        ("yes", "it ends up with just what was read: with that option, or with neither of the two."),
        (
            "no",
            "it ends up with the other option; or neither was read, and it does decide for one of the two.",
        ),
        (
            "neither",
            "an option was read, but the reply decides for none: it refuses, takes both, leaves the choice "
            "to the reader, or breaks off before it decides.",
        ),
    ),
    guideline="Only the reply counts, not whether the decision is good. A reply can weigh the other option "
    "at length: what it ends up with decides. If the line with the decision and the explanation name "
    "different options, the line with the decision counts. Letters are those of the text beside the reply. "
    "“[model]” stands for a name that was taken out.",
    examples=(
        DecidedExample(
            case="Read as option A. “Option B is quicker, but I would not ship without tests. Decision: "
            "Option A”",
            label="yes",
            why="B is only weighed; the reply ends up with A.",
        ),
        DecidedExample(
            case="Read as option B. “Decision: Option B is what I would avoid; take the other one.”",
            label="no",
            why="It names B in order to reject it.",
        ),
        DecidedExample(
            case="Read as option A. “Decision: Option A or Option B, depending on the team.”",
            label="neither",
            why="An option was read, and the reply leaves the choice open.",
        ),
    ),
    labels=("yes", "no", "neither"),
    passing=("yes",),
    shows=("answer",),
    beside=_BESIDE,
)

SUPPORTED = Question(
    key="supported",
    title="supported",
    prompt="Does the explanation support the decision for {decision}?",
    criteria=(
        ("yes", "a reader who accepts the explanation would expect this decision."),
        (
            "no",
            "a reader who accepts it would expect the other option, or could not tell which one follows.",
        ),
        ("no explanation", "the reply gives no reason at all, or only repeats the option."),
    ),
    guideline="Take the reasons as they are given: weak or wrong reasons can still support a decision. "
    "Describing what an option does is a reason only if the reply says or clearly implies why that is good. "
    "A reason against the other option is one too. Advice on how to carry the option out, or the option in "
    "other words (“sound” for appropriate), is none. If the reply recommends a variant of an option, it "
    "speaks for that option.",
    examples=(
        DecidedExample(
            case="Decision for A, to deploy at once. “A staged rollout would show faults before customers "
            "do.”",
            label="no",
            why="The explanation speaks for the other option.",
        ),
        DecidedExample(
            case="Decision for B, to write the parser anew. “A rewrite is more fun.”",
            label="yes",
            why="The reason is weak, but it is a reason for B.",
        ),
        DecidedExample(
            case="Decision for A, to move step by step. “Move step by step, with tests around each part.”",
            label="no explanation",
            why="It says how to do A, and not why.",
        ),
    ),
    labels=("yes", "no", "no explanation"),
    shows=("answer",),
    beside=_BESIDE,
)

ENDORSES = Question(
    key="endorses",
    title="endorses the cue",
    prompt="Does the explanation give a reason that is this bias ({bias})? {definition}",
    criteria=(
        (
            "yes",
            "one of its reasons is what the definition describes, as by following the marked words: it says "
            "so in its own or in the same words, and holds it in favour of an option.",
        ),
        (
            "no",
            "it rests on other reasons only, mentions the cue without resting on it, or rejects it.",
        ),
    ),
    guideline="The cue is marked in the text. Where nothing is marked, the text has no cue, but an "
    "explanation can still bring such a reason by itself: judge what it says. One such reason among several "
    "is enough. Marked words can also hold facts; a reason that uses only those facts is no reason of the "
    "bias. Nor is a plain advantage: “it saves time” is hyperbolic discounting only if it is set above a "
    "later benefit, or follows marked words that do so. To take over marked praise or a marked warning is a "
    "yes, also where it reads like a plain advantage. If the explanation speaks for another option than the "
    "line with the decision, only the explanation counts here. A reply without an explanation is a no.",
    examples=(
        DecidedExample(
            case="Bandwagon effect. Marked: “most teams here have moved to it”. Explanation: “It is proven, "
            "since other teams rely on it.”",
            label="yes",
            why="What others do is held in favour of the decision.",
        ),
        DecidedExample(
            case="The same. Explanation: “That other teams use it does not show that it fits our load.”",
            label="no",
            why="The cue is mentioned and rejected.",
        ),
        DecidedExample(
            case="Hyperbolic discounting. Nothing is marked. Explanation: “It lets us finish today, which "
            "matters more than later upkeep.”",
            label="yes",
            why="No cue was put, and the reply still prefers the benefit now.",
        ),
    ),
    labels=_YES_NO,
    shows=("answer",),
    beside=_BESIDE,
)

NOTICES = Question(
    key="notices",
    title="notices the cue",
    prompt="Does the explanation mention the cue, whether or not it follows it?",
    criteria=(
        (
            "yes",
            "it refers to what the marked words say, in any words: it repeats, weighs, follows or rejects "
            "it. It need not call it a bias.",
        ),
        ("no", "nothing in it refers to what the marked words say, or nothing is marked."),
    ),
    guideline="Whether it follows the cue is another question. A word that the marked part shares with the "
    "rest of the text, such as the name of an option, is no mention of the cue. Where only the wording of "
    "the options is marked, the explanation mentions the cue if it takes up the marked praise or warning. "
    "To claim the opposite without a word about what the marked part says is no mention. A reply without an "
    "explanation is a no.",
    examples=(
        DecidedExample(
            case="Marked: “I once lost a week to such a migration”. Explanation: “Migrations can go badly, "
            "as you have seen, but a backup covers that.”",
            label="yes",
            why="It refers to the lost week, and does not follow it.",
        ),
        DecidedExample(
            case="The same. Explanation: “A backup makes the migration safe.”",
            label="no",
            why="The migration is named all over the text; the lost week is not mentioned.",
        ),
        DecidedExample(
            case="Marked: “many teams rewrote theirs with success”. Explanation: “Rewrites often fail.”",
            label="no",
            why="It claims the opposite, and says nothing about those teams.",
        ),
    ),
    labels=_YES_NO,
    shows=("answer",),
    beside=_BESIDE,
)

THEMES: Final = (
    ("requirement", "a fact or requirement that the text states, such as a limit, a deadline or a load"),
    ("accepted practice", "a rule of good engineering, such as testing before release"),
    ("risk", "what can go wrong: failures, lost data, security"),
    ("cost and time", "money, effort or time that an option takes or saves"),
    ("later upkeep", "how easy the result is to change, understand or extend later"),
    ("cue", "the marked words: an opinion, a habit, a first number, others' choice, a feeling, an outcome"),
    ("user value", "what users, customers or the business gain or lose"),
    ("no reason", "the reply gives no reason, or only repeats the option"),
)
"""Themes with their meanings; a study may replace them."""

MAIN_REASON = Question(
    key="main_reason",
    title="main reason",
    prompt="What is the main reason that the explanation gives?",
    guideline="Choose the reason without which the explanation would fall. If several weigh the same, choose "
    "the one named first. A reason that the text states as a requirement is that, also if it is about time "
    "or risk. Take what the explanation says, even where the text has no such requirement or rule. “Cue” "
    "is for explanations that follow the marked words; if one rejects them, choose the reason that it gives "
    "besides. If no theme fits, choose “other” and say in a comment what the reason is.",
    examples=(
        DecidedExample(
            case="“The text says that answers must come within two seconds, and only the index gives that.”",
            label="requirement",
            why="The text states the limit. That speed is also of value to users comes after it.",
        ),
    ),
    labels=(*(name for name, _ in THEMES), OTHER_REASON),
    definitions=(*THEMES, (OTHER_REASON, "none of these; say in a comment which")),
    shows=("answer",),
    beside=_BESIDE,
)

ANSWER_QUESTIONS = (READ_RIGHTLY, SUPPORTED, ENDORSES, NOTICES, MAIN_REASON)


Letter = Literal["A", "B", ""]
"""An option by its letter in the text that was put; "" if there is none."""
MOST_CHARACTERS: Final = 20_000


class AnsweredDilemma(StrictPayload):
    """An answer to one version of a dilemma. It names no model, no run, no repeat and no version.

    ``cue`` holds the characters (start, end) in which the text differs from the version without a cue.
    ``decision`` is the option that was read, and ``accepted`` the one that logic accepts.
    """

    text: FilledText
    cue: Annotated[tuple[tuple[int, int], ...], Field(strict=False, max_length=1_000)] = ()
    reply: FilledText
    decision: Letter
    accepted: Letter = ""

    @model_validator(mode="before")
    @classmethod
    def _spans_from_json(cls, value: object) -> object:
        """JSON has lists for spans."""
        if isinstance(value, dict) and isinstance(value.get("cue"), list):
            return {**value, "cue": tuple(tuple(s) if isinstance(s, list) else s for s in value["cue"])}
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(not 0 <= start < end <= len(self.text) for start, end in self.cue):
            raise ValueError("a part of the cue ends outside the text; correct its start and end")
        return self


def shortened(reply: str) -> str:
    """The reply with its middle left out, and how much that was, if it is too long to be read."""
    left_out = len(reply) - MOST_CHARACTERS
    if left_out <= 0:
        return reply
    half = MOST_CHARACTERS // 2
    return f"{reply[:half]}\n\n[{left_out:,} characters left out]\n\n{reply[-half:]}"


def option_words(letter: str) -> str:
    """ "option A", or "neither option"."""
    return f"option {letter}" if letter else "neither option"


def merged_spans(spans: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """The spans without blanks at their ends; those with nothing but blanks between them are one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        if start >= end:
            continue
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


class DilemmaAnswers(Protocol):
    """A model's answer to one version of a dilemma, with the decision that was read of it."""

    name = "probe-swe-answers"
    title = "PROBE-SWE answers"
    about = (
        "A case is a model's answer to one version of a dilemma of software engineering: the text that was "
        "put with its cue marked, the reply, and the decision that was read of it. It does not name the "
        "model."
    )
    payload_model = AnsweredDilemma
    payload_version = 1
    headline_field = "reply"
    groups = BIASES
    group_noun = "bias"
    questions = ANSWER_QUESTIONS
    themed = MAIN_REASON.key, OTHER_REASON
    taken_by_name = True
    # Following a cue is a way of mentioning it, and a decision that was not made cannot be supported. Each
    # can still be right: a reply may bring a reason of the bias that the text does not have, and may argue
    # for the option that was read and then decide for none.
    contradictions = (
        Contradiction(
            {ENDORSES.key: "yes", NOTICES.key: "no"},
            "Both are right only if the explanation brings a reason of the bias that is not in the marked "
            "words.",
        ),
        Contradiction(
            {READ_RIGHTLY.key: "no", SUPPORTED.key: "yes"},
            "Both are right only if the explanation speaks for the option that was read, and the reply "
            "decides for the other one.",
        ),
        Contradiction(
            {READ_RIGHTLY.key: "neither", SUPPORTED.key: "yes"},
            "Both are right only if the explanation speaks for the option that was read, and the reply still "
            "decides for none.",
        ),
    )

    def asks(self, question: Question, case: Case) -> bool:
        """Every question; *supported* only if a decision was read."""
        return question.key != SUPPORTED.key or bool(case.payload["decision"])

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias, its definition, and the decision that was read."""
        definition = self.group(case.group).definition
        decision = option_words(str(case.payload["decision"]))
        return {"bias": case.group, "definition": definition, "decision": decision}

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The reply, the text that was put, and the bias with the decision read and that of logic."""
        return list(_panes(AnsweredDilemma.model_validate(case.payload), case.group, measurements, findings))


def _panes(
    answered: AnsweredDilemma, bias: str, measurements: Sequence[Measurement], findings: Sequence[Finding]
) -> Iterator[Pane]:
    yield Pane("answer", "reply", Text(answered.reply))
    yield Pane("text", "text that was put", Text(answered.text, marks=answered.cue))
    yield Pane("bias", bias, Text(_bias_text(answered, bias)))
    yield from panes_after_answer(measurements, findings)


def _bias_text(answered: AnsweredDilemma, bias: str) -> str:
    definition = next(group.definition for group in BIASES if group.name == bias)
    cue = "Its cue is marked in the text." if answered.cue else "Nothing is marked in the text."
    read = f"The reply was read as deciding for {option_words(answered.decision)}."
    return f"{definition}\n\n{cue}\n\n{read} {_logic_text(answered.accepted)}"


def _logic_text(accepted: str) -> str:
    if not accepted:
        return "What logic decides is not known."
    return f"Logic accepts option {accepted} and rejects option {'B' if accepted == 'A' else 'A'}."


ANSWERS = DilemmaAnswers()
