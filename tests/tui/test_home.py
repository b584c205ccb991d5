"""The home screen: from an empty store to a study under review."""

from contextlib import closing
from pathlib import Path

import pytest
from textual.app import RenderResult
from textual.events import Key
from textual.widgets import Input, Static

from reviewer.exchange.packs.workspace import Workspace
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_making import plan_release, write_release
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.base_app import BaseApp
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.store_content import dataset_lines
from store.database import Database
from store.overview import DatasetSummary
from store.records import Citation
from store.studies import find_study
from tests.blinded_study import GENERATOR, blinded_study
from tests.studies import a_case, a_study, fill
from tests.tui.conftest import NARROW, WIDE, Opener, press, press_in_turn, put_card_away, saved, seen, settle

SEEDS = Path(__file__).parents[2] / "seeds" / "probe_swe"


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_an_empty_store_says_what_to_do_first(opened: Opener, size: tuple[int, int]) -> None:
    async with opened(None, size) as pilot:
        assert "Nothing here yet" in seen(pilot)
        assert "i imports a dataset" in seen(pilot)
        await press(pilot, "n")
        assert "import one first" in seen(pilot)
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_datasets_without_a_study_ask_for_a_study(opened: Opener, database: Database) -> None:
    fill(database, "pairs", [a_case(0), a_case(1)])
    async with opened(None) as pilot:
        assert "No study yet" in seen(pilot)
        assert "n draws a sample" in seen(pilot)
        assert "pairs   2 cases in 1 group" in seen(pilot)


async def test_studies_show_progress_and_whose_turn_it_is(opened: Opener, database: Database) -> None:
    a_study(database)
    session = ReviewSession(database, "pilot", "ben")
    while not session.finished:
        session.answer("True")
    ReviewSession(database, "pilot", "anna").skip()
    a_study(database, "closed-shop", raters=("cleo",))
    async with opened(None) as pilot:
        shown = seen(pilot)
        assert "3 cases × 4 questions · full view" in shown
        assert "0 of 12  ↷ 1 skipped" in shown
        assert "12 of 12  ✓ done" in shown
        assert "● your turn" in shown
        assert "○ for others" in shown
        await press(pilot, "down", "enter")
        assert "is not in study 'closed-shop'" in seen(pilot)


async def test_enter_reviews_and_q_comes_back_with_the_progress(opened: Opener, database: Database) -> None:
    a_study(database)
    async with opened(None) as pilot:
        assert "● open to you" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ReviewScreen)
        await press(pilot, "t", "q")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "1 of 12" in seen(pilot)
        await press(pilot, "enter", "t")
        assert saved(database) == [("label", "True"), ("label", "True")]


async def test_the_new_study_dialog_draws_a_study(opened: Opener, database: Database) -> None:
    fill(database, "one", [a_case(0), a_case(1)])
    fill(database, "two", [a_case(2), a_case(3)])
    async with opened(None) as pilot:
        await press(pilot, "n", *"my-study", "ctrl+s")
        assert "tick one with space" in seen(pilot)
        await press(pilot, "tab", "tab", "space", "ctrl+s")
        assert "dataset 'two' has 2 cases to draw" in seen(pilot)
        await press(pilot, "tab", "backspace", *"1")
        pilot.app.screen.query_one("#seed", Input).focus()
        await press(pilot, "end", *["backspace"] * 2, *"7x", "ctrl+s")
        assert "is not a whole number" in seen(pilot)
        await press(pilot, "backspace", "tab", "space", "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "✓ study my-study is drawn; enter opens it" in seen(pilot)
        assert "1 case × 4 questions · paper view" in seen(pilot)
    with database.read() as session:
        study = find_study(session, "my-study")
    assert study is not None
    assert (study.seed, study.view, study.design["datasets"], study.design["per_group"]) == (
        7,
        "paper",
        ["two"],
        1,
    )


async def test_a_new_study_can_ask_for_all_that_the_command_line_can(
    opened: Opener, database: Database, tmp_path: Path
) -> None:
    fill(database, "one", [a_case(number) for number in range(12)])
    known = tmp_path / "known.csv"
    known.write_text("dataset,key,question,label\none,anchoring bias/0,same_task,True\n")
    fields = {"name": "whole", "per-group": "", "raters": "anna, ben", "repeats": "20%", "gold": str(known)}
    async with opened(None) as pilot:
        await press(pilot, "n")
        for field, value in fields.items():
            pilot.app.screen.query_one(f"#{field}", Input).value = value
        pilot.app.screen.query_one("#view").focus()
        await press(pilot, "right", "left", "tab", "space", "tab", "left", "ctrl+s")
        assert "✓ study whole is drawn" in seen(pilot)
    with database.read() as session:
        study = find_study(session, "whole")
    assert study is not None
    design = StudyDesign.of(study)
    assert (study.view, design.asking, design.reveal, design.repeats) == ("full", "case", "none", 0.2)
    assert (design.gold, design.training, len(design.repeated)) == (1, 0, 2)
    assert [rater.rater for rater in progress_of(database, "whole").raters] == ["anna", "ben"]


WRONG = (
    ("repeats", "51%", "'51%' is not a number from 0 to 0.5, or a percentage"),
    ("repeats", "half", "'half' is not a number from 0 to 0.5, or a percentage"),
    ("per-group", "0", "'0' is not a whole number of at least 1"),
    ("raters", "anna, ben/", "rater name 'ben/' is not valid"),
    ("training", "no.csv", "no.csv"),
)


async def test_each_field_of_a_new_study_says_what_is_wrong(opened: Opener, database: Database) -> None:
    fill(database, "one", [a_case(0)])
    async with opened(None, NARROW) as pilot:
        await press(pilot, "n", *"study")
        for name, value, told in WRONG:
            field = pilot.app.screen.query_one(f"#{name}", Input)
            before = field.value
            assert told not in seen(pilot)
            field.value = value
            await press(pilot, "ctrl+s")
            assert told in seen(pilot)
            assert "Draw the sample" in seen(pilot)
            field.value = before


async def test_the_last_line_offers_what_can_be_done_with_the_study(
    opened: Opener, database: Database
) -> None:
    a_study(database)
    async with opened(None, NARROW) as pilot:
        last = seen(pilot).splitlines()[-1]
        assert "enter review" in last
        assert "agreement" not in last
        session = ReviewSession(database, "pilot", "anna")
        while not session.finished:
            session.answer("True")
        pilot.app.screen.on_screen_resume()  # type: ignore[attr-defined]
        await settle(pilot)
        last = seen(pilot).splitlines()[-1]
        assert "a agreement, pass rates   d decide" in last
        assert "? keys   q quit" in last


async def test_a_new_study_is_the_one_that_enter_opens(opened: Opener, database: Database) -> None:
    a_study(database)
    async with opened(None) as pilot:
        await press(pilot, "n", *"later", "tab", "tab", "backspace")
        # A pilot waits a second for a key. On a busy machine drawing a study takes longer.
        await press_in_turn(pilot, "ctrl+s", "enter")
        assert "later · anna" in seen(pilot)


async def test_leaving_a_dialog_changes_nothing(opened: Opener, database: Database) -> None:
    fill(database, "one", [a_case(0)])
    async with opened(None) as pilot:
        for key in "nir":
            await press(pilot, key, *"abc", "escape")
            assert "What you entered here would be lost" in seen(pilot)
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, HomeScreen)
        assert "you are anna" in seen(pilot)
        assert "No study yet" in seen(pilot)


async def test_another_name_is_another_rater(opened: Opener, database: Database) -> None:
    a_study(database)
    async with opened(None) as pilot:
        await press(pilot, "r", *"ben", "enter")
        assert "you are ben" in seen(pilot)
        await press(pilot, "enter")
        await press(pilot, "t", "q")
        assert ReviewSession(database, "pilot", "ben").done_count == 1


async def test_import_reads_a_folder_in_the_background(opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "i")
        screen = pilot.app.screen
        screen.query_one("#path").value = str(SEEDS)  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert screen.query_one("#dataset").value == "probe_swe"  # type: ignore[attr-defined]
        await press(pilot, "ctrl+s")
        assert "probe_swe: 16 cases added" in seen(pilot)
        assert "No study yet" in seen(pilot)


async def test_import_reads_the_folder_of_a_release(opened: Opener, tmp_path: Path) -> None:
    folder = tmp_path / "first-1.0"
    with closing(Database.open(str(tmp_path / "makers.db"))) as makers:
        fill(makers, "first", [a_case(number) for number in range(3)])
        citation = Citation(dataset="first", licence="MIT", authors=["Jo"], contact="jo@example.org")
        planned = plan_release(makers, citation, "1.0", ReleaseOptions())
        write_release(makers, planned, citation, folder)
    async with opened(None) as pilot:
        await press(pilot, "i")
        pilot.app.screen.query_one("#path").value = str(folder)  # type: ignore[attr-defined]
        await press(pilot, "enter", "ctrl+s")
        assert "first-1.0: 3 cases added" in seen(pilot)
    (folder / "CHANGELOG.md").write_text("Nothing.")
    async with opened(None) as pilot:
        await press(pilot, "i")
        pilot.app.screen.query_one("#path").value = str(folder)  # type: ignore[attr-defined]
        await press(pilot, "enter", "ctrl+s")
        assert "the release does not hold: CHANGELOG.md: was changed" in seen(pilot)


async def test_import_says_what_is_wrong_with_a_file(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    async with opened(None) as pilot:
        await press(pilot, "i")
        pilot.app.screen.query_one("#path").value = str(tmp_path / "bad.json")  # type: ignore[attr-defined]
        await press(pilot, "enter", "ctrl+s")
        assert "✗" in seen(pilot)
        assert "bad.json" in seen(pilot)
        assert "Nothing here yet" in seen(pilot)


@pytest.mark.usefixtures("study")
async def test_the_key_sheet_opens_on_home(opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "question_mark")
        assert "Import a dataset from a file or folder" in seen(pilot)
        assert "Review this study" in seen(pilot)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, HomeScreen)


@pytest.mark.draws
async def test_a_study_says_that_it_is_being_opened_and_opens_once(
    opened: Opener, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    render, open_session = Static.render, BaseApp.open_session

    def watching(line: Static) -> RenderResult:
        if "Opening" in str(line.visual):
            done.append("painted")
        return render(line)

    def sitting(app: BaseApp, workspace: Workspace, name: str, rater: str) -> ReviewSession:
        done.append("opened")
        return open_session(app, workspace, name, rater)

    monkeypatch.setattr(Static, "render", watching)
    monkeypatch.setattr(BaseApp, "open_session", sitting)
    async with opened(study=None) as pilot:
        for _ in range(2):
            pilot.app.post_message(Key("enter", "\r"))
        await settle(pilot)
        await settle(pilot)
        await put_card_away(pilot)
        assert isinstance(pilot.app.screen, ReviewScreen)
        assert len(pilot.app.screen_stack) == 2
        assert (done[0], done.count("opened"), done[-1]) == ("painted", 1, "opened"), (
            done
        )  # drawn once or more


@pytest.mark.parametrize(("rater", "told"), [("anna", False), ("ben", True)])
async def test_home_names_no_generator_whose_cases_the_rater_still_owes(
    tmp_path: Path, rater: str, told: bool
) -> None:
    with closing(Database.open(str(blinded_study(tmp_path, "owed", lead="tom")))) as database:
        async with ReviewerApp(database, rater, None).run_test(size=WIDE) as pilot:
            await settle(pilot)
            await settle(pilot)
            assert "3 cases in 1 group" in seen(pilot)
            assert (GENERATOR in seen(pilot)) is told


def test_a_narrow_line_of_a_dataset_keeps_the_number_of_serious_findings() -> None:
    summary = DatasetSummary("mine", "probe-swe", "", 806, 0, 806, 8, ("gpt-4o-mini",))
    audits = {"mine": "audit: 194 with serious findings, 325 doubtful at worst, 287 untidy or none"}
    whole = f"mine   806 cases in 8 groups · {audits['mine']} · gpt-4o-mini"
    lines = [dataset_lines([summary], audits, width, 3).plain for width in (len(whole), 110, 80, 60)]
    assert lines == [
        whole,
        f"mine   806 cases in 8 groups · {audits['mine']}",
        "mine   806 cases in 8 groups · audit: 194 with serious findings",
        "mine   806 cases in 8 groups",
    ]
