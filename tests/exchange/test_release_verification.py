"""Checking releases of strangers: changed, missing, extra, linked and huge files, pages, decisions."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.cluster_work import confined_programs_on
from reviewer.core.errors import InputError
from reviewer.exchange.releases.decision_rerun import decisions_check
from reviewer.exchange.releases.release_checks import ReleaseCheck, failure_words, proved_words
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_files import DataRow, sealed_files
from reviewer.exchange.releases.release_folder import (
    FolderOfRelease,
    checksum_lines,
    checksums_of,
    manifest_of,
    read_folder,
    sha256,
)
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release
from reviewer.exchange.releases.verification import verified
from reviewer.options.shared import ClusterOptions
from reviewer.oracle.program_runner import ProgramRunner, local_runner
from reviewer.protocols.probe_swe.evaluation import MEASURES
from reviewer.protocols.registry import PROTOCOLS, Protocols
from store.migrations import LAST_BEFORE
from store.records import Citation
from tests.prolog import need_prolog
from tests.studies import a_case, fill, open_store

CITATION = Citation(dataset="first", licence="other", authors=["A. Author"], contact="a@example.org")
FILES = (
    *("README.md", "CHANGELOG.md", "CITATION.cff", "croissant.json", ".zenodo.json", "release.json"),
    *("checksums.sha256", "data/cases.jsonl", "data/cases.json"),
)


GUESSING = [f"answers without reading: {measure.title}" for measure in MEASURES]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> PlannedRelease:
    with closing(open_store(tmp_path_factory.mktemp("made"))) as database:
        fill(database, "first", [a_case(number) for number in range(3)])
        return plan_release(database, CITATION, "1.0", ReleaseOptions())


@pytest.fixture
def folder(release: PlannedRelease, tmp_path: Path) -> Path:
    for name, content in release.files.items():
        (tmp_path / "first" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "first" / name).write_bytes(content)
    return tmp_path / "first"


def checks_of(files: Mapping[str, bytes]) -> tuple[ReleaseCheck, ...]:
    return verified(FolderOfRelease(files, ())).checks


def states(checks: tuple[ReleaseCheck, ...], *wanted: str) -> set[str]:
    return {check.about for check in checks if check.state in wanted}


def test_a_release_as_it_was_made_holds(folder: Path) -> None:
    verification = verified(read_folder(folder))
    assert verification.whole
    assert states(verification.checks, "holds") == {
        *("files", "seal", "cases", "counts", "pages", "rows of data/cases.json", "right options"),
        *GUESSING,
    }
    assert failure_words(verification.checks) is None


def with_checksums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a line of checksums for each, as an author of altered files writes them."""
    sums = {path: sha256(held) for path, held in files.items() if path != "checksums.sha256"}
    return {**files, "checksums.sha256": checksum_lines(sums).encode()}


ALTERED = {
    "data/cases.json": (b"tested", b"tasted"),
    "CITATION.cff": (b"A. Author", b"B. Author"),
    "CHANGELOG.md": (b"No case", b"No text"),
    "croissant.json": (b"A. Author", b"B. Author"),
}


@pytest.mark.parametrize("program", [None, "0.0.1"])
@pytest.mark.parametrize("path", ALTERED)
def test_altered_file_breaks_the_seal_of_any_program(
    release: PlannedRelease, path: str, program: str | None
) -> None:
    files = made_by(release, program) if program else dict(release.files)
    files[path] = files[path].replace(*ALTERED[path])
    checks = checks_of(with_checksums(files))
    assert path in states(checks, "fails")
    assert (ReleaseCheck(path, "fails", "has other content than was sealed")) in checks


def test_other_program_cannot_be_named_under_the_seal(release: PlannedRelease) -> None:
    manifest = json.loads(release.files["release.json"])
    manifest["content"]["program"] = "0.0.1"
    forged = (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()
    assert "seal" in states(checks_of(with_checksums({**release.files, "release.json": forged})), "fails")


def test_release_of_another_program_holds_and_says_what_was_not_checked(release: PlannedRelease) -> None:
    checks = checks_of(made_by(release, "0.0.1"))
    assert states(checks, "fails", "edited") == set()
    assert states(checks, "not checked") == {"pages", "what only its makers know"}
    assert states(checks, "holds") == {
        *("files", "seal", "cases", "counts", "rows of data/cases.json", "right options"),
        *GUESSING,
    }
    (words,) = [words for words in proved_words(checks) if words.startswith("Not checked")]
    assert "pages (version 0.0.1 of the program wrote them" in words
    assert proved_words(checks)[0].startswith("What was checked of the release is whole")


def test_own_file_is_compared_with_the_rows_under_a_new_seal_too(release: PlannedRelease) -> None:
    """Somebody who seals altered data again still has lines that say otherwise."""
    path = "data/cases.json"
    files = {**release.files, path: release.files[path].replace(*ALTERED[path])}
    data = {name: held for name, held in files.items() if name.startswith("data/")}
    for program in (release.content.program, "0.0.1"):
        content = release.content.model_copy(update={"program": program, "files": {}})
        checks = checks_of(sealed_files(content, data)[1])
        assert states(checks, "fails") == {"rows of data/cases.json"}


def test_page_with_the_mark_of_an_unsealed_draft_is_not_sealed(release: PlannedRelease) -> None:
    draft = release.content.model_copy(update={"files": {}}).seal.encode()
    path = "CITATION.cff"
    page = release.files[path].replace(release.content.seal.encode(), draft)
    assert page != release.files[path]
    assert path in states(checks_of(with_checksums({**release.files, path: page})), "fails")


def test_edited_card_is_named_in_the_last_words(release: PlannedRelease) -> None:
    card = release.files["README.md"].replace(b"3 cases", b"9 cases")
    checks = checks_of(with_checksums({**release.files, "README.md": card}))
    assert proved_words(checks)[0].startswith(
        "Apart from the card, which was edited, what was checked of the release is whole"
    )


@pytest.mark.parametrize("name", FILES)
def test_a_changed_byte_is_found_and_named(release: PlannedRelease, name: str) -> None:
    for place in (0, len(release.files[name]) // 2, len(release.files[name]) - 1):
        content = bytearray(release.files[name])
        content[place] ^= 1
        found = states(checks_of({**release.files, name: bytes(content)}), "fails", "edited")
        assert any(about.startswith(name) for about in found), (name, place, found)


def test_an_edited_card_is_said_and_the_data_still_hold(release: PlannedRelease) -> None:
    card = release.files["README.md"].replace(b"3 cases", b"9 cases")
    checks = checks_of({**release.files, "README.md": card})
    assert states(checks, "edited") == {"README.md", "card"}
    assert failure_words(checks) is None


def test_a_card_with_a_new_checksum_is_held_against_the_sealed_numbers(release: PlannedRelease) -> None:
    card = release.files["README.md"].replace(b"3 cases", b"9 cases")
    old = checksums_of(release.files["checksums.sha256"])["README.md"]
    new = sha256(card)
    sums = release.files["checksums.sha256"].replace(old.encode(), new.encode())
    checks = checks_of({**release.files, "README.md": card, "checksums.sha256": sums})
    assert states(checks, "edited") == {"README.md", "card"}


def made_by(release: PlannedRelease, program: str) -> dict[str, bytes]:
    """The files of the release as another version of the program makes them."""
    content = release.content.model_copy(update={"program": program, "files": {}})
    data = {name: held for name, held in release.files.items() if name.startswith("data/")}
    return sealed_files(content, data)[1]


def with_manifest(release: PlannedRelease, seal: str | None = None, **changes: object) -> dict[str, bytes]:
    """The files with a changed manifest and its new checksum; the seal is that of the new content."""
    content = release.content.model_copy(update=changes)
    manifest = manifest_of(release.files["release.json"])
    new = manifest.model_copy(update={"content": content, "seal": seal or content.seal})
    sums = checksums_of(release.files["checksums.sha256"]) | {"release.json": sha256(new.written)}
    return {**release.files, "release.json": new.written, "checksums.sha256": checksum_lines(sums).encode()}


def sealed_again(release: PlannedRelease, **changes: object) -> dict[str, bytes]:
    """The files with a changed content that is sealed again, with the pages as they were."""
    draft = release.content.model_copy(update={**changes, "files": {}})
    before, after = release.content.seal.encode(), draft.seal.encode()
    pages = {
        path: held.replace(before, after)
        for path, held in release.files.items()
        if path not in ("release.json", "checksums.sha256")
    }
    content = draft.model_copy(update={"files": {path: sha256(held) for path, held in pages.items()}})
    files = {path: held.replace(after, content.seal.encode()) for path, held in pages.items()}
    manifest = manifest_of(release.files["release.json"])
    new = manifest.model_copy(update={"content": content, "seal": content.seal})
    return with_checksums({**files, "release.json": new.written})


def test_a_manifest_that_was_changed_with_its_checksum_breaks_the_seal(release: PlannedRelease) -> None:
    checks = checks_of(with_manifest(release, release.content.seal, version="2.0"))
    assert states(checks, "fails") == {"seal"}


def test_a_new_seal_does_not_hide_what_the_data_say(release: PlannedRelease) -> None:
    assert "counts" in states(checks_of(with_manifest(release, groups={"anchoring bias": 9})), "fails")
    assert "counts" in states(checks_of(with_manifest(release, places=9)), "fails")
    other = dict.fromkeys(release.content.cases, "0" * 64)
    assert "cases" in states(checks_of(with_manifest(release, cases=other)), "fails")
    differing = states(checks_of(sealed_again(release, version="2.0")), "fails", "edited")
    assert differing == {"card", "CHANGELOG.md", "CITATION.cff", "croissant.json", ".zenodo.json"}


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(release: PlannedRelease, name: str) -> None:
    checks = checks_of({path: content for path, content in release.files.items() if path != name})
    assert name in states(checks, "fails")
    assert str(failure_words(checks)).startswith(f"the release does not hold: {name}: is missing")


def test_an_extra_file_is_named(folder: Path) -> None:
    (folder / "data/more.jsonl").write_text("{}")
    assert "data/more.jsonl" in states(verified(read_folder(folder)).checks, "fails")


@pytest.mark.parametrize("name", ["README.md", "data/cases.jsonl", "data", "more"])
def test_links_are_refused(folder: Path, name: str) -> None:
    place, target = folder / name, folder.parent / "target"
    if place.exists():
        shutil.move(place, target)
    place.symlink_to(target)
    with pytest.raises(InputError, match=f"{name}: is a link"):
        read_folder(folder)


def test_a_file_of_five_gigabytes_is_refused_unread(folder: Path) -> None:
    os.truncate(folder / "data/cases.jsonl", 5 * 1024**3)
    with pytest.raises(InputError, match="has 5,368,709,120 bytes; at most 536,870,912 are read"):
        read_folder(folder)


def test_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    (folder / "README.md").unlink()
    os.mkfifo(folder / "README.md")
    with pytest.raises(InputError, match=r"README\.md: is not a regular file"):
        read_folder(folder)


def test_what_is_no_folder_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not there"):
        read_folder(tmp_path / "nowhere")


def test_paths_outside_the_folder_are_never_followed(release: PlannedRelease) -> None:
    line = f"{'0' * 64}  ../secret\n".encode()
    sums = release.files["checksums.sha256"] + line
    checks = checks_of({**release.files, "checksums.sha256": sums})
    (fault,) = [check for check in checks if check.state == "fails"]
    assert fault.detail == "names '../secret', which is not one file of a release"


@pytest.mark.parametrize(
    ("manifest", "wrong"),
    [
        (b"{", "incomplete JSON"),
        (b"[]", "is not in the format"),
        (b'{"format": "dilemma-reviewer release 9"}', "is not in the format"),
        (
            b'{"format": "dilemma-reviewer release 2"}',
            f"before release 1.0; commit {LAST_BEFORE} of",
        ),
        (b'{"format": "dilemma-reviewer release 1.0", "seal": NaN}', "not finite"),
        (b'{"format": "dilemma-reviewer release 1.0"}', "seal"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_a_manifest_of_anything_is_a_sentence(release: PlannedRelease, manifest: bytes, wrong: str) -> None:
    checks = checks_of({**release.files, "release.json": manifest})
    assert any(wrong in f"{check.about} {check.detail}" for check in checks if check.state == "fails")


@pytest.mark.parametrize(
    "row",
    [
        *(b"[]\n", b'{"key": 1}\n', b"{\n", b'{"key": "a", "payload": 1}\n', b"\xff\n"),
        b'{"protocol": "p", "group": "g", "key": "k", "generator": "m", "origin": "seed", "run": null, '
        b'"payload": {}, "published": 1, "extra": {}}\n',
    ],
)
def test_rows_of_anything_are_a_sentence(release: PlannedRelease, row: bytes) -> None:
    checks = checks_of({**release.files, "data/cases.jsonl": row})
    assert any(check.about.startswith("data/cases.jsonl") for check in checks if check.state == "fails")


def test_the_benchmarks_own_file_is_held_against_the_sealed_rows(release: PlannedRelease) -> None:
    path = "data/cases.json"
    other = release.files[path].replace(b"tested", b"tasted", 1)
    sums = checksums_of(release.files["checksums.sha256"]) | {path: sha256(other)}
    files = {**release.files, path: other, "checksums.sha256": checksum_lines(sums).encode()}
    assert states(checks_of(files), "fails") == {path, f"rows of {path}"}
    stranger = verified(FolderOfRelease(release.files, ()), Protocols()).checks
    assert f"rows of {path}" in states(stranger, "not checked")


def test_cases_that_were_left_away_or_doubled_are_named(release: PlannedRelease) -> None:
    first, *rest = release.files["data/cases.jsonl"].splitlines(keepends=True)
    without = checks_of({**release.files, "data/cases.jsonl": b"".join(rest)})
    assert any("'anchoring bias/0' is missing (1 case in all)" in check.detail for check in without)
    twice = checks_of({**release.files, "data/cases.jsonl": b"".join([first, first, *rest])})
    assert any("'anchoring bias/0' is there twice" in check.detail for check in twice)
    turned = checks_of({**release.files, "data/cases.jsonl": b"".join([*rest, first])})
    assert any("another order than was sealed" in check.detail for check in turned)


def test_without_a_jail_decisions_are_not_checked(
    release: PlannedRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.cli.cluster_work.without_jail", lambda: "none here")
    with confined_programs_on(ClusterOptions()) as runner:
        assert runner is None
    rows = verified(FolderOfRelease(release.files, ())).rows or ()
    check = decisions_check(release.content, rows, PROTOCOLS, runner)
    assert (check.state, check.detail) == ("not checked", "this system has no jail for programs")


def test_every_decision_is_run_anew(release: PlannedRelease) -> None:
    need_prolog()
    rows = verified(FolderOfRelease(release.files, ())).rows or ()
    with local_runner(1) as runner:
        need_every_decision(release, rows, runner)


def need_every_decision(release: PlannedRelease, rows: Sequence[DataRow], runner: ProgramRunner) -> None:
    none = decisions_check(release.content, rows, PROTOCOLS, runner)
    assert (none.state, none.detail.partition(";")[0]) == ("not checked", "6 programs ran")
    keys = list(release.content.cases)
    both = {"unbiased": "option_A", "biased": "option_A"}
    right = release.content.model_copy(update={"decisions": dict.fromkeys(keys, both)})
    assert decisions_check(right, rows, PROTOCOLS, runner).state == "holds"
    wrong = {**dict.fromkeys(keys, both), keys[1]: {"unbiased": "option_A", "biased": "option_B"}}
    check = decisions_check(right.model_copy(update={"decisions": wrong}), rows, PROTOCOLS, runner)
    assert (check.state, keys[1] in check.detail) == ("fails", True)
