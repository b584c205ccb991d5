"""Legends and notes of a report name only what it has."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.agreement.sample_sizes import Plan
from reviewer.core.estimate import Estimate, Interval
from reviewer.core.table import WITH_WILSON, Column, TableSpec, estimate_column, plain_column
from reviewer.report.agreement_text import intervals_in_words
from reviewer.report.answering_text import marked_differences, ways_blocks
from reviewer.report.design_section import not_drawable
from reviewer.report.diagnostics import cases_behind_items
from reviewer.report.disagreement_list import votes_in_words
from reviewer.report.document import Numbers, Points
from reviewer.report.precision_text import interval_widths, needed_cases
from reviewer.results.labels.agreement_results import AgreementResult, Kind
from reviewer.results.labels.label_provenance import LabelProvenance, label_provenance_of
from reviewer.results.labels.sample_size import CellPlan
from reviewer.results.labels.skew import Skew
from reviewer.results.tables.agreement_tables import agreement_spec, headline_spec, pass_rates_spec
from reviewer.results.tables.comparison_tables import plans_spec
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.review_session import ReviewSession
from store.ledger import Ledger
from tests.studies import a_study, open_store


def share(half: float, method: str = "bootstrap") -> Estimate:
    return Estimate(0.5, 24, interval=Interval(0.5 - half, 0.5 + half, 0.95, method))


def result(kind: Kind, *, items: int = 24, cases: int = 24, **coefficients: Estimate) -> AgreementResult:
    where = {"question": "same task" if kind == "cell" else "all"}
    rate = share(0.1)
    return AgreementResult(kind, where, items, cases, 3, 72, 0, rate, coefficients, rate, rate, 0)


@pytest.fixture
def answered(tmp_path: Path) -> tuple[StudyBundle, list[LabelRow]]:
    database = open_store(tmp_path)
    a_study(database, cases=2, questions=("same_task",))
    session = ReviewSession(database, "pilot", "anna")
    while not session.finished:
        session.answer("True")
    bundle = load_study(database, "pilot")
    return bundle, label_rows(bundle, Ledger(database).events("pilot"))


def test_rows_are_explained_where_a_table_has_them() -> None:
    cell, mean, pooled, dataset = map(result, ("cell", "mean of cells", "pooled", "dataset"))
    assert agreement_spec(("question",), [cell]).note == ""
    assert (
        agreement_spec(("question",), [cell, pooled]).note
        == "subgroup: the items of the row alone; overall: all labels of the subgroups taken together."
    )
    assert agreement_spec(("question",), [cell, mean, pooled]).note == (
        "subgroup: the items of the row alone; mean: the mean of the subgroups, each counting "
        "once; "
        "overall: all labels of the subgroups taken together."
    )
    assert agreement_spec(("question",), [cell, dataset]).note.endswith(
        "weighted: each case counts for those that it stands for among all that could be drawn."
    )


def test_intervals_of_the_dataset_are_explained_only_where_it_has_one() -> None:
    rows = [result("cell"), result("dataset")]
    bare = [rows[0], replace(rows[1], majority=Estimate(0.5, 24), unanimity=Estimate(0.5, 24))]
    assert "stratified score test" in pass_rates_spec(("question",), rows).note
    note = pass_rates_spec(("question",), bare).note
    assert "weighted: each case counts for those that it stands for" in note
    assert "ntervals" not in note


INTERVALS = {
    "one row has an interval": ((10, 12), True),
    "no row has enough cases": ((3, 9), False),
    "there is no row": ((), False),
}


@pytest.mark.parametrize("name", INTERVALS)
def test_legend_names_intervals_only_where_a_row_shows_one(name: str) -> None:
    sizes, shown = INTERVALS[name]
    column: Column[int] = estimate_column(
        "right",
        "share",
        lambda n: share(0.1) if n > 9 else Estimate(0.5, n),
        "right",
        told=f"share of right answers{WITH_WILSON}",
    )
    spec = TableSpec((plain_column("n", "integer", "size", lambda n: n, "n"), column))
    words = "right: share of right answers"
    assert spec.heads(sizes) == f"{words}{WITH_WILSON if shown else ''}."
    assert spec.heads() == f"{words}{WITH_WILSON}.", "where rows are not known"
    assert (WITH_WILSON in spec.legend(sizes)) is shown


def test_first_table_explains_its_rows() -> None:
    rows = [result("cell"), result("pooled")]
    spec = headline_spec(("question",), ("po_all_agree", "gwet_ac1"), rows, lambda _row: share(0.1))
    assert "question:" not in spec.legend(rows)
    table = spec.for_people(rows, 2)
    heads = ("question", "items", "all agree", "Gwet's AC1", "pass by majority", "pass by final label")
    assert table.columns == heads
    assert [str(row[0]) for row in table.rows] == ["same task", "all"]


def test_methods_of_intervals_name_their_columns() -> None:
    bare = [result("cell", fleiss_kappa=Estimate(0.5, 24))]
    assert intervals_in_words(bare) is None
    wilson, kappa = share(0.2, "Wilson"), share(0.2)
    assert intervals_in_words([result("cell", fleiss_kappa=kappa)]) == "Intervals at 95%: bootstrap."
    cells = [result("cell", po_all_agree=wilson, fleiss_kappa=kappa)]
    assert intervals_in_words(cells) == "Intervals at 95%: all agree: Wilson; Fleiss' κ: bootstrap."
    pooled = result("pooled", po_all_agree=kappa, fleiss_kappa=kappa)
    strata = result("dataset", po_all_agree=share(0.2, "bootstrap within strata"))
    assert intervals_in_words([*cells, pooled, strata]) == (
        "Intervals at 95%: all agree: Wilson where each case has one item, otherwise bootstrap; "
        "Fleiss' κ: bootstrap; bootstrap within strata in weighted rows."
    )


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([(12, 12)], ""),
        ([(12, 3), (12, 3)], "n counts items: the 12 items of each row come from 3 cases."),
        ([(12, 3), (16, 4)], "n counts items: those of the smallest row come from 3 cases."),
    ],
)
def test_few_cases_behind_many_items_are_named(sizes: list[tuple[int, int]], words: str) -> None:
    assert cases_behind_items([result("cell", items=items, cases=cases) for items, cases in sizes]) == words


def test_votes_name_only_conditions_that_leave_out_a_label(
    answered: tuple[StudyBundle, list[LabelRow]],
) -> None:
    _, rows = answered
    row = rows[0]
    assert votes_in_words(rows, []) == ""
    gold = replace(row, place=row.place.model_copy(update={"role": "gold"}))
    again = replace(row, verdict=replace(row.verdict, slot=replace(row.verdict.slot, showing=1)))
    after = replace(row, verdict=replace(row.verdict, slot=row.verdict.slot.second))
    assert votes_in_words([*rows, gold], []) == "Votes are the labels given on counted cases."
    assert votes_in_words([*rows, again, after], []) == (
        "Votes are the labels given at the first showing of a case, before anything was revealed."
    )


def test_what_could_not_be_drawn_is_counted(answered: tuple[StudyBundle, list[LabelRow]]) -> None:
    design = answered[0].design
    assert list(not_drawable(design, 806, 806)) == []
    assert list(not_drawable(design, 806, 790)) == [
        "16 of 806 cases could not be drawn: hand-written cases of a dataset that has generated ones."
    ]
    several = design.model_copy(update={"datasets": ("a", "b")})
    assert list(not_drawable(several, 806, 806)) == [
        "A case that several datasets hold is drawn from the first of them only."
    ]


def test_visible_panes_are_a_table_only_where_they_were_recorded(
    answered: tuple[StudyBundle, list[LabelRow]],
) -> None:
    bundle, rows = answered
    (way,) = label_provenance_of(rows)
    key = bundle.questions[0].key

    def shown(way: LabelProvenance) -> object:
        return ways_blocks(bundle, [way])[-1]

    points = shown(replace(way, panes={}))
    assert isinstance(points, Points)
    assert "Which texts of a case were visible before these answers was not recorded." in points.items[0]
    every, some = (shown(replace(way, panes={key: {"texts": count}})) for count in (2, 1))
    assert isinstance(every, Numbers)
    assert every.notes == (marked_differences(bundle),)
    assert isinstance(some, Numbers)
    assert some.notes[0].startswith("A number in brackets counts")


def plan(half_width: float, more: int, reason: str | None = None) -> CellPlan:
    numbers = Plan(0.5, None if reason else 24 + more, None if reason else more, reason)
    return CellPlan({"question": "same task"}, "cell", "fleiss_kappa", 24, half_width, numbers)


def test_plans_have_reasons_only_where_a_number_is_missing() -> None:
    heads = [column.head for column in plans_spec(("question",), [plan(0.2, 9)]).visible]
    assert heads[-1] == "more"
    assert plans_spec(("question",), [plan(0.2, 0, "no value")]).visible[-1].head == "why not"


def test_needed_cases_have_a_row_for_what_they_are_about_and_say_why_one_is_missing() -> None:
    kappa, other = plan(0.2, 9), replace(plan(0.2, 3), coefficient="gwet_ac1")
    few = replace(plan(0.2, 9), where={"question": "axioms"}, cases=9)
    undefined = replace(plan(0.2, 0, "one category"), where={"question": "axioms"}, coefficient="gwet_ac1")
    block = needed_cases(("question",), [kappa, other])
    assert block.table.columns == ("about", "cases", "Fleiss' κ", "AC1")
    assert block.table.rows == (("same task", 24, 33, 27),)
    assert block.notes == ()
    lacking = needed_cases(("question",), [kappa, other, few, undefined])
    assert lacking.table.rows[1] == ("axioms", 9, None, None)
    assert lacking.notes == ("–: fewer than 10 cases at hand do not tell; one category.",)


@pytest.mark.parametrize(
    ("of_cell", "of_whole", "words"),
    [
        (
            0.25,
            0.1,
            "is 20 percentage points wide over all items, and at most 50 in a row (“",
        ),
        (0.05, 0.1, "is 20 percentage points wide over all items."),
        (0.25, 0, "is at most 50 percentage points wide in a row of the main table (“same task”)."),
        (0, 0, "is not given, because every resample has the same value."),
        (None, None, "is not given, because no interval was computed."),
    ],
)
def test_widths_of_intervals_are_told_or_why_not(
    of_cell: float | None, of_whole: float | None, words: str
) -> None:
    cell, whole = (Estimate(0.5, 24) if half is None else share(half) for half in (of_cell, of_whole))
    rows = [result("cell", po_all_agree=cell), result("pooled", po_all_agree=whole)]
    told = next(interval_widths(rows, ("question",)))
    assert "interval of the share on which all raters agree" in told
    assert words in told


def test_why_kappa_cannot_be_above_chance_is_said_only_where_it_follows() -> None:
    skew = Skew(-0.2, 0.7, 0.6, 0.4, "True", 30, 36, 3, lone_dissents=True, complete=True)
    said = "No item has two labels other than True"
    follows = "raters who guess would agree on another label at times, so kappa cannot be above 0"
    assert f"{said}; {follows}." in skew.in_words()
    for other in (replace(skew, complete=False), replace(skew, weights="linear")):
        assert f"{said}." in other.in_words()
        assert follows not in other.in_words()
    assert said not in replace(skew, lone_dissents=False).in_words()
