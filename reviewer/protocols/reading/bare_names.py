"""A bare letter or number that names a choice, and not an article, a number of a list or a part of a word."""

from collections.abc import Mapping
from typing import Final

from reviewer.protocols.reading.choices import ANNOUNCERS
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.naming_words import MEASURING, NOUNS, SIGNS, words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens, is_eastern
from reviewer.protocols.reading.roles import WordRole, roles_of

FOLLOWS_NAME: Final = roles_of(
    "is should would could wins loses since but joins than excepts if concedes negates so has to"
)
"""Roles of words that follow a name, and not the article "a" or an ordinal that belongs to a noun."""

LABEL_SIGNS: Final = frozenset((":", "：", "=", "→", "=>", "–", "—"))
"""Signs between a word that announces a choice and the choice."""
_STARTS: Final = frozenset(("\n", ".", "!", "?", ":", ";", "：", "。", "=", "—", "→", "=>"))
_BULLETS: Final = frozenset(("(", "[", '"', "“", "'", "-", "–", "•", "*", "☑"))
_JOINS: Final = frozenset((*",/-–&><=", ">>", "<<")) | words_of("and or und oder ou et en и to nor y o e of")
_COUNTERS: Final = frozenset("個个人月年日円元つ倍点回週周天개명월년일원")
_ARTICLES: Final = frozenset(("a", "la", "el", "o", "die", "l'", "de"))
_GLUED_BEFORE: Final = frozenset(".'’@\\_+-!~¬")
_GLUED_AFTER: Final = frozenset("'’+#_@*\\")
_CLOSES: Final = roles_of("since but joins excepts negates if")
_LEADS_TO_NUMBER: Final = roles_of("takes is negates so excepts refuses from but")
_BEFORE_FOR: Final = WordRole.IS | WordRole.PICK | WordRole.JOINS
_BEFORE_NUMBER: Final = frozenset(("to", "for", "with", "number", "#", "meant", "mean"))
_BEFORE_LETTER: Final = words_of(
    "so means then letter like plan yes answer be between only into towards toward"
)
AFTER_NAME: Final = words_of(
    """
    here then if with for at on in by it i again please wins beats gives offers keeps has had does did
    makes made needs all hands any only alone too also clearly definitely still now simply comes goes
    gets takes carries costs saves leaves every each which that who followed where when while after
    imo imho tbh pls plz together combined jointly before until once so as fits solves avoids looks sounds
    """
)
"""Words that may follow the letter A where it is a name, and a number that counts nothing."""
_BEHIND_LETTER: Final = AFTER_NAME | MEASURING
_PLURALS: Final = frozenset(("options", "choices", "answers", "optionen", "opciones", "opzioni", "opções"))


class BareNames:
    """The letters and numbers of choices."""

    def __init__(self, by_name: Mapping[str, str], letters: set[str]) -> None:
        self._by_name, self._letters = by_name, letters

    def at(self, tokens: ReplyTokens, at: int, before: Mention | None) -> Mention | None:
        """The choice that a bare letter or number names here; ``before`` is the mention before it."""
        word = tokens.words[at]
        if word in self._letters and len(word) == 1:
            return self._lettered(tokens, at, before)
        return self._numbered(tokens, at, before) if word.isdigit() and word in self._by_name else None

    def _lettered(self, tokens: ReplyTokens, at: int, before: Mention | None) -> Mention | None:
        raw = tokens.raw[at]
        if self._is_glued(tokens, at) or (raw in "Aa" and is_article(tokens, at)):
            return None
        if raw.islower() and not self._is_small_name(tokens, at, before):
            return None
        closed = tokens.word(at + 1) in (".", ")", ":") and begins(tokens, at)
        if raw == "I" and not (closed or _stands_alone(tokens, at)):
            return None
        known = not at or tokens.roles[at - 1] or tokens.words[at - 1][0] in SIGNS
        is_for = tokens.word(at - 1) == "for" and tokens.role(at - 2) & _BEFORE_FOR
        if not (known or is_for or tokens.words[at - 1] in _BEFORE_LETTER):
            return None
        return Mention(at, at + 1, self._by_name[tokens.words[at]], MentionKind.NAME, loose=True)

    def _is_glued(self, tokens: ReplyTokens, at: int) -> bool:
        """Whether a letter is a part of something longer: C++, A-level, a/b testing, U.S.A."""
        before, after, then = tokens.word(at - 1), tokens.word(at + 1), tokens.word(at + 2)
        if at and not tokens.spaced[at]:
            if before == "/" and tokens.word(at - 2) not in self._letters:
                return True
            if before in _GLUED_BEFORE or (before[-1].isalnum() and before.isascii()):
                return True
        if at + 1 >= len(tokens) or tokens.spaced[at + 1]:
            return False
        if after in _GLUED_AFTER or after[0].isdigit():
            return True
        joined = at + 2 < len(tokens) and not tokens.spaced[at + 2]
        if after == "/":
            return then not in self._letters or tokens.word(at + 3).startswith(
                ("test", "split", "experiment")
            )
        return joined and ((after == "-" and then not in self._letters) or (after == "." and then.isalpha()))

    def _is_small_name(self, tokens: ReplyTokens, at: int, before: Mention | None) -> bool:
        after = tokens.word(at + 1)
        if (
            _stands_alone(tokens, at)
            or is_behind_label(tokens, at)
            or (tokens.word(at - 1), after) == ("(", ")")
        ):
            return True
        leads = WordRole.IS | WordRole.TAKES | WordRole.EXCEPTS | WordRole.NEGATES
        ends = (".", "!") if tokens.raw[at] == "a" else (".", "!", "\n", ",")
        if after in ends and at and tokens.roles[at - 1] & leads:
            return True
        return tokens.raw[at] != "a" and _is_joined(tokens, before, at)

    def _numbered(self, tokens: ReplyTokens, at: int, before: Mention | None) -> Mention | None:
        if tokens.word(at + 1) == ":" and tokens.word(at + 2).isdigit():
            return None
        if tokens.word(at + 1) in (">", "<", ">>", "<<") and tokens.word(at + 2) in self._by_name:
            return Mention(at, at + 1, self._by_name[tokens.words[at]], MentionKind.NAME, loose=True)
        mention = Mention(at, at + 1, self._by_name[tokens.words[at]], MentionKind.NAME, loose=True)
        if before and tokens.words[before.start] in _PLURALS and _is_joined(tokens, before, at):
            return mention
        if counts_something(tokens, at) or (at and tokens.words[at - 1] in "$€£%~"):
            return None
        if _is_joined(tokens, before, at) or _stands_alone(tokens, at):
            return mention
        follows_name = before is not None and before.kind is MentionKind.NAME
        after, role = tokens.word(at + 1), tokens.role(at + 1)
        closed = after in SIGNS - frozenset("/-–:") or bool(role & _CLOSES)
        moved_from = role & WordRole.TO and bool(at) and tokens.roles[at - 1] & WordRole.FROM
        closed = closed or bool(moved_from)
        if (not self._letters or follows_name) and closed and _leads_to_number(tokens, at):
            return mention
        if after in (".", ")") and tokens.word(at + 2) in NOUNS:
            return None
        answers = not self._letters or tokens.word(at - 1) == ":"
        said = closed or after in ".):-–—," or bool(role & (WordRole.WINS | WordRole.IS))
        return mention if answers and said and begins(tokens, at) else None


def begins(tokens: ReplyTokens, at: int) -> bool:
    """Whether a token begins a line or a sentence, or follows a colon."""
    at -= 1
    while at >= 0 and tokens.words[at] in _BULLETS:
        at -= 1
    return at < 0 or tokens.words[at] in _STARTS


def is_article(tokens: ReplyTokens, at: int) -> bool:
    """Whether the letter A is the article of the word behind it."""
    if at + 1 >= len(tokens) or not tokens.spaced[at + 1]:
        return False
    after = tokens.raw[at + 1]
    if not (after[0].isalpha() and after.isascii()):
        return False
    return not tokens.roles[at + 1] & FOLLOWS_NAME and tokens.words[at + 1] not in _BEHIND_LETTER


def counts_something(tokens: ReplyTokens, at: int) -> bool:
    """Whether a number counts or measures what stands behind it."""
    after = tokens.word(at + 1)
    if after in "%°€$£":
        return True
    if at + 1 < len(tokens) and tokens.absorbed[at + 1]:
        return False
    if is_eastern(after):
        return after in _COUNTERS
    return after[0].isalpha() and after not in AFTER_NAME and not tokens.role(at + 1) & FOLLOWS_NAME


def is_behind_label(tokens: ReplyTokens, at: int) -> bool:
    """Whether a word that announces stands before, with a sign between or at the beginning of a line."""
    if at and tokens.words[at - 1] in ANNOUNCERS:
        return begins(tokens, at - 1)
    return at > 1 and tokens.words[at - 1] in (*LABEL_SIGNS, "-") and tokens.words[at - 2] in ANNOUNCERS


def _leads_to_number(tokens: ReplyTokens, at: int) -> bool:
    at -= bool(at) and tokens.words[at - 1] in _ARTICLES
    return bool(at) and bool(
        tokens.roles[at - 1] & _LEADS_TO_NUMBER or tokens.words[at - 1] in _BEFORE_NUMBER
    )


def _stands_alone(tokens: ReplyTokens, at: int) -> bool:
    """Whether nothing else stands in its statement."""
    end = at + 1
    while end < len(tokens) and tokens.words[end] in ")]\"”'.":
        end += 1
    return begins(tokens, at) and (end >= len(tokens) or tokens.words[end] in "\n.!,;(")


def _is_joined(tokens: ReplyTokens, before: Mention | None, end: int) -> bool:
    """Whether only a word such as "or" stands between a name and the one before."""
    if before is None or before.kind is not MentionKind.NAME:
        return False
    between = tokens.words[before.end : end] if end - before.end <= 3 else []
    return bool(between) and all(word in _JOINS for word in between)
