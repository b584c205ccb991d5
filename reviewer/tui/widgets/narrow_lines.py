"""The lines around the one pane of a small screen: the question above it, the answers below it."""

from collections.abc import Iterator

from textual.content import Content
from textual.events import Click
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from reviewer.core.pane import Pane
from reviewer.tui.answer_keys import answer_id
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.moment import Moment, standing
from reviewer.tui.widgets.key_hints import clickable, offers
from reviewer.tui.widgets.question_panel import remark_line
from reviewer.tui.widgets.words import Words

_DEEDS = (
    ("review.skip", "skip"),
    ("review.comment", "comment"),
    ("review.flag", "flag"),
    ("review.undo", "undo"),
    ("review.keys", "keys"),
)


class QuestionBrief(Words):
    """The wording in two lines, or what there is to say at this stage."""

    DEFAULT_CSS = """
    QuestionBrief { height: 2; padding: 0 1; text-style: bold; color: $foreground; }
    QuestionBrief.-remark { height: auto; min-height: 2; max-height: 5; background: $foreground 14%; }
    """

    def show(self, moment: Moment, keys: dict[str, str]) -> None:
        """Draw a moment; ``keys`` are the keys by binding id."""
        line = remark_line(moment, keys) if moment.remark else literal(moment.wording)
        self.set_class(bool(moment.remark), "-remark")
        self.put(line)


class TabLine(Widget):
    """Names of the panes, the one in sight marked; a click chooses."""

    DEFAULT_CSS = """
    TabLine { height: 1; padding: 0 1; color: $foreground 60%; background: $foreground 6%; }
    """
    tabs: reactive[tuple[Pane, ...]] = reactive(())
    chosen: reactive[str] = reactive("")
    legend: reactive[str] = reactive("")

    class Chosen(Message):
        """A tab was clicked; ``pane`` is the key of its pane."""

        def __init__(self, pane: str) -> None:
            self.pane = pane
            super().__init__()

    def render(self) -> Content:
        """The names, and at the right what the marks mean, where there is room."""
        names = Content("  ").join([self._word(pane) for pane in self.tabs])
        legend = literal(self.legend)
        room = self.size.width - names.cell_length - legend.cell_length
        return Content.assemble(names, " " * room, legend) if room > 1 else names

    def on_click(self, event: Click) -> None:
        """Find the name that was clicked."""
        x = event.get_content_offset_capture(self).x
        for pane, (start, end) in zip(self.tabs, self._columns(), strict=True):
            if start <= x < end:
                self.post_message(self.Chosen(pane.key))

    def corners(self) -> list[Offset]:
        """The cell of the screen at which each name begins."""
        return [self.content_region.offset + Offset(start, 0) for start, _ in self._columns()]

    def _columns(self) -> Iterator[tuple[int, int]]:
        """From which cell up to which each name stands."""
        start = 0
        for pane in self.tabs:
            end = start + self._word(pane).cell_length
            yield start, end
            start = end + 2

    def _word(self, pane: Pane) -> Content:
        if pane.key == self.chosen:
            return Content.assemble("▸", literal_line(pane.title, 16, "bold underline $foreground"))
        return Content.assemble(" ", literal_line(pane.title, 16))


class AnswerLine(Words):
    """Where the rater stands, and the keys."""

    DEFAULT_CSS = """
    AnswerLine { height: 1; padding: 0 1; color: $foreground 65%; background: $foreground 6%; }
    """

    def show(self, moment: Moment, keys: dict[str, str]) -> None:
        """Draw a moment; ``keys`` are the keys by binding id."""
        first, *more = standing(moment.verdict, moment.stale)
        glyphs = "".join(f" {words[0]}" for words in more)
        answers = [
            clickable(
                Content.assemble(
                    Content.styled(f" {keys[name]} ", "bold $foreground on $foreground 20%"),
                    " ",
                    literal_line(label, 12),
                ),
                name,
            )
            for index, label in enumerate(moment.question.labels)
            if (name := answer_id(index)) in keys
        ]
        parts = [
            literal_line(first + glyphs, 22, "bold $foreground"),
            Content(" ").join(answers),
            offers(keys, _DEEDS, " "),
        ]
        self.put(Content("  ").join(parts))
