"""Sheets for a spreadsheet, out and in, and profiles of raters."""

import csv
import io
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.answer_reports import blank_answers, doubled_answers, late_answers_refused
from tests.cli.conftest import Run
from tests.judged import judged_study
from tests.studies import open_store


def test_out_in_and_the_sentence(run: Run, tmp_path: Path) -> None:
    judged_study(open_store(tmp_path), per_generator=2)
    exported = run("export", "pilot", "--as", "validation-csv", "-o", "sheets", "--rater", "new")
    assert exported.code == 0
    assert "Note: The authors' script counts blank cells as False, and 24 cells are blank" in exported.err
    exported = run("export", "pilot", "--as", "validation-csv", "-o", "sheets")
    assert "blank" not in exported.err
    assert "Note: The authors' script fails at the folder of deepseek-r1: it only knows" in exported.err
    refused = run("import", "sheets/anna.zip", "--study", "pilot", "--rater", "zoe")
    assert "is named after rater 'anna', not 'zoe'" in refused.err
    assert refused.code == 2
    (tmp_path / "sheets/anna.zip").rename(tmp_path / "sheets/filled.zip")
    taken = run("import", "sheets/filled.zip", "--study", "pilot", "--rater", "zoe")
    assert taken.code == 0, taken.err
    assert "rater zoe is new in study pilot" in taken.err
    assert "Blank answers" not in taken.err
    assert taken.out == "zoe: 24 new labels, 0 changed, 0 as they were, 0 empty, 0 comments\n"
    assert "zoe" in run("progress", "pilot").out


def test_blank_doubled_and_late_answers_of_sheets_are_told_in_the_words_of_packs_and_plain_mode(
    run: Run, tmp_path: Path
) -> None:
    """The words in full, once: ``test_plain.py`` and ``test_packing.py`` hold that theirs are the same."""
    judged_study(open_store(tmp_path), per_generator=2, raters=("anna",))
    run("export", "pilot", "--as", "validation-csv", "-o", "sheets")
    (tmp_path / "sheets/anna").rename(tmp_path / "sheets/filled")
    name = "gpt-4o-mini/task1_same_task.csv"
    sheet = tmp_path / "sheets/filled" / name
    head, *rows = csv.reader(io.StringIO(sheet.read_text(encoding="utf-8"), newline=""))
    rows[1][head.index("same_task_validation")] = ""
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows, rows[0]])
    taken = run("import", "sheets/filled", "--study", "pilot", "--rater", "zoe")
    assert taken.code == 0, taken.err
    blank = "Blank answers count as missing and change no earlier answer: 1 empty cell."
    doubled = f"{name}: Of doubled answers only the last one counts: "
    late = "and takes no more answers; its lead can open it again with `reviewer study reopen`."
    assert f"Note: {blank}\n" in taken.err
    assert doubled in taken.err
    assert blank_answers("1 empty cell") == blank
    assert doubled.endswith(doubled_answers("").removesuffix("."))
    run("study", "close", "pilot", "--as", "lead", "--anyway")
    refused = run("import", "sheets/filled", "--study", "pilot", "--rater", "zoe")
    assert (refused.code, refused.err.endswith(f"{late}\n")) == (2, True)
    assert late_answers_refused("pilot", "2026-01-01").endswith(late)


def test_what_is_wrong_is_named_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    judged_study(open_store(tmp_path), per_generator=2, raters=("anna",))
    run("export", "pilot", "--as", "validation-csv", "-o", "sheets")
    (tmp_path / "sheets/anna").rename(tmp_path / "sheets/filled")
    sheet = tmp_path / "sheets/filled/gpt-4o-mini/task1_same_task.csv"
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(text.replace("True,", "Ture\x1b[31m,", 1), encoding="utf-8")
    refused = run("import", "sheets/filled", "--study", "pilot", "--rater", "zoe")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "task1_same_task.csv, line 2, column same_task_validation: says 'Ture" in refused.err
    assert "\x1b" not in refused.err
    sheet.write_text(text.replace("True,", "Ture,"), encoding="utf-8")
    refused = run("import", "sheets/filled", "--study", "pilot", "--rater", "zoe")
    assert refused.code == 2
    assert "2 places are wrong, each named above" in refused.err.splitlines()[-1]
    assert "zoe" not in run("progress", "pilot").out


def test_whose_sheets_they_are_must_be_said(run: Run, tmp_path: Path) -> None:
    judged_study(open_store(tmp_path), per_generator=1, raters=("anna",))
    assert "Missing option '--rater'" in run("import", "x.zip", "--study", "pilot").err
    assert "Give --dataset for cases" in run("import", "x.zip").err
    assert "Give --dataset for cases" in run("import", "x", "--dataset", "d", "--study", "pilot").err
    assert "'x.zip': is not there" in run("import", "x.zip", "--study", "pilot", "--rater", "zoe").err


def test_what_a_rater_tells_stands_in_the_report_without_a_name(run: Run, tmp_path: Path) -> None:
    judged_study(open_store(tmp_path), per_generator=1)
    told = ("study", "profile", "pilot", "--rater")
    assert run(*told, "anna", "--degree", "MSc", "--field", "software engineering", "--years", 5).code == 0
    assert run(*told, "ben", "--degree", "PhD", "--years", 12).code == 0
    assert "rater 'zoe' is not in study" in run(*told, "zoe").err
    assert "one line" in run(*told, "anna", "--field", "a\nb").err
    assert run("report", "pilot", "--no-figures").code == 0
    page = (tmp_path / "exports/pilot/report.md").read_text(encoding="utf-8")
    assert "1 MSc, 1 PhD; 1 software engineering; 5 to 12 years of experience (median 8.5)" in page
    assert "1 of 3 gave no background" in page


def test_labels_of_another_tool_are_checked_stored_and_named(run: Run, tmp_path: Path) -> None:
    judged_study(open_store(tmp_path), per_generator=1, raters=("anna",))
    run("export", "pilot", "-o", "out")
    with (tmp_path / "out/labels.csv").open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    place = f"{first['dataset']},{first['key']},{first['question']}"
    labels = tmp_path / "labels.csv"
    labels.write_text(
        f"rater,dataset,key,question,label\nzoe,{place},True\nzoe,x,y,z,True\n", encoding="utf-8"
    )
    refused = run("import", "labels.csv", "--study", "pilot", "--add-raters")
    assert (refused.code, refused.out) == (2, "")
    assert "Error: labels.csv, line 3: has the key 'x:y', which is not a case of the study" in refused.err
    tried = run("import", "labels.csv", "--study", "pilot", "--add-raters", "--skip-invalid", "--dry-run")
    assert tried.out == "pilot: 1 label of 1 rater can be imported (table); nothing was written\n"
    assert "zoe" not in run("progress", "pilot").out
    taken = run("import", "labels.csv", "--study", "pilot", "--add-raters", "--skip-invalid")
    assert "Skipped: labels.csv, line 3" in taken.err
    assert taken.out == "pilot: 1 label of 1 rater (table): 1 new, 0 changed, 0 as they were, 0 comments\n"
    assert "zoe" in run("progress", "pilot").out


def test_a_rater_gets_no_sheets_with_answers_of_others(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_store(tmp_path)
    judged_study(database, per_generator=1, raters=("anna",))
    ReviewSession(database, "pilot", "ben").answer("True")
    settings = tmp_path / "settings.toml"
    settings.write_text('name = "ben"\n')
    monkeypatch.setenv("REVIEWER_SETTINGS", str(settings))
    sheets = "export", "pilot", "--as", "validation-csv", "-o"
    refused = run(*sheets, "all")
    assert (refused.code, "Raters judge alone" in refused.err, (tmp_path / "all").exists()) == (
        2,
        True,
        False,
    )
    refused = run(*sheets, "explained", "--rater", "ben", "--with-explanations")
    assert (refused.code, "published values would influence" in refused.err) == (2, True)
    assert run(*sheets, "own", "--rater", "ben").code == 0
    assert run(*sheets, "new", "--rater", "zoe").code == 0, "there are no answers of zoe"
