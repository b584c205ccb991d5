"""Uncompared pairs, variants and dialogues as lines, their parts, and passages in them."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from reviewer.core.dialogue import Dialogue, Turn
from reviewer.core.pane import Body, Pair, Pane, Sheet, Text, Variants
from reviewer.tui.rendering.arrangement import pages
from reviewer.tui.rendering.columns import fitted_widths
from reviewer.tui.rendering.line import Line, Trail, find_words, is_difference
from reviewer.tui.rendering.pane_layout import ViewOptions
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of
from reviewer.tui.rendering.passages import (
    Passage,
    lines_of,
    passage_at,
    place_of,
    quote_below_place,
    stands_in,
)
from reviewer.tui.rendering.tree import speaker_mark

APART = Pair("left", "right", Text("Yes.\nIt holds."), Text("No.\nYes."), compared=False)
LEVELS = Variants(tuple((f"level {n}", Text("Go" + " by train" * n)) for n in range(1, 6)))
TALK = Dialogue(
    (
        Turn("Sam", "Hm.", ("Kim",), "one"),
        Turn("Kim", "Yes.\nWe go."),
        Turn("Sam", "Yes."),
        Turn("", "Time is up.", (), "system"),
    )
)


def a_pane(body: Body) -> Pane:
    return Pane("key", "title", body)


def shown(lines: Sequence[Line]) -> list[str]:
    return [f"{line.sign}{line.remark}{line.content.plain}".rstrip() for line in lines]


def texts_of(body: Body, form: PairForm, position: int | None = 0) -> tuple[PaneText, ...]:
    return pane_texts_of(a_pane(body), form, position=position)


@pytest.mark.parametrize("form", ["columns", "unified"])
def test_sides_that_are_not_compared_have_no_difference(form: PairForm) -> None:
    texts = texts_of(APART, form)
    lines = [line for text in texts for line in text.lines(20)]
    assert not any(is_difference(line) for line in lines)
    assert all(text.legend == "" for text in texts)
    if form == "unified":
        assert shown(lines) == ["  left", "  Yes.", "  It holds.", "", "  right", "  No.", "  Yes."]
    else:
        assert [text.title for text in texts] == ["left", "right"]


def test_a_passage_of_one_side_is_not_found_in_the_other() -> None:
    (text,) = texts_of(APART, "unified")
    lines, pane = text.lines(20), a_pane(APART)
    passage = passage_at(pane, text, lines, [6])
    assert passage == Passage("key", "right", 4, 8, "Yes.")
    assert lines_of(passage, pane, text, lines) == {6}
    assert place_of(passage, [pane]) == "right"


def test_neighbours_are_side_by_side_or_one_diff() -> None:
    left, right = texts_of(LEVELS, "columns", 3)
    assert [left.title, right.title, left.sides, right.sides] == [
        "title · level 4",
        "title · level 5",
        ("4",),
        ("5",),
    ]
    assert any(is_difference(line) for line in right.lines(80))
    (diff,) = texts_of(LEVELS, "unified", 9)
    assert diff.legend == "‹level 4›  +level 5", "a position past the end shows the last two"
    (all_of_them,) = texts_of(LEVELS, "unified", None)
    titles = [line.content.plain for line in all_of_them.lines(80) if line.text == "title"]
    assert titles == [f"level {n}" for n in range(1, 6)]


def test_words_are_found_in_a_diff_that_parts_them() -> None:
    (diff,) = pane_texts_of(a_pane(Pair("l", "r", Text("Reply 4 now"), Text("Reply 5 now"))), "unified")
    lines = diff.lines(40)
    assert [line.content.plain for line in lines] == ["Reply ‹4› 5 now"]
    assert find_words(lines, "reply 5") == {0: [(0, 11)]}
    assert find_words(lines, "reply 4") == {0: [(0, 8)]}
    assert not find_words(lines, "reply now")


def test_variants_that_are_not_compared_are_shown_one_at_a_time_where_it_is_narrow() -> None:
    variants = Variants(LEVELS.texts, compared=False)
    (text,) = texts_of(variants, "unified", 4)
    assert (text.title, text.sides) == ("title · level 5", ("5",))
    assert text.parts is not None
    assert (text.parts.shown, text.parts.after(1), text.parts.after(-1)) == ((4,), None, 3)
    lines = [line for side in texts_of(variants, "columns", 4) for line in side.lines(80)]
    assert not any(is_difference(line) for line in lines)


def test_a_passage_of_a_variant_names_it() -> None:
    pane, texts = a_pane(LEVELS), texts_of(LEVELS, "columns", 2)
    passage = passage_at(pane, texts[1], texts[1].lines(80), [0])
    assert passage is not None
    assert (passage.side, place_of(passage, [pane])) == ("4", "title · level 4")
    assert stands_in(passage, [pane])
    assert not lines_of(passage, pane, texts[0], texts[0].lines(80))
    assert lines_of(passage, pane, texts_of(LEVELS, "columns", 3)[0], texts[1].lines(80)) == {0}


def test_a_dialogue_has_heads_with_the_mark_of_their_speaker() -> None:
    (text,) = texts_of(TALK, "columns")
    assert shown(text.lines(40)) == [
        " ■ 1  Sam → Kim (to one)",
        "      Hm.",
        "",
        " ▲ 2  Kim (to all)",
        "      Yes.",
        "      We go.",
        "",
        " ■ 3  Sam (to all)",
        "      Yes.",
        "",
        " ● 4  system (from the system)",
        "      Time is up.",
    ]
    assert text.parts is not None
    counts = [(part.sign, part.name, part.count) for part in text.parts.parts]
    assert counts == [("■", "Sam", "2"), ("▲", "Kim", "1"), ("●", "system", "1")]


def test_one_speaker_alone_keeps_numbers_and_passages() -> None:
    (text,) = texts_of(TALK, "columns", 1)
    lines, pane = text.lines(40), a_pane(TALK)
    assert [line.content.plain.strip() for line in lines] == [
        "1  Sam → Kim (to one)", "Hm.", "", "3  Sam (to all)", "Yes."
    ]  # fmt: skip
    passage = passage_at(pane, text, lines, [4])
    assert passage is not None
    assert TALK.text[: passage.start].endswith("\n3  Sam (to all)\n")
    (whole,) = texts_of(TALK, "columns")
    assert lines_of(passage, pane, whole, whole.lines(40)) == {8}
    assert stands_in(passage, [pane])


def test_keys_go_round_the_speakers_and_a_click_shows_one_or_all() -> None:
    positions, position = [], 0
    for _ in range(4):
        (text,) = texts_of(TALK, "columns", position)
        assert text.parts is not None
        position = text.parts.after(1) or 0
        positions.append(position)
    assert positions == [1, 2, 3, 0]
    (alone,) = texts_of(TALK, "columns", 2)
    assert alone.parts is not None
    assert (alone.parts.position_of(0), alone.parts.position_of(1)) == (1, 0)


def test_marks_differ_without_colour() -> None:
    assert len({speaker_mark(number) for number in range(30)}) == 30


def test_a_layout_lists_the_parts_of_the_panes_in_sight() -> None:
    sheet = Sheet((Pane("levels", "levels", LEVELS), Pane("talk", "talk", TALK)))
    wide = pages(sheet, 160, 48, ViewOptions().at_position("levels", 1))
    assert [(parts.pane, parts.shown) for parts in wide.parts] == [("levels", (1, 2)), ("talk", ())]
    narrow = pages(sheet, 80, 24, ViewOptions(tab="talk"))
    assert [parts.pane for parts in narrow.parts] == ["talk"]


STAGED = Dialogue(
    (
        Turn("", "You sell.", ("Sam",), "system", "rule 1"),
        Turn("Kim", "It is 900.", ("Mod",), "one", "rule 2"),
        Turn("Mod", "Begin.", rule="rule 2"),
        Turn("Sam", "Begin.", ("Kim",), "one", "rule 3"),
    ),
    (("rule 2", "The price is an anchor."), ("rule 3", "Sam goes on.")),
)


def staged(position: int, *toggled: Trail) -> PaneText:
    (text,) = pane_texts_of(a_pane(STAGED), "columns", frozenset(toggled), position=position)
    return text


def test_turns_fold_by_rule_and_one_by_one() -> None:
    assert shown(staged(0, (0,), (1, 1)).lines(46)) == [
        "   ▸ rule 1 (1 turn)",
        "",
        "   ▾ rule 2: The price is an anchor.",
        " ▲ ▸ 2  Kim → Mod (to one)  It is 900.",
        "",
        " ● ▾ 3  Mod (to all)",
        "      Begin.",
        "",
        "   ▾ rule 3: Sam goes on.",
        " ★ ▾ 4  Sam → Kim (to one)",
        "      Begin.",
    ]
    folds = staged(0, (1, 1)).folds
    assert [trail for trail, is_folded in folds.items() if is_folded] == [(1, 1)]
    assert [*folds] == [(0,), (0, 0), (1,), (1, 1), (1, 2), (2,), (2, 3)]


def test_no_line_is_wider_than_its_pane_and_folding_moves_no_border() -> None:
    folded = staged(0, (0,), (1,), (2,))
    for width in range(24, 60):
        for text in (staged(0), folded):
            assert all(line.content.cell_length <= width for line in text.lines(width))
    other = pane_texts_of(Pane("other", "other", Text("word " * 80)), "columns")
    widths = [fitted_widths(120, (text, *other), 9) for text in (staged(0), folded, staged(1))]
    assert widths[0] == widths[1] == widths[2]


PIECES = (
    *("It is", "900,", "which is", "a", "lot.", "x" * 30, "漢字かな", "e\u0301", "\t", "\n", "\n\n", "  "),
    *("\n- ", "\n1. one", "•", "’tis", "😀", "\a", "(all)"),
)


def test_counted_lines_of_a_dialogue_are_those_that_are_laid_out() -> None:
    dice = random.Random(3)

    def a_text(most: int) -> str:
        return " ".join(dice.choices(PIECES, k=dice.randint(0, most)))

    for _ in range(40):
        rules = sorted(dice.choices(("", "rule 1", "rule 2", "rule " + "long " * 9), k=9))
        turns = tuple(
            Turn(
                dice.choice(("Sam", "Kim", "")),
                a_text(30),
                ("Mod", "Sam"),
                dice.choice(("some", "all")),
                rule,
            )
            for rule in rules
        )
        dialogue = Dialogue(turns, (("rule 1", a_text(20)), ("rule 2", a_text(5))))
        (text,) = pane_texts_of(a_pane(dialogue), "columns", position=0)
        for width in (*range(12, 60), 200):
            counted = text.all_rows(width) if text.all_rows else len(text.lines(width))
            assert counted == len(text.lines(width)), (width, dialogue)


def test_one_speaker_alone_has_what_reached_them_and_the_wording_of_their_rules() -> None:
    sam = staged(STAGED.speakers.index("Sam") + 1)
    plain = " ".join(line.content.plain for line in sam.lines(60))
    assert sam.title == "title · what Sam could know"
    assert [turn in plain for turn in ("You sell.", "Mod (to all)", "Sam → Kim")] == [True] * 3
    assert "900" not in plain
    assert "anchor" not in plain
    assert "rule 3: Sam goes on." in plain
    assert sam.parts is not None
    assert [part.text for part in sam.parts.parts] == ["", "It is 900.", "", ""]


def test_the_first_speaker_alone_is_the_subject() -> None:
    (sam,) = pane_texts_of(a_pane(replace(STAGED, subject="Sam")), "columns", position=1)
    assert sam.title == "title · what Sam could know"


@pytest.mark.parametrize("toggled", [(), ((1, 2),)])
def test_a_comment_is_about_a_whole_turn_also_where_it_is_folded(toggled: tuple[Trail, ...]) -> None:
    pane, text = a_pane(STAGED), staged(0, *toggled)
    lines = text.lines(46)
    heads = [n for n, line in enumerate(lines) if line.text == "3"]
    passage = passage_at(pane, text, lines, heads[:1], whole_turns=True)
    assert passage is not None
    assert passage.quote == "3  Mod (to all)\nBegin."
    assert place_of(passage, [pane]) == "title · turn 3  Mod (to all)"
    assert quote_below_place(passage, [pane]) == "Begin."
    assert lines_of(passage, pane, text, lines) == set(heads)
    assert stands_in(passage, [pane])


@pytest.mark.parametrize("toggled", [(), ((1,),)])
def test_a_comment_can_be_about_a_rule(toggled: tuple[Trail, ...]) -> None:
    pane, text = a_pane(STAGED), staged(0, *toggled)
    lines = text.lines(46)
    number = next(n for n, line in enumerate(lines) if "rule 2" in line.content.plain)
    passage = passage_at(pane, text, lines, [number], whole_turns=True)
    assert passage is not None
    assert passage.quote == "rule 2: The price is an anchor."
    assert place_of(passage, [pane]) == "title"


BELLS = Text("\a" * 12)


@pytest.mark.parametrize(
    "body",
    [
        Pair("l", "r", BELLS, BELLS, compared=False),
        Variants((("a", BELLS), (BELLS.text, BELLS))),
        Dialogue((Turn(BELLS.text, BELLS.text, (BELLS.text,)),)),
    ],
)
@pytest.mark.parametrize("position", [None, 0])
def test_controls_are_shown_as_signs(body: Body, position: int | None) -> None:
    for text in texts_of(body, "unified", position):
        plain = "".join(line.content.plain for line in text.lines(60))
        assert "\a" not in plain
        assert "␇" * 12 in plain
