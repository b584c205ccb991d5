"""The dataset's interval on the grid of ``draw_grid``: it covers the truth, and is as wide as a plan says."""

import re
from itertools import product

import pytest

from reviewer.manual.manual_pages import manual_page
from tests.agreement.draw_grid import (
    ALLOCATIONS,
    GREATEST_COVERAGE,
    LEAST_COVERAGE,
    POPULATIONS,
    SIZES,
    GridCell,
    rows,
    simple_draws,
    simple_plan,
)


@pytest.mark.parametrize("population", ["10% flagged", "twelve groups"])
@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_interval_covers_where_strata_have_few_cases(population: str, allocation: str) -> None:
    assert GridCell(population, 60, allocation).drawn_often().coverage >= LEAST_COVERAGE


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS)
def test_interval_covers_in_every_cell(population: str) -> None:
    covered = {
        (total, how): GridCell(population, total, how).drawn_often().coverage
        for total, how in product(SIZES, ALLOCATIONS)
    }
    assert {cell: share for cell, share in covered.items() if share < LEAST_COVERAGE} == {}


@pytest.mark.parametrize("population", ["5% flagged", "four groups"])
def test_neymans_draw_is_as_good_as_planned(population: str) -> None:
    cell = GridCell(population, 120, "neyman")
    assert cell.drawn_often().width == pytest.approx(cell.planned, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("total", SIZES)
@pytest.mark.parametrize("population", POPULATIONS)
def test_draws_are_as_good_as_planned(population: str, total: int) -> None:
    for how in ("equal", "proportional", "neyman"):
        cell = GridCell(population, total, how)
        assert cell.drawn_often().width == pytest.approx(cell.planned, rel=0.1), how
    assert simple_draws(population, total).width == pytest.approx(simple_plan(population, total), rel=0.1)


@pytest.mark.slow
def test_manual_has_the_table_of_the_grid() -> None:
    assert [row for row in rows() if row not in manual_page("weighting").text.splitlines()] == []


def test_table_of_the_manual_has_every_cell_and_marks_high_coverage() -> None:
    cells = re.findall(r"\| (\**)(\d+\.\d)\**, \.\d{3}(?= \|)", manual_page("weighting").text)
    assert len(cells) == len(POPULATIONS) * len(SIZES) * (len(ALLOCATIONS) + 1)
    assert all(bool(mark) == (float(share) > 100 * GREATEST_COVERAGE) for mark, share in cells)
    assert min(float(share) for _, share in cells) >= 100 * LEAST_COVERAGE
