"""Releases of datasets whose protocol is declared in a file: the declaration travels with the cases."""

import io
import json
from contextlib import closing
from pathlib import Path

import pyarrow
import pyarrow.json
import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_folder import FolderOfRelease, manifest_of
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release, write_release
from reviewer.exchange.releases.verification import verified
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.cases import places_of
from store.database import Database
from store.records import Citation
from tests.studies import open_store

EXAMPLES = Path(__file__).parents[2] / "seeds/own_benchmark"
CITATION = Citation(dataset="scripts", licence="CC0-1.0", authors=["A. Author"], contact="a@example.org")
DECLARATION = "protocol.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release of the scripts, which two raters judged."""
    place = tmp_path_factory.mktemp("made")
    with closing(open_store(place)) as database:
        protocol = str(EXAMPLES / "meeting_scripts.toml")
        import_path(database, EXAMPLES / "meeting_scripts.jsonl", "scripts", protocol=protocol)
        create_study(database, "pilot", Design(("scripts",), 1, 7, raters=("anna", "ben")))
        for rater in ("anna", "ben"):
            session = ReviewSession(database, "pilot", rater)
            while not session.finished:
                labels = session.question.labels
                session.answer(labels[-1 if rater == "anna" else -2] if labels else "the second turn")
        close_study(database, "pilot", "lena")
        planned = plan_release(database, CITATION, "1.0", ReleaseOptions())
        write_release(database, planned, CITATION, place / "scripts-1.0")
    return place / "scripts-1.0"


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def made_again(database: Database) -> PlannedRelease:
    again = CITATION.model_copy(update={"dataset": "again"})
    return plan_release(database, again, "1.0", ReleaseOptions())


def test_a_stranger_verifies_and_imports_it_without_having_the_declaration(
    folder: Path, tmp_path: Path
) -> None:
    verification = verified(FolderOfRelease(files_of(folder), ()))
    assert verification.whole
    with closing(open_store(tmp_path)) as database:
        import_path(database, folder, "again")
        assert protocols_of(database).named("meeting-scripts@1").title == "Meeting scripts"
        with database.read() as session:
            digests = {place.key: place.case for place in places_of(session, "again")}
        assert verification.manifest is not None
        assert digests == verification.manifest.content.cases
        assert made_again(database).files[DECLARATION] == (folder / DECLARATION).read_bytes()


def test_a_declaration_that_was_changed_or_taken_away_is_named(folder: Path, tmp_path: Path) -> None:
    files = files_of(folder)
    changed = files[DECLARATION].replace(b"natural", b"naturel")
    checks = verified(FolderOfRelease({**files, DECLARATION: changed}, ())).checks
    assert {check.detail for check in checks if check.about == DECLARATION} == {
        "was changed: it does not match its line in checksums.sha256",
        "has other content than was sealed",
    }
    without = {path: content for path, content in files.items() if path != DECLARATION}
    checks = verified(FolderOfRelease(without, ())).checks
    assert "is missing" in {check.detail for check in checks if check.about == DECLARATION}
    with closing(open_store(tmp_path)) as database:
        other = (EXAMPLES / "meeting_scripts.toml").read_text().replace("Meeting scripts", "Other scripts")
        (tmp_path / "other.toml").write_text(other)
        rows, protocol = EXAMPLES / "meeting_scripts.jsonl", str(tmp_path / "other.toml")
        import_path(database, rows, "own", protocol=protocol)
        with pytest.raises(RequestError, match="is in the store with other content"):
            import_path(database, folder, "again")


def test_the_card_says_what_kinds_of_answers_were_asked_for(folder: Path) -> None:
    card = (folder / "README.md").read_text()
    assert "| hand-written | 12 cases written by people |" in card
    assert "How the models were asked" not in card
    assert "`protocol.toml`: the declaration of the benchmark" in card
    assert "| strength (labels in order) | " in card
    assert "take quadratic weights between labels" in card
    (study,) = manifest_of((folder / "release.json").read_bytes()).content.studies
    strength = next(question for question in study.questions if question.title == "strength")
    assert (strength.ac1.value or 0) > 0  # nobody gave the same label, but all labels are neighbours
    assert "(answers: free text)" in card
    assert "- authority: People follow somebody because of their rank" in card


def test_rows_that_the_hub_cannot_load_are_said_to_be_so(tmp_path: Path) -> None:
    text = (EXAMPLES / "meeting_scripts.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()][:2]
    lines[0]["size"], lines[1]["size"] = 3, "three"
    (tmp_path / "scripts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    declaration = (EXAMPLES / "meeting_scripts.toml").read_text("utf-8")
    protocol = tmp_path / "scripts.toml"
    protocol.write_text(declaration.replace('others = "refuse"', 'others = "keep"'), "utf-8")
    with closing(open_store(tmp_path)) as database:
        import_path(database, tmp_path / "scripts.jsonl", "scripts", protocol=str(protocol))
        plain = plan_release(database, CITATION, "1.0", ReleaseOptions())
        table = plan_release(database, CITATION, "1.0", ReleaseOptions(), parquet=True)
    with pytest.raises(pyarrow.ArrowInvalid):
        pyarrow.json.read_json(io.BytesIO(plain.files["data/cases.jsonl"]))
    assert (plain.unloadable, table.unloadable) == (("extra.size",), ())
    cards = [planned.files["README.md"].decode() for planned in (plain, table)]
    assert ["data_files" in card for card in cards] == [False, True]
    assert ["cannot load it: values of several types are in extra.size." in card for card in cards] == [
        True,
        False,
    ]
    assert verified(FolderOfRelease(plain.files, ())).whole
