"""The kinds of answers: several labels and free text, and all kinds by name (see ``kind_of_answer.py``)."""

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from reviewer.core.kind_of_answer import KindOfAnswer
from reviewer.core.marked_spans import MarkedSpans
from reviewer.core.ranked_outputs import RankedOutputs
from reviewer.core.sanitize import is_blank, text_fault

if TYPE_CHECKING:
    from reviewer.core.question import Question

NONE_OF_THEM = "none of them"
"""The words for an empty set of labels."""
FREE_TEXT = "free text"


class SeveralLabels(KindOfAnswer):
    """Any number of labels, kept as a JSON list in the question's own order.

    An empty list says that none of the labels holds, which a rater says with a key of its own.
    """

    name = "labels"
    words = "several labels"
    one_written = "a JSON list of labels"
    exported_as = (
        "several labels: answers are JSON lists of labels in the question's order; [] is none of them"
    )
    how_many = ", any number of them"
    all_at_once = NONE_OF_THEM
    alike = "Sets of labels are the same vote only where all their labels are the same."
    is_label = False
    is_collected, any_number, by_label = True, True, True
    form = "sets"
    lacks = ("scale", "passing")
    lacks_since = "several labels, which neither stand in order nor pass"

    def answer_of(self, question: "Question", labels: Collection[str]) -> str:
        """A JSON list, so that equal sets are equal texts."""
        ordered = [label for label in question.labels if label in labels]
        return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))

    def in_words(self, question: "Question", answer: str) -> str:
        """The labels with commas between."""
        try:
            return ", ".join(self.labels_in(question, answer)) or NONE_OF_THEM
        except ValueError:
            return answer

    def from_other_side(self, question: "Question", answer: str) -> str:
        """Each label about the other side."""
        if question.sides is None:
            return answer
        return self.answer_of(question, [*map(question.sides.across, self.labels_in(question, answer))])

    def pressed(self, question: "Question", draft: str, label: str) -> str:
        """The label is added, or taken away."""
        labels = {*self._listed(draft or "[]")} ^ {label}
        return self.answer_of(question, labels) if labels else ""

    def at_once(self, question: "Question") -> str:
        """None of the labels."""
        return self.answer_of(question, ())

    def choices(self, labels: Sequence[str]) -> str:
        """Any of the labels."""
        return f"any of {', '.join(labels)}"

    def choices_in_sentence(self, labels: Sequence[str]) -> str:
        """Any number of the labels."""
        return f"any number of {' and '.join(labels)}"

    def _listed(self, answer: str) -> list[str]:
        try:
            labels = json.loads(answer)
        except RecursionError as error:
            raise ValueError("the list is too deep") from error
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise ValueError("it is not a list of labels")
        return labels


class FreeText(KindOfAnswer):
    """A text in the rater's own words. It has no agreement, and no release publishes it."""

    name = "text"
    words = FREE_TEXT
    one_written = "a text"
    exported_as = "free text: answers are the texts as they were written; no agreement is computed"
    is_label, has_labels = False, False
    is_compared, is_judged, is_published = False, False, False
    is_written = True
    form = "text"
    lacks = ("labels", "definitions", "criteria", "scale", "passing", "mirrored")
    lacks_since = "free text, which has no labels"

    def labels_in(self, question: "Question", answer: str) -> tuple[str, ...]:
        """Raises ValueError always."""
        raise ValueError("an answer in free text names no labels")

    def fault(self, question: "Question", answer: str) -> str | None:
        """A text is an answer unless it is empty, too long or has characters that no store keeps."""
        if is_blank(answer):
            return "the answer is empty; write it in a few words"
        fault = text_fault(answer)
        return f"the answer {'; '.join(fault)}" if fault else None

    def from_other_side(self, question: "Question", answer: str) -> str:
        """A text stays as it was written."""
        return answer

    def wanted(self, question: "Question") -> str:
        """It has no labels to list."""
        return "it is answered in free text"

    def choices(self, labels: Sequence[str]) -> str:
        """It has none."""
        return FREE_TEXT

    def choices_in_sentence(self, labels: Sequence[str]) -> str:
        """It has none."""
        return FREE_TEXT


ANSWER_KINDS: dict[str, KindOfAnswer] = {
    kind.name: kind for kind in (KindOfAnswer(), SeveralLabels(), RankedOutputs(), MarkedSpans(), FreeText())
}
"""Every kind by the name that questions have of it."""
