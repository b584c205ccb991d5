"""CONTRIBUTING.md answers "Where is …?": every path that it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`((?:reviewer|store|seeds|tests|exports)/[^`\s]*)`")
QUESTION = re.compile(r"^\| (?:Where|What) .*\? \| .*`.+`", re.MULTILINE)


def missing_paths(text: str) -> list[str]:
    """Paths of ours that a text names in code marks, and that are not there."""
    return [path for path in NAMED.findall(text) if not (ROOT / path).exists()]


def test_every_path_of_the_map_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(NAMED.findall(text)) > 40
    assert missing_paths(text) == []


def test_a_path_that_does_not_exist_is_found() -> None:
    assert missing_paths("See `store/ledger.py` and `store/nowhere.py`.") == ["store/nowhere.py"]


def test_twenty_questions_have_an_answer() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(QUESTION.findall(text)) >= 20
