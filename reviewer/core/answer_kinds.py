"""The kinds of answers: what depends on how a question is answered, once for each kind.

A question names its kind (``Question.kind``); ``Question.answer_kind`` is the object that knows the rest. To
add a kind, add a class here, and ask ``grep -rn answer_kind`` which places draw or compute something of it.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from reviewer.core.sanitize import is_blank, one_line, text_fault, too_long

if TYPE_CHECKING:
    from reviewer.core.question import Question

KindName = Literal["label", "labels", "text"]
NONE_OF_THEM = "none of them"
"""The words for an empty set of labels."""
FREE_TEXT = "free text"
_FEWEST_LABELS = 2
_MOST_LISTED = 12


class KindOfAnswer:
    """How questions of one kind are answered; this one by exactly one of their labels.

    An answer is a text in the ledger, equal for equal answers.
    """

    name: ClassVar[KindName] = "label"
    words: ClassVar[str] = "one label"
    """What answers such a question, in words."""
    one_written: ClassVar[str] = "a label"
    """What one answer is as the ledger keeps it."""
    exported_as: ClassVar[str] = ""
    """How to read the answers of an export; "" if they need no explanation."""

    how_many: ClassVar[str] = ""
    """What stands behind a list of the labels, if other than one of them answers."""

    is_label: ClassVar[bool] = True
    """An answer is one of the labels as it stands: it is short, and the labels are all possible answers."""
    has_labels: ClassVar[bool] = True
    """The question has labels, and each has a key."""
    is_collected: ClassVar[bool] = False
    """Several keys make an answer, which another key then saves."""
    any_number: ClassVar[bool] = False
    """An answer is a set of labels, also of none of them."""
    is_written: ClassVar[bool] = False
    """People write the answer."""
    is_compared: ClassVar[bool] = True
    """Answers are compared: raters can agree and disagree."""
    is_judged: ClassVar[bool] = True
    """Models and published values can answer the question too."""
    is_published: ClassVar[bool] = True
    """Answers may appear in releases; otherwise they could identify people."""
    in_sheets: ClassVar[bool] = True
    """A cell of a rater's sheet can hold an answer."""
    by_label: ClassVar[bool] = False
    """Tables count how often each label was chosen, also where labels have no order."""
    form: ClassVar[Literal["nominal", "sets", "text"]] = "nominal"
    """Which coefficients the answers have, if labels have no order."""
    lacks: ClassVar[tuple[str, ...]] = ()
    """The keys of a question that have no meaning for this kind."""
    lacks_since: ClassVar[str] = ""
    """Why, behind "does not go with"."""

    def question_fault(self, question: "Question") -> str | None:
        """Why a question cannot be of this kind; None if it can."""
        if self.has_labels and len(question.labels) < _FEWEST_LABELS:
            return "a question needs at least two labels; add some, or ask for free text"
        if not self.has_labels and question.labels:
            return "a question of free text has no labels; leave them out"
        if not self.is_label and (question.passing or question.ordinal):
            return "only a question of one label has passing labels or a scale; leave them out"
        return None

    # -- answers -----------------------------------------------------------------------------------

    def answer_of(self, question: "Question", labels: Collection[str]) -> str:
        """The answer that consists of these labels, as the ledger keeps it."""
        (label,) = labels
        return label

    def labels_in(self, question: "Question", answer: str) -> tuple[str, ...]:
        """The labels that an answer names, in the question's order. Raises ValueError if it is no answer."""
        labels = self._listed(answer)
        if strangers := [label for label in labels if label not in question.labels]:
            raise ValueError(f"{one_line(strangers[0])!r} is not a label of {question.key!r}")
        if answer != self.answer_of(question, labels):
            raise ValueError(
                "the labels do not stand in the order of the question, or one stands there twice"
            )
        return tuple(labels)

    def fault(self, question: "Question", answer: str) -> str | None:
        """Why a text is not an answer, as a sentence without its full stop; None if it is one."""
        try:
            self.labels_in(question, answer)
        except ValueError:
            return f"{one_line(answer)!r} is not {self.one_written} of this question; {self.wanted(question)}"
        return f"the answer has {long}; choose fewer labels" if (long := too_long(answer)) else None

    def in_words(self, question: "Question", answer: str) -> str:
        """An answer as people read it; one that does not fit the question as it stands."""
        return answer

    def from_other_side(self, question: "Question", answer: str) -> str:
        """The same answer about the exchanged sides of a pair."""
        return question.sides.across(answer) if question.sides else answer

    def in_order(self, question: "Question", given: Iterable[str]) -> list[str]:
        """Each given answer once: labels in the question's order, all else in the order of the alphabet."""
        answers = {*given}
        return [answer for answer in question.labels if answer in answers]

    # -- words -------------------------------------------------------------------------------------

    def wanted(self, question: "Question") -> str:
        """A sentence on what answers the question, without its full stop."""
        listed, more = question.labels[:_MOST_LISTED], len(question.labels) - _MOST_LISTED
        return f"its labels are {', '.join(listed)}" + (f" and {more:,} more" if more > 0 else "")

    def choices(self, labels: Sequence[str]) -> str:
        """The labels as a list in words, or what else answers."""
        return ", ".join(labels)

    def choices_listed(self, labels: Sequence[str]) -> str:
        """All labels, and behind them how many of them answer."""
        return ", ".join(labels) + self.how_many if self.has_labels else self.words

    def choices_in_sentence(self, labels: Sequence[str]) -> str:
        """The same within a sentence of a report."""
        return " or ".join(labels)

    def _listed(self, answer: str) -> list[str]:
        return [answer]


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

    def in_order(self, question: "Question", given: Iterable[str]) -> list[str]:
        """In the order of the alphabet."""
        return sorted({*given})

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

    def in_order(self, question: "Question", given: Iterable[str]) -> list[str]:
        """In the order of the alphabet."""
        return sorted({*given})

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
    kind.name: kind for kind in (KindOfAnswer(), SeveralLabels(), FreeText())
}
"""Every kind by the name that questions have of it."""
