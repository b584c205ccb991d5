"""No pane scrolls while another one has more than three empty rows, whatever the benchmark and the size."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.rows.shipped import example_files
from reviewer.protocols.registry import PROTOCOLS
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering import arrangement
from reviewer.tui.rendering.arrangement import arrange
from reviewer.tui.rendering.comparison import column_lines, unified_lines
from reviewer.tui.rendering.pane_layout import Layout, ViewOptions
from reviewer.tui.rendering.pane_rows import hidden_rows, rows_of, wasted
from reviewer.tui.rendering.view_state import view_state_of
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.rounds import mostly_slow
from tests.shared_data import shared_file
from tests.studies import a_case, fill
from tests.tui.conftest import WIDE, Opened, Opener, press, put_card_away, seen, settle
from tests.tui.test_layout import hidden_and_empty

EXAMPLES = ("judge-pairs", "treatment-tests", "detail-levels", "dialogue-scripts")
PROBE_SWE = "probe-swe"
SIZES = ((160, 48), (120, 40), (80, 24))
STEP = {PROBE_SWE: 17}
"""Which positions of a study are looked at; every fifth one of others."""


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a study of each benchmark, of published cases where they are there."""
    folder = tmp_path_factory.mktemp("benchmarks")
    sources = {PROBE_SWE: shared_file("probe-swe/gpt-4o-mini.json")}
    for name in EXAMPLES:
        for file, text in example_files(name, PROTOCOLS).items():
            (folder / file).write_text(text, encoding="utf-8")
            if file in ("cases.jsonl", f"{name}.toml"):
                sources[name] = (folder / file).rename(folder / f"{name}-{file}")
    with closing(Database.open(str(folder / "store.db"))) as database:
        for name, source in sources.items():
            import_path(database, source, name, None, protocol=name)
            total = 26 if name == PROBE_SWE else None
            create_study(database, name, Design((name,), None, 3, total=total, include_seeds=not total))
    return folder / "store.db"


@pytest.fixture
def database(studies: Path, tmp_path: Path) -> Iterator[Database]:
    """A copy of it."""
    shutil.copy(studies, tmp_path / "store.db")
    with closing(Database.open(str(tmp_path / "store.db"))) as opened:
        yield opened


async def assert_rows_are_shared(pilot: Opened, at: object) -> None:
    hidden, empty = hidden_and_empty(pilot)
    assert not hidden or empty <= 3, (at, hidden, empty, seen(pilot))


@mostly_slow(2)
@pytest.mark.parametrize(
    ("study", "size"), [(study, size) for study in (PROBE_SWE, *EXAMPLES) for size in SIZES]
)
async def test_no_pane_of_any_benchmark_scrolls_beside_empty_rows(
    opened: Opener, study: str, size: tuple[int, int]
) -> None:
    async with opened(study, size) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        for position in range(0, len(screen.session.slots), STEP.get(study, 5)):
            screen.moves.show_position(position)
            await settle(pilot)
            await put_card_away(pilot)
            for shown in ("all", "texts only", "in words"):
                await assert_rows_are_shared(pilot, (position, shown))
                await press(pilot, {"all": "p", "texts only": "W"}.get(shown, "p"))


def layouts(database: Database, study: str, size: tuple[int, int]) -> Iterator[Layout]:
    """How the app arranges each case of a study."""
    session = ReviewSession(database, study, "anna")
    for position in range(len(session.slots)):
        session.go_to(position)
        yield arrange(view_state_of(session), *size, ViewOptions())


@pytest.mark.parametrize(("study", "size"), [(PROBE_SWE, (120, 40)), ("detail-levels", (120, 40))])
def test_rows_are_shared_rather_than_left_empty(
    database: Database, study: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    fair = [rows_of(layout, *size) for layout in layouts(database, study, size)]
    monkeypatch.setattr(arrangement, "_OTHER_WAYS", ())
    usual = [rows_of(layout, *size) for layout in layouts(database, study, size)]
    assert sum(map(hidden_rows, fair)) < sum(map(hidden_rows, usual)), "more text is in sight"
    assert sum(map(wasted, fair)) < sum(map(wasted, usual)) / 10


def test_the_next_case_is_tried_in_the_same_way_first(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = next(layout for layout in layouts(database, "detail-levels", (120, 40)) if layout.way)
    tried, arranged = list[object](), arrangement._arranged

    def noted(shown: arrangement._Shown) -> Layout:
        tried.append(shown.way)
        return arranged(shown)

    monkeypatch.setattr(arrangement, "_arranged", noted)
    view = view_state_of(ReviewSession(database, "detail-levels", "anna"))
    again = arrange(view, 120, 40, ViewOptions(before=first))
    assert (again.way, tried[1:]) == (first.way, [first.way])


async def test_a_pane_ends_after_its_text_where_nothing_else_can_use_its_rows(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrangement, "_OTHER_WAYS", ())
    async with opened("detail-levels", (120, 40)) as pilot:
        await assert_rows_are_shared(pilot, "first case")
        grid = pilot.app.screen.query_one("#first")
        assert grid.children[0].region.height < grid.region.height


async def test_long_programs_are_laid_out_at_few_widths(opened: Opener, database: Database) -> None:
    """Each width of 3,000 lines takes half a second; thirty widths were tried in several forms."""
    facts = "\n".join(f"fact_{number}(option_A, value_{number % 7})." for number in range(1_500))
    programs = {"unbiased_prolog": facts, "biased_prolog": facts.replace("value_3", "value_4")}
    fill(database, "long", [a_case(number, **programs) for number in range(2)])
    create_study(database, "long", Design(("long",), None, 1, raters=("anna",)))
    before = misses()
    async with opened("long", WIDE) as pilot:
        assert "fact_0" in seen(pilot)
    assert (made := misses() - before) < 7, f"{made}: two cases, the second ahead of its key"


def test_programs_are_laid_out_at_the_widths_that_are_shown(database: Database) -> None:
    """Borders between programs could be at thirty places: rows are counted, in columns and as one text."""
    session, options = ReviewSession(database, PROBE_SWE, "anna"), ViewOptions()
    for position in range(0, len(session.slots), 20):
        session.go_to(position)
        view, before = view_state_of(session), misses()
        options = ViewOptions(before=arrange(view, *WIDE, options))
        assert misses() - before <= 2, "texts of a pair, at the widths of the case before and of this one"


def misses() -> int:
    """How often pairs were laid out."""
    return column_lines.cache_info().misses + unified_lines.cache_info().misses
