"""A reply as statements, each with whether it is announced, asked, or takes back what was said before.

Lines announce an answer: "Decision: …", "Final verdict – …", or "### Decision" with the next line. Words that
are only quoted judge no choice: 'It ends with "I hope this is the best answer!"'.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviewer.protocols.reading.mentions import Mention, places_of_all
from reviewer.protocols.reading.naming_words import ORDINALS, phrases_of, words_of
from reviewer.protocols.reading.plain_lines import NO_MARK, YES_MARK
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole

_COLONS: Final = frozenset((":", "："))
_SEPARATORS: Final = frozenset((":", "：", "-", "–", "—", "=", "=>", "→"))
_SURE_SEPARATORS: Final = frozenset(("=", "=>", "→", "–", "—"))
_SKIPPED: Final = frozenset((":", "-", "–", "—", ">", ">>", "☑", "=", ".", "•", "*"))
_STARTS: Final = frozenset(".!?;…。？！؟।；)]")
_OPENING: Final = frozenset(('"', "“", "(", "☑"))
_PREPOSITIONS: Final = frozenset(("for", "in", "between", "here", "on", "of"))
_BEFORE: Final = words_of(
    """
    my the final best recommended overall our own a an so therefore thus hence and ultimate firm clear last
    updated revised new corrected correct short official personal your requested resulting definitive actual
    single preferred chosen selected better stronger winning in conclusion here is step here's ok okay well
    right now meine die der das finale endgültige ma abschließende la le mon mi el minha o mia il mijn de
    moja 最终 最終 我的 окончательное окончательный мой моё итоговое итоговый 최종 나의 , ( ☑ * • - – > 1 2
    3 4 5 6 7 8 9
    """
)
"""Words and signs that may stand before the word that announces."""
_TAKES_BACK: Final = WordRole.EARLIER | WordRole.REFUSES | WordRole.NEGATES | WordRole.BAD | WordRole.OTHERS
_MOST_OF_LABEL: Final = 12
_MOST_BEFORE_LABEL: Final = 50
"""Longer runs of words are not looked through, because every word of a run would do it again."""
_FIRST_WORDS: Final = 5
_IS: Final = frozenset(("is", "lautet", "ist", "est", "es"))
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
_MEANING: Final = phrases_of("i mean; i meant")
_BEFORE_CORRECTION: Final = frozenset(("no", "but", "oh", "or"))
_QUOTES: Final = {"“": "”", "„": "“", '"': '"', "«": "»"}
_FEWEST_WORDS: Final = 3
_INSIDE: Final = WordRole.GLUE


class Labels:
    """Finds what announces an answer. ``starts`` are the places where names of choices begin."""

    def __init__(
        self, tokens: ReplyTokens, inside: Sequence[int], starts: Collection[int], announcers: frozenset[str]
    ) -> None:
        self._tokens, self._inside, self._starts, self._announcers = tokens, inside, starts, announcers
        self._words, self._roles = tokens.words, tokens.roles

    def within(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where each label of a line begins, and where what it announces does."""
        words, behind = self._words, start
        for at in [at for at in range(start, end) if words[at] in self._announcers]:
            value = self._value(at, start, end) if at >= behind and self._announces(at) else None
            if value is not None:
                yield self._begin(at, start), value
                behind = value

    def _announces(self, at: int) -> bool:
        return not self._inside[at] or (at in self._starts and self._tokens.word(at + 1) in _COLONS)

    def _begin(self, at: int, start: int) -> int:
        first = max(start, at - _MOST_BEFORE_LABEL)
        while at > first and self._words[at - 1] in _BEFORE and not self._inside[at - 1]:
            at -= 1
        return at

    def _value(self, at: int, start: int, end: int) -> int | None:
        """Where the answer begins that the word at a place announces; None if it announces nothing."""
        tokens, begin = self._tokens, self._begin(at, start)
        begins_sentence = begin == start or tokens.words[begin - 1] in _STARTS
        if not begins_sentence and self._is_taken_back(begin):
            return None
        predicate = begin > start and self._inside[begin - 1]
        place = self._end_of_label(at, end, begins_sentence and at - start < _FIRST_WORDS)
        if place >= end:
            marks = begin > start and YES_MARK in tokens.words[begin:at]  # "… ☑ my choice"
            return end if begins_sentence and not marks else None
        if tokens.words[place] in _IS and tokens.word(place + 1) in _COLONS:
            place += 1
        sign = tokens.words[place]
        if sign in _COLONS:
            value = self._skip(place + 1, end)
            return value if not predicate or value in self._starts else None
        if sign in _SEPARATORS and place + 1 in self._starts:
            return place + 1
        return self._value_at_beginning(place, end) if begins_sentence else None

    def _value_at_beginning(self, place: int, end: int) -> int | None:
        """The same for a label at the beginning of a sentence, which needs less behind it."""
        tokens, sign = self._tokens, self._words[place]
        if sign in _SEPARATORS and (tokens.spaced[place] or sign in _SURE_SEPARATORS):
            return self._skip(place + 1, end)
        if place in self._starts or (sign in _OPENING and place + 1 in self._starts):
            return place
        return end if sign in (".", "!") and place + 1 >= end else None

    def _is_taken_back(self, begin: int) -> bool:
        """Whether the word before says that it is somebody else's, or not the last one."""
        before, role = self._words[begin - 1], self._roles[begin - 1]
        says = role & WordRole.IS and before not in _COLONS  # "A cannot be recommended: …"
        return (
            bool(says or role & _TAKES_BACK) or ORDINALS.get(before, 1) > 1 or before.endswith(("'s", "s'"))
        )

    def _end_of_label(self, at: int, end: int, may_go_on: bool) -> int:
        """Behind the words of a label: "Final decision (for this team)", "Verdict for this pair:"."""
        words, place = self._words, at + 1
        most = min(end, place + _MOST_OF_LABEL)
        while place < most and words[place] in self._announcers and not self._inside[place]:
            place += 1
        if place < end and words[place] == "(":
            close = self._next(")", place, end)
            place = close + 1 if close and not any(self._inside[place:close]) else place
        if may_go_on and place < end and words[place] in _PREPOSITIONS:
            colon = self._next(":", place, end)
            about = words[place] in ("on", "of") and colon and any(self._inside[place:colon])
            place = colon if colon and not about else place
        return place

    def _next(self, sign: str, place: int, end: int) -> int | None:
        limit = min(end, place + _MOST_OF_LABEL)
        return next((near for near in range(place, limit) if self._words[near] == sign), None)

    def _skip(self, at: int, end: int) -> int:
        while at < end and self._words[at] in _SKIPPED:
            at += 1
        return at


@dataclass(frozen=True, slots=True)
class Statement:
    """A run of tokens. ``region`` counts what is announced, from 1; 0 if nothing announces it.

    ``opens``: it is the first of its region or line. ``judged``: the choices that it names.
    """

    start: int
    end: int
    region: int = 0
    opens: bool = False
    asked: bool = False
    corrects: bool = False
    judged: Sequence[Mention] = ()

    def with_judged(self, judged: Sequence[Mention]) -> "Statement":
        """The same statement with its effect on the choices that it names."""
        return replace(self, judged=judged)

    @property
    def places(self) -> range:
        """Its tokens."""
        return range(self.start, self.end)


class Statements:
    """Cuts tokens into statements."""

    def __init__(self, tokens: ReplyTokens, mentions: Sequence[Mention], announcers: frozenset[str]) -> None:
        self._tokens = tokens
        self._words, self._roles = tokens.words, tokens.roles
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
        words = self._words
        before = begin - 1 - (words[begin - 1] in _OPENING_QUOTES)
        return start <= before and words[before] in _ALTERNATIVES

    def _sentences(self, start: int, end: int, region: int) -> Iterator[Statement]:
        begin, opens, corrects = start, True, False
        words, roles = self._words, self._roles
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
        words = self._words
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
        near = self._words[max(start, at - _MOST_OF_QUOTATION) : at]
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
        words = self._words
        if _ASKS.isdisjoint(words[at:stop]):
            return False
        return not (words[at - 3 : at - 2] == [","] and words[at - 2].endswith("n't"))  # "…, isn't it?"

    def _says_something(self, start: int, end: int) -> bool:
        return any(word[0].isalnum() or word in _MARKS for word in self._words[start:end])

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


def silence_quotations(tokens: ReplyTokens, mentions: Sequence[Mention]) -> None:
    """Takes the roles from the words of longer quotations that name no choice."""
    named = places_of_all(mentions)
    for places in _quotations(tokens):
        words = sum(tokens.words[at][0].isalnum() for at in places)
        if words >= _FEWEST_WORDS and named.isdisjoint(places):
            for at in places:
                tokens.roles[at] = _INSIDE if tokens.roles[at] else 0


def _quotations(tokens: ReplyTokens) -> Iterator[range]:
    """What stands between two quotation marks of a line."""
    for start, end in tokens.lines():
        opening, closing = -1, ""
        for at in range(start, end):
            word = tokens.words[at]
            if opening < 0 and word in _QUOTES:
                opening, closing = at, _QUOTES[word]
            elif opening >= 0 and word == closing:
                yield range(opening + 1, at)
                opening = -1
