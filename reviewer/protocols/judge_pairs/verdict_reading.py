"""Reading a verdict on two answers in a judge's reply. A reply that takes no side is read as none."""

import re
from typing import Final

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.judge_pairs.answer_pair import FIRST, SECOND

READER_VERSION: Final = 2
"""Version 1 read "Verdict: a tie" as two verdicts."""
TIE: Final = "tie"
EMPTY, CUT_OFF, TOO_LONG = "empty", "ends before the verdict", "too long"
NO_VERDICT, SEVERAL = "no verdict", "names several verdicts"
_MOST_CHARACTERS: Final = 200_000
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.IGNORECASE | re.DOTALL)
_OPEN_THOUGHT = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_LINE = re.compile(r"^[ \t*_#>`-]*(?:final[ \t]+)?verdict[ \t*_`]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_BRACKETS = re.compile(r"\[\[\s*([ABC](?:\s*[<>=]{1,2}\s*[AB])?)\s*\]\]")
_A_TIE = re.compile(r"\ba[ \t]+tie\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+|\d+")
_WORDS: Final = {
    "first": FIRST,
    "a": FIRST,
    "1": FIRST,
    "second": SECOND,
    "b": SECOND,
    "2": SECOND,
    "tie": TIE,
    "c": TIE,
}
_FILLING: Final = frozenset(("the", "and", "or", "answer", "response", "assistant", "is", "better", "right"))


def read_verdict(reply: str) -> LabelRead:
    """The place (first or second) that a reply prefers, or a tie.

    A verdict is the last line that begins with "Verdict:", else the last one in double brackets: [[A]],
    [[B>A]], [[A>>B]], [[A=B]] or [[C]], where A stands first.
    """
    if len(reply) > _MOST_CHARACTERS:
        return LabelRead(None, TOO_LONG)
    said = _THOUGHTS.sub("", reply)
    if _OPEN_THOUGHT.search(said):
        return LabelRead(None, CUT_OFF)
    if not said.strip():
        return LabelRead(None, EMPTY)
    if lines := _LINE.findall(said):
        return _of_line(lines[-1])
    brackets = _BRACKETS.findall(said)
    return LabelRead(_in_brackets("".join(brackets[-1].split()))) if brackets else LabelRead(None, NO_VERDICT)


def _of_line(line: str) -> LabelRead:
    """What a line says beside words that only fill it; any other word leaves no verdict."""
    brackets = {_in_brackets("".join(inner.split())) for inner in _BRACKETS.findall(line)}
    words = [word.casefold() for word in _WORD.findall(_A_TIE.sub(TIE, _BRACKETS.sub(" ", line)))]
    told = [word for word in words if word not in _FILLING]
    if not (told or brackets):
        return LabelRead(None, CUT_OFF)
    if any(word not in _WORDS for word in told):
        return LabelRead(None, NO_VERDICT)
    named = brackets | {_WORDS[word] for word in told}
    return LabelRead(named.pop()) if len(named) == 1 else LabelRead(None, SEVERAL)


def _in_brackets(inner: str) -> str:
    if inner == "C" or "=" in inner:
        return TIE
    if len(inner) == 1:
        return _WORDS[inner.casefold()]
    better = inner[0] if ">" in inner else inner[-1]
    return _WORDS[better.casefold()]
