"""What the app shows a lead: progress and warnings at any time, results when all have finished."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from reviewer.core.personal_settings import Settings, load_settings
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.adjudication import DisputeQueueScreen
from reviewer.tui.screens.agreement_screen import AgreementScreen
from reviewer.tui.screens.audit_screen import AuditScreen
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.screens.study_progress import StudyProgressScreen
from store.database import Database
from tests.judged import judged_study
from tests.studies import a_case, a_study, fill
from tests.tui.conftest import Opener, press, seen, settle


def led_by_tom(database: Database, *raters: str) -> None:
    fill(database, "data", [a_case(number) for number in range(3)])
    create_study(database, "pilot", Design(("data",), None, 7, raters=raters), "tom")


def answer(database: Database, rater: str, count: int = 12) -> None:
    session = ReviewSession(database, "pilot", rater, stopwatch=lambda: 0.0)
    for _ in range(count):
        session.answer("True")


async def test_enter_shows_the_progress_and_the_warnings(opened: Opener, database: Database) -> None:
    led_by_tom(database, "anna", "ben")
    answer(database, "anna")
    async with opened(None, rater="tom") as pilot:
        assert "◆ you lead it" in seen(pilot)
        assert "12 of 12  ✓ done  ▲ 2 warnings" in seen(pilot)
        assert ("enter progress" in seen(pilot), "  p progress" in seen(pilot)) == (True, False)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, StudyProgressScreen)
        assert "12 of 24 verdicts · too early for a date of the end · ▲ 2 warnings · led by tom" in seen(
            pilot
        )
        assert "3/3 0.0 s True 100%" in seen(pilot), "a fast answer has a decimal"
        assert "▲ anna answered 3 of 3 cases faster than people read" in seen(pilot)
        answer(database, "ben", 1)
        await press(pilot, "r")
        assert "13 of 24 verdicts" in seen(pilot)
        answer(database, "ben", 11)
        await press(pilot, "r")
        assert "24 of 24 verdicts · ✓ all given" in seen(pilot)


async def test_raters_by_quarter_are_shown_where_they_have_answers_enough(
    opened: Opener, database: Database
) -> None:
    fill(database, "data", [a_case(number) for number in range(40)])
    design = Design(("data",), None, 7, raters=("anna", "ben"), questions=("same_task",))
    create_study(database, "pilot", design, "tom")
    answer(database, "ben", 1)
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "enter")
        assert "by quarter" not in seen(pilot)
        session = ReviewSession(database, "pilot", "anna", stopwatch=lambda: 0.0)
        for number in range(40):
            session.answer("True" if number < 30 else "False")
        await press(pilot, "r", "d")
        assert "d by quarter" in seen(pilot)
        assert "anna   4        10       –          .00 [.00, .00]  .00 [.00, .28]" in seen(pilot)
        assert "ben has done 1 of 40" in seen(pilot), "why there is no agreement yet"
        await press(pilot, "d")
        assert "first label: share" not in seen(pilot)


async def test_a_lead_answers_a_comment_where_it_is_listed(opened: Opener, database: Database) -> None:
    led_by_tom(database, "anna")
    session = ReviewSession(database, "pilot", "anna", stopwatch=lambda: 0.0)
    session.answer("True")
    session.go_to(0)
    session.comment("is a deadline a requirement?")
    session.flag()
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "enter")
        assert "2 to answer" in seen(pilot)
        assert "“is a deadline a requirement?”" in seen(pilot)
        await press(pilot, "down", "m")
        assert "1 to answer, 1 dealt with" in seen(pilot)
        await press(pilot, "enter", *"yes", "enter")
        assert "0 to answer, 2 dealt with" in seen(pilot)
        assert "✓ tom: yes" in seen(pilot)
    async with opened(None, rater="anna") as pilot:
        await press(pilot, "enter", "b", "c")
        assert "↳ tom: yes" in seen(pilot)


async def test_keys_on_the_line_of_a_rater_say_what_they_do(opened: Opener, database: Database) -> None:
    led_by_tom(database, "anna", "ben")
    async with opened(None, rater="tom") as pilot:
        answer(database, "anna")
        await press(pilot, "enter", "m")
        assert "nothing is to be marked" in seen(pilot)
        session = ReviewSession(database, "pilot", "ben", stopwatch=lambda: 0.0)
        session.comment("is a deadline a requirement?")
        await press(pilot, "r", "m")
        assert "This line is a rater" in seen(pilot)
        await press(pilot, "down", "down", "m")
        assert "✓ dealt with: ben" in seen(pilot)
        await press(pilot, "m")
        assert "has dealt with this one already" in seen(pilot)
    async with opened(None, rater="anna") as pilot:
        await press(pilot, "p", "enter")
        assert "Only the lead" in seen(pilot)


async def test_second_showings_are_said_to_be_left_out(opened: Opener, database: Database) -> None:
    fill(database, "data", [a_case(number) for number in range(10)])
    design = Design(("data",), None, 7, raters=("anna",), questions=("same_task",))
    create_study(database, "pilot", replace(design, options=Options(repeats=0.2)), "tom")
    answer(database, "anna", 3)
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "enter")
        assert "3 of 12 verdicts" in seen(pilot)
        assert "3/10 0.0 s" in seen(pilot)
        assert "answers given/owed at first showings, median seconds" in seen(pilot)
    async with opened(None, (60, 20), rater="tom") as pilot:
        await press(pilot, "enter")
        assert "share of the first label" in " ".join(seen(pilot).split()), "whole on a small screen too"


async def test_who_closes_early_hears_of_comments_and_warnings(opened: Opener, database: Database) -> None:
    led_by_tom(database, "anna", "ben")
    answer(database, "anna")
    session = ReviewSession(database, "pilot", "ben", stopwatch=lambda: 0.0)
    session.comment("is a deadline a requirement?")
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "c")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        told = " ".join(seen(pilot).replace("│", "").split())
        assert "Not finished: ben has done 0 of 12." in told
        assert "Not dealt with yet: 1 comment, flag or note." in told
        assert "There are warnings about anna: see the progress." in told


async def test_enter_on_a_rater_lists_their_answers(opened: Opener, database: Database) -> None:
    led_by_tom(database, "anna", "ben")
    answer(database, "anna")
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "enter", "enter")
        assert "pilot · anna · 12 answers, first to last" in seen(pilot)
        assert re.search(r"0\.0 s  same task +anchoring bias/\d", seen(pilot))
        assert "ben has done 0 of 12" in seen(pilot), "why no label is there yet"
        assert "True" not in seen(pilot)
        await press(pilot, "enter")
        assert "first to last" in seen(pilot), "nor is the answer opened"
        answer(database, "ben")
        await press(pilot, "q", "r", "enter")
        assert re.search(r"0\.0 s  True +same task +anchoring bias/\d", seen(pilot))
        await press(pilot, "enter")
        assert "1 of 12 · same task" in seen(pilot)
        assert "─ anna ─" in seen(pilot)


async def test_how_sure_a_pass_rate_is_can_be_found_with_the_keys_in_sight(
    opened: Opener, database: Database
) -> None:
    judged_study(database, per_generator=12)
    async with opened(None) as pilot:
        assert "a agreement, pass rates" in seen(pilot)
        await press(pilot, "a")
        assert re.search(r"Pass rate by majority: [.\d]+ \[\.\d\d, [.\d]+\]", " ".join(seen(pilot).split()))
        assert "p pass rates" in seen(pilot)
        await press(pilot, "p")
        assert re.search(r"overall +144 +\.\d\d \[\.\d\d, \.\d\d\]", seen(pilot))
        assert "p pass rates" not in seen(pilot)


async def test_raters_are_shown_no_warnings(opened: Opener, database: Database) -> None:
    led_by_tom(database, "anna", "tom")
    answer(database, "anna")
    for person in ("anna", "tom"):
        async with opened(None, rater=person) as pilot:
            assert "warning" not in seen(pilot)
            await press(pilot, "p")
            assert isinstance(pilot.app.screen, StudyProgressScreen)
            assert "12 of 12  ✓ done" in seen(pilot)
            assert "▲" not in seen(pilot)


async def test_agreement_opens_for_the_lead_when_all_have_finished(
    opened: Opener, database: Database
) -> None:
    led_by_tom(database, "anna", "ben")
    answer(database, "anna")
    answer(database, "ben", 11)
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "a")
        assert "ben has done 11 of 12" in seen(pilot)
        await press(pilot, "e")
        assert "ben has done 11 of 12" in seen(pilot)
        assert isinstance(pilot.app.screen, HomeScreen)
        answer(database, "ben", 1)
        pilot.app.screen.look_again()
        await settle(pilot)
        assert "✓ all finished" in seen(pilot)
        assert "ben has done" not in seen(pilot), "a sentence goes once it no longer holds"
        await press(pilot, "a")
        assert isinstance(pilot.app.screen, AgreementScreen)
        assert "on which all raters gave the same label" in seen(pilot)
        assert "too few cases" in seen(pilot)


async def test_home_follows_what_others_answer(opened: Opener, database: Database) -> None:
    a_study(database)
    async with opened(None) as pilot:
        home = pilot.app.screen
        assert isinstance(home, HomeScreen)
        home.look_again()
        await settle(pilot)
        assert "nobody has begun" in seen(pilot)
        answer(database, "ben", 2)
        home.look_again()
        await settle(pilot)
        assert "2 of 12" in seen(pilot)


async def test_who_makes_a_study_leads_it(opened: Opener, database: Database) -> None:
    fill(database, "data", [a_case(number) for number in range(3)])
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "n", *"mine")
        pilot.app.screen.query_one("#per-group", Input).value = ""
        await press(pilot, "ctrl+s")
        await press(pilot, "p")
        assert "led by tom" in seen(pilot)


async def test_the_name_is_remembered(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    async with ReviewerApp(database, "me", None, Settings(), path).run_test() as pilot:
        await settle(pilot)
        await press(pilot, "r", "backspace", "backspace", *"tom", "enter")
        assert "tom" in seen(pilot)
    assert load_settings(path).name == "tom"


async def test_the_report_is_written_from_home(database: Database) -> None:
    a_study(database)
    answer(database, "anna")
    written = []

    def write(_database: Database, study: str, _person: str) -> list[Path]:
        written.append(study)
        return [Path("pilot/report.html")]

    async with ReviewerApp(database, "ben", write_report=write).run_test() as pilot:
        await settle(pilot)
        await press(pilot, "w")
        assert "Raters judge alone." in seen(pilot)
    async with ReviewerApp(database, "anna", write_report=write).run_test() as pilot:
        await settle(pilot)
        await press(pilot, "w")
        await settle(pilot)
        assert "has 1 file: report.html" in seen(pilot)
    assert written == ["pilot"]


async def test_a_lead_is_told_what_deciding_changes_before_the_disputes_open(
    opened: Opener, database: Database
) -> None:
    led_by_tom(database, "anna", "ben")
    answer(database, "anna")
    session = ReviewSession(database, "pilot", "ben", stopwatch=lambda: 0.0)
    while not session.finished:
        session.answer("False")
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "d")
        assert "you adjudicate: findings (v) wait until all is decided" in " ".join(seen(pilot).split())
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, AuditScreen), "nobody adjudicates by asking"
        await press(pilot, "q", "d")
        assert isinstance(pilot.app.screen, DisputeQueueScreen)
        await press(pilot, "q", "v")
        assert "would influence your decisions" in " ".join(seen(pilot).split())


@pytest.mark.parametrize("width", [60, 72, 100])
async def test_home_breaks_no_row_of_a_rater_with_warnings(
    opened: Opener, database: Database, width: int
) -> None:
    led_by_tom(database, "anna", "ben")
    answer(database, "ben")
    async with opened(None, (width, 20), rater="tom") as pilot:
        (line,) = (line for line in seen(pilot).splitlines() if " ben " in line)
        assert "12 of 12  ✓ done  ▲ 2" in line
        assert "…" not in line


async def test_a_head_leaves_out_what_has_no_room(opened: Opener, database: Database) -> None:
    led_by_tom(database, "anna", "ben")
    answer(database, "anna")
    async with opened(None, (80, 24), rater="tom") as pilot:
        await press(pilot, "enter")
        (head,) = (line for line in seen(pilot).splitlines() if "verdicts" in line)
        assert head.strip() == "pilot · progress · 12 of 24 verdicts · too early for a date of the end"
