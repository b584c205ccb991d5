"""Drawing samples: stratified, seeded, frozen."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.study.design.design_facts import design_facts
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, StudyPlanner, create_study
from reviewer.study.design.study_design import Options
from store.case_import import import_entries
from store.database import Database
from store.records import Dataset, View
from store.studies import find_study
from tests.level_cases import an_instance
from tests.studies import AT, BIASES, a_case, entries_for, fill, open_store, with_questions


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    cases = [a_case(number, bias) for number, bias in enumerate(BIASES * 6)]
    fill(database, "one", cases[:24])
    fill(database, "two", cases[24:], "model-2")
    return database


def drawn(
    database: Database, name: str, *datasets: str, per_group: int | None = 2, seed: int = 42
) -> list[str]:
    create_study(database, name, Design(datasets, per_group, seed))
    return [place.case for place in load_study(database, name).sample]


def test_a_sample_has_so_many_cases_of_each_group_and_dataset(database: Database) -> None:
    drawn(database, "pilot", "one", "two")
    sample = load_study(database, "pilot").sample
    counts = Counter((place.dataset, place.group) for place in sample)
    assert counts == {(dataset, bias): 2 for dataset in ("one", "two") for bias in BIASES}
    assert {place.generator for place in sample} == {"model-1", "model-2"}


def test_the_same_seed_draws_the_same_sample_and_another_draws_another(database: Database) -> None:
    assert drawn(database, "a", "one") == drawn(database, "b", "one")
    assert drawn(database, "a2", "one") != drawn(database, "c", "one", seed=43)


def test_a_draw_is_known_for_ever(database: Database) -> None:
    """Pinned: a change of library or release must not change which cases a seed stands for."""
    keys = [place.key for place in load_study(database, _named(database, "pinned")).sample]
    assert keys[:4] == [
        "confirmation bias/0",
        "confirmation bias/8",
        "hyperbolic discounting/1",
        "hyperbolic discounting/17",
    ]


def _named(database: Database, name: str) -> str:
    drawn(database, name, "one")
    return name


def test_more_than_there_are_is_refused_with_the_number_there_is(database: Database) -> None:
    with pytest.raises(RequestError, match=r"has 3 cases .* 'confirmation bias'.*--per-group 3"):
        drawn(database, "pilot", "one", per_group=4)
    with pytest.raises(RequestError, match="not in the store"):
        load_study(database, "pilot")


def test_generated_cases_only_unless_seeds_are_wanted_too(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    header = Dataset(name="mixed", protocol="probe-swe", source="a test", imported_at=AT)
    generated = entries_for("mixed", [a_case(number) for number in range(3)])
    seeds = [
        entry.__class__(
            entry.case,
            entry.place.model_copy(
                update={"origin": "seed", "key": f"seed-{entry.place.position}", "position": 9}
            ),
        )
        for entry in entries_for("mixed", [a_case(7)])
    ]
    import_entries(database, header, [*generated, *seeds])
    create_study(database, "generated", Design(("mixed",), None, 1))
    create_study(database, "both", Design(("mixed",), None, 1, include_seeds=True))
    assert len(load_study(database, "generated").sample) == 3
    assert len(load_study(database, "both").sample) == 4


def test_a_case_in_two_datasets_is_drawn_once(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "one", [a_case(1), a_case(2)])
    fill(database, "two", [a_case(2), a_case(3)])
    assert len(set(drawn(database, "all", "one", "two", per_group=None))) == 3


@pytest.mark.parametrize(
    ("name", "datasets", "seed", "view", "sentence"),
    [
        ("p", ("missing",), 1, "full", "not in the store"),
        ("p", (), 1, "full", "needs a dataset"),
        ("../p", ("one",), 1, "full", "is not valid"),
        ("", ("one",), 1, "full", "is not valid"),
        ("p" * 10_000, ("one",), 1, "full", "10,000 characters"),
        ("p", ("one",), 2**70, "full", "too large"),
    ],
)
def test_a_study_that_cannot_be_is_refused(
    database: Database, name: str, datasets: tuple[str, ...], seed: int, view: View, sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        create_study(database, name, Design(datasets, 1, seed, view))


@pytest.mark.parametrize("raters", [("anna", "\u0430nna"), ("anna", "Anna")])
def test_raters_whose_names_look_alike_are_refused(database: Database, raters: tuple[str, str]) -> None:
    with pytest.raises(RequestError, match=r"look alike .*; give one of them another name"):
        create_study(database, "pilot", Design(("one",), 1, 1, raters=raters))
    create_study(database, "pilot", Design(("one",), 1, 1, raters=("anna", "anna", "ann")))


@pytest.mark.parametrize("rater", ["a/b", "a\x1b[31m", "x" * 10_000, " a", "a\u202eb", "a\nb", ""])
def test_rater_names_that_could_deceive_are_refused(database: Database, rater: str) -> None:
    with pytest.raises(RequestError, match=r"rater name .*; use") as refused:
        create_study(database, "p", Design(("one",), 1, 1, raters=(rater,)))
    assert "\x1b" not in str(refused.value)
    assert "\u202e" not in str(refused.value)


def test_a_name_is_taken_once(database: Database) -> None:
    drawn(database, "pilot", "one")
    with pytest.raises(RequestError, match="already exists"):
        drawn(database, "pilot", "two")


def test_exchanged_sides_are_refused_where_no_question_allows_them(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "levels", [an_instance(number) for number in range(4)], protocol="detail-levels")
    with pytest.raises(RequestError, match="lets the sides be exchanged; leave --swap out"):
        create_study(database, "pilot", Design(("levels",), None, 1, options=Options(swap=True)))
    with database.read() as session:
        assert find_study(session, "pilot") is None


def test_a_short_sample_is_refused_or_said(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "one", [a_case(1), a_case(2)])
    fill(database, "same", [a_case(1), a_case(2)])
    with pytest.raises(RequestError, match=r"'same' has 0 cases .* leave that dataset out"):
        drawn(database, "pilot", "one", "same", per_group=2)
    drawn(database, "pilot", "one")
    lacking = load_study(database, "pilot").study.design["lacking"]
    assert lacking == {"one": [bias for bias in BIASES if bias != "anchoring bias"]}


@pytest.mark.parametrize(
    ("total", "sizes"),
    [(40, [3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2]), (3, [1, 1, 1]), (48, [3] * 16)],
)
def test_a_total_is_spread_evenly_over_the_groups(database: Database, total: int, sizes: list[int]) -> None:
    create_study(database, "pilot", Design(("one", "two"), None, 42, total=total))
    bundle = load_study(database, "pilot")
    counts = Counter((place.dataset, place.group) for place in bundle.sample)
    assert sorted(counts.values(), reverse=True) == sizes
    assert (bundle.design.total, bundle.design.per_group) == (total, None)


@pytest.mark.parametrize(
    ("per_group", "total", "words"),
    [
        (None, None, "24 cases from one: all"),
        (2, None, "16 cases from one: 2 of each group of each dataset"),
        (None, 5, "5 cases from one: 5 in all, spread evenly over the groups of each dataset"),
    ],
)
def test_the_design_says_how_many_cases_were_drawn(
    database: Database, per_group: int | None, total: int | None, words: str
) -> None:
    create_study(database, "pilot", Design(("one",), per_group, 42, total=total))
    assert dict(design_facts(load_study(database, "pilot")))["sample"] == words


def test_the_design_says_what_stands_beside_and_which_labels_pass(database: Database) -> None:
    create_study(database, "pilot", Design(("one",), 1, 42, questions=("same_task",)))
    facts = dict(design_facts(load_study(database, "pilot")))
    assert facts["view"].startswith("full: ")
    assert facts["view"].endswith(" before the answer, too")
    grades: Mapping[str, object] = {"labels": ["1", "2", "3"], "passing": ["2", "3"], "scale": "ordinal"}
    with_questions(database, {"same_task": {**grades, "beside": []}})
    facts = dict(design_facts(load_study(database, "pilot")))
    assert facts["view"] == "full: only what the questions are about"
    assert "; 1, 2, 3; in this order; passing: 2 or 3)" in facts["question same_task"]


def test_small_groups_give_all_and_large_ones_the_rest(database: Database) -> None:
    few = [a_case(900 + number, BIASES[number > 0]) for number in range(9)]
    fill(database, "uneven", few)
    create_study(database, "pilot", Design(("uneven",), None, 42, total=6))
    groups = Counter(place.group for place in load_study(database, "pilot").sample)
    assert groups == {BIASES[0]: 1, BIASES[1]: 5}


@pytest.mark.parametrize(
    ("design", "wrong"),
    [
        (Design(("one",), None, 1, total=25), "has 24 cases to draw; you asked for 25: take at most 24"),
        (Design(("one",), 2, 1, total=16), "give the cases per group or their total, not both"),
    ],
)
def test_a_total_that_cannot_be_drawn_is_refused(database: Database, design: Design, wrong: str) -> None:
    with pytest.raises(RequestError, match=wrong):
        create_study(database, "pilot", design)


def test_a_plan_says_what_is_drawn(database: Database) -> None:
    design = Design(("one", "two"), 2, 42, options=Options(repeats=0.25))
    plan = StudyPlanner(database).plan(design)
    create_study(database, "pilot", design)
    bundle = load_study(database, "pilot")
    assert plan.groups == Counter((place.dataset, place.group) for place in bundle.sample)
    assert (plan.cases, plan.questions, plan.repeated) == (32, 4, 8)
    assert plan.verdicts == bundle.design.slots == 160
