"""Questions of several scales: a table of agreement for each, without columns that apply to none."""

import csv
import io
from pathlib import Path

import pytest

from reviewer.report.agreement_text import agreement_tables, remarks
from reviewer.report.diagnostics import scaled_tables
from reviewer.report.report_statistics import compute_statistics
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.tables.agreement_tables import by_scale
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from store.database import Database
from tests.cli.conftest import Run
from tests.second_protocol.test_scales import GRADED, database, graded

__all__ = ["database", "graded"]
BARE = Method(interval="none")


def test_each_scale_has_a_table_of_its_own_without_empty_columns(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    by = ("question",)
    results = study_results(bundle, label_rows(bundle, events), by, BARE)
    parts = by_scale(results)
    assert [{result.form for result in part} for part in parts] == [{"nominal"}, {"ordinal"}, {"mixed"}]
    nominal, *ordinal, mixed = agreement_tables(results, by)
    assert list(nominal.columns[3:]) == ["all agree", "pairwise", "Fleiss' κ", "α", "AC1"]
    assert not {"κ", "α", "AC1"} & {column for table in ordinal for column in table.columns}
    assert (list(mixed.columns[3:]), mixed.rows[0][0]) == (["all agree"], "all")
    for table in (nominal, *ordinal, mixed):
        assert all(cell not in (None, "", "–") for column in zip(*table.rows, strict=True) for cell in column)
    assert not [remark for remark in remarks(results, by) if "different labels" in remark]


def test_a_report_divides_groups_by_question_where_labels_differ(database: Database, run: Run) -> None:
    bundle, events = read_study(database, "pilot")
    statistics = compute_statistics(bundle, events, BARE)
    assert statistics.groups_by == ("question", "group")
    groups = {result.where["group"] for result in statistics.groups}
    assert len(groups) > 2
    tables = scaled_tables("groups", "Agreement", statistics.groups, statistics.groups_by, ["note"], 3)
    assert [table.name for table in tables][:2] == ["groups", "groups-2"]
    assert [table.caption for table in tables][:2] == [
        "Agreement: labels without an order",
        "Agreement: labels in order",
    ]
    assert [table.notes for table in tables][-1] == ("note",)


def test_markdown_and_latex_have_all_tables(database: Database, run: Run, tmp_path: Path) -> None:
    plain = ("agreement", "pilot", "--by", "question", "--interval", "none", "--format")
    markdown = run(*plain, "markdown", protocols=GRADED).out
    assert markdown.count("| question") >= 3
    latex = run(*plain, "latex", protocols=GRADED).out
    assert "\\label{tab:pilot}" in latex
    assert "\\label{tab:pilot-2}" in latex


@pytest.mark.usefixtures("database")
def test_differences_stand_by_question_where_labels_differ(run: Run) -> None:
    plain = ("agreement", "pilot", "--differences", "--by", "group")
    shown = run(*plain, protocols=GRADED)
    (found,) = [
        line.split() for line in shown.out.splitlines() if line.startswith("fit") and "majority" in line
    ]
    assert found[:7] == ["fit", "majority", "trains", "tea", ".67", ".00", ".67°"]
    told = " ".join(shown.err.split())
    assert "Questions have different labels, so each has rows of its own." in told
    assert "Undefined (no label counts as a pass): No label of the question counts as a pass." in told
    (row, _) = csv.DictReader(io.StringIO(run(*plain, "--format", "csv", protocols=GRADED).out))
    assert (row["measure"], row["test_undefined"]) == ("majority", "questions with different labels")
    assert "question" not in row, "programs read what 1.0 wrote"
