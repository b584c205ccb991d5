"""The checklist as a command: of a study, of a release, and of neither."""

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.studies import a_study, open_store

CITED = ("--licence", "CC0-1.0", "--author", "Tom Reed", "--contact", "tom@example.org")


def test_a_study_and_a_release_have_the_same_rows(run: Run, tmp_path: Path) -> None:
    a_study(open_store(tmp_path))
    assert run("release", "make", "pilot-data", "--version", "1.0", "-o", "out", "--yes", *CITED).code == 0
    of_study = json.loads(run("checklist", "pilot", "--format", "json").out)
    of_release = json.loads(run("checklist", "out", "--format", "json").out)
    assert [row["key"] for row in of_study] == [row["key"] for row in of_release]
    by_key = {row["key"]: row for row in of_study}
    assert (by_key["release"]["state"], by_key["agreement"]["state"]) == ("known", "missing")
    assert by_key["licence"]["answer"] == "CC0-1.0; Tom Reed; ask tom@example.org"
    assert by_key["uses"]["state"] == "only the author"
    assert by_key["uses"]["command"] == "reviewer datasets describe pilot-data --uses TEXT"


def test_people_read_lines_with_what_to_do(run: Run, tmp_path: Path) -> None:
    a_study(open_store(tmp_path))
    printed = run("checklist", "pilot")
    assert printed.code == 0, printed.err
    assert "Agreement and disagreement\n" in printed.out
    assert "    missing\n    to add: reviewer study close pilot\n" in printed.out
    assert "only the author" in printed.err


def test_an_altered_release_has_no_checklist(run: Run, tmp_path: Path) -> None:
    a_study(open_store(tmp_path))
    assert run("release", "make", "pilot-data", "--version", "1.0", "-o", "out", "--yes", *CITED).code == 0
    whole = run("checklist", "out")
    assert "The folder agrees with itself; no program was run." in whole.err
    manifest = tmp_path / "out" / "release.json"
    manifest.write_text(manifest.read_text().replace("CC0-1.0", "MIT"))
    refused = run("checklist", "out")
    assert (refused.code, refused.out) == (2, "")
    assert "release.json" in refused.err
    assert "reviewer release verify" in refused.err


def test_what_is_neither_is_refused_in_one_sentence(run: Run, tmp_path: Path) -> None:
    a_study(open_store(tmp_path))
    refused = run("checklist", "nothing")
    assert refused.code == 2
    assert refused.err == (
        "Error: 'nothing' is neither a study of the store nor the folder of a release; see "
        "`reviewer study list`.\n"
    )
