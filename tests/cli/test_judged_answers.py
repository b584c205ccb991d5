"""Judges of a study of answers: tables of the drawn answers, and one sentence where there are no numbers."""

import csv
import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.agreement.proportions import proportion
from reviewer.core.estimate import Estimate
from reviewer.results.labels.agreement_results import IntervalKind, Method, study_results
from reviewer.results.labels.asked_judges import asked_judges
from reviewer.results.labels.final_labels import FinalLabel, final_labels
from reviewer.results.labels.judge_results import judge_results, judged_items
from reviewer.results.labels.judges_by_label import confirmed_votes, judges_by_label
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import SampledCase
from tests.answered_runs import MODELS, an_answered_run
from tests.asked_judges import judged_by
from tests.cli.conftest import Run
from tests.judged import judged_study
from tests.llm.server import Answer, Asked, serving
from tests.rounds import mostly_slow
from tests.studies import a_case, fill

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


def test_shares_of_a_run_need_a_judge_of_all_its_answers(run_study: Run) -> None:
    refused = run_study("judges", "why", "--shares")
    assert (refused.code, refused.out) == (2, "")
    assert "no judge was asked about all answers from which study 'why' was drawn" in refused.err
    assert "`reviewer judges ask why --all-of first --model NAME`" in refused.err
    assert len(refused.err.splitlines()) == 1
    assert run_study("report", "why", "--no-figures", "-o", "report", "--interval", "none").code == 0
    report = Path("report/report.md").read_text(encoding="utf-8")
    assert "Shares beyond the drawn cases are not given. No judge was asked about all answers" in report
    assert "Up to 2 of these answers are about the same case of the run." in report


def test_a_judge_of_all_answers_gives_four_shares_of_the_run(run_study: Run) -> None:
    """The judge says yes to half of the 64 outcomes, as experts do to 6 of the 8 drawn ones."""
    with closing(Database.open("reviewer.db")) as database:
        drawn = {place.case: place for place in load_study(database, "why").sample}

        def says(case: SampledCase, question: str, repeat: int) -> str:
            place = drawn.get(case.digest)
            return f"So.\nAnswer: {1 if (noticed(place.position) if place else case.place % 2) else 2}"

        prepared = judged_by(database, "why", ("judge-2",), says, all_of="first")
        yes = sum(
            noticed(drawn[case.digest].position) if case.digest in drawn else case.place % 2
            for case in prepared.sample
        )
    assert (len(prepared.sample), prepared.sample[0].dataset) == (64, "why-all-answers")
    shown = run_study("judges", "why", "--shares", "--format", "csv")
    assert shown.code == 0, shown.err
    shares = {
        row["estimate"]: row for row in csv.DictReader(io.StringIO(shown.out)) if "judge-2" in row["opinion"]
    }
    alone, experts, tuned = (shares[name] for name in ("judge", "experts", "tuned"))
    assert float(alone["share"]) == pytest.approx(yes / 64)
    assert alone["judged"] == alone["cases"] == "64"
    told = next(
        row
        for row in csv.DictReader(io.StringIO(run_study("answers", "why", "--by", "", "--format", "csv").out))
        if row["label"] == "yes"
    )
    assert float(experts["share"]) == pytest.approx(float(told["share"]))
    # The judge agrees with the experts on all drawn answers, so the difference is 0.
    assert float(tuned["share"]) == pytest.approx(yes / 64)
    by_generator = run_study("judges", "why", "--shares", "--by", "generator", "--format", "csv")
    assert {"zeta-1", "omicron-2"} <= {
        row["generator"] for row in csv.DictReader(io.StringIO(by_generator.out))
    }
    refused = run_study("judges", "why", "--shares", "--by", "dataset")
    assert (refused.code, "divided by group and generator" in refused.err) == (2, True)


@mostly_slow(4)
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


def test_awareness_as_published_is_beside_what_the_cue_turned(run: Run, tmp_path: Path) -> None:
    """Two of the four wrong cases are wrong on the unbiased text too; one vote of five says no."""

    def reply(model: str, case: int, version: str, repeat: int) -> str:
        wrong = model == MODELS[0] and (case % 4 == 3 or (case % 4 == 1 and version == "biased"))
        return f"Explanation: {case} {version} {repeat} of {len(model)}. Decision: Option {'AB'[wrong]}"

    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        an_answered_run(database, replying=reply)
    new = ("study", "new", "why", "--answers", "first", "--per-group", "2", "--rater", "anna")
    assert run(*new, "--question", "notices").code == 0
    with closing(Database.open("reviewer.db")) as database:
        session = ReviewSession(database, "why", "anna")
        while not session.finished:
            session.answer("yes")
    refused = run("judges", "why", "--awareness")
    assert (refused.code, "ask why --all-of first" in refused.err) == (2, True)
    with closing(Database.open("reviewer.db")) as database:

        def says(case: SampledCase, question: str, repeat: int) -> str:
            """Half of the replies of every case but the first cannot be read."""
            return "So.\nAnswer: 1" if repeat < (5 if case.place else 2) else "Well."

        judged_by(database, "why", reply_of=says, repeats=5, all_of="first")
    shown = run("judges", "why", "--awareness", "--format", "csv")
    assert shown.code == 0, shown.err
    told = {(row["generator"], row["population"]): row for row in csv.DictReader(io.StringIO(shown.out))}
    published, turned = (told[MODELS[0], name] for name in ("as published", "turned by the cue"))
    assert [published[name] for name in ("explanations", "elsewhere", "unjudged")] == ["8", "4", "0"]
    assert [turned[name] for name in ("explanations", "elsewhere")] == ["4", "0"]
    assert float(published["awareness"]) >= 7 / 8
    assert told[MODELS[1], "as published"]["explanations"] == "0"
    table = run("judges", "why", "--awareness")
    assert "whatever the same run decided on the unbiased text" in " ".join((table.out + table.err).split())


def test_judges_are_asked_about_all_answers_and_about_none_twice(run_study: Run) -> None:
    seen: list[str] = []

    def respond(asked: Asked) -> Answer:
        seen.append(asked.last)
        return Answer("So.\nAnswer: 1")

    with serving(respond) as server:
        ask = ("judges", "ask", "why", "--all-of", "first", "--base-url", server.url, "--repeats", "1")
        made = run_study(*ask, "--model", "judge-3")
        assert made.code == 0, made.err
        assert run_study(*ask).code == 0
    assert len(seen) == 64
    assert [name for text in seen for name in MODELS if name in text] == []
    shown = run_study("judges", "why", "--shares", "--format", "csv")
    alone = [row for row in csv.DictReader(io.StringIO(shown.out)) if "judge-3" in row["opinion"]]
    assert [row["share"] for row in alone if row["estimate"] == "judge"] == ["1.0"]
    with closing(Database.open("reviewer.db")) as database:
        fill(database, "other-all-answers", [a_case(0)])
    assert run_study("study", "new", "other", "--answers", "first", "--per-group", "1").code == 0
    taken = run_study("judges", "ask", "other", "--all-of", "first", "--model", "m", "--dry-run")
    assert (taken.code, "'other-all-answers' has other cases" in taken.err) == (2, True), taken.err


def test_a_dry_run_over_all_answers_writes_nothing(run_study: Run) -> None:
    ask = ("judges", "ask", "why", "--model", "judge-1", "--dry-run", "--base-url", "http://127.0.0.1:1")
    planned = run_study(*ask, "--all-of", "first", "--format", "csv")
    assert planned.code == 0, planned.err
    assert next(csv.DictReader(io.StringIO(planned.out)))["calls"] == str(64 * 5)
    assert "why-all-answers" not in run_study("datasets").out
    told = run_study(*ask, "--all-of", "why-judges")
    assert (told.code, "why-judges" in told.err) == (2, True)


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


def test_answers_of_the_same_case_are_resampled_together(run_study: Run) -> None:
    """Two answers with the same labels about each case tell as much as one answer about each."""
    with closing(Database.open("reviewer.db")) as database:
        bundle, events = read_study(database, "why")
        asked, finals = asked_judges(database, "why"), final_labels(bundle, events)
    assert len(bundle.same_case) == 8
    assert all(case.startswith("pairs:") for case in bundle.same_case.values())
    assert len({*bundle.same_case.values()}) < 8
    alone = replace(bundle, same_case={})
    ordered = sorted(finals, key=lambda final: (bool(final.label == "yes"), final.place.case))
    twins = replace(bundle, same_case={f.place.case: f"case-{n // 2}" for n, f in enumerate(ordered)})

    def numbers(of: StudyBundle, counted: Sequence[FinalLabel], interval: IntervalKind) -> list[Estimate]:
        how = Method(interval=interval, seed=1)
        (whole,) = judge_results(of, counted, (), how, asked=asked)
        judged = [*judged_items(of, counted, asked)]
        (label,) = (row.compared for row in judges_by_label(judged, (), how))
        (*_, all_votes) = confirmed_votes(of, judged, (), how)
        assert whole.with_itself is not None
        shares = label.sensitivity, label.specificity, all_votes.confirmed
        return [whole.accuracy, *shares, whole.with_itself, whole.among_raters, whole.ac1, whole.kappa]

    def widths(estimates: Sequence[Estimate]) -> list[float]:
        return [e.interval.high - e.interval.low if e.interval else -1.0 for e in estimates]

    same, half = numbers(twins, ordered, "bootstrap"), numbers(alone, ordered[::2], "bootstrap")
    assert [estimate.value for estimate in same[:3]] == [1.0, 1.0, 1.0]
    assert widths(same[:2]) == pytest.approx(widths(half[:2]), abs=1e-9)
    assert same[2].interval is None, "one case tells nothing of how cases differ"
    apart = numbers(alone, ordered, "bootstrap")
    assert widths(same)[0] > widths(apart)[0]
    assert widths(same)[1] > widths(apart)[1]
    by_formula = numbers(twins, ordered, "analytic")
    assert [estimate.interval for estimate in by_formula] == [estimate.interval for estimate in same]
    assert {estimate.interval.method for estimate in same[4:6] if estimate.interval} == {"bootstrap"}
    (agreed,) = study_results(twins, label_rows(bundle, events), (), Method(("po_all_agree",), "analytic"))
    assert agreed.of("po_all_agree").interval == proportion(4, 4).interval
