"""Dialogues as plain values: turns with their speakers and addressees."""

from dataclasses import dataclass
from itertools import groupby
from typing import Literal, get_args

PARAGRAPH_BREAK = "\n\n"
Way = Literal["one", "some", "all", "system"]
_WAYS: dict[Way, str] = {"one": "to one", "some": "to some", "all": "to all", "system": "from the system"}


@dataclass(frozen=True, slots=True)
class Turn:
    """What a speaker says in a dialogue, to whom, and in which way.

    ``rule`` names what the turn follows, such as a rule of a script. Neighbours with the same one belong
    together. Raises ValueError for an unknown way, and for several addressees of a turn to one.
    """

    speaker: str
    text: str
    to: tuple[str, ...] = ()
    way: Way = "all"
    rule: str = ""

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

    def reaches(self, name: str) -> bool:
        """Whether somebody could know it: they say it, or it was sent to them."""
        to_everybody = self.way == "all" or (self.way == "system" and not self.to)
        return to_everybody or name in (self.name, *self.to)

    @property
    def addressed(self) -> str:
        """The speaker, the addressees and the way."""
        return f"{' → '.join(filter(None, (self.name, ', '.join(self.to))))} ({_WAYS[self.way]})"


@dataclass(frozen=True, slots=True)
class RuleTurns:
    """Neighbouring turns that follow one rule: its name, its wording, and the turns' places
    from 0.
    """

    rule: str
    wording: str
    turns: range

    @property
    def head(self) -> str:
        """The name of the rule and its wording."""
        return ": ".join(filter(None, (self.rule, self.wording)))


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns in their order. Addressees and ways are shown if any turn is not simply to all.

    ``wordings`` are the texts of the rules of turns, by their names. ``subject`` is the name of whom the
    dialogue is about, if it is about one; their view alone comes before those of others.
    """

    turns: tuple[Turn, ...]
    wordings: tuple[tuple[str, str], ...] = ()
    subject: str = ""

    @property
    def speakers(self) -> tuple[str, ...]:
        """The subject, and the names of the speakers in the order in which they begin to speak."""
        subject = (self.subject,) if self.subject else ()
        return tuple(dict.fromkeys((*subject, *(turn.name for turn in self.turns))))

    @property
    def has_rules(self) -> bool:
        """Whether turns follow rules, so that one speaker's knowledge is worth seeing alone."""
        return any(turn.rule for turn in self.turns)

    @property
    def by_rule(self) -> tuple[RuleTurns, ...]:
        """All turns, in groups of neighbours that follow the same rule."""
        wordings, begin, groups = dict(self.wordings), 0, list[RuleTurns]()
        for rule, turns in groupby(turn.rule for turn in self.turns):
            end = begin + sum(1 for _ in turns)
            groups.append(RuleTurns(rule, wordings.get(rule, ""), range(begin, end)))
            begin = end
        return tuple(groups)

    def seen_by(self, name: str) -> tuple[int, ...]:
        """The places of the turns that somebody could know: their own, and those that reached them."""
        return tuple(place for place, turn in enumerate(self.turns) if turn.reaches(name))

    @property
    def heads(self) -> tuple[str, ...]:
        """For each turn its number, its speaker and, where it is shown, to whom it is addressed."""
        is_addressed = any(turn.to or turn.way != "all" for turn in self.turns)
        names = (turn.addressed if is_addressed else turn.name for turn in self.turns)
        return tuple(f"{number}  {name}" for number, name in enumerate(names, 1))

    @property
    def paragraphs(self) -> tuple[tuple[tuple[int, ...], str], ...]:
        """The paragraphs of its text: each head of a rule with the number of its group (from 0), and each
        turn with that number and its own place.
        """
        heads, paragraphs = self.heads, list[tuple[tuple[int, ...], str]]()
        for number, group in enumerate(self.by_rule):
            paragraphs += [((number,), group.head)] if group.rule else []
            for place in group.turns:
                paragraphs.append(((number, place), f"{heads[place]}\n{self.turns[place].text}"))
        return tuple(paragraphs)

    @property
    def text(self) -> str:
        """All turns, each below its head, and below the head of its rule."""
        return PARAGRAPH_BREAK.join(paragraph for _, paragraph in self.paragraphs)
