"""Where a reply names a choice by its letter, its number, its place, or a word that the question defines."""

from typing import Final

from reviewer.protocols.reading.bare_names import (
    AFTER_NAME,
    FOLLOWS_NAME,
    LABEL_SIGNS,
    BareNames,
    begins,
    counts_something,
    is_article,
    is_behind_label,
)
from reviewer.protocols.reading.choices import Choices
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.naming_words import CARDINALS, LAST, NOUNS, ORDINALS, SIDES, SIGNS, words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens, places_of
from reviewer.protocols.reading.roles import WordRole, roles_of

OUTSIDE: Final = "?"
"""The label of a name that no choice has."""
_FIRST_WORDS: Final = frozenset((*NOUNS, *ORDINALS, *LAST))
_CYRILLIC: Final = {"б": 2, "г": 4}
"""Letters that look like no Latin one."""
_OPTION_NOUNS: Final = words_of(
    """
    option options opt choice optionen optie opties opción opciones opcion opção opções opzione opcja opcję
    alternative alternativ alternativa вариант варианта опция опцию valg vaihtoehto seçenek
    """
)
_BETWEEN: Final = frozenset((*":#([\"'“”.-–№", "number", "no", "nr", "letter", "numero"))
_SHORTENED: Final = frozenset(("opt", "no", "nr"))
_NOUNS_BEHIND: Final = NOUNS - _SHORTENED
"""What may stand behind an ordinal: "the second option", and no "la segunda no"."""
_SHORT: Final = 8
"""A reply of so few words that begins with "First," does not count what it says."""
_CLOSING: Final = frozenset(")]\"'”“")
_SENTENCE_ENDS: Final = frozenset((".", "\n", "!", "("))
_ARTICLES: Final = frozenset(("the", "die", "der", "das", "den", "la", "le", "el", "il", "de", "l'"))
_COUNTERS: Final = frozenset(("个", "個", "番目", "번째", "の"))
_BEFORE_VERB: Final = frozenset(("to", "can", "could", "would", "will", "i", "we"))
_ONES: Final = frozenset(("one", "assistant's", "ai"))
_TEXTS: Final = words_of(
    "essay letter email text poem story summary translation draft code explanation writer author chatbot bot"
)
"""Nouns for the texts that a judge compares."""
_OBJECTS: Final = words_of(
    "the a an it its this that them both all every each only more less what how why to"
)
_POINTING: Final = frozenset(("that", "which", "it"))
_BREAKING: Final = frozenset(("break", "breaks", "broke", "breaking"))
_OF_THESE: Final = frozenset(("these", "those", "them", "the", "your"))
_LEADS_TO_PLACE: Final = roles_of("takes is leans negates excepts joins but so to")


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
        self._sides = SIDES if self._by_order else {}
        self._first_words = _FIRST_WORDS.union(self._by_name, self._by_word, self._sides)
        """A mention begins with one of these words."""

    def named(self, tokens: ReplyTokens) -> list[Mention]:
        """The choices that are named in a text, in their order."""
        mentions, before = list[Mention](), None
        others = not self._by_order and _counts_others(tokens)
        for at in places_of(self._first_words, tokens.words):
            if before and at < before.end:
                continue
            mention = self._at(tokens, at, before)
            bare = mention is not None and mention.end == at + 1 and tokens.words[at] in ORDINALS
            if mention and not (bare and others):
                mentions.append(mention)
                before = mention
        return mentions

    def _at(self, tokens: ReplyTokens, at: int, before: Mention | None) -> Mention | None:
        word = tokens.words[at]
        if self._even and self._is_equal(tokens, at):
            return Mention(at, at + 3, self._even, MentionKind.NAME)
        if word in self._sides and (mention := self._on_side(tokens, at, before)):
            return mention
        if word in ORDINALS or word in LAST:
            return None if tokens.absorbed[at] else self._placed(tokens, at)
        answers = not tokens.absorbed[at] or begins(tokens, at)  # "no, …" takes back elsewhere
        if word in self._by_word and answers and (mention := self._worded(tokens, at)):
            return mention
        if word in NOUNS and (mention := self._behind_noun(tokens, at)):
            return mention
        return self._bare.at(tokens, at, before)

    def _is_equal(self, tokens: ReplyTokens, at: int) -> bool:
        """Whether two names with a sign of equality stand here: A = B."""
        pair = tokens.words[at : at + 3]
        return len(pair) == 3 and pair[1] in "=≈~" and {pair[0], pair[2]} <= self._by_name.keys()

    def _worded(self, tokens: ReplyTokens, at: int) -> Mention | None:
        """A word of the question; one that does other work too ("no") counts only where an answer begins."""
        other_work = WordRole.NEGATES | WordRole.CORRECTS | WordRole.GLUE | WordRole.BUT
        if (
            tokens.roles[at] & other_work
            and not begins(tokens, at)
            and not tokens.roles[at - 1] & WordRole.IS
        ):
            return None
        label = self._by_word[tokens.words[at]]
        if label == self._even and _is_other_sense(tokens, at):
            return None
        return Mention(at, at + 1, label, MentionKind.WORD)

    # Behind a noun: option B, answer 2

    def _behind_noun(self, tokens: ReplyTokens, at: int) -> Mention | None:
        noun, place = tokens.words[at], at + 1
        labels = noun in self._announcers or tokens.roles[at] & WordRole.EARLIER
        if labels and tokens.word(place) in LABEL_SIGNS:
            return None
        between = _BETWEEN if noun in _SHORTENED else _BETWEEN - {"."}
        while place < at + 5 and tokens.word(place) in between:
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
        word, after = tokens.words[place], tokens.word(place + 1)
        if word.isascii() and after.isascii() and after[0].isalnum() and not tokens.spaced[place + 1]:
            return None  # "Option 1O"
        label = self._by_name.get(word) or self._by_place.get(CARDINALS.get(word, 0))
        label = label or self._by_place.get(_CYRILLIC.get(word, 0))
        if label is None and noun in _OPTION_NOUNS and self._is_unknown_name(tokens, place):
            return None if tokens.raw[place] == "I" and tokens.word(place + 1)[0].isalpha() else OUTSIDE
        spelt_as_name = tokens.raw[place].isupper() and tokens.words[place - 1] == noun
        if word in ("a", "i", "e", "y", "o") and not spelt_as_name and is_article(tokens, place):
            return None
        counts = word.isdigit() and counts_something(tokens, place) and noun not in {*_OPTION_NOUNS, "#"}
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
        if after in NOUNS and tokens.word(at + 2) in LABEL_SIGNS and tokens.word(at + 3) in self._by_name:
            return None
        text = self._by_order and after in _TEXTS
        if after in _NOUNS_BEHIND or after in _ONES or after in _COUNTERS or text:
            counted = after in _COUNTERS and tokens.word(at + 2) in NOUNS
            return Mention(at, at + 2 + counted, label, MentionKind.NAME)
        if after == "of" and tokens.word(at + 2) in _OF_THESE:
            own_list = word in LAST and _has_bullets(tokens, at)
            of = tokens.word(at + 3)
            if own_list or CARDINALS.get(of, 0) > self._last:
                return None
            counted = of in CARDINALS and tokens.word(at + 4)[0].isalpha() and not tokens.role(at + 4)
            return Mention(at, at + 3 + (of in NOUNS or of in CARDINALS) + counted, label, MentionKind.NAME)
        article = bool(at) and tokens.words[at - 1] in _ARTICLES
        if not (after in SIGNS or tokens.role(at + 1) & FOLLOWS_NAME or self._points(tokens, at, article)):
            return None
        return (
            Mention(at, at + 1, label, MentionKind.NAME, not article)
            if self._stands(tokens, at, article)
            else None
        )

    def _points(self, tokens: ReplyTokens, at: int, article: bool) -> bool:
        """Whether the word behind an ordinal shows that it names a choice: "the first, by a hair"."""
        after, role = tokens.word(at + 1), tokens.role(at + 1)
        if after in _POINTING and tokens.role(at + 2) & WordRole.IS:
            return True
        if not self._by_order:
            return article and after in AFTER_NAME
        if after == "by" and begins(tokens, at) and not tokens.word(at + 2).endswith("ing"):
            return True
        praised = role & WordRole.GOOD and tokens.absorbed[at + 1]
        says = praised or after in AFTER_NAME or role & WordRole.SPEAKS or _is_verb(tokens, at + 1)
        return article and bool(says)

    def _on_side(self, tokens: ReplyTokens, at: int, before: Mention | None) -> Mention | None:
        """One of two as the left or the latter one. "The right answer" needs a left one beside it."""
        word, after = tokens.words[at], tokens.word(at + 1)
        is_pair = word in ("former", "latter")
        if is_pair and begins(tokens, at) and after in SIGNS and len(tokens) <= _SHORT:
            return Mention(at, at + 1, self._by_place[self._sides[word]], MentionKind.NAME)
        if tokens.word(at - 1) != "the" or (word == "right" and "left" not in tokens.words):
            return None
        label = self._by_place[self._sides[word]]
        if after in _NOUNS_BEHIND or after in _ONES or after in _TEXTS:
            return Mention(at, at + 2, label, MentionKind.NAME)
        alone = before is None and is_pair and (after in SIGNS or tokens.role(at + 1))
        return Mention(at, at + 1, label, MentionKind.NAME) if alone else None

    def _stands(self, tokens: ReplyTokens, at: int, article: bool) -> bool:
        """Whether an ordinal without a noun names a choice, and does not count what is said."""
        word, after = tokens.words[at], tokens.word(at + 1)
        if article:
            return not (word in LAST and after == ",")
        if not self._by_order:
            return False
        if begins(tokens, at):
            if tokens.words[at + 1 : at + 3] == [",", "then"] and tokens.word(at + 3) in _SENTENCE_ENDS:
                return True
            return after != "," or tokens.word(at - 1) == ":" or len(tokens) <= _SHORT
        closed = after in _SENTENCE_ENDS or tokens.role(at + 1) & (WordRole.IS | WordRole.JOINS)
        return bool(
            tokens.roles[at - 1] & _LEADS_TO_PLACE
            or tokens.absorbed[at - 1]
            or is_behind_label(tokens, at)
            or tokens.words[at - 1] in _OTHERWISE
            or (tokens.words[at - 1] == "," and closed)
            or not tokens.words[at - 1].strip("<>=")
        )


_OTHERWISE: Final = frozenset(("otherwise", "else", "sonst"))


def _is_other_sense(tokens: ReplyTokens, at: int) -> bool:
    """Whether a word of a tie means something else: "level-headed", "an even mix", "to draw a conclusion"."""
    after = tokens.word(at + 1)
    if tokens.words[at] == "even" and tokens.absorbed[at]:
        return True
    if tokens.words[at] == "even" and tokens.role(at + 1) & (WordRole.IF | WordRole.CONCEDES):
        return True
    if tokens.words[at] in ("even", "level") and after in _ARTICLES:
        return True
    if tokens.word(at - 1 - (tokens.word(at - 1) in _ARTICLES)) in _BREAKING:
        return True
    if tokens.words[at] == "draw" and tokens.word(at - 1) in _BEFORE_VERB:
        return True
    if not after.isascii() or tokens.words[at] in ("tie", "draw"):
        return False
    joined = after == "-" and not tokens.spaced[at + 1]
    return joined or (after.isalpha() and not tokens.role(at + 1))


def _is_verb(tokens: ReplyTokens, at: int) -> bool:
    """Whether a word is a verb with an object behind it: "the first covers it"."""
    verb = tokens.word(at)[0].isalpha() and tokens.word(at).endswith(("s", "ed"))
    return verb and not tokens.role(at) and tokens.word(at + 1) in _OBJECTS


def _counts_others(tokens: ReplyTokens) -> bool:
    """Whether ordinals of a reply count something else than choices: "the second department"."""
    return any(
        tokens.word(at - 1) in _ARTICLES
        and tokens.word(at + 1)[0].isalpha()
        and not tokens.role(at + 1)
        and tokens.words[at + 1] not in NOUNS
        and tokens.words[at + 1] not in _ONES
        and tokens.words[at + 1] not in AFTER_NAME
        for at in places_of(ORDINALS, tokens.words)
    )


def _has_bullets(tokens: ReplyTokens, end: int) -> bool:
    lines = [at + 1 for at in range(end) if tokens.words[at] == "\n"]
    return any(tokens.words[start] in "-*•" for start in (0, *lines))
