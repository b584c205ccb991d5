"""Reports of readers: imported whole or not at all, findings on cases, and named in changelogs."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.packs.pack import write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_folder import ReleaseFile
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release, write_release
from reviewer.exchange.rows.complaint_import import ImportedComplaints, import_complaints
from reviewer.oracle.program_runner import local_runner
from reviewer.results.case_strata import StrataRequest, strata_of
from reviewer.runs.audit.audit_findings import DISMISSED_EARLIER, Wanted, read_findings
from reviewer.runs.audit.dataset_audit import audit
from reviewer.runs.audit.reader_reports import REPORTED, followed_reports
from reviewer.runs.repair.revise import read_place, revert, revise, withdraw
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.blinded_panes import panes_while_undecided, sheet_without_blinding
from reviewer.study.session.review_session import ReviewSession
from store.complaints import complaints_about
from store.database import Database
from store.dismissals import (
    dataset_dismissals,
    dismiss,
    dismissals_in,
    dismissals_on,
    put_dataset_dismissal,
    restore,
)
from store.findings import PlacedFinding, case_pages, failed_findings
from store.records import Citation, Finding
from tests.blinded_study import CASES, FINDING, blinded_study
from tests.prolog import need_prolog
from tests.studies import a_case, a_study, open_store

DATASET = "pilot-data"
FIRST, SECOND, THIRD = (f"anchoring bias/{number}" for number in range(3))
CITATION = Citation(dataset=DATASET, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
WORDS = "both options are [red] right"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as opened:
        a_study(opened, raters=("anna",))
        yield opened


def reported(
    database: Database, *rows: str, name: str = "reports.csv", skip_invalid: bool = False
) -> ImportedComplaints:
    path = Path(database.opened_with).parent / name
    path.write_text("\n".join(rows) + "\n")
    return import_complaints(database, DATASET, path, "tom", skip_invalid=skip_invalid)


def listed(database: Database, *, dismissed: bool = False) -> list[PlacedFinding]:
    with database.read() as session:
        return failed_findings(session, DATASET, (REPORTED,), dismissed=dismissed)


def states(database: Database) -> list[str]:
    return [report.became for report in followed_reports(database, DATASET)]


def test_each_report_is_an_open_finding_and_a_row_is_imported_once(database: Database) -> None:
    rows = ("key,text,link", f'{FIRST},"{WORDS}",https://example.org/1', f"{SECOND},a typo,")
    assert len(reported(database, *rows).added) == 2
    again = reported(database, *rows, rows[-1])
    assert (again.added, again.known) == ((), 3)
    one, other = listed(database)
    assert (one.place.key, one.severity) == (FIRST, "doubtful")
    assert one.finding.why == f"A reader reports: {WORDS} (https://example.org/1)"
    assert other.finding.why == "A reader reports: a typo"
    assert read_findings(database, DATASET).found[0] == one


def test_lines_of_json_are_read_and_the_link_may_be_missing(database: Database) -> None:
    line = f'{{"key": "{FIRST}", "text": "two\\nlines"}}'
    (made,) = reported(database, line, name="reports.jsonl").added
    assert (made.text, made.link, made.who) == ("two\nlines", "", "tom")


@pytest.fixture
def copy(database: Database, tmp_path: Path) -> Iterator[Database]:
    """A copy of the store, open."""
    database.settle()
    shutil.copy(database.location, tmp_path / "theirs.db")
    with closing(Database.open(str(tmp_path / "theirs.db"))) as opened:
        yield opened


def merged(into: Database, source: Database, **options: bool) -> tuple[list[str], list[str]]:
    """What was refused, and the remarks."""
    source.settle()
    accounts = merge_file(into, Path(source.location), **options)
    return [w for one in accounts for w in one.refused], [w for one in accounts for w in one.remarks]


def test_reports_travel_with_merges_once_and_open_their_findings(database: Database, copy: Database) -> None:
    mine, theirs = f"{FIRST},a typo,", f"{FIRST},{WORDS},https://example.org/1"
    reported(database, "key,text,link", mine)
    reported(copy, "key,text,link", mine, theirs, f"{SECOND},wrong,")
    assert merged(database, copy, dry_run=True) == (
        [],
        ["2 reports of readers about dataset pilot-data added"],
    )
    assert states(database) == ["open"]
    assert merged(database, copy) == ([], ["2 reports of readers about dataset pilot-data added"])
    assert states(database) == ["open"] * 3
    one, other = listed(database)
    assert "2 reports of readers" in one.finding.why
    assert (other.place.key, other.finding.why) == (SECOND, "A reader reports: wrong")
    assert merged(database, copy) == ([], [])
    assert merged(copy, database) == ([], []), "the typo was imported in both, and is one report"
    with database.read() as here, copy.read() as there:
        texts = [{each.text for each in complaints_about(store, DATASET)} for store in (here, there)]
    assert texts[0] == texts[1]


OF_A_CHECK = Finding.model_construct(case=a_case(0).digest, check="tidy", check_version=3)


def first_of(database: Database) -> PlacedFinding:
    return next(one for one in listed(database, dismissed=True) if one.place.key == FIRST)


def reasons(database: Database) -> dict[str, str]:
    """Text of each report that was dismissed → the reason."""
    return {
        report.complaint.text: report.dismissal.why
        for report in followed_reports(database, DATASET)
        if report.dismissal
    }


def test_dismissals_travel_with_merges_once_and_in_any_order(database: Database, copy: Database) -> None:
    reported(copy, "key,text,link", f"{FIRST},a typo,", f"{SECOND},wrong,")
    dismiss(copy, first_of(copy).finding, "lena", "it is spelt so")
    dismiss(copy, OF_A_CHECK, "lena", "harmless")
    told = ["2 reports of readers about dataset pilot-data added", "2 dismissals of findings on cases added"]
    assert merged(database, copy, dry_run=True) == ([], told)
    assert states(database) == []
    assert merged(database, copy) == ([], told)
    assert sorted(states(database)) == ["dismissed", "open"]
    assert reasons(database) == {"a typo": "it is spelt so"}
    assert [one.place.key for one in listed(database)] == [SECOND]
    with database.read() as session:
        of_checks = dismissals_on(session, [OF_A_CHECK.case])
    assert of_checks[OF_A_CHECK.case, "tidy", 3].why == "harmless"
    assert merged(database, copy) == ([], [])
    assert merged(copy, database) == ([], [])


def test_dismissal_of_a_report_that_both_stores_imported_arrives(database: Database, copy: Database) -> None:
    reported(database, "key,text,link", f"{FIRST},a typo,")
    reported(copy, "key,text,link", f"{FIRST},a typo,")
    dismiss(copy, first_of(copy).finding, "lena", "it is spelt so")
    assert merged(database, copy) == ([], ["1 dismissal of findings on cases added"])
    assert listed(database) == []
    dismiss(database, first_of(database).finding, "tom", "another reason")
    kept = "1 finding was dismissed there for another reason; this store keeps its own"
    assert merged(database, copy) == ([], [kept])
    assert reasons(database) == {"a typo": "another reason"}


def test_a_merged_report_is_not_taken_for_one_that_was_dismissed_here(
    database: Database, copy: Database
) -> None:
    reported(copy, "key,text,link", f"{FIRST},theirs,")
    reported(database, "key,text,link", f"{FIRST},mine,")
    dismiss(database, first_of(database).finding, "tom", "no fault")
    assert merged(database, copy)[0] == []
    assert reasons(database) == {"mine": "no fault"}
    assert [one.finding.check_version for one in listed(database)] == [2]
    assert merged(copy, database) == (
        [],
        [
            "1 report of readers about dataset pilot-data added",
            f"the dismissal of reports on case {first_of(copy).finding.case[:11]}… was left out: here a "
            "report comes before them that it does not cover, so the finding stands",
        ],
    )
    assert reasons(copy) == {}


def dismissed_checks(database: Database) -> dict[str, str]:
    """Check → the reason of its dismissal, on the cases of the dataset."""
    with database.read() as session:
        on_cases = dismissals_in(session, DATASET)
    return {check: each[-1].why for (_, check), each in on_cases.items()}


def test_a_finding_restored_here_stays_restored_when_the_other_store_merges_again(
    database: Database, copy: Database
) -> None:
    dismiss(copy, OF_A_CHECK, "lena", "harmless")
    merged(database, copy)
    restore(database, OF_A_CHECK, "tom")
    assert merged(database, copy) == ([], [])
    assert dismissed_checks(database) == {}
    dismiss(copy, OF_A_CHECK, "lena", "still harmless")
    assert merged(database, copy) == ([], ["1 dismissal of findings on cases added"])
    assert dismissed_checks(database) == {"tidy": "still harmless"}


def test_a_finding_restored_there_later_is_restored_here(database: Database, copy: Database) -> None:
    dismiss(copy, OF_A_CHECK, "lena", "harmless")
    merged(database, copy)
    restore(copy, OF_A_CHECK, "tom")
    assert merged(database, copy) == ([], ["1 finding on cases restored, as in the other store"])
    assert dismissed_checks(database) == {}
    assert merged(database, copy) == ([], [])
    assert merged(copy, database) == ([], [])


def test_reports_restored_here_stay_open_when_the_other_store_merges_again(
    database: Database, copy: Database
) -> None:
    reported(copy, "key,text,link", f"{FIRST},a typo,")
    dismiss(copy, first_of(copy).finding, "lena", "it is spelt so")
    merged(database, copy)
    restore(database, first_of(database).finding, "tom")
    assert merged(database, copy) == ([], [])
    assert states(database) == ["open"]
    assert [one.place.key for one in listed(database)] == [FIRST]
    reported(copy, "key,text,link", f"{FIRST},another typo,")
    assert merged(database, copy) == ([], ["1 report of readers about dataset pilot-data added"])
    assert states(database) == ["open", "open"]


def dismiss_about(database: Database, check: str, why: str | None) -> None:
    put_dataset_dismissal(
        database, DATASET, check=check, check_version=1, found="0" * 64, who="lena", why=why
    )


def test_dismissals_about_datasets_travel_with_what_was_restored(database: Database, copy: Database) -> None:
    dismiss_about(copy, "repeats", "wanted")
    dismiss_about(copy, "repeats", None)
    dismiss_about(copy, "order", "by design")
    told = "3 decisions to dismiss or restore a finding about dataset pilot-data added"
    assert merged(database, copy) == ([], [told])
    with database.read() as session:
        assert {check: each.why for check, each in dataset_dismissals(session, DATASET).items()} == {
            "order": "by design"
        }
    assert merged(database, copy) == ([], [])


@pytest.mark.parametrize(
    ("table", "change", "why"),
    [
        ("dismissals", "why = ' '", "has no reason"),
        ("dataset_dismissals", "why = ''", "has no reason"),
        ("dataset_dismissals", "id = 'x'", "its id has another form"),
    ],
)
def test_dismissals_that_nobody_can_make_are_refused(
    database: Database, copy: Database, table: str, change: str, why: str
) -> None:
    dismiss_about(copy, "repeats", "wanted")
    dismiss(copy, OF_A_CHECK, "lena", "harmless")
    tampered(copy, table, change)
    (refused,), _ = merged(database, copy)
    assert why in refused


def tampered(database: Database, table: str, change: str) -> None:
    """Change the rows of a table in its file, in spite of the triggers that refuse that."""
    database.settle()
    with closing(sqlite3.connect(database.location)) as raw:
        for (trigger,) in raw.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", (table,)
        ).fetchall():
            raw.execute(f"DROP TRIGGER {trigger}")
        raw.execute(f"UPDATE {table} SET {change}")
        raw.commit()


def test_dismissals_of_a_store_that_is_no_copy_need_trust(database: Database, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with closing(open_store(tmp_path / "other")) as other:
        a_study(other, raters=("anna",), copied=False)
        dismiss(other, OF_A_CHECK, "lena", "harmless")
        assert any(
            "its 1 dismissal of findings" in why and "give --trust" in why
            for why in merged(database, other)[0]
        )
        assert merged(database, other, trusted=True)[0] == []


def test_a_report_on_repaired_content_comes_with_the_repair(database: Database, copy: Database) -> None:
    now = read_place(copy, DATASET, FIRST)
    revise(copy, DATASET, FIRST, a_case(10), expected=now.parent, author="maria", reason="clearer")
    reported(copy, "key,text,link", f"{FIRST},still wrong,")
    assert merged(database, copy)[0] == []
    assert [(one.place.case, one.finding.passed) for one in listed(database)] == [(a_case(10).digest, False)]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("text = ''", "has no text"),
        ("link = 'javascript:alert(1)'", "is not a link"),
        ("key = 'anchoring bias/77'", "is about a case that is not in this store"),
        ("id = 'x'", "its id has another form"),
    ],
)
def test_reports_that_no_import_takes_are_refused_in_a_merge(
    database: Database, copy: Database, change: str, why: str
) -> None:
    reported(copy, "key,text,link", f"{FIRST},a typo,")
    tampered(copy, "complaints", change)
    (refused,), _ = merged(database, copy)
    assert why in refused
    assert states(database) == []


def test_reports_of_a_store_that_is_no_copy_need_trust(database: Database, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with closing(open_store(tmp_path / "other")) as other:
        a_study(other, raters=("anna",), copied=False)
        reported(other, "key,text,link", f"{FIRST},a typo,")
        assert any(
            "1 report of readers" in why and "give --trust" in why for why in merged(database, other)[0]
        )
        assert merged(database, other, trusted=True)[0] == []
    assert states(database) == ["open"]


INVALID = {
    f"{FIRST},,": ("text", "is empty"),
    ",a typo,": ("key", "is empty"),
    "anchoring bias/77,a typo,": ("key", "has no case 'anchoring bias/77'"),
    f"{FIRST},a typo,javascript:alert(1)": ("link", "'javascript:alert(1)' is not a link"),
    f"{FIRST},a typo,https://x.org/ y": ("link", "is not a link"),
    f"{FIRST},a typo,https://x.org/{'y' * 2_000}": ("link", "has more than 2,000 characters"),
    f"{FIRST},{'y' * 10_001},": ("text", "10,001 characters"),
    f"{FIRST},a typo": ("line 3", "has 2 cells"),
}


@pytest.mark.parametrize("row", INVALID, ids=lambda row: row[:40])
def test_one_invalid_row_refuses_the_file_or_is_skipped_by_itself(database: Database, row: str) -> None:
    place, wrong = INVALID[row]
    rows = ("key,text,link", f"{SECOND},a typo,", row)
    with pytest.raises(InputError) as refusal:
        reported(database, *rows)
    assert place in refusal.value.where
    assert wrong in refusal.value.wrong
    assert "--skip-invalid" in refusal.value.remedy
    assert listed(database) == []
    done = reported(database, *rows, skip_invalid=True)
    assert ([each.key for each in done.added], len(done.problems)) == ([SECOND], 1)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (("key,link", f"{FIRST},"), "has no column 'text'"),
        (("key,text,by", f"{FIRST},a typo,Jo"), "has an unknown field 'by'"),
        (("key,text",), "holds no valid report"),
        (('{"key": 7, "text": "a typo"}',), "is not a text"),
        (("key,text", *[f"{FIRST},typo {number}" for number in range(10_001)]), "more than 10,000 rows"),
    ],
)
def test_a_file_that_is_none_is_refused(database: Database, rows: tuple[str, ...], wrong: str) -> None:
    name = "reports.jsonl" if rows[0].startswith("{") else "reports.csv"
    with pytest.raises(InputError, match=wrong):
        reported(database, *rows, name=name)
    assert listed(database) == []


def test_an_unknown_dataset_is_refused(database: Database, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="'other' is not in the store"):
        import_complaints(database, "other", tmp_path / "none.csv", "tom")


def test_a_new_audit_leaves_reports_as_they_are(database: Database) -> None:
    need_prolog()
    reported(database, "key,text", f"{FIRST},a typo")
    with local_runner(1) as runner:
        audit(database, case_pages(database, DATASET), runner, again=True)
    assert [placed.place.key for placed in listed(database)] == [FIRST]
    state = read_findings(database, DATASET).state
    assert listed(database)[0].place.case in state.audit_clean - state.strictly_clean  # never serious


def test_a_further_report_opens_a_dismissed_finding_again(database: Database) -> None:
    reported(database, "key,text", f"{FIRST},a typo")
    dismiss(database, listed(database)[0].finding, "maria", "that is the name of a tool")
    assert (listed(database), states(database)) == ([], ["dismissed"])
    reported(database, "key,text", f"{FIRST},another typo")
    (placed,) = listed(database)
    assert placed.finding.why == "2 reports of readers, the newest first: (1) another typo (2) a typo"
    assert placed.earlier
    assert Wanted(state=DISMISSED_EARLIER).takes(placed)
    assert states(database) == ["dismissed", "open"]
    dismiss(database, placed.finding, "maria", "also a name")
    assert states(database) == ["dismissed", "dismissed"]
    restore(database, placed.finding, "maria")
    assert states(database) == ["dismissed", "open"]


def change(database: Database, key: str, how: str) -> None:
    now = read_place(database, DATASET, key)
    if how == "repair":
        revise(database, DATASET, key, a_case(90), expected=now.parent, author="maria", reason="typo")
    elif how == "withdraw":
        withdraw(database, DATASET, key, expected=now.parent, author="maria", reason="wrong")
    else:
        revert(database, DATASET, key, to="first", expected=now.parent, author="maria", reason="was right")


def test_repair_and_withdrawal_settle_a_report_and_a_revert_opens_it(database: Database) -> None:
    reported(database, "key,text", f"{FIRST},a typo", f"{SECOND},not one bias but two")
    change(database, FIRST, "repair")
    change(database, SECOND, "withdraw")
    assert (states(database), listed(database)) == (["repair", "withdrawal"], [])
    change(database, FIRST, "revert")
    assert states(database) == ["open", "withdrawal"]
    assert [placed.place.key for placed in listed(database)] == [FIRST]


def test_reports_on_changed_and_withdrawn_cases_are_said_to_be_so(database: Database) -> None:
    change(database, FIRST, "repair")
    change(database, SECOND, "withdraw")
    done = reported(database, "key,text", *(f"{key},a typo" for key in (FIRST, SECOND, THIRD)))
    assert (done.changed, done.withdrawn) == ((FIRST,), (SECOND,))
    assert states(database) == ["open", "withdrawal", "open"]


def changelog(release: PlannedRelease) -> str:
    return release.files[ReleaseFile.CHANGELOG].decode().partition("# Changes")[2]


def test_the_next_changelog_names_each_report_with_what_became_of_it(
    database: Database, tmp_path: Path
) -> None:
    reported(database, "key,text,link", *(f'{key},"{WORDS}",https://x.org' for key in (FIRST, SECOND, THIRD)))
    dismiss(
        database, next(p for p in listed(database) if p.place.key == THIRD).finding, "maria", "as planned"
    )
    change(database, SECOND, "withdraw")
    first = plan_release(database, CITATION, "1.0", ReleaseOptions())
    write_release(database, first, CITATION, tmp_path / "first")
    assert "reported by a reader on 20" in changelog(first)
    for words in ("; still open", "; withdrawn on 20", "; dismissed on 20"):
        assert changelog(first).count(words) == 1
    assert WORDS not in changelog(first)
    assert "as planned" not in changelog(first)
    assert "Readers reported something about 1 case of the dataset" in first.files[ReleaseFile.CARD].decode()
    change(database, FIRST, "repair")
    second = plan_release(database, CITATION, "1.1", ReleaseOptions(reasons=True))
    newest, _, before = changelog(second).partition(r"## 1\.0")
    assert "repaired on 20" in newest
    assert "still open" not in newest
    assert "dismissed on 20" in before
    assert "reason: as planned" in before
    assert r"both options are \[red\] right" in newest


def test_a_release_without_reports_says_nothing_of_any(database: Database) -> None:
    release = plan_release(database, CITATION, "1.0", ReleaseOptions())
    assert "reports" not in release.content.model_dump(mode="json")
    assert "Reports of readers" not in changelog(release)


def test_words_on_a_held_out_case_are_never_published(database: Database) -> None:
    reported(database, "key,text", *(f"{key},the words of {key}" for key in (FIRST, SECOND, THIRD)))
    release = plan_release(database, CITATION, "1.0", ReleaseOptions(reasons=True, hold_out="34%"))
    held = [key for key in (FIRST, SECOND, THIRD) if key not in release.content.cases]
    assert len(held) == 1
    assert [key for key in (FIRST, SECOND, THIRD) if f"the words of {key}" not in changelog(release)] == held


def reported_on_every_case(folder: Path) -> Database:
    """A store in which anna owes answers, with a report of a reader on each case of her study."""
    database = Database.open(str(blinded_study(folder, "owed", lead="tom")), must_exist=True)
    path = folder / "reports.csv"
    path.write_text("key,text\n" + "".join(f"pair-{number},{WORDS}\n" for number in range(CASES)))
    assert len(import_complaints(database, "pairs", path, "tom").added) == CASES
    return database


def said_to(session: ReviewSession) -> str:
    return str(session.sheet())


def test_raters_see_no_report_before_or_after_their_answer(tmp_path: Path) -> None:
    with closing(reported_on_every_case(tmp_path)) as database:
        session = ReviewSession(database, "pilot", "anna")
        for number, slot in enumerate(session.slots):
            session.go_to(number)
            assert WORDS not in said_to(session)
            session.answer("first" if slot.question == "right_result" else "True")
        revealed = []
        for number in range(len(session.slots)):
            session.go_to(number)
            with suppress(RequestError):
                session.reveal()
            revealed.append(said_to(session))
        assert any(FINDING in shown for shown in revealed)
        assert not any(WORDS in shown for shown in revealed)


def test_adjudicators_see_no_report_before_everything_is_decided(tmp_path: Path) -> None:
    with closing(reported_on_every_case(tmp_path)) as database:
        bundle = load_study(database, "pilot")
        case = bundle.cases[bundle.sample[0].case]
        about = (bundle.protocol, case, bundle.measurements[case.digest], bundle.findings[case.digest])
        keys = [question.key for question in bundle.questions]
        for undecided in (keys[:1], keys[1:], keys):
            assert WORDS not in str(panes_while_undecided(*about, undecided))
        sheet = sheet_without_blinding(bundle, bundle.questions[0], case)
        assert WORDS in str(sheet)


def test_packs_hold_no_report(tmp_path: Path) -> None:
    with closing(reported_on_every_case(tmp_path)) as database:
        write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    assert WORDS.encode() not in (tmp_path / "anna.review").read_bytes()


def test_strata_can_be_made_of_reports_without_an_audit(database: Database) -> None:
    reported(database, "key,text", f"{FIRST},a typo")
    strata = strata_of(database, [DATASET], StrataRequest((f"finding:{REPORTED}",)), "tom")
    assert strata is not None
