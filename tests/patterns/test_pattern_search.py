"""Patterns from outside are searched for in a process of their own, and never for ever."""

import re

import pytest

from reviewer.patterns import pattern_search
from reviewer.patterns.pattern_search import PatternError, PatternGivenUpError, first_match, pattern_fault

SLOW = "(a+)+$"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("b+", "aabb"),
        ("x", "aa"),
        ("(?i)É", "é"),
        ("^", ""),
        ("\ud800", "a\ud800"),
        ("\\bend\\b", "the\nend"),
    ],
)
def test_a_search_finds_what_python_finds(pattern: str, text: str) -> None:
    found = re.search(pattern, text)
    assert first_match(pattern, text) == (found.span() if found else None)


def test_a_search_ends_at_its_limit_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_search, "_MOST_SLOW", 1)
    with pytest.raises(PatternGivenUpError, match=r"more than 1 second$"):
        first_match(SLOW, "a" * 60 + "!")
    with pytest.raises(PatternGivenUpError, match="on 1 text before"):
        first_match(SLOW, "a")
    assert first_match("a+", "baa") == (1, 3)


def test_a_text_that_was_slow_counts_once_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_search, "_MOST_SLOW", 2)
    for _ in range(3):
        with pytest.raises(PatternGivenUpError, match=r"more than 1 second$"):
            first_match("(b+)+$", "b" * 60 + "!")
    assert first_match("(b+)+$", "b") == (0, 1)


def test_what_is_no_pattern_is_said_with_its_place() -> None:
    with pytest.raises(PatternError, match="position 0"):
        first_match("(", "a")
    assert pattern_fault("(").startswith("is not a regular expression: missing )")


@pytest.mark.slow
def test_a_pattern_that_tries_too_many_ways_is_told_by_a_text() -> None:
    fault = pattern_fault("^Answer: (b|bb)+$")
    assert fault == "tries too many ways to match: it took more than 1 second on 'Answer: ' and 40 times 'b'"
    assert "40 times 'xy'" in pattern_fault("(xy|xyxy)+$")
    assert pattern_fault(r"(?m)^#+ .*[Mm]ethod\b") == ""
