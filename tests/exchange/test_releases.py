"""Releases: what they hold, what stays out, that they never change, and that they become datasets again."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.report_of_study import with_releases
from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.packs.pack import write_pack
from reviewer.exchange.releases.release_content import ReleaseContent, ReleaseOptions, checked_version
from reviewer.exchange.releases.release_folder import ReleaseFile
from reviewer.exchange.releases.release_making import (
    PlannedRelease,
    known_citation,
    plan_release,
    said_citation,
    write_release,
)
from reviewer.exchange.releases.release_pages import release_pages
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.report.design_section import design_blocks
from reviewer.report.document import Facts
from reviewer.report.recompute_text import recompute_blocks
from reviewer.report.report_choices import Look
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import read_closed_study
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.runs.check.case_rules import RULES, rules_mark
from reviewer.runs.repair.revise import read_place, revert, revise, withdraw
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.verdicts import Slot
from store.cases import places_of
from store.database import Database
from store.findings import CaseFindings, keep_case_findings, replace_findings
from store.ledger import Ledger
from store.records import Citation, Finding
from store.releases import citation_of, releases_of
from store.revisions import withdrawn_places
from tests.judged import judged_study
from tests.studies import BIASES, PROBE_SWE, a_case, a_study, open_store

DATASET = "pilot-0"
COMMENT, REASON = "the second option was dropped", "the deadline contradicts the plan"
CITATION = Citation(dataset=DATASET, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
REPAIRED, WITHDRAWN, FOUND = f"{BIASES[0]}/0", f"{BIASES[1]}/1", f"{BIASES[2]}/2"
FAILED = f"{BIASES[3]}/3"
CHECK = "hard_coded"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a closed study of 24 cases: one was repaired since, one withdrawn, one has a finding."""
    folder = tmp_path_factory.mktemp("prepared")
    with closing(open_store(folder)) as database:
        judged_study(database, per_generator=24, generators=("model-1",), comment=COMMENT)
        _fail(database, FAILED)
        close_study(database, "pilot", "lena")
        now = read_place(database, DATASET, REPAIRED)
        said: dict[str, Any] = {"author": "maria", "reason": REASON}
        revise(database, DATASET, REPAIRED, a_case(99, BIASES[0]), expected=now.parent, **said)
        expected = read_place(database, DATASET, WITHDRAWN).parent
        withdraw(database, DATASET, WITHDRAWN, expected=expected, **said)
        case = read_place(database, DATASET, FOUND).case.digest
        finding = Finding(
            case=case, check=CHECK, check_version=1, passed=False, severity="serious", why="stated"
        )
        replace_findings(database, [finding])
    return folder / "reviewer.db"


def _fail(database: Database, key: str) -> None:
    """All raters take back a pass of a case."""
    bundle = load_study(database, "pilot")
    (case,) = (place.case for place in bundle.sample if place.key == key)
    for rater in bundle.raters:
        with Ledger(database).turn("pilot", rater.rater, "") as turn:
            slot = Slot(case, "same_task")
            digest = bundle.shown_digest(slot)
            turn.add(
                case=case,
                question="same_task",
                question_digest=digest,
                showing=0,
                kind="label",
                given="app",
                value="False",
            )


@pytest.fixture
def database(prepared: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copy(prepared, tmp_path / "reviewer.db")
    with closing(open_store(tmp_path)) as opened:
        yield opened


def planned(database: Database, version: str = "1.0", **options: Any) -> PlannedRelease:
    return plan_release(database, CITATION, version, ReleaseOptions(**options))


def made(database: Database, folder: Path, version: str = "1.0", **options: Any) -> PlannedRelease:
    release = planned(database, version, **options)
    assert write_release(database, release, CITATION, folder)
    return release


def left_out(content: ReleaseContent) -> dict[tuple[str, str], int]:
    return {(left.why, left.of): left.cases for left in content.left_out}


def test_every_case_is_released_or_counted_with_its_reason(database: Database) -> None:
    content = planned(database, passed=("pilot",), without=(CHECK,)).content
    counts = left_out(content)
    assert (counts["withdrawn", ""], counts["finding", CHECK]) == (1, 1)
    assert len(content.cases) + sum(counts.values()) == content.places == 24
    assert WITHDRAWN not in content.cases
    assert FOUND not in content.cases


def test_labels_count_only_for_the_content_they_were_given_to(database: Database) -> None:
    content = planned(database, passed=("pilot",)).content
    assert REPAIRED not in content.cases
    assert left_out(content)["not reviewed", "pilot"] == 1
    (study,) = content.studies
    assert (study.raters, study.cases, study.passed + study.failed + study.undecided) == (3, 24, 24)
    assert study.not_reviewed == 0
    assert left_out(content)["failed", "pilot"] == study.failed >= 1
    assert FAILED not in content.cases
    assert study.released == len(content.cases)


def test_judged_case_without_final_label_is_undecided_and_not_unreviewed(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        judged_study(database, per_generator=24, generators=("model-1",), raters=("anna", "ben"))
        close_study(database, "pilot", "lena")
        planned_release = planned(database, passed=("pilot",))
        study = read_closed_study(database, "pilot")
    (facts,) = planned_release.content.studies
    assert left_out(planned_release.content)["undecided", "pilot"] == facts.undecided > 0
    assert ("not reviewed", "pilot") not in left_out(planned_release.content)
    assert "| undecided: the labels of study pilot settle no final label" in (
        planned_release.files["README.md"].decode()
    )
    unlabelled = [replace(final, item_votes=replace(final.item_votes, votes=())) for final in study.finals]
    assert set(replace(study, finals=tuple(unlabelled)).results().values()) == {"not reviewed"}


def test_withdrawn_cases_come_only_when_asked_for(database: Database) -> None:
    content = planned(database, with_withdrawn=True).content
    assert (len(content.cases), content.withdrawn, content.left_out) == (24, (WITHDRAWN,), ())
    assert WITHDRAWN in planned(database, with_withdrawn=True).files["README.md"].decode().replace("\\", "")


def test_names_and_words_of_people_stay_out_of_every_file(database: Database) -> None:
    everything = b"".join(planned(database).files.values()).decode()
    for private in ("anna", "ben,", "cara", "maria", "lena", COMMENT, REASON):
        assert private not in everything
    assert "person 1" in everything
    told = b"".join(planned(database, names=True, reasons=True).files.values()).decode()
    assert all(public in told for public in ("anna", "maria", REASON))
    assert COMMENT not in told


def test_the_card_tells_a_stranger_who_checked_what_and_what_is_missing(database: Database) -> None:
    card = planned(database, passed=("pilot",)).files["README.md"].decode()
    assert card.startswith('---\npretty_name: "pilot-0 1.0"\nlicense: "cc-by-4.0"\n')
    assert "A case is a dilemma of software engineering" in card
    assert "3 raters gave 288 labels on 24 cases. 3 raters judged each case. The cases were drawn on" in card
    assert "Since then they were changed: 1 repair, 1 withdrawal. CHANGELOG.md lists each change." in card
    assert "some raters did not answer" not in card
    assert "(sample: all; random seed 7)" in card
    assert "Nobody adjudicated disagreements." in card
    assert "95% intervals: all agree, pass rates Wilson; coefficients bootstrap." in card
    assert "Words in braces are filled in for each case." in card
    assert "anchoring bias: Leaning too much on the first number" in card
    assert "| not reviewed: study pilot has no labels for exactly this content | 1 |" in card
    assert "| withdrawn by the maintainers of the dataset | 1 |" in card
    assert "The cases were not audited." in card
    assert "{{" not in card


def test_the_card_says_which_questions_some_raters_left_open(database: Database) -> None:
    content = planned(database).content
    (study,) = content.studies
    first = study.questions[0].model_copy(update={"labels_given": 40})
    fewer = study.model_copy(update={"questions": (first, *study.questions[1:])})
    data = {ReleaseFile.ROWS: b""}
    card = release_pages(content.model_copy(update={"studies": (fewer,)}), data)["README.md"]
    assert f"some raters did not answer {first.title} on every case: it has 40 labels on 24 cases." in card


def test_the_card_says_what_the_audit_looked_for_and_found(database: Database) -> None:
    with database.read() as session:
        cases = [place.case for place in places_of(session, DATASET) if place.key not in (FOUND, WITHDRAWN)]
    mark = rules_mark(MARK, PROBE_SWE, read_place(database, DATASET, FOUND).case)
    marked = [mark.model_copy(update={"case": case, "engine": RULES}) for case in cases[:5]]
    keep_case_findings(database, [CaseFindings(each, (), ()) for each in marked])
    content = planned(database).content
    assert (content.audit.audited, content.audit.contents) == (5, 23)
    assert [(each.check, each.severity, each.cases) for each in content.audit.findings] == [
        (CHECK, "serious", 1)
    ]
    card = planned(database).files["README.md"].decode()
    assert "5 of 23 cases were audited" in card
    assert "| hard coded | serious | 1 |" in card
    assert "- 18 cases of 23 were not audited." in card
    assert "- both derivable: " in card


def test_the_changelog_says_what_was_changed_in_which_version(database: Database, tmp_path: Path) -> None:
    made(database, tmp_path / "first")
    now = read_place(database, DATASET, FOUND)
    new = a_case(77, BIASES[2])
    revise(database, DATASET, FOUND, new, expected=now.parent, author="tom", reason="clearer")
    log = planned(database, "1.1").files["CHANGELOG.md"].decode()
    newer, older = log.split("## 1\\.1")[1].split("## 1\\.0")
    assert f"`{FOUND}`: repaired" in newer
    assert f"`{REPAIRED}`: repaired" in older
    assert f"`{WITHDRAWN}`: withdrawn" in older
    assert "by person 2" in newer


def test_the_same_store_version_and_options_give_the_same_bytes(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(database, tmp_path / "first")
    monkeypatch.setattr("reviewer.exchange.releases.release_making.now_ms", lambda: 4_000_000_000_000)
    second = planned(database)
    assert second.files == first.files
    assert write_release(database, second, CITATION, tmp_path / "first") is False
    assert write_release(database, second, CITATION, tmp_path / "second")
    assert (tmp_path / "second/release.json").read_bytes() == first.files["release.json"]


def test_a_version_never_changes(database: Database, tmp_path: Path) -> None:
    made(database, tmp_path / "first")
    with pytest.raises(RequestError, match=r"version 1\.0 of 'pilot-0' exists with other content"):
        planned(database, with_withdrawn=True)
    assert planned(database, "1.1", with_withdrawn=True).content.cases


def test_a_folder_with_other_files_is_left_alone(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(RequestError, match="has other files"):
        made(database, folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    with database.read() as session:
        assert releases_of(session, [DATASET]) == []


def test_what_a_killed_release_left_is_visible_and_replaced(database: Database, tmp_path: Path) -> None:
    left = tmp_path / "out.unfinished/data/old"
    left.parent.mkdir(parents=True)
    left.write_text("half")
    made(database, tmp_path / "out")
    assert not left.exists()
    assert "old" not in {path.name for path in (tmp_path / "out").rglob("*")}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_full_disk_leaves_neither_folder_nor_version(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written = Path.write_bytes, []

    def full(path: Path, content: bytes) -> int:
        written.append(path)
        if len(written) > 3:
            raise OSError(28, "No space left on device")
        return write(path, content)

    release = planned(database)
    monkeypatch.setattr(Path, "write_bytes", full)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(RequestError, match="No space left on device"):
        write_release(database, release, CITATION, tmp_path / "first")
    assert sorted(tmp_path.iterdir()) == before
    with database.read() as session:
        assert releases_of(session, [DATASET]) == []


def test_what_does_not_fit_is_refused_in_a_sentence(database: Database) -> None:
    a_study(database, "open", raters=("anna",))
    with pytest.raises(RequestError, match="study 'open' is open"):
        planned(database, passed=("open",))
    close_study(database, "open", "lena", anyway=True)
    with pytest.raises(RequestError, match="study 'open' has no case that dataset 'pilot-0' holds"):
        planned(database, passed=("open",))
    with pytest.raises(RequestError, match=r"check 'hard_code'.*did you mean hard_coded"):
        planned(database, without=("hard_code",))
    with pytest.raises(RequestError, match="study 'nobody' is not in the store"):
        planned(database, passed=("nobody",))


@pytest.mark.parametrize("version", ["", "one", "1/2", "../1", "1..2", "1.0\n", "v1", "1" * 40])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(RequestError, match="is not a version"):
        checked_version(version)


@pytest.mark.parametrize("version", ["1", "1.1", "2.0.3", "1.0-rc1", "2026.11"])
def test_versions_are_numbers_with_dots(version: str) -> None:
    assert checked_version(version) == version


def test_licence_authors_and_contact_are_said_once(database: Database, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="nobody has said the licence, authors and contact"):
        said_citation(known_citation(database, DATASET), None, (), None)
    made(database, tmp_path / "first")
    assert said_citation(known_citation(database, DATASET), None, (), None) == CITATION
    with pytest.raises(RequestError, match="the contact has to be one line"):
        said_citation(known_citation(database, DATASET), None, (), "a\nb")


def test_a_release_becomes_a_dataset_with_what_is_known_of_it(database: Database, tmp_path: Path) -> None:
    release = made(database, tmp_path / "first")
    import_path(database, tmp_path / "first", "again")
    with database.read() as session:
        digests = {place.key: place.case for place in places_of(session, "again")}
        (known,) = releases_of(session, ["again"])
        citation = citation_of(session, "again")
    assert digests == release.content.cases
    assert (known.name, known.version, known.seal, known.origin) == (
        DATASET,
        "1.0",
        release.content.seal,
        "imported",
    )
    assert citation is not None
    assert citation.authors == ["A. Author"]
    again = CITATION.model_copy(update={"dataset": "again"})
    content = plan_release(database, again, "2.0", ReleaseOptions()).content
    assert content.source_release is not None
    assert (content.source, content.source_release.seal) == ("release pilot-0 1.0", known.seal)


def test_the_cases_are_there_in_the_benchmarks_own_format_too(database: Database, tmp_path: Path) -> None:
    release = made(database, tmp_path / "first")
    import_path(database, tmp_path / "first/data/cases.json", "own", "model-1")
    with database.read() as session:
        own = places_of(session, "own")
    assert {place.key: place.case for place in own} == release.content.cases
    assert "`data/cases.json`: the same cases as PROBE" in release.files["README.md"].decode()


def gone(database: Database, dataset: str) -> set[str]:
    with database.read() as session:
        return {key for _, key in withdrawn_places(session, [dataset])}


def test_withdrawn_cases_of_a_release_are_withdrawn_where_it_is_imported(
    database: Database, tmp_path: Path
) -> None:
    made(database, tmp_path / "first", with_withdrawn=True)
    said = import_path(database, tmp_path / "first", "again", importer="tom").sentence
    assert "1 case withdrawn here, because the makers of the release did so" in said
    now = read_place(database, "again", WITHDRAWN)
    (step,) = now.history.revisions
    assert (step.kind, step.author) == ("withdrawal", "tom")
    assert step.reason == "withdrawn by the makers of release pilot-0 1.0"
    again = import_path(database, tmp_path / "first", "again").sentence
    assert "nothing changed" in again
    assert "withdrawn" not in again
    revert(database, "again", WITHDRAWN, to=None, expected=now.parent, author="tom", reason="it is sound")
    import_path(database, tmp_path / "first", "again")
    assert gone(database, "again") == set()


def test_a_later_version_withdraws_what_an_earlier_one_still_has(database: Database, tmp_path: Path) -> None:
    made(database, tmp_path / "second", "2.0")
    import_path(database, tmp_path / "second", "again")
    assert gone(database, "again") == set()
    expected = read_place(database, DATASET, FOUND).parent
    withdraw(database, DATASET, FOUND, expected=expected, author="maria", reason=REASON)
    made(database, tmp_path / "third", "3.0")
    said = import_path(database, tmp_path / "third", "again").sentence
    assert gone(database, "again") == {FOUND}
    assert "1 case withdrawn here" in said


def test_a_release_that_does_not_hold_is_not_imported(database: Database, tmp_path: Path) -> None:
    made(database, tmp_path / "first")
    rows = tmp_path / "first/data/cases.jsonl"
    rows.write_text(rows.read_text().replace("Ten ship", "Two ship", 1))
    with pytest.raises(InputError, match=r"the release does not hold: data/cases\.jsonl: was changed"):
        import_path(database, tmp_path / "first", "again")
    with database.read() as session:
        assert places_of(session, "again") == []


def test_a_study_knows_the_releases_of_its_cases(database: Database, tmp_path: Path) -> None:
    release = made(database, tmp_path / "first")
    bundle = with_releases(database, load_study(database, "pilot"))
    ((found),) = bundle.releases
    assert (found.name, found.version, found.seal) == (DATASET, "1.0", release.content.seal)
    assert found.cases == 22  # not the repaired one, nor the withdrawn one
    (block,) = [block for block in design_blocks(bundle, [], []) if isinstance(block, Facts)]
    said = "".join(piece for name, pieces in block.rows if name == "Release" for piece in map(str, pieces))
    assert said == "22 of 24 cases are in release “pilot-0” 1.0"
    (seals,) = [
        dict(block.rows)
        for block in recompute_blocks(bundle, [], Method(), Look(), ())
        if isinstance(block, Facts)
    ]
    assert seals["Seal of release pilot-0 1.0"] == (found.seal,)


def test_a_case_in_two_releases_counts_for_the_one_with_its_content(
    database: Database, tmp_path: Path
) -> None:
    made(database, tmp_path / "old")
    now = read_place(database, DATASET, FOUND)
    new = a_case(77, BIASES[2])
    revise(database, DATASET, FOUND, new, expected=now.parent, author="tom", reason="clearer")
    made(database, tmp_path / "new", "1.1")
    bundle = with_releases(database, load_study(database, "pilot"))
    assert {each.version: each.cases for each in bundle.releases} == {"1.0": 22, "1.1": 21}
    import_path(database, tmp_path / "old", "again")
    report = import_path(database, tmp_path / "new", "again")
    assert (report.counts.replaced, report.counts.unchanged) == (1, 22)
    with database.read() as session:
        assert [each.version for each in releases_of(session, ["again"])] == ["1.0", "1.1"]


def test_a_pack_has_only_a_part_and_makes_no_release(database: Database, tmp_path: Path) -> None:
    a_study(database, "open", raters=("anna",))
    write_pack(database, "open", "anna", tmp_path / "anna.review")
    with closing(Database.open(str(tmp_path / "anna.review"))) as pack:
        citation = CITATION.model_copy(update={"dataset": "open-data"})
        with pytest.raises(RequestError, match="this file is a pack"):
            plan_release(pack, citation, "1.0", ReleaseOptions())


def test_metadata_has_the_digest_of_every_data_file_and_fetches_nothing(database: Database) -> None:
    files = planned(database).files
    metadata = json.loads(files["croissant.json"])
    assert isinstance(metadata["@context"], dict)
    paths = [file["contentUrl"] for file in metadata["distribution"]]
    assert paths == ["data/cases.jsonl", "data/cases.json"]
    for file in metadata["distribution"]:
        assert f"{file['sha256']}  {file['contentUrl']}" in files["checksums.sha256"].decode()
