"""``import`` as the shell calls it: what it prints, and one sentence for every bad input."""

import importlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from store.database import Database
from tests.builders import (
    GROUP,
    a_record,
    a_seed_record,
    dilemma_texts,
    without,
    write_corpus,
    write_dataset,
    write_groups,
)
from tests.cli.conftest import Run
from tests.quick_start import quick_start
from tests.rounds import rounds
from tests.terminal import Terminal

NOBODY = 65_534


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "gpt-4o-mini.json", [a_record(1), a_record(2), a_seed_record(3)])


def test_one_line_says_what_was_added(run: Run, file: Path) -> None:
    done = run("import", file, "--dataset", "data")
    assert (done.code, done.err) == (0, created())
    assert done.out == "data: 3 cases added (1 group, 2 generated, 1 written by people)\n"
    again = run("import", file, "--dataset", "data")
    assert (again.code, again.err) == (0, "")
    assert again.out == "data: nothing changed, all 3 cases are there already\n"


def test_a_folder_is_imported_the_same_way(run: Run, tmp_path: Path) -> None:
    done = run("import", write_corpus(tmp_path / "corpus"), "--dataset", "seeds")
    assert done.out == "seeds: 1 case added (1 group, 1 written by people)\n"


def test_notices_go_to_stderr(run: Run, file: Path) -> None:
    write_dataset(file, [a_record(1, correct_option="option_a")])
    done = run("import", file, "--dataset", "data")
    assert done.err == (
        "Note: gpt-4o-mini.json, anchoring bias, record 1: correct_option 'option_a' is read as 'option_A'.\n"
        f"{created()}"
    )


def test_what_is_skipped_is_told_with_its_reason(run: Run, file: Path) -> None:
    write_dataset(file, [a_record(1), 5, a_record(3, axioms=None)])
    done = run("import", file, "--dataset", "data", "--skip-invalid")
    assert done.code == 0
    assert done.out == "data: 1 case added (1 group, 1 generated)\n"
    assert done.err == (
        "Skipped: gpt-4o-mini.json, anchoring bias, record 2: is a number, not an object.\n"
        "Skipped: gpt-4o-mini.json, anchoring bias, record 3, field 'axioms': is not a text.\n"
        f"{created()}"
    )


def test_where_nothing_is_valid_nothing_is_imported(run: Run, file: Path) -> None:
    write_dataset(file, [5])
    done = run("import", file, "--dataset", "data", "--skip-invalid")
    assert done.code == 2
    assert "holds no valid case" in done.err.splitlines()[-1]
    assert not Path("reviewer.db").exists()


def created() -> str:
    return f"Created the store {Path('reviewer.db').absolute()}.\n"


def raw(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def whole(value: object) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps(value))


def second(record: object) -> Callable[[Path], object]:
    """A file whose first record is valid, and whose second one is this."""
    return lambda path: write_dataset(path, [a_record(1), record])


def changed(**fields: object) -> Callable[[Path], object]:
    return second(a_record(2, **fields))


def spliced(old: str, new: str) -> Callable[[Path], object]:
    """A file with a piece of its JSON text replaced by something that json.dumps would not write."""
    return lambda path: path.write_text(json.dumps({GROUP: [a_record(1)]}).replace(old, new, 1))


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


TWO = "record 2"
BAD_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (raw(b""), "is empty"),
    "blank": (raw(b" \n\t\n"), "is empty"),
    "prose": (raw(b"Dear all,\n"), "is not JSON (expecting value) at line 1, column 1"),
    "CSV": (raw(b"a,b\n1,2\n"), "is not JSON (expecting value) at line 1, column 1"),
    "two values": (raw(b"{}\n{}"), "is not JSON (extra data) at line 2, column 1"),
    "truncated in a text": (raw(b'{"anchoring bias":\n[{"unbiased": "I pl'), "incomplete JSON at line 2"),
    "truncated after a comma": (raw(b'{"anchoring bias": [{},\n'), "is incomplete JSON at line"),
    "UTF-16": (raw('{"a": []}'.encode("utf-16")), "is not UTF-8 text (byte 0); save it as UTF-8"),
    "Latin-1": (raw('{"é": []}'.encode("latin-1")), "is not UTF-8 text (byte 2)"),
    "a list": (whole([]), "holds a list; give an object of bias → list of records"),
    "a text": (whole("x"), "holds a text; give an object"),
    "null": (whole(None), "holds null; give an object"),
    "nothing in it": (whole({}), "holds no valid case"),
    "no records": (whole({GROUP: []}), "holds no valid case"),
    "group is an object": (whole({GROUP: {}}), f"{GROUP}: holds an object, not a list"),
    "group is null": (whole({GROUP: None}), f"{GROUP}: holds null, not a list"),
    "unknown group": (whole({"halo effect": []}), "'halo effect' is not a group of PROBE-SWE; use one of"),
    "hostile group": (whole({"\x1b[2J[/a]": []}), "'␛[2J[/a]' is not a group"),
    "group twice": (spliced(f'{{"{GROUP}"', f'{{"{GROUP}": [], "{GROUP}"'), "bias' more than once"),
    "record is a list": (second([]), f"{TWO}: is a list, not an object"),
    "record is null": (second(None), f"{TWO}: is null, not an object"),
    "empty record": (second({}), f"{TWO}, field 'pair': is missing"),
    **{f"no {name}": (second(without(a_record(2), name)), f"{TWO}, field '{name}': is missing")
       for name in (*dilemma_texts(), "pair")},
    "blank text": (changed(biased="\n "), f"{TWO}, field 'biased': is empty"),
    "number as text": (changed(axioms=5), f"{TWO}, field 'axioms': is not a text"),
    "list as text": (changed(reconstructed_unbiased_prompt=["x"]), "_prompt': is not a text"),
    "text as count": (changed(inference_steps="9"), "'inference_steps': is not a whole number"),
    "fraction as count": (changed(choice_steps=9.0), "'choice_steps': is not a whole number"),
    "true as count": (changed(inference_steps=True), "'inference_steps': is not a whole number"),
    "negative count": (changed(choice_steps=-1), "'choice_steps': is below 0"),
    "huge count": (changed(choice_steps=10**300), "'choice_steps': is too large"),
    "text as rate": (changed(agreement_rate="1"), "'agreement_rate': is not a number"),
    "true as rate": (changed(pair_similarity=True), "'pair_similarity': is not a number"),
    "NaN": (spliced("0.97", "NaN"), "'pair_similarity': holds a number that is not finite"),
    "infinite": (spliced("0.97", "1e999"), "'pair_similarity': holds a number that is not finite"),
    "thousands of digits": (spliced("0.97", "9" * 5_000), "contains a number with thousands of digits"),
    "no such option": (changed(correct_option="option_C"), "'correct_option': is neither option_A nor"),
    "option of another type": (changed(correct_option=1), "'correct_option': is not a text"),
    "origin of another type": (changed(AI_generated="no"), "'AI_generated': is neither true nor false"),
    "run of another type": (changed(run_id="3"), "'run_id': is not a whole number"),
    "NUL": (changed(unbiased="a\0b"), "'unbiased': holds a NUL character"),
    "NUL beside": (changed(note=["a\0b"]), "'note': holds a NUL character"),
    "NUL in a name": (changed(**{"a\0b": 1}), "name of a field: holds a NUL character"),
    "raw NUL": (spliced("I plan", "I\0plan"), "is not JSON (invalid control character) at line 1, column"),
    "lone surrogate": (changed(biased="a\ud800b"), "'biased': holds a lone surrogate"),
    "lone surrogate beside": (changed(note={"a": "\udfff"}), "'note': holds a lone surrogate (U+DFFF)"),
    "lone surrogate in a group": (whole({"\ud800": []}), "'?' is not a group"),
    "field twice": (spliced('"pair"', '"pair": 1, "pair"'), "record 1: names 'pair' more than once"),
    "field twice beside": (spliced('"valid": true', '"x": {"a": 1, "a": 2}'), "names 'a' more than once"),
    "nested deeply beside": (spliced('"valid": true', f'"x": {nested(50)}'), "is nested more than 32 deep"),
    "nested too deeply": (raw(nested(100_000).encode()), "is nested too deeply"),
    "50 MB in a text": (changed(unbiased="x" * 50_000_000), "'unbiased': has 50,000,000 characters"),
    "50 MB beside": (changed(note="x" * 50_000_000), "'note': has 50,000,000 characters"),
    "50 MB as a name": (changed(**{"x" * 50_000_000: 1}), "name of a field: has 50,000,000 characters"),
    "50 MB as a group": (whole({"x" * 50_000_000: []}), "x…' is not a group of PROBE-SWE"),
    "much in small pieces": (changed(note=list(range(50_000))), "characters in additional fields"),
    "key twice": (second(a_record(1, unbiased="Other?")), f"{TWO}: has the same key (anchoring bias/3-1) as"),
    "case twice": (second(a_record(1, run_id=4)), f"{TWO}: is the same case as gpt-4o-mini.json"),
}  # fmt: skip


HUGE = ("50 MB beside", "50 MB as a name", "50 MB as a group")
"""Slow; every run reads one such file."""


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        pytest.param(*bad, id=name, marks=pytest.mark.slow if name in HUGE else ())
        for name, bad in BAD_FILES.items()
    ],
)
def test_a_bad_file_is_one_sentence(
    run: Run, tmp_path: Path, make: Callable[[Path], object], sentence: str
) -> None:
    make(tmp_path / "gpt-4o-mini.json")
    assert_refused(run, "gpt-4o-mini.json", sentence)


def assert_refused(run: Run, path: object, sentence: str) -> None:
    done = run("import", path, "--dataset", "data")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    assert done.err.endswith(".\n")
    assert done.err.count("\n") == 1
    assert len(done.err) < 500
    assert sentence in done.err
    assert not Path("reviewer.db").exists()


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_table_is_not_taken_for_json(run: Run, tmp_path: Path, ending: str) -> None:
    (tmp_path / f"table.{ending}").write_text("a,b\n1,2\n")
    refused = run("import", tmp_path / f"table.{ending}", "--dataset", "table")
    assert (refused.code, "JSON" in refused.err) == (2, False)
    assert "name the protocol of the file with --protocol" in refused.err


def test_a_file_that_is_not_there(run: Run) -> None:
    assert_refused(run, "nowhere.json", "'nowhere.json': is not there; check the path.")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_not_opened(run: Run, device: str) -> None:
    assert_refused(run, device, f"'{device}': is not a regular file")


def test_a_pipe_is_not_waited_for(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert_refused(run, "pipe", "'pipe': is not a regular file")


def test_a_loop_of_links(run: Run, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert_refused(run, "loop", "'loop': cannot be read (Too many levels of symbolic links)")


def test_a_file_of_a_size_that_none_has_is_not_read(run: Run, tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(600 * 1024 * 1024)  # a hole: it takes no room
    assert_refused(run, "huge.json", "'huge.json': has 629,145,600 bytes; at most")


def test_zip_as_dataset_is_named_as_what_it_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cases.zip").write_bytes(b"PK\x03\x04 and more")
    refused = run("import", "cases.zip", "--dataset", "d")
    assert (
        "'cases.zip': is a ZIP file or a spreadsheet; save its table as CSV, or unpack it; a" in refused.err
    )
    both = run("import", "cases.zip", "--dataset", "d", "--study", "s", "--rater", "r")
    assert "Give --dataset for cases, or --study and --rater for filled sheets; not both" in both.err


def test_an_empty_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert_refused(run, "empty", "without '<family> - <bias>' folders in it")


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Be a user whom permissions bind: root may read everything."""
    # Nobody may not be able to read the files of the interpreter.
    importlib.import_module("reviewer.cli.import_")
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    yield
    os.seteuid(before)


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_may_not_be_read(
    run: Run, file: Path, tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    path = file if kind == "file" else write_corpus(tmp_path / "corpus")
    path.chmod(0)
    request.getfixturevalue("unprivileged")
    done = run("import", path, "--dataset", "data")
    assert done.code == 2
    assert "cannot be read (Permission denied); check the path and its permissions." in done.err


@pytest.mark.parametrize("name", ["", "a/b", "../a", "a\nb", "x" * 10_000, "\x1b[2J", " a"])
def test_a_dataset_has_a_name_that_can_be_shown(run: Run, file: Path, name: str) -> None:
    done = run("import", file, "--dataset", name)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "dataset name" in done.err
    assert len(done.err) < 300
    assert not Path("reviewer.db").exists()


def test_an_unknown_protocol_names_the_known_ones(run: Run, file: Path) -> None:
    done = run("import", file, "--dataset", "data", "--protocol", "other")
    assert done.code == 2
    assert "probe-swe" in done.err


def test_a_person_sees_progress_of_many_cases_and_none_of_few(tmp_path: Path, file: Path) -> None:
    many = write_dataset(tmp_path / "many.json", [a_record(number) for number in range(301)])
    store = ("--store", str(tmp_path / "reviewer.db"))
    by_model = ("--generator", "model-1")
    for path, expected in ((many, True), (file, False)):
        arguments = ["import", str(path), "--dataset", path.stem, *by_model, *store]
        with Terminal(arguments, forked=True) as terminal:
            assert terminal.wait_for_end() == 0
            shown = terminal.wait_for(f"{path.stem}: ")
        assert ("Storing" in shown and "100%" in shown) == expected


@pytest.mark.parametrize("seed", rounds(0, range(1, 3)))
def test_ctrl_c_leaves_all_or_nothing(tmp_path: Path, seed: int) -> None:
    many = write_groups(tmp_path / "many.json", {GROUP: [a_record(number) for number in range(800)]})
    store = tmp_path / "reviewer.db"
    reviewer = (*quick_start(), "-m", "reviewer")
    arguments = ("import", str(many), "--dataset", "data", "--generator", "m", "--store", str(store))
    with subprocess.Popen([*reviewer, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not store.exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(random.Random(seed).uniform(0, 0.3))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    # The signal's own code: it came when all was done, and Python was leaving.
    assert process.returncode in (0, 130, -signal.SIGINT)
    if process.returncode == 130:
        *before, last = filter(None, err.decode().splitlines())
        assert last == "Interrupted."
        # Python writes a line twice if the signal came while it was being flushed.
        assert set(before) <= {f"Created the store {store}."}
    subprocess.run([*reviewer, "datasets", "--store", str(store)], check=True, capture_output=True)
    found = [(summary.name, summary.cases) for summary in Database.open(str(store)).overview().datasets]
    assert found == [("data", 800)] if out else found in ([], [("data", 800)])
    done = subprocess.run([*reviewer, *arguments], check=True, capture_output=True, text=True)
    assert "800 cases" in done.stdout


def test_an_export_says_what_it_could_not_write_as_published(run: Run, tmp_path: Path) -> None:
    write_dataset(tmp_path / "m.json", [a_record(1), a_record(2, correct_option="option_a")])
    run("import", "m.json", "--dataset", "data", "--generator", "m")
    whole = run("datasets", "export", "data", "-o", "out.json")
    assert (whole.code, whole.err) == (0, "out.json: 2 cases\n")
    assert json.loads((tmp_path / "out.json").read_text()) == json.loads((tmp_path / "m.json").read_text())
    with closing(Database.open("reviewer.db")) as database, database.write() as session:
        session.execute(text("UPDATE memberships SET raw = NULL"))
    earlier = run("datasets", "export", "data", "-o", "out.json")
    assert earlier.code == 0
    assert "Note: dataset data has no published record of 2 of 2 cases" in earlier.err
    assert "import the file again" in earlier.err


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """``typing("line")``: a person sits at the keyboard and types it."""

    def type_it(line: str) -> None:
        keyboard = io.TextIOWrapper(io.BytesIO(f"{line}\n".encode()))
        monkeypatch.setattr(keyboard, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdin", keyboard)

    return type_it


def generators(store: str = "reviewer.db") -> list[tuple[str, ...]]:
    with closing(Database.open(store)) as database:
        return [summary.generators for summary in database.overview().datasets]


def test_a_generator_that_nobody_tells_is_asked_for_and_in_a_script_refused(
    run: Run, tmp_path: Path, typing: Callable[[str], None]
) -> None:
    write_dataset(tmp_path / "final.json", [a_record(1)])
    refused = run("import", "final.json", "--dataset", "data")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "nothing says who wrote cases of final.json; name the model with --generator, or " in refused.err
    assert not Path("reviewer.db").exists()
    typing("gpt-4o-mini")
    asked = run("import", "final.json", "--dataset", "data")
    assert asked.code == 0
    assert "Which model wrote the cases of final.json?" in asked.err
    assert generators() == [("gpt-4o-mini",)]


def test_the_authors_name_of_a_file_tells_the_generator(run: Run, tmp_path: Path) -> None:
    name = "1_augmented_dilemmas_dataset_gpt-4.1-mini.json"
    write_dataset(tmp_path / name, [a_record(1), a_seed_record(2)])
    assert run("import", name, "--dataset", "data").code == 0
    assert generators() == [("gpt-4.1-mini", "hand-written")]


def test_the_content_tells_the_generator_before_the_file_does(run: Run, tmp_path: Path) -> None:
    write_dataset(tmp_path / "final.json", [a_record(1, generator="org/model"), a_record(2, generator="b")])
    assert run("import", "final.json", "--dataset", "data").code == 0
    assert generators() == [("b", "org/model")]


def test_the_same_content_under_another_name_keeps_its_generator(run: Run, tmp_path: Path) -> None:
    records = [a_record(1), a_record(2)]
    write_dataset(tmp_path / "first.json", records)
    run("import", "first.json", "--dataset", "data", "--generator", "gpt-4o-mini")
    for name in ("copy.json", "1_augmented_dilemmas_dataset_deepseek.json"):
        write_dataset(tmp_path / name, records)
        again = run("import", name, "--dataset", "data")
        assert (again.code, again.out) == (0, "data: nothing changed, all 2 cases are there already\n")
        assert generators() == [("gpt-4o-mini",)]
    assert "2 cases of generator 'gpt-4o-mini' keep this name, although" in again.err
    run("import", "copy.json", "--dataset", "data", "--generator", "other")
    assert generators() == [("other",)]


def test_other_content_under_another_name_is_nobodys_until_it_is_named(run: Run, tmp_path: Path) -> None:
    write_dataset(tmp_path / "first.json", [a_record(1)])
    run("import", "first.json", "--dataset", "data", "--generator", "gpt-4o-mini")
    write_dataset(tmp_path / "second.json", [a_record(1, unbiased="Other words.")])
    assert "--generator" in run("import", "second.json", "--dataset", "data").err
    write_dataset(tmp_path / "first.json", [a_record(1, unbiased="Other words.")])
    assert "1 case with new content" in run("import", "first.json", "--dataset", "data").out
    assert generators() == [("gpt-4o-mini",)]


def test_the_store_that_is_created_is_named_once(run: Run, file: Path) -> None:
    write_dataset(file, [a_record(1)])
    assert run("import", file, "--dataset", "data").err == created()
    assert run("import", file, "--dataset", "data").err == ""


@pytest.fixture
def below(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a store, below one that has a store with the dataset data; it becomes the current."""
    write_dataset(file, [a_record(1)])
    run("import", file, "--dataset", "data")
    folder = Path("below").absolute()
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(("typed", "here"), [("", False), ("y", False), ("n", True)])
def test_a_person_chooses_between_the_store_above_and_a_new_one(
    run: Run, file: Path, below: Path, typing: Callable[[str], None], typed: str, here: bool
) -> None:
    typing(typed)
    done = run("import", file, "--dataset", "other")
    assert done.code == 0
    assert f"This folder has no store, but {below.parent / 'reviewer.db'} is one." in done.err
    assert (below / "reviewer.db").exists() is here
    assert len(generators(str(below.parent / "reviewer.db"))) == (1 if here else 2)


def test_a_script_gets_a_new_store_and_is_told_of_the_one_above(run: Run, file: Path, below: Path) -> None:
    done = run("import", file, "--dataset", "other")
    assert "the folder above it has one. To use that one, give --store ../reviewer.db." in done.err
    assert done.err.endswith(created())
    assert (below / "reviewer.db").exists()


def test_a_store_that_is_named_is_not_asked_about(run: Run, file: Path, below: Path) -> None:
    assert run("import", file, "--dataset", "other", "--store", "./reviewer.db").err == created()
