"""The texts of all choices of a question: where a reply says one of them, or words that only one has."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from typing import Final

from reviewer.protocols.reading.choices import Choice
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.near_text import DEGREES, SearchedText, Stems, clearest, end_of_units
from reviewer.protocols.reading.reply_tokens import ReplyTokens, places_of
from reviewer.protocols.reading.roles import WordRole, roles_of
from reviewer.protocols.reading.words import ROLES

_APART: Final = 5
"""How many words apart two words of a choice may stand."""
_MOST_OF_NAME: Final = 2
"""How many words name a choice before its text: "option B"."""
_PARTS: Final = roles_of("negates excepts refuses speaks but since if concedes bad takes")
_CURRENCIES: Final = frozenset("$€£")
_CLAUSE_ENDS: Final = frozenset(",:;()–—→")
_MORE_OR_LESS: Final = words_of("more less fewer higher lower above below over under")
_BOUNDS: Final = frozenset(
    (word, "than") for word in ("more", "less", "fewer", "higher", "lower", "other", "better", "worse")
) | {("at", "least"), ("at", "most"), ("up", "to")}
_BOUND_WORDS: Final = frozenset(("above", "below", "beyond", "exceeding", "nearly", "almost"))
_SHORT: Final = 8
"""A reply of so few words that says only words of one choice says the choice."""
_FEW: Final = 3
"""A reply of so few words with a meaning says the one choice of which it has a word."""
_PRONOUNS: Final = frozenset(("it", "him", "her", "them"))
"""What a verb of a choice stands before that says the choice: "Feed it.", but not "Go by rail."."""
_UNIT_STEMS: Final = frozenset(("dollar", "euro", "pound", "percent"))
_NEGATION: Final = "not"
"""The stem of negations: one alone says no choice, also if a choice begins with it."""
_AFTER_NO: Final = words_of("it he she they this that there i we you not because since as the")
"""What follows an answer "No" without a sign, and is not what there is none of."""
_CALLED: Final = frozenset(("word", "words", "term", "phrase"))
_QUOTES: Final = frozenset("\"'“‘")
_NEVER_OWN: Final = frozenset((_NEGATION, "both", "either", "neither"))
"""Stems that say no choice alone."""


class ChoiceTexts:
    """The texts of choices, ready to be found in replies."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        self._texts = [SearchedText(choice) for choice in choices if choice.text.strip()]
        counts = Counter(each for text in self._texts for each in set(text.stems.stems))
        self._own = {
            text.label: {each for each in text.stems.stems if counts[each] == 1 and each not in _NEVER_OWN}
            for text in self._texts
        }
        self._most_said = max((len(text.said) + _MOST_OF_NAME for text in self._texts), default=0)
        self._any_own = frozenset().union(*self._own.values())
        self._scaled = {text.label for text in self._texts if any(map(text.is_less_than, self._texts))}
        """The choices that another one names to a degree: "satisfied" beside "very satisfied"."""
        stems = Counter(tuple(text.stems.stems) for text in self._texts)
        self._alike = [text for text in self._texts if stems[tuple(text.stems.stems)] > 1]
        """The choices that differ from another one only in endings and small words: "Hire him"."""
        self._roles = {text.label: text.roles for text in self._texts}

    def __bool__(self) -> bool:
        return bool(self._texts)

    def mentions(self, tokens: ReplyTokens) -> list[Mention]:
        """Where the reply says a choice; of those that overlap the nearest, else the longest."""
        reply = Stems.of(tokens.stems)
        said = clearest([match for text in self._texts for match in text.near(reply, tokens)])
        if self._alike:
            alike = {text.label for text in self._alike}
            said = [*(mention for mention in said if mention.label not in alike), *self._in_full(tokens)]
        return [mention for mention in said if self._is_meant(mention, tokens)]

    def _in_full(self, tokens: ReplyTokens) -> Iterator[Mention]:
        """Where a reply says all words of a choice that differs from another one only in such words."""
        for text in self._alike:
            size = len(text.words)
            for start in places_of(text.words[:1], tokens.words):
                if tokens.words[start : start + size] == text.words:
                    yield Mention(start, start + size, text.label, MentionKind.TEXT)

    def _is_meant(self, mention: Mention, tokens: ReplyTokens) -> bool:
        """Whether it is said as the choice has it: not "quite satisfied" on a scale, or "could be late"."""
        if mention.label in self._scaled and tokens.word(mention.start - 1) in DEGREES:
            return False
        if self._is_adverb(mention, tokens) or _is_bound(mention, tokens):
            return False
        doubts = tokens.roles_in(mention.places) & (WordRole.COULD | WordRole.PONDERS)
        return not doubts & ~self._roles[mention.label]

    def _is_adverb(self, mention: Mention, tokens: ReplyTokens) -> bool:
        """Whether words such as "definitely not" go on in a sentence, and are not said as an answer."""
        places = mention.places
        if _is_spoken_of(mention, tokens):
            return True
        after = tokens.word(mention.end)
        if tokens.words[mention.start : mention.end] == ["no"] and after.isalpha():
            return after not in _AFTER_NO  # "No opinion."
        weak = all(tokens.roles[at] & (WordRole.NEGATES | WordRole.GLUE) for at in places)
        return weak and tokens.word(mention.end)[0].isalnum() and tokens.word(mention.start - 1)[0].isalnum()

    def equal(self, tokens: ReplyTokens) -> str | None:
        """The one choice whose words are all that the reply says, but for its name before them."""
        said = list(islice(tokens.said(), self._most_said + 1))
        equal = [
            text.label
            for text in self._texts
            if said in (text.said, *(name + text.said for name in text.names))
        ]
        return equal[0] if len(equal) == 1 else None

    def says(self, mention: Mention, tokens: ReplyTokens) -> bool:
        """Whether a mention has all words of its choice, and no others."""
        words = [word for word in tokens.words[mention.start : mention.end] if word[0].isalnum()]
        return any(text.label == mention.label and text.words == words for text in self._texts)

    def parts(self, tokens: ReplyTokens, start: int, end: int) -> Iterator[Mention]:
        """Where a statement says words that only one choice has."""
        own_places = [at for at in range(start, end) if tokens.stems[at] in self._any_own]
        if not own_places:
            return
        content = _content(tokens, start, end)
        for text in self._texts:
            own = self._own[text.label]
            for places in _runs([at for at in own_places if tokens.stems[at] in own], tokens, text.own):
                if self._is_counted(text, places, tokens) and _is_as_negated(text, places, tokens, start):
                    kind = self._kind(text, places, tokens, content, (start, end))
                    first, last = _widened(text, places, tokens, start, end)
                    mention = Mention(first, end_of_units(tokens, last) + 1, text.label, kind)
                    if self._is_meant(mention, tokens):
                        yield mention

    def _is_counted(self, text: SearchedText, places: Sequence[int], tokens: ReplyTokens) -> bool:
        """Whether the words are not only numbers, or the same word follows them as in the choice."""
        if not all(tokens.stems[at][-1].isdigit() for at in places):
            return True
        after = [tokens.stems[at + 1] for at in places if at + 1 < len(tokens)]
        if any(each and not each[-1].isdigit() and each in text.own for each in after):
            return True
        return any(tokens.word(at - 1) in _CURRENCIES or end_of_units(tokens, at) > at for at in places)

    def _kind(
        self,
        text: SearchedText,
        places: Sequence[int],
        tokens: ReplyTokens,
        content: set[str],
        span: tuple[int, int],
    ) -> MentionKind:
        """How surely the words mean the choice; as its text if the statement has no other words."""
        own, said = self._own[text.label], {tokens.stems[at] for at in places}
        half = 2 * len(said) >= len(own)
        proper = any(tokens.raw[at][0].isupper() for at in places if at > span[0])
        told = said - {text.stems.stems[0]} or tokens.word(places[-1] + 1) in _PRONOUNS
        alone = len(tokens) <= _SHORT and self._is_alone(own, {*tokens.stems}, brief=bool(told))
        if alone or (content <= text.own and (proper or half)):
            return MentionKind.TEXT
        plain = half and _content(tokens, *_clause_of(tokens, places, *span)) <= text.own
        return MentionKind.PART if plain or len(said) > 1 else MentionKind.HINT

    def _is_alone(self, own: Set[str], stems: Set[str], *, brief: bool) -> bool:
        """Whether a short reply only has words of one choice, or, if it is ``brief``, few others."""
        meant = stems - {"", *_UNIT_STEMS}
        return own >= meant or (brief and len(meant) <= _FEW and not meant & (self._any_own - own))


def _is_spoken_of(mention: Mention, tokens: ReplyTokens) -> bool:
    """Whether a word is only spoken of, or is one of two: "the word 'unlikely'", "likely or very likely"."""
    before = mention.start - 1 - (tokens.word(mention.start - 1) in _QUOTES)
    inside = tokens.words[mention.start + 1 : mention.end]
    return tokens.word(before) in _CALLED or (mention.end - mention.start <= _FEW and "or" in inside)


def _is_bound(mention: Mention, tokens: ReplyTokens) -> bool:
    """Whether a number only bounds others: "50% or more", "at least $5,000"."""
    if not any(tokens.words[at][0].isdigit() for at in mention.places):
        return False
    behind = (tokens.word(mention.end), tokens.word(mention.end + 1))
    at = mention.start - (tokens.word(mention.start - 1) in _CURRENCIES)
    before = (tokens.word(at - 2), tokens.word(at - 1))
    return (
        (behind[0] == "or" and behind[1] in _MORE_OR_LESS) or before in _BOUNDS or before[1] in _BOUND_WORDS
    )


def _content(tokens: ReplyTokens, start: int, end: int) -> set[str]:
    """The stems of those words of a run that have no role: they have no effect on choices."""
    return {tokens.stems[at] for at in range(start, end) if not ROLES.get(tokens.words[at])} - {""}


def _clause_of(tokens: ReplyTokens, places: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """From which sign to which the clauses go in which some words stand."""
    first = next((at for at in range(places[0], start, -1) if tokens.words[at] in _CLAUSE_ENDS), start)
    last = next((at for at in range(places[-1], end) if tokens.words[at] in _CLAUSE_ENDS), end)
    return first, last


def _is_as_negated(text: SearchedText, places: Sequence[int], tokens: ReplyTokens, start: int) -> bool:
    """Whether a negation stands by the words if the choice has one: "cares" says no "doesn't care"."""
    if _NEGATION not in text.own:
        return True
    return _NEGATION in tokens.stems[max(start, places[0] - _APART) : places[-1] + 1]


def _runs(places: list[int], tokens: ReplyTokens, stems: Set[str]) -> list[list[int]]:
    """The runs of places with few words between two of them, and none that turns down or tells a source."""
    runs = list[list[int]]()
    for place in places:
        between = range(runs[-1][-1] + 1, place) if runs else range(0)
        parted = any(tokens.roles[at] & _PARTS and tokens.stems[at] not in stems for at in between)
        if runs and len(between) < _APART and not parted:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _widened(
    text: SearchedText, places: Sequence[int], tokens: ReplyTokens, start: int, end: int
) -> tuple[int, int]:
    """The first and last token of a run of words, with those next to it that the choice has too."""
    return (
        _edge(text.own, tokens, range(places[0] - 1, start - 1, -1), places[0]),
        _edge(text.own, tokens, range(places[-1] + 1, end), places[-1]),
    )


def _edge(stems: Set[str], tokens: ReplyTokens, places: range, edge: int) -> int:
    for at in places:
        if tokens.stems[at] in stems:
            edge = at
        elif tokens.stems[at] or not tokens.words[at][0].isalnum():
            break
    return edge
