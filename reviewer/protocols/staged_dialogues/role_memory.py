"""What one role knows of a dialogue: the last turns that reached it, and in short what came before."""

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
    """Grows with every turn that a role says or receives. It asks no model: a turn of a role is one call."""

    def __init__(self, name: str, turns: int) -> None:
        """``turns`` are remembered word for word."""
        self._name, self._turns = name, turns
        self._recent = deque[StagedTurn]()
        self._earlier: list[str] = []

    def take(self, turn: StagedTurn) -> None:
        """Remember a turn; the oldest of those that were remembered word for word is shortened."""
        self._recent.append(turn)
        if len(self._recent) > self._turns:
            oldest = self._recent.popleft()
            begins = _FIRST_SENTENCE.match(oldest.text)
            words = shortened(begins[0] if begins else oldest.text, _CHARACTERS_A_TURN)
            self._earlier.append(self._said(oldest, words))

    @property
    def recent(self) -> str:
        """The last turns, word for word."""
        return "\n\n".join(self._said(turn, turn.text) for turn in self._recent) or _NOTHING

    @property
    def earlier(self) -> str:
        """How each turn before them began. If that is too long, the oldest are left out."""
        lines, room = deque[str](), _MOST_CHARACTERS
        for line in reversed(self._earlier):
            room -= len(line)
            if room < 0:
                lines.appendleft("(More was said before.)")
                break
            lines.appendleft(line)
        return "\n".join(lines) or _NOTHING

    def _said(self, turn: StagedTurn, words: str) -> str:
        names = ["you" if name == self._name else name for name in turn.to]
        return f"{'you' if turn.speaker == self._name else turn.speaker} to {', '.join(names)}: {words}"
