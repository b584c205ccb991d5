"""Clauses and the words that they encode."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.oracle.word_links import encodings

TEXT = "The team requests a refactoring; reliability is needed. Ship it (in 2 days)?"
NONE: frozenset[str] = frozenset()


def found(source: str, text: str = TEXT, left_out: frozenset[str] = NONE) -> list[tuple[str, list[str]]]:
    return [
        (source[each.start : each.end], [text[word.start : word.end] for word in each.words])
        for each in encodings(source, text, left_out)
    ]


def test_parts_of_names_are_found_by_their_stems() -> None:
    source = "teamRequested(refactor).\nreliable(option_a) :-\n  ships(X), % team\n  X > 2."
    assert found(source) == [
        ("teamRequested(refactor).", ["team", "requests", "refactoring"]),
        ("reliable(option_a) :-\n  ships(X), % team\n  X > 2.", ["reliability", "Ship"]),
    ]


def test_what_is_not_in_the_text_has_no_words_and_what_has_no_names_says_so() -> None:
    source = "budget(high).\nteam(option_b).\nis(X, 3).\n"
    names = [(each.line, bool(each.words), each.nameless) for each in encodings(source, TEXT, NONE)]
    assert names == [(1, False, False), (2, True, False), (3, False, True)]
    assert [each.nameless for each in encodings("team.", TEXT, frozenset({"teams"}))] == [True]


def test_directives_remarks_variables_and_quoted_stops_are_read_as_what_they_are() -> None:
    source = ":- consult('axioms').\n/* team. */\np('a. team. b', Team, 1.5)."
    assert found(source) == [("p('a. team. b', Team, 1.5).", ["team"])]


@given(st.text("ab_TX'\"%/*.:- \n()é", max_size=60), st.text("ab tX\n", max_size=40))
def test_any_text_can_be_read(source: str, text: str) -> None:
    at = 0
    for each in encodings(source, text, NONE):
        assert at <= each.start < each.end <= len(source)
        assert source[each.start].strip()
        at = each.end
        assert all(text[word.start : word.end].isalpha() for word in each.words)
