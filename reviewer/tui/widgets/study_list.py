"""The studies on the home screen: how far everybody is, and whose turn it is."""

from collections.abc import Sequence

from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from reviewer.study.progress import RaterProgress, StudyProgress
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.widgets.bar import bar

_MOST_RATERS = 4
_BAR = 20
_NAME = 24


class StudyList(OptionList):
    """One option a study: its name and size, and below it a line a rater."""

    DEFAULT_CSS = """
    StudyList, StudyList:focus {
        height: auto; max-height: 70%;
        border: none; padding: 0; background: $background; background-tint: $background 0%;
        scrollbar-size-vertical: 1;
    }
    StudyList > .option-list--option { padding: 0 1; }
    StudyList > .option-list--option-highlighted { background: $foreground 8%; text-style: none; }
    StudyList:focus > .option-list--option-highlighted { background: $foreground 10%; text-style: none; }
    """

    class Chosen(Message):
        """A study was chosen, by its name."""

        def __init__(self, study: str) -> None:
            self.study = study
            super().__init__()

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._studies: Sequence[StudyProgress] = ()
        self._rater = ""

    @property
    def chosen(self) -> StudyProgress | None:
        """The study under the highlight."""
        return self._studies[self.highlighted or 0] if self._studies else None

    def show(self, studies: Sequence[StudyProgress], rater: str, highlight: str | None = None) -> None:
        """List these studies as this rater sees them; the highlight goes to a study or stays where it was."""
        self._studies, self._rater = studies, rater
        self._fill()
        for index, progress in enumerate(studies):
            if progress.study.name == highlight:
                self.highlighted = index

    def on_resize(self, event: Resize) -> None:
        """Set the lines to the width."""
        self._fill()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Say which study was chosen."""
        event.stop()
        self.post_message(self.Chosen(self._studies[event.option_index].study.name))

    def _fill(self) -> None:
        highlighted = self.highlighted or 0
        self.set_options(Option(self._study(study)) for study in self._studies)
        if self._studies:
            self.highlighted = min(highlighted, len(self._studies) - 1)

    def _study(self, progress: StudyProgress) -> Content:
        width = max(40, self.size.width - 4)
        name = literal_line(progress.study.name, _NAME, "bold $foreground")
        size = f"{progress.cases:,} cases × {progress.questions} questions · {progress.study.view} view"
        state = turn(progress, self._rater)
        head = Content.assemble(
            name.pad_right(_NAME + 2 - name.cell_length), Content.styled(size, "$foreground 60%")
        )
        head = head.pad_right(max(2, width - head.cell_length - len(state)))
        own = [rater for rater in progress.raters if rater.rater == self._rater]
        others = [rater for rater in progress.raters if rater.rater != self._rater]
        lines = [self._line(rater, progress.slots) for rater in (own + others)[:_MOST_RATERS]]
        if hidden := len(progress.raters) - len(lines):
            lines.append(Content.styled(f"  and {hidden} more", "$foreground 60%"))
        if not lines:
            lines = [Content.styled("  nobody has begun", "$foreground 60%")]
        return Content("\n").join(
            [Content.assemble(head, Content.styled(state, "bold")), *lines, Content("")]
        )

    def _line(self, rater: RaterProgress, slots: int) -> Content:
        name = "you" if rater.rater == self._rater else rater.rater
        shown = literal_line(name, _NAME - 2)
        count = f"  {rater.done:,} of {slots:,}"
        then = "  ✓ done" if rater.done == slots else f"  ↷ {rater.skipped} skipped" if rater.skipped else ""
        return Content.assemble(
            "  ",
            shown.pad_right(_NAME - shown.cell_length),
            bar(rater.done, slots, _BAR),
            literal(count + then),
        )


def turn(progress: StudyProgress, rater: str) -> str:
    """Whose turn it is, a glyph and words."""
    if progress.study.closed_at is not None:
        return "■ closed"
    if progress.has_finished(rater):
        return "✓ all finished" if progress.finished else "✓ you are done"
    if any(known.rater == rater for known in progress.raters):
        return "● your turn"
    return "○ for others" if progress.study.design.get("raters_declared") else "● open to you"
