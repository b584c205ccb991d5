"""Where a reply names a choice by its letter, its number, its place, or a word that the question defines."""

from typing import Final

from reviewer.protocols.reading.bare_names import (
    LABEL_SIGNS,
    BareNames,
    begins,
    counts_something,
    is_article,
    is_behind_label,
)
from reviewer.protocols.reading.choices import Choices
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.naming_words import CARDINALS, FOLLOWS_NAME, LAST, NOUNS, ORDINALS, SIGNS
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

OUTSIDE: Final = "?"
"""The label of a name that no choice has."""
_FIRST_WORDS: Final = frozenset((*NOUNS, *ORDINALS, *LAST))
_CYRILLIC: Final = {"б": 2, "г": 4}
"""Letters that look like no Latin one."""
_OPTION_NOUNS: Final = frozenset(("option", "options", "opt", "choice"))
_BETWEEN: Final = frozenset((*":#([\"'“”.-–№", "number", "no", "nr", "letter", "numero"))
_CLOSING: Final = frozenset(")]\"'”“")
_SENTENCE_ENDS: Final = frozenset((".", "\n", "!", "("))
_ARTICLES: Final = frozenset(("the", "die", "der", "das", "den", "la", "le", "el", "il", "de", "l'"))
_COUNTERS: Final = frozenset(("个", "個", "番目", "번째", "の"))
_ONES: Final = frozenset(("one", "assistant's", "ai"))
_OF_THESE: Final = frozenset(("these", "those", "them", "the", "your"))
_LEADS_TO_PLACE: Final = (
    WordRole.TAKES
    | WordRole.IS
    | WordRole.LEANS
    | WordRole.NEGATES
    | WordRole.EXCEPTS
    | WordRole.JOINS
    | WordRole.BUT
    | WordRole.SO
)


class ChoiceNames:
    """What may name the choices of a question."""

    def __init__(self, choices: Choices) -> None:
        self._announcers = choices.announcers
        self._by_name = {name.casefold(): choice.label for choice in choices.choices for name in choice.names}
        self._by_place = {choice.place: choice.label for choice in choices.choices if choice.place}
        self._by_word = {word.casefold(): choice.label for choice in choices.choices for word in choice.words}
        self._even = next((choice.label for choice in choices.choices if not choice.place), None)
        self._last = max(self._by_place, default=0)
        self._letters = {name for name in self._by_name if name.isalpha()}
        self._by_order = any(word in ORDINALS for word in self._by_word)
        self._bare = BareNames(self._by_name, self._letters)
        self._first_words = _FIRST_WORDS.union(self._by_name, self._by_word)
        """A mention begins with one of these words."""

    def named(self, tokens: ReplyTokens) -> list[Mention]:
        """The choices that are named in a text, in their order."""
        mentions, before = list[Mention](), None
        for at in [place for place, word in enumerate(tokens.words) if word in self._first_words]:
            if before and at < before.end:
                continue
            if mention := self._at(tokens, at, before):
                mentions.append(mention)
                before = mention
        return mentions

    def _at(self, tokens: ReplyTokens, at: int, before: Mention | None) -> Mention | None:
        word = tokens.words[at]
        if self._even and self._is_equal(tokens, at):
            return Mention(at, at + 3, self._even, MentionKind.NAME)
        if word in ("former", "latter") and len(self._by_place) == 2 and tokens.word(at - 1) == "the":
            return Mention(at, at + 1, self._by_place[1 if word == "former" else 2], MentionKind.NAME)
        if word in ORDINALS or word in LAST:
            return None if tokens.absorbed[at] else self._placed(tokens, at)
        if word in self._by_word and not tokens.absorbed[at] and (mention := self._worded(tokens, at)):
            return mention
        if word in NOUNS and (mention := self._behind_noun(tokens, at)):
            return mention
        return self._bare.at(tokens, at, before)

    def _is_equal(self, tokens: ReplyTokens, at: int) -> bool:
        """Whether two letters with a sign of equality stand here: A = B."""
        pair = tokens.words[at : at + 3]
        return len(pair) == 3 and pair[1] in "=≈~" and {pair[0], pair[2]} <= self._letters

    def _worded(self, tokens: ReplyTokens, at: int) -> Mention | None:
        """A word of the question; one that does other work too ("no") counts only where an answer begins."""
        other_work = WordRole.NEGATES | WordRole.CORRECTS | WordRole.GLUE | WordRole.BUT
        if (
            tokens.roles[at] & other_work
            and not begins(tokens, at)
            and not tokens.roles[at - 1] & WordRole.IS
        ):
            return None
        return Mention(at, at + 1, self._by_word[tokens.words[at]], MentionKind.WORD)

    # Behind a noun: option B, answer 2

    def _behind_noun(self, tokens: ReplyTokens, at: int) -> Mention | None:
        noun, place = tokens.words[at], at + 1
        if noun in self._announcers and tokens.word(place) in LABEL_SIGNS:
            return None
        while place < at + 5 and tokens.word(place) in _BETWEEN:
            place += 1
        gap = place - at - 1
        if place >= len(tokens) or (noun in ("no", "nr") and not (gap and tokens.words[place].isdigit())):
            return None
        if tokens.words[place].removesuffix("'s") in self._letters and tokens.word(place + 1) in NOUNS:
            return Mention(at, place + 2, self._by_name[tokens.words[place][0]], MentionKind.NAME)
        label = self._label_behind(tokens, noun, place)
        if label is None:
            return None
        end = place + 1
        while end <= place + gap and tokens.word(end) in _CLOSING:
            end += 1
        return Mention(at, end, label, MentionKind.NAME)

    def _label_behind(self, tokens: ReplyTokens, noun: str, place: int) -> str | None:
        word = tokens.words[place]
        label = self._by_name.get(word) or self._by_place.get(CARDINALS.get(word, 0))
        label = label or self._by_place.get(_CYRILLIC.get(word, 0))
        if label is None and noun in _OPTION_NOUNS and self._is_unknown_name(tokens, place):
            return OUTSIDE
        spelt_as_name = tokens.raw[place].isupper() and tokens.words[place - 1] == noun
        if word in ("a", "i", "e", "y", "o") and not spelt_as_name and is_article(tokens, place):
            return None
        counts = word.isdigit() and counts_something(tokens, place) and noun not in _OPTION_NOUNS
        return None if counts else label

    def _is_unknown_name(self, tokens: ReplyTokens, at: int) -> bool:
        raw = tokens.raw[at]
        if raw.isdigit():
            return len(raw) <= 4
        letter = len(raw) == 1 and raw.isascii() and raw.isupper()
        return letter and bool(self._letters) and not is_article(tokens, at)

    # By place: the second answer, the first

    def _placed(self, tokens: ReplyTokens, at: int) -> Mention | None:
        word, after = tokens.words[at], tokens.word(at + 1)
        label = self._by_place.get(ORDINALS.get(word, self._last))
        if label is None:
            return None
        if after in NOUNS or after in _ONES or after in _COUNTERS:
            return Mention(at, at + 2, label, MentionKind.NAME)
        if after == "of" and tokens.word(at + 2) in _OF_THESE:
            own_list = word in LAST and _has_bullets(tokens, at)
            return None if own_list else Mention(at, at + 3, label, MentionKind.NAME)
        if not (after in SIGNS or tokens.role(at + 1) & FOLLOWS_NAME):
            return None
        article = bool(at) and tokens.words[at - 1] in _ARTICLES
        return (
            Mention(at, at + 1, label, MentionKind.NAME, not article)
            if self._stands(tokens, at, article)
            else None
        )

    def _stands(self, tokens: ReplyTokens, at: int, article: bool) -> bool:
        """Whether an ordinal without a noun names a choice, and does not count what is said."""
        word, after = tokens.words[at], tokens.word(at + 1)
        if article:
            return not (word in LAST and after == ",")
        if not self._by_order:
            return False
        if begins(tokens, at):
            return after != "," or tokens.word(at - 1) == ":"
        closed = after in _SENTENCE_ENDS or tokens.role(at + 1) & (WordRole.IS | WordRole.JOINS)
        return bool(
            tokens.roles[at - 1] & _LEADS_TO_PLACE
            or tokens.absorbed[at - 1]
            or is_behind_label(tokens, at)
            or (tokens.words[at - 1] == "," and closed)
            or tokens.words[at - 1] in "<>="
        )


def _has_bullets(tokens: ReplyTokens, end: int) -> bool:
    lines = [at + 1 for at in range(end) if tokens.words[at] == "\n"]
    return any(tokens.words[start] in "-*•" for start in (0, *lines))
