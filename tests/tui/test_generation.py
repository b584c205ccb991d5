"""The generation screen: a run begun, watched, stopped and carried on, against a server on this machine."""

import asyncio
import re
from pathlib import Path

import pytest
import tomlkit
from textual.widgets import Input

from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.run_list import RunSummary
from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.dialogs.new_run import RunDialog, StartDialog
from reviewer.tui.screens import run_work
from reviewer.tui.screens.discards import DiscardsScreen
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.screens.runs_screen import RunsScreen
from reviewer.tui.widgets.run_content import run_item
from store.calls import KeptCalls, call_totals
from store.cases import Filter, list_places
from store.database import Database
from store.leases import held
from store.records import Run
from store.runs import find_run
from tests.filling_model import FillingModel
from tests.llm.server import Answer, Asked, error, serving
from tests.prolog import need_prolog
from tests.runs.answering import KnownPairs
from tests.runs.generating import WordVectors, some_pairs
from tests.studies import AT, BIASES
from tests.treatment_cases import TEMPLATES
from tests.tui.conftest import NARROW, Opened, Opener, press, seen, settle
from tests.tui.quick_apps import threads_go_on


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    need_prolog()
    monkeypatch.setattr(run_work, "open_embedder", lambda database: WordVectors())


async def begin(pilot: Opened, url: str, target: str = "1") -> None:
    """Open the screen and fill in a new run."""
    await press(pilot, "m", "n")
    for field, text in (("name", "first"), ("model", "model-1"), ("base-url", url), ("target", target)):
        pilot.app.screen.query_one(f"#{field}").value = text  # type: ignore[attr-defined]
    await agree(pilot)


async def agree(pilot: Opened) -> None:
    """Submit the form, and start the run after its estimate."""
    await pilot.press("ctrl+s")
    while not isinstance(pilot.app.screen, StartDialog):
        if isinstance(pilot.app.screen, RunDialog) and pilot.app.screen.query_one("#wrong").display:
            return
        await pilot.pause()
    await pilot.press("ctrl+s")
    await pilot.pause()


async def until_asked(asked: list[Asked], number: int) -> None:
    while len(asked) < number:
        await asyncio.sleep(0.01)


async def test_a_run_is_stopped_and_carried_on(opened: Opener, database: Database) -> None:
    known = KnownPairs(some_pairs(BIASES, 30), batch=1)
    delays = [0.01] * 20  # afterwards answers take so long that the key comes before the last of them

    def respond(asked: Asked) -> Answer:
        return Answer(known(asked).text, delay=delays.pop() if delays else 0.3)

    with serving(respond) as server:
        async with opened(None) as pilot:
            with threads_go_on():
                await begin(pilot, server.url)
                await until_asked(server.asked, 6)
                await pilot.press("s")
            await settle(pilot)
            await settle(pilot)
            assert "stopped; all answers are kept" in seen(pilot)
            with database.read() as session:
                assert sum(total.calls for total in call_totals(session)) == len(server.asked)
            delays += [0.0] * 200
            await press(pilot, "c")
            pilot.app.screen.query_one("#base-url").value = server.url  # type: ignore[attr-defined]
            await agree(pilot)
            await settle(pilot)
            await settle(pilot)
            assert "first: finished." in seen(pilot)
            assert "8 valid of 8 tried, 8 wanted." in seen(pilot)
    assert len(server.asked) == 8 + 8 * 12


async def test_without_a_jail_nothing_is_asked_and_nothing_run(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model's programs are foreign, and a window cannot ask as the command line does."""
    monkeypatch.setattr("reviewer.oracle.worker.seccomp.supported", lambda: False)
    with serving(KnownPairs(some_pairs(BIASES, 30))) as server:
        async with opened(None) as pilot:
            await begin(pilot, server.url, target="6")
            await settle(pilot)
            assert "has no jail for programs" in seen(pilot)
    assert server.asked == []
    with database.read() as session:
        assert find_run(session, "first") is None


@pytest.mark.slow
async def test_leaving_stops_what_is_under_way(opened: Opener) -> None:
    known = KnownPairs(some_pairs(BIASES, 30))

    def respond(asked: Asked) -> Answer:
        return Answer(known(asked).text, delay=0.02)

    with serving(respond) as server:
        async with opened(None) as pilot:
            with threads_go_on():
                await begin(pilot, server.url, target="20")
                await until_asked(server.asked, 6)
                await pilot.press("n")
                await pilot.pause()
                assert "first is under way; s stops it." in seen(pilot)
                await pilot.press("escape")
            await settle(pilot)
            await settle(pilot)
            assert isinstance(pilot.app.screen, HomeScreen)
            asked = len(server.asked)
            await asyncio.sleep(0.2)
            assert len(server.asked) == asked


async def test_what_goes_wrong_is_a_sentence_on_the_screen(opened: Opener) -> None:
    with serving(lambda asked: error(401, "Incorrect [/] API key.")) as server:
        async with opened(None, NARROW) as pilot:
            await begin(pilot, server.url)
            await settle(pilot)
            await settle(pilot)
            assert isinstance(pilot.app.screen, RunsScreen)
            assert "✗ first: no answer from 'model-1'" in seen(pilot)
            await press(pilot, "n")
            await press(pilot, "ctrl+s")
            assert "a run needs a name and a model." in seen(pilot)


async def test_without_runs_it_says_how_to_begin(opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "m")
        assert "n generates a dataset" in seen(pilot)
        await press(pilot, "c", "s")
        assert "No run is under way here." in seen(pilot)


async def test_a_run_that_another_process_holds_is_left_to_it(opened: Opener, database: Database) -> None:
    with serving(lambda asked: error(401, "never asked")) as server, held(database, "first"):
        async with opened(None) as pilot:
            await begin(pilot, server.url)
            await settle(pilot)
            await settle(pilot)
            assert "run 'first' is under way in process" in " ".join(seen(pilot).split())
        assert server.asked == []


async def test_the_models_file_names_server_and_budget_as_for_the_command(
    opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "models.toml"
    file.write_text('base_url = "http://127.0.0.1:9/v1"\n[limits]\nbudget = 2.5\n')
    monkeypatch.setenv("REVIEWER_MODELS", str(file))
    async with opened(None) as pilot:
        await press(pilot, "m", "n")
        fields = {
            name: pilot.app.screen.query_one(f"#{name}", Input).value for name in ("base-url", "budget")
        }
        assert fields == {"base-url": "http://127.0.0.1:9/v1", "budget": "2.5"}
        file.write_text("nonsense = 1")
        await press(pilot, "escape", "n")
        assert "nonsense" in seen(pilot)


async def test_a_run_begins_once_estimate_and_budget_are_agreed_to_and_is_watched_to_its_end(
    opened: Opener, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "models.toml"
    file.write_text('[limits]\nbudget = 2.5\n[prices."model-1"]\nprompt = 1\ncompletion = 2\n')
    monkeypatch.setenv("REVIEWER_MODELS", str(file))
    with serving(KnownPairs(some_pairs(BIASES, 2), batch=2)) as server:
        async with opened(None) as pilot:
            await press(pilot, "m", "n")
            values = {"name": "first", "model": "model-1", "base-url": server.url, "target": "1"}
            for field, text in values.items():
                pilot.app.screen.query_one(f"#{field}", Input).value = text
            await press(pilot, "ctrl+s")
            shown = seen(pilot)
            assert re.search(r"all valid: \d+ calls, [\d,]+ tokens, cost \d+\.\d\d", shown)
            assert "Budget: 2.5. No call is sent once that much is spent." in shown
            assert server.asked == []
            await press(pilot, "escape")
            kept = {name: pilot.app.screen.query_one(f"#{name}", Input).value for name in values}
            assert kept == values
            assert server.asked == []
            await agree(pilot)
            await settle(pilot)
            await settle(pilot)
            shown = seen(pilot)
            assert re.search(r"[\d,]+ tokens.*, cost \d+\.\d{4}", shown)
            assert "first: finished." in shown
            assert "16 valid of 16 tried, 8 wanted." in shown
            assert "anchoring bias" in shown
            assert "2 of 1" in shown
            await press(pilot, "d")
            assert isinstance(pilot.app.screen, DiscardsScreen)
            assert "first · 0 discarded candidates" in seen(pilot)
            create_study(database, "pilot", Design(("first",), None, 1, raters=("anna",)))
            await press(pilot, "escape", "d")
            assert "You still have cases of first to answer in study pilot" in seen(pilot)
            await press(pilot, "escape", "escape")
            assert isinstance(pilot.app.screen, HomeScreen)
            assert "first" in seen(pilot)
    with database.read() as session:
        run = find_run(session, "first")
    assert run is not None
    assert run.state == "finished"


async def test_a_refused_start_keeps_what_was_typed(opened: Opener, database: Database) -> None:
    async with opened(None) as pilot:
        await press(pilot, "m", "n")
        values = {"name": "first", "model": "model-1", "base-url": "https://api.openai.com/v1", "target": "3"}
        for field, text in values.items():
            pilot.app.screen.query_one(f"#{field}", Input).value = text
        await press(pilot, "ctrl+s")
        assert "api.openai.com needs a key" in seen(pilot)
        kept = {name: pilot.app.screen.query_one(f"#{name}", Input).value for name in values}
        assert kept == values


async def test_templates_and_scenarios_of_files_are_filled(
    opened: Opener, database: Database, tmp_path: Path
) -> None:
    file, scenarios = tmp_path / "templates.toml", tmp_path / "scenarios.txt"
    text = tomlkit.dumps({"templates": TEMPLATES["templates"]})
    file.write_text(text.replace("[[a role", "[[a {{part}}", 1))
    scenarios.write_text("A guide deciding where to walk.\nA guide deciding when to go.\n")
    model = FillingModel(every=4)
    with serving(lambda asked: Answer(model.reply(asked.body["messages"]))) as server:
        async with opened(None) as pilot:
            await press(pilot, "m", "n")
            pilot.app.screen.query_one("#origin").focus()
            await press(pilot, "space")
            assert "Treatment tests" in seen(pilot)
            values = {"name": "first", "model": "model-1", "base-url": server.url, "target": "2", "seed": "3"}
            values |= {"settings-file": str(file), "scenarios": str(scenarios)}
            for field, value in values.items():
                pilot.app.screen.query_one(f"#{field}", Input).value = value
            await agree(pilot)
            await settle(pilot)
            shown = " ".join(seen(pilot).replace("│", "").split())
            assert "has the value 'part', which no list gives" in shown
            kept = {field: pilot.app.screen.query_one(f"#{field}", Input).value for field in values}
            assert (kept, server.asked) == (values, [])
            file.write_text(text)
            await agree(pilot)
            await settle(pilot)
            await settle(pilot)
            assert "first: finished." in seen(pilot)
    with database.read() as session:
        run = find_run(session, "first")
        cases = [case.payload["scenario"] for _, case in list_places(session, Filter(datasets=("first",)))]
    assert run is not None
    assert (run.protocol, run.seed) == ("treatment-tests", 3)
    assert sorted(cases) == sorted(scenarios.read_text().splitlines())


async def test_a_budget_without_a_price_is_refused_before_anything_is_sent(opened: Opener) -> None:
    with serving(lambda asked: error(401, "never asked")) as server:
        async with opened(None) as pilot:
            await press(pilot, "m", "n")
            values = {"name": "first", "model": "model-1", "base-url": server.url, "budget": "2"}
            for field, text in values.items():
                pilot.app.screen.query_one(f"#{field}", Input).value = text
            await press(pilot, "ctrl+s")
            assert "a budget needs prices, and 'model-1' has none" in " ".join(seen(pilot).split())
    assert server.asked == []


def test_a_run_that_asks_no_model_has_two_words_in_the_list() -> None:
    run = Run(
        procedure="text", name="texts", protocol="dialogue-transcripts", settings={}, started_at=AT,
        created_by="anna",
    )  # fmt: skip
    listed = RunSummary(run, (), 0, RunProgress(""), KeptCalls(0, 0.0, 0))
    assert run_item(listed).plain.splitlines() == ["texts", "● open · text"]
