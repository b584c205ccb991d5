"""A text as words and signs, each with its effect on a choice that is named next to it.

The stem of a word is the word without its ending, so that forms of one word are equal.
"""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import compress, count, pairwise
from operator import or_
from typing import Final, TypeVar

from reviewer.protocols.reading.choices import ANNOUNCERS
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.phrases import PHRASES, SINGLE_WORDS
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.words import ROLES

_EMPTY_WORDS: Final = words_of(
    """
    a an the to of for in on at by with from into as is are was were be been being am it its it's
    this that these those i we you he she they me us him her them my our your his their would will
    shall should could can may might must do does did have has had and or but so if then than there
    here i'd i'll we'd we'll you'd one ones let lets let's who which what where when while about up
    out own some any i'm i've he's she's
    """
)
_NEGATIONS: Final = words_of(
    "not no never none neither nor without cannot don't doesn't isn't won't wouldn't can't shouldn't"
)
_UNITS: Final = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS: Final = {
    **{word: str(number) for number, word in enumerate(_UNITS.split())},
    **{word: str(10 * number) for number, word in enumerate(_TENS.split(), 2)},
    "hundred": "100",
    "thousand": "1000",
}
_ENDING: Final = re.compile(r"(?:ingly|edly|ings|ing|ies|ied|ed|es|ly|s|e|y)$")
_SHORTEST: Final = 3
_EAST: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Signs of languages that put no blanks between words, or join words and endings."""
_EASTERN: Final = re.compile(f"[{_EAST}]")
_MARKS: Final = "\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e\u064b-\u0652"
_OTHER_EASTERN: Final = words_of(
    """
    第 番 个 個 번째 番目 一 二 三 四 两
    平局 平手 引き分け 무승부 동점 选项 選項 选择 方案 選択肢 案 オプション 옵션
    선택지 回答 答案 第一 第二 第三
    """
)


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """A word without its ending; "" for a word that carries no meaning."""
    if word in _EMPTY_WORDS or not word[0].isalnum():
        return ""
    if word in _NEGATIONS:
        return "not"
    if word in _NUMBERS:
        return _NUMBERS[word]
    if word[0].isdigit():
        return word.replace(",", "").rstrip(".")
    return _without_ending(word.removesuffix("'s"))


def _without_ending(word: str) -> str:
    short = _ENDING.sub("", word) if len(word) > _SHORTEST else word
    if len(short) < _SHORTEST:
        return word
    doubled = len(short) > _SHORTEST and short[-1] == short[-2]
    return short[:-1] if doubled else short


def _eastern() -> str:
    words = {word for word in (*ROLES, *ANNOUNCERS, *_OTHER_EASTERN) if re.match(f"[{_EAST}]", word)}
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


_DETERMINERS: Final = frozenset(("the", "this", "that", "my", "your", "our", "its", "an", "final", "first"))
_MULTIPLIERS: Final = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000}
_NUMBER: Final = re.compile(r"([+-]?)(\d{1,9}(?:\.\d{1,9})?)")
_SIGNED: Final = ("+", "-")
_SIGNS: Final = {"+": "+", "-": "-", "−": "-", "–": "-"}
_SIGN_WORDS: Final = {"plus": "+", "minus": "-"}
_CHANGES_NEXT: Final = _DETERMINERS | {"less", "least"}
_LETTER: Final = rf"[^\W\d_{_EAST}]"
_TOKEN: Final = re.compile(
    rf"([^\S\n]*)([ldLD]'(?={_LETTER})|{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*(?:'{_LETTER}+)*|\n|\d+(?:st|nd|rd|th)\b"
    rf"|\d+(?:[.,]\d+)*|>+|<+|=+>?|(?=[{_EAST}])(?:{_eastern()}|.)|\S)"
)


Item = TypeVar("Item")


def places_of(wanted: Container[Item], items: Iterable[Item]) -> list[int]:
    """Where items stand that are wanted."""
    return [*compress(count(), map(wanted.__contains__, items))]


def is_eastern(word: str) -> bool:
    """Whether a word belongs to a language that puts no blanks between words, or joins words and endings."""
    return _EASTERN.match(word) is not None


@dataclass(slots=True)
class ReplyTokens:
    """The words and signs of a text, in small letters and as written, with roles.

    ``spaced`` tells whether a blank stands before a token; ``absorbed`` ones are part of a phrase.
    """

    words: list[str]
    raw: list[str]
    spaced: list[bool]
    roles: list[int]
    absorbed: list[bool]
    stems: list[str]

    def __len__(self) -> int:
        return len(self.words)

    def said(self) -> Iterator[str]:
        """All words, and numbers with their signs."""
        for word, stem in zip(self.words, self.stems, strict=True):
            if word[0].isalnum():
                yield stem if stem[:1] in _SIGNED else word

    def lines(self) -> Iterator[tuple[int, int]]:
        """Where each line begins and ends."""
        start = 0
        for at, word in enumerate(self.words):
            if word == "\n":
                yield start, at
                start = at + 1
        yield start, len(self)

    def word(self, at: int) -> str:
        """The word at a place; the end of a line outside of the text."""
        return self.words[at] if 0 <= at < len(self.words) else "\n"

    def role(self, at: int) -> int:
        """The roles of the word at a place; none outside of the text."""
        return self.roles[at] if 0 <= at < len(self.roles) else 0

    def roles_in(self, places: range) -> int:
        """The roles of all words of a run together."""
        return reduce(or_, self.roles[places.start : places.stop], 0)


def reply_tokens(text: str) -> ReplyTokens:
    """The tokens of a text."""
    pieces = _TOKEN.findall(text.replace("’", "'"))
    raw = [token for _, token in pieces]
    words, spaced = [token.lower() for token in raw], [blank != "" for blank, _ in pieces]
    stems = list(map(stem_of, words))
    for at in [at for at, word in enumerate(words) if word[0].isdigit()]:
        stems[at] = _sign_of(words, spaced, at) + stems[at]
    if not _MULTIPLIERS.keys().isdisjoint(words):
        _multiply(stems, words)
    return ReplyTokens(words, raw, spaced, *_roles(words), stems)


def _multiply(stems: list[str], words: list[str]) -> None:
    """One number for one in several words: the stems of "five thousand" and of "5k" are "5000" and ""."""
    for at in range(1, len(words)):
        if words[at] not in _MULTIPLIERS:
            continue
        before = next((near for near in (at - 1, at - 2) if near >= 0 and stems[near]), -1)
        if before >= 0 and (number := _NUMBER.fullmatch(stems[before])):
            stems[before] = number[1] + str(round(float(number[2]) * _MULTIPLIERS[words[at]]))
            stems[at] = ""


def _sign_of(words: list[str], spaced: list[bool], at: int) -> str:
    """The sign of the number at a place, as in +10% or -10%; "" if it has none."""
    if not at:
        return ""
    before, apart = words[at - 1], at < 2 or spaced[at - 1] or not words[at - 2][0].isalnum()
    if before in _SIGN_WORDS:
        return _SIGN_WORDS[before]
    return _SIGNS.get(before, "") if apart and not spaced[at] else ""


@lru_cache(maxsize=20_000)
def _role_of(word: str) -> int:
    """What a word does outside of longer phrases."""
    single = SINGLE_WORDS.get(word)
    return _own_role(word) if single is None else _role_of_phrase([word], single)


def _own_role(word: str) -> int:
    role = ROLES.get(word, 0)
    return role | WordRole.NEGATES if word.endswith("n't") else role


def _role_of_phrase(phrase: list[str], role: int) -> int:
    if role & WordRole.UNDECIDED and any(_own_role(word) & WordRole.NEGATES for word in phrase):
        return role | WordRole.NEGATES
    return role or WordRole.GLUE


def _roles(words: list[str]) -> tuple[list[int], list[bool]]:
    roles, absorbed = list(map(_role_of, words)), [False] * len(words)
    for at in places_of(PHRASES, pairwise(words)):
        if absorbed[at]:
            continue
        for phrase, role in PHRASES[words[at], words[at + 1]]:
            end = at + len(phrase)
            if words[at:end] == phrase:
                roles[at] = _role_of_phrase(phrase, role)
                absorbed[at:end] = [True] * len(phrase)
                roles[at + 1 : end] = [WordRole.GLUE] * (len(phrase) - 1)
                break
    for at in places_of(_CHANGES_NEXT, words[:-1]):
        word = words[at]
        if word in _DETERMINERS and roles[at + 1] & WordRole.PICK and not absorbed[at + 1]:
            roles[at + 1] &= ~WordRole.TAKES
        if word in ("less", "least") and not absorbed[at] and roles[at + 1] & (WordRole.GOOD | WordRole.BAD):
            roles[at + 1] = WordRole.BAD if roles[at + 1] & WordRole.GOOD else WordRole.GOOD
            roles[at] = WordRole.GLUE
    return roles, absorbed
