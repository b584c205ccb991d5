"""Cases that are sealed by their digests and not published: they, their labels, and numbers of the whole."""

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release, write_release
from reviewer.exchange.releases.verification import verified
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_creation import Design, create_study
from store.backup import copy_file
from store.cases import places_of
from store.database import Database
from store.records import Citation
from tests.judged import judge, judged_study
from tests.studies import open_store

DATASET = "pilot-0"
CITATION = Citation(dataset=DATASET, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
CASES = 12


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a closed study of all cases, whose raters agreed to the publication of their labels."""
    folder = tmp_path_factory.mktemp("prepared")
    with closing(open_store(folder)) as database:
        judged_study(database, per_generator=CASES, generators=("model-1",))
        close_study(database, "pilot", "lena")
        describe_study(database, "pilot", "lena", {"consent": "All agreed."})
    return folder / "reviewer.db"


@pytest.fixture
def store(prepared: Path, tmp_path: Path) -> Path:
    copy_file(prepared, tmp_path / "reviewer.db")
    return tmp_path / "reviewer.db"


def planned(store: Path, share: str, version: str = "1.0") -> PlannedRelease:
    with closing(Database.open(str(store))) as database:
        return plan_release(database, CITATION, version, ReleaseOptions(hold_out=share))


def made(store: Path, share: str, version: str) -> PlannedRelease:
    release = planned(store, share, version)
    with closing(Database.open(str(store))) as database:
        write_release(database, release, CITATION, store.with_name(version))
    return release


def checks_of(files: Mapping[str, bytes]) -> tuple[ReleaseCheck, ...]:
    return verified(FolderOfRelease(files, ())).checks


def test_cases_that_are_held_out_are_in_no_file_and_neither_are_their_labels(store: Path) -> None:
    release = planned(store, "25%")
    held = release.content.held_out
    assert (len(held), len(release.content.cases)) == (3, CASES - 3)
    with closing(Database.open(str(store))) as database, database.read() as session:
        keys = {place.case: place.key for place in places_of(session, DATASET)}
    for path, content in release.files.items():
        for case in held:
            assert (case.encode() in content) == (path == ReleaseFile.MANIFEST), path
            assert f'"{keys[case]}"'.encode() not in content, path
    assert not {*held} & {*release.content.cases.values()}
    labelled = {json.loads(row)["case"] for row in release.files[ReleaseFile.LABELS].splitlines()}
    assert labelled == {*release.content.cases.values()}


def test_what_is_published_is_checked_and_numbers_of_the_whole_are_said_not_to_be(store: Path) -> None:
    release = planned(store, "25%")
    states = {check.about: check.state for check in checks_of(release.files)}
    assert "fails" not in states.values()
    assert states["study pilot: cases"] == "holds"
    assert states["study pilot, with held-out cases"] == "not checked"
    (study,) = release.content.studies
    (protocol,) = json.loads(release.files[ReleaseFile.CROISSANT])["rai:dataAnnotationProtocol"]
    assert f"3 raters labelled {CASES} cases." in protocol
    assert study.whole is not None
    assert (study.cases, study.whole.cases) == (CASES - 3, CASES)
    card = release.files[ReleaseFile.CARD].decode()
    assert "3 cases were held out (25%, in an order of digests)" in card
    assert "The numbers leave out cases that are held out." in card
    assert f"there are {study.whole.labels} labels on {CASES} cases. Their numbers are not checkable" in card


def test_without_a_share_nothing_is_said_of_held_out_cases(store: Path) -> None:
    release = planned(store, "")
    assert release.content.held_out == ()
    assert release.content.studies[0].whole is None
    assert "held out" not in release.files[ReleaseFile.CARD].decode()
    stated = json.loads(release.files[ReleaseFile.MANIFEST])["content"]
    assert not {"held_out", "hold_out"} & {*stated, *stated["options"]}


def test_the_same_cases_are_held_out_in_later_versions_and_a_larger_share_has_them_too(store: Path) -> None:
    first = made(store, "25%", "1.0")
    assert planned(store, "25%", "1.1").content.held_out == first.content.held_out
    assert {*planned(store, "50%", "1.2").content.held_out} > {*first.content.held_out}


def test_cases_that_an_earlier_version_published_are_held_out_last(store: Path) -> None:
    first = made(store, "75%", "1.0")
    again = planned(store, "50%", "1.1")
    assert {*again.content.held_out} < {*first.content.held_out}
    assert not {*again.content.held_out} & {*first.content.cases.values()}


@pytest.mark.parametrize(
    ("share", "wrong"),
    [
        ("0%", "--hold-out 0% holds out no case; give a share between 0% and 100%, such as 20%, or leave"),
        ("100%", "--hold-out 100% holds out all cases; give a share between 0% and 100%, such as 20%, or"),
        ("1%", "--hold-out 1% of 12 cases is no case; give another share."),
        ("99%", "--hold-out 99% of 12 cases is all of them; give another share."),
        ("20", "'20' is not a share; give --hold-out a percentage, such as 20%."),
        ("-5%", "'-5%' is not a share; give --hold-out a percentage, such as 20%."),
    ],
)
def test_a_share_of_nothing_or_all_is_refused(store: Path, share: str, wrong: str) -> None:
    with pytest.raises(RequestError) as refused:
        planned(store, share)
    assert str(refused.value).startswith(wrong)


def test_a_study_whose_cases_are_all_held_out_publishes_no_label(store: Path) -> None:
    with closing(Database.open(str(store))) as database:
        held = frozenset(planned(store, "10%").content.held_out)
        create_study(database, "one", Design((DATASET,), None, 1, only=held, raters=("anna",)))
        judge(database, "one", "anna")
        close_study(database, "one", "lena")
        describe_study(database, "one", "lena", {"consent": "All agreed."})
    release = planned(store, "10%")
    assert release.withheld == {"one": "all its cases are held out"}
    states = {check.about: check.state for check in checks_of(release.files)}
    assert "fails" not in states.values()
    assert states["agreement of study one"] == "not checked"
