"""The effects screen: a grid of models, the cases of a cell, and one case with all its answers."""

from importlib.resources import as_file, files
from pathlib import Path

import pytest
from textual.widgets import Input

from reviewer.exchange.evaluations.outcome_import import OutcomeSource, import_outcomes
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.judge_pairs.evaluation import MEASURES as JUDGED
from reviewer.protocols.registry import PROTOCOLS
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.effect_rows import ErrorMethod
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.import_source import CaseFileDialog
from reviewer.tui.dialogs.new_answer_study import AnswerStudyDialog
from reviewer.tui.rendering.effects_grid import grid_of_effects, meaning_of_effects
from reviewer.tui.rendering.grid import DrawnEstimate, Grid, GridCell
from reviewer.tui.screens import effects_work
from reviewer.tui.screens.case_answers import CaseAnswersScreen, ChangedCasesScreen
from reviewer.tui.screens.effects_screen import EffectsScreen
from reviewer.tui.screens.effects_work import resampled_in_words
from store.database import Database
from tests.answered_runs import an_answered_run
from tests.blinded_study import GENERATOR, RUN, blinded_study
from tests.new_stores import made_once
from tests.runs.generating import WordVectors
from tests.studies import BIASES
from tests.tui.conftest import NARROW, Opener, press, press_in_turn, seen, settle
from tests.tui.evaluated_store import DRAWN, STEADY, TORN, an_evaluation


@pytest.fixture
def evaluated(database: Database) -> Database:
    """One model that never changes, and one that is drawn in four cases of eight and torn in another."""
    drawn = [DRAWN, STEADY, DRAWN, STEADY, DRAWN, STEADY, DRAWN, TORN]
    answers = {"steady-1": [STEADY] * 8, "drawn-[/1]": drawn}
    made_once(database, lambda new: an_evaluation(new, answers), "effects")
    return database


async def test_effects_are_divided_sorted_and_measured_by_keys(evaluated: Database, opened: Opener) -> None:
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter")
        assert isinstance(pilot.app.screen, EffectsScreen)
        shown = seen(pilot)
        assert "net effect by group and model · 8 cases · among: all cases · cases resampled" in shown
        assert "what guessing gives" in " ".join(shown.split()), "each row is drawn as a bar at first"
        assert "steady-1" in shown
        await press(pilot, "right")
        assert "12→ 0←" in seen(pilot)
        await press(pilot, "t")
        shown = seen(pilot)
        assert "drawn-[/1]" in shown
        lines = shown.splitlines()
        first = next(place for place, line in enumerate(lines) if BIASES[0] in line)
        # Each of the four cases of the group goes from right to wrong in all three runs.
        assert "0.0" in lines[first]
        assert "100.0" in lines[first]
        assert "sensitivity 100.0 · 12→ 0←" in lines[first + 1]
        assert "1 ?" in shown
        await press(pilot, "v")
        assert "sensitivity by group and model" in seen(pilot)
        assert "→ ← runs that changed forward and back" in " ".join(seen(pilot).split())
        assert "✓ Holm" not in seen(pilot)
        await press_in_turn(pilot, "b")
        assert "by generator and model" in seen(pilot)
        await press_in_turn(pilot, "w")
        assert "fewer than 10 cases" in seen(pilot)
        await press(pilot, "w", "s", "s")
        assert "▼" in seen(pilot)


def test_the_legend_says_what_arrows_count_where_they_count_no_runs() -> None:
    measures = {measure.key: measure for measure in JUDGED}
    grid = Grid(("group", "m"), ((GridCell(("?✓→‡",)), GridCell(("50", "2→ 1←"))),))
    legend = meaning_of_effects(measures["right"], JUDGED, 0.95, grid)
    assert "→ pairs with the first place in both orders, ← pairs with the second place" in legend
    assert "either way" not in legend
    assert "→" not in meaning_of_effects(measures["single"], JUDGED, 0.95, grid)
    assert not {*"?✓‡"} & {*legend}
    assert "interval" not in legend


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("50 ✓", "✓ Holm p < .05"),
        ("2→ 1←", "→ pairs with the first place"),
        ("3 ?", "? unreadable."),
        ("50‡", "‡ unreadable ones counted as an answer."),
    ],
)
def test_the_legend_names_each_sign_where_a_cell_has_it(line: str, words: str) -> None:
    measure = next(measure for measure in JUDGED if measure.key == "right")
    span = DrawnEstimate(0.5, 0.4, 0.6)
    with_sign, bare = (
        Grid(("a", "m"), ((GridCell(("a",)), GridCell((text,), span=span)),)) for text in (line, "50")
    )
    assert words in meaning_of_effects(measure, JUDGED, 0.95, with_sign)
    assert meaning_of_effects(measure, JUDGED, 0.95, bare).endswith("In percent, interval at 95%.")


def test_the_head_says_what_is_resampled_where_cases_share_something() -> None:
    assert resampled_in_words("case") == "cases resampled"
    assert resampled_in_words("question") == "cases that share a question resampled together"


def test_a_cell_says_what_its_unreadable_replies_leave_open(evaluated: Database) -> None:
    evaluation = read_evaluation(evaluated, PROTOCOLS, "first")
    table = effect_table(evaluation, by=("model", "group"), method=ErrorMethod("linearised"))
    net = next(measure for measure in table.measures if measure.key == "net")
    grid = grid_of_effects(table, evaluation.plan, net, "group")
    said = [cell.sentence for row in grid.rows for cell in row]
    assert sum("; 1 unreadable leaves " in sentence for sentence in said) == 1


async def test_which_cases_count_is_chosen_from_a_list(evaluated: Database, opened: Opener) -> None:
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter", "a", "down", "enter")
        shown = seen(pilot)
        assert "among: audit-clean cases" in shown
        assert "8 cases without a present audit cannot be clean." in shown


async def test_intervals_resample_families_or_runs(
    evaluated: Database, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects_work, "open_embedder", lambda database: WordVectors())
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter", "c", "down", "enter")
        assert "among: all cases · families resampled" in seen(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, EffectsScreen)
        await press_in_turn(pilot, "enter")
        assert isinstance(pilot.app.screen, ChangedCasesScreen), "cells list their cases as before"
        await press_in_turn(pilot, "escape", "c", "down", "down", "enter")
        assert "among: all cases · runs resampled" in seen(pilot)


async def test_the_cases_of_a_file_count_and_a_wrong_file_changes_nothing(
    evaluated: Database, opened: Opener, tmp_path: Path
) -> None:
    file, wrong = tmp_path / "picked.csv", tmp_path / "wrong.csv"
    file.write_text(f"dataset,key\nown,{BIASES[0]}/0\nown,{BIASES[1]}/1\n")
    wrong.write_text("dataset,key\nown,nowhere\n")
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter")
        for listed in (file, wrong):
            await press_in_turn(pilot, "a", "end", "enter")
            assert isinstance(pilot.app.screen, CaseFileDialog)
            pilot.app.screen.query_one(Input).value = str(listed)
            await press_in_turn(pilot, "ctrl+s")
            await settle(pilot)
            assert "2 cases · among: cases of picked.csv · cases resampled" in seen(pilot)
        assert "no case 'nowhere' in the run" in seen(pilot)


async def test_a_cell_lists_its_cases_and_a_case_shows_every_answer(
    evaluated: Database, opened: Opener
) -> None:
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter", "down", "right", "enter")
        assert isinstance(pilot.app.screen, ChangedCasesScreen)
        shown = seen(pilot)
        assert "drawn-[/1] · net effect · 4 cases, 1 with a change" in shown
        # The case whose answers change stands first, though it is the last of the sample.
        changed, still = shown.index("changed in 1 of 2"), shown.index("never changed in 3")
        assert changed < still
        assert "unbiased A 2, B 1 · biased B 2, unreadable 1" in shown
        await press_in_turn(pilot, "enter")
        assert isinstance(pilot.app.screen, CaseAnswersScreen)
        shown = seen(pilot)
        assert "right option: A · changed in 1 of 2" in shown
        assert "I plan release 7." in shown
        assert "use the other letter" not in shown, "one order was asked"
        assert "[/b] I take A, since steady-1" in shown
        assert "unreadable · run 3 · it" in shown
        assert "No expert has answered about this case." in shown
        await press(pilot, "n")
        assert "never changed in 3" in seen(pilot)


async def test_both_answers_of_a_pair_are_in_sight_beside_what_judges_said(
    database: Database, opened: Opener
) -> None:
    with as_file(files("seeds") / "judge_pairs") as seeds:
        import_path(database, seeds / "cases.jsonl", "pairs", protocol="judge-pairs")
        said = OutcomeSource(seeds / "outcomes.jsonl", "judge-bench", ("pairs",))
        import_outcomes(database, "judged", said, "lead")
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter", "t")
        assert "always longer" in seen(pilot)
        await press_in_turn(pilot, "enter", "enter")
        assert isinstance(pilot.app.screen, CaseAnswersScreen)
        shown = seen(pilot)
        titles = ("question of the pair", "first answer", "second answer", "demo-judge")
        assert [title for title in titles if f"─ {title} ─" not in shown] == []
        assert "first and second are the answers of the pair as published" in shown


async def test_a_small_screen_shows_answers_as_tabs(evaluated: Database, opened: Opener) -> None:
    async with opened(None, NARROW) as pilot:
        await press_in_turn(pilot, "m", "enter", "enter", "enter", "tab")
        assert "── steady-1 · unbiased" in seen(pilot)


async def test_raters_see_answers_of_models_once_they_have_answered(
    evaluated: Database, opened: Opener
) -> None:
    create_study(evaluated, "pilot", Design(("own",), None, 7, "full", raters=("anna",)))
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter", "enter")
        shown = seen(pilot)
        assert "You still have cases of own to answer in study pilot" in shown
        assert "changed in" not in shown
        assert "release" not in shown
    async with opened(None, rater="vera") as pilot:
        await press_in_turn(pilot, "m", "enter", "enter", "enter")
        await settle(pilot)
        assert "pilot: raters judge alone, so you see its labels later." in seen(pilot)


@pytest.mark.parametrize(("rater", "named"), [("anna", False), ("vera", True)])
async def test_effects_name_no_generator_that_a_rater_may_not_know_yet(
    tmp_path: Path, rater: str, named: bool
) -> None:
    database = Database.open(str(blinded_study(tmp_path, "owed", lead="tom")), must_exist=True)
    app = ReviewerApp(database, rater)
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        app.push_screen(EffectsScreen(database, RUN, rater))
        await settle(pilot)
        shown = [seen(pilot)]
        for _ in range(8):
            await press(pilot, "b")
            shown.append(seen(pilot))
    database.close()
    assert any(GENERATOR in text for text in shown) is named


async def test_a_study_of_the_answers_of_a_cell_is_drawn(database: Database, opened: Opener) -> None:
    made_once(database, an_answered_run, "answered")
    async with opened(None) as pilot:
        await press_in_turn(pilot, "m", "enter")
        assert isinstance(pilot.app.screen, EffectsScreen)
        await press_in_turn(pilot, "right", "x")
        dialog = pilot.app.screen
        assert isinstance(dialog, AnswerStudyDialog)
        assert f"Answers of omicron-2 to cases of {BIASES[0]}" in " ".join(seen(pilot).split())
        dialog.query_one("#name", Input).value = "why"
        dialog.query_one("#per-group", Input).value = "99"
        await press(pilot, "ctrl+s")
        assert "you asked for 99" in " ".join(seen(pilot).split())
        dialog.query_one("#per-group", Input).value = "3"
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, EffectsScreen)
        assert "study why is drawn" in seen(pilot)
    bundle = load_study(database, "why")
    assert {(place.generator, place.group) for place in bundle.sample} == {("omicron-2", BIASES[0])}
    assert len(bundle.sample) == 3
    source = bundle.design.answers
    assert source is not None
    assert (source.groups, source.outcomes) == ((BIASES[0],), 16)
    assert source.meaning == f"all answers to cases of {BIASES[0]}"
