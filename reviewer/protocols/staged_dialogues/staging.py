"""Plays scripts with models: a procedure whose unit is a script, and whose product is its transcript.

Rule by rule, the speaker is asked for one turn, which reaches those whom the mode of the rule names and
nobody else. A supervisor, if there is one, may have each turn said again, once. Who forgets turns before
they speak again notes below their turn, in the same reply, what they must still know.
"""

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import Field

from reviewer.core.sanitize import enumerated, printable, shortened, without_controls
from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.llm.request_errors import AnswerCut, AnswerEmpty, AnswerRefused, AnswerWithheld
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.procedure import (
    CaseProcedure,
    MadeCase,
    ProcedureSettings,
    PromptPlan,
    RunContext,
    Sampling,
    Values,
)
from reviewer.protocols.staged_dialogues.script import (
    CONFEDERATE,
    MODERATOR,
    MODES,
    NOT_STAGED,
    SUBJECT,
    SYSTEM,
    Addressing,
    Script,
    ScriptRole,
    ScriptRule,
    addressings,
)
from reviewer.protocols.staged_dialogues.transcripts_protocol import (
    CUT,
    FOR_OTHERS,
    LONGEST_TURN,
    OBJECTIONS,
    OUT_OF_SCENE,
    OVERLONG,
    SILENT,
    TRANSCRIPTS,
    PlayedRole,
    StagedTurn,
    Transcript,
)
from reviewer.protocols.work import Work, replies_to, traced
from store.records import Case, JsonValue

_NOTHING: Final = "Nothing yet."
_FIRST_SENTENCE: Final = re.compile(r".*?[.!?…](?=\s|$)", re.DOTALL)
_CHARACTERS_A_TURN, _MOST_CHARACTERS = 160, 4_000
"""Of one turn in the summary, and of the summary."""


class RoleMemory:
    """Grows with every turn that a role says or receives. It asks no model: a turn of a role is one call.

    The summary is the last notes that the role wrote below a turn of its own. Of turns since then, and where
    there are no notes, it has the beginnings.
    """

    def __init__(self, name: str, turns: int) -> None:
        """``turns`` are remembered word for word."""
        self._name, self._turns = name, turns
        self._recent = deque[StagedTurn]()
        self._notes = ""
        self._noted = 0
        """How many of the recent turns the notes are about, the first ones."""
        self._begun: list[str] = []

    def take(self, turn: StagedTurn) -> None:
        """Remember a turn. The oldest of those that were remembered word for word is shortened, if no notes
        are about it.
        """
        self._recent.append(turn)
        if len(self._recent) > self._turns:
            oldest = self._recent.popleft()
            if self._noted:
                self._noted -= 1
                return
            begins = _FIRST_SENTENCE.match(oldest.text)
            words = shortened(begins[0] if begins else oldest.text, _CHARACTERS_A_TURN)
            self._begun.append(self._said(oldest, words))

    def note(self, notes: str) -> None:
        """Remember notes about everything so far in place of those before."""
        self._notes, self._noted, self._begun = notes, len(self._recent), []

    @property
    def recent(self) -> str:
        """The last turns, word for word."""
        return "\n\n".join(self._said(turn, turn.text) for turn in self._recent) or _NOTHING

    @property
    def earlier(self) -> str:
        """The summary of the turns before them. If it is too long, the oldest beginnings are left out."""
        lines, room = deque[str](), _MOST_CHARACTERS - len(self._notes)
        for line in reversed(self._begun):
            room -= len(line)
            if room < 0:
                lines.appendleft("(More was said before.)")
                break
            lines.appendleft(line)
        if self._notes:
            lines.appendleft(self._notes)
        return "\n".join(lines) or _NOTHING

    def _said(self, turn: StagedTurn, words: str) -> str:
        names = ["you" if name == self._name else name for name in turn.to]
        return f"{'you' if turn.speaker == self._name else turn.speaker} to {', '.join(names)}: {words}"


SUPERVISOR: Final = "supervisor"
_UNREAD, _UNANSWERED, _UNNOTED = "unread_supervisions", "requests_without_answer", "turns_without_notes"
_NOTHING_HEARD: Final = (AnswerCut, AnswerEmpty, AnswerRefused, AnswerWithheld)
_ACCEPTED: Final = re.compile(r"\W*(?:accepted|ok(?:ay)?|no objections?)\b", re.IGNORECASE)
_OBJECTION: Final = re.compile(r"\W*objection\W+(.+)", re.IGNORECASE | re.DOTALL)
_NOTES: Final = "notes"
_NOTES_BEGIN: Final = re.compile(r"^[\W_]{0,6}NOTES[\W_]{0,6}(?:$|:)", re.IGNORECASE | re.MULTILINE)
_KIND_WORDS: Final = {
    # A subject is also what somebody talks about, or what is liable to something.
    SUBJECT: r"\b(?:[Tt]he\s+subjects?|(?:[Tt]he\s+)?Subjects?)\b(?!\s+(?:of|to|matter|line)\b)",
    CONFEDERATE: r"\b(?:[Tt]he\s+)?[Cc]onfederates?\b",
    MODERATOR: r"\b(?:[Tt]he\s+)?[Mm]oderators?\b",
}
_LONGEST_OBJECTION, _LONGEST_NOTES = 500, 1_000


class StagingSettings(ProcedureSettings):
    """The settings of staging."""

    remembered: int = Field(default=3, ge=1, le=50)
    """turns that a role remembers word for word; of earlier ones it has its notes, or how they began"""
    words: int = Field(default=150, ge=10, le=1_000)
    """most words of a turn, which roles are told"""
    temperature: float = Field(default=1.0, ge=0, le=2)
    """sampling temperature of those who speak; the supervisor has 0"""


@dataclass
class _Staging:
    """A script that is being played: the memory of each role, and the counts."""

    script: Script
    addressings: Sequence[Addressing]
    run: RunContext
    settings: StagingSettings
    memories: Mapping[str, RoleMemory]
    turns: list[StagedTurn] = field(default_factory=list)
    objections: list[JsonValue] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def play(self) -> Work[None]:
        """Every rule in its order."""
        with_notes = _NOTES in self.run.prompts.texts
        noting = turns_with_notes(self.addressings, self.settings.remembered) if with_notes else ()
        for number, (rule, sent) in enumerate(zip(self.script.rules, self.addressings, strict=True), 1):
            if sent.speaker == SYSTEM:
                said, notes = in_names(self.script, rule.text), ""
            else:
                said, notes = yield from self._said(number, rule, sent, number in noting)
                self.counts[_UNNOTED] += number in noting and not notes
            speaker, to = sent.speaker, sent.addressees
            turn = StagedTurn(rule=number, mode=rule.mode, speaker=speaker, to=to, text=said)
            self.turns.append(turn)
            for name in {speaker, *to} - {SYSTEM}:
                self.memories[name].take(turn)
            if notes:
                self.memories[speaker].note(notes)

    def _said(
        self, number: int, rule: ScriptRule, sent: Addressing, with_notes: bool
    ) -> Work[tuple[str, str]]:
        """What the speaker of a rule says, and their notes; after an objection, what they say then."""
        speaker = next(role for role in self.script.roles if role.name == sent.speaker)
        receivers, memory = ", ".join(sent.addressees), self.memories[speaker.name]
        asked = self.run.prompts.fill(
            "turn",
            speaker=speaker.name,
            scene=self.script.background,
            background=speaker.background or "nothing more",
            task=speaker.task or "nothing more",
            words=str(self.settings.words),
            earlier=memory.earlier,
            recent=memory.recent,
            rule=in_names(self.script, rule.text),
            addressees=receivers,
        )
        if with_notes:
            (wish,) = self.run.prompts.fill(_NOTES)
            asked = (*asked[:-1], replace(asked[-1], content=f"{asked[-1].content}\n\n{wish.content}"))
        said, notes = yield from self._asked(asked, number, speaker, with_notes)
        if SUPERVISOR not in self.run.roles:
            return said, notes
        objection = yield from self._objection(number, rule, speaker, receivers, said)
        if not objection:
            return said, notes
        again = self.run.prompts.fill("again", objection=objection)
        before = f"{said}\n\nNOTES\n{notes}" if notes else said
        messages = (*asked, ChatMessage("assistant", before), *again)
        self.objections.append({"turn": number, "said": said, "objection": objection})
        return (yield from self._asked(messages, number, speaker, with_notes))

    def _asked(
        self, messages: tuple[ChatMessage, ...], number: int, speaker: ScriptRole, with_notes: bool
    ) -> Work[tuple[str, str]]:
        role = speaker.kind if speaker.kind in (SUBJECT, MODERATOR) else CONFEDERATE
        reply = yield from self._reply(ModelRequest(messages, f"{role} turn", repeat=number), role)
        said, notes = noted(reply) if with_notes else (reply, "")
        return spoken(said, speaker.name), notes

    def _reply(self, request: ModelRequest, role: str) -> Work[str]:
        """The reply to one request. Without a usable one, the text that the others heard, which is often
        empty.
        """
        self.counts["calls"] += 1
        asked = yield from traced(replies_to(request, role=role))
        if isinstance(asked.error, _NOTHING_HEARD):
            self.counts[_UNANSWERED] += 1
            return asked.error.reply
        return asked.returned[0].text

    def _objection(
        self, number: int, rule: ScriptRule, speaker: ScriptRole, receivers: str, said: str
    ) -> Work[str]:
        """What the supervisor objects to; "" if nothing, or if what it says cannot be read."""
        messages = self.run.prompts.fill(
            "supervision",
            speaker=speaker.name,
            task=speaker.task or "nothing more",
            rule=rule.text,
            addressees=receivers,
            turn=said,
        )
        request = ModelRequest(messages, "supervision", repeat=number)
        reply = yield from self._reply(request, SUPERVISOR)
        if objection := _OBJECTION.match(reply):
            return " ".join(without_controls(objection[1]).split())[:_LONGEST_OBJECTION]
        self.counts[_UNREAD] += not _ACCEPTED.match(reply)
        return ""


def in_names(script: Script, text: str) -> str:
    """A rule with names in the place of kinds, such as "Subject" or "the confederates": a role that reads
    these words would learn that it is tested.
    """
    for kind, sign in _KIND_WORDS.items():
        if names := [role.name for role in script.of_kind(kind)]:
            text = re.sub(sign, enumerated(names).replace("\\", r"\\"), text)
    return text


def turns_with_notes(whole: Sequence[Addressing], remembered: int) -> frozenset[int]:
    """The numbers of the turns, from 1, whose speakers will have forgotten turns when they speak next."""
    noting, reached, last = set[int](), Counter[str](), dict[str, int]()
    for number, sent in enumerate(whole, 1):
        if sent.speaker in last and reached[sent.speaker] > remembered:
            noting.add(last[sent.speaker])
        reached.update({sent.speaker, *sent.addressees})
        if sent.speaker != SYSTEM:
            last[sent.speaker] = number
    return frozenset(noting)


def noted(reply: str) -> tuple[str, str]:
    """A reply parted at the line with the word NOTES: what is said to others, and notes for oneself."""
    begin = _NOTES_BEGIN.search(reply)
    return (reply[: begin.start()], shortened(reply[begin.end() :], _LONGEST_NOTES)) if begin else (reply, "")


def spoken(reply: str, name: str) -> str:
    """What a reply says, without the speaker's own name before it and of a length that others can read."""
    text = without_controls(printable(reply[: 2 * LONGEST_TURN])).replace("\r\n", "\n").strip()
    text = re.sub(rf"\A\W{{0,3}}{re.escape(name)}\W{{0,3}}:\W{{0,2}}\s*", "", text)
    return text if len(text) <= LONGEST_TURN else text[:LONGEST_TURN].rstrip() + CUT


def why_not_staged(script: Script, addressings: Sequence[Addressing]) -> str:
    """Why a script cannot be played, as a sentence; "" if it can."""
    names = [role.name.casefold() for role in script.roles]
    subjects = len(script.of_kind(SUBJECT))
    if subjects != 1:
        return f"The script has {subjects or 'no'} {'subjects' if subjects else 'subject'}; give it one."
    if twice := [role.name for role in script.roles if names.count(role.name.casefold()) > 1]:
        return f"The name {twice[0]!r} belongs to more than one role; rename a role."
    if SYSTEM in names:
        return f"A role has the name {SYSTEM!r}, under which the system speaks; rename the role."
    for number, (rule, sent) in enumerate(zip(script.rules, addressings, strict=True), 1):
        if rule.mode not in MODES:
            return f"Rule {number} has the mode {rule.mode!r}; give it one of {', '.join(MODES)}."
        if not rule.text:
            return f"Rule {number} has no text; write what happens."
        if not sent.is_complete:
            missing = "addressee" if sent.speaker else "speaker"
            named = (
                f"names {enumerated(sent.unknown)}, who has no role" if sent.unknown else f"has no {missing}"
            )
            return f"Rule {number} {named}; name roles of the script in it."
    return ""


def staged(case: Case, kept: Values, run: RunContext) -> Work[Values | MadeCase]:
    """The transcript of a script with its counts, or why it cannot be played."""
    script = Script.model_validate(case.payload)
    whole = addressings(script)
    if why := why_not_staged(script, whole):
        return {NOT_STAGED: why}
    assert isinstance(run.settings, StagingSettings)
    memories = {role.name: RoleMemory(role.name, run.settings.remembered) for role in script.roles}
    staging = _Staging(script, whole, run, run.settings, memories)
    yield from staging.play()
    transcript = Transcript(
        scene=script.background,
        roles=tuple(_played(role) for role in script.roles),
        rules=tuple(rule.text for rule in script.rules),
        criterion=script.method,
        turns=tuple(staging.turns),
    )
    faults = Counter(fault for fault, _ in transcript.faults())
    counts: dict[str, JsonValue] = {
        "turns": len(staging.turns),
        "calls": staging.counts["calls"],
        OBJECTIONS: len(staging.objections),
        **{name: staging.counts[name] for name in (_UNREAD, _UNANSWERED, _UNNOTED)},
        **{fault: faults[fault] for fault in (SILENT, OVERLONG, FOR_OTHERS, OUT_OF_SCENE)},
    }
    published: dict[str, JsonValue] = {OBJECTIONS: staging.objections} if staging.objections else {}
    made = TRANSCRIPTS.case(case.group, transcript.model_dump())
    return MadeCase(counts, DatasetCase("", made, published))


def _played(role: ScriptRole) -> PlayedRole:
    told = " ".join(filter(None, (role.background, role.task)))
    return PlayedRole(name=role.name, kind=role.kind, told=told)


def _sampling(settings: ProcedureSettings) -> Mapping[str, Sampling]:
    assert isinstance(settings, StagingSettings)
    speaking = Sampling(settings.temperature)
    return {**dict.fromkeys((SUBJECT, CONFEDERATE, MODERATOR), speaking), SUPERVISOR: Sampling(0.0)}


_SHOWN_IN_TURN = "speaker scene background task words earlier recent rule addressees"
STAGE = CaseProcedure(
    name="stage",
    roles=(SUBJECT, CONFEDERATE, MODERATOR, SUPERVISOR),
    unnamed={CONFEDERATE: SUBJECT, MODERATOR: SUBJECT, SUPERVISOR: ""},
    settings=StagingSettings,
    prompts=PromptPlan(
        "reviewer.protocols.staged_dialogues",
        {
            "turn": frozenset(_SHOWN_IN_TURN.split()),
            "supervision": frozenset(("speaker", "task", "rule", "addressees", "turn")),
            "again": frozenset(("objection",)),
            _NOTES: frozenset(),
        },
    ),
    work=staged,
    makes=TRANSCRIPTS.name,
    made_by=SUBJECT,
    sampling=_sampling,
)
"""Plays each script once; its transcripts are the dataset of the run's name."""
