"""The lead's answer to a rater's comment, flag or note."""

from textual.content import Content

from reviewer.core.sanitize import one_line
from reviewer.results.labels.rater_work import Remark
from reviewer.tui.dialogs.text_dialog import TextDialog
from reviewer.tui.rendering.literal import literal, literal_line


class AnswerDialog(TextDialog[str]):
    """Returns the answer; None or "" to give none."""

    def __init__(self, remark: Remark) -> None:
        before = remark.answer.why if remark.answer else ""
        super().__init__(f"answer to {one_line(remark.rater, 30)}", before)
        self._remark = remark

    def above(self, width: int) -> list[Content]:
        """What is answered, and who will read it."""
        remark = self._remark
        said = remark.text if remark.kind != "flag" else "flagged, without words"
        return [
            literal_line(f"{remark.place.key} · {remark.question.title}", width),
            literal(f"“{one_line(said, 6 * width)}”"),
            Content.styled(
                "The rater reads the answer next to the comment. Do not say which label is right.",
                "$foreground 60%",
            ),
        ]

    def written(self, text: str) -> str:
        """The answer."""
        return text
