"""Harmless text, word differences, names."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import LONGEST_TEXT, one_line, strange_character, too_long, visible
from reviewer.core.table import Table
from reviewer.core.text_diff import diff_texts
from reviewer.report.text_table import text_table

TEXTS = st.text(st.sampled_from("ab \n.,ü💡") | st.characters(exclude_categories=("Cs",)), max_size=60)


@given(st.text())
def test_visible_text_keeps_its_length_and_has_nothing_that_a_terminal_obeys(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert not set(shown) & {"\x1b", "\x07", "\x9b", "\r", "\u202e", "\u2066", "\u200f", "\x00", "\u2028"}
    assert visible(shown) == shown


def test_what_visible_signs_look_like() -> None:
    assert visible("a\x1b[31mb\r\n\tc\u202ed") == "a␛[31mb␍\n\tc\ufffdd"


@given(TEXTS, TEXTS)
def test_a_difference_gives_back_both_texts(left: str, right: str) -> None:
    diff = diff_texts(left, right)
    assert "".join(change.left for change in diff.changes) == left
    assert "".join(change.right for change in diff.changes) == right
    assert all(left[span.start : span.end] for span in diff.left_marks)
    if left == right:
        assert diff.left_marks == diff.right_marks == ()


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_equal(left: str, right: str) -> None:
    diff = diff_texts(left, right)
    assert _without(left, diff.left_marks) == _without(right, diff.right_marks)


def _without(text: str, marks: tuple[object, ...]) -> str:
    for span in reversed(marks):
        text = text[: span.start] + text[span.end :]  # type: ignore[attr-defined]
    return text


def test_changed_words_are_marked_and_nothing_else() -> None:
    left, right = "We ship on Friday.", "We ship on Monday morning."
    diff = diff_texts(left, right)
    assert [left[span.start : span.end] for span in diff.left_marks] == ["Friday"]
    assert [right[span.start : span.end] for span in diff.right_marks] == ["Monday morning"]


def test_very_long_texts_are_compared_by_lines_and_at_the_extreme_not_at_all() -> None:
    lines = [f"line {number} of many words in it" for number in range(1_500)]
    left, right = "\n".join(lines), "\n".join([*lines[:700], "new", *lines[701:]])
    (mark,) = diff_texts(left, right).right_marks
    assert right[mark.start : mark.end] == "new\n"
    endless = "x\n" * 10_000
    assert len(diff_texts(endless, endless + "y").changes) == 1


@pytest.mark.parametrize(("text", "found"), [("a\0", "NUL"), ("a\ud800", "U+D800"), ("ok 💡", None)])
def test_characters_that_no_text_may_hold(text: str, found: str | None) -> None:
    strange = strange_character(text)
    assert (found is None) == (strange is None)
    assert found is None or found in str(strange)


@pytest.mark.parametrize("name", ["anna", "Ben B.", "a-b_c@d+e", "Jürgen", "4o", "x" * 64])
def test_names_that_will_do(name: str) -> None:
    assert checked_name("rater", name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        ".",
        "..",
        "a/b",
        "a\\b",
        "-x",
        "a  b",
        "a ",
        "x" * 65,
        "a\0",
        "a\u200d",
        "anna\u3164",
        "\uffa0",
    ],
)
def test_names_that_will_not(name: str) -> None:
    with pytest.raises(RequestError):
        checked_name("rater", name)


def test_one_line() -> None:
    assert one_line("a\n b\x1b", 80) == "a b␛"
    assert one_line("abcdef", 4) == "abc…"


def test_a_table_fits_its_width_and_aligns_numbers() -> None:
    table = Table.of(
        ("name", "long", "n"), [("ein 💡", "word " * 40, 1), ("b", "c", 1000), ("d", None, None)]
    )
    lines = text_table(table, 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert [line[-4:] for line in lines[2:]] == ["   1", "1000", "   –"]


@pytest.mark.parametrize("width", [100, None])
def test_a_table_in_a_terminal_is_literal_and_whole(
    monkeypatch: pytest.MonkeyPatch, width: int | None
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    hostile = (
        "[bold]x[/bold]",
        ":smile:",
        "[/a]",
        "<script>",
        "\\input{x}",
        "a | b",
        "=cmd",
        "\x1b[31mred\nx",
    )
    table = Table.of(("[red]who[/red]", "n"), [*((text, 1) for text in hostile), ("word " * 60, 123456)])
    head, rule, *lines = text_table(table, width).splitlines()
    assert head.startswith("[red]who[/red]  ")
    assert set(rule) == {"─", " "}
    assert [line.split("  ")[0] for line in lines[:-1]] == [one_line(text, 80) for text in hostile]
    assert lines[-1].endswith("123456"), "numbers are never cut"
    assert (max(map(len, lines)) <= 100) == (width is not None)
    assert ("…" in lines[-1]) == (width is not None)


@pytest.mark.parametrize("width", [100, 17, None])
def test_a_table_that_fits_is_padded_by_the_width_of_its_letters(width: int | None) -> None:
    table = Table.of(("name", "of", "漢字"), [("ein 💡", None, 1), ("é–b", True, 1000)])
    assert text_table(table, width).splitlines() == [
        "name    of   漢字",
        "──────  ───  ────",
        "ein 💡  –       1",
        "é–b     yes  1000",
    ]


def test_a_lone_carriage_return_breaks_no_row_of_csv() -> None:
    text = Table.of(("a", "b"), [("x\ry", "z\r\n")]).to_csv()
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["a", "b"], ["x\ry", "z\r\n"]]


def test_a_comment_has_ten_thousand_characters_at_most() -> None:
    assert LONGEST_TEXT == 10_000
    assert too_long("ä" * 10_000) is None
    assert too_long("x" * 12_345) == "12,345 characters; at most 10,000 are kept"


def test_direction_overrides_are_visible_in_tables_and_other_signs_stay() -> None:
    table = Table.of(("reply",), [("a\u202eb \u202dc \u2067\u05d0\u2069",)])
    assert table.to_csv().splitlines()[1] == "a\ufffdb \ufffdc \u2067\u05d0\u2069"
    assert "\u202e" in table.to_jsonl() or "\\u202e" in table.to_jsonl()
