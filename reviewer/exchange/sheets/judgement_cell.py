"""Reading a judgement cell: which texts mean True, False or another label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.formula_guard import guarded
from reviewer.core.sanitize import one_line

# How spreadsheets write the two in other languages, and what people type for them.
_TRUE = (
    "true",
    "1",
    "1.0",
    "yes",
    "y",
    "t",
    "wahr",
    "vrai",
    "vero",
    "verdadero",
    "verdadeiro",
    "waar",
    "sant",
)
_FALSE = ("false", "0", "0.0", "no", "n", "f", "falsch", "faux", "falso", "onwaar", "falskt")
_NOTHING = ("", "nan", "na", "n/a", "#n/a", "none", "null", "-", "–")
# A word as short as "no" may begin a sentence, so a comment after it needs a mark in between.
_LONG_ENOUGH = 4
_MARKS = r"[-–—:;,./(\[|]"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A cell's label (None is missing) and the comment behind it ("" is none)."""

    label: str | None
    comment: str = ""


def read_judgement(text: str, labels: Sequence[str]) -> Judgement:
    """The judgement in a cell of a question with these labels; raises ValueError with what is wrong.

    The labels themselves count in any case of letters; for True and False also 1, yes, WAHR and the like. A
    comment may follow, after a mark or (behind a whole word) a blank. Empty and n/a are missing.
    """
    cell = " ".join(text.replace("\u00a0", " ").split())
    if cell.casefold() in _NOTHING:
        return Judgement(None)
    words = _words(labels)
    if cell.casefold() in words:
        return Judgement(words[cell.casefold()])
    for word in sorted(words, key=len, reverse=True):
        comment = _comment_after(cell, word)
        if comment is None:
            continue
        if _names_another(comment, words, words[word]):
            raise ValueError(f"says {one_line(cell, 40)!r}, which may mean more than one label")
        return Judgement(words[word], comment)
    raise ValueError(f"says {one_line(cell, 40)!r}, which is none of {', '.join(labels)}")


def _words(labels: Sequence[str]) -> dict[str, str]:
    """Every word that is understood, with the label that it means."""
    words = {spelling.casefold(): label for label in labels for spelling in (guarded(label), label)}
    if {"true", "false"} == set(words):
        words |= dict.fromkeys(_TRUE, words["true"]) | dict.fromkeys(_FALSE, words["false"])
    return words


def _comment_after(cell: str, word: str) -> str | None:
    """What follows the word as a comment, None where the cell does not begin with it."""
    blank = r"|\s" if len(word) >= _LONG_ENOUGH else ""
    match = re.fullmatch(rf"{re.escape(word)}\s*(?:{_MARKS}{blank})\s*(.*)", cell, re.IGNORECASE | re.DOTALL)
    if match is None or re.match(r"[.,]\d", cell[len(word) :]):
        return None
    comment = match[1].strip()
    closed = comment.endswith((")", "]")) and comment.count("(") + comment.count("[") < comment.count(
        ")"
    ) + comment.count("]")
    return comment[:-1].strip() if closed else comment


def _names_another(comment: str, words: dict[str, str], label: str) -> bool:
    """Whether the comment is itself an answer, or holds a whole word for another label."""
    if re.sub(r"\W", "", comment).casefold() in words or re.fullmatch(r"[\W\d]+", comment):
        return True
    said = set(re.findall(r"\w+", comment.casefold()))
    return any(len(word) >= _LONG_ENOUGH and words[word] != label for word in said & set(words))
