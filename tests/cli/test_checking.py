"""``check``: findings and differences as tables, and refusals as one sentence."""

import json
from pathlib import Path

import pytest

from reviewer.similarity import encoder
from reviewer.similarity.encoder import INSTALL
from store.database import Database
from tests.cli.conftest import Run
from tests.encoders import WordCounts
from tests.studies import a_case, fill


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is there at once."""
    monkeypatch.setattr(encoder, "open_encoder", lambda model: WordCounts(model))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database.open(str(tmp_path / "reviewer.db"))
    fill(database, "one", [a_case(0), a_case(1, unbiased="What now.")])
    return database


@pytest.mark.usefixtures("prolog", "words", "database", "at_a_terminal")
def test_findings_are_listed_and_filtered(run: Run) -> None:
    shown = run("check", "one", "--workers", 1)
    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= 100
    assert "2 checked (all-MiniLM-L6-v2, swipl" in shown.err
    rows = json.loads(run("check", "one", "--check", "template_question", "--format", "json").out)
    assert [(row["key"], row["severity"]) for row in rows] == [("anchoring bias/1", "doubtful")]
    assert "2 checked before" in run("check", "one").err
    assert "2 checked (other, swipl" in run("check", "one", "--sentence-model", "other").err
    assert (
        run("check", "one", "--severity", "serious", "--format", "csv").out
        == "severity,check,key,why,case,places,dataset,digest,group,program,line,check_version\n"
    )


@pytest.mark.usefixtures("prolog", "words", "database")
def test_an_audit_and_a_check_list_their_own_findings(run: Run) -> None:
    run("check", "one")
    audited = {row["check"] for row in json.loads(run("audit", "one", "--format", "json").out)}
    checked = {row["check"] for row in json.loads(run("check", "one", "--format", "json").out)}
    assert audited
    assert checked
    assert not audited & checked


@pytest.mark.usefixtures("prolog", "words", "database")
def test_differences_from_published_values_are_listed(run: Run) -> None:
    shown = run("check", "one", "--published", "--format", "json")
    rows = json.loads(shown.out)
    assert {"key", "value", "published", "found"} == set(rows[0])
    assert {row["value"] for row in rows} == {"reconstruction_similarity", "inference_steps", "choice_steps"}
    assert "choice: 2 of 2 equal." in shown.err
    assert "reconstruction_similarity: 0 of 2 within 1e-05." in shown.err


@pytest.mark.usefixtures("prolog", "words", "database")
def test_show_has_measured_values_beside_published_ones(run: Run) -> None:
    run("check", "one")
    shown = run("show", "anchoring bias/1")
    assert "measured" in shown.out
    assert "template question: The unbiased text does not end with a question mark." in shown.out
    assert "were not run here yet" in shown.err


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("check", "nope"), "dataset 'nope' is not in the store"),
        (("check", "one", "--check", "nope"), "'nope' is not one of"),
        (("check", "one", "--published", "--severity", "serious"), "--published lists published values"),
        (("check", "one", "--model", "nobody/nothing"), "'nobody/nothing' is not a folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    refused = run(*arguments)
    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err
    assert refused.err.count("\n") == 1


@pytest.mark.usefixtures("database")
def test_without_the_extra_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder.importlib.util, "find_spec", lambda name: None)
    refused = run("check", "one")
    assert (refused.code, refused.out) == (2, "")
    assert INSTALL in refused.err


@pytest.mark.usefixtures("prolog", "words", "database")
def test_a_finding_says_that_an_index_searched(run: Run) -> None:
    checked = run("check", "one", "--index")
    assert "The index" in checked.err
    assert "The index" in run("show", "one:anchoring bias/0", "--format", "json").out
    run("check", "one")
    assert "The index" not in run("show", "one:anchoring bias/0", "--format", "json").out
