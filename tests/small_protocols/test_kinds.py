"""Four kinds of benchmark, from the request to the screens: one engine and one store for all."""

import asyncio
import csv
import io
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.evaluated import NOT_ASKED, UNREADABLE, Evaluation, read_evaluation
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.case_answers import CaseAnswersScreen, ChangedCasesScreen
from reviewer.tui.screens.effects_screen import EffectsScreen
from store.database import Database
from tests.cli.conftest import Result
from tests.llm.server import Answer, serving
from tests.rounds import mostly_slow
from tests.small_protocols.kinds import CASES, KINDS, PROTOCOLS, Kind
from tests.studies import fill
from tests.tui.conftest import settle

REPEATS = 2
MODELS = ("--model", "model-1", "--model", "model-2")


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """A command in an empty folder, with the four protocols alone."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["reviewer", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main(PROTOCOLS)
        printed = capsys.readouterr()
        return Result(int(left.value.code or 0), printed.out, printed.err)

    return call


def with_cases(kind: Kind) -> None:
    """The store that commands use if none is named, with the cases of a kind in two groups."""
    with closing(Database.open("reviewer.db", protocols=PROTOCOLS)) as database:
        cases = [kind.protocol.case(f"group {number % 2}", kind.payload(number)) for number in range(CASES)]
        fill(database, "cases", cases, protocol=kind.protocol.name)


def evaluated() -> Evaluation:
    with closing(Database.open("reviewer.db", protocols=PROTOCOLS)) as database:
        return read_evaluation(database, PROTOCOLS, "first")


@mostly_slow(2)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.protocol.name)
def test_each_kind_of_benchmark_runs_end_to_end(kind: Kind, run: Callable[..., Result]) -> None:
    with_cases(kind)
    with serving(lambda asked: Answer(kind.reply(asked.last))) as server:
        asking = ("evaluate", "first", "cases", *MODELS, "--repeats", REPEATS)
        shown = run(*asking, "--base-url", server.url)
        assert shown.code == 0, shown.err
        asked = 2 * REPEATS * (CASES * len(kind.conditions) - kind.not_asked)
        assert len(server.asked) == asked
        assert run("evaluate", "first", "--base-url", server.url).code == 0
        assert len(server.asked) == asked
    evaluation = evaluated()
    assert [condition.key for condition in evaluation.conditions] == list(kind.conditions)
    for labels in evaluation.labels.values():
        assert int((labels == UNREADABLE).sum()) == REPEATS * kind.unreadable
        assert int((labels == NOT_ASKED).sum()) == REPEATS * kind.not_asked

    listed = run(
        "outcomes",
        "list",
        "first",
        "--model",
        "model-2",
        "--condition",
        kind.conditions[0],
        "--format",
        "csv",
    )
    assert listed.code == 0, listed.err
    assert len(list(csv.DictReader(io.StringIO(listed.out)))) == CASES * REPEATS
    again = run("outcomes", "read", "first")
    assert again.code == 0, again.err

    shown = run("effects", "first", "--by", "", "--resamples", 100, "--format", "csv")
    assert shown.code == 0, shown.err
    printed = {line["measure"]: float(line["value"]) for line in csv.DictReader(io.StringIO(shown.out))}
    assert printed == pytest.approx(kind.expected)

    table = effect_table(evaluation)
    (row,) = table.rows
    values = {key: effect.estimate.value for key, effect in row.effects.items()}
    assert values == pytest.approx(kind.expected)
    coin = {key: effect.nulls["coin"] for key, effect in row.effects.items()}
    assert coin == pytest.approx(kind.coin)

    divided = effect_table(evaluation, by=("model", "group"))
    assert [tuple(row.where.values()) for row in divided.rows] == [
        (model, group) for model in ("model-1", "model-2") for group in ("group 0", "group 1")
    ]
    for key in (part.key for part in kind.protocol.plan.divisions):
        assert len(effect_table(evaluation, by=(key,)).rows) > 1
    for factor in kind.protocol.plan.factors:
        assert effect_table(evaluation, by=(factor.name,)).rows

    asyncio.run(seen_in_the_app(kind))


async def seen_in_the_app(kind: Kind) -> None:
    """Effects, the cases of a cell, and every answer to a case."""
    with closing(Database.open("reviewer.db", protocols=PROTOCOLS)) as database:
        app = ReviewerApp(database, "anna", None)
        async with app.run_test(size=(160, 48)) as pilot:
            await app.push_screen(EffectsScreen(database, "first", "anna"))
            await settle(pilot)
            assert kind.protocol.plan.measures[0].title in app.export_screenshot().replace("&#160;", " ")
            for screen in (ChangedCasesScreen, CaseAnswersScreen):
                await pilot.press("enter")
                await settle(pilot)
                assert isinstance(app.screen, screen)
            answers = app.export_screenshot().replace("&#160;", " ")
            assert "model-1" in answers
            assert "model-2" in answers
