"""Finding a label by the first letters of its words."""

import re
from collections.abc import Sequence

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
