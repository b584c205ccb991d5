"""What becomes of a seed corpus."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.dataset_import import check_source
from reviewer.exchange.rows.source_reading import Incoming
from reviewer.protocols.probe_swe.formats.seed_folder import VALUES_FILE
from tests.builders import FOLDER, GROUP, a_record, write_corpus, write_dataset

OWN = Path(__file__).parents[2] / "seeds" / "probe_swe"
KEY = f"{FOLDER}/1-release"
HEAD = "dilemma,correct_option,inference_steps,choice_steps"


def read(path: Path) -> Incoming:
    return check_source(path, "seeds").incoming


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", pairs=2)


def test_our_own_corpus_comes_in_with_its_values() -> None:
    found = read(OWN)
    assert len(found.entries) == 16
    assert (found.notices, found.problems) == ((), ())
    rows = [line.split(",") for line in (OWN / VALUES_FILE).read_text().splitlines()[1:]]
    for entry in found.entries:
        ((_, choice, inferences, steps),) = [row for row in rows if row[0] == entry.place.key]
        assert {value.name: value.value for value in entry.published} == {
            "choice": choice,
            "inference_steps": int(inferences),
            "choice_steps": int(steps),
        }
        folder = OWN / entry.place.key
        assert entry.case.payload["biased_prolog"] == (folder / "1-biased_task.pl").read_text().strip()
        assert entry.case.payload["axioms_description"] == (folder / "axioms.txt").read_text().strip()
        assert entry.case.payload["reconstructed_unbiased_prompt"] is None
        assert (entry.place.origin, entry.place.generator) == ("seed", "hand-written")


def test_a_folder_and_a_file_of_the_same_texts_hold_the_same_case(corpus: Path, tmp_path: Path) -> None:
    record = a_record(1, reconstructed_unbiased_prompt=None)
    file = write_dataset(tmp_path / "model-1.json", [record])
    assert read(corpus).entries[0].case == read(file).entries[0].case


def test_dilemmas_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    found = read(write_corpus(tmp_path / "corpus", pairs=11))
    assert [entry.place.key for entry in found.entries] == [f"{FOLDER}/{n}-release" for n in range(1, 12)]
    assert [entry.place.position for entry in found.entries] == list(range(11))


def test_without_values_nothing_is_measured(corpus: Path) -> None:
    assert [entry.published for entry in read(corpus).entries] == [(), ()]


def test_an_empty_cell_is_not_measured(corpus: Path) -> None:
    (corpus / VALUES_FILE).write_text(f"\ufeff{HEAD}\n{KEY},option_b,,4\n", encoding="utf-8")
    found = read(corpus)
    assert {value.name: value.value for value in found.entries[0].published} == {
        "choice": "option_B",
        "choice_steps": 4,
    }
    assert found.notices == (f"{VALUES_FILE}, line 2: correct_option 'option_b' is read as 'option_B'",)


def test_files_of_tools_are_passed_over(corpus: Path) -> None:
    for name in (".git", "__pycache__", f"{FOLDER}/.cache", f"{KEY}/extra"):
        (corpus / name).mkdir()
    (corpus / "README.md").write_text("A corpus.")
    found = read(corpus)
    assert (len(found.entries), found.notices) == (2, ())


def test_a_folder_that_is_no_group_is_told(corpus: Path) -> None:
    (corpus / "pictures").mkdir()
    (notice,) = read(corpus).notices
    assert notice.startswith("pictures: left out")


def test_a_group_may_be_reached_by_a_link(corpus: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / FOLDER).symlink_to(corpus / FOLDER)
    assert len(read(linked).entries) == 2


def rename(source: str, target: str) -> Callable[[Path], object]:
    return lambda corpus: (corpus / source).rename(corpus / target)


def remove(name: str) -> Callable[[Path], object]:
    return lambda corpus: (corpus / name).unlink()


def write(name: str, content: str | bytes) -> Callable[[Path], object]:
    raw = content if isinstance(content, bytes) else content.encode()
    return lambda corpus: (corpus / name).write_bytes(raw)


def link_to_itself(corpus: Path) -> None:
    (corpus / KEY / "axioms.pl").unlink()
    (corpus / KEY / "axioms.pl").symlink_to("axioms.pl")


def repeat_the_first(corpus: Path) -> None:
    for file in (corpus / KEY).iterdir():
        (corpus / FOLDER / "2-release" / file.name).write_bytes(file.read_bytes())


DAMAGES = {
    "missing program": (remove(f"{KEY}/axioms.pl"), f"{KEY}/axioms.pl: is not there"),
    "missing definition": (remove(f"{FOLDER}/definition.txt"), f"{FOLDER}/definition.txt: is not there"),
    "empty text": (write(f"{KEY}/axioms.txt", " \n"), f"{KEY}, field 'axioms.txt': is empty"),
    "NUL": (write(f"{KEY}/axioms.txt", "a\0b"), f"{KEY}, field 'axioms.txt': holds a NUL character"),
    "not UTF-8": (write(f"{KEY}/axioms.txt", b"a\xff"), f"{KEY}/axioms.txt: is not UTF-8 text"),
    "too long": (write(f"{KEY}/axioms.txt", "x" * 300_000), "has 300,000 characters, more than the 200,000"),
    "much too long": (write(f"{KEY}/axioms.txt", "x" * 900_000), f"{KEY}/axioms.txt: has 900,000 bytes"),
    "loop of links": (link_to_itself, f"{KEY}/axioms.pl: cannot be read (Too many levels"),
    "no number": (rename(KEY, f"{FOLDER}/release"), f"{FOLDER}/release: is not named '<n>-<name>'"),
    "strange name": (rename(KEY, f"{FOLDER}/1-\x1b[2J"), "characters in its name that cannot be kept"),
    "bytes as name": (rename(KEY, f"{FOLDER}/1-\udcff"), "characters in its name that cannot be kept"),
    "unknown group": (
        rename(FOLDER, "x - y_bias"),
        "x - y_bias: 'y_bias' is not a group of PROBE-SWE; use one of",
    ),
    "the same twice": (repeat_the_first, f"{FOLDER}/2-release: is the same case as {KEY}"),
    "unknown dilemma": (write(VALUES_FILE, f"{HEAD}\nx,option_A,1,1\n"), "line 2: 'x' is not a dilemma"),
    "dilemma twice": (
        write(VALUES_FILE, f"{HEAD}\n{KEY},option_A,1,1\n{KEY},option_A,1,1\n"),
        f"{VALUES_FILE}, line 3: '{KEY}' occurs twice",
    ),
    "no option": (write(VALUES_FILE, f"{HEAD}\n{KEY},C,1,1\n"), "line 2, field 'correct_option': is neither"),
    "no count": (write(VALUES_FILE, f"{HEAD}\n{KEY},option_A,-1,1\n"), "'inference_steps': is not a whole"),
    "few cells": (
        write(VALUES_FILE, f"{HEAD}\n{KEY},option_A\n"),
        "line 2: has 2 cells where the first line has 4",
    ),
    "many cells": (
        write(VALUES_FILE, f"{HEAD}\n{KEY},option_A,1,1,1\n"),
        "line 2: has 5 cells where the first line has 4",
    ),
    "no column": (write(VALUES_FILE, "dilemma,choice_steps\n"), "lacks the column 'correct_option'"),
    "empty values": (write(VALUES_FILE, ""), "published_values.csv': is empty"),
    "open quote": (
        write(VALUES_FILE, f'{HEAD}\n"{KEY},option_A\n'),
        "line 2: has a double quote that is not closed",
    ),
    "long cell": (write(VALUES_FILE, f"{HEAD}\n{'x' * 2_000_000}"), "a cell with more than 1,000,000"),
}


@pytest.mark.parametrize(("damage", "sentence"), DAMAGES.values(), ids=DAMAGES)
def test_a_damage_is_one_sentence_and_can_be_skipped(
    corpus: Path, damage: Callable[[Path], object], sentence: str
) -> None:
    damage(corpus)
    with pytest.raises(InputError) as error:
        read(corpus)
    assert sentence in str(error.value)
    assert len(str(error.value)) < 500
    # A second group, so that something valid is always left.
    write_corpus(corpus, folder="social - bandwagon_effect")
    left = check_source(corpus, "seeds", skip_invalid=True).incoming
    assert any(sentence in str(problem) for problem in left.problems)
    assert {entry.case.group for entry in left.entries} <= {GROUP, "bandwagon effect"}
    assert left.entries


def test_values_of_an_invalid_dilemma_are_no_problem_of_their_own(corpus: Path) -> None:
    (corpus / VALUES_FILE).write_text(f"{HEAD}\n{KEY},option_A,1,1\n", encoding="utf-8")
    (corpus / KEY / "axioms.pl").unlink()
    left = check_source(corpus, "seeds", skip_invalid=True).incoming
    assert [problem.where for problem in left.problems] == [f"{KEY}/axioms.pl"]


@pytest.mark.parametrize("inside", ["", FOLDER, KEY])
def test_a_folder_without_the_layout_says_what_is_expected(corpus: Path, inside: str) -> None:
    path = corpus / inside if inside else corpus.parent
    with pytest.raises(InputError, match="without '<family> - <bias>' folders in it; lay it out as"):
        read(path)
