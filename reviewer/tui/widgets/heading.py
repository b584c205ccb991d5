"""The top line of the review screen: who, which question, which case, how far."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from reviewer.tui.literal import literal_line
from reviewer.tui.moment import Moment
from reviewer.tui.widgets.bar import bar

_ROOMY = 118
_GAP = 3


class Heading(Widget):
    """One line, in a long and in a short form."""

    DEFAULT_CSS = """
    Heading { height: 1; padding: 0 1; background: $background; color: $foreground 75%; }
    """
    moment: reactive[Moment | None] = reactive(None)

    def render(self) -> Content:
        """Left the study, in the middle the question, at the right the case."""
        if self.moment is None:
            return Content("")
        width = self.size.width
        parts = _long(self.moment, width) if width >= _ROOMY else _short(self.moment, width)
        return _spread(*parts, width)


def _long(moment: Moment, width: int) -> tuple[Content, Content, Content]:
    place = moment.place
    number = f"Question {place.question_number} of {place.question_count} · "
    right: list[Content | str] = [
        f"{'training · ' if place.training else ''}case {place.case_number} of {place.case_count}  ",
        bar(moment.done, moment.total, 16),
    ]
    right.append(f"  {moment.done} of {moment.total} done")
    if moment.minutes_left is not None and width >= _ROOMY + 20:
        right.append(f"  about {moment.minutes_left} min left")
    return (
        _who(moment, width // 3),
        Content.assemble(number, literal_line(moment.question.title, 30, "bold $foreground")),
        Content.assemble(*right),
    )


def _short(moment: Moment, width: int) -> tuple[Content, Content, Content]:
    place = moment.place
    right = Content.assemble(
        f"{'training ' if place.training else ''}case {place.case_number}/{place.case_count} ",
        bar(moment.done, moment.total, 8),
    )
    title = literal_line(moment.question.title, max(8, width // 4), "bold $foreground")
    middle = Content.assemble(f"{place.question_number}/{place.question_count} ", title)
    return _who(moment, width - middle.cell_length - right.cell_length - 4), middle, right


def _who(moment: Moment, width: int) -> Content:
    return literal_line(f"{moment.study} · {moment.rater}", width)


def _spread(left: Content, middle: Content, right: Content, width: int) -> Content:
    """Left and right at the edges, the middle in the middle if it can be."""
    before = max(1, (width - middle.cell_length) // 2 - left.cell_length)
    after = width - left.cell_length - before - middle.cell_length - right.cell_length
    if after < _GAP:
        before, after = max(1, before + after - _GAP), _GAP
    return Content.assemble(left, " " * before, middle, " " * after, right)
