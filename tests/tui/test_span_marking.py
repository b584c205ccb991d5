"""Marking spans with keys: where the cursor goes, what is selected, and the signs around spans."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.core.grapheme_clusters import cluster_edges
from reviewer.core.pane import Marking, Text
from reviewer.core.spans import LabelledSpan
from reviewer.tui.case.span_marking import Move, SpanMarking
from reviewer.tui.rendering.comparison import body_lines
from reviewer.tui.rendering.line import Line
from reviewer.tui.rendering.signed_text import line_of_cursor, offset_on_line, signed_text

LABELS = ("insult", "threat")
TEXT = "You fool, I will find you.\n\nकि वह मूर्ख है। end"
WIDTH = 14
LETTERS = [*"ab \n", "e\u0301", "कि", "👩\u200d👧", "❤\ufe0f", "\t", "’"]
KEYS = ("left", "right", "word-left", "word-right", "up", "down", "first", "last", "space", "1", "2")


def lines_of(marking: SpanMarking, width: int = WIDTH) -> Sequence[Line]:
    return body_lines(marking.shown(LABELS), width)


def moved(marking: SpanMarking, *moves: Move, extend: bool = False) -> SpanMarking:
    for move in moves:
        marking = marking.moved(move, extend, lines_of(marking), LABELS)
    return marking


def at_cursor(marking: SpanMarking) -> str:
    return marking.text[slice(*marking.cursor)]


def test_signs_stand_around_spans_also_where_they_overlap() -> None:
    spans = ((0, 8, "1"), (4, 12, "2"), (4, 8, "3"))
    shown = signed_text("You fool you.", Marking(LABELS, spans))
    assert shown.displayed == "‹1·You ‹2·‹3·fool·3›·1› you·2›."
    assert shown.displayed[shown.places[9]] == "y"
    assert len(shown.places) == len("You fool you.") + 1


def test_the_cursor_goes_by_letters_and_passes_blanks() -> None:
    marking = SpanMarking(TEXT)
    assert [at_cursor(moved(marking, *["right"] * times)) for times in range(5)] == ["Y", "o", "u", "f", "o"]
    assert at_cursor(moved(marking, "left")) == "Y"
    hindi = SpanMarking(TEXT, at=TEXT.index("क"))
    assert [at_cursor(hindi), at_cursor(moved(hindi, "right"))] == ["कि", "व"]
    assert at_cursor(moved(hindi, "left")) == "."
    assert at_cursor(moved(marking, "last")) == "d"
    assert at_cursor(moved(marking, "last", "right")) == "d"


def test_the_cursor_goes_by_words_and_lines() -> None:
    marking = SpanMarking(TEXT)
    assert moved(marking, "word-right").at == TEXT.index("fool")
    assert moved(marking, "word-right", "word-right").at == TEXT.index("I will")
    assert moved(marking, "word-right", "word-left").at == 0
    assert [line.content.plain for line in lines_of(marking)][:3] == ["You fool, I", "will find you.", ""]
    below = moved(marking, "right", "down")
    assert below.at == TEXT.index("ill find")
    assert moved(below, "down").cursor[0] == TEXT.index("कि")
    assert moved(below, "down", "up", "up").at in range(3)


def test_a_selection_goes_along_with_the_cursor() -> None:
    marking = moved(SpanMarking(TEXT, at=4).begun(), "right", "right", "right")
    assert marking.selected == (4, 8)
    assert moved(SpanMarking(TEXT, at=4), "right", extend=True).selected == (4, 6)
    assert moved(SpanMarking(TEXT, at=10).begun(), "word-right", "word-right").selected == (10, 21)
    assert moved(SpanMarking(TEXT, at=7).begun(), "word-left").selected == (4, 8)
    assert marking.begun().selected is None
    assert marking.dropped().selected is None


def test_labels_mark_what_is_selected_or_the_word() -> None:
    word = SpanMarking(TEXT, at=5).labelled("insult")
    assert word.spans == (LabelledSpan(4, 8, "insult"),)
    assert word.labelled("insult").spans == ()
    both = moved(SpanMarking(TEXT, word.spans, 10).begun(), "word-right", "word-right").labelled("threat")
    assert both.spans == (LabelledSpan(4, 8, "insult"), LabelledSpan(10, 21, "threat"))
    assert both.anchor is None
    assert SpanMarking(TEXT, both.spans, 12).without_span().spans == word.spans
    assert SpanMarking(TEXT, both.spans, 0).without_span().spans == both.spans


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(LETTERS), max_size=60).map("".join),
    st.lists(st.sampled_from(KEYS)),
    st.integers(5, 30),
)
def test_whatever_is_pressed_spans_keep_to_letters(text: str, keys: list[str], width: int) -> None:
    marking, edges = SpanMarking(text), {*cluster_edges(text)}
    for key in keys:
        if key == "space":
            marking = marking.begun()
        elif key.isdigit():
            marking = marking.labelled(LABELS[int(key) - 1])
        else:
            marking = marking.moved(key, False, lines_of(marking, width), LABELS)  # type: ignore[arg-type]
        assert {*marking.cursor} <= edges
        assert all({span.start, span.end} <= edges and span.start < span.end for span in marking.spans)
        assert marking.selected is None or marking.selected[0] < marking.selected[1]
        if text.strip():
            assert line_of_cursor(lines_of(marking, width)) is not None


def test_the_character_on_a_line_is_found_behind_signs_and_indents() -> None:
    text = "- one two three four\n\ttab"
    body = Text(text, marking=Marking(LABELS, ((6, 9, "1"),), (0, 1)))
    lines = body_lines(body, 12)
    found = [offset_on_line(body, lines, number, 3) for number in range(len(lines))]
    assert [None if offset is None else text[offset] for offset in found] == ["n", "t", "h", "t"]
