"""Who speaks in a rule and who receives it: as the script says, or as the words of the rule say."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.protocols.staged_dialogues.script import (
    BROADCAST,
    CONFEDERATE,
    KINDS,
    MULTICAST,
    SELF_RECEIVING,
    SUBJECT,
    UNICAST,
    Script,
    ScriptRole,
    ScriptRule,
)

SYSTEM: Final = "system"
"""The speaker of what a role receives by itself."""
_PARTICIPANTS: Final = re.compile(r"\b(?:both|all|the)?\s*participants\b", re.IGNORECASE)
_EVERYBODY: Final = re.compile(r"\b(?:everyone|everybody|the (?:whole )?group)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Addressing:
    """The names of who speaks ("" if nobody known) and who receives it. ``unknown``: names without a role."""

    speaker: str
    addressees: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether somebody known speaks to somebody known."""
        return bool(self.speaker and self.addressees and not self.unknown)


def addressing(script: Script, rule: ScriptRule) -> Addressing:
    """Who speaks and who receives, by the mode.

    A broadcast reaches everybody else, a multicast all others that the rule names, a unicast the first of
    them. What a role receives by itself comes from the system.
    """
    names = tuple(dict.fromkeys(role.name for role in script.roles))
    mentioned = list(dict.fromkeys(_mentioned(script, rule.text)))
    if rule.mode == SELF_RECEIVING:
        receivers = rule.addressees or ((rule.speaker,) if rule.speaker not in ("", SYSTEM) else ())
        return _known(names, SYSTEM, receivers or tuple(mentioned[:1]))
    speaker = rule.speaker or next(iter(mentioned), "")
    others = tuple(name for name in mentioned if name != speaker)
    by_mode = {
        BROADCAST: tuple(name for name in names if name != speaker),
        MULTICAST: others,
        UNICAST: others[:1],
    }
    return _known(names, speaker, rule.addressees or by_mode.get(rule.mode, ()))


def _known(names: Sequence[str], speaker: str, addressees: Sequence[str]) -> Addressing:
    asked = tuple(name for name in (speaker, *addressees) if name not in (*names, SYSTEM, ""))
    return Addressing(speaker, tuple(addressees), tuple(dict.fromkeys(asked)))


def _mentioned(script: Script, text: str) -> Iterator[str]:
    """The names of the roles that a text mentions, by name, kind or title, in the order of the text."""
    found: list[tuple[int, str]] = []
    for role in script.roles:
        for sign in _signs(script, role):
            found += [(match.start(), role.name) for match in re.finditer(sign, text, re.IGNORECASE)]
    taking_part = (*script.of_kind(SUBJECT), *script.of_kind(CONFEDERATE))
    for pattern, meant in ((_PARTICIPANTS, taking_part), (_EVERYBODY, script.roles)):
        found += [(match.start(), role.name) for match in pattern.finditer(text) for role in meant]
    yield from (name for _, name in sorted(found, key=lambda mention: mention[0]))


def _signs(script: Script, role: ScriptRole) -> Iterator[str]:
    """Patterns for a role: its name, its kind, and the last word of its title if no other role has it."""
    yield rf"(?<!\w){re.escape(role.name)}(?!\w)"
    if role.kind in KINDS:
        yield rf"\b{role.kind}s?\b"
    title = _last_word(role)
    if title and [_last_word(each) for each in script.roles].count(title) == 1:
        yield rf"\b{re.escape(title)}s?\b"


def _last_word(role: ScriptRole) -> str:
    words = re.findall(r"[^\W\d]{4,}", re.sub(r"\([^()]*\)", " ", role.identity))
    return words[-1].casefold() if words else ""
