"""The question on a wide screen: its wording, its guideline, the rater's verdict, and the keys."""

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from reviewer.core.answer_keys import beside_key
from reviewer.core.sanitize import one_line
from reviewer.study.session.review_stages import Stage
from reviewer.tui.keys.case_keys import MARK_LETTER, MARK_REMOVE, MARK_SELECT, MARK_WORD
from reviewer.tui.keys.label_keys import MORE_ANSWERS, NO_LABEL, SAVE_CHOICE, TIE, answer_id
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_layout import Layout
from reviewer.tui.rendering.pane_text import pane_texts_of
from reviewer.tui.rendering.view_state import BLOCK_ROWS, SIGNS, BlockRow, ViewState, verdict_words
from reviewer.tui.widgets.key_hints import clickable, in_lines, offered
from reviewer.tui.widgets.label import PlainLabel, Unscrolled
from reviewer.tui.widgets.text_pane import TextPane

_COMMENT_CELLS = 70
LONGEST_LABEL = 26
"""The number of letters of a label in the panel; the list of labels has the whole label."""
_FRAME, _REMARK_FRAME = 4, 6
_ACTIONS = (
    ("review.skip", "skip"),
    ("review.comment", "comment"),
    ("review.flag", "flag"),
    ("review.undo", "undo"),
)
STAGE_ACTIONS: Mapping[Stage, tuple[tuple[str, str], ...]] = {
    Stage.FIRST: (("review.reveal", "show findings, then it is final"),),
    Stage.REVEAL: (("review.reveal", "show them"),),
    Stage.CLASH: (
        ("review.proceed", "both stand"),
        ("review.reason", "say why"),
        ("review.undo", "undo"),
    ),
    Stage.SECOND: (("review.proceed", "keep it, go on"),),
    Stage.FEEDBACK: (("review.proceed", "go on"),),
}


class QuestionPanel(Vertical, Unscrolled):
    """The panel at the right of the texts."""

    DEFAULT_CSS = """
    QuestionPanel {
        height: 1fr; min-height: 12; padding-left: 1;
        border: round $foreground 18%; border-title-color: $foreground 60%;
        PlainLabel { padding-right: 1; }
        #remark { height: auto; max-height: 9; padding: 0 1; margin: 0 1 1 0; background: $foreground 14%; }
        #wording { height: auto; max-height: 8; text-style: bold; margin-bottom: 1; }
        #block { height: auto; margin-bottom: 1; }
        #guideline { margin-left: -2; &:focus { scrollbar-color: $foreground 45%; } }
        #standing { height: auto; max-height: 5; margin-top: 1; }
        #answers { height: auto; max-height: 14; margin: 1 0; }
        #deeds { height: auto; max-height: 2; color: $foreground 60%; }
    }
    """

    def compose(self) -> ComposeResult:
        """Remark, wording, all questions about the case, guideline, verdict, answers, other keys."""
        self.border_title = literal("your question")
        yield PlainLabel(id="remark")
        yield PlainLabel(id="wording")
        yield PlainLabel(id="block")
        yield TextPane(id="guideline", classes="-bare")
        yield PlainLabel(id="standing")
        yield PlainLabel(id="answers")
        yield PlainLabel(id="deeds")

    def show(self, view: ViewState, layout: Layout, keys: dict[str, str]) -> None:
        """Draw a moment in its layout; ``keys`` are the keys by binding id."""
        cells = layout.side_width - _FRAME
        remark = self.query_one("#remark", PlainLabel)
        remark.display = bool(view.remark)
        remark.put(remark_lines(view, keys, layout.side_width - _REMARK_FRAME))
        self.query_one("#wording", PlainLabel).put(literal(view.wording))
        block = self.query_one("#block", PlainLabel)
        block.display = bool(view.block)
        block.put(Content("\n").join(block_lines(view.block, cells)))
        guideline = self.query_one("#guideline", TextPane)
        guideline.display = layout.has_guideline
        guideline.styles.width = layout.side_width - 1  # its scroll bar is at the edge of the panel
        guideline.show(pane_texts_of(view.question.guideline_pane, "unified")[0])
        guideline.limit_height(layout.guideline_rows or None)
        self.query_one("#standing", PlainLabel).put(_verdict_lines(view, cells))
        self.query_one("#answers", PlainLabel).put(_answers(view, keys))
        folds = not layout.has_guideline and bool(view.question.guideline_parts)
        actions = (*_ACTIONS, *((("review.guideline", "guideline"),) if folds else ()))
        deeds = in_lines(offered(keys, actions), cells, "  ")
        self.query_one("#deeds", PlainLabel).put(Content("\n").join(deeds))


def remark_lines(view: ViewState, keys: dict[str, str], width: int) -> Content:
    """The sentence for this stage, and below it the keys that answer it."""
    actions = in_lines(offered(keys, STAGE_ACTIONS[view.stage]), width)
    return Content("\n").join([literal(view.remark, "bold $foreground"), *actions])


def block_lines(block: Sequence[BlockRow], cells: int) -> list[Content]:
    """A row for each question with its answer, at most ``BLOCK_ROWS``: those around the present one."""
    at = next((index for index, row in enumerate(block) if row.here), 0)
    start = max(0, min(at - BLOCK_ROWS // 2, len(block) - BLOCK_ROWS))
    rows = [_block_row(row, cells) for row in block[start : start + BLOCK_ROWS]]
    above, below = start, len(block) - start - len(rows)
    if above:
        rows[0] = literal(f"  ↑ {above + 1} more", "$foreground 60%")
    if below:
        rows[-1] = literal(f"  ↓ {below + 1} more", "$foreground 60%")
    return rows


def _block_row(row: BlockRow, cells: int) -> Content:
    style = "bold $foreground" if row.here else "$foreground 75%"
    answer = literal_line(row.answer, cells // 3, style)
    title = literal_line(row.title, cells - answer.cell_length - 6, style)
    gap = " " * max(1, cells - answer.cell_length - title.cell_length - 4)
    return Content.assemble("▸ " if row.here else "  ", f"{SIGNS[row.state]} ", title, gap, answer)


def _verdict_lines(view: ViewState, cells: int) -> Content:
    first, *more = verdict_words(view)
    longest = 30 if view.question.answer_kind.is_label else 2 * cells
    parts = [literal_line(first, longest, "bold $foreground"), *map(literal, more)]
    lines = in_lines(parts, cells, "  ")
    if view.draft:
        lines.append(literal(f"✎ “{one_line(view.draft, _COMMENT_CELLS - 4)}”", "italic $foreground 80%"))
    if view.stale:
        lines.append(literal("The dataset has new content here.", "$foreground 70%"))
    if view.verdict.comment:
        lines.append(
            literal(f"“{one_line(view.verdict.comment, _COMMENT_CELLS - 2)}”", "italic $foreground 80%")
        )
    return Content("\n").join(lines)


def _answers(view: ViewState, keys: Mapping[str, str]) -> Content:
    """The labels with their keys: two side by side, more below each other; the given ones have a sign.

    The list is empty once the known answer was shown, since no answer is accepted then.
    """
    if view.stage is Stage.FEEDBACK:
        return Content("")
    signs = view.signs
    places = [(answer_id(index), label, signs.get(label, "")) for index, label in enumerate(view.labels)]
    others = other_answers(view, keys, LONGEST_LABEL)
    parts = [_with_key(keys.get(place[0], "–"), *place) for place in (*places, *others)]
    return Content("    " if len(parts) == 2 and not others else "\n").join(parts)


def _with_key(key: str, name: str, words: str, sign: str) -> Content:
    """An answer with its key, and its sign where it is given."""
    keycap = Content.styled(f" {key} ", "bold $foreground on $foreground 15%")
    label = literal_line(beside_key(words, key), LONGEST_LABEL, "bold $foreground")
    return clickable(Content.assemble(keycap, " ", label, f" {sign:1}"), name)


def other_answers(view: ViewState, keys: Mapping[str, str], longest: int) -> list[tuple[str, str, str]]:
    """What else answers, as ids, words, and a sign where it is given: all labels, none of them, saving them.

    ``longest`` is the number of letters after which labels are cut.
    """
    question, others = view.question, list[tuple[str, str, str]]()
    if question.answer_kind.is_written:
        words = "change the answer" if view.answer else "write the answer"
        others.append((MORE_ANSWERS, "go on with the draft" if view.draft else words, ""))
    elif len(view.labels) < len(question.labels):
        others.append((MORE_ANSWERS, f"all {len(question.labels)} labels", ""))
    elif question.definitions or any(len(label) > longest for label in question.labels):
        others.append((MORE_ANSWERS, "labels in full", ""))
    elif any(answer_id(index) not in keys for index in range(len(view.labels))):
        others.append((MORE_ANSWERS, "all labels", ""))
    kind = question.answer_kind
    if kind.is_marked:
        others += [
            (MARK_WORD, "next word", ""),
            (MARK_LETTER, "next letter", ""),
            (MARK_SELECT, "select from here", ""),
            (MARK_REMOVE, "take a span away", ""),
        ]
    if kind.all_at_once:
        others.append((NO_LABEL, kind.all_at_once, "✓" * kind.is_at_once(question, view.in_hand)))
    if kind.is_ranked:
        others.append((TIE, "tie with the one before", ""))
    if kind.is_collected:
        others.append((SAVE_CHOICE, "save and go on", ""))
    return [other for other in others if other[0] in keys]
