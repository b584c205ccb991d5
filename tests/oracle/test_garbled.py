"""A child's reply is the word of an enemy: what cannot be a reply is a garbled result, and nothing worse."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from reviewer.oracle import pool
from reviewer.oracle.decode import GarbledError, decode
from reviewer.oracle.examination import Examination, examine
from reviewer.oracle.jail import FULL
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Status
from reviewer.oracle.workers import Ending, Worker
from tests.oracle.programs import HONEST, asking, assert_honest

LIES = HONEST.with_facts(HONEST.facts + "% forged\n")


@pytest.fixture(scope="module")
def honest() -> bytes:
    """The reply to the honest program, as a child wrote it."""
    worker = Worker(FULL)
    try:
        return worker.ask([HONEST]).replies[0]
    finally:
        worker.close()


def nested(depth: int) -> list[Any]:
    node: list[Any] = ["fact", "a", None, []]
    for _ in range(depth):
        node = ["rule", "a", None, [node]]
    return [node]


def with_field(name: str, value: object) -> Callable[[bytes], bytes]:
    return lambda reply: json.dumps({**json.loads(reply), name: value}).encode()


def with_raw(name: str, value: str) -> Callable[[bytes], bytes]:
    """With a value that Python would not write."""
    return lambda reply: with_field(name, "@")(reply).replace(b'"@"', value.encode())


def without(name: str) -> Callable[[bytes], bytes]:
    return lambda reply: json.dumps({k: v for k, v in json.loads(reply).items() if k != name}).encode()


FORGED: dict[str, Callable[[bytes], bytes]] = {
    "infinite seconds": with_raw("cpu", "Infinity"),
    "seconds beyond any number": with_raw("cpu", "1e999"),
    "infinite steps": with_raw("steps", "-Infinity"),
    "no number": with_raw("depth", "NaN"),
    "a count of 400 digits": with_field("raw", [int("9" * 400), 7, 0, 0]),
    "a count of 5,000 digits": with_raw("raw", "[" + "9" * 5_000 + ", 7, 0, 0]"),
    "a count that is text": with_field("raw", ["20", 7, 0, 0]),
    "a count that is a truth value": with_field("raw", [True, 7, 0, 0]),
    "a count with a fraction": with_field("raw", [20.5, 7, 0, 0]),
    "a count far below nothing": with_field("raw", [-(10**6), 7, 0, 0]),
    "too few counts": with_field("raw", [20, 7]),
    "no counts": without("raw"),
    "half a character in the choice": with_field("choice", "\ud800"),
    "half a character in an error": with_field("error", "\udfff"),
    "half a character in a solution": with_field("solutions", ["\ud800"]),
    "a NUL in the choice": with_field("choice", "a\x00b"),
    "a choice of a million characters": with_field("choice", "a" * 10**6),
    "a choice that is a list": with_field("choice", ["option_A"]),
    "a choice that is a number": with_field("choice", 3),
    "no choice": without("choice"),
    "a decision of a program without one": with_field("status", "no_solution"),
    "a status that only the parent gives": with_field("status", "killed"),
    "a status that is none": with_field("status", "fine"),
    "more solutions than are asked for": with_field("solutions", ["a"] * 1_000),
    "a clause that is not there": with_field("proof", [["fact", "a", 10**4, []]]),
    "a clause before the first": with_field("proof", [["fact", "a", -1, []]]),
    "a clause of 400 digits": with_field("proof", [["fact", "a", int("9" * 400), []]]),
    "a failing clause that is not there": with_field("failures", [["a", "fails", [["g", 999, "body"]]]]),
    "a proof without end": with_field("proof", nested(200)),
    "a proof deeper than Python": lambda reply: reply.replace(
        b'"proof":[', b'"proof":' + b"[" * 50_000 + b"]" * 50_000 + b', "p":['
    ),
    "a proof without measures": without("depth"),
    "a proof of a program that decides nothing": lambda reply: with_field("status", "error")(
        without("choice")(reply)
    ),
    "a clause beyond the text": with_field("clauses", [[0, 10**6, 1, "fact", "a/1", "", True]]),
    "a clause that ends before it begins": with_field("clauses", [[9, 5, 1, "fact", "a/1", "", True]]),
    "a clause of another kind": with_field("clauses", [[0, 5, 1, "virus", "a/1", "", True]]),
    "a clause that is half loaded": with_field("clauses", [[0, 5, 1, "fact", "a/1", "", "yes"]]),
    "a message beyond the text": with_field("messages", [["syntax", 10**8, "x"]]),
    "messages without end": with_field("messages", [["syntax", 1, "x"]] * 500),
    "a message of another kind": with_field("messages", [["\x1b[31m", 1, "x"]]),
    "a finding of another severity": with_field("findings", [["serious", "hook", "x", 0]]),
    "a field that is none": with_field("verdict", "true"),
    "a list": lambda reply: b"[" + reply + b"]",
    "half a reply": lambda reply: reply[: len(reply) // 2],
    "two replies": lambda reply: reply + reply,
}


ROW = [0, 5, 1, "fact", "a/1", "", True]
FORGED |= {
    "nothing": lambda _: b"",
    "blanks": lambda _: b" \n ",
    "null": lambda _: b"null",
    "true": lambda _: b"true",
    "a number": lambda _: b"0",
    "a string": lambda _: b'"ok"',
    "no fields": lambda _: b"{}",
    "bytes that are no text": lambda _: bytes(range(128, 256)),
    "a mark before it": lambda reply: b"\xef\xbb\xbf" + reply,
    "a NUL behind it": lambda reply: reply + b"\0",
    "brackets without end": lambda _: b"[" * 900_000,
    "objects without end": lambda _: b'{"a":' * 180_000,
    "a key twice, the second of another type": lambda reply: reply[:-1] + b', "choice": 3}',
    "a status twice": lambda reply: reply[:-1] + b', "status": "refused"}',
    "a field of Python's own": with_field("__class__", "Result"),
    "another model's field": with_field("model_config", {"extra": "allow"}),
    "a status in capitals": with_field("status", "OK"),
    "a status of a list": with_field("status", ["ok"]),
    "a status that is null": with_field("status", None),
    "negative seconds": with_field("cpu", -1),
    "seconds that are text": with_field("cpu", "0.1s"),
    "seconds of 400 digits": with_raw("cpu", "9" * 400),
    "seconds that are a list": with_field("cpu", [0.1]),
    "a depth with a fraction": with_field("depth", 2.5),
    "steps that are true": with_field("steps", True),
    "steps of 400 digits": with_raw("steps", "9" * 400),
    "a clause without a place": with_field("clauses", [["fact", "a/1", "", True]]),
    "a clause with one value more": with_field("clauses", [[*ROW, True]]),
    "a clause at a fraction": with_field("clauses", [[0.5, *ROW[1:]]]),
    "a clause at minus infinity": with_raw("clauses", '[[-Infinity, 5, 1, "fact", "a/1", "", true]]'),
    "clauses as an object": with_field("clauses", {"0": ROW}),
    "a hundred thousand clauses and one": with_field("clauses", [ROW] * 100_001),
    "a finding without a place": with_field("findings", [["stop", "hook", "x"]]),
    "a finding beyond the text": with_field("findings", [["stop", "hook", "x", 10**9]]),
    "a finding of a kind with a space": with_field("findings", [["stop", "a b", "x", 0]]),
    "a finding with a NUL": with_field("findings", [["stop", "hook", "\x00", 0]]),
    "a message of half a character": with_field("messages", [["syntax", 1, "\ud83d"]]),
    "a message before the text": with_field("messages", [["syntax", -2, "x"]]),
    "an end that is a number": with_field("end", 7),
    "an end with half a character": with_field("end", "error: \udc00"),
    "an undefined name that is null": with_field("undefined", [None]),
    "an undefined name of a million characters": with_field("undefined", ["a" * 10**6]),
    "more reasons than options": with_field("failures", [["a", "fails", []]] * 3),
    "a proof that is text": with_field("proof", "fact"),
    "a step of a proof without steps below": with_field("proof", [["fact", "a", None]]),
    "a step of another kind": with_field("proof", [["\u001b[2J", "a", None, []]]),
    "a choice of the proof with a NUL": with_field("proof_choice", "\x00"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_cannot_be_a_reply_is_garbled(forged: str, honest: bytes) -> None:
    decode(honest, HONEST, "9.0.4")
    with pytest.raises(GarbledError) as told:
        decode(FORGED[forged](honest), HONEST, "9.0.4")
    assert len(str(told.value)) < 200


@pytest.fixture
def forged(honest: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every child that runs the lying program forges its reply."""
    ask = Worker.ask

    def lied(self: Worker, programs: list[Program]) -> Ending:
        ending = ask(self, programs)
        replies = [
            FORGED["half a character in the choice"](honest) if program.facts == LIES.facts else reply
            for program, reply in zip(programs, ending.replies, strict=True)
        ]
        return replace(ending, replies=tuple(replies))

    monkeypatch.setattr(Worker, "ask", lied)


@pytest.mark.usefixtures("forged")
def test_a_garbled_reply_is_a_result_and_harms_no_neighbour() -> None:
    before, liar, after = pool.run_case([HONEST, LIES, HONEST])
    assert (liar.status, liar.ran, liar.choice, liar.counts) == (Status.GARBLED, False, None, None)
    assert "garbled" in (liar.stopped_by or "")
    assert_honest(before)
    assert_honest(after)


@pytest.mark.usefixtures("forged")
def test_a_case_with_a_garbled_reply_is_examined() -> None:
    evidence = examine(Examination(LIES, HONEST, ("option_A", "option_B")))
    assert (evidence.first.status, evidence.second.status) == (Status.GARBLED, Status.OK)
    assert evidence.variants == ()


def test_two_replies_for_one_program_are_garbled(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Worker.ask

    def doubled(self: Worker, programs: list[Program]) -> Ending:
        ending = ask(self, programs)
        return replace(ending, replies=(*ending.replies, *ending.replies))

    monkeypatch.setattr(Worker, "ask", doubled)
    assert pool.run(asking("decide_option(user, a).")).status is Status.GARBLED
