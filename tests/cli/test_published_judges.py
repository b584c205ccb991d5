"""``judges --published``: tables of judges next to those that a study asked."""

import csv
import io
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.protocols.probe_swe.formats.published_judges import read_judge_table
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from tests.asked_judges import judged_by
from tests.cli.conftest import Result, Run
from tests.judged import judged_study
from tests.rounds import mostly_slow
from tests.shared_data import shared_file
from tests.studies import BIASES

CHECK = "bias_towards_incorrect"


def a_table(cases: int, rejected: int = 1) -> dict[str, Any]:
    """A published table of pairs of two biases, with one pair of each rejected by the second check."""
    counts = {bias: {CHECK: rejected, "output_matching": 1} for bias in BIASES[:2]}
    whole = 2 * (rejected + 1)
    return {
        "discarded_dilemmas_count": whole,
        "discarded_dilemmas_count_ratio": f"{100 * whole / cases:.2f}%",
        "discarded_dilemmas_count_by_bias": {bias: sum(of.values()) for bias, of in counts.items()},
        "discarded_dilemmas_count_by_filter_by_bias": counts,
    }


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study of 24 pairs, three of each bias, whose judge denies the bias of the first six."""
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        judged_study(database, per_generator=24, generators=("gpt-4o-mini",))
        judged_by(database, reply_of=lambda case, _, __: f"So.\nAnswer: {2 if case.place < 6 else 1}")
    return tmp_path


def shown(run: Run, *files: str) -> Result:
    options = (word for file in files for word in ("--published", file))
    return run("judges", "pilot", *options, "--format", "csv")


def rows(result: Result) -> list[dict[str, str]]:
    assert result.code == 0, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def test_a_published_table_is_beside_the_judges_of_a_study_under_its_right_name(
    run: Run, study: Path
) -> None:
    (study / "judges.gpt-4o-mini.gpt-5.json").write_text(json.dumps(a_table(24)))
    table = rows(shown(run, "judges.gpt-4o-mini.gpt-5.json"))
    whole = {
        (row["check"], row["judge"]): (row["source"], row["cases"], row["rejected"], row["in_file"])
        for row in table
        if row["group"] == "all"
    }
    assert whole == {
        ("the bias exists", "judge judge-1"): ("asked here", "24", "6", ""),
        ("the bias exists", "gpt-5"): ("published", "24", "2", CHECK),
        ("models decide as logic does", "gpt-5"): ("published", "24", "2", "output_matching"),
    }
    own = [row for row in table if row["judge"] == "judge judge-1" and row["group"] in BIASES[:2]]
    assert [row["cases"] for row in own] == ["3", "3"]
    of_first = next(row for row in table if (row["group"], row["judge"]) == (BIASES[0], "gpt-5"))
    assert float(of_first["share"]) == pytest.approx(1 / 3)
    people = run("judges", "pilot", "--published", "judges.gpt-4o-mini.gpt-5.json")
    assert "call the check of the bias's existence `bias_towards_incorrect`" in " ".join(
        (people.out + people.err).split()
    )


def test_a_table_of_other_cases_has_counts_and_no_shares(run: Run, study: Path) -> None:
    (study / "judges.x.json").write_text(json.dumps(a_table(806)))
    published = [row for row in rows(shown(run, "judges.x.json")) if row["source"] == "published"]
    assert {(row["cases"], row["share"]) for row in published} == {("", "")}
    people = run("judges", "pilot", "--published", "judges.x.json")
    told = " ".join((people.out + people.err).split())
    assert "The table of x is of" in told
    assert "the datasets of this study have 24" in told


def test_raters_who_owe_answers_see_no_published_table(run: Run, study: Path) -> None:
    (study / "judges.x.json").write_text(json.dumps(a_table(24)))
    with closing(Database.open("reviewer.db")) as database:
        join_study(database, load_study(database, "pilot").study, "dora")
    refused = shown(run, "judges.x.json")
    assert (refused.code, refused.out) == (2, "")
    assert "Raters judge alone" in refused.err


def _without(field: str) -> Callable[[dict[str, Any]], object]:
    return lambda table: table.pop(field)


def _put(value: object, *path: str) -> Callable[[dict[str, Any]], object]:
    def change(table: dict[str, Any]) -> None:
        for name in path[:-1]:
            table = table[name]
        table[path[-1]] = value

    return change


_FILTERS, _GROUPS = "discarded_dilemmas_count_by_filter_by_bias", "discarded_dilemmas_count_by_bias"


@mostly_slow(3)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without(_FILTERS), f"has no {_FILTERS}"),
        (_put([], _FILTERS), "is a list, not an object"),
        (_put(5, "discarded_dilemmas_count"), "totals that are not the sums"),
        (_put(9, _GROUPS, BIASES[0]), "totals that are not the sums"),
        (_put(-1, _FILTERS, BIASES[0], CHECK), "is not a number of pairs"),
        (_put(True, _FILTERS, BIASES[0], CHECK), "is not a number of pairs"),
        (_put({"other": 1}, _FILTERS, BIASES[0]), "has the check 'other'"),
        (_put({CHECK: 0}, _FILTERS, "sunk costs"), "has the bias 'sunk costs'"),
        (_put("many", "discarded_dilemmas_count_ratio"), "has no percentage"),
        (_put("250.00%", "discarded_dilemmas_count_ratio"), "which no number of pairs gives"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused_in_a_sentence(
    run: Run, study: Path, change: Callable[[dict[str, Any]], object], told: str
) -> None:
    table = a_table(24)
    change(table)
    (study / "judges.x.json").write_text(json.dumps(table))
    refused = shown(run, "judges.x.json")
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (2, "", 1), refused.err
    assert told in refused.err
    assert "judges.x.json" in refused.err


def test_two_tables_of_one_judge_and_other_tables_are_refused(run: Run, study: Path) -> None:
    for name in ("judges.x.json", "judges.a.x.json"):
        (study / name).write_text(json.dumps(a_table(24)))
    twice = shown(run, "judges.x.json", "judges.a.x.json")
    assert (twice.code, "two files are named after the judge 'x'" in twice.err) == (2, True), twice.err
    both = run("judges", "pilot", "--published", "judges.x.json", "--shares")
    assert (both.code, "leave out --shares" in both.err) == (2, True), both.err
    assert shown(run, "absent.json").code == 2


@pytest.mark.parametrize(("judge", "rejected", "exists"), [("gpt-5-mini", 270, 229), ("gpt-5-nano", 131, 82)])
def test_the_published_tables_are_read(judge: str, rejected: int, exists: int) -> None:
    name = f"judges.gpt-4o-mini.{judge}.json"
    table = read_judge_table(shared_file(f"evaluation/{name}").read_text(), name)
    assert table.judge == judge
    assert sum(of[CHECK] for of in table.rejected.values()) == exists
    assert sum(sum(of.values()) for of in table.rejected.values()) == rejected
    published = json.loads(shared_file("probe-swe/gpt-4o-mini.json").read_text())
    assert sum(map(len, published.values())) in table.cases
