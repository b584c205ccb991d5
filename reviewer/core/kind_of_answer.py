"""What depends on how a question is answered: the base of all kinds, and the kind of one label.

A question names its kind (``Question.kind``); ``Question.answer_kind`` is the object that knows the rest. To
add a kind, add a class as in ``answer_kinds.py``, and ask ``grep -rn answer_kind`` which places draw or
compute something of their own.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from reviewer.core.sanitize import one_line, too_long

if TYPE_CHECKING:
    from reviewer.core.question import Question

KindName = Literal["label", "labels", "text", "ranking", "spans"]
FEWEST_LABELS = 2
_MOST_LISTED = 12


class KindOfAnswer:
    """How questions of one kind are answered; this one by exactly one of their labels.

    An answer is a text in the ledger, equal for equal answers.
    """

    name: ClassVar[KindName] = "label"
    words: ClassVar[str] = "one label"
    """The possible answers to such a question, in words."""
    one_written: ClassVar[str] = "a label"
    """The form of one answer in the ledger."""
    exported_as: ClassVar[str] = ""
    """How to read the answers of an export; "" if they need no explanation."""

    how_many: ClassVar[str] = ""
    """What stands behind a list of the labels, if other than one of them answers."""

    is_label: ClassVar[bool] = True
    """An answer is one of the labels as it stands: it is short, and the labels are all possible answers."""
    has_labels: ClassVar[bool] = True
    """The question has labels, and each has a key."""
    fewest_labels: ClassVar[int] = FEWEST_LABELS
    is_marked: ClassVar[bool] = False
    """People mark parts of the text of the one pane that is shown, each with a label."""
    is_collected: ClassVar[bool] = False
    """Several keys make an answer, which another key then saves."""
    any_number: ClassVar[bool] = False
    """An answer is a set of labels, also of none of them."""
    is_ranked: ClassVar[bool] = False
    """An answer ranks all labels. They are outputs, which each rater sees in an order of their own."""
    all_at_once: ClassVar[str] = ""
    """The words of the key that gives an answer about all labels at once; "" if there is none."""
    is_written: ClassVar[bool] = False
    """People write the answer."""
    is_compared: ClassVar[bool] = True
    """Answers are compared: raters can agree and disagree."""
    alike: ClassVar[str] = ""
    """When two answers are the same vote, as a sentence, where that is less than plain."""
    is_judged: ClassVar[bool] = True
    """Models and published values can answer the question too."""
    is_published: ClassVar[bool] = True
    """Answers may appear in releases; otherwise they could identify people."""
    in_sheets: ClassVar[bool] = True
    """A cell of a rater's sheet can hold an answer."""
    by_label: ClassVar[bool] = False
    """Tables count how often each label was chosen, also where labels have no order."""
    form: ClassVar[Literal["nominal", "sets", "ranks", "spans", "text"]] = "nominal"
    """Which coefficients the answers have, if labels have no order."""
    lacks: ClassVar[tuple[str, ...]] = ()
    """The keys of a question that have no meaning for this kind."""
    lacks_since: ClassVar[str] = ""
    """Why, behind "does not go with"."""

    def question_fault(self, question: "Question") -> str | None:
        """Why a question cannot be of this kind; None if it can."""
        if self.has_labels and len(question.labels) < self.fewest_labels:
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
        """The labels that an answer names, in the question's order. Raises ValueError for anything else."""
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
        return [label for label in question.labels if label in answers] if self.is_label else sorted(answers)

    def read(self, question: "Question", text: str) -> str:
        """The answer that people or tools wrote; raises ValueError with the fault."""
        if fault := self.fault(question, text):
            raise ValueError(fault)
        return text

    def renamed(self, question: "Question", answer: str, names: Mapping[str, str]) -> str:
        """The same answer with other names for the labels; ``question`` is the one that has these."""
        return self.answer_of(question, [names.get(label, label) for label in self._listed(answer)])

    # -- keys --------------------------------------------------------------------------------------

    def pressed(self, question: "Question", draft: str, label: str) -> str:
        """The answer, or the draft of one, after the key of a label; "" for nothing."""
        return self.answer_of(question, [label])

    def tied(self, draft: str) -> str:
        """The draft after the key that ties the last output with those before it; only of rankings."""
        return draft

    def unranked(self, question: "Question", draft: str) -> list[str]:
        """The labels that a draft does not rank yet; only of rankings."""
        return []

    def at_once(self, question: "Question") -> str:
        """The answer that the key for all labels gives; "" if there is no such key."""
        return ""

    def is_at_once(self, question: "Question", answer: str) -> bool:
        """Whether an answer is the one that the key for all labels gives."""
        return bool(self.all_at_once) and answer == self.at_once(question)

    def signs(self, question: "Question", draft: str) -> dict[str, str]:
        """The labels of an answer or draft, each with its sign."""
        try:
            return dict.fromkeys(self.labels_in(question, draft), "✓")
        except ValueError:
            return {}

    # -- words -------------------------------------------------------------------------------------

    def wanted(self, question: "Question") -> str:
        """A sentence on the possible answers to the question, without its full stop."""
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
