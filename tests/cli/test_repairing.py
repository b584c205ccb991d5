"""``reviewer repair`` at the command line: by rule, to balance, and cases left alone."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.runs.repair import rule_repair
from reviewer.runs.repair.revise import read_place
from store.database import Database
from store.findings import replace_findings
from store.records import Finding
from store.revisions import histories
from tests.cli.conftest import Run
from tests.prolog import need_prolog
from tests.studies import a_case, a_study, fill, open_store

LOST = (
    ":- consult('axioms').\nrelease(1).\nbad(one two).\ntested(option_A).\ndecide_option(user, X) :- best(X)."
)
KEY = "anchoring bias/0"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    need_prolog()
    with closing(open_store(tmp_path)) as opened:
        fill(opened, "first", [a_case(number) for number in range(5)])
        yield opened


def revised(database: Database) -> dict[str, list[Any]]:
    """Key → its revisions."""
    with database.read() as session:
        return {key: list(history.revisions) for (_, key), history in histories(session).items()}


def test_a_dataset_is_balanced_and_a_second_call_finds_nothing_to_do(run: Run, database: Database) -> None:
    tried = run("repair", "first", "--balance", "--dry-run", "--format", "json")
    assert tried.code == 0, tried.err
    assert revised(database) == {}
    done = run("repair", "first", "--balance", "--format", "json", "--as", "maria")
    assert (
        json.loads(done.out)
        == json.loads(tried.out)
        == [
            {
                "group": "anchoring bias",
                "option_A before": 5,
                "option_B before": 0,
                "option_A after": 3,
                "option_B after": 2,
                "exchanged": 2,
                "not_decided": 0,
            }
        ]
    )
    assert "option_A is right in 3 cases and option_B in 2 (5 and 0 before)." in done.err
    assert "Every program takes as many steps as before." in done.err
    made = [step for steps in revised(database).values() for step in steps]
    assert [(step.author, step.proposed_by, step.reason) for step in made] == [
        ("maria", "rule", "Balanced: the options are exchanged.")
    ] * 2
    assert made[0].before["versions"]["unbiased"]["choice"] == "option_A"
    assert made[0].after["versions"]["unbiased"]["choice"] == "option_B"
    assert {f"Would exchange {step.key}" for step in made} <= set(tried.err.splitlines())
    again = run("repair", "first", "--balance", "--seed", 4)
    assert "option_A is right in 3 cases and option_B in 2 (3 and 2 before)." in again.err
    assert "Nothing was saved." in again.err


def failing(database: Database, check: str, keys: set[str]) -> None:
    """Give these cases a standing finding of a check."""
    places = [read_place(database, "first", key) for key in keys]
    replace_findings(
        database,
        [
            Finding(
                case=now.case.digest, check=check, check_version=1, passed=False, severity="serious", why="w"
            )
            for now in places
        ],
    )


def test_release_says_the_balance_that_it_lost_and_how_to_balance_it(run: Run, database: Database) -> None:
    assert run("audit", "first").code == 0
    assert run("repair", "first", "--balance").code == 0
    of_second = set(revised(database))
    failing(database, "hard_coded", of_second)
    cited = ("--licence", "MIT", "--author", "A", "--contact", "a@example.org")
    whole = run("release", "make", "first", "--version", "1.0", "-o", "whole", *cited).err
    assert "option_A is right in 3 cases (60%) and option_B is right in 2 cases (40%)." in whole
    assert "To balance what is left" not in whole
    parted = run(
        "release", "make", "first", "--version", "1.1", "-o", "parted", "--without", "hard_coded"
    ).err
    share = "By the programs, option_A is right in 3 cases (100%) and option_B is right in 0 cases (0%)."
    assert f"{share} Before cases were left out, it was 3 and 2." in parted
    assert "To balance what is left: reviewer repair first --balance --without hard_coded" in parted
    assert "option\\_A is right in 3 cases" in Path("parted/README.md").read_text()
    assert run("release", "verify", "parted").code == 0
    balanced = run("repair", "first", "--balance", "--without", "hard_coded")
    assert "option_A is right in 2 cases and option_B in 1 (3 and 0 before)." in balanced.err
    assert "These are 3 cases without a standing finding of hard_coded." in balanced.err
    again = run("release", "make", "first", "--version", "1.2", "-o", "even", "--without", "hard_coded").err
    assert "option_A is right in 2 cases (67%) and option_B is right in 1 case (33%)." in again
    assert "To balance what is left" not in again


def test_balance_among_chosen_cases_refuses_what_it_cannot_mean(run: Run, database: Database) -> None:
    assert "add --balance" in run("repair", "first", "--rule", "quote-names", "--without", "x").err
    unknown = run("repair", "first", "--balance", "--without", "hard_codes")
    assert (unknown.code, "no case of the dataset has a result of check 'hard_codes'" in unknown.err) == (
        2,
        True,
    )
    assert revised(database) == {}


def test_a_balancing_that_was_stopped_ends_with_the_same_cases(
    run: Run, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = run("repair", "first", "--balance", "--dry-run").err
    saved = rule_repair.save_trial

    def once(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(rule_repair, "save_trial", stopped)
        return saved(*arguments, **named)

    def stopped(*_arguments: Any, **_named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(rule_repair, "save_trial", once)
    first = run("repair", "first", "--balance")
    assert first.code == 130
    assert "Stopped: 1 repair saved. The same command does the rest." in first.err
    monkeypatch.setattr(rule_repair, "save_trial", saved)
    assert run("repair", "first", "--balance").code == 0
    assert {f"Would exchange {key}" for key in revised(database)} <= set(planned.splitlines())
    assert len(revised(database)) == 2


def test_a_rule_repairs_the_cases_that_have_its_finding(run: Run, database: Database) -> None:
    fill(database, "second", [a_case(7, unbiased_prolog=LOST), a_case(8)])
    assert run("audit", "second").code == 0
    preview = run("repair", "second", "--rule", "drop-lost-clauses", "--dry-run", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(preview.out)))
    assert {"key": KEY, "text": "unbiased_prolog", "before": "bad(one two).\n", "after": ""} in rows
    assert revised(database) == {}
    done = run("repair", "second", "--rule", "drop-lost-clauses", "--format", "json")
    assert done.code == 0, done.err
    (row,) = json.loads(done.out)
    assert (row["key"], row["repaired"], row["why_not"]) == (KEY, True, None)
    assert "lost_clauses" in row["gone"]
    (step,) = revised(database)[KEY]
    assert {"check": "lost_clauses", "program": "unbiased"} in step.resolves
    assert '"lost_clauses"' not in run("audit", "second", "--format", "json").out


def test_a_case_that_would_decide_otherwise_is_left_alone(run: Run, database: Database) -> None:
    facts = (
        ":- consult('axioms').\nsafe(Option).\ntested(option_B).\n"
        "decide_option(user, option_A) :- safe(option_A).\ndecide_option(user, option_B) :- best(option_B)."
    )
    fill(database, "second", [a_case(7, unbiased_prolog=facts)])
    done = run("repair", "second", "--rule", "quote-names", "--case", KEY, "--format", "json")
    (row,) = json.loads(done.out)
    assert row["why_not"] == "Repaired, the unbiased program decides option_B, not option_A."
    assert revised(database) == {}


def test_open_studies_are_named(run: Run, database: Database) -> None:
    a_study(database)
    done = run("repair", "pilot-data", "--rule", "exchange-options", "--case", KEY)
    assert "Note: 1 repaired case in study pilot, which is open; its raters still see" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--balance", "--propose"], "Give only one of --rule NAME"),
        ([], "the app needs a terminal"),
        (["--balance", "--case", KEY], "leave --case out"),
        (["--propose"], "--propose needs --model NAME"),
        (["--propose", "--model", "m", "--accept", "1"], "exactly one --case"),
        (["--rule", "tidy"], "there is no rule 'tidy'; there are exchange-options,"),
        (["--rule", "exchange-options"], "name the cases with --case"),
        (["--rule", "quote-names", "--case", "x"], "dataset 'first' has no case 'x'; see"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    run: Run, database: Database, words: list[str], said: str
) -> None:
    done = run("repair", "first", *words)
    assert done.code == 2
    assert said in done.err
    assert revised(database) == {}
