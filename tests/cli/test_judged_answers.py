"""Judges of a study of answers: tables of the drawn answers, and one sentence where there are no numbers."""

import csv
import io
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import SampledCase
from tests.answered_runs import an_answered_run
from tests.asked_judges import judged_by
from tests.cli.conftest import Run
from tests.judged import judged_study

RATERS = ("anna", "ben", "cy")


def noticed(number: int) -> bool:
    """What every rater finds in the answer at this place of the sample."""
    return number % 4 != 0


def judged_to_notice(case: SampledCase, question: str, repeat: int) -> str:
    """Two of three replies agree with the raters, or all of them in every second answer."""
    says = noticed(case.place) if case.place % 2 or repeat else not noticed(case.place)
    return f"So.\nAnswer: {1 if says else 2}"


@pytest.fixture
def run_study(run: Run, tmp_path: Path) -> Run:
    """A study of eight answers of a run, up to two of a case, that three raters and a judge have done."""
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        an_answered_run(database)
    new = ("study", "new", "why", "--answers", "first", "--per-group", "2", "--per-case", "2")
    raters = [part for rater in RATERS for part in ("--rater", rater)]
    made = run(*new, "--question", "notices", *raters)
    assert made.code == 0, made.err
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        prepared = judged_by(database, "why", reply_of=judged_to_notice, repeats=3)
        found = {case.digest: noticed(case.place) for case in prepared.sample}
        for rater in RATERS:
            session = ReviewSession(database, "why", rater)
            while not session.finished:
                session.answer("yes" if found[session.slots[session.position].case] else "no")
    return run


def rows(run: Run, *options: str) -> list[dict[str, str]]:
    shown = run("judges", "why", "--by", "", *options, "--format", "csv")
    assert shown.code == 0, shown.err
    return list(csv.DictReader(io.StringIO(shown.out)))


def test_a_judge_is_held_to_the_experts_on_the_drawn_answers(run_study: Run) -> None:
    (against,) = rows(run_study)
    assert (against["compared"], against["accuracy"]) == ("8", "1.0")
    (label,) = rows(run_study, "--by-label")
    assert [label[name] for name in ("label", "both", "opinion_only", "final_only", "neither")] == [
        *("yes", "6", "0", "0", "2"),
    ]
    votes = {row["votes"]: (row["items"], row["confirmed"]) for row in rows(run_study, "--reliability")}
    assert votes == {
        "0 of 3": ("0", ""),
        "1 of 3": ("2", "0.0"),
        "2 of 3": ("2", "1.0"),
        "3 of 3": ("4", "1.0"),
    }
    replaced = run_study("judges", "why", "--by", "", "--replace")
    assert replaced.code == 0
    assert "not tested. The test needs 3 raters, each with 30 items" in replaced.out + replaced.err
    assert "Up to 2 of these answers are about the same case of the run." in replaced.out + replaced.err


def test_there_are_no_shares_from_judges_of_answers(run_study: Run) -> None:
    refused = run_study("judges", "why", "--shares")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: study 'why' reviews answers of models, which had different chances")
    assert "see `reviewer answers why`" in refused.err
    assert len(refused.err.splitlines()) == 1
    assert run_study("report", "why", "--no-figures", "-o", "report").code == 0
    report = Path("report/report.md").read_text(encoding="utf-8")
    assert "Shares of the whole dataset are not given. Study 'why' reviews answers of models" in report
    assert "Up to 2 of these answers are about the same case of the run." in report


@pytest.mark.parametrize(
    "command",
    [
        ("outcomes", "export", "why-judges", "-o", "out"),
        ("report", "--evaluation", "why-judges"),
        ("study", "new", "again", "--answers", "why-judges"),
        ("effects", "why-judges"),
    ],
)
def test_a_run_of_judges_is_no_evaluation(run_study: Run, command: tuple[str, ...]) -> None:
    refused = run_study(*command)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "Error: run 'why-judges' keeps what judges answered in study 'why', and is no evaluation; see "
        "`reviewer judges why`, or write its files with `reviewer export why`.\n"
    )


def test_the_answers_of_the_run_are_judged_as_a_dataset(run_study: Run) -> None:
    """What the command says to do leads to the same cases: the drawn ones have the same content."""
    ask = ("judges", "ask", "why", "--model", "judge-1", "--dry-run", "--base-url", "http://127.0.0.1:1")
    told = run_study(*ask, "--all-of", "first")
    assert told.code == 2
    assert "write its answers as cases with `reviewer outcomes cases first`" in told.err
    Path("first.jsonl").write_text(run_study("outcomes", "cases", "first").out, encoding="utf-8")
    assert run_study("import", "first.jsonl", "--dataset", "first-cases").code == 0
    planned = run_study(*ask, "--all-of", "first-cases", "--format", "csv")
    assert planned.code == 0, planned.err
    assert next(csv.DictReader(io.StringIO(planned.out)))["calls"] == str(64 * 5)
    with closing(Database.open("reviewer.db")) as database, database.read() as session:
        drawn, written = (
            {case for (case,) in session.connection().exec_driver_sql(_CASES, (name,))}
            for name in ("why-answers", "first-cases")
        )
    assert drawn < written


def test_a_pooled_report_says_that_it_leaves_out_judges(run: Run, tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        for name in ("one", "two"):
            judged_study(database, name, per_generator=2, generators=("zeta",), raters=("anna",))
        pooled = ("report", "one", "--pool", "two", "--no-figures", "-o", "report")
        assert "judges" not in run(*pooled).err
        judged_by(database, "two")
    told = run(*pooled)
    assert told.code == 0, told.err
    assert "A report of pooled studies leaves out judges that were asked" in told.err


_CASES = 'SELECT "case" FROM memberships WHERE dataset = ?'
