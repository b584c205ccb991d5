"""A reply as statements, each with whether it is announced, asked, or takes back what was said before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.protocols.reading.labels import Labels
from reviewer.protocols.reading.layout import NO_MARK, YES_MARK
from reviewer.protocols.reading.mentions import Mention
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

_ENDS: Final = frozenset(".!?;…。？！؟।；")
_AFTER_END: Final = frozenset('?!)"”')
_CLOSING_QUOTES: Final = frozenset('"”')
_OPENING_QUOTES: Final = frozenset('"“„«')
_MOST_OF_QUOTATION: Final = 40
_ASKS: Final = frozenset("?？؟")
_MARKS: Final = frozenset((YES_MARK, NO_MARK))
_SHORTENED: Final = frozenset(("opt", "vs", "approx", "nr"))
_ALTERNATIVES: Final = frozenset(("or", "oder", "ou", "或"))
_BEFORE_PHRASE: Final = WordRole.IS | WordRole.BUT | WordRole.JOINS | WordRole.SO | WordRole.FIRST
_OWN_PHRASE: Final = frozenset(("i", "i'm", "my", "let", "on", "upon", "now", "after", "to"))
_TAKING_BACK: Final = frozenset(("no", "hmm", "wait", "oh", "sorry", "actually"))
"""What takes back a letter before it, which then is no number of a list: "B. No, that would be wrong"."""
_MEANING: Final = (["i", "mean"], ["i", "meant"])
_BEFORE_CORRECTION: Final = frozenset(("no", "but", "oh", "or"))


@dataclass(frozen=True, slots=True)
class Statement:
    """A run of tokens. ``region`` counts what is announced, from 1; 0 if nothing announces it.

    ``opens``: it is the first of its region or line.
    """

    start: int
    end: int
    region: int = 0
    opens: bool = False
    asked: bool = False
    corrects: bool = False


class Statements:
    """Cuts tokens into statements."""

    def __init__(self, tokens: ReplyTokens, mentions: Sequence[Mention], announcers: frozenset[str]) -> None:
        self._tokens = tokens
        self._inside = bytearray(len(tokens) + 1)
        for mention in mentions:
            self._inside[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
        self._labels = Labels(tokens, self._inside, {mention.start for mention in mentions}, announcers)
        self._region = 0
        self._left_open = False
        """Whether the last label has nothing behind it yet."""

    def __iter__(self) -> Iterator[Statement]:
        for start, end in self._tokens.lines():
            if self._says_something(start, end):
                yield from self._of_line(start, end)
        if self._left_open:
            yield Statement(len(self._tokens), len(self._tokens), self._region, True)

    def _of_line(self, start: int, end: int) -> Iterator[Statement]:
        """The statements of one line: those before each label, and those that it announces."""
        labels = list(self._labels.within(start, end))
        if any(self._follows_or(begin, start) for begin, _ in labels):
            labels = []
        bounds = [*labels, (end, end)]
        yield from self._sentences(start, bounds[0][0], self._region if self._left_open else 0)
        self._left_open = False
        for (_, value), (until, _) in zip(labels, bounds[1:], strict=True):
            self._region += 1
            self._left_open = value >= until
            yield from self._sentences(value, until, self._region)

    def _follows_or(self, begin: int, start: int) -> bool:
        """Whether an announcement is one of several that are quoted: 'or "Decision: B"'."""
        words = self._tokens.words
        before = begin - 1 - (words[begin - 1] in _OPENING_QUOTES)
        return start <= before and words[before] in _ALTERNATIVES

    def _sentences(self, start: int, end: int, region: int) -> Iterator[Statement]:
        begin, opens, corrects = start, True, False
        words, roles = self._tokens.words, self._tokens.roles
        for at in [at for at in range(start, end) if words[at] in _ENDS or roles[at] & WordRole.CORRECTS]:
            if at < begin:
                continue
            correction = self._is_correction(at, start)
            own = at - begin == 1 and {words[begin]} & _OWN_PHRASE
            stop = at if correction and at > begin and not own else self._end_of_sentence(at, start, end)
            if stop is not None and self._says_something(begin, at):
                yield Statement(begin, stop, region, opens, self._asks(at, stop), corrects)
                opens, corrects = False, False
            corrects = corrects or correction
            begin = begin if stop is None else stop
        if self._says_something(begin, end):
            yield Statement(begin, end, region, opens, False, corrects)

    def _end_of_sentence(self, at: int, start: int, end: int) -> int | None:
        """Where the next sentence begins if one ends here."""
        words = self._tokens.words
        if words[at] not in _ENDS or self._inside[at] or not self._is_end(at, start, end):
            return None
        stop = at + 1
        while stop < end and words[stop] in _AFTER_END:
            stop += 1
        goes_on = stop < end and self._tokens.raw[stop][0].islower()
        if goes_on and words[at + 1] in _CLOSING_QUOTES and self._is_quoted(start, at):
            return None  # 'It ends with "Rate me!" and …'
        return stop

    def _is_quoted(self, start: int, at: int) -> bool:
        """Whether a quotation of the line is open at a place."""
        near = self._tokens.words[max(start, at - _MOST_OF_QUOTATION) : at]
        return sum(word in _CLOSING_QUOTES for word in near) % 2 == 1

    def _is_end(self, at: int, start: int, end: int) -> bool:
        """Whether a sign ends a sentence, and not a number of a list or a shortened word."""
        tokens = self._tokens
        if tokens.words[at] != "." or at + 1 >= end:
            return True
        if not tokens.spaced[at + 1] and tokens.words[at + 1][0].isalnum():
            return False
        before = tokens.word(at - 1)
        if len(before) == 1 and tokens.word(at - 2) == ".":  # i.e., e.g.
            return False
        if at - start == 1 and (len(before) == 1 or before.isdigit()):
            return tokens.word(at + 1) in _TAKING_BACK
        return before not in _SHORTENED

    def _asks(self, at: int, stop: int) -> bool:
        words = self._tokens.words
        if _ASKS.isdisjoint(words[at:stop]):
            return False
        return not (words[at - 3 : at - 2] == [","] and words[at - 2].endswith("n't"))  # "…, isn't it?"

    def _says_something(self, start: int, end: int) -> bool:
        return any(word[0].isalnum() or word in _MARKS for word in self._tokens.words[start:end])

    def _is_correction(self, at: int, start: int) -> bool:
        """Whether a statement that takes back begins here: behind a sign, or with a phrase."""
        tokens = self._tokens
        if not tokens.roles[at] & WordRole.CORRECTS or self._inside[at]:
            return False
        if tokens.words[at : at + 2] in _MEANING and tokens.word(at + 2) in _ENDS:
            return False  # "that's what I mean."
        before = tokens.words[at - 1] if at > start else "\n"
        if not (before[0].isalnum() and tokens.words[at][0].isalnum()) or before in _BEFORE_CORRECTION:
            return True
        own = tokens.roles[at - 1] & _BEFORE_PHRASE or {before, tokens.words[at]} & _OWN_PHRASE
        return tokens.absorbed[at] and bool(own)
