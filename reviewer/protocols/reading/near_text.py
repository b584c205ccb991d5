"""Where a reply says the text of a choice, word for word or nearly.

Words are compared without their endings, and words that carry no meaning are left out. A run of words whose
similarity to a choice reaches the threshold says it if it has the numbers and the negations of the choice.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from reviewer.protocols.reading.choices import Choice
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens, places_of, reply_tokens, stem_of
from reviewer.similarity.edit_distance import similarities

_THRESHOLD: Final = 0.8
_CLEAR: Final = 0.04
"""How much nearer a choice must be than another one in the same place."""
_NEARLY: Final = 0.6
"""From which similarity on runs that are a word shorter or longer are compared too."""
_MOST_MATCHES: Final = 400
"""Of a reply that says choices more often only the last are compared."""
_PARTING: Final = frozenset('\n.!?:"“”')
"""Signs that part what is said, unless the choice has them."""
_QUOTES: Final = frozenset('"“”')
_UNITS: Final = words_of("% € $ percent dollars dollar euros pounds hundred thousand million k")
DEGREES: Final = words_of(
    """
    very quite somewhat slightly rather fairly extremely highly moderately mostly bit little pretty strongly
    totally completely much almost nearly barely hardly more less most least
    """
)
"""Words that tell how much, as scales have them."""
_LONG: Final = 3
"""From how many words on a choice may be said with a word more or less."""


@dataclass(frozen=True, slots=True)
class Stems:
    """The stems of a text, where each begins and ends in the joined text, and its token."""

    stems: list[str]
    starts: list[int]
    ends: list[int]
    tokens: list[int]
    joined: str

    @classmethod
    def of(cls, every: Sequence[str]) -> "Stems":
        """Of the stems of all tokens, those that mean something."""
        meant = [(place, each) for place, each in enumerate(every) if each]
        stems = [each for _, each in meant]
        lengths = list(map(len, stems))
        ends = [end + number for number, end in enumerate(accumulate(lengths))]
        starts = [end - length for end, length in zip(ends, lengths, strict=True)]
        return cls(stems, starts, ends, [place for place, _ in meant], " ".join(stems))

    def windows(self, spans: Sequence[tuple[int, int]]) -> list[str]:
        """Runs of stems as texts; of each run where it starts and how many stems it has at most."""
        joined, starts, ends, last = self.joined, self.starts, self.ends, len(self.stems) - 1
        return [joined[starts[start] : ends[min(start + length - 1, last)]] for start, length in spans]


@dataclass(frozen=True, slots=True)
class _Match:
    similarity: float
    size: int
    mention: Mention

    def overlaps(self, other: "_Match") -> bool:
        return self.mention.start < other.mention.end and other.mention.start < self.mention.end


class SearchedText:
    """The text of one choice, ready to be found in replies."""

    def __init__(self, choice: Choice) -> None:
        tokens = reply_tokens(unicodedata.normalize("NFKC", choice.text))
        self.label, self.roles = choice.label, tokens.roles_in(range(len(tokens)))
        self.names = [[*noun, name.lower()] for name in choice.names for noun in ([], ["option"])]
        self.words, self.said = [word for word in tokens.words if word[0].isalnum()], list(tokens.said())
        self._signs = _PARTING.intersection(tokens.words) - set("\n.!?")
        colon = tokens.words.index(":") if ":" in tokens.words else 0
        self.head = tokens.words[:colon] if 1 < colon <= _LONG else []
        """What the text begins with before a colon, if that is a name: "Programme A: 300 recover"."""
        stems = Stems.of(tokens.stems)
        self.stems = stems if stems.stems else Stems.of(self.words)
        self._acronym = (
            tokens.raw[0] if len(tokens) == 1 and not stems.stems and choice.text.isupper() else ""
        )
        """A word such as IT, which carries no meaning in small letters."""
        self.own = frozenset(self.stems.stems)
        self._is_bare = not stems.stems and not self._acronym
        """Whether its words carry no meaning outside of quotation marks: "One"."""
        self._turned = " ".join(reversed(self.stems.stems))
        self._numbers, self._negations = _numbers(self.stems.stems), self.stems.stems.count("not")
        self._trail = next((number for number, word in enumerate(reversed(self.words)) if stem_of(word)), 0)
        self._lead = next((number for number, word in enumerate(self.words) if stem_of(word)), 0)

    def is_less_than(self, other: "SearchedText") -> bool:
        """Whether another choice is this one to a degree: "very satisfied" beside "satisfied"."""
        more = set(other.words) - set(self.words)
        return bool(more) and more <= DEGREES and set(self.words) < set(other.words)

    def near(self, reply: Stems, tokens: ReplyTokens) -> Iterator[_Match]:
        """Every run of words of a reply that is near the choice."""
        yield from self._word_for_word(tokens)
        size = len(self.stems.stems)
        spans = [(start, size) for start in self._starts(reply)] if reply.stems else []
        if not spans:
            return
        windows = reply.windows(spans)
        near = similarities(self.stems.joined, windows)
        if size == len(self.own) == 2 and not self._negations:
            near[[window == self._turned for window in windows]] = 1
        if size >= _LONG:
            nearly = [spans[at][0] for at in (near >= _NEARLY).nonzero()[0].tolist()]
            spans = [(start, length) for start in nearly for length in (size - 1, size, size + 1)]
            near = similarities(self.stems.joined, reply.windows(spans))
        for at in (near >= _THRESHOLD).nonzero()[0].tolist():
            if mention := self._mention(reply, tokens, *spans[at]):
                yield _Match(float(near[at]), size, mention)

    def _word_for_word(self, tokens: ReplyTokens) -> Iterator[_Match]:
        """Where names stand that carry no meaning, or only within quotation marks."""
        for at in places_of({self._acronym}, tokens.raw) if self._acronym else ():
            yield _Match(1.0, 1, Mention(at, at + 1, self.label, MentionKind.TEXT))
        head, first = self.head, self.head[:1]
        for at in places_of(first, tokens.words) if head else ():
            if tokens.words[at : at + len(head)] == head:
                yield _Match(1.0, len(head), Mention(at, at + len(head), self.label, MentionKind.TEXT))
        for at in places_of(_QUOTES, tokens.words) if self._is_bare else ():
            end = at + 1 + len(self.words)
            if tokens.words[at + 1 : end] == self.words and tokens.word(end) in _QUOTES:
                yield _Match(1.0, 1, Mention(at + 1, end, self.label, MentionKind.TEXT))

    def _starts(self, reply: Stems) -> Sequence[int]:
        """Where a run of words may begin that is near the choice: where it has half of its words."""
        size, last = len(self.stems.stems), len(reply.stems)
        if size < _LONG:
            return range(max(1, last - size + 1))
        counts = [0, *accumulate(map(self.own.__contains__, reply.stems))]
        ends = counts[size:] if size <= last else counts[-1:]
        return [
            start
            for start, (before, until) in enumerate(zip(counts, ends, strict=False))
            if 2 * (until - before) >= size
        ]

    def _mention(self, reply: Stems, tokens: ReplyTokens, start: int, length: int) -> Mention | None:
        """The run of words as a mention, unless its numbers, negations or sentences are others."""
        stems = reply.stems[start : start + length]
        if _numbers(stems) != self._numbers or stems.count("not") != self._negations:
            return None
        first, last = reply.tokens[start], reply.tokens[start + len(stems) - 1]
        if any(word in _PARTING and word not in self._signs for word in tokens.words[first:last]):
            return None
        first, last = self._first(first, tokens), self._last(last, tokens)
        small = first == last and tokens.raw[first].islower() and not _is_alone(first, tokens)
        return Mention(first, last + 1, self.label, MentionKind.PART if small else MentionKind.TEXT)

    def _first(self, first: int, tokens: ReplyTokens) -> int:
        """Where a mention begins if words without meaning that begin the choice stand before it."""
        before = tokens.words[max(0, first - self._lead) : first]
        return first - self._lead if before == self.words[: self._lead] else first

    def _last(self, last: int, tokens: ReplyTokens) -> int:
        """Where a mention ends if words without meaning that end the choice stand behind it."""
        behind = tokens.words[last + 1 : last + 1 + self._trail]
        last = last + self._trail if self._trail and behind == self.words[-self._trail :] else last
        return end_of_units(tokens, last)


def end_of_units(tokens: ReplyTokens, at: int) -> int:
    """The last of the words that tell what the number at a place counts: "five thousand dollars"."""
    if tokens.stems[at][-1:].isdigit():
        while tokens.word(at + 1) in _UNITS:
            at += 1
    return at


def clearest(matches: Sequence[_Match]) -> list[Mention]:
    """Of mentions that overlap the nearest one, unless a mention of another choice is as near."""
    taken = list[_Match]()
    last = matches[-_MOST_MATCHES:]
    for match in sorted(last, key=lambda each: (-each.similarity - each.size / 1000, each.mention.start)):
        if any(match.overlaps(other) for other in taken):
            continue
        if match.similarity == 1 or not any(_is_rival(match, other) for other in last):
            taken.append(match)
    return [match.mention for match in taken]


def _is_rival(match: _Match, other: _Match) -> bool:
    near = other.similarity > match.similarity - _CLEAR and other.size >= match.size
    return near and other.mention.label != match.mention.label and match.overlaps(other)


def _numbers(stems: Sequence[str]) -> Counter[str]:
    return Counter(each for each in stems if each[-1].isdigit() or each == "half")


def _is_alone(at: int, tokens: ReplyTokens) -> bool:
    """Whether a word stands between signs or the ends of a line."""
    return not (tokens.word(at - 1)[0].isalnum() or tokens.word(at + 1)[0].isalnum())
