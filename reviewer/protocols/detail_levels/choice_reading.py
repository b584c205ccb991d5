"""Reading the choice in a free answer.

A letter or number that alone names a choice counts. Otherwise each choice is compared with every window of
the answer that is as long as the choice, and scores .25 of the mean plus .75 of the greatest similarity. A
choice longer than the answer is compared with the whole answer; an answer equal to a choice has one window,
so its score is 1. If no window reaches the threshold, nothing is read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np

from reviewer.protocols.detail_levels.level_instance import LETTERS
from reviewer.protocols.evaluation import LabelRead
from reviewer.similarity.edit_distance import window_similarities

READER_VERSION: Final = 2
THRESHOLD: Final = 0.8
_MEAN_WEIGHT: Final = 0.25
EMPTY, TOO_LONG, NONE_NEAR, EQUALLY_NEAR = (
    "empty",
    "too long",
    "no choice is near enough",
    "several choices are equally near",
)
NEGATED: Final = "near a negation"
_MOST_CHARACTERS: Final = 50_000
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"[*_`\"“”]+")
_ALONE = re.compile(r"[\s(\[]*(?:option|choice|answer)?[\s:(]*([A-Za-z]|\d{1,2})[\s)\].:]*", re.IGNORECASE)
_SAID = re.compile(
    r"\b(?i:option|choice|answer)(?:\s+is)?[\s:(]*([A-Z]|\d{1,2})(?=[\s.,;:!?)]|$)(?! [a-z]+ing\b)"
)
_BEGINS_LINE = re.compile(r"^[ \t>#-]*\(?([A-Z]|\d{1,2})[.):](?=\s|$)", re.MULTILINE)
_NEGATION = re.compile(
    r"(?:\b(?:not|no|never|neither|nor|cannot|avoid|against|reject|instead of|rather than)|n[’']t)\b"
    r"[^.,!?;:\n]{0,24}$"
)


@dataclass(frozen=True, slots=True)
class ChoiceMatch:
    """How near a choice is to an answer: its score, its greatest window, and whether negations precede it.

    ``negated``: a negation stands closely before every window that reaches the threshold.
    """

    choice: int
    score: float
    greatest: float
    negated: bool


def read_choice(reply: str, choices: Sequence[str]) -> LabelRead:
    """The letter of the choice that a reply takes, with a remark on how it was read, or why there is none."""
    if len(reply) > _MOST_CHARACTERS:
        return LabelRead(None, TOO_LONG)
    said = _MARKUP.sub("", _THOUGHTS.sub("", reply)).strip()
    if not said:
        return LabelRead(None, EMPTY)
    equal = [number for number, choice in enumerate(choices) if _plain(choice) == _plain(said)]
    if len(equal) == 1:
        return LabelRead(LETTERS[equal[0]], "equal to the choice")
    if named := _named(said, choices):
        return named
    return _nearest(choice_matches(said, choices), choices)


def choice_matches(reply: str, choices: Sequence[str]) -> tuple[ChoiceMatch, ...]:
    """How near each choice is to a reply, in the order of the choices."""
    text = _plain(reply)
    return tuple(_match(text, number, _plain(choice)) for number, choice in enumerate(choices))


def _match(text: str, number: int, choice: str) -> ChoiceMatch:
    near = window_similarities(text, choice)
    greatest = float(near.max())
    score = _MEAN_WEIGHT * float(near.mean()) + (1 - _MEAN_WEIGHT) * greatest
    starts = list(_places(near)) if greatest >= THRESHOLD else []
    return ChoiceMatch(number, score, greatest, bool(starts) and all(_is_negated(text, at) for at in starts))


def _places(near: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Iterator[int]:
    """Where the choice stands: the nearest of each row of neighbouring windows that reach the threshold."""
    over = np.flatnonzero(near >= THRESHOLD).tolist()
    for _, row in groupby(enumerate(over), key=lambda each: each[1] - each[0]):
        yield max((at for _, at in row), key=lambda at: float(near[at]))


def _is_negated(text: str, at: int) -> bool:
    return _NEGATION.search(text[max(0, at - 40) : at].casefold()) is not None


def _nearest(matches: Sequence[ChoiceMatch], choices: Sequence[str]) -> LabelRead:
    near = [match for match in matches if match.greatest >= THRESHOLD]
    whole = [match for match in near if not _is_inside(match, near, choices)]
    if not whole:
        return LabelRead(None, NONE_NEAR)
    taken = [match for match in whole if not match.negated] or whole
    best = max(taken, key=lambda match: match.score)
    if any(match.score == best.score for match in taken if match is not best):
        return LabelRead(None, EQUALLY_NEAR)
    remark = f"score {best.score:.3f}"
    return LabelRead(LETTERS[best.choice], f"{remark}; {NEGATED}" if best.negated else remark)


def _is_inside(match: ChoiceMatch, near: Sequence[ChoiceMatch], choices: Sequence[str]) -> bool:
    """Whether the words of a choice are part of another choice that the answer has as well."""
    own = _plain(choices[match.choice])
    return any(own in _plain(choices[other.choice]) for other in near if other is not match)


def _named(said: str, choices: Sequence[str]) -> LabelRead | None:
    """The one choice that a letter or a number names; None if the answer names none, or several.

    What is called an option, a choice or an answer comes before what begins a line. Numbers count only if no
    choice holds a digit itself.
    """
    alone = _ALONE.fullmatch(said)
    with_digits = any(sign.isdigit() for choice in choices for sign in choice)
    for found in ([alone] if alone else [], [*_SAID.finditer(said)], [*_BEGINS_LINE.finditer(said)]):
        named = [match for match in found if not (with_digits and match[1].isdigit())]
        numbers = {_place_named(match[1]) for match in named}
        if len(numbers) != 1:
            continue
        number, name = numbers.pop(), named[0][1]
        if 0 <= number < len(choices):
            negated = all(_is_negated(said, match.start()) for match in named)
            return LabelRead(LETTERS[number], f"named by {name}" + (f"; {NEGATED}" if negated else ""))
        if alone:
            return LabelRead(None, f"names {name}, which is none of {len(choices)} choices")
    return None


def _place_named(name: str) -> int:
    """The place of a choice, from 0, that a letter or a number names."""
    return int(name) - 1 if name.isdigit() else ord(name.upper()) - ord("A")


def _plain(text: str) -> str:
    """In small letters, with single blanks, without markup and signs at the end."""
    return " ".join(_MARKUP.sub("", text).casefold().split()).rstrip(".!,;: ")
