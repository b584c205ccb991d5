"""Who speaks in a rule and who receives it: as the script says, or as the words of the rule say."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviewer.protocols.staged_dialogues.script import (
    BROADCAST,
    CONFEDERATE,
    KINDS,
    MODERATOR,
    MULTICAST,
    SELF_RECEIVING,
    SUBJECT,
    UNICAST,
    Script,
    ScriptRole,
    ScriptRule,
)

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
