"""Sentences about runs that generate and discover: one for each fact that could make one false."""

from collections import Counter
from collections.abc import Mapping

import pytest

from reviewer.runs.discovery.discovery_progress import round_under_way, why_ended
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.generation.generation_progress import generation_progress
from store.candidates import Expansions, Fate
from store.records import JsonValue, Run
from tests.studies import AT


def a_run(done: int = 0, left: JsonValue = None, **settings: int) -> Run:
    return Run.model_construct(name="r", rounds=done, left=left, settings=settings, started_at=AT)


def generated(
    valid: Mapping[str, int], tried: Mapping[str, int], all_: Mapping[str, int], fruitful: Mapping[str, int]
) -> RunProgress:
    fates = [Fate(group, True, "", "", "", number) for group, number in valid.items()]
    fates += [Fate(group, False, "format", "", "", tried[group] - valid[group]) for group in tried]
    run = a_run(target=3, patience=2)
    return generation_progress(run, [*tried], fates, Expansions(Counter(all_), Counter(fruitful)))


def test_generation_counts_valid_tried_and_wanted_over_its_groups() -> None:
    told = generated({"a": 1, "b": 3}, {"a": 4, "b": 1004}, {"a": 1, "b": 9}, {"a": 1, "b": 9})
    assert told.sentence == "4 valid of 1,008 tried, 6 wanted."
    assert (told.missing, told.ended) == (2, "")


@pytest.mark.parametrize(
    ("valid", "expansions", "fruitful", "why"),
    [
        (0, 2, 0, "given up, because too few candidates were valid: a (0 valid in 2 expansions)"),
        (1, 2, 1, "given up, because too few candidates were valid: a (1 valid in 2 expansions)"),
        (2, 2, 2, ""),
        (2, 7, 1, "given up, because too few candidates were valid: a (2 valid in 7 expansions)"),
        (2, 6, 1, ""),
        (3, 9, 1, ""),
    ],
    ids=["none", "one of few", "goes on", "none for long", "not yet for long", "has its target"],
)
def test_a_group_is_given_up_only_if_it_lacks_cases(
    valid: int, expansions: int, fruitful: int, why: str
) -> None:
    told = generated({"a": valid}, {"a": 9}, {"a": expansions}, {"a": fruitful})
    assert told.ended == why


def test_one_expansion_is_counted_as_one() -> None:
    fates = [Fate("a", False, "format", "", "", 5)]
    run = a_run(target=3, patience=1)
    told = generation_progress(run, ["a"], fates, Expansions(Counter(a=1), Counter()))
    assert told.ended.endswith("a (0 valid in 1 expansion)")


@pytest.mark.parametrize(
    ("rounds", "left", "why"),
    [
        (0, None, ""),
        (1, {"state": 1, "kept": ["x"]}, ""),
        (2, {"state": 1, "kept": []}, "round 2 kept no entry"),
        (3, {"state": 1, "kept": ["x"]}, "all 3 rounds were run"),
        (3, {"state": 1, "kept": []}, "round 3 kept no entry"),
    ],
    ids=["not begun", "goes on", "nothing kept", "all rounds", "last round kept nothing"],
)
def test_discovery_says_why_it_ended(rounds: int, left: JsonValue, why: str) -> None:
    assert why_ended(a_run(rounds, left, rounds=3)) == why


def test_the_only_round_is_not_called_all_rounds() -> None:
    assert why_ended(a_run(1, {"state": 1, "kept": ["x"]}, rounds=1)) == "the only round was run"


@pytest.mark.parametrize(
    ("rounds", "work", "sentence"),
    [
        (0, {}, "round 1 of at most 3: getting ready; 0 kept so far."),
        (1, {"pairs": (1, 2000)}, "round 2 of at most 3: pairs 1 of 2,000; 0 kept so far."),
    ],
)
def test_a_round_under_way_says_how_far_it_is(
    rounds: int, work: Mapping[str, tuple[int, int]], sentence: str
) -> None:
    assert round_under_way(a_run(rounds, rounds=3), RunProgress("", 0), work).sentence == sentence
