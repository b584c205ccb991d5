"""Spans as they are kept and written, and what is said of wrong ones."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.spans import (
    NOTHING_MARKED,
    LabelledSpan,
    kept_spans,
    marks_fault,
    quoted_spans,
    read_spans,
    span_fault,
    spans_in,
)

LABELS = ("insult", "threat", "slur: race")
TEXT = "You fool, I will find you. कि fool"
SPANS = st.builds(
    lambda start, length, label: LabelledSpan(start, start + length, label),
    st.integers(0, 99),
    st.integers(1, 9),
    st.sampled_from(LABELS),
)


def test_a_text_has_a_length_that_a_file_can_have() -> None:
    assert spans_in(kept_spans(16_000_000, ())) == (16_000_000, ())
    with pytest.raises(ValueError, match="no text has 16,000,001 characters"):
        spans_in(kept_spans(16_000_001, ()))


@given(st.lists(SPANS))
def test_equal_spans_are_kept_as_equal_texts(spans: list[LabelledSpan]) -> None:
    kept = kept_spans(200, spans)
    assert kept_spans(200, reversed(spans)) == kept
    assert spans_in(kept) == (200, tuple(sorted({*spans})))
    written = "; ".join(span.written for span in spans) or NOTHING_MARKED
    assert read_spans(written, LABELS, None) == spans_in(kept)[1]


@pytest.mark.parametrize(
    "spans",
    [
        '{"a":1}',
        "[1]",
        "[[0,5]]",
        '[[5,5,"insult"]]',
        '[[-1,5,"insult"]]',
        '[[0, 5,"insult"]]',
        '[[true,5,"insult"]]',
        '[[3,5,"insult"],[0,5,"insult"]]',
        '[[0,5,"insult"],[0,5,"insult"]]',
        '[[0,10,"insult"]]',
    ],
)
def test_what_is_no_list_of_spans_is_refused(spans: str) -> None:
    with pytest.raises(ValueError, match=r"spans|ends behind the text"):
        spans_in(f'{{"length":9,"spans":{spans}}}')


@pytest.mark.parametrize(
    "answer", ["insult", "[" * 100_000, "[]", '{"spans":[]}', '{"length":-1,"spans":[]}']
)
def test_what_is_no_answer_is_refused(answer: str) -> None:
    with pytest.raises(ValueError, match=r"list|length|Expecting"):
        spans_in(answer)


def test_an_answer_is_about_a_text_of_its_length() -> None:
    assert marks_fault(TEXT, kept_spans(len(TEXT), [LabelledSpan(4, 8, "insult")])) is None
    assert marks_fault("abc", '{"length":4,"spans":[]}') == (
        "its spans are of a text of 4 characters, and this one has 3"
    )


def test_spans_are_written_with_offsets_or_words() -> None:
    fool = LabelledSpan(4, 8, "insult")
    assert read_spans("4:8:insult", LABELS, None) == (fool,)
    assert read_spans('threat "I will find you"; 4 : 8 : INSULT', LABELS, TEXT) == (
        fool,
        LabelledSpan(10, 25, "threat"),
    )
    assert read_spans("slur: race “You; fool”; ", LABELS, "You; fool") == (LabelledSpan(0, 9, "slur: race"),)
    assert read_spans('"find"', ["toxic"], TEXT) == (LabelledSpan(17, 21, "toxic"),)
    assert read_spans(NOTHING_MARKED, LABELS, TEXT) == ()
    assert quoted_spans(TEXT, [fool]) == ["insult “fool” 4:8"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('insult "fool"', "'fool' is in the text 2 times; give its offsets (4:8, 30:34)"),
        ('insult "idiot"', "'idiot' is not in the text; copy the words as they stand there"),
        ("4:8:insul", "'insul' is not a label; did you mean insult"),
        ("8:4:insult", "'8:4:insult' ends before it begins"),
        ("fool", "'fool' is not a span"),
        ('"fool"', "'' is not a label"),
    ],
)
def test_what_cannot_be_read_is_said(written: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_spans(written, LABELS, TEXT)


def test_spans_beyond_the_text_or_inside_a_letter_are_faults() -> None:
    assert span_fault(TEXT, [LabelledSpan(0, len(TEXT), "insult")]) is None
    assert span_fault("abc", [LabelledSpan(1, 9, "insult")]) == (
        "span 1:9:insult ends behind the text, which has 3 characters"
    )
    assert span_fault("कि", [LabelledSpan(0, 1, "insult")]) == (
        "span 0:1:insult cuts a letter apart: 'कि' goes from 0 to 2"
    )
