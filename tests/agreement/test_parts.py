"""Means over cells, the spread of labels, single raters."""

from importlib import import_module

import pytest

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.krippendorff_alpha import krippendorff_alpha
from reviewer.agreement.means import mean_of
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.raters import agreement_with_others, intra_rater, leave_one_rater_out
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.shares import LabelShare, label_counts, only_lone_dissents, rater_label_shares
from reviewer.core.estimate import Estimate

NAMES = ["Ada", "Bob", "Eve"]
ROWS: list[list[bool | None]] = [
    [True, True, False],
    [True, True, True],
    [False, True, None],
    [False, False, True],
    [None, True, True],
]


def ratings() -> Ratings:
    return Ratings.from_labels(ROWS, [False, True], NAMES)


def test_mean_of_cells() -> None:
    cells = [Estimate(0.2, 40), Estimate.undefined("one category", 40), Estimate(0.6, 10)]
    mean = mean_of(cells)
    assert mean.value == pytest.approx(0.4)
    assert (mean.n, mean.left_out, mean.interval, mean.se) == (2, 1, None, None)


def test_mean_of_nothing() -> None:
    same = mean_of([Estimate.undefined("one category", 40)] * 3)
    assert (same.value, same.reason, same.n, same.left_out) == (None, "one category", 0, 3)
    mixed = mean_of([Estimate.undefined("one category", 40), Estimate.undefined("one rater", 40)])
    assert mixed.reason == "no data"
    assert mean_of([]).reason == "no data"


def test_mean_of_cells_is_not_the_pooled_value() -> None:
    halves = [ROWS[:3], ROWS[3:]]
    cells = [COEFFICIENTS["fleiss_kappa"](Ratings.from_labels(rows, [False, True])) for rows in halves]
    assert mean_of(cells).value != pytest.approx(COEFFICIENTS["fleiss_kappa"](ratings()).value, abs=0.01)


def test_share_of_labels() -> None:
    assert label_counts(ratings()) == {False: 4, True: 9}
    share = LabelShare((True,))(ratings())
    assert (share.value, share.n, share.interval) == (9 / 13, 13, None)
    assert LabelShare((True,))(Ratings.from_labels([[None]], [False, True])).reason == "no data"


def test_share_of_labels_by_rater() -> None:
    shares = rater_label_shares(ratings(), [True])
    assert {rater: (each.value, each.n) for rater, each in shares.items()} == {
        "Ada": (0.5, 4),
        "Bob": (0.8, 5),
        "Eve": (0.75, 4),
    }
    assert all(each.interval is not None and each.interval.method == "Wilson" for each in shares.values())


def test_undeclared_label_has_no_share() -> None:
    with pytest.raises(ValueError, match="'x' is not one of the categories"):
        LabelShare(("x",))(ratings())
    with pytest.raises(ValueError, match="'x' is not one of the categories"):
        PassRule(("x",)).rate(ratings())


def test_lone_dissents() -> None:
    skewed = [[True, True, True]] * 19 + [[True, False, True]]
    assert only_lone_dissents(Ratings.from_labels(skewed, [False, True]), True)
    assert not only_lone_dissents(Ratings.from_labels(skewed[:19], [False, True]), True)
    assert not only_lone_dissents(ratings(), True)


def test_leave_one_rater_out() -> None:
    without = leave_one_rater_out(ratings(), COEFFICIENTS["fleiss_kappa"])
    pairs = {"Ada": [1, 2], "Bob": [0, 2], "Eve": [0, 1]}
    for rater, columns in pairs.items():
        rows = [[row[column] for column in columns] for row in ROWS]
        assert without[rater] == COEFFICIENTS["fleiss_kappa"](Ratings.from_labels(rows, [False, True]))


def test_leave_one_of_two_out() -> None:
    two = Ratings.from_labels([[True, True], [True, False]], [False, True], ["Ada", "Bob"])
    assert {each.reason for each in leave_one_rater_out(two, COEFFICIENTS["po_all_agree"]).values()} == {
        "one rater"
    }


def test_agreement_with_the_others_by_hand() -> None:
    got = agreement_with_others(ratings())
    assert got["Ada"].value == pytest.approx((1 / 2 + 1 + 0 + 1 / 2) / 4)
    assert got["Eve"].value == pytest.approx((0 + 1 + 0 + 1) / 4)
    assert (got["Bob"].n, got["Eve"].n) == (5, 4)
    assert got["Ada"].se == pytest.approx(0.2041241452319315)


def test_agreement_of_a_lonely_rater() -> None:
    rows = [[True, None, None], [None, True, None]]
    got = agreement_with_others(Ratings.from_labels(rows, [False, True], NAMES))
    assert {rater: each.reason for rater, each in got.items()} == {
        "Ada": "no item with two ratings",
        "Bob": "no item with two ratings",
        "Eve": "no data",
    }


def test_rater_against_themselves() -> None:
    got = intra_rater([True, True, False, None, False], [True, False, False, True, False], [False, True])
    assert (got.agreement.value, got.agreement.n) == (0.75, 4)
    assert got.kappa.value == pytest.approx(0.5)
    assert intra_rater([], [], [False, True]).agreement.reason == "no data"
    assert intra_rater([True, None], [None, True], [False, True]).kappa.reason == "no item with two ratings"


def test_alpha_is_the_package_s(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = krippendorff_alpha(ratings()).value
    monkeypatch.setattr("krippendorff.alpha", lambda **_: 0.125)
    assert krippendorff_alpha(ratings()).value == 0.125
    monkeypatch.setattr(import_module("reviewer.agreement.krippendorff_alpha"), "_PACKAGE_CELLS", 19)
    assert krippendorff_alpha(ratings()).value == pytest.approx(formula, abs=1e-12)


def test_light_counts_the_pairs_that_it_leaves_out() -> None:
    rows = [[True, True, True]] * 9 + [[False, True, True]]
    skewed = Ratings.from_labels(rows, [False, True])
    assert COEFFICIENTS["light_kappa_defined_pairs"](skewed).left_out == 1
    assert COEFFICIENTS["light_kappa_defined_pairs"](skewed).se_reason == "no analytic formula"
    assert COEFFICIENTS["light_kappa"](skewed).reason == "one category"


@pytest.mark.parametrize("level", [0, 1, 95])
def test_confidence_level_is_a_share(level: float) -> None:
    for estimate in (COEFFICIENTS["fleiss_kappa"], COEFFICIENTS["po_all_agree"]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            estimate(ratings(), level)


def test_titles_are_those_of_the_field() -> None:
    assert COEFFICIENTS["fleiss_kappa"].title == "Fleiss' kappa"
    assert len({each.title for each in COEFFICIENTS.values()}) == len(COEFFICIENTS)


def test_estimate_is_a_value_or_a_reason() -> None:
    for value, reason in ((None, None), (0.5, "one rater")):
        with pytest.raises(ValueError, match="either a value or the reason"):
            Estimate(value, 3, reason)
    with pytest.raises(ValueError, match="standard error"):
        Estimate(0.5, 3, se=0.1, se_reason="one item")


def test_several_labels_can_pass() -> None:
    rated = Ratings.from_labels(
        [["4", "5", "4"], ["5", "5", "1"], ["4", "5", "2"], ["1", "1", "5"], ["4", "5", None]], "12345"
    )
    majority, unanimity = PassRule(("4", "5")).rate(rated), PassRule(("4", "5"), unanimous=True).rate(rated)
    assert (majority.passed, majority.undecided) == (2, 2), "4 and 5 make no majority label together"
    assert unanimity.passed == 1, "two passing labels of one item may differ, if one of them has a majority"
    assert LabelShare(("4", "5"))(rated).value == 10 / 14
