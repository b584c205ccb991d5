"""Prolog text read as data in Python, where no Prolog runs."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.oracle.terms import Term, UnreadableError, read_term, written


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("p(X, _, 'it''s', \"t\", [a, B|C]).", "p(X, _, 'it''s', \"t\", [a, B | C])"),
        ("a:-b,\\+c,X\\=Y;d->e.", "a :- b, \\+ c, X \\= Y ; d -> e"),
        ("1-(2-3)", "1 - (2 - 3)"),
        ("1-2-3", "1 - 2 - 3"),
        ("- 1 + -2", "- 1 + -2"),
        ("\\+ (a, !)", "\\+ (a, !)"),
        ("p((a :- b), (c, d))", "p((a :- b), (c, d))"),
        ("[]", "[]"),
        ("x % comment\n = /* more */ 0'a", "x = 0'a"),
        (":- dynamic p/1.", ":- dynamic p / 1"),
        ("f(-)", "f(-)"),
    ],
)
def test_what_is_read_is_written_again(text: str, again: str) -> None:
    assert written(read_term(text)) == again


@pytest.mark.parametrize(
    "text", ["", "p(", "p q", "p(1)) ", "a = b = c", "p(.", "'open", "(" * 300 + "a" + ")" * 300, "a,"]
)
def test_what_it_does_not_know_is_not_guessed(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_term(text)


leaves = st.one_of(
    st.builds(
        lambda name: Term("atom", name), st.sampled_from(["a", "option_A", "it's", "[]x", "é", "Upper", "!"])
    ),
    st.builds(lambda number: Term("number", str(number)), st.integers(0, 99)),
    st.builds(lambda name: Term("variable", name), st.sampled_from(["X", "_", "_Y2"])),
)
NAMES = st.sampled_from(["p", "it's", "[]", "Upper"])
INFIX = st.sampled_from([",", ";", ":-", "=", "\\=", "is", "+", "-", "->", "^", "*", ":"])
PREFIX = st.sampled_from(["\\+", "-", ":-"])


def of(
    names: st.SearchStrategy[str], inner: st.SearchStrategy[Term], least: int, most: int
) -> st.SearchStrategy[Term]:
    arguments = st.lists(inner, min_size=least, max_size=most).map(tuple)
    return st.builds(lambda name, args: Term("compound", name, args), names, arguments)


terms = st.recursive(
    leaves,
    lambda inner: st.one_of(
        of(NAMES, inner, 1, 3),
        of(INFIX, inner, 2, 2),
        of(PREFIX, inner, 1, 1),
        st.builds(lambda items: Term("list", "", tuple(items)), st.lists(inner, max_size=3)),
    ),
    max_leaves=12,
)


@given(terms)
def test_every_term_survives_writing_and_reading(term: Term) -> None:
    assert read_term(written(term)) == term


@given(st.text("aX_ ,.:-\\+=()[]|'\"!%1\n", max_size=60))
def test_no_text_does_harm(text: str) -> None:
    with suppress(UnreadableError):
        assert read_term(text).end <= len(text)
