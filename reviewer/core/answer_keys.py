"""The keys that answer a question with each label, and labels found by the first letters of their words."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence

MOST_DIGITS = 9
"""The greatest number of labels that all have a digit."""
TEN = "-"
"""The key of a label that begins with the number 10."""
_TRUTH = {"True": "1", "False": "0"}
_AROUND_A_NUMBER = "()[].,:;"
_DIGITS = "1234567890"
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)?(?![\w%])")
"""A number, such as 0,5 or -1, that a label begins with."""


def answer_keys(
    labels: Sequence[str], taken: Container[str], used: Iterable[str] = ()
) -> Mapping[str, tuple[str, ...]]:
    """The labels that have keys, in the order in which to show them, each with its keys.

    ``taken`` are keys that already do something else. Up to nine labels stand in their own order; each has
    its first letter, if all letters are free and distinct, and a digit. The first key is the one that is
    shown: the digit, if the letters are other than a to z, which not every keyboard has.

    A label that begins with a whole number from 0 to 10 has that number's key, which no other label gets. If
    any label begins with a number that has no key, such as 0,5, all have the digits of their places. Of more
    labels, those with numbers come first. After them come the ones used last (``used`` is in the order of
    use), and a label keeps its digit until it is the one that was used longest ago.
    """
    numbers = numbers_as_keys(labels)
    own = {label: number for label, number in numbers.items() if [*numbers.values()].count(number) == 1}
    if set(labels) == set(_TRUTH):
        own = _TRUTH
    digits = {label: digit for label, digit in own.items() if digit not in taken}
    free = [digit for digit in _DIGITS if digit not in taken and digit not in numbers.values()]
    if len(labels) > MOST_DIGITS:
        others = (label for label in used if label in labels and label not in own)
        recent = last_used(others, [digit for digit in free if digit != "0"])
        return {label: (digit,) for label, digit in (digits | recent).items()}
    for position, label in enumerate(labels, 1):
        if label not in own and free:
            digits[label] = str(position) if str(position) in free else free[0]
            free.remove(digits[label])
    letters = _letters(labels, taken)
    places = [letters, digits] if all(letter.isascii() for letter in letters.values()) else [digits, letters]
    keys = {label: [keys.get(label, "") for keys in places] for label in labels}
    return {label: tuple(key for key in both if key) for label, both in keys.items()}


def last_used(used: Iterable[str], places: Sequence[str]) -> dict[str, str]:
    """The labels used last with their places; a new one takes the place of the one used longest ago."""
    free, held = [*places], dict[str, str]()
    for label in used:
        if label in held:
            place = held.pop(label)
        elif free:
            place = free.pop(0)
        elif held:
            place = held.pop(next(iter(held)))
        else:
            break
        held[label] = place
    return dict(sorted(held.items(), key=lambda item: item[1]))


def whole_number(label: str) -> str | None:
    """The whole number that is the first word of a label, as written; None if there is none."""
    words = label.split()
    word = words[0].strip(_AROUND_A_NUMBER) if words else ""
    return word if word.isascii() and word.isdigit() else None


def beside_key(label: str, key: str) -> str:
    """A label as it stands beside its key: without the number that it begins with, if that is the key."""
    _, *rest = label.split(maxsplit=1)
    return rest[0] if rest and whole_number(label) == key else label


def number_key(label: str) -> str | None:
    """The key of the whole number from 0 to 10 that a label begins with; no other label has this key."""
    number = whole_number(label)
    if number is None or len(number) > len("10") or int(number) > len(_DIGITS):
        return None
    return TEN if int(number) == len(_DIGITS) else str(int(number))


def numbers_as_keys(labels: Sequence[str]) -> dict[str, str]:
    """Label → the key of the whole number that it begins with; empty if all labels have keys of places."""
    numbers = {label: number for label in labels if (number := number_key(label)) is not None}
    return {} if _has_keys_of_places(labels) else numbers


def _has_keys_of_places(labels: Sequence[str]) -> bool:
    """Whether one of few labels begins with a number that no key has: nobody could guess such keys."""
    without = (_NUMBER.match(label.strip(_AROUND_A_NUMBER)) and number_key(label) is None for label in labels)
    return len(labels) <= MOST_DIGITS and any(without)


def ways_to_write(labels: Sequence[str], taken: Container[str], used: Iterable[str] = ()) -> dict[str, str]:
    """Every way to write each label on a line, in small letters: in full, by a key, by its own number."""
    keys = {key: label for label, own in answer_keys(labels, taken, used).items() for key in own}
    in_full = {label.casefold(): label for label in labels}
    if _has_keys_of_places(labels):
        return in_full | keys
    numbers = [(number, label) for label in labels if (number := whole_number(label)) is not None]
    once = {number: label for number, label in numbers if [n for n, _ in numbers].count(number) == 1}
    return keys | once | in_full


def _letters(labels: Sequence[str], taken: Container[str]) -> dict[str, str]:
    """The first letter of each label; empty unless all letters are free and distinct."""
    letters = [label[:1].lower() for label in labels]
    fit = len(set(letters)) == len(letters)
    fit = fit and all(len(letter) == 1 and letter.isalpha() and letter not in taken for letter in letters)
    return dict(zip(labels, letters, strict=True)) if fit else {}


_WORD = re.compile(r"\w+")


class LabelSearch:
    """The labels of a question, folded once, since a list of a thousand is searched at every letter."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = [(label, label.casefold(), _starts(label.casefold())) for label in labels]

    def found(self, typed: str) -> list[str]:
        """The labels that have all typed words anywhere, those first whose words begin with them.

        Among equals, a label that begins with the typed text comes first; else the labels keep their order.
        """
        words = typed.casefold().split()
        whole = " ".join(words)
        having = [each for each in self._labels if all(word in each[1] for word in words)]
        ranked = sorted(
            having,
            key=lambda each: (
                each[1] != whole,
                sum(not any(each[1].startswith(word, start) for start in each[2]) for word in words),
                not each[1].startswith(whole),
            ),
        )
        return [label for label, _, _ in ranked]


def _starts(text: str) -> list[int]:
    return [0, *(match.start() for match in _WORD.finditer(text) if match.start())]
