"""Panes as lines."""

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from reviewer.core.pane import Code, Pair, Text
from reviewer.core.table import Table
from reviewer.core.text_diff import at_boundaries, diff_texts
from reviewer.tui.rendering.colouring import coloured
from reviewer.tui.rendering.comparison import (
    body_lines,
    body_rows,
    column_lines,
    column_rows,
    unified_lines,
    unified_rows,
)
from reviewer.tui.rendering.line import _SIMPLE, display_text, hanging, is_difference, wrapped
from reviewer.tui.rendering.table_lines import table_lines

LINES = st.lists(st.text("ab [/]é漢 -", max_size=30), max_size=6).map("\n".join)


def plain(lines: object) -> list[str]:
    return [line.content.plain for line in lines]  # type: ignore[attr-defined]


def signs(lines: object) -> str:
    return "".join(line.sign for line in lines)  # type: ignore[attr-defined]


def words(text: str) -> str:
    return "".join(text.split())


@given(LINES, LINES, st.integers(4, 40))
def test_columns_are_level_and_lose_no_word(left: str, right: str, width: int) -> None:
    sides = column_lines(Pair("l", "r", Text(left), Text(right)), width)
    assert len(sides[0]) == len(sides[1])
    assert [words("".join(plain(side))) for side in sides] == [words(left), words(right)]
    assert all(line.content.cell_length <= width for side in sides for line in side)


@given(st.text("ab -–é.)2 ", max_size=60), st.integers(3, 20))
@example("2) ab ab ab ab ab ab ab ab", 10)
def test_words_are_broken_where_textual_breaks_them(text: str, width: int) -> None:
    content = Content(text).stylize("muted", 2, 9).stylize("title")
    ours = wrapped(content, width)
    with patch("reviewer.tui.rendering.line._ends_of_words", return_value=[]):
        theirs = wrapped(content, width)
    assert [line.plain for line in ours] == [line.plain for line in theirs]
    assert [set(shown(line)) for line in ours] == [set(shown(line)) for line in theirs]


def shown(line: Content) -> Iterator[tuple[int, int, object]]:
    """The spans of a line that have characters."""
    return ((span.start, span.end, span.style) for span in line.spans if span.end > span.start)


def test_every_character_of_a_simple_line_takes_one_cell() -> None:
    simple = [chr(code) for code in range(0x3000) if _SIMPLE.fullmatch(chr(code))]
    assert {cell_len(character) for character in simple} == {1}
    assert [character for character in simple if character.isspace()] == [" "]


@given(LINES, LINES)
def test_only_what_differs_is_marked(left: str, right: str) -> None:
    sides = column_lines(Pair("l", "r", Text(left), Text(right)), 30)
    if display_text(left) == display_text(right):
        assert not signs(sides[0] + sides[1]).strip()
        assert plain(sides[0]) == plain(sides[1])


def test_an_insertion_leaves_its_place_free_on_the_other_side() -> None:
    left, right = column_lines(Pair("l", "r", Text("one\nthree"), Text("one\ntwo\nthree")), 20)
    assert plain(left) == ["one", "", "three"]
    assert plain(right) == ["one", "two", "three"]
    assert signs(right) == " ▌ "


def test_one_text_tells_left_from_right_without_colour() -> None:
    lines = unified_lines(Pair("l", "r", Text("I go home.\nbye"), Text("I walk home.\nbye\nnow")), 30)
    assert plain(lines) == ["I ‹go› walk home.", "bye", "now"]
    assert signs(lines) == "± +"


def test_source_goes_on_in_hanging_lines() -> None:
    content = Content("    capability(option_A, minimizes_load_times).")
    assert [line.plain for line in wrapped(content, 30, source=True)] == [
        "    capability(option_A,",
        "        minimizes_load_times).",
    ]
    assert [line.plain for line in wrapped(Content("- Option A: wait for it"), 14)] == [
        "- Option A:",
        "  wait for it",
    ]


def test_prolog_is_coloured_and_keeps_its_text() -> None:
    source = '% why\nfix(X) :- good(X), \\+ bad("s"), Y is 3 + 1.'
    content = coloured(source, "prolog")
    named = {(source[span.start : span.end], span.style) for span in content.spans}
    assert content.plain == source
    assert {("X", "code-variable"), ("% why", "code-comment"), ("3", "code-number")} <= named
    assert not coloured("plain", "no such language").spans


@given(st.text("ab(),.:-%'\"\\[]{}X_ \n", max_size=60))
def test_colouring_never_changes_a_source(source: str) -> None:
    assert coloured(source, "prolog").plain == source


@given(LINES, LINES, st.booleans(), st.integers(3, 40))
@example("fix(X, Y) :- good(X), a_long_name_of_a_predicate(Y).\n\n", "fix(X,Y).", True, 12)
def test_counted_rows_of_sources_are_those_that_are_laid_out(
    left: str, right: str, numbered: bool, width: int
) -> None:
    ours, theirs = Code(left, "prolog", numbered=numbered), Code(right, "prolog", numbered=numbered)
    pair = Pair("l", "r", ours, theirs)
    assert column_rows(pair)(width) == len(column_lines(pair, width)[0])
    assert body_rows(ours)(width) == len(body_lines(ours, width))
    counted = unified_rows(pair)
    assert counted is not None
    assert counted(width) == len(unified_lines(pair, width))
    assert unified_rows(replace(pair, compared=False)) is None, "its sides stay whole"


def test_a_table_stands_in_columns_and_goes_on_below_itself() -> None:
    table = Table.of(
        ("statistic", "published"), [("choice", "option_A"), ("steps", None), ("why", "a b c d e f g h")]
    )
    assert plain(table_lines(table, 20)) == [
        "statistic  published",
        "choice     option_A",
        "steps      –",
        "why        a b c d e",
        "           f g h",
    ]


def test_code_pairs_mark_lines_that_differ() -> None:
    pair = Pair("l", "r", Code("a(1).\nb(2)."), Code("a(1).\nseen(x).\nb(2)."))
    assert signs(column_lines(pair, 30)[1]) == " ▌ "


def marked(left: str, right: str) -> str:
    changes = at_boundaries(diff_texts(left, right)).changes
    return "".join(c.left if c.equal else f"<{c.left}|{c.right}>" for c in changes)


def test_an_insertion_slides_to_whole_lines_and_sentences() -> None:
    assert marked("a(1).\nb(2).", "a(1).\nseen(x).\nb(2).") == "a(1).\n<|seen(x).\n>b(2)."
    assert marked("It is slow. It is old.", "It is slow. Others like it. It is old.") == (
        "It is slow.<| Others like it.> It is old."
    )
    assert marked("one\n\nthree", "one\n\ntwo\n\nthree") == "one\n\n<|two\n\n>three"


@given(LINES, LINES)
def test_sliding_keeps_both_texts(left: str, right: str) -> None:
    changes = at_boundaries(diff_texts(left, right)).changes
    assert "".join(change.left for change in changes) == left
    assert "".join(change.right for change in changes) == right


def test_source_is_broken_between_terms_and_in_a_name_only_where_it_must_be() -> None:
    def broken(text: str) -> list[str]:
        return [line.plain for line in wrapped(Content(text), 30, source=True)]

    assert broken("bears_out(first_measurement(lookup_by_id), hash_map).") == [
        "bears_out(first_measurement(",
        "    lookup_by_id), hash_map).",
    ]
    assert broken("operation(parcels_scanned_between_two_times).") == [
        "operation(parcels_scanned_",
        "    between_two_times).",
    ]
    assert broken("best(Option) :- ready_for_the_first_use(Option), good(Option).") == [
        "best(Option) :-",
        "    ready_for_the_first_use(",
        "    Option), good(Option).",
    ]


@given(st.text("ab,(_漢 ", min_size=1, max_size=80), st.integers(4, 40))
def test_breaking_a_source_loses_nothing_and_keeps_to_the_width(text: str, width: int) -> None:
    lines = wrapped(Content(text), width, source=True)
    assert words("".join(line.plain for line in lines)) == words(text)
    assert all(line.cell_length <= width for line in lines)


def test_a_table_has_narrow_gaps_where_that_keeps_its_rows_whole() -> None:
    table = Table.of(("engine", "l", "", "r"), [("inference steps", "option_A", "=", "option_A")])
    assert len(plain(table_lines(table, 36))) == 2
    assert plain(table_lines(table, 40))[1] == "inference steps  option_A  =   option_A"


def test_what_hangs_stands_below_where_it_begins() -> None:
    lines = hanging(Content("t  True  "), Content("Save this and go on"), 20)
    assert [line.plain for line in lines] == ["t  True  Save this", "         and go on"]


def test_the_sides_of_a_reworded_pair_stay_whole_one_below_the_other() -> None:
    before, after = "Pick a queue soon.\n- Option A: old one", "We pick queues.\n- Option A: old one"
    lines = unified_lines(Pair("original", "rebuilt", Text(before), Text(after), reworded=True), 40)
    assert plain(lines) == ["Pick a queue soon.", "We pick queues.", "- Option A: old one"]
    assert signs(lines) == "−+ "
    marked = [line.content[span.start : span.end].plain for line in lines for span in line.content.spans]
    assert marked == ["soon"]


@given(LINES, LINES, st.integers(4, 40))
def test_a_reworded_pair_loses_no_word(left: str, right: str, width: int) -> None:
    pair = Pair("l", "r", Text(left), Text(right), reworded=True)
    sides = column_lines(pair, width)
    assert [words("".join(plain(side))) for side in sides] == [words(left), words(right)]
    lines = unified_lines(pair, width)
    assert words("".join(line.content.plain for line in lines if line.sign != "+")) == words(left)
    assert words("".join(line.content.plain for line in lines if line.sign != "−")) == words(right)


def test_a_line_of_a_side_that_differs_in_no_content_word_is_no_difference() -> None:
    before = "- Option A: ship\n\nWhich option would you suggest?"
    after = "- Option A: wait\n\nWhich option should I choose?"
    lines = unified_lines(Pair("original", "rebuilt", Text(before), Text(after), reworded=True), 60)
    signed = [(line.sign, line.content.plain, is_difference(line)) for line in lines if line.content.plain]
    assert signed == [
        ("−", "- Option A: ship", True),
        ("+", "- Option A: wait", True),
        ("−", "Which option would you suggest?", False),
        ("+", "Which option should I choose?", False),
    ]


def test_a_list_item_that_only_one_side_has_is_indented_like_the_others() -> None:
    before = (
        "- Move the migration to the next sprint, so nobody is interrupted.\n1. Wait for it until all agree."
    )
    after = (
        "- Shift everything else into another week, which lets people work.\n2. Wait for it until all agree."
    )
    lines = plain(unified_lines(Pair("l", "r", Text(before), Text(after)), 30))
    assert lines[0].startswith("‹- Move")
    assert all(line.startswith("   ") for line in lines[1:-2])
    assert lines[-2].startswith("‹1.› 2. Wait")
    assert lines[-1].startswith(" " * len("‹1.› 2. "))


def test_what_was_filled_into_a_text_is_marked_in_both_forms() -> None:
    role = (8, 15)
    control = Text("You are a clerk.", marks=(role,))
    pair = Pair("l", "r", control, Text("You are a clerk at 9.", marks=(role, (19, 20))))
    left, right = column_lines(pair, 40)
    assert filled_in(left) == ["a clerk"]
    assert filled_in(right) == filled_in(unified_lines(pair, 60)) == ["a clerk", "9"]


def filled_in(lines: object) -> list[str]:
    """What is marked as filled in on one line."""
    (line,) = lines  # type: ignore[misc]
    content = line.content
    return [content.plain[span.start : span.end] for span in content.spans if span.style == "filled"]
