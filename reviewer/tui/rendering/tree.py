"""Trees of steps in two versions, and dialogues, as lines: in aligned columns or as one text."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from operator import itemgetter

from rich.cells import cell_len
from textual.content import Content

from reviewer.core.dialogue import Dialogue, RuleTurns, Turn
from reviewer.core.pane import Branch, Pane, Tree, TreeStep
from reviewer.core.sanitize import counted
from reviewer.tui.rendering.comparison import Columns
from reviewer.tui.rendering.line import (
    EMPTY,
    FOLDED,
    UNFOLDED,
    Line,
    Toggled,
    Trail,
    display_text,
    hanging,
    link_style,
    parts_of_line,
    wrapped,
)
from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.rendering.pane_parts import PanePart, PaneParts

_INDENT = 2
_MOST_INDENT = 24
_GAP = 2


@lru_cache(maxsize=64)
def tree_columns(tree: Tree, width: int, toggled: Toggled) -> Columns:
    """Both versions, each at this width in cells, with matching steps on the same rows."""
    rows: list[tuple[Line, Line]] = []
    for trail, branch, is_folded in _in_sight(tree.branches, toggled):
        sign = "▌" if branch.differs or (is_folded and _differs_below(branch)) else " "
        style = "difference" if branch.differs else ""
        left, right = (
            _step_lines(step, trail, branch, is_folded, width, sign, style)
            for step in (branch.left, branch.right)
        )
        rows.extend(zip_longest(left, right, fillvalue=EMPTY))
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows)


@lru_cache(maxsize=64)
def tree_lines(tree: Tree, width: int, toggled: Toggled) -> tuple[Line, ...]:
    """Both versions as one text: a step that differs appears twice, left (−) and right (+)."""
    lines: list[Line] = []
    for trail, branch, is_folded in _in_sight(tree.branches, toggled):
        if branch.differs:
            lines += _step_lines(branch.left, trail, branch, is_folded, width, "−", "left-only")
            lines += _step_lines(branch.right, trail, branch, is_folded, width, "+", "right-only")
        else:
            sign = "±" if is_folded and _differs_below(branch) else " "
            lines += _step_lines(branch.either, trail, branch, is_folded, width, sign, "")
    return tuple(lines)


def legend_of(tree: Tree, toggled: Toggled) -> str:
    """What the signs of the tree's language mean: those of the visible steps."""
    steps = [
        step for _, branch, _ in _in_sight(tree.branches, toggled) for step in (branch.left, branch.right)
    ]
    texts = "\n".join(f"{step.text}\n{step.behind}" for step in steps if step)
    return signs_explained(tree.signs, texts)


def signs_explained(signs: Iterable[tuple[str, str]], text: str) -> str:
    """The explanations of the signs that occur in a text."""
    return "  ".join(explanation for sign, explanation in signs if re.search(sign, text))


def folds_of(tree: Tree, toggled: Toggled) -> dict[Trail, bool]:
    """Every branch with branches below it, by its trail, and whether it is folded."""
    return dict(_folds(tree.branches, toggled, ()))


def _folds(branches: tuple[Branch, ...], toggled: Toggled, above: Trail) -> Iterator[tuple[Trail, bool]]:
    for number, branch in enumerate(branches):
        trail = (*above, number)
        if branch.children:
            yield trail, branch.folded != (trail in toggled)
            yield from _folds(branch.children, toggled, trail)


def _in_sight(
    branches: tuple[Branch, ...], toggled: Toggled, above: Trail = ()
) -> Iterator[tuple[Trail, Branch, bool]]:
    """Every visible branch, with its trail and whether it is folded."""
    for number, branch in enumerate(branches):
        trail = (*above, number)
        is_folded = bool(branch.children) and branch.folded != (trail in toggled)
        yield trail, branch, is_folded
        if not is_folded:
            yield from _in_sight(branch.children, toggled, trail)


def _differs_below(branch: Branch) -> bool:
    return any(child.differs or _differs_below(child) for child in branch.children)


def _step_lines(
    step: TreeStep | None, trail: Trail, branch: Branch, is_folded: bool, width: int, sign: str, style: str
) -> list[Line]:
    if step is None:
        return []
    indent = min(_INDENT * (len(trail) - 1), _MOST_INDENT, width // 2)
    handle = (FOLDED if is_folded else UNFOLDED) if branch.children else "  "
    text = Content(display_text(step.text))
    text = text.stylize(link_style(step.link)) if step.link else text
    room = max(2, width - indent - len(handle))
    text = text.stylize(style) if style else text
    first, *more = _with_origin(text, step.origin, room, source=bool(step.link))
    if step.behind:
        more += wrapped(Content.styled(display_text(step.behind), "code-comment"), room, source=True)
    fold = trail if branch.children else None
    return [
        Line(Content.assemble(handle, first).pad_left(indent), sign, fold),
        *(Line(part.pad_left(indent + len(handle)), sign) for part in more),
    ]


def _with_origin(text: Content, origin: str, width: int, source: bool) -> list[Content]:
    """The text of a step with its origin after it, or below it where there is no room."""
    lines = wrapped(text, width, source=source)
    muted = Content.styled(display_text(origin), "muted")
    if not origin:
        return lines
    if lines[-1].cell_length + _GAP + muted.cell_length <= width:
        return [*lines[:-1], Content.assemble(lines[-1], " " * _GAP, muted)]
    return [*lines, *muted.wrap(width)]


_MARKS = "■▲●★□△○☆" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TURN_GAP, _TURN_INDENT, _FOLD = 1, 4, len(UNFOLDED)
"""Cells between the margin and a head, before a text, and of the sign that folds."""
_LEAST_WORDS = 8
"""Cells of a folded turn's words, if there is room for any."""


@lru_cache(maxsize=64)
def dialogue_lines(dialogue: Dialogue, position: int, toggled: Toggled, width: int) -> tuple[Line, ...]:
    """All turns (``position`` 0), or those of one speaker, counted from 1.

    Where turns follow rules, one speaker alone has all that they could know, and the ``toggled`` rules and
    turns are folded.
    """
    return tuple(_DialogueLines(dialogue, position, toggled, width).lines())


def dialogue_rows(dialogue: Dialogue, width: int) -> int:
    """How many lines a dialogue with rules has if nothing is folded or left out.

    They are counted and not laid out, since many widths are tried for a dialogue beside other panes.
    """
    lines = _unfolded(dialogue)
    fitting = bisect_right(lines, width, key=itemgetter(0))
    return fitting + sum(
        len(parts_of_line(line, width - before, hangs=hangs)) for _, before, line, hangs in lines[fitting:]
    )


@lru_cache(maxsize=64)
def _unfolded(dialogue: Dialogue) -> Sequence[tuple[int, int, str, bool]]:
    """Its lines of text and blank ones, the shortest first: the cells that each takes with those before it,
    those before it, the line, and whether a list item hangs in it.
    """
    lines, heads = list[tuple[int, str, bool]](), dialogue.heads
    for group in dialogue.by_rule:
        if group.rule:
            told = filter(None, map(display_text, (group.rule, group.wording)))
            lines += [(0, "", False), *_lines(_TURN_GAP + _FOLD, ": ".join(told), hangs=False)]
        for place in group.turns:
            is_below_rule = bool(group.rule) and place == group.turns.start
            lines += [] if is_below_rule else [(0, "", False)]
            lines += _lines(_TURN_GAP + _FOLD, display_text(heads[place]), hangs=False)
            if said := dialogue.turns[place].text:
                lines += _lines(_TURN_INDENT, display_text(said), hangs=True)
    del lines[:1]  # the blank line separates turns and rules, and the first has nothing above it
    return sorted((before + cell_len(line), before, line, hangs) for before, line, hangs in lines)


def _lines(before: int, text: str, *, hangs: bool) -> Iterator[tuple[int, str, bool]]:
    return ((before, line, hangs) for line in text.split("\n"))


@dataclass(frozen=True)
class _DialogueLines:
    dialogue: Dialogue
    position: int
    toggled: Toggled
    width: int

    def lines(self) -> Iterator[Line]:
        shown, was_folded, is_first = turns_shown(self.dialogue, self.position), False, True
        marks = {speaker: speaker_mark(n) for n, speaker in enumerate(self.dialogue.speakers)}
        heads = self.dialogue.heads
        for number, group in enumerate(self.dialogue.by_rule):
            turns = [turn for turn in group.turns if turn in shown]
            hides_turns = (number,) in self.toggled and bool(group.rule)
            if turns and group.rule:
                if not (is_first or (was_folded and hides_turns)):
                    yield EMPTY
                yield from self._rule_lines(group, (number,), hides_turns, len(turns))
                was_folded, is_first = hides_turns, False
            for place in () if hides_turns else turns:
                trail = (number, place)
                is_folded = self.dialogue.has_rules and trail in self.toggled
                is_below_rule = bool(group.rule) and place == turns[0]
                if not (is_first or is_below_rule or (was_folded and is_folded)):
                    yield EMPTY
                turn = self.dialogue.turns[place]
                yield from self._turn_lines(turn, heads[place], trail, is_folded, marks[turn.name])
                was_folded, is_first = is_folded, False

    def _rule_lines(self, group: RuleTurns, trail: Trail, is_folded: bool, turns: int) -> list[Line]:
        """The name of a rule; what it says to whom it is for: other speakers do not know it."""
        name = (display_text(group.rule), "strong")
        says = display_text(group.wording) if self._is_known(group) else ""
        if is_folded:
            head = Content.assemble(" " * _TURN_GAP, FOLDED, name)
            count = f" ({counted(turns, 'turn')})"
            room = max(0, self.width - head.cell_length - len(count) - 2)
            words = Content.assemble(": " if says else "", literal_line(says, room, "muted"))
            return [Line(Content.assemble(head, words, (count, "muted")), fold=trail)]
        first, *more = self._beside_fold(name, ": " if says else "", (says, "muted"))
        return [Line(first, fold=trail), *map(Line, more)]

    def _is_known(self, group: RuleTurns) -> bool:
        """Whether everybody's turns are shown, or those of one who speaks by this rule alone."""
        if not self.position:
            return True
        speakers = {self.dialogue.turns[place].name for place in group.turns}
        return speakers == {self.dialogue.speakers[self.position - 1]}

    def _turn_lines(self, turn: Turn, title: str, trail: Trail, is_folded: bool, mark: str) -> list[Line]:
        number, folds = str(trail[-1] + 1), self.dialogue.has_rules
        head = (display_text(title), "title")
        if is_folded:
            begun = Content.assemble(" " * _TURN_GAP, FOLDED, head, "  ")
            room = self.width - begun.cell_length
            words = literal_line(turn.text[: self.width], room, "muted") if room >= _LEAST_WORDS else ""
            return [Line(Content.assemble(begun, words), fold=trail, remark=mark, text=number)]
        if folds:
            first, *more = self._beside_fold(head)
        else:
            parts = wrapped(Content.assemble(head), self.width - _TURN_GAP)
            first, *more = (part.pad_left(_TURN_GAP) for part in parts)
        lines = [Line(first, fold=trail if folds else None, remark=mark, text=number)]
        lines += [Line(part, text=number) for part in more]
        said = display_text(turn.text).split("\n") if turn.text else ()
        body = (part for line in said for part in parts_of_line(line, self.width - _TURN_INDENT))
        return lines + [Line(Content(" " * _TURN_INDENT + part), text=number) for part in body]

    def _beside_fold(self, *told: str | tuple[str, str]) -> list[Content]:
        """What is told, beside the sign that folds it."""
        before = " " * _TURN_GAP + UNFOLDED
        whole = Content.assemble(before, *told)
        if whole.cell_length <= self.width and "\n" not in whole.plain:
            return [whole]
        return hanging(Content(before), Content.assemble(*told), self.width)


def turns_shown(dialogue: Dialogue, position: int) -> frozenset[int]:
    """The places of the turns that a position shows: all, or those of one speaker, counted from 1.

    Where turns follow rules, those are all turns that the speaker could know.
    """
    if not position:
        return frozenset(range(len(dialogue.turns)))
    speaker = dialogue.speakers[position - 1]
    if dialogue.has_rules:
        return frozenset(dialogue.seen_by(speaker))
    return frozenset(place for place, turn in enumerate(dialogue.turns) if turn.name == speaker)


def folds_of_dialogue(dialogue: Dialogue, position: int, toggled: Toggled) -> dict[Trail, bool]:
    """The rules and turns that are shown, by their trails, and whether each is folded; {} without rules."""
    if not dialogue.has_rules:
        return {}
    shown, trails = turns_shown(dialogue, position), list[Trail]()
    for number, group in enumerate(dialogue.by_rule):
        turns = [place for place in group.turns if place in shown]
        trails += [(number,)] if group.rule and turns else []
        trails += [(number, place) for place in turns]
    return {trail: trail in toggled for trail in trails}


def parts_of_dialogue(pane: Pane, dialogue: Dialogue, position: int) -> PaneParts:
    """The speakers of a dialogue with their marks, how many turns each has, and the texts of those that are
    not shown.
    """
    seen = turns_shown(dialogue, position) if position else frozenset()
    said: dict[str, list[int]] = {speaker: [] for speaker in dialogue.speakers}
    for place, turn in enumerate(dialogue.turns):
        said[turn.name].append(place)
    parts = tuple(
        PanePart(
            speaker_mark(number),
            speaker,
            "\n".join(dialogue.turns[place].text for place in places if place not in seen),
            str(len(places)),
        )
        for number, (speaker, places) in enumerate(said.items())
    )
    shown = (position - 1,) if position else ()
    return PaneParts(pane.key, pane.title, "speakers", parts, shown, position, len(parts) + 1)


def speaker_mark(number: int) -> str:
    """The mark of a speaker of a dialogue, by the order in which they begin to speak."""
    return _MARKS[number % len(_MARKS)]
