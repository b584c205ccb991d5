"""The differences between two pieces of prose as a reader would mark them.

Lines with the same label ("- Option A:") or the same text are compared with each other, and the lines between
them by words. Words that are equal by chance between two changes belong to the change, and a sentence that
mostly changed is one change. Texts that say the same in different words differ in their content words.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from reviewer.core.english_words import FUNCTION_WORDS, stem
from reviewer.core.text_diff import (
    Change,
    Span,
    TextDiff,
    at_boundaries,
    diff_texts,
    text_lines,
    text_tokens,
    too_many,
)

_LABEL = re.compile(r"\s*(?:[-*•]\s+)?(\w[\w ]{0,30}[:.)])\s")
"""The beginning of a line that names what follows: "- Option A:", "Treatment:", "2."."""
_SENTENCES = re.compile(r"\S.*?(?:[.?!](?=\s)|$)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_SENTENCE_ENDS = frozenset(".?!:;")
_MOST_CHANCE_WORDS = 2
"""The most words that count as equal by chance between two changes that have as many."""
_QUOTED_WORDS = 5
"""With this many words in a row, a stretch is kept apart even in a sentence that mostly changed."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The tokens of one text, and the number of the sentence that each belongs to."""

    tokens: Sequence[str]
    sentences: Sequence[int]

    def count(self, part: range) -> int:
        """How many words a part has."""
        return sum(self.tokens[at][0].isalnum() for at in part)

    def by_sentence(self, parts: Iterable[range]) -> Mapping[int, int]:
        """How many words of each sentence are in these parts."""
        return Counter(self.sentences[at] for part in parts for at in part if self.tokens[at][0].isalnum())


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Tokens of both sides: equal, or the left ones with the right ones in their place."""

    left: range
    right: range
    equal: bool


@lru_cache(maxsize=64)
def diff_prose(left: str, right: str) -> TextDiff:
    """Compare two texts, one of which was made from the other by changes."""
    if too_many(text_tokens(left), text_tokens(right)):
        return at_boundaries(diff_texts(left, right))
    changes: list[Change] = []
    for change in (change for both in sections(left, right) for change in _section_changes(*both)):
        if changes and change.equal and changes[-1].equal:
            before = changes.pop()
            change = Change(before.left + change.left, before.right + change.right)
        changes.append(change)
    return at_boundaries(TextDiff(tuple(changes)))


def changed_sentences(left: str, right: str) -> tuple[str, str]:
    """Of each text the sentences in which it differs from the other, with "…" for those between them.

    A sentence that the other text only adds words to differs from that one too.
    """
    difference, ours, theirs = diff_prose(left, right), _sentence_spans(left), _sentence_spans(right)
    changed_left, changed_right = (
        _touched(ours, difference.left_marks),
        _touched(theirs, difference.right_marks),
    )
    partners = _partners(difference, ours, theirs)
    shown_left = changed_left | {mine for mine, other in partners if other in changed_right}
    shown_right = changed_right | {other for mine, other in partners if mine in changed_left}
    return _these_sentences(left, ours, shown_left), _these_sentences(right, theirs, shown_right)


def _sentence_spans(text: str) -> list[Span]:
    return [Span(sentence.start(), sentence.end()) for sentence in _SENTENCES.finditer(text)]


def _touched(sentences: Sequence[Span], marks: Sequence[Span]) -> set[int]:
    """The numbers of the sentences that marks are in."""
    return {
        number
        for number, sentence in enumerate(sentences)
        if any(mark.start < sentence.end and sentence.start < mark.end for mark in marks)
    }


def _partners(difference: TextDiff, ours: Sequence[Span], theirs: Sequence[Span]) -> set[tuple[int, int]]:
    """The pairs of sentences, one of each text, that share a word where both texts are equal."""
    starts_left, starts_right = [span.start for span in ours], [span.start for span in theirs]
    pairs, i, j = set[tuple[int, int]](), 0, 0
    for change in difference.changes:
        for word in _WORD.finditer(change.left) if change.equal else ():
            at = word.start()
            pairs.add((bisect_right(starts_left, i + at) - 1, bisect_right(starts_right, j + at) - 1))
        i, j = i + len(change.left), j + len(change.right)
    return pairs


def _these_sentences(text: str, sentences: Sequence[Span], shown: Collection[int]) -> str:
    told, end, left_out = "", 0, False
    for number, sentence in enumerate(sentences):
        if number not in shown:
            left_out = bool(told)
            continue
        line_ends = "\n" in text[end : sentence.start]
        between = " … " if left_out else "\n" if line_ends else " "
        told += f"{between if told else ''}{text[sentence.start : sentence.end]}"
        end, left_out = sentence.end, False
    return told


def sections(left: str, right: str) -> Iterator[tuple[str, str]]:
    """Both texts in sections of whole lines that belong together.

    A line belongs to the line of the other side with the same label or the same text, and the lines between
    two such lines to those between them on the other side.
    """
    ours, theirs = text_lines(left), text_lines(right)
    matcher = SequenceMatcher(None, list(_line_keys(ours, "left")), list(_line_keys(theirs, "right")), False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            yield from zip(ours[i1:i2], theirs[j1:j2], strict=True)
        else:
            yield "".join(ours[i1:i2]), "".join(theirs[j1:j2])


def _line_keys(lines: Sequence[str], side: str) -> Iterator[Hashable]:
    """The label of each line, or else its text; a blank line is like no other."""
    for number, line in enumerate(lines):
        label = _LABEL.match(line)
        yield label[1].casefold() if label else line.strip() or (side, number)


def _section_changes(left: str, right: str) -> Iterator[Change]:
    if left == right:
        yield Change(left, right)
        return
    ours, theirs = _side(left), _side(right)
    stretches = _without_chance_words(list(_stretches(ours, theirs)), ours, theirs)
    for stretch in _joined(_with_whole_sentences(stretches, ours, theirs)):
        yield Change(_text(ours, stretch.left), _text(theirs, stretch.right))


def _side(text: str) -> _Side:
    tokens, sentences, number, last = text_tokens(text), list[int](), 0, ""
    for token in tokens:
        sentences.append(number)
        # A sentence ends with the blank after its last mark, and with its line.
        number += token.isspace() and ("\n" in token or last in _SENTENCE_ENDS)
        last = token
    return _Side(tokens, sentences)


def _text(side: _Side, part: range) -> str:
    return "".join(side.tokens[part.start : part.stop])


def _stretches(ours: _Side, theirs: _Side) -> Iterator[_Stretch]:
    """The word-by-word comparison; stretches that are equal end with every sentence."""
    matcher = SequenceMatcher(None, ours.tokens, theirs.tokens, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "equal":
            yield _Stretch(range(i1, i2), range(j1, j2), equal=False)
            continue
        numbers = list(zip(ours.sentences[i1:i2], theirs.sentences[j1:j2], strict=True))
        starts = [0, *(at for at in range(1, len(numbers)) if numbers[at] != numbers[at - 1])]
        for start, end in zip(starts, [*starts[1:], len(numbers)], strict=True):
            yield _Stretch(range(i1 + start, i1 + end), range(j1 + start, j1 + end), equal=True)


def _without_chance_words(stretches: Sequence[_Stretch], ours: _Side, theirs: _Side) -> list[_Stretch]:
    """The stretches; a few equal words between two changes that have as many are changed too."""

    def length(stretch: _Stretch) -> int:
        return max(ours.count(stretch.left), theirs.count(stretch.right))

    kept = list(stretches)
    for at in range(1, len(stretches) - 1):
        before, stretch, after = stretches[at - 1 : at + 2]
        if before.equal or after.equal or not stretch.equal or "\n" in _text(ours, stretch.left):
            continue
        if length(stretch) <= min(_MOST_CHANCE_WORDS, length(before), length(after)):
            kept[at] = replace(stretch, equal=False)
    return kept


def _with_whole_sentences(stretches: Sequence[_Stretch], ours: _Side, theirs: _Side) -> Iterator[_Stretch]:
    """The stretches; the equal words of a sentence that mostly changed on both sides are changed too."""
    equal = [stretch for stretch in stretches if stretch.equal]
    changed_left = _mostly_changed(ours, [stretch.left for stretch in equal])
    changed_right = _mostly_changed(theirs, [stretch.right for stretch in equal])
    for stretch in stretches:
        chance = (
            stretch.equal
            and ours.count(stretch.left) < _QUOTED_WORDS
            and "\n" not in _text(ours, stretch.left)
            and ours.sentences[stretch.left.start] in changed_left
            and theirs.sentences[stretch.right.start] in changed_right
        )
        yield replace(stretch, equal=False) if chance else stretch


def _mostly_changed(side: _Side, equal: Iterable[range]) -> set[int]:
    """The sentences of which more than half of the words differ."""
    kept = side.by_sentence(equal)
    return {
        number
        for number, words in side.by_sentence([range(len(side.tokens))]).items()
        if 2 * kept[number] < words
    }


def _joined(stretches: Iterable[_Stretch]) -> Iterator[_Stretch]:
    """The stretches, neighbours of the same kind as one."""
    last: _Stretch | None = None
    for stretch in stretches:
        if last and last.equal == stretch.equal:
            left, right = (
                range(last.left.start, stretch.left.stop),
                range(last.right.start, stretch.right.stop),
            )
            stretch = replace(stretch, left=left, right=right)
        elif last:
            yield last
        last = stretch
    if last:
        yield last


_QUESTION = re.compile(r"[^\n]+\?[ \t]*$", re.MULTILINE)
"""A line that ends with a question."""
_ANY_WORD = re.compile(r"\w+(?:['’]\w+)*")
_MORE_FUNCTION_WORD_LIST = """
a an i im ive me my we us he she his her him it is am be been being do does did of in on at to by as if so or
about after before how who whom when where while why there here these those such some any let now very just
between under over both either whether because since
"""
_NO_CONTENT = (FUNCTION_WORDS - {"not"}) | frozenset(_MORE_FUNCTION_WORD_LIST.split())
"""Words without content. A negation has content."""
_REQUESTS = ("suggest", "recommend", "advise", "choose", "select", "pick", "take", "opt")
"""Words in which a question asks for a choice, without content there."""


@lru_cache(maxsize=64)
def diff_reworded(left: str, right: str) -> TextDiff:
    """Compare two texts section by section: lines with the same label, and the lines between them.

    The differences are content words whose stem does not occur in the same section of the other side.
    """
    if too_many(text_lines(left), text_lines(right)):
        return diff_texts(left, right)
    changes = tuple(Change(*both) for both in sections(left, right))
    ours, theirs = list[Span](), list[Span]()
    at_left = at_right = 0
    for change in changes:
        ours += _unmatched(change.left, change.right, at_left)
        theirs += _unmatched(change.right, change.left, at_right)
        at_left, at_right = at_left + len(change.left), at_right + len(change.right)
    return TextDiff(changes, (tuple(ours), tuple(theirs)))


def _unmatched(text: str, other: str, offset: int) -> Iterator[Span]:
    """The content words that the other text lacks, moved by the offset; neighbours are one span."""
    stems = {_stem_of(word) for word in _ANY_WORD.findall(other)}
    asked = {at for line in _QUESTION.finditer(text) for at in range(*line.span())}
    requests = set(map(stem, _REQUESTS))
    last: Span | None = None
    for word in _ANY_WORD.finditer(text):
        same = _stem_of(word[0])
        if same in stems or _bare(word[0]) in _NO_CONTENT or (same in requests and word.start() in asked):
            continue
        start = word.start()
        if last and not text[last.end - offset : start].strip():
            start = last.start - offset
        elif last:
            yield last
        last = Span(offset + start, offset + word.end())
    if last:
        yield last


@lru_cache(maxsize=10_000)
def _stem_of(word: str) -> str:
    return stem(_bare(word))


def _bare(word: str) -> str:
    """The word in small letters without what is contracted with it, unless that is a negation."""
    word = word.lower().replace("’", "'")
    return word if word.endswith("n't") else word.partition("'")[0]
