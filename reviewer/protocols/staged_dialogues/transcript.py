"""The payload of a transcript: a script as it was played, turn by turn, and the faults of its turns."""

import re
from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from reviewer.core.dialogue import Dialogue, Turn, Way
from reviewer.protocols.payload_text import KeptText
from reviewer.protocols.staged_dialogues.addressing import SYSTEM
from reviewer.protocols.staged_dialogues.script import (
    MOST_ROLES,
    MOST_RULES,
    SUBJECT,
)

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
