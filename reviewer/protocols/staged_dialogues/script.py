"""The payloads: a script of a dialogue with its roles and rules, and an open question with its criterion.

Who speaks in a rule and who receives it: as the script says, or as the words of the rule say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from reviewer.core.sanitize import is_single_line, strange_character
from reviewer.protocols.payload_text import stripped

SUBJECT, CONFEDERATE, MODERATOR, OTHER = "subject", "confederate", "moderator", "other"
KINDS: Final = (SUBJECT, CONFEDERATE, MODERATOR)
"""The kinds of role that every script needs."""
SELF_RECEIVING, UNICAST, MULTICAST, BROADCAST = "self-receiving", "unicast", "multicast", "broadcast"
MODES: Final = (SELF_RECEIVING, UNICAST, BROADCAST, MULTICAST)
FROM_SYSTEM: Final = "receive from system"
NOT_STAGED: Final = "not_staged"
"""The value of a script that cannot be played: why."""
_PURPOSE_WORDS: Final = {
    FROM_SYSTEM: r"from the system|system information",
    "comment on the situation": r"(context|situation)\S* comment|comment\w* .*\bsituation",
    "joke": r"\bjok(e|es|ing)\b",
    "disagree": r"\bconflicts?\b|\bdebate\b|\bdisagree",
    "work out": r"\bidentify(ing)?\b|\bfigur(e|ing)\b.*\bout\b|\bwork(ing)? out\b",
    "share feelings and evaluations": r"\b(feelings?|evaluations?)\b",
    "advise and instruct": r"\b(advice|advis|instruct|suggestion)",
    "describe the past": r"\bdescri.*\bpast\b",
    "describe the future": r"\bdescri.*\bfuture\b",
    "describe in general": r"\bdescri|\btime[- ]neutral",
}
PURPOSES: Final = tuple(_PURPOSE_WORDS)
"""What rules are for: to receive from the system, then nine ways of talking. The first that fits counts."""
_SPELLED: Final = re.compile(
    r"(?P<self>self[\s-]*receiv\w*|receiv\w+ (?:by|for) (?:your|one|them)\w+)"
    r"|(?P<uni>uni[\s-]?cast\w*)|(?P<broad>broad[\s-]?cast\w*)|(?P<multi>multi[\s-]?cast\w*)",
    re.IGNORECASE,
)
_BY_GROUP: Final = {"self": SELF_RECEIVING, "uni": UNICAST, "broad": BROADCAST, "multi": MULTICAST}
_MOST_CHARACTERS: Final = 20_000
_MOST_IN_LINE: Final = 200
MOST_ROLES: Final = 100
MOST_RULES: Final = 1_000


def mode_in(text: str) -> tuple[str, int, int]:
    """The first mode that a text names, in any spelling, and where; ("", -1, -1) if it names none."""
    found = _SPELLED.search(text)
    if not found or not found.lastgroup:
        return "", -1, -1
    return _BY_GROUP[found.lastgroup], found.start(), found.end()


def purpose_in(text: str) -> str:
    """Which of the purposes a text names, in many words; "" if it names none."""
    words = " ".join(text[:_MOST_IN_LINE].casefold().split())
    return next(
        (name for name, sign in _PURPOSE_WORDS.items() if name == words or re.search(sign, words)), ""
    )


def _line(text: str) -> str:
    line = " ".join(text.split())
    if len(line) > _MOST_IN_LINE:
        raise ValueError(f"has {len(line):,} characters, more than {_MOST_IN_LINE}")
    if line and not is_single_line(line):
        raise ValueError("is not one line")
    return line


def _text(text: str) -> str:
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"has {len(text):,} characters, more than {_MOST_CHARACTERS:,}")
    if strange := strange_character(text):
        raise ValueError(f"holds {strange}")
    return text.strip()


def _mode(text: str) -> str:
    """The usual spelling of a mode; another text as it is, since a check finds it."""
    mode, start, end = mode_in(text)
    return mode if (start, end) == (0, len(text)) else text


Line = Annotated[str, AfterValidator(_line)]
"""One line, possibly empty."""
Passage = Annotated[str, AfterValidator(_text)]
"""A text, possibly empty: checks find what is missing."""
Filled = Annotated[str, stripped(_MOST_CHARACTERS)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ScriptRole(_Frozen):
    """Somebody who takes part. ``identity`` is the kind in the words of the script, such as "team leader"."""

    name: Annotated[Filled, AfterValidator(_line)]
    kind: Line
    identity: Line = ""
    background: Passage = ""
    task: Passage = ""


class ScriptRule(_Frozen):
    """One step of the dialogue: how it is sent, its purpose, and its text.

    ``speaker`` and ``addressees`` are names of roles. Where they are empty, ``addressing`` reads them from
    the text.
    """

    mode: Annotated[Line, AfterValidator(_mode)]
    purpose: Passage = ""
    text: Passage
    speaker: Line = ""
    addressees: Annotated[tuple[Line, ...], Field(strict=False, max_length=MOST_ROLES)] = ()

    @property
    def known_purpose(self) -> str:
        """Which of the purposes it has; "" if none or an unknown one."""
        return purpose_in(self.purpose)


class Script(_Frozen):
    """A dialogue that is played rule by rule to see whether a subject shows a bias.

    ``stems`` are beginnings of words that give the bias away; where it is empty, the shipped list counts.
    """

    purpose: Passage = ""
    background: Passage = ""
    roles: Annotated[tuple[ScriptRole, ...], Field(strict=False, min_length=1, max_length=MOST_ROLES)]
    rules: Annotated[tuple[ScriptRule, ...], Field(strict=False, min_length=1, max_length=MOST_RULES)]
    method: Passage = ""
    stems: Annotated[tuple[Filled, ...], Field(strict=False, max_length=MOST_ROLES)] = ()

    def of_kind(self, kind: str) -> tuple[ScriptRole, ...]:
        """The roles of a kind, in their order."""
        return tuple(role for role in self.roles if role.kind == kind)


class OpenQuestion(_Frozen):
    """A question to answer freely, and the criterion by which an answer shows the bias or does not."""

    scenario: Filled
    question: Filled
    criterion: Filled


SYSTEM: Final = "system"
"""The speaker of texts that a role receives from nobody else."""
_PARTICIPANTS: Final = re.compile(r"\b(?:both|all|the)?\s*participants\b", re.IGNORECASE)
_EVERYBODY: Final = re.compile(r"\b(?:everyone|everybody|the (?:whole )?group)\b", re.IGNORECASE)
_OPENING: Final = re.compile(
    r"(?:.{0,120}: )?(?:(?:The|An?) (?P<noun>[a-z]\w+)|(?:The )?(?P<name>[A-Z]\w+))"
    r"(?= (?:\w+ )?(?:and \w+ )?\w+s\b)"
)
_NOT_A_NAME: Final = re.compile(
    r"After|An|As|At|Before|Both|Each|During|Every|Finally|For|From|He|If|In|It|Later|Next|Now|On|"
    r"Once|Only|She|Since|Some|Then|There|The|They|These|This|To|Under|Until|Upon|When|While|With|Without"
)
"""Words with which a sentence may open that are not about who speaks."""
_Sign = tuple[re.Pattern[str], tuple[str, ...]]
"""A pattern of words, and the names of the roles that they mean."""


@dataclass(frozen=True, slots=True)
class Addressing:
    """The names of who speaks ("" if nobody known) and who receives it.

    ``unknown`` are names without a role. ``is_assumed``: the rule names no addressee, so that the usual one
    is taken.
    """

    speaker: str
    addressees: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    is_assumed: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether somebody known speaks to somebody known."""
        return bool(self.speaker and self.addressees and not self.unknown)


def addressings(script: Script) -> tuple[Addressing, ...]:
    """Who speaks and who receives in each rule, by its mode.

    A broadcast reaches everybody else, a multicast all others that the rule names, a unicast the first of
    them. What a role receives by itself comes from the system. A rule that names no addressee is assumed to
    go to the subject, or from the subject to the first moderator; a multicast to everybody else.
    """
    signs = tuple(_signs(script))
    return tuple(_addressing(script, signs, rule) for rule in script.rules)


def _addressing(script: Script, signs: Sequence[_Sign], rule: ScriptRule) -> Addressing:
    names = tuple(dict.fromkeys(role.name for role in script.roles))
    found = ((match.start(), meant) for sign, meant in signs for match in sign.finditer(rule.text))
    mentions = sorted((at, name) for at, meant in found for name in meant)
    mentioned = tuple(dict.fromkeys(name for _, name in mentions))
    if rule.mode == SELF_RECEIVING:
        receivers = rule.addressees or tuple({rule.speaker} - {"", SYSTEM}) or mentioned[:1]
        return _known(names, SYSTEM, receivers)
    if not rule.speaker and (stranger := _stranger(rule.text, mentions)):
        return Addressing("", (), (stranger,))
    speaker = rule.speaker or next(iter(mentioned), "")
    everybody = tuple(name for name in names if name != speaker)
    others = tuple(name for name in mentioned if name != speaker)
    by_mode = {BROADCAST: everybody, MULTICAST: others, UNICAST: others[:1]}
    if named := rule.addressees or by_mode.get(rule.mode, ()):
        return _known(names, speaker, named)
    usual = {MULTICAST: everybody, UNICAST: _usual(script, speaker)}
    assumed = usual.get(rule.mode, ()) if speaker else ()
    return replace(_known(names, speaker, assumed), is_assumed=bool(assumed))


def _usual(script: Script, speaker: str) -> tuple[str, ...]:
    """The subject, or the first moderator for words of the subject."""
    subjects = [role.name for role in script.of_kind(SUBJECT)]
    others = [role.name for role in script.of_kind(MODERATOR)] if speaker in subjects else subjects
    return tuple(others[:1])


def _known(names: Sequence[str], speaker: str, addressees: Sequence[str]) -> Addressing:
    asked = tuple(name for name in (speaker, *addressees) if name not in (*names, SYSTEM, ""))
    return Addressing(speaker, tuple(addressees), tuple(dict.fromkeys(asked)))


def _stranger(text: str, mentions: Sequence[tuple[int, str]]) -> str:
    """The name or noun with which a rule begins, before a verb, if no role has it; "" otherwise."""
    opening = _OPENING.match(text)
    word = (opening["noun"] or opening["name"]) if opening else ""
    if not opening or _NOT_A_NAME.fullmatch(word):
        return ""
    two_words = opening.end() + len(text[opening.end() :].split(maxsplit=1)[0]) + 1
    return "" if any(at <= two_words for at, _ in mentions) else word


def _signs(script: Script) -> Iterator[_Sign]:
    """Patterns of words for roles: name, kind, the last word of a title that no other role has, or groups."""
    titles = [_last_word(role) for role in script.roles]
    for role, title in zip(script.roles, titles, strict=True):
        signs = [rf"(?<!\w){re.escape(role.name)}(?!\w)"]
        if role.kind in KINDS:
            signs.append(rf"\b{role.kind}s?\b")
        if title and titles.count(title) == 1:
            signs.append(rf"\b{re.escape(title)}s?\b")
        yield from ((re.compile(sign, re.IGNORECASE), (role.name,)) for sign in signs)
    taking_part = script.of_kind(SUBJECT) + script.of_kind(CONFEDERATE)
    yield _PARTICIPANTS, tuple(role.name for role in taking_part)
    yield _EVERYBODY, tuple(role.name for role in script.roles)


def _last_word(role: ScriptRole) -> str:
    words = re.findall(r"[^\W\d]{4,}", re.sub(r"\([^()]*\)", " ", role.identity))
    return words[-1].casefold() if words else ""
