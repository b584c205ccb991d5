"""Which cases are a family, and over which cases the quartiles of tiers are taken."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from reviewer.core.errors import RequestError
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.case_groupings import families_of, tiers_of
from reviewer.results.outcomes.effect_rows import NOT_MEASURED, Tiers
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.runs.repair.revise import withdraw
from reviewer.similarity.encoder import Vectors
from reviewer.similarity.text_vectors import Embeddings
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Case, Dataset
from tests.evaluations import an_evaluation
from tests.studies import AT, BIASES, a_case, entries_for, open_store


class Directions:
    """A direction in the plane for each case, by its number, in degrees."""

    def __init__(self, degrees: Mapping[int, float]) -> None:
        self._degrees = degrees

    def of(self, texts: Sequence[str], progress: object = None) -> Vectors:
        numbers = [int(re.findall(r"release (\d+)", text, re.IGNORECASE)[0]) for text in texts]
        angles = [math.radians(self._degrees[number]) for number in numbers]
        return np.array([[math.cos(angle), math.sin(angle)] for angle in angles], dtype=np.float32)


def directed(degrees: Mapping[int, float]) -> Embeddings:
    return cast(Embeddings, Directions(degrees))


def with_steps(database: Database, dataset: str, cases: Sequence[Case], steps: Sequence[int]) -> None:
    """A dataset whose cases came with these inference steps."""
    entries = []
    for entry, size in zip(entries_for(dataset, cases), steps, strict=True):
        values = tuple(
            value.model_copy(update={"value": size}) if value.name == "inference_steps" else value
            for value in entry.content.published
        )
        entries.append(Entry(entry.content.case, entry.place, values))
    header = Dataset(name=dataset, protocol="probe-swe", source="a test", imported_at=AT)
    import_entries(database, header, entries)


def evaluated(database: Database, datasets: tuple[str, ...], cases: int) -> Evaluation:
    """A run over the first dataset, with settings that name all."""
    an_evaluation(database, "first", datasets[0], {"m": "AA" * cases})
    evaluation = read_evaluation(database, protocols_of(database), "first")
    return replace(evaluation, settings=evaluation.settings.model_copy(update={"datasets": datasets}))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def test_a_family_is_a_chain_of_like_texts_of_one_group(database: Database) -> None:
    groups = [BIASES[0]] * 5 + [BIASES[1]]
    with_steps(database, "own", [a_case(n, group) for n, group in enumerate(groups)], range(6))
    evaluation = evaluated(database, ("own",), 6)
    # Cosine .80 is 36.9 degrees: 0-1-2 hang together though 0 and 2 do not; 3 lies .1 degrees too far.
    degrees = {0: 0.0, 1: 36.8, 2: 73.6, 3: 110.6, 4: 180.0, 5: 0.0}
    families = families_of(database, evaluation, directed(degrees))
    names = list(families.names or ())
    assert families.kind == "family"
    assert names[0] == names[1] == names[2]
    assert len(set(names)) == 4, "the last has the text of the first, in another group"


def test_tiers_are_quartiles_over_every_case_of_the_datasets_counted_once(database: Database) -> None:
    own = [a_case(n) for n in range(4)]
    with_steps(database, "own", own, [1, 2, 3, 4])
    with_steps(database, "more", [own[3], a_case(4)], [100, 9])
    evaluation = evaluated(database, ("own", "more"), 4)
    assert tiers_of(database, evaluation) == Tiers("inference_steps", (2.0, 3.0, 4.0))
    # Cosine .90 is 25.8 degrees: case 4 is nearly case 0, and the one that comes first counts.
    apart = {n: 30.0 * n for n in range(4)}
    like, unlike = (tiers_of(database, evaluation, "", directed({**apart, 4: at})) for at in (-25.7, -25.9))
    assert like.quartiles == (1.75, 2.5, 3.25)
    assert unlike.quartiles == (2.0, 3.0, 4.0)
    key, now = f"{own[0].group}/0", own[0].digest
    withdraw(database, "own", key, expected=now, author="anna", reason="It is wrong.")
    assert tiers_of(database, evaluation).quartiles == (2.75, 3.5, 5.25)
    assert tiers_of(database, evaluation, "choice_steps").quartiles == (3.0, 3.0, 3.0)
    with pytest.raises(RequestError, match="no case of these datasets has a number 'length'"):
        tiers_of(database, evaluation, "length")


def test_a_case_lies_in_the_first_tier_whose_end_it_does_not_pass(database: Database) -> None:
    with_steps(database, "own", [a_case(n) for n in range(5)], [1, 2, 3, 4, 5])
    cases = evaluated(database, ("own",), 5).cases
    tiers = Tiers("inference_steps", (2.0, 3.0, 4.0))
    assert [tiers.of(case) for case in cases] == ["low", "low", "mid-low", "mid-high", "high"]
    assert Tiers("length", (2.0, 3.0, 4.0)).of(cases[0]) == NOT_MEASURED
