"""Dawid and Skene's model of the labels of a study, in tables beside majorities."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from reviewer.core.errors import RequestError
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import final_labels
from reviewer.results.labels.label_models import modelled_labels
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import a_study, open_store

RATERS = ("anna", "ben", "cara", "dan", "eve")
QUICK = Method(interval="none")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Four raters agree that every third case fails; Eve is wrong on every second case."""
    with closing(open_store(tmp_path_factory.mktemp("model"))) as opened:
        a_study(opened, cases=50, raters=RATERS, questions=("same_task",))
        for rater in RATERS:
            session = ReviewSession(opened, "pilot", rater)
            numbers = {place.case: number for number, place in enumerate(session.bundle.sample)}
            while not session.finished:
                number = numbers[session.case.digest]
                is_wrong = rater == "eve" and number % 2
                session.answer("True" if bool(number % 3) != bool(is_wrong) else "False")
        yield opened


@pytest.mark.slow
def test_the_model_finds_the_careless_rater_and_changes_no_final_label(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    model = modelled_labels(bundle, label_rows(bundle, events), QUICK)
    assert model.remarks == ()
    right = {ability.errors.rater: ability.errors.sensitivity.value for ability in model.abilities}
    assert {rater: right[rater] for rater in RATERS[:4]} == dict.fromkeys(
        RATERS[:4], pytest.approx(1, abs=1e-3)
    )
    assert right["eve"] == pytest.approx(0.5, abs=0.05)
    finals = final_labels(bundle, events)
    assert [model.labels["same_task", one.place.case][0] for one in finals] == [one.label for one in finals]


def test_with_fewer_raters_or_cases_it_is_refused_with_the_reason(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    rows = label_rows(bundle, events)
    few = {place.case for place in bundle.sample[:49]}
    for some, why in (
        ([row for row in rows if row.rater != "eve"], "there are 4 raters and 50 such cases"),
        ([row for row in rows if row.place.case in few], "there are 5 raters and 49 such cases"),
        ([], "needs 5 raters and 50 cases with two labels"),
    ):
        with pytest.raises(RequestError, match=why):
            modelled_labels(bundle, some, QUICK)


def test_tables_have_it_only_if_it_is_asked_for(run: Run, database: Database) -> None:
    store = ("--store", database.location, "--format", "json")
    shown = run("labels", "pilot", "--dawid-skene", *store)
    rows, plain = json.loads(shown.out), json.loads(run("labels", "pilot", *store).out)
    assert "It changes no final label." in shown.err
    new = {"dawid_skene", "dawid_skene_probability"}
    assert [{name: row[name] for name in row if name not in new} for row in rows] == plain
    assert all(row["dawid_skene"] == row["final"] and row["dawid_skene_probability"] > 0.9 for row in rows)
    raters = json.loads(run("agreement", "pilot", "--dawid-skene", "--resamples", 100, *store).out)
    assert [row["rater"] for row in raters] == [*RATERS]
    assert raters[-1]["sensitivity_high"] < raters[0]["sensitivity_low"]
    refused = run("labels", "pilot", "--dawid-skene", "--counts", *store)
    assert (refused.code, refused.out) == (2, "")


def test_it_is_said_if_the_model_did_not_converge(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.agreement.dawid_skene.MOST_STEPS", 1)
    bundle, events = read_study(database, "pilot")
    model = modelled_labels(bundle, label_rows(bundle, events), QUICK)
    assert model.labels == {}
    assert model.remarks == ("same task: the model did not converge, so it gives no labels.",)
