"""Experts' answers against published answers: the share, its interval, and what a release says of it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.core.estimate import Estimate
from reviewer.exchange.releases.release_content import HumanFacts, ReleaseOptions, StudyFacts
from reviewer.exchange.releases.release_files import sealed_files
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release
from reviewer.exchange.releases.release_pages import human_words
from reviewer.exchange.releases.verification import verified
from reviewer.protocols.judge_pairs.payloads import FIRST, RIGHT_ANSWER, SECOND
from reviewer.report.checklist_answers import checklist_of_release
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import read_closed_study
from reviewer.results.labels.known_labels import HumanLevel, human_levels
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Citation, Dataset, Measurement, Membership
from tests.answer_pairs import a_pair
from tests.studies import AT, open_store

CITATION = Citation(dataset="pairs", licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
CASES = 12
Answers = Callable[[int], str]


def right(number: int) -> str:
    return (FIRST, SECOND)[number % 2]


def wrong_in_three(number: int) -> str:
    return right(number + 1) if number < 3 else right(number)


RATERS: dict[str, Answers] = {"anna": right, "ben": lambda _: FIRST, "cleo": wrong_in_three}


def an_entry(number: int, *, published: bool) -> Entry:
    case = a_pair(number)
    place = Membership(
        dataset="pairs",
        key=f"pair-{number}",
        case=case.digest,
        position=number,
        generator="writer-1",
        origin="generated",
    )
    value = Measurement(
        case=case.digest,
        name=RIGHT_ANSWER,
        source="published",
        dataset="pairs",
        key=place.key,
        value=right(number),
    )
    return Entry(case, place, (value,) if published else ())


def a_closed_study(
    folder: Path, raters: dict[str, Answers], *, published: Callable[[int], bool] = lambda _: True
) -> Database:
    """A closed study that asks for the right answer of pairs; the number of a pair decides the answers."""
    database = open_store(folder)
    header = Dataset(name="pairs", protocol="judge-pairs", source="a test", imported_at=AT)
    entries = [an_entry(number, published=published(number)) for number in range(CASES)]
    import_entries(database, header, entries)
    numbers = {entry.case.digest: number for number, entry in enumerate(entries)}
    create_study(database, "pilot", replace(Design(("pairs",), None, 7), questions=("right_result",)))
    for rater, answers in raters.items():
        session = ReviewSession(database, "pilot", rater)
        for slot in session.slots:
            session.answer(answers(numbers[slot.case]))
    close_study(database, "pilot", "lena")
    describe_study(database, "pilot", "lena", {"consent": "All agreed."})
    return database


def level_of(database: Database, method: Method = Method(interval="bootstrap")) -> HumanLevel | None:  # noqa: B008
    study = read_closed_study(database, "pilot")
    return next(iter(human_levels(study.bundle, study.finals, method)), None)


def test_share_of_answers_has_an_interval_that_resamples_cases(tmp_path: Path) -> None:
    with closing(a_closed_study(tmp_path, RATERS)) as database:
        level = level_of(database)
        assert level
        assert (level.raters, level.answers, level.without, level.share.n) == (3, 36, 0, 12)
        assert level.share.value == pytest.approx((12 + 6 + 9) / 36)
        assert level.share.interval
        assert 0.6 < level.share.interval.low < 0.70
        assert 0.8 < level.share.interval.high < 0.9
        bare = level_of(database, Method(interval="none"))
        assert bare
        assert bare.share.interval is None


def test_cases_without_a_published_answer_are_counted_and_left_out(tmp_path: Path) -> None:
    with closing(a_closed_study(tmp_path, RATERS, published=lambda number: number < 4)) as database:
        level = level_of(database)
        assert level
        assert (level.answers, level.without) == (12, 8)
        assert level.share.value == pytest.approx((4 + 2 + 1) / 12)
        assert level.share.too_few == "too few cases"


def test_no_level_where_no_case_has_a_published_answer(tmp_path: Path) -> None:
    with closing(a_closed_study(tmp_path, RATERS, published=lambda _: False)) as database:
        assert level_of(database) is None


def test_equal_shares_have_no_interval_without_width(tmp_path: Path) -> None:
    with closing(a_closed_study(tmp_path, {"anna": right})) as database:
        level = level_of(database)
        assert level
        assert (level.share.value, level.share.interval) == (1.0, None)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> PlannedRelease:
    with closing(a_closed_study(tmp_path_factory.mktemp("human"), RATERS)) as database:
        return plan_release(database, CITATION, "1.0", ReleaseOptions())


def test_card_and_checklist_say_it_and_verify_computes_it_again(release: PlannedRelease) -> None:
    said = "The 3 raters gave the published label as their answer to "
    assert said in release.files[ReleaseFile.CARD].decode()
    assert checklist_of_release(release.content, "out").answers["human"].startswith(said)
    checks = verified(FolderOfRelease(release.files, ())).checks
    (row,) = [check for check in checks if "raters who gave the published label" in check.about]
    assert row.state == "holds"
    assert row.detail.startswith("published .75")


FORGED = {
    "share": {"share": Estimate(0.99, 12)},
    "answers": {"answers": 360},
    "raters": {"raters": 30},
    "published": {"published": "verdict of a judge"},
}


@pytest.mark.parametrize("part", FORGED)
def test_each_forged_part_fails_in_its_row_also_when_it_is_sealed_again(
    release: PlannedRelease, part: str
) -> None:
    (study,) = release.content.studies
    human = study.human[0].model_copy(update=FORGED[part])
    forged = release.content.model_copy(update={"studies": (study.model_copy(update={"human": (human,)}),)})
    data = {path: held for path, held in release.files.items() if path.startswith("data/")}
    checks = verified(FolderOfRelease(sealed_files(forged.without_files, data)[1], ())).checks
    (row,) = [check for check in checks if check.state == "fails"]
    assert "raters who gave the published label" in row.about


def test_a_level_that_was_left_out_is_missed(release: PlannedRelease) -> None:
    (study,) = release.content.studies
    bare = StudyFacts.model_validate(study.model_dump() | {"human": ()})
    forged = release.content.model_copy(update={"studies": (bare,)})
    data = {path: held for path, held in release.files.items() if path.startswith("data/")}
    checks = verified(FolderOfRelease(sealed_files(forged.without_files, data)[1], ())).checks
    assert any(check.state == "fails" and "published answer" in check.about for check in checks)


def test_the_sentence_names_one_rater_and_what_is_undefined() -> None:
    facts = HumanFacts(
        published="published label", question="q", raters=1, answers=1, share=Estimate.undefined("no data", 0)
    )
    assert human_words(facts) == (
        "The rater gave the published label as their answer to q in a share of undefined (no data) of "
        "1 answer on 0 cases."
    )
