"""The kinds of answers: several labels, spans of a text, free text, and all kinds by name.

The base of all kinds, and the kind of one label, are in ``kind_of_answer.py``.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.kind_of_answer import KindOfAnswer
from reviewer.core.ranked_outputs import RankedOutputs
from reviewer.core.sanitize import is_blank, one_line, text_fault
from reviewer.core.spans import NOTHING_MARKED, RESERVED, kept_spans, spans_in

if TYPE_CHECKING:
    from reviewer.core.question import Question


class MarkedSpans(KindOfAnswer):
    """Parts of a text, each with a label; several, also overlapping ones, or none (see ``spans.py``)."""

    name = "spans"
    words = "spans of a text"
    one_written = "an object with the length of the text and its spans"
    exported_as = (
        "spans of a text: answers are JSON objects with the length of the text and a list of spans, each "
        "[start, end, label]; offsets count characters (code points), and a span ends before its end"
    )
    how_many = ", on any number of spans"
    fewest_labels = 1
    all_at_once = NOTHING_MARKED
    alike = "Spans are the same vote only where all offsets and labels are equal."
    is_label, is_judged = False, False
    is_marked, is_collected, by_label = True, True, True
    form = "spans"
    lacks = ("scale", "passing", "mirrored", "titles")
    lacks_since = "spans, which neither stand in order nor pass, and are of one text"

    def question_fault(self, question: "Question") -> str | None:
        """It has a label, shows one pane, and no sides can be exchanged."""
        if fault := super().question_fault(question):
            return fault.replace(
                "needs at least two labels; add some, or ask for free text", "of spans has labels; name them"
            )
        if len(question.shows) != 1 or question.sides is not None:
            return "a question of spans shows one pane with one text; name that one in shows"
        reserved = next((label for label in question.labels if {*label} & {*RESERVED}), None)
        wrong = f"label {reserved!r} of spans has a semicolon or a quotation mark; rename it"
        return None if reserved is None else wrong

    def answer_of(self, question: "Question", labels: Collection[str]) -> str:
        """Raises ValueError always: labels alone mark nothing."""
        raise ValueError("labels alone mark no part of a text")

    def labels_in(self, question: "Question", answer: str) -> tuple[str, ...]:
        """The labels of its spans, in the question's order. Raises ValueError for anything else."""
        _, spans = spans_in(answer)
        used = {span.label for span in spans}
        if strangers := used.difference(question.labels):
            raise ValueError(f"{one_line(min(strangers))!r} is not a label of {question.key!r}")
        return tuple(label for label in question.labels if label in used)

    def in_words(self, question: "Question", answer: str) -> str:
        """Label and offsets of each span."""
        try:
            _, spans = spans_in(answer)
        except ValueError:
            return answer
        return ", ".join(f"{label} {start}–{end}" for start, end, label in spans) or NOTHING_MARKED

    def from_other_side(self, question: "Question", answer: str) -> str:
        """A text has no other side."""
        return answer

    def in_order(self, question: "Question", given: Iterable[str]) -> list[str]:
        """In the order of the alphabet."""
        return sorted({*given})

    def choices(self, labels: Sequence[str]) -> str:
        """The labels of spans."""
        return f"spans of {', '.join(labels)}"

    def choices_in_sentence(self, labels: Sequence[str]) -> str:
        """Any number of spans."""
        return f"any number of spans of {' and '.join(labels)}"

    def renamed(self, question: "Question", answer: str, names: Mapping[str, str]) -> str:
        """The same spans with other names for their labels."""
        length, spans = spans_in(answer)
        return kept_spans(length, (span._replace(label=names.get(span.label, span.label)) for span in spans))

    def is_at_once(self, question: "Question", answer: str) -> bool:
        """Whether an answer says that there is nothing to mark."""
        try:
            return not spans_in(answer)[1]
        except ValueError:
            return False


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
