"""Marking spans of a text with keys: a cursor on a letter, a selection from it, and a label for both."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from reviewer.core.grapheme_clusters import (
    cluster_edges,
    edge_after,
    edge_before,
    word_after,
    word_at,
    word_before,
)
from reviewer.core.pane import Marking, Sheet, Text
from reviewer.core.question import Question
from reviewer.core.spans import LabelledSpan, Spans
from reviewer.tui.rendering.line import Line
from reviewer.tui.rendering.signed_text import cells_before_cursor, line_of_cursor, offset_on_line

Move = Literal["left", "right", "word-left", "word-right", "up", "down", "first", "last"]


def signs_of(spans: Spans, labels: Sequence[str]) -> tuple[tuple[int, int, str], ...]:
    """Spans with the places of their labels in the question, as signs."""
    return tuple((start, end, str(labels.index(label) + 1)) for start, end, label in spans)


def marked_body(text: str, spans: Spans, labels: Sequence[str]) -> Text:
    """A text with the signs of spans, in which nobody marks; without spans that are not of this text."""
    fitting = tuple(span for span in spans if span.end <= len(text))
    return Text(text, marking=Marking(tuple(labels), signs_of(fitting, labels)))


@dataclass(frozen=True)
class SpanMarking:
    """A text with the spans that are marked in it, where the cursor is, and where a selection begins.

    Moving takes the selection along. Each change is a new value.
    """

    text: str
    spans: Spans = ()
    at: int = 0
    anchor: int | None = None

    @cached_property
    def _edges(self) -> Sequence[int]:
        return cluster_edges(self.text)

    @property
    def cursor(self) -> tuple[int, int]:
        """The letter at the cursor; the first that is no blank if the cursor is on a blank."""
        at = self._visible(self.at, 1)
        return at, edge_after(self._edges, at)

    @property
    def selected(self) -> tuple[int, int] | None:
        """What is selected, with the letter at the cursor; None if nothing is."""
        if self.anchor is None or not self.text:
            return None
        ends = (*self.cursor, self.anchor, edge_after(self._edges, self.anchor))
        return min(ends), max(ends)

    def shown(self, labels: Sequence[str]) -> Text:
        """The text with the signs of its spans, which are the places of their labels in the question."""
        signs = signs_of(self.spans, labels)
        return Text(self.text, marking=Marking(tuple(labels), signs, self.cursor, self.selected))

    def on_sheet(self, sheet: Sheet, question: Question) -> Sheet:
        """The panes of a question, with the marks in the one that it is about."""
        (key,), body = question.shows, self.shown(question.labels)
        first = (replace(pane, body=body) if pane.key == key else pane for pane in sheet.first)
        return replace(sheet, first=tuple(first))

    # -- moving ------------------------------------------------------------------------------------

    def moved(self, move: Move, extend: bool, lines: Sequence[Line], labels: Sequence[str]) -> "SpanMarking":
        """The cursor elsewhere; ``lines`` are those of the text on the screen. To ``extend`` selects."""
        if extend and self.anchor is None:
            first_word = replace(self.begun(), at=self._last_letter(self.cursor[0]))
            return first_word if move == "word-right" else self.begun().moved(move, extend, lines, labels)
        return replace(self, at=self._target(move, lines, labels))

    def _target(self, move: Move, lines: Sequence[Line], labels: Sequence[str]) -> int:
        at, end = self.cursor
        match move:
            case "left":
                return self._visible(edge_before(self._edges, at), -1)
            case "right":
                return self._visible(end, 1)
            case "word-left":
                return self._visible(word_before(self.text, at), -1)
            case "word-right":
                return self._next_word(at)
            case "first":
                return self._visible(0, 1)
            case "last":
                return self._visible(len(self.text), -1)
        return self._on_other_line(-1 if move == "up" else 1, lines, labels)

    def _next_word(self, at: int) -> int:
        """The beginning of the next word; while selecting, the last letter of this one or of the next."""
        if self.anchor is None:
            behind = word_at(self.text, at)[1]
            following = word_after(self.text, behind)
            begin = word_before(self.text, following)
            return self._visible(begin if begin >= behind else behind, 1)
        return self._last_letter(self.cursor[1])

    def _last_letter(self, offset: int) -> int:
        """The last letter of the word at an offset, or of the next one."""
        return self._visible(edge_before(self._edges, word_after(self.text, offset)), -1)

    def _on_other_line(self, step: int, lines: Sequence[Line], labels: Sequence[str]) -> int:
        """The letter above or below the cursor, past empty lines; the same where there is no other line."""
        at, number = self.cursor[0], line_of_cursor(lines)
        if number is None:
            return at
        cells, body = cells_before_cursor(lines[number]), self.shown(labels)
        number += step
        while 0 <= number < len(lines):
            offset = offset_on_line(body, lines, number, cells)
            if offset is not None:
                edges = self._edges
                return self._visible(edge_before(edges, edge_after(edges, offset)), -1)
            number += step
        return at

    def _visible(self, at: int, step: int) -> int:
        """The next letter that is no blank from an offset on, in this direction, else in the other."""
        starts = self._edges[:-1] or (0,)
        here = max(bisect_right(starts, at) - 1, 0)
        onwards, back = range(here, len(starts)), range(here, -1, -1)
        order = (*onwards, *back) if step > 0 else (*back, *onwards)
        return next((starts[n] for n in order if self.text[starts[n] :][:1].strip()), 0)

    # -- selecting and labelling -------------------------------------------------------------------

    def begun(self) -> "SpanMarking":
        """A selection from the cursor; none if there was one."""
        return replace(self, anchor=self.cursor[0] if self.anchor is None else None)

    def dropped(self) -> "SpanMarking":
        """Nothing selected."""
        return replace(self, anchor=None)

    def labelled(self, label: str) -> "SpanMarking":
        """What is selected, or else the word at the cursor, marked with a label; unmarked if it was so."""
        start, end = self.selected or word_at(self.text, self.cursor[0])
        spans = {*self.spans} ^ ({LabelledSpan(start, end, label)} if start < end else set())
        return replace(self, spans=tuple(sorted(spans)), anchor=None)

    def without_span(self) -> "SpanMarking":
        """Without the shortest span at the cursor."""
        here = [span for span in self.spans if span.start <= self.cursor[0] < span.end]
        gone = min(here, key=lambda span: (span.end - span.start, span), default=None)
        return replace(self, spans=tuple(span for span in self.spans if span != gone))
