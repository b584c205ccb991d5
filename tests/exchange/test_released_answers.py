"""Releases of studies with several answers to one case: which belong together is published, and resampled."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.estimate import Estimate
from reviewer.exchange.releases.card_words import answered_words
from reviewer.exchange.releases.published_labels import StudyLabels
from reviewer.exchange.releases.release_checks import ReleaseCheck, failure_words
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_facts import study_facts
from reviewer.exchange.releases.release_files import sealed_files
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release
from reviewer.exchange.releases.verification import verified
from reviewer.protocols.registry import protocols_of
from reviewer.results.labels.final_labels import ClosedStudy, read_closed_study
from reviewer.results.outcomes.answer_cases import AnswersWanted, answers_for_study
from reviewer.results.outcomes.answer_draw import DrawSize
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Citation
from tests.answered_runs import PAIRS, an_answered_run
from tests.studies import open_store

SENTENCE = "of models to 8 cases of a run. Answers to the same case depend on each other"


def a_closed_study(folder: Path, size: DrawSize) -> Database:
    """A store with a study of answers; ben reads every second case of the run in his own way."""
    database = open_store(folder)
    an_answered_run(database)
    evaluation = read_evaluation(database, protocols_of(database), "first")
    drawn = answers_for_study(database, evaluation, "why", AnswersWanted(size=size)).drawn
    design = Design(
        (drawn.dataset,),
        size.per_group,
        1,
        raters=("anna", "ben"),
        questions=("notices",),
        answers=drawn,
    )
    create_study(database, "why", design, "tom")
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "why", rater)
        while not session.finished:
            case = str(session.bundle.cases[session.slots[session.position].case].payload["reply"])
            odd = int(case.split("reason ")[1].split()[0]) % 2 == 1
            session.answer("yes" if odd and rater == "ben" else "no" if odd else "yes")
    close_study(database, "why", "tom")
    describe_study(database, "why", "tom", {"consent": "All agreed."})
    return database


def planned(database: Database, *, labels: bool = True) -> PlannedRelease:
    dataset = read_closed_study(database, "why").bundle.sample[0].dataset
    citation = Citation(dataset=dataset, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
    return plan_release(database, citation, "1.0", ReleaseOptions(), without_labels=not labels)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(a_closed_study(tmp_path_factory.mktemp("answers"), DrawSize(per_case=9))) as database:
        yield database


@pytest.fixture(scope="module")
def study(database: Database) -> ClosedStudy:
    return read_closed_study(database, "why")


@pytest.fixture(scope="module")
def release(database: Database) -> PlannedRelease:
    return planned(database)


def rows_of(files: Mapping[str, bytes]) -> dict[str, ReleaseCheck]:
    return {check.about: check for check in verified(FolderOfRelease(files, ())).checks}


def width(estimate: Estimate) -> float:
    assert estimate.interval is not None
    return estimate.interval.high - estimate.interval.low


def test_card_and_verification_resample_the_cases_of_the_run(
    study: ClosedStudy, release: PlannedRelease
) -> None:
    (told,), released = release.content.studies, {*release.content.cases.values()}
    apart = study_facts(replace(study, bundle=replace(study.bundle, same_case={})), released)
    assert told.questions == study_facts(study, released).questions
    assert width(told.questions[0].alpha) > 1.3 * width(apart.questions[0].alpha)
    assert (told.answered, apart.answered) == (8, 0)
    rows = rows_of(release.files)
    assert failure_words(tuple(rows.values())) is None
    assert rows["study why, notices the cue: Krippendorff's alpha"].state == "holds"
    assert rows["study why: cases of the run that answers are about"].state == "holds"
    assert SENTENCE in release.files[ReleaseFile.CARD].decode()


def test_cases_of_the_run_are_numbers(study: ClosedStudy, release: PlannedRelease) -> None:
    """Nobody reads in the files which dataset and case it was, or who judged."""
    published = release.files[ReleaseFile.STUDIES] + release.files[ReleaseFile.LABELS]
    about = {
        case["case"]: case["about"] for case in json.loads(release.files[ReleaseFile.STUDIES])[0]["cases"]
    }
    assert {*about.values()} == set(range(1, 9))
    pairs = {(study.bundle.same_case[case], number) for case, number in about.items()}
    assert len(pairs) == 8
    assert not [who for who in ("anna", "ben", "tom", f"{PAIRS}:") if who.encode() in published]


def forged(release: PlannedRelease, studies: Any = None, **changes: Any) -> dict[str, bytes]:
    """The release with something else in its study, with pages made and sealed by the program's functions."""
    (study,) = release.content.studies
    content = release.content.model_copy(update={"studies": (study.model_copy(update=changes),)})
    held = {path: data for path, data in release.files.items() if path.startswith("data/")}
    if studies is not None:
        held[ReleaseFile.STUDIES] = json.dumps(studies).encode()
    return sealed_files(content.without_files, held)[1]


def test_answers_that_were_moved_between_cases_fail(release: PlannedRelease) -> None:
    studies = json.loads(release.files[ReleaseFile.STUDIES])
    for case in studies[0]["cases"]:
        del case["about"]
    failed = {name for name, row in rows_of(forged(release, studies)).items() if row.state == "fails"}
    assert "study why: cases of the run that answers are about" in failed
    assert "study why, notices the cue: Krippendorff's alpha" in failed
    fewer = rows_of(forged(release, answered=7))
    assert fewer["study why: cases of the run that answers are about"].detail == "published 7, recomputed 8"
    studies = json.loads(release.files[ReleaseFile.STUDIES])
    del studies[0]["cases"][0]["about"]
    assert "some of its cases" in str(failure_words(tuple(rows_of(forged(release, studies)).values())))


def test_releases_from_before_have_no_row_and_take_answers_as_independent(
    study: ClosedStudy, release: PlannedRelease
) -> None:
    """Their numbers were computed so, and still hold."""
    alone = replace(study, bundle=replace(study.bundle, same_case={}))
    labels = StudyLabels.of(alone, "secret")
    facts = study_facts(labels.closed(study.bundle.protocol), {*release.content.cases.values()})
    studies = [labels.study.model_dump(mode="json", exclude_defaults=True)]
    before = {name: getattr(facts, name) for name in ("questions", "answered")}
    rows = rows_of(forged(release, studies, **before))
    assert "study why: cases of the run that answers are about" not in rows
    assert not [name for name, row in rows.items() if row.state == "fails" and name.startswith("study why")]


def test_a_study_with_one_answer_to_each_case_says_nothing_of_it(tmp_path: Path) -> None:
    with closing(a_closed_study(tmp_path, DrawSize(per_case=1))) as database:
        release = planned(database)
    assert release.content.studies[0].answered == 0
    assert "about" not in json.loads(release.files[ReleaseFile.STUDIES])[0]["cases"][0]
    assert "Answers to the same case" not in release.files[ReleaseFile.CARD].decode()


@pytest.mark.parametrize(("answered", "said"), [(0, False), (8, True), (63, True), (64, False)])
def test_the_card_speaks_of_shared_cases_only_where_there_are_some(
    release: PlannedRelease, answered: int, said: bool
) -> None:
    (study,) = release.content.studies
    assert study.cases == 64
    words = answered_words(study.model_copy(update={"answered": answered}))
    assert words.startswith(f"Its 64 cases are answers of models to {answered} cases") if said else not words


def test_labels_that_stay_out_leave_the_numbers_as_they_are(
    database: Database, release: PlannedRelease
) -> None:
    assert planned(database, labels=False).content.studies == release.content.studies


def test_script_of_the_release_says_which_answers_belong_together(
    release: PlannedRelease, tmp_path: Path
) -> None:
    for path in (ReleaseFile.STUDIES, ReleaseFile.LABELS, ReleaseFile.SCRIPT):
        (tmp_path / Path(path).name).write_bytes(release.files[path])
    done = subprocess.run(
        [sys.executable, "agreement.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "are about 8 cases of a run" in done.stdout
    (study,) = release.content.studies
    interval = study.questions[0].all_agree.interval
    assert interval is not None
    assert f"{study.questions[0].all_agree.value:.6f}" in done.stdout
