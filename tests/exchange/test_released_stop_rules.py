"""Stop rules in releases: intervals follow from labels in the common order, or it is said why not."""

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_facts import stop_facts
from reviewer.exchange.releases.release_files import sealed_files
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release
from reviewer.exchange.releases.verification import verified
from reviewer.results.labels.final_labels import read_closed_study
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.asking_third_votes import ask_third_votes
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.left_out_raters import leave_out
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import WantedRule
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Citation
from tests.rounds import mostly_slow, some_always
from tests.studies import a_case, fill, open_store

DATASET = "pilot-0"
CITATION = Citation(dataset=DATASET, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
ROW = "confidence sequence of study pilot"
TWO = Design(
    (DATASET,),
    None,
    7,
    raters=("anna", "ben"),
    questions=("same_task",),
    stop=WantedRule.read("pass rate > .5"),
)
PANELS = replace(TWO, raters=("anna", "ben", "cara"), raters_per_case=2)
THIRD = replace(PANELS, third="on-disagreement")


class Answered(NamedTuple):
    """A design, the labels of its raters in their order ("." is none), and how many cases are complete."""

    design: Design
    labels: Mapping[str, str]
    seen: int
    excluded: str = ""
    decided: bool = False


STUDIES = {
    "every case is complete": Answered(TWO, {"anna": "T" * 12, "ben": "T" * 12}, 12),
    "a rater left cases open": Answered(TWO, {"anna": "T" * 12, "ben": "TTTF.TT"}, 4),
    "a rater gave no label": Answered(TWO, {"anna": "T" * 12, "ben": ""}, 0),
    "a rater without a label was excluded": Answered(TWO, {"anna": "T" * 12, "ben": ""}, 12, "ben"),
    "a rater with labels was excluded": Answered(TWO, {"anna": "T" * 12, "ben": "F" * 5}, 12, "ben"),
    "a tie is open": Answered(TWO, {"anna": "T" * 12, "ben": "F" + "T" * 11}, 12),
    "a tie was decided": Answered(TWO, {"anna": "T" * 12, "ben": "F" + "T" * 11}, 12, decided=True),
    "a rater of panels gave no label": Answered(PANELS, {"anna": "T" * 12, "ben": "T" * 12, "cara": ""}, -1),
    "third votes decide": Answered(THIRD, {"anna": "FF" + "T" * 10, "ben": "T" * 12, "cara": "T" * 12}, 12),
    "a fixed vote was excluded": Answered(
        THIRD, {"anna": "T" * 12, "ben": "T" * 12, "cara": "T" * 12}, -1, "cara"
    ),
}


def answer(database: Database, rater: str, labels: str) -> None:
    session = ReviewSession(database, "pilot", rater)
    for position, label in enumerate(labels[: len(session.slots)]):
        session.go_to(position)
        if label != ".":
            session.answer({"T": "True", "F": "False"}[label])


def answered(folder: Path, made: Answered) -> Database:
    """A store with the closed study, whose raters agreed to the publication of their labels."""
    database = open_store(folder)
    fill(database, DATASET, [a_case(number) for number in range(12)])
    create_study(database, "pilot", made.design, "tom")
    for rater, labels in made.labels.items():
        answer(database, rater, labels)
    if made.design.third:
        ask_third_votes(database, "pilot", "tom")
        for rater in made.labels:
            session = ReviewSession(database, "pilot", rater)
            while not session.finished:
                session.answer("True")
    if made.excluded:
        leave_out(database, "pilot", made.excluded, "tom", "hasty")
    close_study(database, "pilot", "tom", anyway=True)
    if made.decided:
        decision = AdjudicationSession(database, "pilot", "maria")
        decision.decide("True", "read twice")
    describe_study(database, "pilot", "tom", {"consent": "All agreed."})
    return database


def rows_of(files: Mapping[str, bytes]) -> dict[str, ReleaseCheck]:
    return {check.about: check for check in verified(FolderOfRelease(files, ())).checks}


def forged(release: PlannedRelease, studies: bytes | None = None, **changes: Any) -> dict[str, bytes]:
    """The release with something else in its study, with pages made and sealed by the program's functions."""
    (study,) = release.content.studies
    content = release.content.model_copy(update={"studies": (study.model_copy(update=changes),)})
    held = {path: data for path, data in release.files.items() if path.startswith("data/")}
    return sealed_files(content.without_files, held | ({ReleaseFile.STUDIES: studies} if studies else {}))[1]


@mostly_slow(2)
@pytest.mark.parametrize("name", some_always([*STUDIES], 3))
def test_interval_of_a_stop_rule_follows_from_published_labels(tmp_path: Path, name: str) -> None:
    made = STUDIES[name]
    with closing(answered(tmp_path, made)) as database:
        release = plan_release(database, CITATION, "1.0", ReleaseOptions())
        own = stop_facts(read_closed_study(database, "pilot"))
    (study,) = release.content.studies
    assert study.stopped == own
    assert made.seen < 0 or f" of the first {made.seen} case" in own[1]
    assert rows_of(release.files)[ROW].state == "holds"
    published = release.files[ReleaseFile.STUDIES] + release.files[ReleaseFile.LABELS]
    assert not [who for who in (*made.labels, "tom", "maria") if who.encode() in published]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> PlannedRelease:
    with closing(answered(tmp_path_factory.mktemp("stop"), STUDIES["a rater left cases open"])) as database:
        return plan_release(database, CITATION, "1.0", ReleaseOptions())


@pytest.mark.parametrize(
    "name", some_always(["third votes decide", "every case is complete", "a tie was decided"], 3)
)
def test_script_of_a_release_leaves_out_what_its_agreement_leaves_out(tmp_path: Path, name: str) -> None:
    """Third votes enter no agreement, and neither do decisions of adjudicators."""
    (tmp_path / "store").mkdir()
    with closing(answered(tmp_path / "store", STUDIES[name])) as database:
        release = plan_release(database, CITATION, "1.0", ReleaseOptions())
    for path in (ReleaseFile.STUDIES, ReleaseFile.LABELS, ReleaseFile.SCRIPT):
        (tmp_path / Path(path).name).write_bytes(release.files[path])
    done = subprocess.run(
        [sys.executable, "agreement.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (study,) = release.content.studies
    (question,) = study.questions
    alpha = "nan" if question.alpha.value is None else f"{question.alpha.value:.6f}"
    assert question.all_agree.value is not None
    assert done.stdout == f"pilot, same task: all agree {question.all_agree.value:.6f}, alpha {alpha}\n"


def test_forged_interval_fails_in_its_row(release: PlannedRelease) -> None:
    (study,) = release.content.studies
    claim, interval = study.stopped
    for stopped in ((claim, interval.replace("92%", "91%")), (claim.replace("50%", "90%"), interval), ()):
        files = forged(release, stopped=stopped)
        assert rows_of(files)[ROW].state == "fails", stopped


def test_rule_cannot_be_taken_out_of_the_studies_or_made_invalid(release: PlannedRelease) -> None:
    (held,) = json.loads(release.files[ReleaseFile.STUDIES])
    rule = held.pop("stop")
    without = forged(release, json.dumps([held]).encode())
    assert rows_of(without)[ROW].state == "fails"
    for change in ({"above": 1.5}, {"sizes": {"same_task": 10**12}}, {"level": 0}, {"above": None}):
        files = forged(release, json.dumps([held | {"stop": rule | change}]).encode())
        (failing,) = (check for check in rows_of(files).values() if check.state == "fails")
        assert "field 'stop." in failing.about


def test_releases_of_before_rules_were_published_are_not_checked(release: PlannedRelease) -> None:
    (held,) = json.loads(release.files[ReleaseFile.STUDIES])
    del held["stop"]
    data = {path: data for path, data in release.files.items() if path.startswith("data/")}
    data[ReleaseFile.STUDIES] = json.dumps([held]).encode()
    earlier = release.content.without_files.model_copy(update={"pages": 8})
    row = rows_of(sealed_files(earlier, data)[1])[ROW]
    assert (row.state, row.detail) == (
        "not checked",
        "an earlier state of this program published no stop rules",
    )


def test_interval_with_held_out_cases_or_without_labels_is_not_checked(tmp_path: Path) -> None:
    with closing(answered(tmp_path, STUDIES["every case is complete"])) as database:
        part = plan_release(database, CITATION, "1.0", ReleaseOptions(hold_out="25%"))
        bare = plan_release(database, CITATION, "1.0", ReleaseOptions(), without_labels=True)
    assert rows_of(part.files)[ROW].detail == "labels of cases that are held out are not included"
    assert rows_of(bare.files)[ROW].detail == "its labels are not included"
    assert {rows_of(planned.files)[ROW].state for planned in (part, bare)} == {"not checked"}
    words = "the labels of cases that are held out, which are not included"
    assert words in part.files[ReleaseFile.CARD].decode()
    assert words not in bare.files[ReleaseFile.CARD].decode()
