"""Findings of a protocol that is declared in one file: audited, blinded, drawn, dismissed, without Prolog."""

import json
from pathlib import Path

import pytest

from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.blinded_panes import sheet_for
from reviewer.tui.screens.finding import FindingScreen
from store.cases import find_dataset
from store.database import Database
from store.findings import failed_findings
from tests.cli.conftest import Result, Run
from tests.tui.conftest import Opener, press, seen

PAIRS = """
[protocol]
name = "pairs"
version = 3
title = "Pairs"
[fields]
one = "one"
two = "two"
[source]
key = "{id}"
[pane.both]
kind = "pair"
fields = ["one", "two"]
[question.better]
prompt = "Which is better?"
labels = ["first", "second"]
shows = "both"
[question.fluent]
prompt = "Are both fluent?"
labels = ["yes", "no"]
shows = "both"
[check.same]
rule = "differ"
fields = ["one", "two"]
severity = "serious"
question = "better"
asks = "Do the two differ?"
[check.slow]
rule = "lacks"
fields = "one"
pattern = "SLOW"
[check.twice]
rule = "unique"
fields = "one"
"""
# Slow only where x and z alternate, which the trial of a pattern at its import does not come upon.
UNSEEN, SEEN = "([xy]z|[xy]zxz)+$", "(q+)+$"
TEXTS = (("Same.", "Same."), ("xz" * 60 + "!", "Slow."), ("Good.", "Bad."), ("Good.", "Poor."))


def brought_in(run: Run, folder: Path, pattern: str) -> Result:
    """Four pairs: one of equal texts, one on which the pattern is slow, and two with one text."""
    rows = [{"id": f"p{at}", "one": one, "two": two} for at, (one, two) in enumerate(TEXTS)]
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "pairs.toml").write_text(PAIRS.replace("SLOW", pattern))
    return run("import", "pairs.jsonl", "--protocol", "pairs.toml", "--dataset", "pairs")


@pytest.fixture
def pairs(database: Database, run: Run, tmp_path: Path) -> Database:
    done = brought_in(run, tmp_path, UNSEEN)
    assert done.code == 0, done.err
    return database


def test_a_pattern_that_shows_its_cost_is_refused_at_the_import(
    database: Database, run: Run, tmp_path: Path
) -> None:
    refused = brought_in(run, tmp_path, SEEN)
    assert refused.code == 2
    assert "'(q+)+$' tries too many ways to match" in refused.err
    with database.read() as session:
        assert find_dataset(session, "pairs") is None


@pytest.mark.slow
def test_an_audit_names_the_check_and_the_case_that_it_gave_up(pairs: Database, run: Run) -> None:
    done = run("audit", "pairs")
    assert done.code == 0, done.err
    assert "Not tested: 1 check of 1 case" in done.err
    sentence = f"First of them: slow, of pairs:p1. The pattern '{UNSEEN}' was given up on 'one': it took"
    assert sentence in done.err
    assert "The same: one and two." in done.out
    assert "1 value of one repeats, in 2 of 4 cases: p2 and p3 are the first two." in done.out
    counted = run("audit", "pairs", "--summary", "check", "--format", "json")
    assert {(row["severity"], row["check"]) for row in json.loads(counted.out)} == {
        ("serious", "same"),
        ("not tested", "slow"),
    }
    words = ("study", "new", "found", "--dataset", "pairs", "--finding", "same")
    assert run(*words).code == 0
    (place,) = load_study(pairs, "found").sample
    assert place.key == "p0"
    beside = run(*words[:2], "beside", *words[3:], "--others", 2)
    assert beside.code == 0, beside.err
    found, *others = load_study(pairs, "beside").sample
    assert found.key == "p0"
    assert len({other.key for other in others} - {"p0"}) == 2
    assert load_study(pairs, "beside").design.population["pairs"] == {"all": (4, 4)}
    too_many = run(*words[:2], "more", *words[3:], "--others", 4)
    assert "has 3 cases to draw; you asked for 4: take at most 3 (--others 3)." in too_many.err
    assert "beside those of --finding" in run("study", "new", "no", "--dataset", "pairs", "--others", 2).err
    assert run("study", "new", "all", "--dataset", "pairs").code == 0
    bundle = load_study(pairs, "all")
    case, findings = bundle.cases[place.case], bundle.findings[place.case]
    better, fluent = bundle.questions

    def panes(question: object, answered: set[str]) -> set[str]:
        shown = sheet_for(bundle.protocol, question, case, [], answered, "full", findings)  # type: ignore[arg-type]
        return {pane.key for pane in shown}

    assert panes(better, set()) == panes(better, {"fluent"}) == {"both"}
    assert "findings" in panes(better, {"better"})
    assert "findings" not in panes(fluent, {"fluent"})


@pytest.mark.slow
async def test_the_screen_offers_what_the_protocol_has(pairs: Database, run: Run, opened: Opener) -> None:
    assert run("check", "pairs").code == 0
    async with opened(None) as pilot:
        await press(pilot, "v", "enter", "v")
        text = seen(pilot)
        assert "pairs · audit of 4 cases · 1 finding on 1 case" in text
        assert "✗ twice, doubtful: 1 value of one repeats" in text
        for word in ("Prolog", "E repair", "not audited"):
            assert word not in text
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, FindingScreen)
        assert "Do the two differ?" in seen(pilot)
        assert "repair" not in seen(pilot)
        await press(pilot, "q", "H")
        assert "pairs · 0 revisions · p0" in seen(pilot)
        await press(pilot, "q", "x", *"known", "enter")
    with pairs.read() as session:
        assert failed_findings(session, "pairs") == []
