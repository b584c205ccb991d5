"""Thirty published pairs in which a person marked what changed, and how well other marks fit theirs.

``marked_differences.json`` holds for each pair its key, the pane, and the marked characters of both sides. On
texts every change was marked, and a sentence with hardly a word left as one change; on the rebuilt text the
content words that are missing, added or changed, but no harmless paraphrase. The pairs were drawn at random,
three or four from each bias, and marked before the comparison was written that is measured by them. The texts
themselves are with the shared data.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.text_diff import TextDiff

PUBLISHED = "probe-swe/gpt-4o-mini.json"
PANES = ("texts", "reconstruction")
_SECOND_TEXT = {"texts": "biased", "reconstruction": "reconstructed_unbiased_prompt"}
_WORD = re.compile(r"\w+(?:['’]\w+)*")

Marks = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class MarkedPair:
    """Two texts, and where a person marked each of them."""

    pane: str
    texts: tuple[str, str]
    marks: tuple[Marks, Marks]


@dataclass(frozen=True)
class Fit:
    """How many words both marked, only the comparison marked, and only the person marked; and how many
    stretches each of them marked.
    """

    both: int
    only_compared: int
    only_person: int
    stretches: int
    stretches_of_person: int

    @property
    def precision(self) -> float:
        """The share of the comparison's marks that the person marked too."""
        return self.both / (self.both + self.only_compared)

    @property
    def recall(self) -> float:
        """The share of the person's marks that the comparison marked too."""
        return self.both / (self.both + self.only_person)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def marked_pairs(published: Path) -> list[MarkedPair]:
    """The thirty pairs with the texts of the published file."""
    groups = json.loads(published.read_text(encoding="utf-8"))
    records = {
        f"{group}/{record['run_id']}-{record['pair']}": record
        for group, found in groups.items()
        for record in found
        if record["AI_generated"]
    }
    pairs = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return [_pair(records[pair["key"]], pair) for pair in pairs]


def _pair(record: dict[str, str], pair: dict[str, object]) -> MarkedPair:
    pane = str(pair["pane"])
    texts = (record["unbiased"], record[_SECOND_TEXT[pane]])
    return MarkedPair(pane, texts, (pair["left"], pair["right"]))  # type: ignore[arg-type]


def fit_of(compare: Callable[[str, str], TextDiff], pairs: Sequence[MarkedPair]) -> Fit:
    """How well the marks of a comparison fit the person's, counted in words over both sides of all pairs."""
    both = only_compared = only_person = stretches = by_person = 0
    for pair in pairs:
        diff = compare(*pair.texts)
        for text, compared, person in zip(
            pair.texts, (diff.left_marks, diff.right_marks), pair.marks, strict=True
        ):
            ours, theirs = _words(text, [(span.start, span.end) for span in compared]), _words(text, person)
            both, only_compared = both + len(ours & theirs), only_compared + len(ours - theirs)
            only_person, by_person = only_person + len(theirs - ours), by_person + len(person)
            stretches += len(compared)
    return Fit(both, only_compared, only_person, stretches, by_person)


def _words(text: str, marks: Marks) -> set[int]:
    """Where the words begin that have a mark."""
    return {
        word.start()
        for word in _WORD.finditer(text)
        if any(start < word.end() and word.start() < end for start, end in marks)
    }
