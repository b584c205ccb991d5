"""The machine rater: nobody sees its answer before their own, nobody its name, and changes are counted."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.estimate import NO_DATA
from reviewer.core.pane import Text
from reviewer.exchange.evaluations.judged_sample import declare_machine_rater
from reviewer.exchange.packs.pack import write_pack
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import report_files
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.anchoring import Anchoring, SecondLook, anchoring, share_of_moved
from reviewer.results.labels.asked_judges import asked_judges
from reviewer.results.labels.final_labels import final_labels
from reviewer.results.labels.judge_results import judge_results
from reviewer.results.labels.opinion_statistics import OpinionSources
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.machine_rater import MACHINE_RATER
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.evaluations import Evaluations
from store.ledger import Ledger
from store.records import Outcome
from tests.studies import a_case, fill

MODEL = "planted-judge-7b"
SAYS = "False"
QUICK = Method(interval="none")


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Database]:
    """Two cases and one question; the machine answers False to both."""
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        _make(database)
        yield database


def _make(database: Database) -> None:
    fill(database, "own", [a_case(0), a_case(1)])
    options = Options(reveal="findings", machine_rater=True)
    design = Design(("own",), None, 7, options=options, questions=("same_task",))
    create_study(database, "pilot", design)
    declare_machine_rater(database, "pilot", MODEL, "tom")
    kept = Evaluations(database)
    kept.add_models("pilot-judges", {MODEL: ""}, role="judge")
    kept.keep([_verdict(case, repeat) for case in (0, 1) for repeat in (0, 1, 2)])


def _verdict(case: int, repeat: int) -> Outcome:
    return Outcome(
        run="pilot-judges",
        model=MODEL,
        case=case,
        condition="same_task",
        repeat=repeat,
        state="read",
        label=SAYS if repeat else "True",
        reply=f"As {MODEL} I see it.\nAnswer: 2",
        reader_version=1,
        request="0" * 64,
    )


def _machine(session: ReviewSession) -> str:
    """What the session shows of the machine rater; "" for nothing."""
    bodies = [pane.body for pane in session.sheet() if pane.key == MACHINE_RATER]
    return bodies[0].text if bodies and isinstance(bodies[0], Text) else ""


def test_the_answer_of_the_machine_is_shown_after_the_raters_own(study: Database) -> None:
    session = ReviewSession(study, "pilot", "anna")
    assert not _machine(session)
    session.answer("True")
    shown = _machine(session)
    assert f"answered {SAYS}, in 2 of 3 replies" in shown
    assert MODEL not in shown
    session.see([pane.key for pane in session.sheet()])
    session.answer("False")
    assert not _machine(session), "the next case shows nothing before its answer"
    first = [pane for sheet in session.coming() for pane in sheet.sheet()]
    assert all(pane.key != MACHINE_RATER for pane in first)


def _anchored(database: Database) -> Anchoring:
    bundle = load_study(database, "pilot")
    rows = label_rows(bundle, list(Ledger(database).events("pilot")))
    (result,) = anchoring(bundle, rows, asked_judges(database, "pilot"))
    return result


def _rate(database: Database, rater: str, *answers: tuple[str, str], sees: bool = True) -> None:
    session = ReviewSession(database, "pilot", rater)
    for first, second in answers:
        session.answer(first)
        if sees:
            session.see([pane.key for pane in session.sheet()])
        session.answer(second)


def test_changes_towards_the_machine_and_away_from_it_are_counted_apart(study: Database) -> None:
    _rate(study, "anna", ("True", "False"), ("True", "True"))
    _rate(study, "ben", ("False", "True"), ("False", "False"))
    _rate(study, "cara", ("True", "False"), ("False", "False"), sees=False)
    found = _anchored(study)
    assert (len(found.looks), found.towards, found.away, found.elsewhere, found.unseen) == (4, 1, 1, 0, 2)
    assert (found.towards_share.value, found.towards_share.n) == (0.5, 2)
    assert (found.away_share.value, found.away_share.n) == (0.5, 2)
    assert found.net.value == 0.0


def _shown(case: int, *, moved: bool) -> SecondLook:
    return SecondLook(str(case), "True", "False", "False" if moved else "True")


def test_shares_of_moved_answers_have_intervals_by_cases() -> None:
    alone = [_shown(case, moved=case % 2 == 0) for case in range(40)]
    together = [_shown(case // 4, moved=case // 4 % 2 == 0) for case in range(40)]
    intervals = []
    for looks in (alone, together):
        share = share_of_moved(looks, lambda look: look.towards, 0.95)
        assert (share.value, share.n) == (0.5, 40)
        assert share.interval
        intervals.append(share.interval.high - share.interval.low)
    assert intervals[0] == pytest.approx(0.296, abs=0.001)  # Wilson's for 20 of 40
    assert intervals[1] > 2 * intervals[0], "forty answers to ten cases are ten"


def test_answers_that_never_move_have_the_interval_of_as_many_cases() -> None:
    looks = [_shown(case // 4, moved=False) for case in range(40)]
    share = share_of_moved(looks, lambda look: look.towards, 0.95)
    assert share.interval
    assert (share.value, share.interval.low) == (0.0, 0.0)
    assert share.interval.high == pytest.approx(0.278, abs=0.001)  # Wilson's for 0 of 10
    assert share_of_moved([], lambda look: look.towards, 0.95).reason == NO_DATA


def test_first_answers_alone_are_set_against_the_machine(study: Database) -> None:
    _rate(study, "anna", ("True", "False"), ("True", "False"))
    bundle = load_study(study, "pilot")
    finals = final_labels(bundle, list(Ledger(study).events("pilot")))
    (judged,) = judge_results(bundle, finals, (), asked=asked_judges(study, "pilot"))
    assert judged.accuracy.value == 0.0


def test_no_pack_names_the_machine_or_says_what_it_answered(study: Database, tmp_path: Path) -> None:
    pack = tmp_path / "anna.review"
    write_pack(study, "pilot", "anna", pack)
    content = pack.read_bytes()
    assert MODEL.encode() not in content
    assert b"pilot-judges" not in content


def test_the_report_says_how_many_answers_moved(study: Database) -> None:
    _rate(study, "anna", ("True", "False"), ("True", "True"))
    bundle, events = load_study(study, "pilot"), list(Ledger(study).events("pilot"))
    asked = asked_judges(study, "pilot")
    shown = compute_statistics(bundle, events, QUICK, with_opinions=True, sources=OpinionSources(asked))
    page = str(report_files(shown, with_figures=False)["report.md"])
    assert "Machine rater" in page
    assert "Raters saw its answer only after their own" in page
    assert "no such first answer" in page, "nobody had given the machine's answer at first"
    hidden = compute_statistics(bundle, events, QUICK)
    assert MODEL not in str(report_files(hidden, with_figures=False)["report.md"])
