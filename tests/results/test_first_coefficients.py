"""The coefficients that a lead puts first: in tables, on the first page of a report, in exports."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.labels.coefficient_choice import SHOWN_COEFFICIENTS, choose_first, first_coefficients
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.study_bundle import load_study
from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from tests.judged import judged_study
from tests.studies import a_study, open_store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    store = open_store(tmp_path)
    yield store
    store.close()


def _order(database: Database, by: tuple[str, ...] = ("question",)) -> list[str]:
    numbers = StudyStatistics.read(database, "pilot", "tom")
    return [*study_results(numbers.bundle, numbers.rows, by)[0].coefficients]


def test_chosen_coefficients_come_first_and_the_usual_ones_follow(database: Database) -> None:
    judged_study(database, per_generator=4, generators=("one",))
    assert _order(database) == [*SHOWN_COEFFICIENTS]
    choose_first(database, "pilot", "tom", ("gwet_ac1", "conger_kappa"))
    others = [key for key in SHOWN_COEFFICIENTS if key != "gwet_ac1"]
    assert _order(database) == ["gwet_ac1", "conger_kappa", *others]
    assert _order(database, ("pair",))[0] == "gwet_ac1"
    assert "conger_kappa" not in _order(database, ("pair",)), "pairs of raters have their own coefficients"
    choose_first(database, "pilot", "tom", ())
    assert _order(database) == [*SHOWN_COEFFICIENTS]


def test_unknown_coefficients_and_those_of_two_raters_are_refused(database: Database) -> None:
    judged_study(database, per_generator=4, generators=("one",))
    for key in ("kapa", "cohen_kappa"):
        with pytest.raises(RequestError):
            choose_first(database, "pilot", "tom", (key,))
    assert first_coefficients(load_study(database, "pilot")) == ()


def test_raters_with_open_cases_choose_no_coefficients(database: Database) -> None:
    a_study(database, raters=("anna", "ben"))
    with pytest.raises(RequestError, match="open cases"):
        choose_first(database, "pilot", "anna", ("gwet_ac1",))


def test_exports_name_the_choice_only_where_there_is_one(database: Database, tmp_path: Path) -> None:
    judged_study(database, per_generator=4, generators=("one",))
    assert "first" not in _tables(database, tmp_path / "usual")
    choose_first(database, "pilot", "tom", ("krippendorff_alpha",))
    assert _tables(database, tmp_path / "chosen")["first"] == ["krippendorff_alpha"]


def _tables(database: Database, folder: Path) -> dict[str, object]:
    source = StudySource.of(*read_study(database, "pilot"))
    export_study(source, folder, method=Method(interval="none"))
    tables: dict[str, object] = json.loads((folder / "study.json").read_text())["tables"]
    return tables
