"""Validation sheets out and in again, and everything that a spreadsheet does to them."""

import csv
import io
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.labels.verdict_storing import StoredVerdicts
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.sheets.filled_sheets import Judgement, read_judgement
from reviewer.exchange.sheets.sheet_import import CheckedSheets, check_sheets, store_sheets
from reviewer.exchange.sheets.sheet_writer import folder_name, validation_files
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import slot_of
from reviewer.study.transfer.answer_reports import blank_answers, contradictory_answers, doubled_answers
from store.database import Database
from store.ledger import Ledger
from store.records import Case, Event, Measurement
from tests.judged import judge, judged_study
from tests.rounds import mostly_slow
from tests.studies import PROBE_SWE, a_case, fill, open_store

SAME = "gpt-4o/task1_same_task.csv"
HEAD = "same_task_validation,version_A,version_B,digest"
TRUE_FALSE = ("True", "False")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Three cases of each of two generators; anna has answered everything, ben nothing."""
    store = open_store(tmp_path)
    fill(store, "one", [own(number) for number in range(3)], "gpt-4o")
    fill(store, "two", [own(number) for number in range(3, 6)], "org/deepseek")
    create_study(store, "pilot", Design(("one", "two"), None, 7))
    judge(store, "pilot", "anna")
    return store


def own(number: int) -> Case:
    return a_case(number, axioms_description=f"Release what was tested {number} times.")


def study_of(database: Database) -> StudyBundle:
    return load_study(database, "pilot")


def export(database: Database, folder: Path, *raters: str) -> Path:
    files = validation_files(study_of(database), Ledger(database).events("pilot"), raters)
    write_texts(folder, files)
    return folder


def take_back(database: Database, path: Path, rater: str) -> tuple[CheckedSheets, StoredVerdicts | None]:
    checked = check_sheets(study_of(database), path)
    if checked.problems:
        return checked, None
    return checked, store_sheets(database, study_of(database), rater, checked.verdicts)


def events_of(database: Database, rater: str) -> list[Event]:
    return Ledger(database).events("pilot", rater)


@pytest.fixture
def edited(
    database: Database, tmp_path: Path
) -> Callable[[str, Callable[[str], str | bytes]], CheckedSheets]:
    """``edited(file, change)``: anna's sheets with one file changed by hand, read again."""

    def change(file: str, how: Callable[[str], str | bytes]) -> CheckedSheets:
        folder = export(database, tmp_path / "out", "anna") / "anna"
        path = folder / file
        content = how(path.read_text(encoding="utf-8"))
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return check_sheets(study_of(database), folder)

    return change


def test_a_folder_a_generator_and_a_file_a_question(database: Database, tmp_path: Path) -> None:
    export(database, tmp_path / "out", "anna", "ben")
    names = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    tasks = ("task1_same_task", "task2_bias_presence", "task3_reconstruction", "task4_axioms")
    sheets = [f"{generator}/{task}.csv" for generator in ("gpt-4o", "org%2Fdeepseek") for task in tasks]
    assert names == sorted(
        [
            *(f"{rater}/{sheet}" for rater in ("anna", "ben") for sheet in sheets),
            "anna.zip",
            "ben.zip",
            "codebook.csv",
        ]
    )
    with zipfile.ZipFile(tmp_path / "out" / "anna.zip") as archive:
        assert sorted(archive.namelist()) == sorted(sheets)
        for sheet in sheets:
            assert archive.read(sheet) == (tmp_path / "out" / "anna" / sheet).read_bytes()


def test_the_columns_are_those_of_the_published_package_and_the_digest(
    database: Database, tmp_path: Path
) -> None:
    folder = export(database, tmp_path / "out", "anna") / "anna" / "gpt-4o"
    heads = {path.name: path.read_text(encoding="utf-8").splitlines()[0] for path in folder.iterdir()}
    assert heads == {
        "task1_same_task.csv": HEAD,
        "task2_bias_presence.csv": "bias_presence_validation,version_A,version_B,bias_name,correct_option,"
        "bias_is_towards_incorrect_only_in_biased_version,digest",
        "task3_reconstruction.csv": "reconstruction_validation,prompt,reconstructed_prompt,digest",
        "task4_axioms.csv": "best_practices_validation,best_practices,digest",
    }


def test_every_rater_gets_the_same_rows_in_the_same_order(database: Database, tmp_path: Path) -> None:
    folder = export(database, tmp_path / "out", "anna", "ben")

    def texts(rater: str) -> list[list[str]]:
        rows = csv.reader(io.StringIO((folder / rater / SAME).read_text(encoding="utf-8"), newline=""))
        return [row[1:] for row in rows]

    assert texts("anna") == texts("ben")
    assert len(texts("anna")) == 4


def test_the_models_own_explanation_is_blank_unless_asked_for(tmp_path: Path) -> None:
    measured = Measurement(case="0" * 64, name="bias_explanation", source="published", value="it sways")
    case = a_case(1)
    texts = PROBE_SWE.validation_sheets().texts(PROBE_SWE.questions[0], case, [measured])
    assert "it sways" in texts.values()
    database = open_store(tmp_path)
    bundle = judged_study(database, per_generator=1, generators=("g",), raters=("anna",))
    bundle.measurements[bundle.sample[0].case].append(measured)
    events = Ledger(database).events("pilot")
    name = "anna/g/task2_bias_presence.csv"
    assert "it sways" not in str(validation_files(bundle, events)[name])
    assert "it sways" in str(validation_files(bundle, events, with_explanations=True)[name])


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_export_import_export_is_the_identity(database: Database, tmp_path: Path, kind: str) -> None:
    first = export(database, tmp_path / "a", "anna")
    path = first / "anna.zip" if kind == "zip" else first / "anna"
    checked, stored = take_back(database, path, "ben")
    assert checked.notices == []
    assert stored == StoredVerdicts(new=24, changed=0, same=0, empty=0, comments=0)
    second = export(database, tmp_path / "b", "ben")
    assert (second / "ben.zip").read_bytes() == (first / "anna.zip").read_bytes()


def test_importing_twice_adds_nothing(database: Database, tmp_path: Path) -> None:
    path = export(database, tmp_path / "a", "anna") / "anna.zip"
    before = events_of(database, "anna")
    _, stored = take_back(database, path, "anna")
    assert stored == StoredVerdicts(new=0, changed=0, same=24, empty=0, comments=0)
    assert events_of(database, "anna") == before


def test_a_changed_answer_supersedes_the_one_before(database: Database, tmp_path: Path) -> None:
    folder = export(database, tmp_path / "a", "anna") / "anna"
    path = folder / SAME
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    rows[1][0] = "False" if rows[1][0] == "True" else "True"
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    path.write_bytes(text.getvalue().encode())
    _, stored = take_back(database, folder, "anna")
    assert stored is not None
    assert (stored.changed, stored.same) == (1, 23)
    event = events_of(database, "anna")[-1]
    assert event.supersedes
    assert event.value == rows[1][0]
    assert event.question_digest == study_of(database).shown_digest(slot_of(event))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [(cell, Judgement("True")) for cell in ("True", "TRUE", "true", " True ", "1", "1.0", "yes", "Y", "WAHR")]
    + [(cell, Judgement("False")) for cell in ("False", "FALSE", "0", "0.0", "no", "N", "FALSCH", "FAUX")]
    + [(cell, Judgement(None)) for cell in ("", "  ", "n/a", "NaN", "\u00a0", "-")]
    + [
        ("True - but only just", Judgement("True", "but only just")),
        ("False because the option changed", Judgement("False", "because the option changed")),
        ("TRUE; see note", Judgement("True", "see note")),
        ("False (dropped B)", Judgement("False", "dropped B")),
        ("no: dropped (B)", Judgement("False", "dropped (B)")),
        ("0, dropped", Judgement("False", "dropped")),
    ],
)
def test_what_a_cell_means(cell: str, expected: Judgement) -> None:
    assert read_judgement(cell, TRUE_FALSE) == expected


@pytest.mark.parametrize(
    "cell", ["Ture", "no idea", "True or false?", "2", "1.5", "?", "yes and no", "Truely"]
)
def test_what_a_cell_cannot_mean(cell: str) -> None:
    with pytest.raises(ValueError, match="says"):
        read_judgement(cell, TRUE_FALSE)


def test_other_labels_than_true_and_false() -> None:
    labels = ("same", "similar", "different")
    assert read_judgement("Similar: a little", labels) == Judgement("similar", "a little")
    with pytest.raises(ValueError, match="none of same, similar, different"):
        read_judgement("True", labels)


Edited = Callable[[str, Callable[[str], str | bytes]], CheckedSheets]


def reordered(text: str) -> str:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    out = io.StringIO()
    csv.writer(out).writerows([row[::-1] for row in [rows[0], *rows[:0:-1]]])
    return out.getvalue()


def by_semicolons(text: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows(csv.reader(io.StringIO(text, newline="")))
    return out.getvalue()


@mostly_slow(3)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        by_semicolons,
        lambda text: "sep=;\n" + by_semicolons(text),
        lambda text: by_semicolons(text).replace(";", "\t"),
        reordered,
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("same_task_validation", " Same_Task_Validation "),
        lambda text: text.replace("I plan", "I\u00a0plan").replace("Option A", "  Option A"),
        lambda text: text + "\n,,\n",
    ],
    ids=["bom", "crlf", "semicolons", "sep", "tabs", "reordered", "utf-16", "head", "blanks", "empty rows"],
)
def test_what_a_spreadsheet_does_changes_nothing(
    database: Database, edited: Edited, change: Callable[[str], str | bytes]
) -> None:
    checked = edited(SAME, change)
    assert checked.problems == []
    said = {(each.question.key, each.case): each.label for each in checked.verdicts}
    session = ReviewSession(database, "pilot", "anna")
    assert said == {(slot.question, slot.case): session.history.verdict(slot).label for slot in session.slots}


@pytest.mark.parametrize("turn", [1, 2])
def test_an_answer_goes_to_the_case_of_its_row_wherever_the_row_stands(
    database: Database, edited: Edited, turn: int
) -> None:
    def first_is_false_then_turned(text: str, turn: int) -> str:
        head, *rows = list(csv.reader(io.StringIO(text, newline="")))
        for number, row in enumerate(rows):
            row[head.index("same_task_validation")] = str(number > 0)
        out = io.StringIO()
        csv.writer(out).writerows([head, *rows[turn:], *rows[:turn]])
        return out.getvalue()

    def said(turn: int) -> dict[tuple[str, str], str | None]:
        checked = edited(SAME, lambda text: first_is_false_then_turned(text, turn))
        return {(each.question.key, each.case): each.label for each in checked.verdicts}

    as_exported = said(0)
    assert {label for (question, _), label in as_exported.items() if question == "same_task"} == {
        "True",
        "False",
    }
    assert said(turn) == as_exported


def test_letters_of_an_old_encoding_are_read_and_said(database: Database, edited: Edited) -> None:
    checked = edited(
        SAME, lambda text: text.replace("True", "True; \u201ccaf\u00e9\u201d", 1).encode("cp1252")
    )
    assert checked.problems == []
    assert any("Windows-1252" in notice for notice in checked.notices)
    assert "\u201ccaf\u00e9\u201d" in {each.comment for each in checked.verdicts}


def test_a_comment_becomes_a_comment(database: Database, tmp_path: Path) -> None:
    folder = export(database, tmp_path / "a", "anna") / "anna"
    text = (folder / SAME).read_text(encoding="utf-8")
    (folder / SAME).write_text(text.replace("True,", '"True - hm, well",', 1), encoding="utf-8")
    _, stored = take_back(database, folder, "ben")
    assert stored is not None
    assert stored.comments == 1
    assert [event.value for event in events_of(database, "ben") if event.kind == "comment"] == ["hm, well"]


def test_blank_is_missing_and_takes_nothing_back(database: Database, tmp_path: Path) -> None:
    folder = export(database, tmp_path / "a", "ben") / "ben"
    _, stored = take_back(database, folder, "ben")
    assert stored == StoredVerdicts(new=0, changed=0, same=0, empty=24, comments=0)
    assert events_of(database, "ben") == []
    _, stored = take_back(database, folder, "anna")
    assert stored is not None
    assert stored.empty == 24
    assert ReviewSession(database, "pilot", "anna").finished


def test_dropped_rows_and_files_are_missing_and_said(
    edited: Edited, database: Database, tmp_path: Path
) -> None:
    def without_first(text: str) -> str:
        rows = list(csv.reader(io.StringIO(text, newline="")))
        out = io.StringIO()
        csv.writer(out).writerows([rows[0], *rows[2:]])
        return out.getvalue()

    checked = edited(SAME, without_first)
    assert checked.problems == []
    assert f"{SAME}: {blank_answers('1 of 3 rows is not there')}" in checked.notices
    assert len(checked.verdicts) == 23
    folder = tmp_path / "out" / "anna"
    shutil.rmtree(folder / "org%2Fdeepseek")
    assert len(check_sheets(study_of(database), folder).verdicts) == 11


def test_a_dropped_column_that_is_not_needed_is_no_matter(edited: Edited) -> None:
    def only_a(text: str) -> str:
        rows = csv.reader(io.StringIO(text, newline=""))
        out = io.StringIO()
        csv.writer(out).writerows([row[:2] for row in rows])
        return out.getvalue()

    checked = edited(SAME, only_a)
    assert checked.problems == []
    assert len(checked.verdicts) == 24


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text.replace("True", "Ture", 1), "column same_task_validation: says 'Ture'"),
        (
            lambda text: text.replace("I plan release", "I planned", 1),
            "line 2, column version_A: is not the text of the case that the row's digest names",
        ),
        (
            lambda text: text.replace("same_task_validation", "my_answers"),
            "line 1, column same_task_validation: the",
        ),
        (lambda text: text.replace("version_A", "version_B"), "names the column 'version_B' twice"),
        (lambda text: text + 'True,"never closed', "has a double quote that is not closed"),
        (lambda text: text + "True,a,b,c,d\n", "has 5 cells where the first line has 4"),
        (lambda text: "\n".join([HEAD, "True,,"]), "column version_A: is empty"),
        (lambda text: "same_task_validation\nTrue\n", "every column that tells cases apart is gone"),
    ],
)
def test_what_cannot_be_understood_is_named_by_its_place(
    database: Database, edited: Edited, change: Callable[[str], str], sentence: str
) -> None:
    before = events_of(database, "anna")
    checked = edited(SAME, change)
    assert any(str(problem).startswith(SAME) and sentence in str(problem) for problem in checked.problems), [
        *map(str, checked.problems)
    ]
    assert events_of(database, "anna") == before


def test_a_row_that_comes_twice(edited: Edited) -> None:
    def twice(answer: str) -> Callable[[str], str]:
        def change(text: str) -> str:
            rows = list(csv.reader(io.StringIO(text, newline="")))
            out = io.StringIO()
            csv.writer(out).writerows([*rows, [rows[1][0] if answer == "same" else answer, *rows[1][1:]]])
            return out.getvalue()

        return change

    (notice,) = edited(SAME, twice("same")).notices
    assert notice.startswith(f"{SAME}: {doubled_answers('lines 2, ')[:-1]}")
    (problem,) = edited(SAME, twice("n/a")).problems
    assert contradictory_answers("lines 2, ") in str(problem)


def flipped(text: str) -> str:
    return text.replace("True,", "#,").replace("False,", "True,").replace("#,", "False,")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", [SAME, "again/" + SAME, "model=" + SAME, "task1_same_task.csv"])
def test_one_sheet_twice_with_opposite_answers_is_refused(
    database: Database, tmp_path: Path, second: str
) -> None:
    """A ZIP may hold one name twice; then the name does not tell the two apart."""
    text = (export(database, tmp_path / "out", "anna") / "anna" / SAME).read_text(encoding="utf-8")
    path = tmp_path / "twice.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(SAME, text)
        archive.writestr(second, flipped(text))
    problems = [str(problem) for problem in check_sheets(study_of(database), path).problems]
    assert len(problems) == 1
    assert "answers the same questions about the same cases as" in problems[0]
    assert "leave one of the two out" in problems[0]


def test_a_comment_that_is_too_long_is_named_by_its_line(edited: Edited) -> None:
    assert edited(SAME, lambda text: text.replace("True,", f'"True - {"x" * 10_000}",', 1)).problems == []
    checked = edited(SAME, lambda text: text.replace("True,", f'"True - {"x" * 10_001}",', 1))
    (problem,) = checked.problems
    assert str(problem).endswith(
        "line 2: its comment has 10,001 characters; at most 10,000 are kept; shorten it."
    )


def test_sheets_for_a_closed_study_are_refused_as_answers_in_the_app_are(
    database: Database, tmp_path: Path
) -> None:
    folder = export(database, tmp_path / "out", "anna") / "anna"
    close_study(database, "pilot", "lead", anyway=True)
    with pytest.raises(RequestError, match="takes no more answers") as refused:
        check_sheets(study_of(database), folder)
    with pytest.raises(RequestError) as in_the_app:
        ReviewSession(database, "pilot", "anna").flag()
    assert str(refused.value) == str(in_the_app.value)


def test_the_generator_is_the_folder_above_with_or_without_model(database: Database, tmp_path: Path) -> None:
    folder = export(database, tmp_path / "a", "anna") / "anna"
    (folder / "gpt-4o").rename(folder / "model=gpt-4o")
    assert len(check_sheets(study_of(database), folder).verdicts) == 24
    (folder / "model=gpt-4o").rename(folder / "gpt-5")
    problems = check_sheets(study_of(database), folder).problems
    assert len(problems) == 4
    assert (
        "the folder 'gpt-5' is none of the study's generators; name it as one of gpt-4o, org/deepseek"
        in str(problems[0])
    )


def test_cases_with_the_same_text_are_taken_in_order_only_where_all_are_there(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    bundle = judged_study(database, per_generator=3, generators=("g",), raters=("anna",))
    folder = export(database, tmp_path / "a", "anna") / "anna"
    path = folder / "g" / "task4_axioms.csv"
    head, *rows = as_from_elsewhere(path.read_text(encoding="utf-8")).splitlines()
    text = rows[0].split(",", 1)[1]
    path.write_text(
        "\n".join([head, *(f"{label},{text}" for label in ("True", "False", "True"))]), encoding="utf-8"
    )
    checked = check_sheets(bundle, folder)
    assert [each.label for each in checked.verdicts if each.question.key == "axioms"] == [
        "True",
        "False",
        "True",
    ]
    assert any(
        "have the same texts; their answers were taken in order" in notice for notice in checked.notices
    )
    path.write_text("\n".join([head, *(f"{label},{text}" for label in ("True", "False"))]), encoding="utf-8")
    assert any(
        "3 cases have these texts" in str(problem) for problem in check_sheets(bundle, folder).problems
    )


def test_texts_that_look_like_formulas_are_guarded_and_come_back(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(
        database,
        "one",
        [a_case(1, unbiased='=HYPERLINK("x")\n- Option A', biased="-1 \"q\", 'r';\n\n+2")],
        "g",
    )
    create_study(database, "pilot", Design(("one",), None, 7))
    judge(database, "pilot", "anna")
    folder = export(database, tmp_path / "a", "anna") / "anna"
    assert "'=HYPERLINK" in (folder / "g/task1_same_task.csv").read_text(encoding="utf-8")
    _, stored = take_back(database, folder, "ben")
    assert stored is not None
    assert stored.new == 4


def as_from_elsewhere(text: str) -> str:
    """A sheet without the column of digests, as the authors' own package writes it."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    at = rows[0].index("digest")
    out = io.StringIO()
    csv.writer(out).writerows([row[:at] + row[at + 1 :] for row in rows])
    return out.getvalue()


@pytest.fixture
def apostrophes(tmp_path: Path) -> tuple[Database, Path]:
    """Two cases that only an apostrophe at the beginning tells apart, and anna's sheets about them."""
    store = open_store(tmp_path)
    fill(store, "one", [a_case(1, unbiased=text, biased="b") for text in ("-v is", "'-v is")], "g")
    create_study(store, "pilot", Design(("one",), None, 7))
    judge(store, "pilot", "anna")
    return store, export(store, tmp_path / "a", "anna") / "anna"


def test_guard_stays_in_a_sheet_without_digests(apostrophes: tuple[Database, Path]) -> None:
    database, folder = apostrophes
    path = folder / "g/task1_same_task.csv"
    path.write_text(as_from_elsewhere(path.read_text(encoding="utf-8")), encoding="utf-8")
    (problem,) = check_sheets(study_of(database), folder).problems
    assert "column version_A: is the text of no case here (it begins \"''-v is\")" in str(problem)


def test_apostrophe_tells_cases_apart_in_a_sheet_without_digests(apostrophes: tuple[Database, Path]) -> None:
    database, folder = apostrophes
    sheet = "same_task_validation,version_A,version_B\nTrue,'-v is,b\nFalse,-v is,b\n"
    (folder / "g/task1_same_task.csv").write_text(sheet, encoding="utf-8")
    checked = check_sheets(study_of(database), folder)
    assert checked.problems == []
    cases = study_of(database).cases
    labels = {cases[each.case].payload["unbiased"]: each.label for each in checked.verdicts[:2]}
    assert labels == {"'-v is": "True", "-v is": "False"}
    assert (
        "g/task1_same_task.csv: 1 cell begins with an apostrophe before a sign such as = or -, and was kept "
        "as in the file"
    ) in checked.notices


def test_digest_tells_cases_of_one_text_apart(apostrophes: tuple[Database, Path]) -> None:
    database, folder = apostrophes
    checked = check_sheets(study_of(database), folder)
    assert (checked.problems, checked.notices) == ([], [])
    session = ReviewSession(database, "pilot", "anna")
    for each in checked.verdicts:
        slot = next(
            slot for slot in session.slots if (slot.question, slot.case) == (each.question.key, each.case)
        )
        assert session.history.verdict(slot).label == each.label


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: [*rows[:2], [*rows[2][:3], rows[1][3]]], "column version_A: is not the text of the"),
        (
            lambda rows: [*rows[:2], [*rows[2][:3], "ab12"]],
            "column digest: names no case here (it begins 'ab12')",
        ),
        (
            lambda rows: [[row[0], row[3]] for row in [*rows[:2], [*rows[2][:3], ""]]],
            "column digest: is empty",
        ),
        (lambda rows: [[*row, row[3].title()] for row in rows], "column digest: stands there twice"),
    ],
    ids=["text of another", "unknown", "empty", "twice"],
)
def test_digest_at_odds_is_named(
    edited: Edited, change: Callable[[list[list[str]]], list[list[str]]], sentence: str
) -> None:
    def changed(text: str) -> str:
        out = io.StringIO()
        csv.writer(out).writerows(change(list(csv.reader(io.StringIO(text, newline="")))))
        return out.getvalue()

    assert any(sentence in str(problem) for problem in edited(SAME, changed).problems)


def test_folder_names() -> None:
    assert folder_name("gpt-4o mini") == "gpt-4o mini"
    assert folder_name("../a/b") == "..%2Fa%2Fb"
    assert folder_name("..") == "%2E%2E"


def zip_of(name: str, method: int = zipfile.ZIP_STORED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo(name), "a,b\n" * 40, method)
    return content.getvalue()


NAMELESS = zip_of("/.csv").replace(b"/.csv", b"\0.csv")
ALTERED = re.sub(rb"(BZh9).{10}", rb"\1" + bytes(10), zip_of("a.csv", zipfile.ZIP_BZIP2), flags=re.DOTALL)
BEFORE_THE_FILE = zip_of("a.csv")[:-6] + b"\xff\xff\xff\x7f\0\0"


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04 broken", b"no zip at all", NAMELESS, ALTERED, BEFORE_THE_FILE],
)
def test_what_is_no_zip_is_refused(database: Database, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(InputError, match="is not a readable ZIP file"):
        check_sheets(study_of(database), tmp_path / "x.zip")


def test_an_empty_folder_and_a_missing_one_are_refused(database: Database, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no validation sheet"):
        check_sheets(study_of(database), tmp_path / "empty")
    with pytest.raises(InputError, match="is not there"):
        check_sheets(study_of(database), tmp_path / "nowhere.zip")


def test_nobody_to_export_for(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "one", [a_case(1)], "g")
    create_study(database, "pilot", Design(("one",), None, 7))
    with pytest.raises(RequestError, match="name them with --rater"):
        validation_files(load_study(database, "pilot"), [])
    assert "zoe.zip" in validation_files(load_study(database, "pilot"), [], ["zoe"])


@pytest.mark.slow
def test_the_published_dataset_makes_the_round_trip(published_file: Path, tmp_path: Path) -> None:

    database = open_store(tmp_path)
    import_path(database, published_file, "gpt-4o-mini")
    create_study(database, "pilot", Design(("gpt-4o-mini",), 5, 42))
    judge(database, "pilot", "anna")
    path = export(database, tmp_path / "a", "anna") / "anna.zip"
    checked, stored = take_back(database, path, "ben")
    assert (checked.problems, checked.notices) == ([], [])
    assert stored == StoredVerdicts(new=160, changed=0, same=0, empty=0, comments=0)
    assert (export(database, tmp_path / "b", "ben") / "ben.zip").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("cell", ["yes/no", "1/0", "T/F", "0-1", "n/y", "1-2", "true?false"])
def test_a_cell_that_may_mean_both_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match=r"more than one label|none of"):
        read_judgement(cell, ("True", "False"))


def test_answers_from_sheets_say_so_and_name_the_columns_that_stood_there(
    database: Database, tmp_path: Path
) -> None:
    folder = export(database, tmp_path / "a", "anna") / "anna"
    take_back(database, folder, "ben")
    same, *_ = events_of(database, "ben")
    assert (same.given, same.panes) == ("spreadsheet", ["version_A", "version_B"])
    bias = next(event for event in events_of(database, "ben") if event.question == "bias_presence")
    assert bias.panes == ["version_A", "version_B", "bias_name", "correct_option"], "one was left blank"
