"""What readers of a benchmark ask: each row is answered where the answer is known, and nowhere else."""

import gzip
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import click
import pytest

from reviewer.cli.main import reviewer
from reviewer.exchange.releases.dataset_description import DATASET_TOPICS, describe_dataset
from reviewer.exchange.releases.release_content import ReleaseOptions
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release, write_release
from reviewer.report.checklist_answers import checklist_of_release, checklist_of_study
from reviewer.report.validation_checklist import (
    ROWS,
    Checklist,
    ChecklistRow,
    checklist_lines,
    checklist_table,
)
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import TOPICS, describe_study
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.left_out_raters import leave_out
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.review_session import ReviewSession
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Citation, Dataset, Measurement
from store.studies import set_profile
from tests.evaluations import an_evaluation
from tests.judged import RATERS, judge
from tests.second_protocol.material import PROTOCOLS
from tests.studies import AT, BIASES, a_case, entries_for, fill, open_store

RELEASED = Path(__file__).parents[1] / "release_1_0"
CITATION = Citation(dataset="first", licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
QUESTIONS = ("same_task", "bias_presence")
ALL_ROWS = {row.key: row for rows in ROWS.values() for row in rows}


def _with_opinion(number: int, entry: Entry) -> Entry:
    said = Measurement(
        case=entry.case.digest,
        name="bias_verifications",
        source="published",
        value=3 * (number % 4 > 0),
        dataset="first",
        key=entry.place.key,
    )
    return Entry(entry.case, entry.place, (*entry.published, said))


def _full(database: Database) -> PlannedRelease:
    """A closed study about which everything is known that a store can know, and a release of its dataset."""
    cases = [a_case(number, BIASES[number % 2]) for number in range(12)]
    entries = entries_for("first", cases, "hand-written", "seed")
    header = Dataset(name="first", protocol="probe-swe", source="a test", imported_at=AT)
    import_entries(database, header, [_with_opinion(*each) for each in enumerate(entries)])
    given = tuple(
        GivenAnswer(role, "a file", "first", entries[at].place.key, "same_task", "True")
        for at, role in ((0, "training"), (1, "gold"))
    )
    design = Design(
        ("first",), None, 7, given=given, questions=QUESTIONS, options=Options(repeats=0.2, swap=True)
    )
    create_study(database, "pilot", design)
    for rater in RATERS:
        judge(database, "pilot", rater)
    leave_out(database, "pilot", "cara", "lena", "cara wrote the cases")
    describe_study(database, "pilot", "lena", {topic: f"Text on {topic}." for topic in TOPICS})
    close_study(database, "pilot", "lena", anyway=True)
    an_evaluation(database, "asked", "first")
    describe_dataset(database, "first", "ann", {topic: f"Text on {topic}." for topic in DATASET_TOPICS})
    return plan_release(database, CITATION, "1.0", ReleaseOptions())


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Checklist]:
    """Checklists by name: of studies and releases with everything and with nothing, and of a store of 1.0."""
    folder = tmp_path_factory.mktemp("subjects")
    with closing(open_store(folder)) as database:
        release = _full(database)
        write_release(database, release, CITATION, folder / "out")
        full = checklist_of_study(database, "pilot")
        fill(database, "other", [a_case(number) for number in range(100, 103)])
        create_study(database, "bare", Design(("other",), None, 7, raters=("anna",)))
        bare = checklist_of_study(database, "bare")
        without = CITATION.model_copy(update={"dataset": "other"})
        nothing = plan_release(database, without, "1.0", ReleaseOptions())
    old = folder / "old.db"
    old.write_bytes(gzip.decompress((RELEASED / "reviewer.db.gz").read_bytes()))
    with closing(Database.open(str(old), protocols=PROTOCOLS)) as database:
        audited = checklist_of_study(database, "pilot")
    return {
        "full": full,
        "bare": bare,
        "audited": audited,
        "release": checklist_of_release(release.content, "out"),
        "bare release": checklist_of_release(nothing.content, "out"),
    }


KNOWN: Mapping[str, tuple[str, str]] = {
    "sample": ("full", "all (10 cases)"),
    "population": ("full", "10 of 12 cases could be drawn"),
    "seed": ("full", "random seed 7"),
    "carry_over": ("full", "to the cases that could be drawn"),
    "raters": ("full", "2 raters; 2 raters a case"),
    "recruitment": ("full", "Text on recruitment."),
    "consent": ("full", "Text on consent."),
    "questions": ("full", "2 questions: same task and bias presence"),
    "guideline": ("full", "2 of 2 questions have one"),
    "training": ("full", "1 case with feedback"),
    "gold": ("full", "1 case"),
    "independence": ("full", "Text on independence."),
    "blinding": ("full", "findings are shown when a rater returns to an answered case"),
    "order": ("full", "a random order of cases for each rater; sides were exchanged at random where"),
    "platform": ("full", "app"),
    "agreement": ("full", "Krippendorff's alpha: same task "),
    "repeats": ("full", "2 cases shown twice"),
    "settled": ("full", "not at all: nobody adjudicated, and no label has more than half of two votes"),
    "open": ("full", "of 20 items have labels and no final one"),
    "careless": ("full", "no warning about any of 2 raters"),
    "left_out": ("full", "1 rater: cara wrote the cases"),
    "audit": ("audited", "16 of 16 cases by earlier checks only"),
    "changes": ("full", "none in this store"),
    "baselines": ("full", "next to models in run asked"),
    "opinions": ("full", "agrees with final labels of bias presence on"),
    "origins": ("full", "12 written by people"),
    "generation": ("full", "no model wrote cases"),
    "release": ("full", "1.0 ("),
    "labels": ("full", "in version 1.0"),
    "licence": ("full", "CC-BY-4.0; A. Author; ask a@example.org"),
    **{topic: ("full", f"Text on {topic}.") for topic in DATASET_TOPICS},
}
UNKNOWN: Mapping[str, str] = {
    **dict.fromkeys(ALL_ROWS, "bare"),
    **dict.fromkeys(
        (
            *("sample", "population", "seed", "carry_over", "questions", "guideline", "blinding", "order"),
            "left_out",
        ),
        "bare release",
    ),
}
NEVER, ALWAYS = {"planned", "human"}, {"changes", "origins"}
"""Rows that no store here answers (test_human_level has one), and those that all do."""


@pytest.mark.parametrize("key", [key for key in ALL_ROWS if key not in NEVER | {"profile"}])
def test_row_is_answered_where_it_is_known(subjects: Mapping[str, Checklist], key: str) -> None:
    subject, fragment = KNOWN[key]
    assert fragment in subjects[subject].answers[key]
    by_author = ALL_ROWS[key].by_author
    assert subjects[subject].state(ALL_ROWS[key]) == ("author's text" if by_author else "known")


@pytest.mark.parametrize("key", [key for key in ALL_ROWS if key not in ALWAYS])
def test_row_is_missing_where_nobody_knows(subjects: Mapping[str, Checklist], key: str) -> None:
    checklist = subjects[UNKNOWN[key]]
    assert key not in checklist.answers
    lacking = "only the author" if ALL_ROWS[key].by_author else "missing"
    unsaid = "not in releases" if key in checklist.unsaid else lacking
    assert checklist.state(ALL_ROWS[key]) == unsaid
    assert checklist.hint(ALL_ROWS[key])


def test_release_answers_what_its_folder_says(subjects: Mapping[str, Checklist]) -> None:
    answers = subjects["release"].answers
    assert answers["raters"] == "2 raters; 2 raters a case"
    assert answers["labels"] == "yes, of the studies in data/studies.json"
    assert answers["licence"] == "CC-BY-4.0; A. Author"
    assert answers["uses"] == "Text on uses."
    assert answers["guideline"].startswith("data/studies.json has each question")
    assert subjects["release"].hint(ALL_ROWS["guideline"]) == "out/data/studies.json"
    assert subjects["release"].hint(ALL_ROWS["agreement"]) == "reviewer release verify out"
    assert subjects["release"].hint(ALL_ROWS["uses"]) == "out/README.md"


def test_release_says_missing_only_where_makers_would_have_said_it(
    subjects: Mapping[str, Checklist],
) -> None:
    """Its makers trained raters, hid known answers and have a consent: no release says so."""
    for key in ("training", "gold", "blinding", "consent"):
        assert subjects["release"].state(ALL_ROWS[key]) == "not in releases"
        assert subjects["release"].hint(ALL_ROWS[key]).startswith("ask the makers")


def test_open_study_with_labels_asks_nobody_to_begin(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, "one", [a_case(number) for number in range(3)])
        create_study(database, "begun", Design(("one",), None, 7, questions=("same_task",)))
        before = checklist_of_study(database, "begun")
        assert before.hint(ALL_ROWS["raters"]) == "reviewer review begun --rater NAME"
        judge(database, "begun", "anna")
        begun = checklist_of_study(database, "begun")
        assert begun.hint(ALL_ROWS["raters"]) == "reviewer study close begun"


def test_adjudicated_studies_say_so(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, "one", [a_case(number) for number in range(3)])
        create_study(database, "settled", Design(("one",), None, 7, questions=("same_task",)))
        for rater, label in (("anna", "True"), ("ben", "False")):
            session = ReviewSession(database, "settled", rater)
            while not session.finished:
                session.answer(label)
        AdjudicationSession(database, "settled", "zoe").decide("True", "I looked.")
        close_study(database, "settled", "lena")
        assert checklist_of_study(database, "settled").answers["settled"] == "1 person adjudicated"


def test_picked_cases_carry_over_only_where_others_were_drawn_beside_them(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        cases = [a_case(number) for number in range(20)]
        fill(database, "one", cases)
        picked = frozenset(case.digest for case in cases[:3])
        create_study(database, "alone", Design(("one",), None, 7, only=picked))
        create_study(database, "mixed", Design(("one",), None, 7, only=picked, others=4))
        assert "no: they were picked" in checklist_of_study(database, "alone").answers["carry_over"]
        mixed = checklist_of_study(database, "mixed").answers["carry_over"]
        assert mixed.startswith("only numbers of the dataset")


def test_profiles_are_counted_and_missing_without_any(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, "one", [a_case()])
        create_study(database, "pilot", Design(("one",), None, 7, raters=("anna", "ben", "cara")))
        assert "profile" not in checklist_of_study(database, "pilot").answers
        for rater, field in (("anna", "law"), ("ben", "law"), ("cara", "art")):
            set_profile(database, "pilot", rater, field, None, None)
        said = checklist_of_study(database, "pilot").answers["profile"]
        assert said == "Field: law 2, other, each of one rater, 1."


def test_cases_of_unknown_origin_leave_the_row_open(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        header = Dataset(name="one", protocol="probe-swe", source="a test", imported_at=AT)
        entries = entries_for("one", [a_case(), a_case(1)], "not stated", "imported")
        import_entries(database, header, entries)
        create_study(database, "pilot", Design(("one",), None, 7))
        answers = checklist_of_study(database, "pilot").answers
    assert not {"origins", "generation"} & answers.keys()


def test_every_hint_names_a_command_of_the_program(subjects: Mapping[str, Checklist]) -> None:
    hints = {checklist.hint(row) for row in ALL_ROWS.values() for checklist in subjects.values()}
    named = [words.split() for hint in hints for words in hint.split("reviewer ")[1:]]
    assert not any("{" in hint for hint in hints)
    assert len(named) > len(ALL_ROWS)
    for words in named:
        command: click.Command | None = reviewer
        for word in words:
            if not isinstance(command, click.Group) or word.startswith("-"):
                break
            command = command.get_command(click.Context(command), word.rstrip(",;"))
            assert command, words


def test_each_question_is_asked_once_and_there_are_some_forty() -> None:
    assert len(ALL_ROWS) == len({row.asks for row in ALL_ROWS.values()})
    assert 30 <= len(ALL_ROWS) <= 43


def test_lines_and_table_say_the_same(subjects: Mapping[str, Checklist]) -> None:
    checklist = subjects["full"]
    lines = "\n".join(checklist_lines(checklist))
    table = checklist_table(checklist)
    assert len(table.rows) == len(ALL_ROWS)
    for row in table.rows:
        assert all(str(row[at]) in lines for at in (2, 3, 4, 5))


def test_an_authors_text_is_shown_as_it_is_and_never_judged() -> None:
    row = ChecklistRow("uses", "For what?", "see", "add", by_author=True)
    for text in ("No.", "x" * 4000):
        checklist = Checklist({"uses": text}, {}, {})
        assert checklist.state(row) == "author's text"
