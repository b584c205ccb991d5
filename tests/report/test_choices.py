"""What a report's reader chooses: divisions, decimals, names or letters; and where its parts stand."""

import re
from functools import cache
from pathlib import Path

import pytest

from reviewer.core.table import Table
from reviewer.report.agreement_text import legend, remarks
from reviewer.report.document import Numbers, Points
from reviewer.report.report_choices import USUAL, Look
from reviewer.report.report_pages import latex_table
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import report_files, study_document
from reviewer.results.labels.agreement_results import Method, study_results, study_totals
from reviewer.results.tables.agreement_tables import ROW_NAMES, agreement_spec
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.label_rows import label_rows
from store.database import Database
from store.ledger import Ledger
from tests.judged import judged_study
from tests.studies import open_store

COMMENT = "anna and I talked"
QUICK = Method(interval="bootstrap", resamples=100)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    store = open_store(tmp_path_factory.mktemp("choices"))
    judged_study(store, per_generator=8, comment=COMMENT)
    AdjudicationSession(store, "pilot", "zoe").decide("True", "so it is")
    return store


@cache
def pages(database: Database, look: Look = USUAL, method: Method = QUICK) -> dict[str, str]:
    found = compute_statistics(load_study(database, "pilot"), Ledger(database).events("pilot"), method, look)
    return {name: str(text) for name, text in report_files(found, with_figures=False).items()}


def markdown(database: Database, look: Look = USUAL, method: Method = QUICK) -> str:
    return pages(database, look, method)["report.md"].replace("\\", "")


def test_every_generator_has_its_totals(database: Database) -> None:
    bundle = load_study(database, "pilot")
    rows = label_rows(bundle, Ledger(database).events("pilot"))
    by = ("question", "generator")
    (dimension,) = totals = study_totals(bundle, rows, by, Method())
    assert dimension == "generator"
    for mean in (each for each in totals["generator"] if each.kind == "mean of cells"):
        name = mean.where["generator"]
        cells = [
            each
            for each in study_results(bundle, rows, by, Method())
            if each.kind == "cell" and each.where["generator"] == name
        ]
        for rate in ("majority", "unanimity"):
            values = [getattr(cell, rate).value for cell in cells]
            assert getattr(mean, rate).value == pytest.approx(sum(values) / 4)
        values = [cell.coefficients["po_all_agree"].value or 0.0 for cell in cells]
        assert mean.coefficients["po_all_agree"].value == pytest.approx(sum(values) / 4)
    swapped = study_results(bundle, rows, by[::-1], Method())
    pooled = {r.where["generator"]: r for r in swapped if r.kind == "pooled"}
    for each in (each for each in totals["generator"] if each.kind == "pooled"):
        assert each.coefficients == pooled[each.where["generator"]].coefficients
    text = markdown(database)
    assert "| gpt-4o-mini | 32 |" in text
    assert "mean of the subgroups" not in text, "a reader takes it for the share over all items"


def test_a_report_is_divided_as_asked_for(database: Database) -> None:
    text = markdown(database, Look(by=("group", "question")))
    assert "Agreement by group and question" in text
    assert "Agreement and pass rates of each question" in text
    assert "--by group,question" in text
    assert "Agreement by question and generator" not in text
    undivided = markdown(database, Look(by=()))
    assert "Agreement by question\n" not in undivided
    assert "reviewer report pilot --by '' --interval" in undivided, "as the shell takes it"


def test_decimals_are_as_asked_for(database: Database) -> None:
    text = markdown(database, Look(digits=3))
    decimals = {line: re.findall(r"(?<!\w)[.]\d+", line) for line in text.splitlines()}
    assert re.search(r"Fleiss' kappa is -?\.\d{3} \(", text)
    assert sum(map(len, decimals.values())) > 100
    assert [line for line, numbers in decimals.items() if any(len(number) != 4 for number in numbers)] == []
    assert "--digits 3" in text


def test_letters_for_names_and_comments_on_request(database: Database) -> None:
    named = markdown(database)
    assert {"anna", "ben", "cara", "zoe", COMMENT} == {
        word for word in ("anna", "ben", "cara", "zoe", COMMENT) if word in named
    }
    for page in pages(database, Look(anonymous=True, comments=False)).values():
        assert not re.search(r"\b(anna|ben|cara|zoe)\b", page)
        assert COMMENT not in page
    nameless = markdown(database, Look(anonymous=True, comments=False))
    for name in ("rater A", "rater B", "rater C", "adjudicator A"):
        assert name in nameless
    assert "comments are left out" in nameless
    assert COMMENT in markdown(database, Look(anonymous=True, comments=True))
    digest = re.compile(r"digest over their digests is (\w{64})")
    assert digest.findall(named) == digest.findall(nameless), "the ledger is the same"


def test_the_numbers_do_not_depend_on_names_or_letters(database: Database) -> None:
    def table(text: str) -> str:
        return text[text.index("**Agreement by question") : text.index("n: number of items;")]

    assert table(markdown(database)) == table(markdown(database, Look(anonymous=True)))


def test_disagreements_are_listed_behind_everything_else(database: Database) -> None:
    text = markdown(database)
    parts = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert parts[-1] == "Appendix: Every item on which raters disagree"
    assert "The appendix lists each of them." in text[: text.index("## Appendix")]
    assert COMMENT not in text[: text.index("## Appendix")]
    assert "\n\\appendix\n\n\\section{Questions and guidelines" in pages(database)["report.tex"]


def test_the_studys_seed_is_printed_and_a_given_one_is_repeated(database: Database) -> None:
    text = markdown(database)
    assert "with a seed derived from the study's seed, 7" in text
    assert "--seed" not in text
    given = markdown(database, method=Method(interval="bootstrap", resamples=100, seed=11))
    assert "with the seed 11" in given
    assert "--seed 11" in given


def test_a_dash_in_any_table_has_its_reason_and_no_column_has_only_dashes(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    judged_study(store, per_generator=2, raters=("anna", "ben"))
    found = compute_statistics(load_study(store, "pilot"), Ledger(store).events("pilot"), QUICK)
    blocks = study_document(found).blocks
    reasons = " ".join(" ".join(block.items) for block in blocks if isinstance(block, Points))
    dashes = 0
    named_otherwise = ("main", "plans", "chance", "differences")
    for block in (block for block in blocks if isinstance(block, Numbers)):
        for head, *cells in zip(block.table.columns, *block.table.rows, strict=True):
            assert any(cell is not None for cell in cells), (block.name, head)
            for row, cell in zip(block.table.rows, cells, strict=True):
                place = " · ".join(str(key) for key in row[: block.keys] if key not in ROW_NAMES.values())
                if cell is None and block.name not in named_otherwise:
                    dashes += 1
                    assert re.search(rf"{re.escape(head)}(, [^;]+?)? (at|of) [^;]*{place}", reasons), place
    assert dashes


def test_a_mean_that_leaves_pairs_or_cells_out_says_so(database: Database, tmp_path: Path) -> None:
    store = open_store(tmp_path)
    judged_study(store, per_generator=16)
    bundle = load_study(store, "pilot")
    rows = label_rows(bundle, Ledger(store).events("pilot"))
    by = ("question", "generator")
    results = study_results(bundle, rows, by, Method(("light_kappa_defined_pairs",), "none"))
    cells = [each for each in results if each.kind == "cell"]
    cell = next(each for each in cells if each.coefficients["light_kappa_defined_pairs"].left_out)
    spec = agreement_spec(by, results)
    marked = [row for row in spec.for_people(results).rows if str(row[-1]).endswith("†")]
    assert (cell.where["question"], cell.where["generator"]) in {row[:2] for row in marked}
    assert any(row[2] == "mean" for row in marked)
    assert "†: this mean leaves out" in legend(spec, results)
    assert any(
        "Light's κ leaves out 1 pair of raters without a value" in each for each in remarks(results, by)
    )


def test_no_latex_table_is_shrunk_and_a_wide_one_is_split() -> None:
    wide = Table.of(("question", *(f"c{at}" for at in range(12))), [("same task", *[".50 [.40, .60]"] * 12)])
    text = latex_table(wide, "A wide one", "tab:wide", ("a note",), keys=1)
    assert "resizebox" not in text
    assert text.count("\\begin{tabular}") == text.count("(part ") == 2
    assert text.count("\n" + "question & ") == 2, "what a row is about stands in every part"
    assert text.count("a note") == 1
    assert sorted(re.findall(r"c\d+", text), key=lambda each: int(each[1:])) == [f"c{at}" for at in range(12)]
    assert "\\label{tab:wide}" in text
    long = latex_table(Table.of(("a",), [("word " * 40,)]), "c", "l")
    assert "p{17em}" in long, "a long text breaks its lines"


def test_a_latex_table_is_not_split_where_its_intervals_fit() -> None:
    """Points and brackets are little more than half as wide as digits: seven intervals fit beside a name."""
    row = ("reconstruction", 12, *[".92 [.65, .99]"] * 7)
    table = Table.of(("question", "n", *(f"c{at}" for at in range(7))), [row])
    assert latex_table(table, "It fits", "tab:fits").count("\\begin{tabular}") == 1


def test_latex_needs_standard_packages_only(database: Database) -> None:
    head, body = pages(database)["report.tex"].split("\\begin{document}")
    needed = re.findall(r"\\usepackage(?:\[.*?\])?\{(\w+)\}", re.sub(r"\\IfFileExists.*", "", head))
    standard = {"array", "booktabs", "float", "geometry", "graphicx", "inputenc", "longtable", "textcomp"}
    assert set(needed) == standard | {"fontspec"}
    assert "tiny" not in body
    assert "scriptsize" not in body
    assert "[htbp]" not in body, "every table stands by its text"


def test_paper_has_no_scroll_bar(database: Database) -> None:
    page = pages(database)["report.html"]
    style = page[page.index("@media print") : page.index("</style>")]
    assert ".wide { overflow: visible;" in style
    assert "white-space: normal" in style
    assert "<span class=ends>[" in page


def test_pairs_have_their_own_coefficients_and_margins(database: Database) -> None:
    text = markdown(database, Look(by=("pair",)), Method(("cohen_kappa",), "bootstrap", resamples=100))
    assert "interval of the share on which all raters agree" not in text
    assert "Agreement by pair" in text
