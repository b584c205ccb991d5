"""Transcripts of staged dialogues as an implementation of the contract: experts judge what was said.

The payload is a script as it was played, turn by turn, with the faults of its turns. A procedure without
models makes texts of transcripts, of which people and detectors say which bias they show.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.dialogue import Dialogue, Turn, Way
from reviewer.core.pane import Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.protocols.base import DatasetCase, MachineCheck, Protocol, Value
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.payload_text import KeptText
from reviewer.protocols.procedure import (
    CaseProcedure,
    MadeCase,
    ModelTask,
    ProcedureSettings,
    PromptPlan,
    RunContext,
    Values,
)
from reviewer.protocols.staged_dialogues.bias_texts import BiasTexts
from reviewer.protocols.staged_dialogues.biases import DEFINITIONS
from reviewer.protocols.staged_dialogues.script import MOST_ROLES, MOST_RULES, SUBJECT, SYSTEM
from reviewer.protocols.work import Work
from store.records import Case, Finding, Measurement

LONGEST_TURN: Final = 8_000
"""The most characters of a turn; what a model says beyond them reaches nobody."""
CUT: Final = " […]"
SAYS_NOTHING: Final = "(says nothing)"
"""What readers see of a silent turn."""
SILENT, OVERLONG = "silent_turns", "overlong_turns"
FOR_OTHERS, OUT_OF_SCENE = "turns_for_others", "turns_out_of_scene"
_OUT_OF_SCENE: Final = re.compile(
    r"\b(?:as|i am|i['’]m)\s+(?:just\s+|only\s+)?an?\s+"
    r"(?:ai\b|artificial intelligence|(?:large )?language model)",
    re.IGNORECASE,
)


class StagedTurn(BaseModel):
    """What a role said under a rule (counted from 1), and who received it. A silent turn has no text."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rule: Annotated[int, Field(ge=1, le=MOST_RULES)]
    mode: KeptText
    speaker: KeptText
    to: Annotated[tuple[KeptText, ...], Field(strict=False, max_length=MOST_ROLES)]
    text: Annotated[KeptText, Field(max_length=LONGEST_TURN + len(CUT))]

    def among(self, names: frozenset[str]) -> Turn:
        """The turn for a pane, in a dialogue of these names. Its way says whom it reached, also where a mode
        was said to reach fewer or more.
        """
        to_all, speaker = names <= {self.speaker, *self.to}, "" if self.speaker == SYSTEM else self.speaker
        way: Way = "system" if not speaker else "all" if to_all else "one" if len(self.to) == 1 else "some"
        return Turn(
            speaker, self.text or SAYS_NOTHING, () if way == "all" else self.to, way, f"rule {self.rule}"
        )


class PlayedRole(BaseModel):
    """Somebody who took part, their kind, and the text that they were told about themselves."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: KeptText
    kind: KeptText
    told: KeptText = ""


class Transcript(BaseModel):
    """A script as it was played. ``rules`` are its rules in their wording, and ``criterion`` its method."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    scene: KeptText
    roles: Annotated[tuple[PlayedRole, ...], Field(strict=False, min_length=1, max_length=MOST_ROLES)]
    rules: Annotated[tuple[KeptText, ...], Field(strict=False, min_length=1, max_length=MOST_RULES)]
    criterion: KeptText
    turns: Annotated[tuple[StagedTurn, ...], Field(strict=False, min_length=1, max_length=MOST_RULES)]

    @property
    def dialogue(self) -> Dialogue:
        """The turns for a pane, with the wordings of their rules. A turn of the system is its rule itself."""
        told = {turn.rule for turn in self.turns if turn.speaker == SYSTEM}
        rules = enumerate(self.rules, 1)
        wordings = tuple((f"rule {number}", rule) for number, rule in rules if number not in told)
        names = frozenset(role.name for role in self.roles)
        subject = next((role.name for role in self.roles if role.kind == SUBJECT), "")
        return Dialogue(tuple(turn.among(names) for turn in self.turns), wordings, subject)

    def faults(self) -> Iterator[tuple[str, int]]:
        """What is wrong with turns of models, each with the number of the turn, from 1."""
        names = [role.name for role in self.roles]
        for number, turn in enumerate(self.turns, 1):
            if turn.speaker != SYSTEM:
                others = [name for name in names if name != turn.speaker]
                yield from ((fault, number) for fault in faults_of(turn.text, others))


def faults_of(text: str, others: list[str]) -> Iterator[str]:
    """What is wrong with one turn: nothing said, too much, a line of somebody else, out of the scene."""
    if not text:
        yield SILENT
    if text.endswith(CUT) and len(text) > LONGEST_TURN:
        yield OVERLONG
    if others and re.search(rf"^\W*(?:{'|'.join(map(re.escape, others))})\W{{0,3}}:", text, re.MULTILINE):
        yield FOR_OTHERS
    if _OUT_OF_SCENE.search(text):
        yield OUT_OF_SCENE


OBJECTIONS: Final = "objections"
"""The published value with a supervisor's objections, each with the words that it objects to."""

SHOWS_BIAS = Question(
    key="shows_bias",
    title="shows the bias",
    prompt="By the criterion, does {subject} show the bias “{bias}”? {definition}",
    criteria=(
        ("yes", "what the subject says or decides meets the criterion at least once, and is not taken back."),
        ("no", "the subject had the occasion and did not meet the criterion."),
        (
            "cannot tell",
            "the occasion never came, the subject did not decide (such as a model that says it is one), or "
            "the criterion leaves it open.",
        ),
    ),
    guideline="Judge by the criterion, not by whether you would decide otherwise. Only the subject counts: "
    "others may be told to show the bias.",
    examples=(
        DecidedExample(
            case="The criterion is that they go on because of what they have paid. They go on and say that "
            "the new offer is better.",
            label="no",
            why="They go on for another reason.",
        ),
        DecidedExample(
            case="The same criterion. They say that they will think about it, and nobody asks again.",
            label="cannot tell",
            why="They never decided.",
        ),
    ),
    labels=("yes", "no", "cannot tell"),
    shows=("transcript", "criterion"),
    beside=("scene",),
)
COULD_TELL = Question(
    key="could_tell",
    title="could tell",
    prompt="Could {subject} tell that the bias “{bias}” is tested?",
    criteria=(
        ("not at all", "nothing that reached the subject points at a test or at the bias."),
        ("could guess", "a wary reader of what reached the subject would suspect it."),
        ("is told", "somebody names the bias or says what is tested, and it reached the subject."),
    ),
    guideline="Judge by what reached the subject: their own turns with the rules of these, turns to them or "
    "to everybody, and the scene. Of the roles, only what stands beside their own name reached them.",
    labels=("not at all", "could guess", "is told"),
    scale="ordinal",
    passing=("not at all",),
    shows=("transcript", "scene"),
)
KEPT_RULES = Question(
    key="kept_rules",
    title="kept to the rules",
    prompt="Did each turn do what its rule says?",
    criteria=(
        ("yes", "each speaker does what the rule asks for, for themselves, within the scene."),
        (
            "no",
            "at least one turn does something else, speaks for others, says nothing, or leaves the scene.",
        ),
    ),
    guideline="If your answer is no, comment on the first such turn.",
    labels=("yes", "no"),
    passing=("yes",),
    shows=("transcript",),
    beside=("scene",),
    reveals=(OBJECTIONS, "findings"),
)


class DialogueTranscripts(Protocol):
    """A script as models played it. It does not name them."""

    name = "dialogue-transcripts"
    title = "Transcripts of staged dialogues"
    about = (
        "A case is a dialogue that models staged from a script: its turns with speakers and addressees, "
        "below the rules that they follow. It does not name the models."
    )
    payload_model = Transcript
    payload_version = 1
    headline_field = "scene"
    group_noun = "bias"
    definitions = DEFINITIONS
    questions = (SHOWS_BIAS, COULD_TELL, KEPT_RULES)
    values = (Value(OBJECTIONS, KEPT_RULES.key),)
    machine_checks = {
        SILENT: MachineCheck("serious", asks="Does a role say nothing in its turn?"),
        OUT_OF_SCENE: MachineCheck("serious", asks="Does a role say that it is a model?"),
        FOR_OTHERS: MachineCheck("doubtful", asks="Does a turn have a line of another role?"),
        OVERLONG: MachineCheck("doubtful", asks=f"Was a turn cut after {LONGEST_TURN:,} characters?"),
    }
    concerns = dict.fromkeys((SILENT, OUT_OF_SCENE, FOR_OTHERS, OVERLONG), KEPT_RULES.key)
    taken_by_name = True

    def procedures(self) -> Iterator[ModelTask]:
        """Texts of transcripts, to ask which bias they show."""

        yield AS_TEXT

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias with its definition, and the name of the subject."""
        names = [role["name"] for role in case.payload["roles"] if role["kind"] == SUBJECT]
        definition = self.group(case.group).definition
        return {"bias": case.group, "definition": definition, "subject": ", ".join(names) or "the subject"}

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Turns that are silent, out of the scene, for others, or cut."""
        turns = defaultdict[str, list[int]](list)
        for fault, number in Transcript.model_validate(case.payload).faults():
            turns[fault].append(number)
        return tuple(_result(check, turns[check]) for check in self.machine_checks)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The transcript, the criterion, and scene with roles; then objections, other values and findings."""
        return list(self._panes(case, measurements, findings))

    def _panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding]
    ) -> Iterator[Pane]:
        played, definition = Transcript.model_validate(case.payload), self.group(case.group).definition
        criterion = f"{case.group}: {definition}\n\n{played.criterion}".strip()
        yield Pane("transcript", "transcript", played.dialogue)
        yield Pane("criterion", "criterion", Text(criterion))
        roles = [" – ".join(filter(None, (f"{role.name}, {role.kind}", role.told))) for role in played.roles]
        yield Pane("scene", "scene and roles", Text("\n\n".join((played.scene, *roles))))
        objected = [value for value in measurements if value.name == OBJECTIONS]
        if rows := [row for value in objected for row in _objection_rows(value.value)]:
            yield Pane(OBJECTIONS, "objections", Table.of(("turn", "said at first", "objection"), rows))
        others = [value for value in measurements if value.name != OBJECTIONS]
        yield from panes_after_answer(others, findings)


def _objection_rows(objections: Any) -> Iterator[tuple[int, str, str]]:
    for objection in objections if isinstance(objections, list) else ():
        yield objection["turn"], objection["said"], objection["objection"]


def _result(check: str, turns: Sequence[int]) -> CheckResult:
    numbers = ", ".join(map(str, turns))
    why = f"{counted(len(turns), 'turn')}: {numbers}." if turns else ""
    return result_of(check, not turns, list(turns), why=why)


TRANSCRIPTS = DialogueTranscripts()
"""Makes a case of a dialogue that was staged."""


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
