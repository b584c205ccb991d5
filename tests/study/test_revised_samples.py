"""Studies, exports and merged datasets after repairs and withdrawals."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.pane import Pair
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import checked, merge_file
from reviewer.exchange.rows.dataset_export import write_dataset
from reviewer.runs.check.dataset_merge import merge_datasets
from reviewer.runs.repair.revise import read_place, revert, revise, withdraw
from reviewer.similarity import encoder
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.revisions import revised_since
from store.studies import sample_of
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.encoders import WordCounts
from tests.studies import PROBE_SWE, a_case, fill, open_store

SAID: dict[str, Any] = {"author": "maria", "reason": "clearer"}
REPAIRED, WITHDRAWN, REVERTED, UNTOUCHED = (f"anchoring bias/{number}" for number in range(4))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A dataset of four: one was repaired, one withdrawn, one repaired and reverted."""
    with closing(open_store(tmp_path)) as opened:
        fill(opened, "first", [a_case(number) for number in range(4)])
        for number, key in ((10, REPAIRED), (11, REVERTED)):
            now = read_place(opened, "first", key)
            revise(opened, "first", key, a_case(number), expected=now.parent, **SAID)
        now = read_place(opened, "first", REVERTED)
        revert(opened, "first", REVERTED, to="first", expected=now.parent, **SAID)
        now = read_place(opened, "first", WITHDRAWN)
        withdraw(opened, "first", WITHDRAWN, expected=now.parent, **SAID)
        yield opened


def sampled(database: Database, study: str) -> list[str]:
    with database.read() as session:
        return sorted(place.key for place in sample_of(session, study))


def test_withdrawn_cases_are_not_drawn_and_are_counted(run: Run, database: Database) -> None:
    made = run("study", "new", "pilot", "--dataset", "first")
    assert made.code == 0, made.err
    assert sampled(database, "pilot") == [REPAIRED, REVERTED, UNTOUCHED]
    assert "In dataset first 1 case is withdrawn and so not drawn." in made.err
    facts = run("study", "show", "pilot", "--design", "--format", "json").out
    rows = {row["design"]: row["value"] for row in json.loads(facts)}
    assert rows["withdrawn"] == "1 case (dataset first)"


def test_a_withdrawn_case_cannot_be_listed(run: Run, database: Database, tmp_path: Path) -> None:
    (tmp_path / "keys.txt").write_text(f"{UNTOUCHED}\n{WITHDRAWN}\n")
    refused = run("study", "new", "pilot", "--dataset", "first", "--cases", "keys.txt")
    assert (refused.code, refused.out) == (2, "")
    assert f"case '{WITHDRAWN}' of dataset 'first' is withdrawn" in refused.err


def test_a_study_draws_only_what_was_repaired_since_a_day(run: Run, database: Database) -> None:
    made = run("study", "new", "again", "--dataset", "first", "--revised-since", "2020-01-01")
    assert made.code == 0, made.err
    assert sampled(database, "again") == [REPAIRED]
    facts = json.loads(run("study", "show", "again", "--design", "--format", "json").out)
    assert "among cases that were repaired since 2020-01-01" in str(facts)
    late = run("study", "new", "late", "--dataset", "first", "--revised-since", "2999-01-01")
    assert (late.code, "was repaired since 2999-01-01" in late.err) == (2, True)
    wrong = run("study", "new", "late", "--dataset", "first", "--revised-since", "soon")
    assert (wrong.code, "'soon' is not a date" in wrong.err) == (2, True)
    with database.read() as session:
        assert revised_since(session, ["first"], "2020") == {a_case(10).digest: a_case(0).digest}


def test_merged_and_exported_datasets_leave_withdrawn_cases_out(
    run: Run, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "open_encoder", lambda model: WordCounts(model))
    report = merge_datasets(database, ["first"], "all", None)
    assert (report.kept, report.withdrawn) == (3, 1)
    written = write_dataset(database, "first", tmp_path / "first.json")
    assert (written.cases, written.revised, written.withdrawn) == (3, 1, 1)
    told = run("datasets", "export", "first", "-o", "first.jsonl").err
    assert "Of dataset first: 1 revised, 1 withdrawn. Withdrawn cases are not in the file." in told
    assert "1 withdrawn case left out too." in run("datasets", "merge", "first", "--into", "both").err


def test_raters_see_old_and_new_only_where_the_lead_wants_it(
    run: Run, database: Database, tmp_path: Path
) -> None:
    since = ("--dataset", "first", "--revised-since", "2020-01-01")
    assert run("study", "new", "both", *since, "--beside-old").code == 0
    assert run("study", "new", "new", *since).code == 0
    assert run("study", "new", "wrong", "--dataset", "first", "--beside-old").code == 2
    seen = {study: texts_seen(ReviewSession(database, study, "anna")) for study in ("both", "new")}
    assert seen["new"].keys() < seen["both"].keys()
    assert not {"axioms_before", "bias_before", "proof_before"} & seen["both"].keys()
    assert "I plan release 10." in seen["both"]["texts"]
    assert "I plan release 0." in seen["both"]["texts_before"]
    assert "release 0." not in "".join(seen["new"].values())
    facts = run("study", "show", "both", "--design").out
    assert "the content before its repair, for 1 case" in facts
    for study, held in (("both", True), ("new", False)):
        write_pack(database, study, "anna", tmp_path / f"{study}.review")
        with closing(sqlite3.connect(tmp_path / f"{study}.review")) as raw:
            kept = {row[0] for row in raw.execute("SELECT digest FROM cases")}
        assert (a_case(0).digest in kept) is held
        pack, _ = opened_pack(tmp_path / f"{study}.review")
        with closing(pack):
            session = ReviewSession(pack, study, "anna")
            assert texts_seen(session) == seen[study]
            session.answer("True")
        (account,) = merge_file(database, tmp_path / f"{study}.review")
        assert (account.added, account.refused) == (1, ())
    assert not checked(database.location).faults


def test_a_question_in_random_order_shows_old_texts_in_the_same_order(run: Run, database: Database) -> None:
    since = ("--dataset", "first", "--revised-since", "2020-01-01")
    assert run("study", "new", "both", *since, "--beside-old", "--swap").code == 0
    for rater in ("anna", "ben", "cleo", "dora"):
        session = ReviewSession(database, "both", rater)
        bodies = {pane.key: pane.body for pane in session.sheet()}
        pairs = [body for key, body in bodies.items() if key in ("texts", "texts_before")]
        assert len(pairs) == 2
        left = ["Ten ship" in body.left.text for body in pairs if isinstance(body, Pair)]
        assert left in ([True, True], [False, False])


def texts_seen(session: ReviewSession) -> dict[str, str]:
    """The text of each pane of the first slot."""
    return {pane.key: str(pane.body) for pane in session.sheet()}


def test_a_pane_that_the_repair_did_not_change_is_not_shown_twice(run: Run, database: Database) -> None:
    """The texts are linked to the programs, so that their links change with the programs."""
    old = a_case(3)
    payload = old.payload | {"biased_prolog": f"{old.payload['biased_prolog']}\nextra(3)."}
    now = read_place(database, "first", UNTOUCHED)
    new = PROBE_SWE.case(old.group, payload)
    revise(database, "first", UNTOUCHED, new, expected=now.parent, **SAID)
    since = ("--dataset", "first", "--revised-since", "2020-01-01")
    assert run("study", "new", "both", *since, "--beside-old").code == 0
    session = ReviewSession(database, "both", "anna")
    session.go_to(next(at for at, slot in enumerate(session.slots) if slot.case == new.digest))
    assert [key for key in texts_seen(session) if key.endswith("_before")] == ["programs_before"]
