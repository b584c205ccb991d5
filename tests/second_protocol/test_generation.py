"""Generation of the second protocol: any JSON, several requests an expansion, rounds that tell each other."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from reviewer.protocols.generation import Draft, NoDraft
from reviewer.protocols.work import Work
from reviewer.tui.dialogs.new_run import StartDialog
from store.candidates import candidates_of
from store.cases import Filter, find_dataset, list_places
from store.database import Database
from store.records import plain_json
from store.runs import find_run
from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, LoopbackModels, error, serving
from tests.second_protocol.material import GROUPS, a_dialogue, a_payload, fill_tiny
from tests.tiny_protocol.generation import TinyGeneration
from tests.tui.conftest import Opened, Opener, press, seen, settle


class Writer:
    """Names a topic that it was not told of, and writes a dialogue about it, unless ``breaks`` says no."""

    def __init__(self) -> None:
        self.told: list[list[str]] = []
        self.fails: set[str] = set()
        self.written: dict[str, str] = {}

    def __call__(self, asked: Asked) -> Answer:
        if match := re.match(r"Name a topic of the group (\w+) that is not among these: (.*)\.", asked.last):
            group, done = match[1], [] if match[2] == "none" else match[2].split(", ")
            self.told.append(done)
            number = sum(topic.startswith(group) for topic in done)
            return Answer(f"{group} topic {number}")
        topic = re.match(r"Write a dialogue about (.*) as JSON", asked.last)
        assert topic is not None
        if topic[1] in self.fails:
            return error(400, "not now")
        return Answer(self.written.get(topic[1]) or json.dumps(a_payload(0, topic[1])))


@pytest.fixture
def seeds(database: Database) -> None:
    fill_tiny(database, "starts", [a_dialogue(9, group) for group in GROUPS], "seed")


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture
def server(writer: Writer) -> Iterator[LoopbackModels]:
    with serving(writer) as running:
        yield running


def generate(run: Run, server: LoopbackModels, *words: object) -> Any:
    return run("generate", "grown", "--base-url", server.url, *words)


NEW = ("--model", "m", "--seeds", "starts", "--set", "batch_size=1")


@pytest.mark.usefixtures("seeds")
def test_a_run_grows_any_json_in_groups_of_its_seeds(
    run: Run, server: LoopbackModels, writer: Writer, database: Database
) -> None:
    done = generate(run, server, *NEW, "--target", 2, "--format", "json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)
    assert [(row["group"], row["valid"], row["state"]) for row in rows] == [(g, 2, "done") for g in GROUPS]
    with database.read() as session:
        places = list_places(session, Filter(datasets=("grown",), origin="generated"))
    assert {case.group for _, case in places} == {*GROUPS}
    assert all(case.payload["turns"][0][0] == "user" for _, case in places)
    with database.read() as session:
        assert find_dataset(session, "seeds") is None
        assert all(len(candidate.calls) == 2 for candidate in candidates_of(session, "grown"))


@pytest.mark.usefixtures("seeds")
def test_what_a_round_leaves_reaches_the_next_and_is_kept(
    run: Run, server: LoopbackModels, writer: Writer, database: Database
) -> None:
    assert generate(run, server, *NEW, "--target", 2).code == 0
    first = [f"{group} topic 0" for group in GROUPS]
    assert writer.told == [[], [], first, first]
    with database.read() as session:
        kept = find_run(session, "grown")
    assert kept is not None
    assert kept.left == {"topics": [*first, *(f"{group} topic 1" for group in GROUPS)]}
    assert generate(run, server, "--target", 3).code == 0
    assert len(writer.told[-1]) == 4


@pytest.mark.usefixtures("seeds")
def test_a_run_that_was_interrupted_resumes_with_its_state(
    run: Run, server: LoopbackModels, writer: Writer, database: Database
) -> None:
    writer.fails = {"tea topic 1"}
    stopped = generate(run, server, *NEW, "--target", 2)
    assert stopped.code == 4
    assert "Resume with: reviewer generate grown" in stopped.err
    asked, writer.fails = len(server.asked), set()
    resumed = generate(run, server, "--format", "json")
    assert resumed.code == 0, resumed.err
    assert [row["valid"] for row in json.loads(resumed.out)] == [2, 2]
    assert len(server.asked) == asked + 1, "only the request that had no answer is asked"
    with database.read() as session:
        assert find_dataset(session, "seeds") is None


@pytest.mark.usefixtures("seeds")
@pytest.mark.parametrize(
    ("reply", "step", "why"),
    [
        ("no json", "expansion", "The reply is not JSON."),
        ("[1, 2]", "expansion", "The reply is not a JSON object."),
        ('{"replies": [1e999]}', "expansion", "cannot be kept"),
        ('{"replies": ["\\ud800"]}', "expansion", "cannot be kept"),
        (json.dumps(a_payload(0) | {"replies": ["one"]}), "replies", "There are not five replies."),
        (json.dumps(a_payload(0) | {"turns": []}), "payload", "Field 'turns' of the case"),
    ],
)
def test_what_is_no_case_is_discarded_with_the_reason(
    run: Run, server: LoopbackModels, writer: Writer, database: Database, reply: str, step: str, why: str
) -> None:
    writer.written = {"tea topic 0": reply}
    done = generate(run, server, *NEW, "--target", 1, "--group", "tea", "--set", "patience=1")
    assert done.code == 0, done.err
    with database.read() as session:
        (candidate, *_) = candidates_of(session, "grown", approved=False)
    assert (candidate.step, why in candidate.why) == (step, True), candidate.why
    funnel = run("funnel", "grown", "--by", "group,check", "--published", "--format", "json")
    assert funnel.code == 0, funnel.err
    assert step in {row["filter"] for row in json.loads(funnel.out)}


@pytest.mark.usefixtures("seeds")
def test_an_expansion_that_brings_nothing_is_counted(
    run: Run, server: LoopbackModels, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(self: object, group: str, attempt: int, state: object) -> Work[Sequence[Draft | NoDraft]]:
        yield from ()
        return []

    monkeypatch.setattr(TinyGeneration, "expansion", nothing)
    done = generate(run, server, *NEW, "--target", 1, "--set", "patience=2", "--format", "json")
    assert [(row["expansions"], row["state"]) for row in json.loads(done.out)] == [(2, "given up")] * 2
    with database.read() as session:
        assert candidates_of(session, "grown")[0].why == "The expansion brought no candidate."


def test_a_state_that_is_not_json_is_refused() -> None:
    assert plain_json({"topics": ("tea", 2)}) == {"topics": ["tea", 2]}
    for state in ({1, 2}, float("nan")):
        with pytest.raises((TypeError, ValueError)):
            plain_json(state)


@pytest.mark.usefixtures("seeds")
def test_a_dry_run_estimates_without_a_published_run(run: Run) -> None:
    done = run("generate", "grown", *NEW, "--dry-run", "--target", 10, "--format", "json")
    assert done.code == 0, done.err
    rows = {row["request"]: row for row in json.loads(done.out)}
    assert rows["topic"]["all valid"] == rows["dialogue"]["all valid"] == 20
    assert rows["all calls"]["all valid"] == 40
    assert not [name for name in rows["topic"] if name.startswith("as ")]
    assert "published" not in done.err
    assert "Name a topic of the group" in done.err


@pytest.mark.usefixtures("seeds")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--group", "coffee"), "'coffee' is not a group of the seeds in 'starts' (trains, tea)"),
        (("--seeds", "none"), "dataset 'none' is not in the store"),
        (("--seeds", "talks"), "dataset 'talks' holds no seeds"),
        (("--strict",), "there is no setting 'strict'"),
        (("--set", "state after the last round=1"), "there is no setting 'state after the last round'"),
    ],
)
def test_a_request_that_cannot_be_met_says_why(
    run: Run, server: LoopbackModels, database: Database, words: tuple[str, ...], sentence: str
) -> None:
    refused = generate(run, server, *NEW, *words)
    assert refused.code == 2
    assert sentence in refused.err
    with database.read() as session:
        assert find_run(session, "grown") is None
    assert server.asked == []


@pytest.mark.usefixtures("seeds")
def test_prompts_of_the_protocol_can_be_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "topic.txt").write_text("[user]\nA new topic for {group}, not {done}, please.\n")
    shown = run("generate", "grown", *NEW, "--dry-run", "--prompts", tmp_path / "own")
    assert shown.code == 0, shown.err
    assert "A new topic for trains, not none, please." in shown.err


async def test_a_run_of_its_own_seeds_is_begun_on_screen_and_carried_on(
    server: LoopbackModels, writer: Writer, database: Database, seeds: None, opened: Opener
) -> None:
    async with opened(None) as pilot:
        await press(pilot, "m", "n")
        fields = {"name": "grown", "model": "m", "seeds": "starts", "base-url": server.url, "target": "1"}
        await fill_in(pilot, fields)
        assert "grown: finished." in seen(pilot)
        assert "2 valid of 2 tried, 2 wanted." in seen(pilot)
        await press(pilot, "c")
        await fill_in(pilot, {"base-url": server.url, "target": "2"})
        assert "4 valid of 4 tried, 4 wanted." in seen(pilot)
    assert len(writer.told[-1]) == 2
    with database.read() as session:
        assert find_dataset(session, "seeds") is None


async def fill_in(pilot: Opened, fields: dict[str, str]) -> None:
    """Fill the dialog in, and wait until what it asks for is done."""
    for name, text in fields.items():
        pilot.app.screen.query_one(f"#{name}").value = text  # type: ignore[attr-defined]
    await press(pilot, "ctrl+s")
    assert isinstance(pilot.app.screen, StartDialog)
    await press(pilot, "enter")
    for _ in range(3):
        await settle(pilot)
