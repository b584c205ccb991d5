"""The payloads: a script of a dialogue with its roles and rules, and an open question with its criterion."""

import re
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
