"""How alike several generators' cases are, and joining them without what collides."""

from itertools import combinations, product
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.runs.check.dataset_merge import MergeReport, merge_datasets
from reviewer.runs.check.diversity import MEAN, Likeness, diversity
from reviewer.similarity.edit_distance import levenshtein_similarity
from reviewer.similarity.near_texts import cosine
from reviewer.similarity.text_vectors import Embeddings
from store.cases import Filter, get_measurements, list_places
from store.database import Database
from store.embeddings import StoredVectors
from store.records import Case
from tests.encoders import WordCounts
from tests.studies import a_case, fill, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


@pytest.fixture
def embeddings(database: Database) -> Embeddings:
    return Embeddings(WordCounts(), StoredVectors(database))


def a_story(number: int, group: str = "anchoring bias") -> Case:
    """A pair whose unbiased text shares few words with those of other numbers."""
    words = " ".join(
        f"{word}{number}" for word in ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    )
    return a_case(number, group, unbiased=f"{words} which")


def by_label(found: list[Likeness]) -> dict[tuple[str, tuple[str, ...]], Likeness]:
    return {(each.group, each.generators): each for each in found}


def test_means_are_those_of_a_loop_over_pairs(database: Database, embeddings: Embeddings) -> None:
    one, two = [a_story(n) for n in range(4)], [a_story(n) for n in range(4, 7)]
    fill(database, "one", one, "model-1")
    fill(database, "two", [*two, one[0]], "model-2")
    found = by_label(diversity(database, ["one", "two"], embeddings))
    pairs = {
        ("model-1",): list(combinations(one, 2)),
        ("model-2",): list(combinations(two, 2)),
        ("model-1", "model-2"): list(product(one, two)),
        (): list(combinations([*one, *two], 2)),
    }
    for generators, expected in pairs.items():
        row = found["anchoring bias", generators]
        texts = [(a.payload["unbiased"], b.payload["unbiased"]) for a, b in expected]
        assert row.pairs == len(expected)
        assert row.cosine == pytest.approx(sum(cosine(*embeddings.of(pair)) for pair in texts) / len(texts))
        assert row.levenshtein == pytest.approx(sum(levenshtein_similarity(*p) for p in texts) / len(texts))


def test_the_mean_is_that_of_groups_and_one_text_has_no_value(
    database: Database, embeddings: Embeddings
) -> None:
    alone = a_story(9, "hindsight bias")
    cases = [*(a_story(n) for n in range(3)), *(a_story(n, "framing effect") for n in range(5, 9)), alone]
    fill(database, "one", cases)
    found = by_label(diversity(database, ["one"], embeddings))
    assert set(found) == {(g, ("model-1",)) for g in (*{case.group for case in cases}, MEAN)}
    groups = [found[group, ("model-1",)] for group in ("anchoring bias", "framing effect")]
    mean = found[MEAN, ("model-1",)]
    assert mean.cosine == pytest.approx(sum(row.cosine or 0 for row in groups) / 2)
    assert mean.pairs == 3 + 6
    lonely = found["hindsight bias", ("model-1",)]
    assert (lonely.pairs, lonely.cosine, lonely.levenshtein) == (0, None, None)


def merged(database: Database, embeddings: Embeddings, *names: str) -> MergeReport:
    return merge_datasets(database, names, "all", embeddings)


def test_collisions_and_repeated_cases_are_left_out_and_named(
    database: Database, embeddings: Embeddings
) -> None:
    fill(database, "one", [a_story(1), a_story(2)], "model-1")
    twin = a_story(2, "hindsight bias")
    fill(database, "two", [a_story(1), twin, a_story(3)], "model-2")
    report = merged(database, embeddings, "one", "two")
    assert report.kept == 3
    same, near = report.left_out
    assert (same.place.key, same.instead.key, same.cosine) == ("anchoring bias/0", "anchoring bias/0", None)
    assert (near.place.key, near.instead.key) == ("hindsight bias/1", "anchoring bias/1")
    assert near.cosine == pytest.approx(1)
    with database.read() as session:
        placed = list_places(session, Filter(datasets=("all",)))
        values = get_measurements(session, [case.digest for _, case in placed])
    assert [(place.key, place.generator) for place, _ in placed] == [
        ("one/anchoring bias/0", "model-1"),
        ("one/anchoring bias/1", "model-1"),
        ("two/anchoring bias/2", "model-2"),
    ]
    published = [v for v in values[placed[2][1].digest] if v.dataset == "all"]
    assert {(v.key, v.source) for v in published} == {("two/anchoring bias/2", "published")}
    assert {v.name for v in published} == {
        *("choice", "inference_steps", "choice_steps", "reconstruction_similarity")
    }


def test_what_collides_only_with_what_was_left_out_stays(database: Database, embeddings: Embeddings) -> None:
    words = [f"w{n}" for n in range(60)]
    texts = [" ".join(words[start : start + 30]) for start in (0, 2, 4)]
    fill(database, "one", [a_case(n, unbiased=text) for n, text in enumerate(texts)])
    near = [cosine(*embeddings.of([texts[a], texts[b]])) for a, b in ((0, 1), (1, 2), (0, 2))]
    assert near[0] >= 0.9 <= near[1]
    assert near[2] < 0.9
    report = merged(database, embeddings, "one")
    assert [each.place.key for each in report.left_out] == ["anchoring bias/1"]


@pytest.mark.parametrize(
    ("names", "into", "sentence"),
    [
        (("one", "nope"), "all", "dataset 'nope' is not in the store"),
        (("one",), "one", "dataset 'one' is in the store already"),
        (("one",), "a/b", "dataset name 'a/b' is not valid"),
    ],
)
def test_what_cannot_be_joined(
    database: Database, embeddings: Embeddings, names: tuple[str, ...], into: str, sentence: str
) -> None:
    fill(database, "one", [a_story(1)])
    with pytest.raises(RequestError, match=sentence):
        merge_datasets(database, names, into, embeddings)


def test_datasets_of_several_protocols_are_not_joined(database: Database, embeddings: Embeddings) -> None:
    fill(database, "one", [a_story(1)])
    fill(database, "two", [a_story(2)], protocol="other")
    with pytest.raises(RequestError, match="'one' of probe-swe, 'two' of other"):
        merged(database, embeddings, "one", "two")
