"""Where a line announces an answer: "Decision: …", "Final verdict – …", "### Decision" with the next line."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from reviewer.protocols.reading.layout import YES_MARK
from reviewer.protocols.reading.naming_words import ORDINALS, words_of
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

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


class Labels:
    """Finds what announces an answer. ``starts`` are the places where names of choices begin."""

    def __init__(
        self, tokens: ReplyTokens, inside: Sequence[int], starts: Collection[int], announcers: frozenset[str]
    ) -> None:
        self._tokens, self._inside, self._starts, self._announcers = tokens, inside, starts, announcers

    def within(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where each label of a line begins, and where what it announces does."""
        words, behind = self._tokens.words, start
        for at in [at for at in range(start, end) if words[at] in self._announcers]:
            value = self._value(at, start, end) if at >= behind and self._announces(at) else None
            if value is not None:
                yield self._begin(at, start), value
                behind = value

    def _announces(self, at: int) -> bool:
        return not self._inside[at] or (at in self._starts and self._tokens.word(at + 1) in _COLONS)

    def _begin(self, at: int, start: int) -> int:
        first = max(start, at - _MOST_BEFORE_LABEL)
        while at > first and self._tokens.words[at - 1] in _BEFORE and not self._inside[at - 1]:
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
        tokens, sign = self._tokens, self._tokens.words[place]
        if sign in _SEPARATORS and (tokens.spaced[place] or sign in _SURE_SEPARATORS):
            return self._skip(place + 1, end)
        if place in self._starts or (sign in _OPENING and place + 1 in self._starts):
            return place
        return end if sign in (".", "!") and place + 1 >= end else None

    def _is_taken_back(self, begin: int) -> bool:
        """Whether the word before says that it is somebody else's, or not the last one."""
        before, role = self._tokens.words[begin - 1], self._tokens.roles[begin - 1]
        says = role & WordRole.IS and before not in _COLONS  # "A cannot be recommended: …"
        return (
            bool(says or role & _TAKES_BACK) or ORDINALS.get(before, 1) > 1 or before.endswith(("'s", "s'"))
        )

    def _end_of_label(self, at: int, end: int, may_go_on: bool) -> int:
        """Behind the words of a label: "Final decision (for this team)", "Verdict for this pair:"."""
        words, place = self._tokens.words, at + 1
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
        return next((near for near in range(place, limit) if self._tokens.words[near] == sign), None)

    def _skip(self, at: int, end: int) -> int:
        while at < end and self._tokens.words[at] in _SKIPPED:
            at += 1
        return at
