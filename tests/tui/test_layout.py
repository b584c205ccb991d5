"""What stands where, at which size, and that nothing is lost in between."""

from dataclasses import replace

import pytest
from textual.geometry import Region
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from reviewer.core.pane import Pair, Pane, Sheet, Text, Variants
from reviewer.core.personal_settings import Settings
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.key_sheet import CardDialog
from reviewer.tui.rendering.arrangement import arrange
from reviewer.tui.rendering.columns import column_widths, fitted_widths, height_of
from reviewer.tui.rendering.pane_layout import Layout, ViewOptions
from reviewer.tui.rendering.pane_text import PaneText, pane_texts_of
from reviewer.tui.rendering.view_state import ViewState, view_state_of
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.label import Covered
from reviewer.tui.widgets.pane_grid import PaneGrid
from reviewer.tui.widgets.text_pane import TextPane
from store.database import Database
from tests.rounds import mostly_slow
from tests.studies import WITHOUT_GUIDELINE, a_case, a_study, fill
from tests.tui.conftest import NARROW, WIDE, Opened, Opener, press, put_card_away, saved, seen, settle

pytestmark = pytest.mark.usefixtures("study")


def text_panes(pilot: Opened) -> dict[str, TextPane]:
    grid = pilot.app.screen.query_one(PaneGrid)
    return {
        f"{text_pane.pane_text.pane}:{text_pane.pane_text.part}": text_pane
        for text_pane in grid.visible_panes()
        if text_pane.pane_text
    }


async def test_wide_shows_both_texts_the_question_and_the_programs(opened: Opener) -> None:
    async with opened() as pilot:
        shown = seen(pilot)
        assert set(text_panes(pilot)) == {
            "texts:0",
            "texts:1",
            "axioms:0",
            "programs:0",
            "programs:1",
            "proof:0",
        }
        assert "Question 1 of 4 · same task" in shown
        assert "case 1 of 3" in shown
        assert "pilot · anna" in shown
        assert "t  True" in shown
        assert "● open" in shown
        assert "▌" in shown


async def test_both_halves_of_a_pair_are_level(opened: Opener) -> None:
    async with opened() as pilot:
        left, right = text_panes(pilot)["texts:0"], text_panes(pilot)["texts:1"]
        assert left.size == right.size
        assert len(left.lines) == len(right.lines)
        level = [
            (a.content.plain, b.content.plain)
            for a, b in zip(left.lines, right.lines, strict=True)
            if "Option A" in a.content.plain
        ]
        assert level == [("- Option A: wait.", "- Option A: wait.")]


async def test_narrow_shows_one_pane_and_tab_the_others(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        assert set(text_panes(pilot)) == {"texts:0"}
        assert "▸texts" in seen(pilot)
        assert "+ " in seen(pilot)
        await press(pilot, "tab", "tab")
        assert "▸programs" in seen(pilot)
        assert "tested(option_A)." in seen(pilot)
        await press(pilot, "shift+tab")
        assert "▸axioms" in seen(pilot)
        await press(pilot, "g")
        assert "True if a reader of either version" in seen(pilot)
        await press(pilot, "t")
        assert "▸texts" in seen(pilot)


async def test_a_click_on_a_tab_shows_its_pane(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        row = next(y for y, line in enumerate(seen(pilot).splitlines()) if "▸texts" in line)
        await pilot.click(offset=(seen(pilot).splitlines()[row].index("proof") + 1, row))
        await settle(pilot)
        assert "inference steps" in seen(pilot)


async def test_resizing_changes_the_layout_and_loses_nothing(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "t", "x")
        for size in (NARROW, (119, 60), (200, 25), WIDE):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert "case 2" in seen(pilot)
            assert "⚑" in seen(pilot)
        assert len(text_panes(pilot)) == 6
        await press(pilot, "f")
        assert saved(database) == [("label", "True"), ("flag", "flagged"), ("label", "False")]


async def test_a_comment_being_written_survives_a_resize(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "c", *"half")
        await pilot.resize_terminal(*NARROW)
        await settle(pilot)
        await press(pilot, *"done", "enter")
        assert saved(database) == [("comment", "halfdone")]


async def test_folding_hides_what_stands_beside_and_brings_it_back(opened: Opener) -> None:
    async with opened() as pilot:
        await press(pilot, "p")
        assert set(text_panes(pilot)) == {"texts:0", "texts:1", "guideline:0"}
        await press(pilot, "t")
        assert set(text_panes(pilot)) == {"texts:0", "texts:1", "guideline:0"}
        await press(pilot, "p")
        assert len(text_panes(pilot)) == 6


async def test_zoom_gives_the_focused_pane_the_room_and_stays_on(opened: Opener) -> None:
    async with opened() as pilot:
        text_panes(pilot)["programs:1"].focus()
        await press(pilot, "z")
        assert set(text_panes(pilot)) == {"programs:0", "programs:1"}
        assert text_panes(pilot)["programs:0"].size.height > 40
        await press(pilot, "z")
        assert len(text_panes(pilot)) == 6
        await press(pilot, "z", "t")
        assert "case 2 of 3" in seen(pilot)
        assert set(text_panes(pilot)) == {"programs:0", "programs:1"}


@pytest.mark.usefixtures("of_many_lengths")
def test_zoom_leaves_the_question_as_wide_as_it_was(database: Database) -> None:
    view = view_state_of(ReviewSession(database, "lengths", "anna"))
    widths = [
        [arrange(view, 160, height, ViewOptions(zoomed=pane)).side_width for pane in (None, "texts")]
        for height in range(36, 60)
        if arrange(view, 160, height, ViewOptions()).has_guideline
    ]
    assert len(widths) > 12
    assert all(usual == zoomed for usual, zoomed in widths), widths


async def test_the_halves_of_a_pair_scroll_as_one_and_d_points_at_differences(
    opened: Opener, database: Database
) -> None:
    lines = [f"line {number}" for number in range(120)]
    fill(
        database,
        "long",
        [
            a_case(
                unbiased="\n".join(lines),
                biased="\n".join([*lines[:60], "added here", *lines[60:110], "and there", *lines[110:]]),
            )
        ],
    )
    create_study(database, "long", Design(("long",), None, 1))
    async with opened("long") as pilot:
        left, right = text_panes(pilot)["texts:0"], text_panes(pilot)["texts:1"]
        assert "added here" not in seen(pilot)
        await press(pilot, "d")
        assert "added here" in seen(pilot)
        assert "▶" in seen(pilot)
        assert left.scroll_y == right.scroll_y > 0
        await press(pilot, "d")
        assert "and there" in seen(pilot)
        await press(pilot, "d")
        assert "added here" in seen(pilot)
        right.scroll_to(y=3, animate=False, immediate=True)
        await settle(pilot)
        assert left.scroll_y == 3


async def test_the_key_sheet_lists_every_binding_with_what_it_does(opened: Opener) -> None:
    async with opened() as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        for _, binding in screen._bindings:
            if binding.action.startswith(("app.", "screen.copy")):
                continue
            assert binding.id
            assert binding.description
            assert binding.tooltip
        await press(pilot, "question_mark")
        shown = seen(pilot)
        assert "Save this answer and go on" in shown
        assert "Take the last answer or skip back" in shown
        await press(pilot, "escape")
        assert pilot.app.screen is screen


async def test_keys_can_be_remapped_and_the_screen_shows_the_new_ones(
    database: Database,
) -> None:
    app = ReviewerApp(database, "anna", "pilot", settings=Settings(keys={"review.answer-1": "y"}))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        await press(pilot, "x")
        assert "y  True" in seen(pilot)
        await press(pilot, "t", "y")
        assert saved(database) == [("flag", "flagged"), ("label", "True")]


def test_panes_that_do_not_fit_side_by_side_become_one_text(database: Database) -> None:
    from reviewer.study.session.review_session import ReviewSession

    session = ReviewSession(database, "pilot", "anna")
    session.go_to(len(session.slots) - 1)
    view = view_state_of(session)
    assert view.question.key == "axioms"
    at_160 = arrange(view, 160, 48, ViewOptions())
    assert [pane_text.key for pane_text in at_160.first] == [("axioms_description", 0), ("axioms", 0)]
    assert [pane_text.key for pane_text in at_160.beside] == [("texts", 0), ("programs", 0), ("programs", 1)]
    at_120 = arrange(view, 120, 48, ViewOptions())
    assert [pane_text.key for pane_text in at_120.beside] == [("texts", 0), ("programs", 0)]
    at_220 = arrange(view, 220, 48, ViewOptions())
    assert len(at_220.beside) == 4
    assert not arrange(view, 160, 48, ViewOptions(folded=True)).beside


def test_a_pair_has_its_columns_before_a_text_that_is_named_first(database: Database) -> None:
    view = view_state_of(ReviewSession(database, "pilot", "anna"))
    asked, pair = Pane("asked", "asked", Text("Why?")), Pair("a", "b", Text("1"), Text("2"), compared=False)
    layout = arrange(replace(view, sheet=Sheet((asked, Pane("pair", "pair", pair)))), *WIDE, ViewOptions())
    assert [text.title for text in layout.first] == ["a", "b"]
    assert [text.title for text in layout.aside] == ["asked"]


@pytest.mark.parametrize(("width", "columns"), [(160, 3), (120, 2)])
def test_variants_are_one_column_where_two_have_no_room(database: Database, width: int, columns: int) -> None:
    view = view_state_of(ReviewSession(database, "pilot", "anna"))
    variants = Variants(tuple((str(n), Text(f"text {n}")) for n in range(4)))
    panes = (Pane("asked", "asked", Text("Why?")), Pane("texts", "texts", variants))
    layout = arrange(replace(view, sheet=Sheet(panes)), width, 36, ViewOptions().at_position("texts", 1))
    assert [text.pane for text in layout.first] == ["asked", *["texts"] * (columns - 1)]
    assert [parts.shown for parts in layout.parts] == [(1, 2)]


@pytest.mark.parametrize("size", [(120, 40), (160, 48), (80, 24)])
def test_variants_that_are_not_compared_are_all_shown_if_they_have_room(
    database: Database, size: tuple[int, int]
) -> None:
    view = view_state_of(ReviewSession(database, "pilot", "anna"))
    bare = {"criteria": (), "guideline": "", "examples": ()}
    view = replace(view, question=view.question.model_copy(update=bare))

    def shown(words: int, *, compared: bool = False) -> tuple[list[tuple[str, ...]], int]:
        texts = tuple((letter, Text(f"{letter}text " * words)) for letter in "ABCD")
        sheet = Sheet(
            (Pane("texts", "texts", Variants(texts, compared)),), (Pane("asked", "asked", Text("?")),)
        )
        layout = arrange(replace(view, sheet=sheet), *size, ViewOptions())
        return [text.sides for text in layout.first if text.pane == "texts"], len(layout.parts)

    assert shown(5) == ([("1", "2", "3", "4")], 0), "one below the other, and no line that lists them"
    assert shown(2_000)[1] == shown(5, compared=True)[1] == 1, "some at a time"


def test_columns_share_the_width_and_pairs_stay_equal(database: Database) -> None:
    from reviewer.study.session.review_session import ReviewSession

    view = view_state_of(ReviewSession(database, "pilot", "anna"))
    beside = arrange(view, 160, 48, ViewOptions()).beside
    for total in range(90, 100):
        axioms, left, right = column_widths(total, beside)
        assert left == right
        assert total - 1 <= axioms + left + right <= total


def a_pane_text(pane: str, words: int) -> PaneText:
    return pane_texts_of(Pane(pane, pane, Text("word " * words)), "unified")[0]


def test_a_pane_that_would_scroll_has_cells_of_one_with_empty_rows() -> None:
    texts = (a_pane_text("short", 20), a_pane_text("long", 400))
    assert fitted_widths(160, texts, 200) == [80, 80], "both fit"
    short, long = fitted_widths(160, texts, 20)
    assert (short + long, height_of([short, long], texts)) == (160, 20)
    assert fitted_widths(160, texts, 10) == [30, 130], "a narrower pane is hard to read"
    same = (a_pane_text("a", 400), a_pane_text("b", 400))
    assert fitted_widths(160, same, 10) == [80, 80], "nothing is empty"


def test_a_pane_has_no_cells_more_if_its_lines_do_not_wrap() -> None:
    code = pane_texts_of(Pane("long", "long", Text("short\n" * 60)), "unified")[0]
    assert fitted_widths(160, (a_pane_text("short", 20), code), 20) == [80, 80]


def test_two_panes_do_not_pass_cells_to_and_fro() -> None:
    texts = (a_pane_text("long", 400), a_pane_text("longer", 480))
    assert sum(fitted_widths(160, texts, 10)) == 160
    lines = (
        Pane("high", "high", Text("\n".join(["word " * 18] * 12))),
        Pane("low", "low", Text("word " * 200)),
    )
    code, prose = (pane_texts_of(pane, "unified")[0] for pane in lines)
    assert sum(fitted_widths(200, (code, prose), 5)) == 200


def test_widths_stay_from_case_to_case_while_they_serve() -> None:
    texts = (a_pane_text("short", 20), a_pane_text("long", 400))
    assert fitted_widths(160, texts, 200, [60, 100]) == [60, 100]
    assert fitted_widths(120, texts, 200, [60, 100]) == [60, 60], "the screen has another width"
    assert fitted_widths(160, texts, 20, [80, 80]) == fitted_widths(160, texts, 20)
    long = (a_pane_text("long", 400), a_pane_text("longer", 500))
    assert fitted_widths(160, long, 10) != [80, 80]
    assert fitted_widths(160, long, 10, [80, 80]) == [80, 80], "both scroll, one by a few rows more"
    assert fitted_widths(160, long, 10, [110, 50]) == fitted_widths(160, long, 10), "by many rows more"


def test_the_border_below_the_texts_moves_no_further_than_it_must(database: Database) -> None:
    view = view_state_of(ReviewSession(database, "pilot", "anna"))
    programs = Pane("programs", "programs", Text("a fact\n" * 60))
    options, heights = ViewOptions(), list[int]()
    for lines in (22, 16, 18, 17, 22, 21, 9):
        text = Text("\n".join(["a sentence"] * lines))
        texts = Pane("texts", "texts", Pair("a", "b", text, text))
        layout = arrange(replace(view, sheet=Sheet((texts,), (programs,))), *WIDE, options)
        options = ViewOptions().for_next_case(None, layout)
        heights.append(layout.first_height)
    assert heights == [25, 21, 21, 21, 25, 25, 14], "two rows of border, and at most three empty ones"


def hidden_and_empty(pilot: Opened) -> tuple[int, int]:
    """How many lines the pane that scrolls most hides, and how many rows the emptiest pane has over."""
    shown = [pane for pane in pilot.app.screen.query(TextPane) if pane.region.area]
    rows = [pane.scrollable_content_region.height - len(pane.lines) for pane in shown]
    return -min(0, *rows), max(rows)


@pytest.fixture
def of_many_lengths(database: Database) -> None:
    """Questions about cases in which now the texts, now the axioms, now the programs are long."""
    cases = [
        a_case(
            number,
            unbiased="\n".join(f"What is true of {line}." for line in range(6 + 4 * (number % 3))),
            axioms="\n".join(f"rule({line}) :- shown({line})." for line in range(9)),
            biased_prolog="\n".join(
                f"fact({line}, one, two, three, four, five, six, seven)."
                for line in range(4 + 3 * (number % 4))
            ),
        )
        for number in range(14)
    ]
    fill(database, "lengths", cases)
    create_study(database, "lengths", Design(("lengths",), None, 1))


@pytest.mark.usefixtures("of_many_lengths")
async def test_no_pane_scrolls_while_another_has_empty_rows(opened: Opener) -> None:
    async with opened("lengths", (160, 42)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        wider = 0
        for position in range(10, 14):
            screen.moves.show_position(position)
            await settle(pilot)
            hidden, empty = hidden_and_empty(pilot)
            widths = [pane.region.width for pane in text_panes(pilot).values()]
            wider += widths[-1] > 60
            assert not hidden or empty <= 3, (position, seen(pilot))
        assert wider, "programs have cells of the axioms"


def first_and_eleventh(database: Database, key: str) -> tuple[ViewState, ViewState]:
    """The views of a question at its first case, and when its guideline is known."""
    session = ReviewSession(database, "lengths", "anna")
    at = next(number for number, slot in enumerate(session.slots) if slot.question == key)
    views = []
    for position in (at, at + 10):
        session.go_to(position)
        views.append(view_state_of(session))
    return views[0], views[1]


@pytest.mark.usefixtures("of_many_lengths")
@mostly_slow(3)
@pytest.mark.parametrize("key", ["same_task", "reconstruction", "axioms"])
async def test_the_guideline_is_whole_at_first_and_folds_after_ten_cases(
    opened: Opener, database: Database, key: str
) -> None:
    async with opened("lengths", (160, 60)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        at = next(number for number, slot in enumerate(screen.session.slots) if slot.question == key)
        guideline = screen.query_one("#guideline", TextPane)
        screen.moves.show_position(at)
        await settle(pilot)
        await put_card_away(pilot)
        assert len(guideline.lines) <= guideline.scrollable_content_region.height
        screen.moves.show_position(at + 10)
        await settle(pilot)
        assert not guideline.display
        assert "g guideline" in seen(pilot)
        await pilot.press("g")
        await settle(pilot)
        assert isinstance(pilot.app.screen, CardDialog)
        assert "Example:" in seen(pilot)


@pytest.mark.usefixtures("of_many_lengths")
async def test_a_long_guideline_has_a_visible_scroll_bar_and_keys_reach_its_end(opened: Opener) -> None:
    async with opened("lengths", (120, 36)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        guideline = screen.query_one("#guideline", TextPane)
        screen.moves.show_position(2)
        await settle(pilot)
        await put_card_away(pilot)
        last = guideline.lines[-1].content.plain
        bar = screen.find_widget(guideline.vertical_scrollbar)
        assert guideline.max_scroll_y
        assert last not in seen(pilot)
        assert bar.region.area
        assert bar.visible_region == bar.region, "the panel cuts it off"
        while not guideline.has_focus:
            await pilot.press("tab")
        await pilot.press("end")
        await settle(pilot)
        assert last in seen(pilot)


@pytest.mark.usefixtures("of_many_lengths")
def test_the_question_is_as_wide_as_its_guideline_needs(database: Database) -> None:
    first, eleventh = first_and_eleventh(database, "same_task")
    widths = {
        width: [arrange(view, width, 48, ViewOptions()).side_width for view in (first, eleventh)]
        for width in (120, 160, 240)
    }
    assert widths[120] == [42, 42], "texts keep their width"
    assert widths[160][0] > 50
    assert widths[160][1] == 42
    assert widths[240][1] == 60


@pytest.mark.usefixtures("of_many_lengths")
def test_programs_of_a_known_question_have_the_whole_width(database: Database) -> None:
    first, eleventh = first_and_eleventh(database, "same_task")
    layout = arrange(eleventh, *WIDE, ViewOptions())
    assert places(layout) == {"below": ["axioms", "programs"], "folded": ["proof"]}
    assert places(arrange(first, *WIDE, ViewOptions()))["beside"] == ["axioms", "programs"]
    without = arrange(eleventh, *WIDE, ViewOptions(folded=True))
    assert (places(without), without.has_guideline) == ({"below": ["guideline"]}, False)


def places(layout: Layout) -> dict[str, list[str]]:
    """The panes at each place but the first that has some."""
    named = {name: getattr(layout, name) for name in ("beside", "tables", "below", "last", "folded")}
    return {name: list(dict.fromkeys(text.pane for text in texts)) for name, texts in named.items() if texts}


@pytest.mark.parametrize("without_colour", [False, True])
async def test_differences_are_told_without_colour_too(
    opened: Opener, monkeypatch: pytest.MonkeyPatch, without_colour: bool
) -> None:
    if without_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    async with opened() as pilot:
        style = text_panes(pilot)["texts:1"].get_visual_style("part--difference", partial=True)
        assert style.bold
        assert bool(style.underline) is without_colour
        assert "▌" in seen(pilot)


async def test_containers_draw_nothing_and_the_screen_fills_what_their_widgets_leave(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened() as pilot:
        screen = pilot.app.screen
        containers = [container for container in screen.query("*").results(Covered) if container.size.area]
        assert len(containers) > 5
        assert not any(container.render_lines(container.size.region) for container in containers)
        pilot.app.query_one(PaneGrid).display = False
        await pilot.pause()
        rows = screen._compositor.render_strips()
        assert {row.cell_length for row in rows} == {screen.size.width}
        grounds = {segment.style.bgcolor for row in rows for segment in row if segment.style}
        assert None not in grounds
        assert all(len({*ground.triplet}) == 1 for ground in grounds), "greys"


def asked_about_axioms(database: Database) -> ViewState:
    a_study(database, "by-case", asking="case")
    session = ReviewSession(database, "by-case", "anna")
    session.go_to(3)
    assert session.question.key == "axioms"
    return view_state_of(session)


def test_on_a_small_screen_both_panes_of_a_question_are_in_sight(database: Database) -> None:
    view = asked_about_axioms(database)
    layout = arrange(view, *NARROW, ViewOptions())
    assert layout.shown_tabs == ["axioms_description", "axioms"]
    assert "guideline" in [pane.key for pane in layout.tabs]
    view = replace(view, question=view.question.model_copy(update=WITHOUT_GUIDELINE))
    assert "guideline" not in [pane.key for pane in arrange(view, *NARROW, ViewOptions()).tabs]
    assert (layout.upper_height, [text.title for text in layout.below]) == (1, ["axioms · :- if"])
    assert arrange(view, *NARROW, ViewOptions(tab="axioms")).shown_tabs == layout.shown_tabs
    assert arrange(view, *NARROW, ViewOptions(tab="texts")).shown_tabs == ["texts"]
    assert arrange(view, 40, 7, ViewOptions()).shown_tabs == ["axioms_description"]


def test_source_says_what_its_signs_mean(database: Database) -> None:
    texts = arrange(asked_about_axioms(database), *WIDE, ViewOptions()).first
    assert [text.legend for text in texts] == ["", ":- if"]


async def test_tab_goes_past_both_panes_of_a_question(opened: Opener, database: Database) -> None:
    a_study(database, "by-case", asking="case")
    async with opened("by-case", size=NARROW) as pilot:
        await press(pilot, "n", "n", "n")
        assert "▸axioms in words  ▸axioms " in seen(pilot)
        assert {"best(X) :- tested(X).", "Release what was tested."} <= {
            line.strip() for line in seen(pilot).splitlines()
        }
        await press(pilot, "tab")
        assert "▸texts" in seen(pilot)
        await press(pilot, "shift+tab", "shift+tab")
        assert "▸guideline" in seen(pilot)


async def layouts(pilot: Opened, *keys: str) -> list[int]:
    """How often each key has the screen laid out."""
    screen, counts = pilot.app.screen, []
    laid_out: list[object] = []
    screen.screen_layout_refresh_signal.subscribe(screen, laid_out.append, immediate=True)
    for key in keys:
        laid_out.clear()
        await press(pilot, key)
        counts.append(len(laid_out))
    return counts


async def test_cases_that_need_the_same_room_are_not_laid_out_again(opened: Opener) -> None:
    async with opened() as pilot:
        await press(pilot, "t")  # which brings the hints on the bottom line
        assert await layouts(pilot, "t") == [0]


@pytest.mark.usefixtures("of_many_lengths")
async def test_a_case_that_needs_other_room_is_laid_out_once(opened: Opener) -> None:
    async with opened("lengths", (160, 42)) as pilot:
        await press(pilot, "t", "t", "t")  # until there are as many panes as cases need
        assert await layouts(pilot, "t", "t") == [1, 1]
        for pane in (pane for pane in text_panes(pilot).values() if pane.show_vertical_scrollbar):
            rows, bar = pane.scrollable_content_region.height, pane.vertical_scrollbar
            assert (bar.window_virtual_size > bar.window_size) == (len(pane.lines) > rows), pane.pane_text


@pytest.mark.draws
@pytest.mark.usefixtures("of_many_lengths")
async def test_a_scroll_bar_is_painted_again_only_if_it_looks_different(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened("lengths", (120, 36)) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        pane = next(pane for pane in text_panes(pilot).values() if pane.max_scroll_y)
        bar, painted = pane.vertical_scrollbar, list[ScrollBar]()
        render_lines = ScrollBar.render_lines

        def counted(bar: ScrollBar, crop: Region) -> list[Strip]:
            painted.append(bar)
            return render_lines(bar, crop)

        monkeypatch.setattr(ScrollBar, "render_lines", counted)
        bar.refresh()
        await pilot.pause(0.1)
        painted.clear()
        bar.refresh()
        await pilot.pause(0.1)
        assert bar not in painted
        pane.scroll_end(animate=False)
        await pilot.pause(0.1)
        assert bar in painted


async def test_a_pane_explains_the_signs_for_which_the_next_layout_has_room(opened: Opener) -> None:
    async with opened() as pilot:
        await settle(pilot)
        pane = text_panes(pilot)["texts:0"]
        assert pane.pane_text is not None
        pane.styles.width = 30
        pane.show(replace(pane.pane_text, legend="signs of eleven  signs of twelve"))
        assert pane.border_subtitle == "signs of eleven", "before the layout, so that it is painted once"
        await settle(pilot)
        assert pane.border_subtitle == "signs of eleven"
        pane.styles.width = 44
        pane.show(replace(pane.pane_text, legend="signs of eleven  signs of twelve"))
        assert pane.border_subtitle == "signs of eleven  signs of twelve"


async def test_a_pane_is_painted_whole_only_for_another_title(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as pilot:
        await settle(pilot)
        pane = text_panes(pilot)["axioms:0"]
        whole, refresh = list[str](), TextPane.refresh

        def noted(pane: TextPane, *regions: Region, **kinds: bool) -> TextPane:
            if not regions:
                whole.append(str(pane.border_title))
            return refresh(pane, *regions, **kinds)

        monkeypatch.setattr(TextPane, "refresh", noted)
        assert pane.pane_text is not None
        pane.show(replace(pane.pane_text, lines=lambda width: pane.lines[1:]))
        assert whole == []
        pane.show(replace(pane.pane_text, title="other"))
        assert whole == ["other"]


async def test_a_pane_lays_out_its_text_at_the_width_of_the_next_layout(opened: Opener) -> None:
    async with opened() as pilot:
        await settle(pilot)
        pane = text_panes(pilot)["texts:0"]
        before = pane.text_width
        pane.styles.width = pane.outer_size.width - 7
        assert pane.text_width == before - 7
        await settle(pilot)
        assert pane.text_width == before - 7
