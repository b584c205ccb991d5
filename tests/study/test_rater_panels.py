"""Studies in which each case is seen by some of the raters: visibility, and the votes that numbers count."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.labels.foreign_files import ForeignLabels
from reviewer.exchange.labels.foreign_label import ForeignLabel, KeyCandidate, LabelledItem
from reviewer.exchange.labels.label_booking import match_labels
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.exchange.sheets.sheet_writer import validation_files
from reviewer.report.anonymous_raters import anonymised
from reviewer.results.labels.agreement_results import study_results
from reviewer.results.labels.coefficient_choice import NO_SHARED_ITEM
from reviewer.results.labels.final_labels import FinalStatus, final_labels
from reviewer.results.labels.rater_results import rater_results
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import design_facts
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.rater_panels import balanced_panels, shared_cases
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, StudyPlanner, create_study
from reviewer.study.integrity.quarantine import read_study, sort_events
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import owed_in_words, progress_of
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import BIASES, a_case, fill, open_store

RATERS = ("anna", "ben", "cara")
CASES = 8


def answer_all(database: Database, rater: str, study: str = "pilot") -> None:
    session = ReviewSession(database, study, rater)
    while not session.finished:
        session.answer("False" if session.case.digest < "4" else "True")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two studies of eight cases, two raters on each; in the first, all is answered."""
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        fill(database, "data", [a_case(number, BIASES[number % 2]) for number in range(CASES)])
        for name in ("pilot", "open"):
            create_study(database, name, Design(("data",), None, 7, raters=RATERS, raters_per_case=2))
        for rater in RATERS:
            answer_all(database, rater)
    return folder


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with closing(open_store(tmp_path)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("raters", "size", "cases"),
    [(3, 2, 40), (5, 2, 40), (5, 3, 40), (7, 3, 70), (10, 2, 45), (12, 5, 200), (20, 3, 300), (6, 1, 31)],
)
def test_cases_and_shared_cases_are_balanced(raters: int, size: int, cases: int) -> None:
    names = [f"rater{number}" for number in range(raters)]
    groups = {f"{number:04}": str(number % 8) for number in range(cases)}
    panels = balanced_panels(groups, names, size, 7)
    assert [*panels] == [*groups]
    assert {len(set(panel)) for panel in panels.values()} == {size}
    loads = Counter(rater for panel in panels.values() for rater in panel)
    assert max(loads.values()) - min(loads[name] for name in names) <= 1
    fewest, most = shared_cases(panels)
    assert most - fewest <= 3
    assert balanced_panels(groups, reversed(names), size, 7) == panels
    assert size == raters or balanced_panels(groups, names, size, 8) != panels


def test_each_rater_sees_the_cases_of_their_panels_and_no_others(database: Database) -> None:
    bundle = load_study(database, "pilot")
    panels = bundle.design.panels
    assert {len(panel) for panel in panels.values()} == {2}
    for rater in RATERS:
        session = ReviewSession(database, "pilot", rater)
        assert {slot.case for slot in session.slots} == {
            case for case, panel in panels.items() if rater in panel
        }
        assert len(session.slots) == bundle.design.slots_of(rater)
    assert bundle.as_asked("anna").as_asked("anna").sample == bundle.as_asked("anna").sample


def test_a_study_is_finished_when_everybody_has_answered_what_they_are_asked(database: Database) -> None:
    progress = progress_of(database, "pilot")
    assert progress.finished
    assert sum(rater.slots for rater in progress.raters) == CASES * 2 * 4
    with pytest.raises(RequestError, match="anna has done 0 of 2"):
        close_study(database, "open", "lena")
    waiting = progress_of(database, "open")
    assert owed_in_words(waiting).startswith(f"anna has done 0 of {waiting.raters[0].slots}, ")
    assert waiting.verdicts == "20 to 24 verdicts"
    close_study(database, "pilot", "lena")


def test_what_was_not_asked_is_not_missing(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    rows = label_rows(bundle, events)
    whole = study_results(bundle, rows, ("question",))[-1]
    assert (whole.ratings, whole.missing) == (CASES * 2 * 4, 0)
    assert [result.missing for result in rater_results(bundle, rows)] == [0, 0, 0]
    assert whole.coefficients["po_all_agree"].value == 1.0
    assert whole.coefficients["po_all_agree"].n == CASES * 4
    finals = final_labels(bundle, events)
    assert {final.status for final in finals} == {FinalStatus.UNANIMOUS}
    pairs = {result.where["pair"]: result for result in study_results(bundle, rows, ("pair",))[:3]}
    panels = bundle.design.panels.values()
    for pair in combinations(RATERS, 2):
        shared = sum(set(pair) <= set(panel) for panel in panels)
        assert (pairs[" & ".join(pair)].items, pairs[" & ".join(pair)].missing) == (shared * 4, 0)


def test_two_raters_who_share_no_case_have_no_agreement_and_the_reason(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, "data", [a_case(number) for number in range(2)])
        raters = ("anna", "ben", "cara", "dora")
        create_study(database, "pilot", Design(("data",), None, 7, raters=raters, raters_per_case=2))
        for rater in raters:
            answer_all(database, rater)
        bundle, events = read_study(database, "pilot")
        results = study_results(bundle, label_rows(bundle, events), ("pair",))[:6]
    reasons = [result.coefficients["cohen_kappa"].reason for result in results if not result.items]
    assert reasons == [NO_SHARED_ITEM] * 4


def test_an_answer_on_a_case_of_another_panel_is_refused_and_left_out(database: Database) -> None:
    bundle = load_study(database, "pilot")
    case = next(case for case, panel in bundle.design.panels.items() if "anna" not in panel)
    (event,) = [
        event
        for event in Ledger(database).events("pilot", "ben")
        if (event.case, event.question, event.kind) == (case, "axioms", "label")
    ]
    forged = event.model_copy(update={"rater": "anna"})
    forged = forged.model_copy(update={"digest": forged.content_digest()})
    assert sort_events(bundle, [event]).fitting == [event]
    (left_out,) = sort_events(bundle, [forged]).left_out
    assert left_out.why == f"rater 'anna' is not asked about case {case[:12]}"


def test_labels_of_other_tools_on_cases_of_another_panel_are_refused(database: Database) -> None:
    bundle = load_study(database, "open")
    panels = bundle.design.panels
    labels = [
        ForeignLabel(
            f"line {number}",
            LabelledItem(f"line {number}", (KeyCandidate("key", case),)),
            "anna",
            "axioms",
            ("True",),
        )
        for number, case in enumerate(panels)
    ]
    matched = match_labels(bundle, ForeignLabels("table", tuple(labels)))
    mine = {case for case, panel in panels.items() if "anna" in panel}
    assert {verdict.case for verdict in matched.verdicts["anna"]} == mine
    assert {str(problem.wrong) for problem in matched.problems} == {
        "is of a case that 'anna' is not asked about"
    }


def test_a_pack_holds_what_its_rater_is_asked_and_comes_back(database: Database, tmp_path: Path) -> None:
    write_pack(database, "open", "anna", tmp_path / "anna.review")
    pack, _ = opened_pack(tmp_path / "anna.review")
    with closing(pack):
        held = load_study(pack, "open")
        mine = load_study(database, "open").as_asked("anna")
        assert {place.case for place in held.sample} == {place.case for place in mine.sample}
        assert {*held.cases} == {*mine.cases}
        assert "ben" not in str(held.study.design)
        assert "anna" not in str(held.study.design)
        order = [slot.case for slot in ReviewSession(pack, "open", "anna").slots]
        assert order == [slot.case for slot in ReviewSession(database, "open", "anna").slots]
        answer_all(pack, "anna", "open")
        assert progress_of(pack, "open").has_finished("anna")
    (merged,) = merge_file(database, tmp_path / "anna.review")
    assert (merged.refused, progress_of(database, "open").has_finished("anna")) == ((), True)


def test_sheets_of_a_rater_have_the_cases_of_their_panels(database: Database) -> None:
    bundle, events = read_study(database, "open")
    files = validation_files(bundle, events)
    for rater in RATERS:
        (axioms,) = [text for path, text in files.items() if path.startswith(f"{rater}/") and "axiom" in path]
        assert isinstance(axioms, str)
        assert axioms.count("best(X)") in (len(bundle.as_asked(rater).sample), 0)
        assert len(axioms.strip().splitlines()) >= 1 + len(bundle.as_asked(rater).sample)


def test_the_design_says_so_and_no_name_is_left_in_an_anonymous_one(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    facts = dict(design_facts(bundle))
    fewest, most = shared_cases(bundle.design.panels)
    assert facts["raters per case"] == (
        f"2 of 3, balanced at random by the seed; any two raters share {fewest} to {most} cases"
    )
    assert facts["verdicts"] == "20 to 24 of each rater"
    nameless, _ = anonymised(bundle, events)
    assert not any(rater in str(nameless.study.design) for rater in RATERS)
    assert nameless.design.slots_of("rater A") in (20, 24)


def test_gold_and_training_cases_are_seen_by_all(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, "data", [a_case(number) for number in range(5)])
        given = tuple(
            GivenAnswer(role, "line 2", "data", f"anchoring bias/{number}", "axioms", "True")
            for number, role in enumerate(("gold", "training"))
        )
        design = Design(("data",), None, 7, raters=RATERS, given=given, raters_per_case=2)
        plan = StudyPlanner(database).plan(design)
        create_study(database, "pilot", design)
        bundle = load_study(database, "pilot")
        known = {place.case for place in bundle.sample if place.role != "counted"}
        assert all(known <= {*bundle.as_asked(rater).cases} for rater in RATERS)
        assert plan.verdicts == bundle.design.slots == max(map(bundle.design.slots_of, RATERS))
        for rater in RATERS:
            assert len(ReviewSession(database, "pilot", rater).slots) == bundle.design.slots_of(rater)


@pytest.mark.parametrize(
    ("raters", "size", "wrong"),
    [
        ((), 2, "needs the raters' names; give each of them with --rater"),
        (RATERS, 4, "4 raters for each case are more than the 3 of the study"),
        (tuple("abcdefghij"), 1, "8 cases with 1 rater each leave some of 10 raters without a case"),
    ],
)
def test_panels_that_cannot_be_are_refused(
    database: Database, raters: tuple[str, ...], size: int, wrong: str
) -> None:
    with pytest.raises(RequestError, match=wrong):
        create_study(database, "more", Design(("data",), None, 7, raters=raters, raters_per_case=size))


def test_studies_whose_raters_see_all_cases_have_no_panels(database: Database) -> None:
    for name, size in (("plain", None), ("all", 3)):
        design = create_study(
            database, name, Design(("data",), None, 7, raters=RATERS, raters_per_case=size)
        ).design
        assert (design["panels"], design["owed_by"], design["raters_per_case"]) == ({}, {}, size)


def test_the_command_says_who_sees_how_much(run: Run, database: Database) -> None:
    asked = ("study", "new", "third", "--dataset", "data", "--raters-per-case", "2")
    refused = run(*asked)
    assert (refused.code, "give each of them with --rater" in refused.err) == (2, True)
    done = run(*asked, *(word for rater in RATERS for word in ("--rater", rater)))
    assert "third: 8 cases, 20 to 24 verdicts a rater" in done.out
    assert "Raters of each case: 2 of 3, balanced at random by the seed" in done.err
    assert "raters per case" in run("study", "show", "third").err
