"""The keys that answer a question with each label, on screen and in plain mode."""

from collections.abc import Container

MOST_DIGITS = 9


def answer_keys(labels: tuple[str, ...], taken: Container[str]) -> tuple[tuple[str, ...], ...]:
    """The keys of each label: its first letter, if all letters are free and distinct, and a digit.

    True and False have the digits 1 and 0; other labels have 1 to 9 in their order.
    """
    digits = [str(n) if n <= MOST_DIGITS else "" for n in range(1, len(labels) + 1)]
    if labels == ("True", "False"):
        digits = ["1", "0"]
    letters = [label[0].lower() for label in labels]
    fit = len(set(letters)) == len(letters) and all(x.isalpha() and x not in taken for x in letters)
    keys = zip(letters if fit else [""] * len(labels), digits, strict=True)
    return tuple(tuple(key for key in both if key) for both in keys)
