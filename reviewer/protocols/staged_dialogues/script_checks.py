"""Checks of scripts and open questions: each fault is found with the piece and the characters where it is."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from reviewer.core.check_result import CheckResult, Location, result_of
from reviewer.core.names import similar_names
from reviewer.core.sanitize import counted, enumerated, one_line
from reviewer.core.source_text import shipped_toml
from reviewer.protocols.base import MachineCheck
from reviewer.protocols.staged_dialogues.biases import BIASES, bias_named
from reviewer.protocols.staged_dialogues.script import (
    KINDS,
    MODES,
    SUBJECT,
    OpenQuestion,
    Script,
    addressings,
    mode_in,
)
from store.records import JsonValue

SCRIPT_CHECKS: Final[Mapping[str, MachineCheck]] = {
    "roles_of_each_kind": MachineCheck(
        "serious", asks="Is there one subject, a confederate and a moderator?"
    ),
    "role_names": MachineCheck("serious", asks="Has each role a name of its own, which is no mode?"),
    "subject_is_told": MachineCheck(
        "serious", asks="Do background and role of the subject not name the bias?"
    ),
    "others_are_told": MachineCheck("doubtful", asks="Do other roles and the rules not name the bias?"),
    "modes": MachineCheck("serious", asks="Is each mode one of the four?"),
    "purposes": MachineCheck("untidy", asks="Is each purpose one of the ten?"),
    "texts_of_rules": MachineCheck("serious", asks="Does each rule say what happens?"),
    "addressees": MachineCheck("serious", asks="Does each rule go from somebody known to somebody known?"),
    "assumed_addressees": MachineCheck("untidy", asks="Does each rule name who receives it?"),
    "unused_roles": MachineCheck("doubtful", asks="Does each role take part in a rule?"),
    "method": MachineCheck("serious", asks="Does the script say how the bias is observed?"),
    "size": MachineCheck("doubtful", asks="Can a person follow so many roles and rules?"),
    "known_bias": MachineCheck("untidy", asks="Is the bias one of the 72?"),
}
QUESTION_CHECKS: Final[Mapping[str, MachineCheck]] = {
    "length": MachineCheck("doubtful", asks="Have scenario, question and criterion 100 words together?"),
    "subject_is_told": MachineCheck("serious", asks="Do scenario and question not name the bias?"),
    "known_bias": SCRIPT_CHECKS["known_bias"],
}
FEWEST_WORDS: Final = 100
_MOST_ROLES, _MOST_RULES = 12, 60
_MOST_NAMED: Final = 4


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault of one check, at a piece such as "rule 3", and the characters of it if some are meant."""

    check: str
    piece: str
    wrong: str
    start: int = 0
    end: int = 0

    @property
    def sentence(self) -> str:
        at = f" (characters {self.start + 1:,} to {self.end:,})" if self.end else ""
        return f"{self.piece}{at} {self.wrong}"


def judge_script(script: Script, bias: str, stems: tuple[str, ...] = ()) -> tuple[CheckResult, ...]:
    """The result of every check of a script; its own stems count before these, and these before the list."""
    told = _told_in_script(script, script.stems or stems or stems_of(bias))
    faults = [*_faults_of_roles(script), *_faults_of_rules(script), *told]
    if not script.method:
        faults.append(_Fault("method", "the script", "says no method of observation"))
    return _results(SCRIPT_CHECKS, [*faults, *_unknown(bias)])


def judge_question(asked: OpenQuestion, bias: str, stems: tuple[str, ...] = ()) -> tuple[CheckResult, ...]:
    """The result of every check of an open question; these stems count before the list."""
    texts = {"scenario": asked.scenario, "question": asked.question}
    faults = [*_told("subject_is_told", texts, stems or stems_of(bias)), *_unknown(bias)]
    if (words := len(" ".join((*texts.values(), asked.criterion)).split())) < FEWEST_WORDS:
        faults.append(
            _Fault("length", "the case", f"has {counted(words, 'word')}, fewer than {FEWEST_WORDS}")
        )
    return _results(QUESTION_CHECKS, faults)


def _results(checks: Iterable[str], faults: Sequence[_Fault]) -> tuple[CheckResult, ...]:
    return tuple(_result(check, [fault for fault in faults if fault.check == check]) for check in checks)


def _result(check: str, faults: Sequence[_Fault]) -> CheckResult:
    named = "; ".join(fault.sentence for fault in faults[:_MOST_NAMED])
    more = f"; and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
    value: list[JsonValue] = [fault.piece for fault in faults]
    places = tuple(Location("", fault.piece, 1, fault.start, fault.end) for fault in faults)
    why = f"{named[:1].upper()}{named[1:]}{more}." if faults else ""
    return replace(result_of(check, not faults, value or None, why=why), places=places)


def _faults_of_roles(script: Script) -> Iterator[_Fault]:
    kinds = Counter(role.kind for role in script.roles)
    for kind in KINDS:
        if not kinds[kind]:
            yield _Fault("roles_of_each_kind", "the script", f"has no {kind}")
    if kinds[SUBJECT] > 1:
        yield _Fault("roles_of_each_kind", "the script", f"has {kinds[SUBJECT]} subjects")
    names = Counter(role.name.casefold() for role in script.roles)
    for number, role in enumerate(script.roles, 1):
        piece = f"role {number}"
        if names[role.name.casefold()] > 1:
            yield _Fault("role_names", piece, f"has the name of another role (“{one_line(role.name, 40)}”)")
        if mode_in(role.name)[0] or role.name.casefold() in (*KINDS, "system"):
            yield _Fault("role_names", piece, f"has a name that means something else (“{role.name}”)")
    for noun, count, most in (
        ("role", len(script.roles), _MOST_ROLES),
        ("rule", len(script.rules), _MOST_RULES),
    ):
        if count > most:
            yield _Fault("size", "the script", f"has {counted(count, noun)}, more than {most}")


def _faults_of_rules(script: Script) -> Iterator[_Fault]:
    used: set[str] = set()
    for number, (rule, sent) in enumerate(zip(script.rules, addressings(script), strict=True), 1):
        piece = f"rule {number}"
        used |= {sent.speaker, *sent.addressees}
        if rule.mode not in MODES:
            yield _Fault(
                "modes", piece, f"has the mode “{one_line(rule.mode, 40)}”" if rule.mode else "has no mode"
            )
        if not rule.known_purpose:
            named = f"has the purpose “{one_line(rule.purpose, 60)}”" if rule.purpose else "has no purpose"
            yield _Fault("purposes", piece, named)
        if not rule.text:
            yield _Fault("texts_of_rules", piece, "has no text")
        elif rule.mode in MODES and sent.unknown:
            yield _Fault(
                "addressees", piece, f"is for “{one_line(', '.join(sent.unknown), 60)}”, who has no role"
            )
        elif rule.mode in MODES and not sent.is_complete:
            yield _Fault(
                "addressees", piece, "goes to nobody known" if sent.speaker else "is said by nobody known"
            )
        elif sent.is_assumed:
            taken = enumerated(sent.addressees)
            yield _Fault("assumed_addressees", piece, f"names no addressee, so it is taken to go to {taken}")
    for number, role in enumerate(script.roles, 1):
        if role.name not in used:
            yield _Fault(
                "unused_roles", f"role {number}", f"(“{one_line(role.name, 40)}”) takes part in no rule"
            )


def _told_in_script(script: Script, stems: tuple[str, ...]) -> Iterator[_Fault]:
    yield from _told("subject_is_told", {"the background": script.background}, stems)
    for number, role in enumerate(script.roles, 1):
        parts = {"background": role.background, "task": role.task}
        texts = {f"role {number} {name}": text for name, text in parts.items()}
        yield from _told("subject_is_told" if role.kind == SUBJECT else "others_are_told", texts, stems)
    rules = {f"rule {number}": rule.text for number, rule in enumerate(script.rules, 1)}
    yield from _told("others_are_told", rules, stems)


def _told(check: str, texts: Mapping[str, str], stems: tuple[str, ...]) -> Iterator[_Fault]:
    sign = _sign(stems)
    for piece, text in texts.items():
        for found in sign.finditer(text):
            yield _Fault(check, piece, f"names the bias (“{found[0]}”)", *found.span())


def _unknown(bias: str) -> Iterator[_Fault]:
    known = bias_named(bias)
    if known is None:
        near = similar_names(bias, tuple(each.name for each in BIASES))
        meant = f"; did you mean “{near[0]}”" if near else ""
        yield _Fault("known_bias", "the bias", f"“{one_line(bias, 60)}” is none of the 72{meant}")
    elif known not in BIASES:
        yield _Fault(
            "known_bias", "the bias", f"“{known.name}” is none of the 72, so no detector can find it"
        )


@cache
def stems_of(bias: str) -> tuple[str, ...]:
    """Beginnings of words that give a bias away: its name in all spellings, and those of ``stems.toml``."""
    known = bias_named(bias)
    names = (known.name, *known.also) if known else (bias,)
    return (*names, *shipped_toml("reviewer.protocols.staged_dialogues", "stems.toml").get(names[0], ()))


@cache
def _sign(stems: tuple[str, ...]) -> re.Pattern[str]:
    """Any of these at the beginning of a word; blanks and hyphens are the same."""
    spelled = (r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", stem))) for stem in stems)
    return re.compile(rf"\b(?:{'|'.join(sorted(spelled, key=len, reverse=True))})\w*", re.IGNORECASE)
