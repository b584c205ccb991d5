"""Every draw keeps its strata, and with them the probability with which each case was drawn."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import rows_for_pack
from reviewer.study.design.closing import close_study
from reviewer.study.design.inclusion import Inclusion, inclusion_of
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.pooled_studies import pooled_studies
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import as_drawn_for
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import BIASES, a_case, fill, open_store

CASES = [a_case(number, BIASES[number % 2]) for number in range(20)]
PICKED = frozenset(case.digest for case in CASES[-6:])


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill(database, "one", CASES)
    return database


def drawn(database: Database, design: Design, name: str = "pilot") -> StudyBundle:
    create_study(database, name, design)
    return load_study(database, name)


def sizes(inclusion: Inclusion) -> list[tuple[str, int, int]]:
    return [(stratum.name, stratum.size, stratum.drawn) for stratum in inclusion.strata]


def as_before(bundle: StudyBundle) -> StudyBundle:
    """The study with the design that release 1.0 would have kept."""
    design = {name: value for name, value in bundle.study.design.items() if not name.startswith("draw")}
    return replace(bundle, study=bundle.study.model_copy(update={"design": design}))


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (Design(("one",), None, 1), [(BIASES[0], 10, 10), (BIASES[1], 10, 10)]),
        (Design(("one",), 3, 1), [(BIASES[0], 10, 3), (BIASES[1], 10, 3)]),
        (Design(("one",), None, 1, total=5), [(BIASES[0], 10, 3), (BIASES[1], 10, 2)]),
        (Design(("one",), 2, 1, only=PICKED), [(BIASES[0], 3, 2), (BIASES[1], 3, 2)]),
    ],
)
def test_a_draw_by_group_keeps_its_strata_and_an_old_design_tells_them(
    database: Database, design: Design, expected: list[tuple[str, int, int]]
) -> None:
    bundle = drawn(database, design)
    inclusion = inclusion_of(bundle)
    assert sizes(inclusion) == expected
    assert inclusion == inclusion_of(as_before(bundle))
    by_case = inclusion.by_case()
    assert {place.case: place.group for place in bundle.counted} == {
        case: stratum.name for case, stratum in by_case.items()
    }


def test_picked_and_other_cases_are_strata_whose_order_the_sample_does_not_tell(database: Database) -> None:
    bundle = drawn(database, Design(("one",), None, 1, only=PICKED, others=8))
    assert sizes(inclusion_of(bundle)) == [
        (f"picked / {BIASES[0]}", 3, 3),
        (f"picked / {BIASES[1]}", 3, 3),
        (f"other / {BIASES[0]}", 7, 4),
        (f"other / {BIASES[1]}", 7, 4),
    ]
    keys = [(place.group, int(place.key.split("/")[1])) for place in bundle.sample]
    assert keys == sorted(keys, key=lambda key: (BIASES.index(key[0]), key[1]))
    assert "picked" in inclusion_of(as_before(bundle)).unknown


def test_a_probability_that_the_draw_does_not_determine_is_not_known(database: Database) -> None:
    fill(database, "two", [*CASES[:5], *(a_case(number) for number in range(50, 60))])
    several = drawn(database, Design(("one", "two"), 1, 1))
    assert inclusion_of(several) == Inclusion(unknown="a case may be in several datasets of the study")
    listed = drawn(
        database, Design(("one",), None, 1, listed=(ListedCase("", None, f"{BIASES[0]}/0"),)), "listed"
    )
    assert inclusion_of(listed).unknown == "the cases were listed, not drawn"
    pooled, _ = pooled_studies([read_study(database, "pilot"), read_study(database, "listed")])
    assert inclusion_of(pooled).unknown == "the studies are pooled"


def test_datasets_without_common_cases_have_known_probabilities(database: Database) -> None:
    fill(database, "two", [a_case(number) for number in range(50, 60)])
    inclusion = inclusion_of(drawn(database, Design(("one", "two"), 3, 1)))
    assert [(stratum.dataset, stratum.size, stratum.drawn) for stratum in inclusion.strata] == [
        ("one", 10, 3),
        ("one", 10, 3),
        ("two", 10, 3),
    ]


def test_a_pack_does_not_tell_which_cases_were_picked(database: Database) -> None:
    drawn(database, Design(("one",), None, 1, raters=("anna",), only=PICKED, others=8))
    design = rows_for_pack(database, "pilot", "anna").study.design
    assert "picked" not in repr(design)
    assert {"draw", "others"}.isdisjoint(design)
    assert design["draw_hidden"] is True


def test_raters_see_the_draw_when_the_study_is_closed(database: Database) -> None:
    bundle = drawn(database, Design(("one",), None, 1, raters=("anna",), only=PICKED, others=2))
    session = ReviewSession(database, "pilot", "anna")
    for _ in session.slots:
        session.answer("True")
    assert inclusion_of(as_drawn_for(database, bundle, "tom")).strata
    assert "when the study is closed" in inclusion_of(as_drawn_for(database, bundle, "anna")).unknown
    close_study(database, "pilot", "tom", "done", anyway=True)
    assert inclusion_of(as_drawn_for(database, load_study(database, "pilot"), "anna")).strata
