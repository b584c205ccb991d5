"""What a plan says of draws from strata before any is made."""

import pytest

from reviewer.agreement.allocation import allocate
from reviewer.agreement.sample_sizes import simple_width, stratified_width
from reviewer.core.errors import RequestError
from reviewer.results.draw_plans import USUAL_TOTALS, draw_plans, guesses_in_words
from reviewer.results.tables.draw_plan_tables import draw_plans_spec
from reviewer.study.design.strata import GuessedStratum

STRATA = [GuessedStratum("one", "none", 720, 0.98), GuessedStratum("one", "serious", 80, 0.6)]
SIZES, GUESSES = [720, 80], [0.98, 0.6]


def test_each_total_has_a_simple_draw_and_every_allocation() -> None:
    plans = draw_plans(STRATA, (60, 120), 0.95)
    ways = ["simple", "equal", "proportional", "neyman"]
    assert [(plan.total, plan.allocation) for plan in plans] == [(n, way) for n in (60, 120) for way in ways]
    simple, equal, _, neyman = plans[4:]
    assert simple.width == simple_width(SIZES, GUESSES, 120, seed=0)
    assert (simple.drawn, simple.relative) == ((), 1)
    assert equal.drawn == (60, 60)
    assert neyman.drawn == allocate(SIZES, 120, "neyman", GUESSES)
    assert neyman.width == stratified_width(SIZES, GUESSES, neyman.drawn, seed=0)
    assert neyman.relative == neyman.width / simple.width < 0.8


def test_a_higher_level_is_wider() -> None:
    wide, usual = (draw_plans(STRATA, (60,), level) for level in (0.99, 0.95))
    assert all(one.width > other.width for one, other in zip(wide, usual, strict=True))


def test_usual_totals_are_those_that_can_be_drawn() -> None:
    assert {plan.total for plan in draw_plans(STRATA, (), 0.95)} == {*USUAL_TOTALS}
    small = [GuessedStratum("one", "a", 50, 0.9), GuessedStratum("one", "b", 20, 0.5)]
    assert {plan.total for plan in draw_plans(small, (), 0.95)} == {40, 60}
    tiny = [GuessedStratum("one", "a", 5, 0.9), GuessedStratum("one", "b", 4, 0.5)]
    assert {plan.total for plan in draw_plans(tiny, (), 0.95)} == {9}


@pytest.mark.parametrize(
    ("total", "wrong"), [(801, "there are 800 cases to draw"), (3, "2 strata need 4 cases, 2 of each")]
)
def test_a_total_that_cannot_be_drawn_is_a_sentence(total: int, wrong: str) -> None:
    with pytest.raises(RequestError, match=f"no such draw can be planned: {wrong}.*change --total"):
        draw_plans(STRATA, (total,), 0.95)


def test_guesses_in_words_say_what_they_make_of_the_dataset() -> None:
    words = guesses_in_words(STRATA)
    assert "none, 720 cases, .980; serious, 80 cases, .600. With these guesses, .942 of the dataset" in words
    two = [*STRATA, GuessedStratum("two", "none", 1, 1.0)]
    assert "one: none, 720 cases, .980; one: serious, 80 cases, .600; two: none, 1 case" in guesses_in_words(
        two
    )


def test_programs_have_all_digits_and_people_three() -> None:
    plans = draw_plans(STRATA, (60,), 0.95)
    spec = draw_plans_spec("95%")
    assert spec.for_programs(plans).rows[3][:3] == (60, "neyman", "43 + 17")
    assert spec.for_programs(plans).rows[3][3] == pytest.approx(plans[3].width, rel=1e-12)
    assert spec.for_people(plans).rows[3][3] == f"{plans[3].width:.3f}".removeprefix("0")
    assert spec.for_people(plans).rows[0][2] is None
