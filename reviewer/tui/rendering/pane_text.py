"""A pane cut into texts, each of which one widget shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import Literal

from textual.content import Content

from reviewer.core.dialogue import Dialogue
from reviewer.core.pane import Body, Code, Pair, Pane, Text, Tree, Variants
from reviewer.core.table import Table
from reviewer.tui.rendering.comparison import (
    body_lines,
    body_rows,
    column_lines,
    column_rows,
    texts_in_turn,
    unified_lines,
    unified_rows,
)
from reviewer.tui.rendering.line import Line, Toggled, Trail, display_text
from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.rendering.pane_parts import PaneParts, parts_of_variants
from reviewer.tui.rendering.table_lines import table_in_one_line, table_lines
from reviewer.tui.rendering.tree import (
    dialogue_lines,
    dialogue_rows,
    folds_of,
    folds_of_dialogue,
    legend_of,
    parts_of_dialogue,
    signs_explained,
    tree_columns,
    tree_lines,
)

_TITLE_CELLS = 10
PairForm = Literal["columns", "unified"]
"""How a pair is shown: side by side, or as one text."""


@dataclass(frozen=True, slots=True)
class PaneText:
    """A titled text that can be laid out as lines at any width in cells.

    ``pane`` is the key of its pane; the texts of one pane scroll together. The copy key copies ``text``.
    ``legend`` explains the marks where that is needed. ``folds`` has each branch of a tree, or rule
    and turn of a dialogue, that can fold, and whether it is folded. ``has_words``: it can be read in words.
    ``sides`` name the texts of the pane that it shows, if the pane has several; ``parts`` are those of which
    it shows some.
    """

    pane: str
    part: int
    title: str
    lines: Callable[[int], tuple[Line, ...]]
    text: str = ""
    legend: str = ""
    folds: Mapping[Trail, bool] = field(default_factory=dict)
    has_words: bool = False
    sides: tuple[str, ...] = ()
    parts: PaneParts | None = None
    is_marked: bool = False
    """Whether keys move a cursor in it, to mark spans."""
    all_rows: Callable[[int], int] | None = None
    """How many lines it has at a width with nothing folded or left out, where that is not the number of
    ``lines``, or is counted sooner: its width is chosen for these, so that folding does not move the borders.
    """

    @property
    def key(self) -> tuple[str, int]:
        """Identifies this text among all texts of a case."""
        return self.pane, self.part


def pane_texts_of(
    pane: Pane,
    form: PairForm,
    toggled: Toggled = frozenset(),
    *,
    in_words: bool = False,
    position: int | None = None,
) -> tuple[PaneText, ...]:
    """One text, or two for a pair or tree in columns; ``toggled`` are branches whose folding was changed.

    A tree that can be read ``in_words`` is, if that is wanted. ``position`` says which variants or whose
    turns are shown (see ``PaneParts``); with None all are, one after the other.
    """
    match pane.body:
        case Tree() as body:
            tree = body.in_words() if in_words and body.in_words else body
            texts = _tree_texts(pane, tree, form, toggled)
            return tuple(replace(text, has_words=body.in_words is not None) for text in texts)
        case Pair() as pair:
            return _pair_texts(pane, pair, form)
        case Variants() as variants:
            return _variant_texts(pane, variants, form, position)
        case Dialogue() as dialogue:
            return (_dialogue_text(pane, dialogue, position, toggled),)
        case body:
            lines = partial(_single_lines, body)
            text = PaneText(pane.key, 0, pane.title, lines, body_text(body), _alone_legend(body))
            marking = body.marking if isinstance(body, Text) else None
            return (
                replace(
                    text,
                    is_marked=marking is not None and marking.cursor is not None,
                    all_rows=body_rows(body) if isinstance(body, Code) else None,
                ),
            )


def _pair_texts(
    pane: Pane, pair: Pair, form: PairForm, sides: tuple[str, str] = ("left", "right")
) -> tuple[PaneText, ...]:
    are_sources = isinstance(pair.left, Code) and isinstance(pair.right, Code)
    if form == "unified":
        marks = _legend(pair.left_title, pair.right_title, mark="−{}" if pair.reworded else "‹{}›")
        legend = "  ".join(filter(None, (marks * pair.compared, _alone_legend(pair.left, pair.right))))
        lines = partial(unified_lines, pair)
        rows = unified_rows(pair) if are_sources else None
        return (PaneText(pane.key, 0, pane.title, lines, pair.text, legend, sides=sides, all_rows=rows),)
    columns = ((pair.left_title, pair.left), (pair.right_title, pair.right))
    return tuple(
        PaneText(
            pane.key,
            part,
            title,
            partial(_side_lines, pair, part),
            side.text,
            _alone_legend(side),
            sides=(sides[part],),
            all_rows=column_rows(pair) if are_sources else None,
        )
        for part, (title, side) in enumerate(columns)
    )


def _variant_texts(
    pane: Pane, variants: Variants, form: PairForm, position: int | None
) -> tuple[PaneText, ...]:
    """All of them below each other if there is no position, or else two neighbours; as one text, those that
    are not compared are shown one at a time.
    """
    if position is None:
        lines = partial(_single_lines, variants)
        sides = tuple(str(number) for number in range(1, len(variants.texts) + 1))
        return (PaneText(pane.key, 0, pane.title, lines, variants.text, sides=sides),)
    alone = form == "unified" and not variants.compared
    parts = parts_of_variants(pane, variants, position, 1 if alone else 2)
    sides = tuple(str(number + 1) for number in parts.shown)
    if alone:
        title, body = variants.titled(pane.title).texts[parts.position]
        lines = partial(body_lines, body)
        legend = _alone_legend(body)
        return (PaneText(pane.key, 0, title, lines, body.text, legend, sides=sides, parts=parts),)
    left, right = sides
    # Which pane they are of is said above the columns; the diff's legend stands in a pane with that title.
    named = variants.titled(pane.title) if form == "columns" else variants
    texts = _pair_texts(pane, named.neighbours(parts.position), form, (left, right))
    return tuple(replace(text, parts=parts) for text in texts)


def _dialogue_text(pane: Pane, dialogue: Dialogue, position: int | None, toggled: Toggled) -> PaneText:
    at = position or 0
    alone = dialogue.speakers[at - 1] if at and dialogue.has_rules else ""
    return PaneText(
        pane.key,
        0,
        f"{pane.title} · what {alone} could know" if alone else pane.title,
        partial(dialogue_lines, dialogue, at, toggled),
        dialogue.text,
        folds=folds_of_dialogue(dialogue, at, toggled),
        parts=None if position is None else parts_of_dialogue(pane, dialogue, at),
        all_rows=cache(partial(dialogue_rows, dialogue)) if dialogue.has_rules else None,
    )


def one_line_text(pane: Pane) -> PaneText:
    """A pane folded to one line: its title, and as much of it as there is room for."""
    return PaneText(pane.key, 0, pane.title, partial(_summary_lines, pane), body_text(pane.body))


def unfolded_text(pane: Pane) -> PaneText:
    """The same pane with all of its lines, beside its title."""
    return PaneText(pane.key, 0, pane.title, partial(_lines_beside_title, pane), body_text(pane.body))


@lru_cache(maxsize=256)
def _lines_beside_title(pane: Pane, width: int) -> tuple[Line, ...]:
    title = _title_before(pane)
    room = width - title.cell_length
    match pane.body:
        case Table(sides=None) as table:
            lines = table_lines(table, room)[1:]  # the rows explain themselves
        case Text() | Table() as body:
            lines = _single_lines(body, room)
        case _:
            return _summary_lines(pane, width)
    below = Content(" " * title.cell_length)
    return tuple(
        replace(line, content=(below if n else title) + line.content) for n, line in enumerate(lines)
    )


def _title_before(pane: Pane) -> Content:
    return Content.styled(f"{display_text(pane.title):{_TITLE_CELLS}}  ", "muted")


@lru_cache(maxsize=256)
def _summary_lines(pane: Pane, width: int) -> tuple[Line, ...]:
    body = pane.body
    title = _title_before(pane)
    room = width - title.cell_length
    told = pane.summary or (table_in_one_line(body, room) if isinstance(body, Table) else body_text(body))
    return (Line(Content.assemble(title, literal_line(told, room))),)


def _tree_texts(pane: Pane, tree: Tree, form: PairForm, toggled: Toggled) -> tuple[PaneText, ...]:
    titles = (tree.left_title, tree.right_title)
    folds, signs = folds_of(tree, toggled), legend_of(tree, toggled)
    if form == "unified":
        sides = "" if pane.held_back else _legend(*titles)
        legend = "  ".join(filter(None, (sides, signs)))
        lines = partial(tree_lines, tree, toggled=toggled)
        return (PaneText(pane.key, 0, pane.title, lines, tree.text, legend, folds),)
    return tuple(
        PaneText(pane.key, part, title, partial(_tree_side, tree, part, toggled), tree.text, signs, folds)
        for part, title in enumerate(titles)
    )


def _tree_side(tree: Tree, part: int, toggled: Toggled, width: int) -> tuple[Line, ...]:
    return tree_columns(tree, width, toggled)[part]


def body_text(body: Body) -> str:
    """A body as plain text; a table has one line for each row and tabs between cells."""
    if not isinstance(body, Table):
        return body.text
    rows = (body.columns, *body.rows)
    return "\n".join("\t".join("" if cell is None else str(cell) for cell in row) for row in rows)


def _alone_legend(*bodies: Body) -> str:
    """The meaning of signs of source, of ``?`` if there is one, and of underlined text."""
    linked = [body for body in bodies if isinstance(body, Text | Code)]
    told = [signs_explained(body.signs, body.text) for body in linked if isinstance(body, Code)]
    told += ["? not in text"] if any(link.alone for body in linked for link in body.links) else []
    marked = [body.marking for body in linked if isinstance(body, Text) and body.marking]
    told += [f"‹{number}· {name}" for one in marked[:1] for number, name in enumerate(one.names, 1)]
    told += ["underlined: filled in"] if any(isinstance(body, Text) and body.marks for body in linked) else []
    return "  ".join(filter(None, told))


def _legend(left: str, right: str, mark: str = "‹{}›") -> str:
    """The marks at the names of both sides, without what both titles share before their last dot."""
    ours, theirs = (title.rpartition(" · ") for title in (left, right))
    if ours[0] == theirs[0]:
        left, right = ours[2], theirs[2]
    return f"{mark.format(left)}  +{right}"


def _single_lines(body: Text | Code | Variants | Table, width: int) -> tuple[Line, ...]:
    match body:
        case Table():
            return table_lines(body, width)
        case Variants():
            return texts_in_turn({str(n): text for n, text in enumerate(body.texts, 1)}, width)
        case _:
            return body_lines(body, width)


def _side_lines(pair: Pair, part: int, width: int) -> tuple[Line, ...]:
    return column_lines(pair, width)[part]
