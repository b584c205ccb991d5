"""The command that writes a report."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Run
from tests.judged import judged_study
from tests.studies import a_study, open_store
from tests.tampering import attack


def test_the_command_writes_the_pages_and_the_figures(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra 'figures'")
    judged_study(open_store(tmp_path), per_generator=3)
    shown = run("report", "pilot", "-o", "exports/paper", "--resamples", 100)
    assert shown.code == 0, shown.err
    written = {line.removeprefix("exports/paper/") for line in shown.out.splitlines()}
    assert {"report.html", "report.md", "report.tex", "figures/agreement.pdf"} <= written
    page = (tmp_path / "exports/paper/report.html").read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml;base64,") == 4
    assert "figures/agreement.svg" in (tmp_path / "exports/paper/report.md").read_text(encoding="utf-8")


def test_a_study_of_one_rater_and_one_case_has_a_report(run: Run, tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=1)
    ReviewSession(database, "pilot", "anna").answer("True")
    old = tmp_path / "exports/pilot/figures/agreement.svg"
    old.parent.mkdir(parents=True)
    old.write_text("<svg/>")
    done = run("report", "pilot", "--no-figures")
    assert (done.code, "holds figures of an earlier report" in done.err) == (0, True)
    page = (tmp_path / "exports/pilot/report.html").read_text(encoding="utf-8")
    assert "one rater" in page


def test_the_digest_in_the_report_is_the_one_that_a_check_compares(run: Run, tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=1)
        ReviewSession(database, "pilot", "anna").answer("True")
        assert run("report", "pilot", "--no-figures").code == 0
        page = (tmp_path / "exports/pilot/report.md").read_text(encoding="utf-8")
        told = re.search(r"Digest of the study\*\*: ([0-9a-f]{64})", page)
        assert told is not None, "the report names no digest"
        same = run("store", "check", "--against", told[1])
        assert (same.code, f"is exactly as when {told[1]} was printed" in same.out) == (0, True)
        ReviewSession(database, "pilot", "anna").answer("True")
        later = run("store", "check", "--against", told[1])
        assert (later.code, "1 event came later" in later.out) == (0, True)
    attack(
        tmp_path / "reviewer.db", "DELETE FROM events", "DELETE FROM signed_counts WHERE occasion = 'report'"
    )
    gone = run("store", "check", "--against", told[1])
    assert (gone.code, "something was deleted or changed" in gone.out) == (2, True)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((), "name either a study or, with --evaluation, an evaluation run"),
        (("pilot", "--evaluation", "first"), "name either a study or, with --evaluation"),
        (("--evaluation", "first", "--by", "question"), "--by does not apply to an evaluation run"),
        (("pilot", "--passed", "pilot"), "--passed does not apply to a study"),
        (("--evaluation", "first", "--interval", "none"), "effects have intervals in any case"),
        (("--evaluation", "first"), "there is no evaluation run 'first'"),
    ],
)
def test_a_report_is_on_a_study_or_on_an_evaluation_run(
    run: Run, tmp_path: Path, given: tuple[str, ...], told: str
) -> None:
    open_store(tmp_path).close()
    refused = run("report", *given)
    assert (refused.code, told in refused.err, refused.err.count("\n")) == (2, True, 1), refused.err
    assert not (tmp_path / "exports").exists()
