"""What one role knows of a dialogue: the last turns that reached it, and a summary of earlier ones."""

import re
from collections import deque
from typing import Final

from reviewer.core.sanitize import shortened
from reviewer.protocols.staged_dialogues.transcript import StagedTurn

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
