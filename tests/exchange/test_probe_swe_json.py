"""What becomes of a published dataset file."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.core.errors import ReviewerError
from reviewer.exchange.rows.dataset_import import check_source
from reviewer.exchange.rows.source_reading import Incoming
from reviewer.protocols.intake import UNKNOWN_GENERATOR
from store.case_import import Entry
from tests.builders import GROUP, a_record, a_seed_record, dilemma_texts, without, write_dataset, write_groups

MEASURED_AS = {
    "correct_option": "choice",
    "inference_steps": "inference_steps",
    "choice_steps": "choice_steps",
    "pair_similarity": "pair_similarity",
    "pair_levenshtein_distance": "pair_levenshtein_similarity",
    "unbiased_prompt_reconstruction_similarity": "reconstruction_similarity",
    "agreement_rate": "agreement_rate",
    "decisions_towards_validity": "bias_verifications",
    "bias_is_towards_incorrect_only_in_biased_version": "bias_explanation",
}


def read(path: Path, generator: str | None = None) -> Incoming:
    return check_source(path, "data", generator).incoming


def values(entry: Entry) -> dict[str, object]:
    return {measurement.name: measurement.value for measurement in entry.published}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model-1.json"


def test_the_published_file_comes_in_whole(published_file: Path) -> None:
    found = check_source(published_file, "data").incoming
    raw = json.loads(published_file.read_bytes())
    records = [(group, record) for group, members in raw.items() for record in members]
    assert len(found.entries) == len(records) == 806
    assert found.problems == ()
    assert len(found.notices) == 1
    assert "'option_a' is read as 'option_A'" in found.notices[0]
    for position, (entry, (group, record)) in enumerate(zip(found.entries, records, strict=True)):
        assert_holds(entry, group, record)
        assert entry.place.position == position


def assert_holds(entry: Entry, group: str, record: dict[str, Any]) -> None:
    assert entry.case.group == group
    for field, text in entry.case.payload.items():
        assert text == (record[field] and record[field].strip()), field
    expected = {MEASURED_AS[name]: record[name] for name in MEASURED_AS if record.get(name) is not None}
    expected["choice"] = expected["choice"].replace("option_a", "option_A")
    assert values(entry) == expected
    generated = record["AI_generated"]
    assert entry.place.origin == ("generated" if generated else "seed")
    assert entry.place.generator == ("gpt-4o-mini" if generated else "hand-written")
    rest = record.keys() - entry.case.payload.keys() - MEASURED_AS.keys() - {"pair", "run_id", "AI_generated"}
    assert entry.place.extra == {name: record[name] for name in rest}


def test_a_place_is_named_after_group_run_and_pair(file: Path) -> None:
    records = [a_record(1), a_seed_record(1, unbiased="Another?"), a_record(2, run_id=None)]
    entries = read(write_dataset(file, records)).entries
    assert [entry.place.key for entry in entries] == [
        "anchoring bias/3-1",
        "anchoring bias/seed-1",
        "anchoring bias/2",
    ]
    assert [entry.place.run for entry in entries] == ["3", None, None]


def test_the_generator_is_the_one_in_the_files_name_or_the_one_given(file: Path) -> None:
    write_dataset(file, [a_record(1), a_seed_record(2)])
    assert [entry.place.generator for entry in read(file).entries] == [UNKNOWN_GENERATOR, "hand-written"]
    file = file.rename(file.with_name("1_augmented_dilemmas_dataset_model-1.json"))
    assert [entry.place.generator for entry in read(file).entries] == ["model-1", "hand-written"]
    assert read(file, "org/model 2").entries[0].place.generator == "org/model 2"


def test_what_is_missing_or_null_is_not_measured(file: Path) -> None:
    record = without(a_record(1, agreement_rate=None), *(name for name in MEASURED_AS if "steps" in name))
    found = values(read(write_dataset(file, [record])).entries[0])
    assert "agreement_rate" not in found
    assert "inference_steps" not in found
    assert found["pair_levenshtein_similarity"] == 0.81


def test_only_texts_and_a_number_are_needed(file: Path) -> None:
    (entry,) = read(write_dataset(file, [{"pair": 7, **dilemma_texts()}])).entries
    assert (entry.place.key, entry.place.origin, entry.published) == ("anchoring bias/7", "generated", ())


@pytest.mark.parametrize("spelled", ["option_b", "OPTION_B", "Option_b"])
def test_an_option_of_other_letter_case_is_read_with_a_notice(file: Path, spelled: str) -> None:
    found = read(write_dataset(file, [a_record(1), a_record(2, correct_option=spelled)]))
    assert values(found.entries[1])["choice"] == "option_B"
    (notice,) = found.notices
    assert notice.startswith(f"model-1.json, {GROUP}, record 2: ")
    assert spelled in notice


def test_other_fields_are_kept_as_they_are(file: Path) -> None:
    extra = {"valid": False, "note": {"by": ["ann", 1, None, 2.5]}, "ŭ": "✓"}
    (entry,) = read(write_dataset(file, [a_record(1, **extra)])).entries
    assert entry.place.extra == extra


def test_a_byte_order_mark_is_no_part_of_the_text(file: Path) -> None:
    write_dataset(file, [a_record(1)])
    (plain,) = read(file).entries
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    (marked,) = read(file).entries
    assert (marked.place, marked.content) == (plain.place, plain.content)


@pytest.mark.parametrize("spelled", ["Anchoring Bias", "anchoring_bias", " anchoring  bias "])
def test_a_group_is_known_by_its_words(file: Path, spelled: str) -> None:
    found = read(write_dataset(file, [a_record(1)], group=spelled))
    (entry,) = found.entries
    assert (entry.case.group, entry.place.key) == (GROUP, f"{GROUP}/3-1")
    assert found.notices[0].endswith(f"is read as '{GROUP}'")


def test_line_ends_and_blank_ends_do_not_make_another_case(file: Path) -> None:
    plain = read(write_dataset(file, [a_record(1)])).entries[0].case
    texts = {field: f"  {text}\n".replace("\n", "\r\n") for field, text in dilemma_texts().items()}
    assert read(write_dataset(file, [a_record(1, **texts)])).entries[0].case == plain


def test_no_beginning_of_a_file_is_taken_for_the_whole(file: Path) -> None:
    whole = write_dataset(file, [a_record(1)]).read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(ReviewerError, match=r"is incomplete JSON|is not JSON|is empty"):
            read(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(file: Path, data: st.DataObject) -> None:
    whole = bytearray(write_groups(file, {GROUP: [a_record(1)]}).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(whole)
    with contextlib.suppress(ReviewerError):
        assert len(read(file).entries) == 1
