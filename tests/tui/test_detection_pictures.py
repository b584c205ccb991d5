"""Pictures of the question which bias a text shows: its list as somebody types, and a debate afterwards."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.llm.client import HttpModelClient
from reviewer.llm.model_settings import CallLimits
from reviewer.protocols.staged_dialogues.biases import BIASES
from reviewer.protocols.staged_dialogues.detection_evaluation import DETECT
from reviewer.runs.case_values import prepared_case_run
from reviewer.runs.engine.run_loop import carry_to_end
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.run_setup import RunRequest
from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.app import ReviewerApp
from store.calls import StoredCalls
from store.database import Database
from tests.detected_texts import a_bias_text, detecting
from tests.llm.clients import settings
from tests.llm.server import serving
from tests.runs.generating import QUICK_RETRIES
from tests.staged_cases import fill
from tests.tui.picturing import Compare, after, each_pictured

SUNK = next(number for number, bias in enumerate(BIASES) if bias.name == "Sunk cost fallacy")
KEYS: dict[str, tuple[str, ...]] = {
    "list": ("a", *"cost"),
    "debate": ("a", *"sunk", "enter", "b", "R", "R"),
}


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steady_cursor: None) -> Iterator[Database]:
    monkeypatch.chdir(tmp_path)
    with closing(Database.open("reviewer.db")) as database:
        fill(database, "texts", [a_bias_text(SUNK)])
        roles = {"detector": "gpt-4o", "side": "gpt-4o", "referee": "o3-mini"}
        detect(database, RunRequest("opinions", {"dataset": "texts"}, roles, "bias-texts"))
        create_study(database, "which", Design(("texts",), None, 1, raters=("anna",)))
        yield database


def detect(database: Database, request: RunRequest) -> None:
    """A run of detection, whose debate stands in the pictures."""
    prepared = prepared_case_run(database, DETECT, request)
    with serving(detecting) as server, prepared.share(server.url, CallLimits()) as share:

        async def go() -> None:
            reached = settings(server.url, QUICK_RETRIES, concurrency=1)
            async with HttpModelClient(reached, StoredCalls(database)) as client:
                await carry_to_end(prepared.carried(share, RunTools(client, server.url)))

        asyncio.run(go())


@each_pictured("keys", KEYS)
def test_detections(
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = ReviewerApp(database, "anna", "which")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))
