"""Recording what was answered, and answering from it alone."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.llm.client import open_client
from reviewer.llm.recording import ReplayClient, read_recording
from reviewer.llm.request import ChatMessage
from reviewer.llm.request_errors import NotRecorded, Stopped
from tests.llm.clients import KEY, Rows, question, settings
from tests.llm.server import Answer, in_turn, serving

HOSTILE = "\u202e[red]\0\n\x1b[31m \u2028 </think>"


async def test_a_replay_gives_what_was_recorded_and_sends_nothing(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    asks = [question(HOSTILE, repeat=n, temperature=0.5) for n in range(3)]
    with serving(lambda asked: Answer(f"<think>hm</think>{HOSTILE}{asked.number}")) as server:
        async with open_client(settings(server.url), Rows(), record=file) as client:
            live = [await client.ask(ask) for ask in (*asks, asks[0])]
    async with open_client(settings(server.url), Rows(), replay=file) as client:
        replayed = [await client.ask(ask) for ask in (*asks, asks[0])]
        assert (client.spent.sent, client.spent.from_rows) == (0, 4)
    assert [reply.text for reply in replayed] == [reply.text for reply in live]
    assert [reply.call for reply in replayed] == [reply.call for reply in live]
    assert {reply.origin for reply in replayed} == {"recording"}
    assert len(server.asked) == 3
    assert len(file.read_bytes().splitlines()) == 3
    assert KEY not in file.read_text()


async def test_a_missing_request_is_named(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text("")
    ask = question(
        messages=(ChatMessage("user", "First.\nThen: tabs or spaces?"),), purpose="decision", repeat=2
    )
    with pytest.raises(
        NotRecorded, match=r"for 'decision' to 'm1', repeat 2, which ends 'First\. Then: tabs"
    ):
        await ReplayClient(file).ask(ask)


async def test_a_stopped_replay_says_so(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text("")
    client = ReplayClient(file)
    client.stop()
    with pytest.raises(Stopped):
        await client.ask(question())


async def test_a_recording_is_carried_on_past_a_torn_line(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    rows = Rows()
    with serving(in_turn(Answer())) as server:
        for repeat in (0, 1, 1):
            async with open_client(settings(server.url), rows, record=file) as client:
                await client.ask(question(repeat=repeat))
            with file.open("ab") as torn:
                torn.write(b'{"attempts":1,"call":"00')
    with pytest.raises(InputError, match="line 3"):
        read_recording(file)
    async with open_client(settings(server.url), rows, record=file):
        pass
    assert len(read_recording(file)) == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no\n", "line 1: Invalid JSON"),
        (b'\n{"purpose": "p"}\n', "line 2: "),
        (b"\xff\n", "line 1"),
        (b"[" * 100_000 + b"\n", "line 1"),
        (b'{"attempts": 1, "surprise": 2}\n', "line 1"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_recording(file)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        *(("request", '{"temperature": NaN}'), ("request", '{"temperature": 1e400}')),
        *(("prompt_tokens", "1" + "0" * 400), ("repeat", "-1"), ("cost", "Infinity"), ("text", '"\\ud800"')),
    ],
)
def test_a_number_that_no_reply_has_is_named(tmp_path: Path, field: str, text: str) -> None:
    whole = {"request": "{}", "repeat": "0", "text": '""', "reasoning": '""', "finish_reason": '""'}
    whole |= {"purpose": '""', "prompt_tokens": "1", "completion_tokens": "1", "cost": "null"}
    whole |= {"seconds": "1", "attempts": "1", "call": '""'}
    file = tmp_path / "calls.jsonl"
    file.write_text(_line(whole))
    assert len(read_recording(file)) == 1
    file.write_text(_line({**whole, field: text}))
    with pytest.raises(InputError, match=f"line 1: ({field}|Invalid JSON)"):
        read_recording(file)


def _line(texts: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {text}' for name, text in texts.items()) + "}\n"


def test_a_recording_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.jsonl': is not there"):
        read_recording(tmp_path / "gone.jsonl")


@pytest.mark.parametrize("content", [b'{"my": "only copy"}', b"a line\nand another\n", b"\0\1\2"])
async def test_another_file_is_never_written_over(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "precious.json"
    file.write_bytes(content)
    with pytest.raises(InputError):
        async with open_client(settings("http://127.0.0.1:1/v1"), Rows(), record=file):
            pass
    assert file.read_bytes() == content
