"""The comment on a case, about the whole case or about one passage; answers to comments, and notes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from reviewer.core.pane import Pane
from reviewer.core.sanitize import one_line
from reviewer.tui.dialogs.text_dialog import PlainTextDialog, TextDialog, effect_line
from reviewer.tui.rendering.line import hanging
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.passages import Passage, place_of, quote_below_place

if TYPE_CHECKING:
    from reviewer.results.labels.rater_work import Remark
    from reviewer.study.session.verdicts import Note

_QUOTED_CELLS = 90
_SHOWN_NOTES, _LONGEST_NOTE = 8, 160


@dataclass(frozen=True, slots=True)
class Comment:
    """A text ("" removes the comment), and the passage that it is about (None: the whole case)."""

    text: str
    passage: Passage | None = None


class CommentDialog(TextDialog[Comment]):
    """Returns the comment, or None to leave it as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+t",
            "tie",
            "case or passage",
            id="comment.tie",
            priority=True,
            tooltip="Make the comment about the passage above, or about the whole case",
        )
    ]
    HINTS = ("writing.save", "writing.new-line", "comment.tie", "writing.cancel")

    def __init__(
        self,
        case_number: int,
        panes: Iterable[Pane],
        before: Comment,
        offered: Passage | None = None,
        wrong: Content | None = None,
        *,
        tied: bool = False,
        answer: str = "",
    ) -> None:
        """``offered`` is a passage to comment on, which the rater selected if ``tied``.

        ``answer`` is the reply of the study's lead to the comment as it was.
        """
        super().__init__(f"✎ comment on case {case_number}", before.text, wrong)
        self._panes, self._answer = tuple(panes), answer
        self._offered = before.passage or offered
        self._tied = before.passage is not None or (tied and offered is not None)

    def above(self, width: int) -> list[Content]:
        """What the lead answered; what the comment is about: the whole case, or the passage."""
        answered = hanging(Content("↳ "), literal(self._answer), width) if self._answer else []
        return [*answered, *self._about(width)]

    def _about(self, width: int) -> list[Content]:
        whole = literal("about the whole case")
        if self._offered is None:
            return [whole]
        place = place_of(self._offered, self._panes)
        quoted = literal_line(quote_below_place(self._offered, self._panes), _QUOTED_CELLS)
        passage = Content.assemble(literal(f"about this in {place}: “"), quoted, "”")
        signs = ("○ ", "● ") if self._tied else ("● ", "○ ")
        choices = zip(signs, (whole, passage), strict=True)
        return [line for sign, words in choices for line in hanging(Content(sign), words, width)]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key for the passage works only where there is a passage."""
        return action != "tie" or self._offered is not None

    def action_tie(self) -> None:
        """Make the comment about the passage, or about the whole case."""
        self._tied = not self._tied
        self.set_above()

    def written(self, text: str) -> Comment:
        """The comment, about the passage if that is chosen."""
        return Comment(text, self._offered if self._tied and text else None)


def answer_dialog(remark: "Remark") -> PlainTextDialog:
    """Asks the lead for an answer to a rater's comment, flag or note; None or "" gives none."""
    said = remark.text if remark.kind != "flag" else "flagged, without words"

    def above(width: int) -> list[Content]:
        return [
            literal_line(f"{remark.place.key} · {remark.question.title}", width),
            literal(f"“{one_line(said, 6 * width)}”"),
            effect_line("The rater reads the answer next to the comment. Do not say which label is right."),
        ]

    before = remark.answer.why if remark.answer else ""
    return PlainTextDialog(f"answer to {one_line(remark.rater, 30)}", above, before)


def note_dialog(notes: "Sequence[Note]", text: str = "", wrong: Content | None = None) -> PlainTextDialog:
    """Shows the newest notes on the work, oldest first, and asks for a new one ("" for none)."""

    def above(width: int) -> list[Content]:
        lines = [line for note in notes[-_SHOWN_NOTES:] for line in _note_lines(note, width)]
        return lines[-_SHOWN_NOTES:] or [effect_line("No notes yet. They are yours, and go into the export.")]

    return PlainTextDialog("✐ notes on your work", above, text, wrong)


def _note_lines(note: "Note", width: int) -> list[Content]:
    at = Content.styled(note.at[:16].replace("T", " ") + "  ", "$foreground 60%")
    return hanging(at, literal_line(note.text, _LONGEST_NOTE), width)
