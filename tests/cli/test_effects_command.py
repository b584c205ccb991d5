"""``reviewer effects``: its tables in every format, choices of cases, ladders, comparisons, plans."""

import csv
import io
import json
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run
from tests.evaluations import an_evaluation
from tests.studies import a_study, open_store

CASES = 3


def an_evaluated_study(folder: Path) -> Database:
    """A study of three cases with one question and one rater, and a run of two models on them."""
    database = open_store(folder)
    a_study(database, cases=CASES, questions=("same_task",))
    an_evaluation(database, "first", "pilot-data")
    return database


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_effects_in_every_format(run: Run, tmp_path: Path) -> None:
    an_evaluated_study(tmp_path)
    table = run("effects", "first", "--resamples", 100)
    assert table.code == 0, table.err
    assert "°" in table.out
    assert "unread." in table.out
    assert "2 of 2 rows have fewer than 10 cases" in table.err
    machine = rows_of(run("effects", "first", "--format", "csv", "--resamples", 100).out)
    net = [row for row in machine if row["measure"] == "net"]
    assert [(row["model"], row["among"], row["cases"], row["runs"]) for row in net] == [
        ("model-1", "all", "3", "6"),
        ("model-2", "all", "3", "6"),
    ]
    assert [float(row["value"]) for row in net] == [0, 0.5]
    assert (net[1]["forward"], net[1]["backward"], net[1]["null_coin"]) == ("3.0", "0.0", "0.0")
    asked = ("effects", "first", "--by", "", "--measure", "sensitivity", "--interval", "linearised")
    (whole,) = json.loads(run(*asked, "--format", "json").out)
    assert (whole["value"], whole["value_method"]) == (0.25, "linearised")
    assert whole["noise"] == pytest.approx(1 / 12), "one of twelve texts, whose two runs differ"
    of_one = rows_of(run(*asked[:2], "--model", "model-2", "--format", "csv", *asked[-2:]).out)
    assert {row["model"] for row in of_one} == {"model-2"}
    assert "| model-2 | 3 " in run("effects", "first", "--format", "markdown", "--interval", "linearised").out
    assert r"\toprule" in run("effects", "first", "--format", "latex", "--interval", "linearised").out


def test_legend_of_effects_is_printed_only_when_asked_for(run: Run, tmp_path: Path) -> None:
    an_evaluated_study(tmp_path)
    meaning, mark = "unread.: comparisons with an unreadable reply", "°: the number rests on"
    for asked in ((), ("--ladder",), ("--compare", "model:model-1,model-2")):
        plain = run("effects", "first", "--interval", "linearised", *asked)
        explained = run("effects", "first", "--interval", "linearised", "--legend", *asked)
        assert plain.out == explained.out
        lines = set(explained.err.splitlines()) - set(plain.err.splitlines())
        assert len(lines) == 1, "the legend alone is added"
    assert meaning in run("effects", "first", "--legend").err
    assert meaning not in run("effects", "first").err
    assert mark in run("effects", "first").err, "a mark is explained where it stands"
    assert meaning in run("effects", "first", "--format", "latex").out


def test_effects_over_choices_of_cases(run: Run, tmp_path: Path) -> None:
    database = an_evaluated_study(tmp_path)
    refused = run("effects", "first", "--passed", "pilot")
    assert (refused.code, refused.out) == (2, "")
    assert "study 'pilot' is open, so its labels are not final" in refused.err
    for answer in ("True", "True", "False"):
        ReviewSession(database, "pilot", "anna").answer(answer)
    assert run("study", "close", "pilot", "--as", "lead").code == 0
    passed = run("effects", "first", "--passed", "pilot", "--format", "csv", "--interval", "linearised")
    assert {(row["among"], row["cases"]) for row in rows_of(passed.out)} == {("passed pilot", "2")}
    clean = run("effects", "first", "--audit-clean")
    assert (clean.code, clean.out) == (2, "")
    assert "3 cases without a present audit cannot be clean" in clean.err

    file = tmp_path / "picked.csv"
    file.write_text("dataset,key\npilot-data,anchoring bias/0\n")
    ladder = run(
        "effects",
        "first",
        *("--ladder", "--by", "", "--measure", "net", "--interval", "linearised"),
        *("--passed", "pilot", "--picked", file, "--format", "json"),
    )
    rungs = [(row["among"], row["cases"]) for row in json.loads(ladder.out)]
    assert rungs == [("all", 3), ("passed pilot", 2), ("picked by picked.csv", 1)]
    shown = run("effects", "first", "--passed", "pilot", "--interval", "linearised")
    assert "Study pilot: 2 passed, 1 failed, 0 undecided, 0 not reviewed." in shown.err
    file.write_text("dataset,key\npilot-data,nowhere\n")
    missing = run("effects", "first", "--picked", file)
    assert (missing.code, missing.out) == (2, "")
    assert "line 2: no case 'nowhere' in the run; list cases of the run only" in missing.err


def test_models_are_compared_and_cases_planned(run: Run, tmp_path: Path) -> None:
    an_evaluated_study(tmp_path)
    compared = run("effects", "first", "--compare", "model:model-2,model-1", "--format", "csv")
    assert compared.code == 0, compared.err
    net = next(row for row in rows_of(compared.out) if row["measure"] == "net")
    assert (net["way"], float(net["difference"]), net["difference_n"]) == ("as it is", 0.5, "3")
    planned = run("effects", "first", "--to-find", 0.1, "--measure", "net", "--format", "json")
    (need,) = json.loads(planned.out)
    assert need["cases_needed"] == 197, "(1.96 + .84)² · .25 / .1², for differences of 1, .5 and 0"
    widths = run("effects", "first", "--half-width", 0.05, "--measure", "net", "--format", "csv")
    assert [row["why_not"] for row in rows_of(widths.out)] == ["the data at hand give no error above 0", ""]
    before = run("effects", "--share", 0.14, "--half-width", 0.02, "--format", "csv")
    assert rows_of(before.out)[0]["cases_needed"] == "1159"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "name a RUN; or plan one with --share"),
        (("nothing",), "there is no evaluation run 'nothing'; there are first"),
        (("first", "--by", "colour"), "effects cannot be divided by 'colour'"),
        (("first", "--measure", "harm"), "there is no measure 'harm'"),
        (("first", "--model", "all-MiniLM-L6-v2"), "it asked model-1, model-2. The model that compares"),
        (("first", "--compare", "model"), "--compare 'model' names no two labels; write it like model:a,b"),
        (("first", "--compare", "model:model-1,x"), "model has no 'x' here; there are model-1, model-2"),
        (("first", "--passed", "nothing"), "study 'nothing'"),
        (
            ("first", "--ladder", "--compare", "model:model-1,model-2"),
            "give only one of --ladder, --compare: each has a result of its own",
        ),
        (("first", "--as", "probe-swe"), "--as and -o belong together"),
        (("first", "--half-width", "2"), "a half-width lies between 0 and 1, not at 2"),
        (("--share", ".5", "--half-width", ".1", "--design-effect", "9"), "the design effect of 5 runs"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    run: Run, evaluated_store: None, arguments: tuple[str, ...], sentence: str
) -> None:
    refused = run("effects", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err
    assert "Traceback" not in refused.err


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluated")
    an_evaluated_study(folder).close()
    return folder / "reviewer.db"


@pytest.fixture
def evaluated_store(prepared: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store that the commands of a test use."""
    monkeypatch.setenv("REVIEWER_STORE", str(prepared))
