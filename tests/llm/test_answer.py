"""What is taken for reasoning and what for the answer; which waits a server may ask for."""

import json
import time

import pytest

from reviewer.llm.chat_completion import read_answer, split_thought
from reviewer.llm.failure import retry_after


@pytest.mark.parametrize(
    ("content", "text", "thought"),
    [
        ("Tabs.", "Tabs.", ""),
        ("<think>Hm.</think>Tabs.", "Tabs.", "Hm."),
        ("\n<THINK>\nHm.\n</THINK>\n\nTabs.\n", "Tabs.", "Hm."),
        ("<think>a</think>Tabs, <think>b</think>mostly.", "Tabs, mostly.", "a\n\nb"),
        ("Hm.</think>Tabs.", "Tabs.", "Hm."),
        ("<think>Hm, no end", "", "Hm, no end"),
        ("<think></think>Tabs.", "Tabs.", ""),
        ("Say <think> aloud", "Say <think> aloud", ""),
    ],
)
def test_reasoning_is_split_off(content: str, text: str, thought: str) -> None:
    assert split_thought(content) == (text, thought)


def test_many_marks_without_an_end_are_split_in_one_pass() -> None:
    begun = time.process_time()
    assert split_thought("a" + "<think>" * 200_000) == ("a" + "<think>" * 200_000, "")
    assert time.process_time() - begun < 5


def test_reasoning_that_the_server_split_off_comes_first() -> None:
    assert split_thought("<think>b</think>c", "a") == ("c", "a\n\nb")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_both_names_for_reasoning_are_known(name: str) -> None:
    body = {"choices": [{"message": {"content": "c", name: "r"}, "finish_reason": "stop"}]}
    answer = read_answer(json.dumps(body).encode())
    assert (answer.content, answer.thought) == ("c", "r")


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, "stray", {"type": "text", "text": "b"}]
    body = {"choices": [{"message": {"content": parts}}]}
    assert read_answer(json.dumps(body).encode()).content == "ab"


@pytest.mark.parametrize("count", [-1, True, 1.5, "7", None, 1 << 62])
def test_counts_that_are_none_are_unknown(count: object) -> None:
    body = {"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": count}}
    assert read_answer(json.dumps(body).encode()).prompt_tokens is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "1e300"}, None),
        ({"retry-after": "Mon, 32 Foo 2020"}, None),
        ({"retry-after": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"}, None),
        ({"retry-after": "Mon, 01 Jan 2020 00:00:00 +99999999999999"}, None),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0),
        ({"retry-after": "7", "retry-after-ms": "2500"}, 2.5),
        ({"retry-after": "7", "retry-after-ms": "x"}, 7),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds
