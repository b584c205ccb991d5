"""Keys that all forms share, and the plan that the form of a new study shows while it is filled in."""

from pathlib import Path

import pytest
from textual.widgets import Input

from reviewer.study.design.study_bundle import load_study
from reviewer.tui.dialogs.new_study import NewStudyDialog
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.widgets.form_fields import Checkbox
from reviewer.tui.widgets.label import PlainLabel
from store.database import Database
from store.studies import find_study
from tests.audited_dataset import fill_audited
from tests.studies import BIASES, a_case, fill
from tests.tui.conftest import NARROW, Opened, Opener, press, seen


@pytest.fixture
def dataset(database: Database) -> str:
    """Sixteen cases in eight groups."""
    fill(database, "one", [a_case(number, BIASES[number % 8]) for number in range(16)])
    return "one"


def focused(pilot: Opened) -> str | None:
    return pilot.app.focused.id if pilot.app.focused else None


async def test_keys_go_from_field_to_field_and_untick_nothing(opened: Opener, dataset: str) -> None:
    async with opened(None, NARROW) as pilot:
        await press(pilot, "n", "up")
        assert focused(pilot) == "done"
        await press(pilot, "tab")
        assert focused(pilot) == "name", "tab goes from the first button to the first field"
        await press(pilot, *"mine", "enter", "enter", "enter")
        assert focused(pilot) == "total"
        assert pilot.app.screen.query(Checkbox).first().on
        await press(pilot, "up", "up", "space")
        assert not pilot.app.screen.query(Checkbox).first().on
        await press(pilot, "down")
        assert focused(pilot) == "per-group"
        await press(pilot, *["down"] * 9)
        assert focused(pilot) == "reveal"
        await press(pilot, "up", "up")
        assert focused(pilot) == "view"


async def test_the_key_on_the_button_draws_from_any_field(
    opened: Opener, database: Database, dataset: str
) -> None:
    async with opened(None) as pilot:
        await press(pilot, "n", *"mine", "tab", "tab", "backspace", "2", "up")
        assert isinstance(pilot.app.focused, Checkbox)
        assert "Draw the sample (^s)" in seen(pilot)
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
        await press(pilot, "n", *"total", "tab", "tab", "tab", *"12", "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
    with database.read() as session:
        assert find_study(session, "mine") is not None
        study = find_study(session, "total")
    assert study is not None
    assert (study.design["total"], study.design["per_group"], study.design["cases"]) == (12, None, 12)


async def test_leaving_asks_once_more_if_something_was_entered(opened: Opener, dataset: str) -> None:
    async with opened(None) as pilot:
        await press(pilot, "n", "escape")
        assert isinstance(pilot.app.screen, HomeScreen)
        await press(pilot, "n", "x", "escape", "tab", "escape")
        assert isinstance(pilot.app.screen, NewStudyDialog)
        assert "Press esc again to leave" in seen(pilot)
        await pilot.click("#cancel")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_a_line_says_what_is_drawn_while_the_form_is_filled_in(opened: Opener, dataset: str) -> None:
    async with opened(None) as pilot:
        await press(pilot, "n")
        assert "dataset 'one' has 2 cases to draw" in seen(pilot)
        plan = pilot.app.screen.query_one("#plan", PlainLabel)
        drawn = plan._shown
        await press(pilot, "x")
        assert plan._shown is drawn, "a name changes nothing of it, so it is not laid out again"
        await press(pilot, "tab", "tab", "backspace", "1")
        assert "8 cases × 4 questions = 32 verdicts a rater, about 15 minutes" in seen(pilot)
        assert "The time counts 28 seconds for a verdict." in seen(pilot)
        assert "8 groups of 1 case" in seen(pilot)
        await press(pilot, "tab", *"10")
        assert pilot.app.screen.query_one("#per-group", Input).value == ""
        assert "10 cases × 4 questions = 40 verdicts a rater, about 20 minutes" in seen(pilot)
        assert "confirmation bias 2 · hyperbolic discounting 2 · " in seen(pilot)
        pilot.app.screen.query_one("#repeats", Input).value = "0.2"
        await press(pilot, "up")
        assert "10 cases (and 2 shown twice), 4 questions: 48 verdicts a rater" in seen(pilot)
        await press(pilot, "up", "space")
        assert "– a study needs a dataset to draw from; tick one with space." in seen(pilot)


async def test_questions_and_guidelines_are_chosen(
    opened: Opener, database: Database, dataset: str, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[same_task]\nguideline = "Ours."\n')
    (tmp_path / "purpose.txt").write_text("We compare two models.\n")
    async with opened(None) as pilot:
        await press(pilot, "n", *"mine", "tab", "tab", "backspace", "1")
        pilot.app.screen.query_one("#questions", Input).value = "same_task"
        pilot.app.screen.query_one("#guideline", Input).value = str(own)
        pilot.app.screen.query_one("#briefing", Input).value = str(tmp_path / "purpose.txt")
        await press(pilot, "up")
        assert "8 cases × 1 question = 8 verdicts" in seen(pilot)
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
    bundle = load_study(database, "mine")
    questions = bundle.questions
    assert bundle.design.briefing == "We compare two models."
    assert [(question.key, question.guideline) for question in questions] == [("same_task", "Ours.")]


async def test_the_share_of_known_answers_to_match_is_set_in_the_dialog(
    opened: Opener, database: Database, dataset: str, tmp_path: Path
) -> None:
    (tmp_path / "gold.csv").write_text(
        f"dataset,key,question,label,why\none,{BIASES[0]}/0,same_task,True,read twice\n"
    )
    async with opened(None) as pilot:
        await press(pilot, "n", *"mine", "tab", "tab", "backspace", "1")
        form = pilot.app.screen
        form.query_one("#gold-pass", Input).value = ".9"
        await press(pilot, "ctrl+s")
        assert "a share of answers to match needs a file: Known answers." in in_one_line(pilot)
        form.query_one("#gold", Input).value = str(tmp_path / "gold.csv")
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
    design = load_study(database, "mine").design
    assert (design.gold_pass, design.training_pass) == (0.9, None)


async def test_paths_are_completed(
    opened: Opener, dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "known.csv").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path))
    async with opened(None) as pilot:
        await press(pilot, "n")
        field = pilot.app.screen.query_one("#gold", Input)
        field.focus()
        field.value = f"{tmp_path}/"
        await press(pilot, "end", *"an", "right", "k", "right")
        assert field.value == f"{tmp_path}/answers/known.csv"
        field.value = ""
        await press(pilot, *"~/an", "right")
        assert field.value == "~/answers/"
        await press(pilot, *"none", "right")
        assert field.value == "~/answers/none"


async def test_the_form_takes_how_many_raters_see_each_case(
    opened: Opener, database: Database, dataset: str
) -> None:
    async with opened(None) as pilot:
        await press(pilot, "n", *"mine", "tab", "tab", "backspace", "2")
        form = pilot.app.screen
        form.query_one("#raters-per-case", Input).value = "2"
        await press(pilot, "ctrl+s")
        assert "a number of raters for each case" in seen(pilot)
        form.query_one("#raters", Input).value = "anna, ben, cara"
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
    design = load_study(database, "mine").design
    assert {len(panel) for panel in design.panels.values()} == {2}


async def test_the_form_takes_third_votes_confidence_and_a_stop_rule(
    opened: Opener, database: Database, dataset: str
) -> None:
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "n", *"mine", "tab", "tab", "backspace")
        form = pilot.app.screen
        form.query_one("#stop", Input).value = "nearly all"
        await press(pilot, "ctrl+s")
        assert "'nearly all' is not a rule; give one such as" in in_one_line(pilot)
        form.query_one("#stop", Input).value = "same_task pass rate > .9"
        form.query_one("#third", Checkbox).on = True
        form.query_one("#confidence", Checkbox).on = True
        await press(pilot, "ctrl+s")
        assert "third votes go with two votes a case" in in_one_line(pilot)
        form.query_one("#raters", Input).value = "anna, ben, cara"
        form.query_one("#raters-per-case", Input).value = "2"
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
        await press(pilot, "n", *"plain", "tab", "tab", "backspace", "ctrl+s")
    design, plain = (load_study(database, name).design for name in ("mine", "plain"))
    assert design.stop
    assert (design.third, design.confidence, design.stop.above) == ("on-disagreement", True, 0.9)
    assert [*design.stop.sizes] == ["same_task"]
    assert (plain.third, plain.confidence, plain.stop) == ("", False, None)


def in_one_line(pilot: Opened) -> str:
    """What the screen shows, without its lines and frames."""
    return " ".join(seen(pilot).replace("│", " ").split())


async def test_the_form_draws_from_strata(opened: Opener, database: Database) -> None:
    fill_audited(database)
    async with opened(None, rater="tom") as pilot:
        await press(pilot, "n", *"mine", "tab", "tab", "backspace", "1")
        form = pilot.app.screen
        form.query_one("#guesses", Input).value = "none=.98, serious=.6"
        form.query_one("#per-group", Input).value = ""
        await press(pilot, "ctrl+s")
        assert "guessed pass rates need strata" in in_one_line(pilot)
        form.query_one("#strata", Input).value = "findings"
        await press(pilot, "ctrl+s")
        assert "a total is allocated to" in in_one_line(pilot)
        form.query_one("#total", Input).value = "12"
        await press(pilot, "ctrl+s")
        assert "needs a guessed pass rate of stratum 'doubtful'" in in_one_line(pilot)
        form.query_one("#guesses", Input).value = "none=100%, serious=.6, doubtful=80%, not tested=.9"
        await press(pilot, "up")
        assert "serious 6 of 6; doubtful 3 of 4; not tested 1 of 1; none 2 of 9" in in_one_line(pilot)
        assert "no guess makes a stratum known: none." in in_one_line(pilot)
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, HomeScreen)
    draw = load_study(database, "mine").design.draw
    assert draw
    assert (draw.by, draw.allocation, sum(s.drawn for s in draw.strata)) == (("findings",), "neyman", 12)
