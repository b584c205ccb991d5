"""What release 1.0 wrote opens in every later commit and means what it meant."""

import gzip
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.personal_settings import load_settings
from reviewer.exchange.labels.foreign_files import read_foreign_labels
from reviewer.exchange.labels.label_booking import BookingOptions, match_labels
from reviewer.exchange.packs.pack import opened_pack
from reviewer.exchange.packs.store_files import checked, merge_file
from reviewer.study.design.study_bundle import load_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run
from tests.postgres import Server
from tests.release_1_0.make import COMMANDS, HERE, LABELS, called, table, values
from tests.second_protocol.conftest import run  # noqa: F401  (the program with the small protocol)
from tests.second_protocol.material import PROTOCOLS

Opener = Callable[[str], Database]
MEANING: Mapping[str, Any] = json.loads((HERE / "meaning.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store and the pack as release 1.0 wrote them; nothing is written there."""
    folder = tmp_path_factory.mktemp("release_1_0")
    for name in ("reviewer.db", "cara.review"):
        (folder / name).write_bytes(gzip.decompress((HERE / f"{name}.gz").read_bytes()))
    return folder


@pytest.fixture
def store(unpacked: Path, tmp_path: Path) -> str:
    """A copy of the store."""
    return str(shutil.copy(unpacked / "reviewer.db", tmp_path / "reviewer.db"))


def kept(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a table has the same rows; columns may have come to it since."""
    return len(before) == len(now) and all(
        old.items() <= new.items() for old, new in zip(before, now, strict=True)
    )


def labels_of(database: Database) -> dict[str, list[str | None]]:
    """The labels of each rater in the order of their cases."""
    labels: dict[str, list[str | None]] = {}
    for row in label_rows(*read_study(database, "pilot")):
        labels.setdefault(row.rater, []).append(row.verdict.label)
    return labels


@pytest.mark.parametrize("name", COMMANDS)
def test_a_store_means_what_it_meant(run: Run, store: str, name: str) -> None:  # noqa: F811
    printed = run(*COMMANDS[name], "--store", store, "--format", "json")
    assert printed.code == 0, printed.err
    assert kept(MEANING[name], table(printed.out))


def test_a_store_is_whole_and_has_every_label_and_value(store: str) -> None:
    with closing(Database.open(store, protocols=PROTOCOLS)) as database:
        labels = labels_of(database)
        assert {rater: sorted(map(str, labels[rater])) for rater in LABELS} == {
            rater: sorted(given.split()) for rater, given in LABELS.items()
        }
        assert values(database) == MEANING["values"]
    assert not checked(store).faults


def test_a_store_on_a_server_means_what_it_meant(
    server: Server, empty_server_url: str, opened: Opener
) -> None:
    dumped = gzip.decompress((HERE / "reviewer.sql.gz").read_bytes()).decode()
    server.ask(empty_server_url.rpartition("/")[2], dumped)
    database = opened(empty_server_url)
    assert set(labels_of(database)) == {*LABELS}
    assert values(database) == MEANING["values"]
    for name in ("agreement", "outcomes", "runs"):
        # In a process of its own: what it opens is closed with it.
        printed = called(*COMMANDS[name], "--store", empty_server_url, "--format", "json")
        assert kept(MEANING[name], table(printed)), name


def test_a_pack_opens_and_its_answers_are_merged(store: str, unpacked: Path, tmp_path: Path) -> None:
    pack = shutil.copy(unpacked / "cara.review", tmp_path / "cara.review")
    with closing(opened_pack(Path(pack))[0]) as packed:
        ReviewSession(packed, "pilot", "cara").answer("False")
    with closing(Database.open(store)) as database:
        before = labels_of(database)
        assert [account.added for account in merge_file(database, Path(pack))] == [1]
        assert [account.added for account in merge_file(database, Path(pack))] == [0]
        after = labels_of(database)
    assert [after[rater] for rater in LABELS] == [before[rater] for rater in LABELS]
    assert "False" in after["cara"]


def test_a_release_verifies_and_is_imported(run: Run) -> None:  # noqa: F811
    verified = run("release", "verify", HERE / "release", "--format", "json")
    assert verified.code == 0, verified.err
    read = run("import", HERE / "release", "--dataset", "again")
    assert "16 cases added" in read.out


def test_an_export_is_written_again_and_its_labels_are_read(run: Run, store: str) -> None:  # noqa: F811
    assert run("export", "pilot", "-o", "now", "--store", store).code == 0
    for before in sorted((HERE / "export").glob("*.jsonl")):
        rows, now = (
            [*map(json.loads, file.read_text().splitlines())] for file in (before, Path("now") / before.name)
        )
        assert kept(rows, now), before.name
    with closing(Database.open(store)) as database:
        read = read_foreign_labels(HERE / "export" / "labels.jsonl")
        matched = match_labels(load_study(database, "pilot"), read, BookingOptions(add_raters=True))
    assert matched.problems == ()


def test_an_export_of_a_study_without_strata_is_the_same_byte_for_byte(run: Run, store: str) -> None:  # noqa: F811
    assert run("export", "pilot", "-o", "now", "--store", store).code == 0
    before, now = (
        {file.name: file for file in folder.iterdir()} for folder in (HERE / "export", Path("now"))
    )
    assert before.keys() == now.keys()
    old, new = (json.loads(files.pop("study.json").read_text()) for files in (before, now))
    assert old == new | {"release": "1.0.0"}
    assert [name for name in before if before[name].read_bytes() != now[name].read_bytes()] == []


def test_settings_are_read() -> None:
    settings = load_settings(HERE / "settings.toml")
    assert (settings.theme, settings.name, settings.idle_seconds) == ("reviewer-light", "anna", 90)
    assert settings.keys == {"review.skip": "k"}
