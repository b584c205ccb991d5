"""Alpha of spans against a plain implementation and the published example, and F1 by characters."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.agreement.bootstrap import bootstrap
from reviewer.agreement.coefficient import SPAN_COEFFICIENTS
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.unitised_alpha import (
    MarkedText,
    Unit,
    marked_by_label,
    share_with_spans,
    text_ratings,
)

unitised_alpha, character_f1 = SPAN_COEFFICIENTS["unitised_alpha"], SPAN_COEFFICIENTS["character_f1"]
Units = Sequence[Unit]
Row = Sequence[Units | None]
# Krippendorff, K. (2019), Content Analysis, figure 12.11: three observers of a continuum of length 60.
ALEX = [(0, 7, "1"), (7, 13, "2"), (30, 32, "5"), (32, 37, "6"), (37, 44, "6"), (44, 60, "7")]
PAUL = [(0, 7, "1"), (7, 13, "3"), (13, 21, "5"), (32, 44, "6")]
SUZAN = [(0, 7, "1"), (7, 13, "4"), (13, 21, "5"), (32, 37, "6"), (37, 41, "6"), (41, 44, "6")]


def sections(units: Units, length: int) -> list[tuple[int, int, str | None]]:
    """A text cut into units and gaps, from its beginning to its end."""
    cut: list[tuple[int, int, str | None]] = []
    at = 0
    for start, end, label in sorted(units):
        if start > at:
            cut.append((at, start, None))
        cut.append((start, end, label))
        at = end
    return [*cut, (at, length, None)] if at < length else cut


def by_definition(texts: Iterable[tuple[int, Row]]) -> Fraction | None:
    """Alpha from the intersections of all sections, as its definition has it; None where it is undefined."""
    apart, own = Fraction(0), 0
    totals: dict[str | None, int] = {}
    for length, row in texts:
        answers = [sections(units, length) for units in row if units is not None]
        if len(answers) < 2:
            continue
        for one, other in permutations(answers, 2):
            for start, end, value in one:
                for low, high, second in other:
                    if value != second:
                        apart += Fraction(max(0, min(end, high) - max(start, low)), len(answers) - 1)
        for start, end, value in (section for answer in answers for section in answer):
            totals[value] = totals.get(value, 0) + end - start
            own += (end - start) ** 2 if value is not None else end - start
    whole = sum(totals.values())
    chance = sum(totals[one] * totals[other] for one, other in permutations(totals, 2))
    return 1 - apart * (whole**2 - own) / (whole * chance) if chance else None


def table(texts: Sequence[tuple[int, Row]]) -> Ratings:
    """The units as they are, also those that touch."""
    return text_ratings(
        [
            [None if units is None else MarkedText(length, tuple(sorted(units))) for units in row]
            for length, row in texts
        ]
    )


def alpha_of_label(texts: Sequence[tuple[int, Row]], label: str) -> float | None:
    return unitised_alpha(marked_by_label(table(texts), "abc")[label]).value


@st.composite
def answers(draw: st.DrawFn, length: int) -> Units | None:
    """Units that do not overlap and touch at times, of labels a to c; or no answer."""
    if draw(st.booleans()) and draw(st.booleans()):
        return None
    cuts = sorted(draw(st.sets(st.integers(0, length), max_size=8)))
    return [
        (start, end, label)
        for start, end in pairwise(cuts)
        if (label := draw(st.sampled_from("abc-"))) != "-"
    ]


@st.composite
def studies(draw: st.DrawFn) -> list[tuple[int, Row]]:
    lengths = draw(st.lists(st.integers(1, 30), min_size=1, max_size=4))
    raters = draw(st.integers(2, 4))
    return [(length, [draw(answers(length)) for _ in range(raters)]) for length in lengths]


@settings(max_examples=150, deadline=None)
@given(studies())
def test_alpha_is_that_of_its_definition(texts: list[tuple[int, Row]]) -> None:
    found, expected = unitised_alpha(table(texts)), by_definition(texts)
    if expected is None:
        assert found.value is None
    else:
        assert found.value == pytest.approx(float(expected), abs=1e-12)


def test_alpha_of_the_published_example() -> None:
    published = table([(60, (ALEX, PAUL, SUZAN))])
    assert round(unitised_alpha(published).value or 0, 3) == 0.510


def test_boundaries_alone_of_the_published_example() -> None:
    """|uα, in which all labels are one: the book has 0.413 of sums that it rounds, exact sums give 0.4136."""
    alike = [[(start, end, "1") for start, end, _ in units] for units in (ALEX, PAUL, SUZAN)]
    assert unitised_alpha(table([(60, alike)])).value == pytest.approx(0.4136, abs=5e-5)


def test_touching_spans_of_one_rater_are_one_unit() -> None:
    assert MarkedText.of(60, SUZAN).units[-1] == (32, 44, "6")
    overlapping = [(5, 9, "a"), (0, 5, "a"), (7, 12, "a"), (9, 12, "b")]
    assert MarkedText.of(12, overlapping).units == ((0, 12, "a"), (9, 12, "b"))
    assert not MarkedText.of(12, [(0, 5, "a"), (5, 9, "b")]).overlaps
    assert MarkedText.of(12, [(0, 5, "a"), (4, 9, "b")]).overlaps


def test_alpha_of_one_label_takes_all_else_for_gaps() -> None:
    texts: list[tuple[int, Row]] = [(20, ([(0, 5, "a"), (8, 12, "b")], [(0, 5, "a"), (9, 12, "c")]))]
    assert alpha_of_label(texts, "a") == 1
    assert alpha_of_label(texts, "b") == pytest.approx(
        float(by_definition([(20, ([(8, 12, "b")], []))]) or 0)
    )


def test_share_of_answers_with_a_span() -> None:
    texts: list[tuple[int, Row]] = [(20, ([(0, 5, "a")], [], None)), (9, ([], [(0, 5, "b")], []))]
    assert [share_with_spans(one).value for one in marked_by_label(table(texts), "ab").values()] == [0.2, 0.2]
    assert share_with_spans(table([(9, (None, None))])).reason == "no data"


REASONS: Mapping[str, list[tuple[int, Row]]] = {
    "no data": [(9, (None, None))],
    "one rater": [(9, ([], None)), (9, ([], None))],
    "no item with two ratings": [(9, ([], None)), (9, (None, []))],
    "no spans": [(9, ([], []))],
    "everything is marked": [(9, ([(0, 9, "a")], [(0, 9, "a")]))],
    "spans of one rater overlap": [(9, ([(0, 5, "a"), (4, 9, "b")], [(0, 5, "a")]))],
}


@pytest.mark.parametrize("reason", REASONS)
def test_undefined_alpha_has_its_reason(reason: str) -> None:
    found = unitised_alpha(table(REASONS[reason]))
    assert (found.value, found.reason) == (None, reason)


def test_f1_counts_characters_that_two_raters_marked() -> None:
    texts: list[tuple[int, Row]] = [(9, ([(0, 4, "a")], [(2, 6, "a")], [(0, 4, "b")])), (9, ([], [], []))]
    # a and b share 2 of 4 + 4 characters; the third rater shares none with either.
    assert character_f1(table(texts)).value == pytest.approx(2 * 2 / (8 + 8 + 8))
    assert character_f1(marked_by_label(table(texts), "ab")["b"]).value == 0


def test_f1_takes_overlapping_spans() -> None:
    both: Units = [(0, 5, "a"), (3, 9, "b")]
    assert character_f1(table([(9, (both, both))])).value == 1


def test_f1_of_texts_without_spans_has_its_reason() -> None:
    assert character_f1(table([(9, ([], []))])).reason == "no spans"
    assert character_f1(table([(9, ([], None))])).reason == "one rater"


@pytest.mark.parametrize("key", SPAN_COEFFICIENTS)
def test_intervals_resample_texts(key: str) -> None:
    agreed: Row = ([(0, 5, "a")], [(0, 5, "a")])
    apart: Row = ([(0, 5, "a")], [(6, 9, "a")])
    mixed = table([(20, agreed), (20, apart)] * 10)
    found = bootstrap(mixed, SPAN_COEFFICIENTS[key], seed=1, resamples=200)
    assert found.interval is not None
    assert found.value is not None
    assert found.interval.low < found.value < found.interval.high
    assert bootstrap(mixed, SPAN_COEFFICIENTS[key], seed=1, resamples=200) == found
    alone = bootstrap(table([(20, apart)]), SPAN_COEFFICIENTS[key], seed=1, resamples=200)
    assert (alone.interval, alone.se_reason) == (None, "one item")


@settings(max_examples=25, deadline=None)
@given(studies())
def test_a_resample_is_the_alpha_of_the_drawn_texts(texts: list[tuple[int, Row]]) -> None:
    ratings = table(texts)
    weights = [[2.0] * len(ratings.patterns.weights)]
    doubled = SPAN_COEFFICIENTS["unitised_alpha"].values(ratings.patterns, ratings.patterns.weights * weights)
    expected = by_definition([*texts, *texts])
    assert doubled[0] == pytest.approx(float(expected)) if expected is not None else doubled[0] != doubled[0]


@pytest.mark.parametrize("unit", [(3, 3, "a"), (-1, 2, "a"), (4, 10, "a")])
def test_a_unit_outside_its_text_is_refused(unit: Unit) -> None:
    with pytest.raises(ValueError, match="of 9 characters"):
        MarkedText.of(9, [unit])
