"""Questions whose answers are spans of a text (see ``spans.py``)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.kind_of_answer import KindOfAnswer
from reviewer.core.sanitize import one_line
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
