"""Lines around panes: on a small screen question, tabs and answers; above panes in parts, which are shown."""

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.events import Click
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from reviewer.core.answer_keys import beside_key
from reviewer.core.pane import Pane
from reviewer.study.session.review_stages import Stage
from reviewer.tui.keys.label_keys import answer_id
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_layout import ROOMY
from reviewer.tui.rendering.pane_parts import PaneParts
from reviewer.tui.rendering.table_lines import shared
from reviewer.tui.rendering.view_state import SIGNS, BlockRow, ViewState, verdict_words
from reviewer.tui.widgets.key_hints import clickable, in_lines, in_one_line, offered
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.question_panel import other_answers, remark_lines

_PADDING = 2
_LONGEST_TITLE = 30
_STATE_CELLS, _LABEL_CELLS, _WANTED_LINES = 22, (30, 20, 12), 3
_ACTIONS = (
    ("review.skip", "skip"),
    ("review.comment", "comment"),
    ("review.flag", "flag"),
    ("review.undo", "undo"),
)
_KEYS = (("review.keys", "keys"),)


class QuestionBrief(PlainLabel):
    """The wording in two lines or as many as it needs, with the sentence for this stage below it or in its
    place, and a line with all questions about the case.
    """

    DEFAULT_CSS = """
    QuestionBrief { height: auto; min-height: 2; max-height: 5; padding: 0 1; color: $foreground 80%; }
    QuestionBrief.-block { min-height: 3; max-height: 6; }
    QuestionBrief.-remark { min-height: 2; max-height: 5; background: $foreground 14%; }
    """

    def show(self, view: ViewState, keys: dict[str, str]) -> None:
        """Draw a moment; ``keys`` are the keys by binding id."""
        self.set_class(bool(view.remark), "-remark")
        self.set_class(bool(view.block), "-block")
        lines = [] if view.remark and view.stage is not Stage.FIRST else [literal(view.wording, "bold")]
        if view.remark:
            lines.append(remark_lines(view, keys, self.app.size.width - _PADDING))
        if view.block:
            lines.insert(0, block_line(view.block, self.app.size.width - _PADDING))
        self.put(Content("\n").join(lines))


def block_line(block: Sequence[BlockRow], width: int) -> Content:
    """As many questions around the present one as fit, each with its answer."""
    parts = [_block_part(row) for row in block]
    at = next((index for index, row in enumerate(block) if row.here), 0)
    start, end = at, at + 1
    while True:
        wider = [(start - 1, end)] * (start > 0) + [(start, end + 1)] * (end < len(parts))
        wider.sort(key=lambda ends: abs(ends[0] + ends[1] - 1 - 2 * at))
        fitting = (ends for ends in wider if _block_cells(parts[slice(*ends)]) <= width - 4)
        if (ends := next(fitting, None)) is None:
            break
        start, end = ends
    marks = ("… " if start else "", " …" if end < len(parts) else "")
    return Content.assemble(marks[0], Content("  ").join(parts[start:end]), marks[1])


def _block_cells(parts: Sequence[Content]) -> int:
    return sum(part.cell_length + 2 for part in parts)


def _block_part(row: BlockRow) -> Content:
    style = "bold underline $foreground" if row.here else "$foreground 75%"
    answer = literal_line(row.answer, 12, style)
    return Content.assemble(
        "▸" if row.here else SIGNS[row.state], " ", literal_line(row.title, 20, style), " ", answer
    )


class TabLine(Widget):
    """The names of the panes, with the shown one marked; a click shows another."""

    DEFAULT_CSS = """
    TabLine { height: 1; padding: 0 1; color: $foreground 60%; background: $foreground 6%; }
    """
    tabs: reactive[tuple[Pane, ...]] = reactive(())
    chosen: reactive[tuple[str, ...]] = reactive(())
    legend: reactive[str] = reactive("")

    class Chosen(Message):
        """A tab was clicked; ``pane`` is the key of its pane."""

        def __init__(self, pane: str) -> None:
            self.pane = pane
            super().__init__()

    def render(self) -> Content:
        """The names, and at the right the legend, where there is room."""
        gap, words = self._words()
        names = Content(" " * gap).join(words)
        legend = literal(self.legend)
        room = self.size.width - names.cell_length - legend.cell_length
        return Content.assemble(names, " " * room, legend) if room > 1 else names

    def on_click(self, event: Click) -> None:
        """Show the pane whose name was clicked."""
        x = event.get_content_offset_capture(self).x
        for pane, (start, end) in zip(self.tabs, self._columns(), strict=True):
            if start <= x < end:
                self.post_message(self.Chosen(pane.key))

    def corners(self) -> list[Offset]:
        """The screen cell before each name and its mark, which is a blank."""
        return [self.content_region.offset + Offset(start - 1, 0) for start, _ in self._columns()]

    def _columns(self) -> Iterator[tuple[int, int]]:
        """The first cell of each name, and the cell after its last."""
        gap, words = self._words()
        start = 0
        for word in words:
            yield start, start + word.cell_length
            start += word.cell_length + gap

    def _words(self) -> tuple[int, list[Content]]:
        """The gap between names in cells, and the names; the longest are cut where there is no room."""
        cells = [literal_line(pane.title, _LONGEST_TITLE).cell_length for pane in self.tabs]
        count, width = len(cells), self.size.width
        tight = sum(cells) + count + (count - 1)
        legend = literal(self.legend).cell_length + 2 if self.legend else 0
        # The legend is worth more than wide gaps; where it does not fit at all, the gaps have the room.
        needed = legend if tight + legend <= width else 0
        gap = 2 if tight + (count - 1) + needed <= width else 1
        room = width - count - gap * (count - 1)
        return gap, [self._word(*tab) for tab in zip(self.tabs, shared(cells, max(0, room)), strict=True)]

    def _word(self, pane: Pane, cells: int) -> Content:
        if pane.key in self.chosen:
            return Content.assemble("▸", literal_line(pane.title, cells, "bold underline $foreground"))
        return Content.assemble(" ", literal_line(pane.title, cells))


class AnswerLine(PlainLabel):
    """The state of the verdict, and the keys: in one line, or more where there are many labels."""

    DEFAULT_CSS = """
    AnswerLine {
        height: auto; max-height: 6; padding: 0 1; color: $foreground 65%; background: $foreground 6%;
    }
    """

    def show(self, view: ViewState, keys: dict[str, str]) -> None:
        """Draw a moment; ``keys`` are the keys by binding id."""
        width = self.app.size.width - _PADDING
        for longest in _LABEL_CELLS:
            lines = in_lines(_state_and_answers(view, keys, longest), width, "  ")
            if len(lines) <= _WANTED_LINES:
                break
        *above, last = lines
        others = in_one_line(offered(keys, _ACTIONS), offered(keys, _KEYS), width - last.cell_length - 2, " ")
        fits = last.cell_length + 2 + others.cell_length <= width
        rows = [*above, Content.assemble(last, "  ", others)] if fits else [*lines, others]
        self.put(Content("\n").join(rows))


def _state_and_answers(view: ViewState, keys: dict[str, str], longest: int) -> list[Content]:
    """The state of the verdict, and the answers with their keys, labels cut to ``longest`` letters."""
    first, *more = verdict_words(view)
    glyphs = "".join(f" {words[0]}" for words in more)
    state = literal_line(first + glyphs, _STATE_CELLS, "bold $foreground")
    signs = view.signs
    places = [(answer_id(index), label, signs.get(label, "")) for index, label in enumerate(view.labels)]
    others, names = other_answers(view, keys, longest), {name for name, *_ in places}
    is_one = view.question.answer_kind.is_label
    answers = [
        clickable(
            Content.assemble(
                Content.styled(f" {keys.get(name, '–')} ", "bold $foreground on $foreground 20%"),
                " ",
                literal_line(beside_key(words, keys[name]), longest if name in names else len(words)),
                "" if is_one or not sign else f" {sign}",
            ),
            name,
        )
        for name, words, sign in (*places, *others)
        if name in keys
    ]
    return [state, *answers]


# Cells at the ends of the line, between two names, and around a name with its gap; the most cells of a name.
_GAP, _AROUND, _LONGEST = 1, 4, 60


class PartLine(PlainLabel):
    """Marks the parts that are shown; a click on a name shows that part."""

    DEFAULT_CSS = """
    PartLine { height: auto; padding: 0 1; color: $foreground 75%; display: none; }
    """

    class Chosen(Message):
        """The name of a part was clicked; ``position`` shows it in the pane with this key."""

        def __init__(self, pane: str, position: int) -> None:
            self.pane, self.position = pane, position
            super().__init__()

    def show(self, parts: Sequence[PaneParts], keys: Mapping[str, str], width: int) -> None:
        """Draw the parts of each pane in a line; ``keys`` are the keys by binding id."""
        self._parts = tuple(parts)
        self.display = bool(parts)
        if parts:
            rows = (_row(number, pane, keys, width - _PADDING) for number, pane in enumerate(parts))
            self.put(Content("\n").join(rows))

    def action_choose(self, row: int, number: int) -> None:
        """Show the part with this number."""
        parts = self._parts[row]
        self.post_message(self.Chosen(parts.pane, parts.position_of(number)))


def _row(row: int, parts: PaneParts, keys: Mapping[str, str], width: int) -> Content:
    """Title, names and keys; the longest names are cut where there is no room."""
    is_wide = width + _PADDING >= ROOMY
    whole, room = [part.name for part in parts.parts], 0
    for has_room in (True, False):
        before, after = _key_hints(parts, keys, has_room)
        if is_wide:
            before = Content.assemble(literal_line(parts.title, _LONGEST, "$foreground 60%"), "  ", before)
        around = sum(_AROUND + len(part.sign + part.count) for part in parts.parts)
        room = width - before.cell_length - after.cell_length - around
        if is_wide or sum(map(cell_len, whole)) <= room:
            break
    names = _names(whole, room)
    words = [_word(row, number, parts, name) for number, name in enumerate(names)]
    return Content.assemble(before, Content(" " * _GAP).join(words), after)


def _names(names: Sequence[str], room: int) -> list[Content]:
    """The names in a room in cells. Without room, the words that all begin with go first; then the longest
    names are cut.
    """
    if sum(map(cell_len, names)) > room:
        words = [name.split() for name in names]
        same = [len(set(place)) == 1 for place in zip(*words, strict=False)]
        begin = (*same, False).index(False)
        names = [" ".join(name[begin:] or name[-1:]) for name in words]
    cells = [literal_line(name, _LONGEST).cell_length for name in names]
    return [literal_line(name, kept) for name, kept in zip(names, shared(cells, max(0, room)), strict=True)]


def _key_hints(parts: PaneParts, keys: Mapping[str, str], has_room: bool) -> tuple[Content, Content]:
    """The keys before and after the names; shorter words where names would be cut."""
    if parts.kind == "speakers":
        words = ("next", "next speaker") if parts.shown else ("alone", "one speaker")
        word = words[has_room]
        return Content(""), Content.assemble("   ", *offered(keys, (("review.next-speaker", word),)))
    back, on = (
        clickable(Content.styled(word.format(keys[name]), "bold $foreground"), name) if name in keys else ""
        for name, word in (("review.previous-variant", "{} ‹"), ("review.next-variant", "› {}"))
    )
    return Content.assemble(back, " "), Content.assemble("  ", on)


def _word(row: int, number: int, parts: PaneParts, name: Content) -> Content:
    """The sign and the name of a part, marked if it is shown, and a count where it has one."""
    part, is_shown = parts.parts[number], number in parts.shown
    shown = literal(part.sign)
    shown = shown if name.plain == part.sign else Content.assemble(shown, " ", name)
    shown = shown.stylize("bold underline $foreground") if is_shown else shown
    whole = Content.assemble("▸" if is_shown else " ", shown, f" {part.count}" if part.count else "")
    return whole.stylize(Style.from_meta({"@click": f"choose({row}, {number})"}))
