"""Which bias a text shows, of 72 or none: by one question, by a question for each candidate, or by a debate.

Two readings name candidates, and a detector looks for each of them. Those that a detector confirms meet in
pairs, in an order that the seed draws, until one is left. Everything said is kept as parts of a transcript.
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from pydantic import Field

from reviewer.core.dialogue import Dialogue, Turn
from reviewer.core.number_text import fixed
from reviewer.core.question import Question
from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.protocols.judging.verdict_reading import named_labels, read_verdict
from reviewer.protocols.procedure import ProcedureSettings, PromptPlan, Prompts
from reviewer.protocols.staged_dialogues.biases import BIASES, DEFINITIONS, NO_BIAS
from reviewer.protocols.staged_dialogues.debate_scores import (
    CRITERIA,
    NO_SCORES,
    SIDES,
    CriterionWeights,
    LearntWeights,
    Scores,
    mean_scores,
)
from reviewer.protocols.work import Work, replies_to, together

DETECTOR, SIDE, REFEREE = "detector", "side", "referee"
ROLES: Final = (DETECTOR, SIDE, REFEREE)
NAMING: Final = "candidates"
_STAGES: Final = ("opening", "evidence", "rebuttal", "closing")
_REFEREES: Final = {
    "analytical": "Take each argument apart, check every claim against the text, and only then score.",
    "intuitive": "Read the debate once as a whole, and score by the impression that each side leaves.",
}
_OF_SIDE: Final = frozenset({"text", "bias", "other", "definition", "so_far"})
_OF_REFEREE: Final = frozenset({"manner", "how", "text", "first", "second", "debate", "criteria", "form"})
DETECTION_PROMPTS: Final = PromptPlan(
    "reviewer.protocols.staged_dialogues",
    {
        NAMING: frozenset({"text", "biases", "most"}),
        DETECTOR: frozenset({"text", "bias", "definition"}),
        **dict.fromkeys(_STAGES, _OF_SIDE),
        REFEREE: _OF_REFEREE,
    },
)
WEIGHTS_OF_TEXT: Final = "The weights of the debate were learnt from this text."
MOST_OF_LIST: Final = 3
"""How many biases one question may name: as many as the measure top-3 counts."""
_NAMES: Final = tuple(bias.name for bias in BIASES)
_LISTED: Final = "\n".join(
    f"{number}. {bias.name}: {bias.definition}" for number, bias in enumerate(BIASES, 1)
)
_MIDDLE: Final = 5
_SURE: Final = Question(key=DETECTOR, title=DETECTOR, prompt=DETECTOR, labels=("yes", "no"), shows=("text",))
USUAL_REPLIES: Final = {
    NAMING: "Answer: 1, 2, 3",
    DETECTOR: "Answer: 1",
    REFEREE: json.dumps(dict.fromkeys(SIDES, dict.fromkeys(CRITERIA, _MIDDLE))),
}
"""Three candidates that detectors confirm: two debates."""
_MOST_OF_SPEECH: Final = 4_000
"""Longer speeches are cut before others read them."""


class DetectionSettings(ProcedureSettings):
    """How candidates are found and debates decided."""

    seed: int = Field(default=0, ge=0)
    """seed of the order in which candidates meet and speak"""
    most_named: int = Field(default=5, ge=1, le=len(BIASES))
    """most biases that each of the two readings may name as candidates"""
    second_temperature: float = Field(default=0.9, ge=0, le=2)
    """sampling temperature of the second reading; the first one has that of the run"""
    weights: CriterionWeights = CriterionWeights()
    """weights of the six criteria, equal by default"""
    learnt: LearntWeights | None = None
    """what the weights were learnt from, as `reviewer effects RUN --as debate-weights` writes it"""


@dataclass(frozen=True, slots=True)
class TranscriptPart:
    """One thing that was said, below its heading."""

    heading: str
    said: str


@dataclass(frozen=True, slots=True)
class Detected:
    """The biases that a text may show, the likeliest first; () if that could not be read, and why."""

    ranking: tuple[str, ...]
    why: str
    parts: tuple[TranscriptPart, ...]


@dataclass(frozen=True, slots=True)
class Detection:
    """The detection of the bias of one text."""

    prompts: Prompts
    text: str
    identity: str
    """What tells the text from others; draws depend on it and on the seed."""
    settings: DetectionSettings
    parts: list[TranscriptPart] = field(default_factory=list)

    @property
    def taught_weights(self) -> bool:
        """Whether the weights of its debates were learnt from this text, which they must not decide."""
        return bool(self.settings.learnt and self.identity in self.settings.learnt.texts)

    def by_list(self) -> Work[Detected]:
        """One question with the list of all biases."""
        named, why = yield from self._read_text("reading", MOST_OF_LIST, None)
        return self._detected(() if named is None else named or (NO_BIAS,), why)

    def by_candidate(self) -> Work[Detected]:
        """One question for each candidate; the first candidate that is confirmed is the answer."""
        candidates, confirmed, why = yield from self._confirmed()
        return self._detected(_ranked(candidates, confirmed) if not why else (), why)

    def by_debate(self) -> Work[Detected]:
        """The confirmed candidates debate in pairs; the winner of the last pair is the answer."""
        candidates, confirmed, why = yield from self._confirmed()
        if why:
            return self._detected((), why)
        left, beaten, number = self._drawn(confirmed), list[str](), 0
        while len(left) > 1:
            number += 1
            pairs = list(zip(left[::2], left[1::2], strict=False))
            debates = [_Debate(self, number, *pair) for pair in pairs]
            winners = yield from together("", [debate.winner() for debate in debates])
            self.parts.extend(part for debate in debates for part in debate.parts)
            if None in winners:
                return self._detected((), f"both referees gave {NO_SCORES}")
            won = [winner for winner in winners if winner]
            beaten = [name for pair in pairs for name in pair if name not in won] + beaten
            left = left[2 * len(pairs) :] + won  # one without an opponent meets one in the next round
        return self._detected(_ranked(candidates, [*left, *beaten]), "")

    def _detected(self, ranking: Sequence[str], why: str) -> Detected:
        return Detected(tuple(ranking), why, tuple(self.parts))

    def _confirmed(self) -> Work[tuple[list[str], list[str], str]]:
        """The candidates, those that their detectors confirm, and why nothing can be said ("": it can)."""
        settings = self.settings
        readings = yield from together(
            "",
            [
                self._read_text("reading 1", settings.most_named, None),
                self._read_text("reading 2", settings.most_named, settings.second_temperature),
            ],
        )
        self.parts.sort(key=lambda part: part.heading)  # whichever came first
        read = [named for named, _ in readings if named is not None]
        if not read:
            return [], [], readings[0][1]
        found = [name for rank in zip_longest(*read) for name in rank if name]
        candidates = list(dict.fromkeys(found))
        detected = yield from together("", map(self._detector, candidates))
        self.parts.extend(part for part, _ in detected)
        answers = [answer for _, answer in detected]
        confirmed = [name for name, answer in zip(candidates, answers, strict=True) if answer == "yes"]
        if not confirmed and None in answers:
            return candidates, [], "no detector said yes, and one said neither yes nor no"
        return candidates, confirmed, ""

    def _read_text(
        self, heading: str, most: int, temperature: float | None
    ) -> Work[tuple[tuple[str, ...] | None, str]]:
        """The biases that a reading names, at most so many, or None and why it names none."""
        messages = self.prompts.fill(NAMING, text=self.text, biases=_LISTED, most=str(most))
        reply = yield from _said(messages, NAMING, DETECTOR, temperature)
        self.parts.append(TranscriptPart(heading, reply))
        named, why = named_labels(reply, _NAMES)
        return (None if named is None else tuple(named[:most])), why

    def _detector(self, name: str) -> Work[tuple[TranscriptPart, str | None]]:
        messages = self.prompts.fill(DETECTOR, text=self.text, bias=name, definition=DEFINITIONS[name])
        reply = yield from _said(messages, DETECTOR, DETECTOR)
        return TranscriptPart(f"detector of {name}", reply), read_verdict(reply, _SURE).label

    def _drawn(self, confirmed: Iterable[str]) -> list[str]:
        """The candidates in an order that depends on the seed and the text, not on the list."""
        drawn = sorted(confirmed)
        random.Random(f"{self.settings.seed} {self.identity}").shuffle(drawn)  # noqa: S311  # no secret
        return drawn


def _ranked(candidates: Sequence[str], confirmed: Sequence[str]) -> tuple[str, ...]:
    """The confirmed candidates, then the others; "none" first if none is confirmed."""
    first = confirmed or (NO_BIAS,)
    return tuple(dict.fromkeys((*first, *candidates)))


def _said(
    messages: tuple[ChatMessage, ...], purpose: str, role: str, temperature: float | None = None
) -> Work[str]:
    (reply,) = yield from replies_to(ModelRequest(messages, purpose, temperature=temperature), role=role)
    return reply.text


class _Debate:
    """A debate of two candidates about one text."""

    def __init__(self, detection: Detection, number: int, first: str, second: str) -> None:
        self._detection, self._sides = detection, (first, second)
        self._name = debate_heading(number, first, second)
        self.parts: list[TranscriptPart] = []

    def winner(self) -> Work[str | None]:
        """The bias of the side with the higher score; None if no referee gave scores that can be read."""
        for stage in _STAGES:
            so_far = self._so_far
            speeches = yield from together("", [self._speech(stage, place, so_far) for place in (0, 1)])
            self.parts += [
                TranscriptPart(f"{self._name}: {stage} for {bias}", speech)
                for bias, speech in zip(self._sides, speeches, strict=True)
            ]
        debate = self._so_far
        replies = yield from together("", [self._referee(manner, debate) for manner in _REFEREES])
        self.parts += [
            TranscriptPart(f"{self._name}: {manner} referee", reply)
            for manner, reply in zip(_REFEREES, replies, strict=True)
        ]
        return self._decided(replies)

    def _decided(self, replies: Sequence[str]) -> str | None:
        scores, weights = mean_scores(replies), self._detection.settings.weights
        if scores is None:
            return None
        means = [weights.mean(side) for side in scores]
        place = 0 if means[0] > means[1] else 1 if means[1] > means[0] else self._lot
        pairs = zip(self._sides, means, strict=True)
        said = ", ".join(f"{bias} {fixed(mean, 3)}" for bias, mean in pairs)
        tie = " by lot, since both have the same score" if means[0] == means[1] else ""
        self.parts.append(TranscriptPart(f"{self._name}: scores", f"{said}. {self._sides[place]} wins{tie}."))
        return self._sides[place]

    @property
    def _lot(self) -> int:
        drawn = f"{self._detection.settings.seed} {self._detection.identity} {self._name}"
        return random.Random(drawn).randrange(2)  # noqa: S311  # no secret

    @property
    def _so_far(self) -> str:
        """The debate as both sides and referees read it."""
        if not self.parts:
            return "Nobody has spoken yet."
        headed = (part.heading.partition(": ")[2] for part in self.parts)
        spoken = zip(headed, self.parts, strict=True)
        return "\n\n".join(
            f"## {heading}\n{cut_text(part.said, _MOST_OF_SPEECH)}" for heading, part in spoken
        )

    def _speech(self, stage: str, place: int, so_far: str) -> Work[str]:
        bias, other = self._sides[place], self._sides[1 - place]
        messages = self._detection.prompts.fill(
            stage,
            text=self._detection.text,
            bias=bias,
            other=other,
            definition=DEFINITIONS[bias],
            so_far=so_far,
        )
        return _said(messages, stage, SIDE)

    def _referee(self, manner: str, debate: str) -> Work[str]:
        form = ", ".join(f'"{name}": <0 to 10>' for name in CRITERIA)
        messages = self._detection.prompts.fill(
            REFEREE,
            manner=manner,
            how=_REFEREES[manner],
            text=self._detection.text,
            first=self._sides[0],
            second=self._sides[1],
            debate=debate,
            criteria="\n".join(f"- {name}: {told}" for name, told in CRITERIA.items()),
            form="{" + ", ".join(f'"{side}": {{{form}}}' for side in SIDES) + "}",
        )
        return _said(messages, REFEREE, REFEREE)


def debate_heading(number: int, first: str, second: str) -> str:
    """How a debate is called in a transcript."""
    return f"round {number}, {first} against {second}"


def cut_text(said: str, most: int) -> str:
    """The beginning of a long text, with how much is left out; the stored call has all of it."""
    left_out = len(said) - most
    return said if left_out <= 0 else f"{said[:most]} … ({left_out:,} characters left out)"


METHODS: Final[dict[str, Callable[[Detection], Work[Detected]]]] = {
    "one question": Detection.by_list,
    "candidates": Detection.by_candidate,
    "debate": Detection.by_debate,
}
"""The three methods by name."""


RESULT: Final = "result"
_MOST_KEPT: Final = 20_000
"""The most characters of a part; a model that says 200 KB would fill a store with transcripts."""
_HEADING: Final = re.compile(r"^── (.+) ──$", re.MULTILINE)
_RANK: Final = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_REFEREE: Final = re.compile(r"(round \d+, (.+) against (.+)): \w+ referee")


def transcript_text(detected: Detected) -> str:
    """All parts below their headings, and the result last; what models say cannot look like a heading."""
    ranked = (f"{rank}. {name}" for rank, name in enumerate(detected.ranking, 1))
    result = "\n".join(ranked) or f"No bias is read: {detected.why}."
    parts = (*detected.parts, TranscriptPart(RESULT, result))
    return "\n\n".join(f"── {part.heading} ──\n{_kept(part.said)}" for part in parts)


def _kept(said: str) -> str:
    return cut_text(said, _MOST_KEPT).replace("──", "--")


def transcript_parts(text: str) -> Iterator[TranscriptPart]:
    """The parts of such a text."""
    pieces = _HEADING.split(text)[1:]
    for heading, said in zip(pieces[::2], pieces[1::2], strict=True):
        yield TranscriptPart(heading, said.strip())


def transcript_dialogue(text: str) -> Dialogue:
    """The parts as turns, those of a debate below its name."""
    return Dialogue(tuple(_turns(text)))


def _turns(text: str) -> Iterator[Turn]:
    for part in transcript_parts(text):
        debate, colon, who = part.heading.rpartition(": ")
        speaker, what = _speaker(who)
        said = f"{what}: {part.said}" if what else part.said
        yield Turn(speaker, said, rule=debate) if colon else Turn(speaker, said)


def _speaker(who: str) -> tuple[str, str]:
    """Who speaks, the same for all stages of a side, and of which stage, candidate or manner it is."""
    stage, argues, side = who.partition(" for ")
    kind, looks, bias = who.partition(" of ")
    manner, scores, _ = who.partition(f" {REFEREE}")
    return (side, stage) if argues else (kind, bias) if looks else (REFEREE, manner) if scores else (who, "")


def ranking_in(text: str) -> tuple[str, ...]:
    """The biases of the result, the likeliest first; () if there is none."""
    last = next((part.said for part in reversed([*transcript_parts(text)]) if part.heading == RESULT), "")
    return tuple(_RANK.findall(last))


def scored_debates(text: str) -> Iterator[tuple[str, str, Scores, Scores]]:
    """The debates of a transcript whose scores can be read: the bias and the mean scores of each side."""
    replies: dict[tuple[str, str, str], list[str]] = {}
    for part in transcript_parts(text):
        if debate := _REFEREE.fullmatch(part.heading):
            replies.setdefault((debate[1], debate[2], debate[3]), []).append(part.said)
    for (_, first, second), said in replies.items():
        if scores := mean_scores(said):
            yield first, second, *scores
