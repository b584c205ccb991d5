"""Instances at five levels of detail, and answers to them, as implementations of the contract.

The payloads are a filled template told at five levels of detail, and a free answer to one level.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.pane import Pane, Text, Variants
from reviewer.core.question import DecidedExample, Question
from reviewer.core.sanitize import counted, one_line
from reviewer.core.table import Table
from reviewer.protocols.base import MachineCheck, Protocol, Value
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.payload_text import StrictPayload, stripped
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.detail_levels.level_templates import LevelTemplates
    from reviewer.protocols.procedure import ModelTask


NUMBER_OF_LEVELS: Final = 5
LETTERS: Final = "ABCDEF"
"""What choices are called, in their order."""
BIASED, UNBIASED, UNRELATED = "biased", "unbiased", "unrelated"
_MOST_CHARACTERS: Final = 20_000
_MOST_CHARACTERS_OF_CHOICE: Final = 500
_MOST_PIECES: Final = 1_000


def _short(text: str) -> str:
    if len(text) > _MOST_CHARACTERS_OF_CHOICE:
        raise ValueError(f"has {len(text):,} characters, more than {_MOST_CHARACTERS_OF_CHOICE}")
    if not any(sign.isalnum() for sign in text):
        raise ValueError("has no letter and no digit")
    return text


LevelText = Annotated[str, stripped(_MOST_CHARACTERS)]
ChoiceText = Annotated[LevelText, AfterValidator(_short)]


class KeyedChoice(StrictPayload):
    """A choice, and whether the bias predicts it."""

    text: ChoiceText
    key: Literal["biased", "unbiased", "unrelated"]


class SlotSpan(StrictPayload):
    """Characters ``start`` to ``end`` of a level (from 1) that were filled into the slot ``name``."""

    level: int = Field(ge=1, le=NUMBER_OF_LEVELS)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    name: str


class LevelInstance(StrictPayload):
    """One instance of a template. Instances of a template hang together, so they form a cluster."""

    template: LevelText
    levels: Annotated[tuple[LevelText, ...], Field(strict=False)]
    choices: Annotated[tuple[KeyedChoice, ...], Field(strict=False)]
    filled: Annotated[tuple[SlotSpan, ...], Field(strict=False, max_length=_MOST_PIECES)] = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.levels) != NUMBER_OF_LEVELS:
            raise ValueError(f"has {counted(len(self.levels), 'level')}; give {NUMBER_OF_LEVELS}")
        if not 2 <= len(self.choices) <= len(LETTERS):
            raise ValueError(f"has {counted(len(self.choices), 'choice')}; give 2 to {len(LETTERS)}")
        if len({" ".join(choice.text.casefold().split()) for choice in self.choices}) < len(self.choices):
            raise ValueError("two choices read the same; reword one")
        if not {BIASED, UNBIASED} <= {choice.key for choice in self.choices}:
            raise ValueError("has no biased or no unbiased choice; key at least one as each")
        for span in self.filled:
            if not span.start < span.end <= len(self.levels[span.level - 1]):
                raise ValueError(f"a filled piece ends outside level {span.level}; correct its start and end")
        return self

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the choices, in their order."""
        return tuple(choice.key for choice in self.choices)

    @property
    def choice_texts(self) -> tuple[str, ...]:
        """The texts of the choices, in their order."""
        return tuple(choice.text for choice in self.choices)

    def marks_of(self, level: int) -> tuple[tuple[int, int], ...]:
        """The characters of a level (from 1) that were filled in."""
        return tuple((span.start, span.end) for span in self.filled if span.level == level)


def lettered(choices: tuple[str, ...]) -> str:
    """The choices, each behind its letter, one a line."""
    return "\n".join(f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=False))


class AnsweredLevel(StrictPayload):
    """One free answer of a model to one level."""

    text: LevelText
    choices: Annotated[tuple[ChoiceText, ...], Field(strict=False)]
    answer: LevelText

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not 2 <= len(self.choices) <= len(LETTERS):
            raise ValueError(f"has {counted(len(self.choices), 'choice')}; give 2 to {len(LETTERS)}")
        return self


AS_KEYED = "asked_choice_biased"
"""Whether the key of the choice asked about is biased, for an instance made from a template."""
_HIDDEN = ("keys", "published", "findings")

PREDICTED_BY_BIAS = Question(
    key="predicted_by_bias",
    title="predicted by the bias",
    prompt="Is “{choice}” what {bias} predicts? {definition}",
    criteria=(
        ("True", "somebody with this bias would tend to choose it, and somebody without it would not."),
        ("False", "it is what a careful person chooses, or if it has nothing to do with the bias."),
    ),
    guideline="Read all levels.",
    examples=(
        DecidedExample(
            case="Availability: somebody heard of a plane crash and asks how to travel. The choice is "
            "“by car”.",
            label="True",
            why="The crash comes to mind easily and makes flying seem less safe than it is.",
        ),
        DecidedExample(
            case="Availability: the same, and the choice is “neither is safer than the other”.",
            label="False",
            why="It is wrong, but the story does not lead to it.",
        ),
    ),
    labels=("True", "False"),
    shows=("levels", "choices"),
    reveals=_HIDDEN,
)

ADDED_LEAN = Question(
    key="added_lean",
    title="added facts or lean",
    prompt="How much do higher levels add that the first level does not have: facts to decide by, or a lean "
    "to a choice?",
    criteria=(
        ("0", "they add only detail."),
        ("1", "they add a little, which will hardly move an answer."),
        ("2", "they add something that may move answers."),
        ("3", "a level nearly tells what to choose."),
    ),
    guideline="Answer for the level that adds most.",
    labels=("0", "1", "2", "3"),
    scale="ordinal",
    passing=("0", "1"),
    shows=("levels",),
    beside=("choices",),
    reveals=_HIDDEN,
)

QUESTIONS = (PREDICTED_BY_BIAS, ADDED_LEAN)


_SLOT: Final = re.compile(r"<[a-z_][^<>]*>")

INSTANCE_CHECKS: Mapping[str, MachineCheck] = {
    "open_slots": MachineCheck("serious", asks="Was every slot filled?"),
    "same_levels": MachineCheck("serious", asks="Does each level differ from the one before?"),
    "longer_levels": MachineCheck("untidy", asks="Is each level at least as long as the one before?"),
}


def panes_of_instance(
    instance: LevelInstance, measurements: Sequence[Measurement], findings: Sequence[Finding]
) -> Iterator[Pane]:
    """The five levels with filled slots marked, and the choices; then the panes that wait for an answer."""
    levels = tuple(
        (f"level {number}", Text(text, marks=instance.marks_of(number)))
        for number, text in enumerate(instance.levels, 1)
    )
    yield Pane("levels", "levels of detail", Variants(levels))
    yield Pane("choices", "choices", choice_table(instance.choice_texts))
    keyed = zip(LETTERS, instance.choice_texts, instance.keys, strict=False)
    yield Pane("keys", "keys of the choices", Table.of(("letter", "choice", "key"), list(keyed)))
    yield from panes_after_answer(measurements, findings)


def choice_table(choices: Sequence[str]) -> Table:
    """The choices with their letters."""
    return Table.of(("letter", "choice"), list(zip(LETTERS, choices, strict=False)))


DEFINITIONS = {
    "Anchoring": "An estimate is pulled towards a number that was mentioned before, although that "
    "number says nothing about it.",
    "Availability": "What comes to mind easily is taken to be more likely than it is.",
    "Confirmation": "Evidence for what is believed already counts more than evidence against it.",
    "Framing": "The same fact is judged differently when it is told as a gain or as a loss.",
    "Interpretation": "Something that may mean several things is taken to mean something good or bad.",
    "Overattribution": "Behaviour is put down to a person's character, although the situation explains it.",
    "Prospect Theory": "A loss weighs more than a gain of the same size.",
    "Representativeness": "Somebody or something is taken to be likely because it looks typical, whatever "
    "the numbers say.",
}
"""Our own definitions of eight biases that published tables have."""


class DetailLevels(Protocol):
    """A scenario told at five levels of detail; each choice is biased, unbiased or unrelated."""

    name = "detail-levels"
    title = "Levels of detail"
    about = (
        "A case tells one scenario at five levels of detail. Each of its choices is keyed as biased, "
        "unbiased or unrelated, and models answer each level freely."
    )
    payload_model = LevelInstance
    payload_version = 1
    group_noun = "bias"
    definitions = DEFINITIONS
    questions = QUESTIONS
    values = (
        Value(AS_KEYED, PREDICTED_BY_BIAS.key, {"true": "True", "false": "False"}, "key of the asked choice"),
    )
    machine_checks = INSTANCE_CHECKS
    concerns = dict.fromkeys(INSTANCE_CHECKS, ADDED_LEAN.key)
    example_folder = "detail_levels"
    taken_by_name = True

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias, its definition, and the choice that raters are asked about."""
        return {
            "bias": case.group,
            "definition": self.group(case.group).definition,
            "choice": asked_choice(case).text,
        }

    def headline(self, case: Case) -> str:
        """The beginning of the first level."""
        return one_line(LevelInstance.model_validate(case.payload).levels[0], 120)

    def slot_templates(self) -> "LevelTemplates":
        """Scenarios at five levels."""
        from reviewer.protocols.detail_levels.level_templates import LevelTemplates  # loads what reads them

        return LevelTemplates()

    def procedures(self) -> "Iterator[ModelTask]":
        """Every level, answered freely."""
        from reviewer.protocols.detail_levels.evaluation import EVALUATION  # loaded only to evaluate models

        yield EVALUATION

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether slots are filled, and levels differ and grow."""
        instance = LevelInstance.model_validate(case.payload)
        levels = instance.levels
        still_open = any(map(_SLOT.search, (*levels, *instance.choice_texts)))
        pairs = list(enumerate(pairwise(levels), 2))
        same = [level for level, (before, after) in pairs if before == after]
        shorter = [level for level, (before, after) in pairs if len(after) < len(before)]
        return (
            result_of("open_slots", not still_open, why="A text still has a slot." if still_open else ""),
            result_of(
                "same_levels", not same, why=f"Level {same[0]} is the level before it." if same else ""
            ),
            result_of(
                "longer_levels",
                not shorter,
                why=f"Level {shorter[0]} is shorter than the level before it." if shorter else "",
            ),
        )

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The five levels and the choices; afterwards keys, values and findings."""
        return list(panes_of_instance(LevelInstance.model_validate(case.payload), measurements, findings))


def asked_choice(case: Case) -> KeyedChoice:
    """The choice that raters are asked about: any of them, by the digest of the case."""
    choices = case.payload["choices"]
    assert isinstance(choices, Sequence)
    return KeyedChoice.model_validate(choices[int(case.digest[:8], 16) % len(choices)])


READING, READING_REMARK = "reading", "reading_remark"
KNOWN, KIND = "known_choice", "kind_of_answer"
"""The choice that an answer of our own was written to take, and how it takes it."""
NO_CHOICE = "none"

CHOICE_TAKEN = Question(
    key="choice_taken",
    title="choice taken",
    prompt="Which choice did the answer take?",
    criteria=((NO_CHOICE, "the answer takes no choice, takes several, or takes one that is not listed."),),
    guideline="Choose the letter of the choice that the answer ends up with, also if it names others on the "
    "way.",
    examples=(
        DecidedExample(
            case="A. by plane, B. by car. “Cars feel safer, but I would fly.”",
            label="A",
            why="The answer names both and ends up with the plane.",
        ),
        DecidedExample(
            case="A. by plane, B. by car. “Both have their merits.”",
            label=NO_CHOICE,
            why="The answer takes neither.",
        ),
    ),
    labels=(*LETTERS, NO_CHOICE),
    shows=("answer", "choices"),
    beside=("text",),
    reveals=("published", "findings"),
)


class LevelAnswers(Protocol):
    """A free answer to a scenario with choices; the reader's choice is set against people's."""

    name = "level-answers"
    title = "Answers at levels of detail"
    about = (
        "A case is a scenario with choices and a model's free answer to it. People say which choice it took."
    )
    payload_model = AnsweredLevel
    payload_version = 1
    headline_field = "answer"
    group_noun = "bias"
    questions = (CHOICE_TAKEN,)
    values = (
        Value(READING, CHOICE_TAKEN.key, {label: label for label in CHOICE_TAKEN.labels}, "reader"),
        *(Value(name, CHOICE_TAKEN.key) for name in (READING_REMARK, KNOWN, KIND)),
    )
    taken_by_name = True
    example_folder = "detail_levels"

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The answer, the choices and the scenario; afterwards what the reader made of the answer."""
        answered = AnsweredLevel.model_validate(case.payload)
        return [
            Pane("answer", "answer", Text(answered.answer)),
            Pane("choices", "choices", choice_table(answered.choices)),
            Pane("text", "scenario", Text(answered.text)),
            *panes_after_answer(measurements, findings),
        ]


ANSWERS = LevelAnswers()
