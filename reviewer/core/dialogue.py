"""Dialogues as plain values: turns with their speakers and addressees."""

from dataclasses import dataclass
from typing import Literal, get_args

Way = Literal["one", "some", "all", "system"]
_WAYS: dict[Way, str] = {"one": "to one", "some": "to some", "all": "to all", "system": "from the system"}


@dataclass(frozen=True, slots=True)
class Turn:
    """What a speaker says in a dialogue, to whom, and in which way.

    Raises ValueError for an unknown way, and for several addressees of a turn to one.
    """

    speaker: str
    text: str
    to: tuple[str, ...] = ()
    way: Way = "all"

    def __post_init__(self) -> None:
        """Check the way and the number of addressees."""
        if self.way not in get_args(Way):
            raise ValueError(f"{self.way!r} is not a way of a turn; give {' or '.join(get_args(Way))}.")
        if self.way == "one" and len(self.to) > 1:
            raise ValueError(
                f"a turn to one has {len(self.to)} addressees; give one of them, or the way some."
            )

    @property
    def name(self) -> str:
        """The speaker, or a word where none is named."""
        return self.speaker or ("system" if self.way == "system" else "no name")

    @property
    def addressed(self) -> str:
        """The speaker, the addressees and the way."""
        return f"{' → '.join(filter(None, (self.name, ', '.join(self.to))))} ({_WAYS[self.way]})"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns in their order. Addressees and ways are shown if any turn is not simply to all."""

    turns: tuple[Turn, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """The names of the speakers, in the order in which they begin to speak."""
        return tuple(dict.fromkeys(turn.name for turn in self.turns))

    @property
    def heads(self) -> tuple[str, ...]:
        """For each turn its number, its speaker and, where it is shown, to whom it is addressed."""
        is_addressed = any(turn.to or turn.way != "all" for turn in self.turns)
        names = (turn.addressed if is_addressed else turn.name for turn in self.turns)
        return tuple(f"{number}  {name}" for number, name in enumerate(names, 1))

    @property
    def text(self) -> str:
        """All turns, each below its head."""
        return "\n\n".join(f"{head}\n{turn.text}" for head, turn in zip(self.heads, self.turns, strict=True))
