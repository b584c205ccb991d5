"""Opinions label by label, by votes, in the place of a rater, and as shares of a dataset, counted by hand."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.ratings import Ratings
from reviewer.protocols.registry import Protocols
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Dataset
from tests.cli.conftest import Result, Run
from tests.second_protocol.material import a_dialogue
from tests.second_protocol.test_judges import (
    CASES,
    LABELS,
    PROTOCOLS,
    RATERS,
    SIMULATED,
    answer,
    both,
    entry,
    places,
)
from tests.studies import AT

DRAWN = 15
"""Cases of each of the two groups that raters see."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed study of all cases, and one of some, by the raters of ``test_judges``."""
    path = tmp_path_factory.mktemp("judge-tables") / "reviewer.db"
    with closing(Database.open(str(path), protocols=PROTOCOLS)) as database:
        header = Dataset(name="talks", protocol="tiny", source="a test", imported_at=AT)
        import_entries(database, header, [entry(number) for number in range(CASES)])
        for name, per_group in (("pilot", None), ("part", DRAWN)):
            create_study(database, name, Design(("talks",), per_group, 3))
            for rater in RATERS:
                answer(database, rater, name)
            close_study(database, name, "lead", anyway=True)
    return path


def done(run: Run, store: Path, *options: object, study: str = "pilot") -> Result:
    return run("judges", study, "--store", store, "--resamples", 300, *options, protocols=PROTOCOLS)


def printed(run: Run, store: Path, *options: object, study: str = "pilot") -> list[dict[str, Any]]:
    result = done(run, store, *options, "--format", "json", study=study)
    assert result.code == 0, result.err
    rows: list[dict[str, Any]] = json.loads(result.out)
    return rows


def test_each_label_is_set_against_the_rest(run: Run, store: Path) -> None:
    rows = [row for row in printed(run, store, "--by-label", "--by", "") if row["opinion"] == "choice"]
    pairs = both(SIMULATED.said("preference"), SIMULATED.final("preference"), places("preference"))
    assert [row["label"] for row in rows] == list(LABELS["preference"])
    for row in rows:
        found = [(one == row["label"], other == row["label"]) for one, other in pairs]
        counts = [found.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))]
        assert [row[name] for name in ("both", "opinion_only", "final_only", "neither")] == counts
        assert row["sensitivity"] == pytest.approx(counts[0] / (counts[0] + counts[2]))
        assert row["specificity"] == pytest.approx(counts[3] / (counts[1] + counts[3]))
        assert row["bias"] == pytest.approx((counts[1] - counts[2]) / len(pairs))


def test_ac1_is_that_of_the_agreement_engine(run: Run, store: Path) -> None:
    (row,) = (row for row in printed(run, store, "--by", "") if row["opinion"] == "choice")
    pairs = both(SIMULATED.said("preference"), SIMULATED.final("preference"), places("preference"))
    wanted = COEFFICIENTS["gwet_ac1"](Ratings.from_labels(pairs, LABELS["preference"]))
    assert row["ac1"] == pytest.approx(wanted.value)
    assert row["raters_agreement"] is not None
    assert "self_agreement" not in row


def test_groups_differ_by_the_difference_of_their_figures(run: Run, store: Path) -> None:
    by_label = {(row["group"], row["label"]): row for row in printed(run, store, "--by-label")}
    rows = printed(run, store, "--differences", "--by", "group")
    assert {(row["first"], row["second"]) for row in rows} == {("tea", "trains")}
    first = next(row for row in rows if row["label"] == "first")
    tea, trains = by_label["tea", "first"], by_label["trains", "first"]
    for name in ("sensitivity", "specificity", "bias"):
        assert first[f"{name}_difference"] == pytest.approx(tea[name] - trains[name])


def test_nothing_to_compare_is_said_in_one_sentence(run: Run, store: Path) -> None:
    refused = done(run, store, "--differences")
    assert (refused.code, refused.out) == (2, "")
    assert "there is nothing to compare: every case has the same generator." in refused.err
    refused = done(run, store, "--differences", "--by", "")
    assert (refused.code, refused.out) == (2, "")
    assert "say which with --by" in refused.err


def test_published_values_are_confirmed_one_by_one(run: Run, store: Path) -> None:
    rows = [row for row in printed(run, store, "--reliability", "--by", "") if row["opinion"] == "choice"]
    assert [(row["votes"], row["label"]) for row in rows] == [("A", "first"), ("B", "second"), ("C", "tie")]
    pairs = both(SIMULATED.said("preference"), SIMULATED.final("preference"), places("preference"))
    for row in rows:
        finals = [final for said, final in pairs if said == row["label"]]
        assert row["items"] == len(finals)
        assert row["confirmed"] == pytest.approx(finals.count(row["label"]) / len(finals))


def test_the_test_of_replacement_is_told_in_words(run: Run, store: Path) -> None:
    rows = [row for row in printed(run, store, "--replace") if row["opinion"] == "choice"]
    assert [row["rater"] for row in rows] == list(RATERS)
    assert {row["items"] for row in rows} == {len(places("preference"))}
    assert rows[0]["winning_rate"] == pytest.approx(sum(row["won"] for row in rows) / 3)
    told = done(run, store, "--replace").err
    assert "“choice” for preference may" in told
    assert "half of them are needed" in told
    assert "“choice” for preference, tea: not tested." in done(run, store, "--replace", "--by", "group").err


def test_shares_are_those_of_the_dataset(run: Run, store: Path) -> None:
    rows = [row for row in printed(run, store, "--shares", study="part") if row["opinion"] == "grade"]
    label = max(LABELS["fit"], key=SIMULATED.said("fit").count)
    of_label = {row["estimate"]: row for row in rows if row["label"] == label}
    assert list(of_label) == ["judge", "experts", "corrected", "tuned"]
    said = SIMULATED.said("fit")
    assert {(row["cases"], row["judged"]) for row in rows} == {(CASES, CASES)}
    assert of_label["judge"]["share"] == pytest.approx(said.count(label) / CASES)
    assert of_label["corrected"]["share_undefined"] == "not two labels"
    drawn = printed(run, store, "--confusion", "--by", "group", study="part")
    finals = {
        group: [row for row in drawn if row["opinion"] == "grade" and row["group"] == group and row["final"]]
        for group in ("tea", "trains")
    }
    share = 0.0
    for group, counts in finals.items():
        n = sum(row["count"] for row in counts)
        given = sum(row["count"] for row in counts if row["final"] == label)
        share += SIMULATED.groups.count(group) / CASES * given / n
    assert of_label["experts"]["share"] == pytest.approx(share)
    assert of_label["tuned"]["share_low"] <= of_label["tuned"]["share"] <= of_label["tuned"]["share_high"]
    told = done(run, store, "--shares", study="part").err
    assert "labels" in told
    assert "The tuned difference is the share to print." in told


def test_few_labels_are_marked_as_such(run: Run, store: Path) -> None:
    shown = done(run, store, "--shares", "--by", "group", study="part")
    assert "°: the number rests on fewer than 30 labels" in shown.err


def test_shares_of_a_changed_dataset_are_refused(run: Run, store: Path, tmp_path: Path) -> None:
    changed = tmp_path / "reviewer.db"
    changed.write_bytes(store.read_bytes())
    with closing(Database.open(str(changed), protocols=PROTOCOLS)) as database:
        header = Dataset(name="talks", protocol="tiny", source="a test", imported_at=AT)
        other, first = a_dialogue(99, "trains"), entry(0)
        place = first.place.model_copy(update={"case": other.digest})
        entries = [Entry(other, place), *(entry(number) for number in range(1, CASES))]
        import_entries(database, header, entries)
    refused = done(run, changed, "--shares", study="part")
    assert (refused.code, refused.out) == (2, "")
    assert "was drawn from other cases than dataset 'talks' has now" in refused.err


def test_study_without_opinions_is_refused_by_every_table(run: Run, store: Path) -> None:
    from tests.tiny_protocol.protocol import Tiny

    for table in ("--by-label", "--reliability", "--replace", "--shares"):
        refused = run("judges", "pilot", "--store", store, table, protocols=Protocols(Tiny()))
        assert (refused.code, refused.out) == (2, ""), table
        assert "declares no value to be an opinion" in refused.err
