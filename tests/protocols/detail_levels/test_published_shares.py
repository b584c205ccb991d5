"""Published tables of shares: identities, faults, ranking, and the published files themselves."""

import csv
import json
import re
from collections.abc import ItemsView

import pytest

from reviewer.core.errors import InputError
from reviewer.protocols.detail_levels.published_shares import ShareEntry, read_shares
from tests.shared_data import shared_file

LEVELS = (0.2, 0.4, 0.6, 0.8, 1.0)


def shares(*levels: float, answers: int = 50, average: float | None = None) -> dict[str, float]:
    mean = sum(levels) / len(levels) if average is None else average
    by_level = {f"level_{number}": share for number, share in enumerate(levels, 1)}
    return {"total_samples": answers, "average": mean, **by_level}


def table(**given: object) -> dict[str, str]:
    return {"'a.json'": json.dumps({"one": {"displayName": "One", "anchoring": {"0.2": given}}})}


FAULTS = {
    "four levels": (shares(0.2, 0.4, 0.6, 0.8), "temperature 0.2: has 4 levels; give 5"),
    "a share above 1": (shares(0.2, 0.4, 0.6, 0.8, 1.2), "has 1.2 as its level_5; give a share from 0 to 1"),
    "no answers": (shares(*LEVELS, answers=0), "no whole number of answers"),
    "another field": ({**shares(*LEVELS), "unrelated": 0}, "the unknown field unrelated"),
}


@pytest.mark.parametrize(("given", "wrong"), FAULTS.values(), ids=list(FAULTS))
def test_a_fault_is_named_with_its_place(given: dict[str, object], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        read_shares(table(**given))


def test_a_model_in_two_files_or_twice_in_one_is_refused() -> None:
    (text,) = table(**shares(*LEVELS)).values()
    with pytest.raises(InputError, match=r"'b.json', model one: is in 'a.json' already; leave one"):
        read_shares({"'a.json'": text, "'b.json'": text})
    with pytest.raises(InputError, match="names one twice"):
        read_shares({"'a.json'": text[:-1] + ", " + text[1:]})


@pytest.mark.parametrize("temperature", ["nan", "inf", "-1", "1e400", "hot", "", "1_0", "\u0660.1", " 1"])
def test_a_temperature_that_is_not_a_number_from_0_is_refused(temperature: str) -> None:
    text = json.dumps({"one": {"anchoring": {temperature: shares(*LEVELS)}}})
    with pytest.raises(InputError, match=r"as a temperature; give a number from 0 to 100, such as 0\.2"):
        read_shares({"'a.json'": text})


def test_one_temperature_is_known_in_every_spelling() -> None:
    by_model = {"one": "0.2", "two": "0.20"}
    text = json.dumps({model: {"x": {at: shares(*LEVELS)}} for model, at in by_model.items()})
    assert {entry.temperature for entry in read_shares({"'a.json'": text}).entries} == {"0.2"}
    twice = json.dumps({"one": {"x": {"0.2": shares(*LEVELS), "0.20": shares(*LEVELS)}}})
    with pytest.raises(InputError, match=r"gives temperature 0\.2 twice, as 0\.2 and 0\.20; leave one"):
        read_shares({"'a.json'": twice})


def test_broken_identities_are_told_but_not_those_of_truncated_runs() -> None:
    content = {
        "one": {"x": {"0.2": shares(*LEVELS), "0.4": shares(*LEVELS, average=0.61)}},
        "two": {"x": {"0.2": shares(0.21, 0.4, 0.6, 0.8, 1), "0.4": shares(*LEVELS, answers=43)}},
    }
    read = read_shares({"f": json.dumps(content)})
    assert [re.sub(r".*: one|.*: two", "", fault) for fault in read.faults()] == [
        ", x, temperature 0.4: the average is not the mean of the levels.",
        ", x, temperature 0.2: a level's share is not a whole number of its answers.",
    ]
    assert [entry.answers for entry in read.truncated] == [43]


def test_models_are_ranked_over_what_all_of_them_have() -> None:
    low, high = {"0.2": shares(0, 0, 0, 0, 0)}, {"0.2": shares(*LEVELS)}
    read = read_shares({"f": json.dumps({"one": {"x": low, "y": high}, "two": {"x": high}})})
    assert read.common_groups == ("x",)
    assert [(each.model, each.answers) for each in read.ranking()] == [("two", 50), ("one", 50)]
    slopes = {each.group: each.slope.value for each in read.level_means()}
    assert slopes == pytest.approx({"x": 0.1, "y": 0.2})


def test_the_published_tables_keep_their_identities() -> None:
    files = [shared_file(f"teler/full_report-{part}.json") for part in ("api", "small")]
    read = read_shares({file.name: file.read_text() for file in files})
    of_file = [[entry for entry in read.entries if entry.file == file.name] for file in files]
    assert [len(entries) for entries in of_file] == [48, 344]
    assert [sum(entry.answers for entry in entries) for entries in of_file] == [164_889, 1_182_500]
    assert list(read.faults()) == []
    assert {entry.file for entry in read.truncated} == {files[0].name}
    assert len(read.truncated) == 6
    with shared_file("teler/table1_cells.csv").open() as file:
        cells = list(read.compared(list(csv.DictReader(file)), "cells"))
    assert (len(cells), sum(cell.fits for cell in cells)) == (136, 136)


class Walked(dict[tuple[str, str], tuple[ShareEntry, ...]]):
    """Counts how often all cells are gone through."""

    walks = 0

    def items(self) -> ItemsView[tuple[str, str], tuple[ShareEntry, ...]]:
        self.walks += 1
        return super().items()


def test_work_is_linear_in_groups() -> None:
    groups = {f"group {number}": {"0.2": shares(*LEVELS)} for number in range(40)}
    models = {"one": groups, "two": {"group 7": {"0": shares(*LEVELS)}}}
    published = read_shares({"'a.json'": json.dumps(models)})
    walked = published.__dict__["by_cell"] = Walked(published.by_cell)
    assert len(list(published.level_means())) == 40
    assert walked.walks == 1
    assert published.common_groups == ("group 7",)
    first = tuple(f"group {number}" for number in (0, 1, 2, 3, 4, 5, 6, 8))
    assert (published.lacking("one"), published.lacking("two")) == ((0, ()), (39, first))
