"""Pairs of answers as tests need them, as cases and as rows of a published file."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from reviewer.protocols.judge_pairs.library_protocol import JudgeLibrary
from reviewer.protocols.judge_pairs.pairs_protocol import JudgePairs
from reviewer.protocols.judge_pairs.rewrites_protocol import JudgeRewrites
from store.records import Case, JsonValue

PROTOCOL, REWRITES, BIASES = JudgePairs(), JudgeRewrites(), JudgeLibrary()


def a_row(number: int = 0, **other: JsonValue) -> dict[str, JsonValue]:
    """A row of a published file; the first answer is longer, and right in even pairs."""
    right, wrong = "AAAAA", "BBBBB"
    first, second = (right, wrong) if number % 2 == 0 else (wrong, right)
    return {
        "pair_id": f"pair-{number}",
        "original_id": number,
        "source": "mmlu-pro-law",
        "question": f"Question no. {number}: which letter is right?",
        "response_model": "writer-1",
        "response_A": f"Letter by letter, at some length, it follows that {first} is right.",
        "response_B": f"It is {second}.",
        "label": "A>B" if number % 2 == 0 else "B>A",
        **other,
    }


def a_pair(
    number: int = 0,
    *,
    first: str = "It is AAAAA.",
    second: str = "It is BBBBB.",
    source: str = "mmlu-pro-law",
    domain: str = "knowledge",
) -> Case:
    """The case of a pair."""
    payload = {"question": f"Question no. {number}?", "first": first, "second": second, "source": source}
    return PROTOCOL.case(domain, payload)


def a_rewrite(number: int = 0, *, bias: str = "Authority bias", **other: str) -> Case:
    """The case of a rewrite that keeps its result."""
    payload = {
        "question": f"Question no. {number}?",
        "chosen": "It is AAAAA.",
        "rejected": "It is plainly BBBBB.",
        "rewritten": "Experts: it's BBBBB.",
        "definition": f"Prefers what shows {bias}.",
        "source": "mmlu-pro-law",
    }
    return REWRITES.case(bias, payload | other)


def an_entry(bias: str, nearest: str = "", *, origin: str = "known") -> Case:
    """The case of an entry of a library."""
    payload = {"bias": bias, "definition": f"Prefers what shows {bias}.", "nearest": nearest}
    defined = f"Prefers what shows {nearest}." if nearest else ""
    return BIASES.case(origin, payload | {"nearest_definition": defined})


def write_lines(path: Path, rows: Iterable[Mapping[str, JsonValue]]) -> Path:
    """A file of JSON Lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path
