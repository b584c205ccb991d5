"""``discover``: a run from its plan to its end, and its results in other commands."""

import csv
import io
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli import carry_on
from store.database import Database
from tests.cli.conftest import Result, Run
from tests.llm.server import serving
from tests.runs.discovering import PLANTED, Habits, with_material
from tests.runs.generating import WordVectors


@pytest.fixture(autouse=True)
def words_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carry_on, "open_embeddings", lambda database, model: WordVectors())
    monkeypatch.setattr(carry_on, "open_encoder", lambda model: None)


def rows(result: Result) -> list[dict[str, str]]:
    assert result.code == 0, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def test_a_run_from_its_plan_to_its_end(run: Run, tmp_path: Path) -> None:
    with closing(with_material(Database.open(str(tmp_path / "reviewer.db")), 10, 10)):
        pass
    material = ("--library", "known", "--pairs", "pairs", "--validation", "validation")
    models = ("--judge", "judge-1", "--teacher", "teacher-1")
    csv_rows = ("--format", "csv")
    with serving(Habits()) as server:
        told = ("discover", "found", *material, *models, "--base-url", server.url, *csv_rows)
        plan = run(*told, "--dry-run")
        least = {row["request"]: row["1 round, none wrong"] for row in rows(plan)}
        assert (least["rewrite"], least["judgement"], least["sameness"]) == ("10", "20", "0")
        assert "── sameness · user ──" in plan.err
        assert server.asked == []
        assert rows(run("run", *csv_rows)) == []

        ended = run(*told)
        assert "found: 1 kept in 2 complete rounds. Why: round 2 kept no entry." in ended.err
        kept = [row for row in rows(ended) if row["result"] == "kept"]
        assert [(row["round"], row["of"], row["number"]) for row in kept] == [("1", "named biases", "1")]
        asked = len(server.asked)
        assert rows(run("discover", "found", "--base-url", server.url, *csv_rows)) == rows(ended)
        assert len(server.asked) == asked
        assert rows(run("discover", "found", *csv_rows)) == rows(ended)  # at a server that needs a key
        more = run("discover", "found", "--set", "rounds=9", *csv_rows)
        assert rows(more) == rows(ended)

    assert rows(run("funnel", "found", *csv_rows)) == rows(ended)
    (listed,) = rows(run("run", *csv_rows))
    assert (listed["run"], listed["kept"], listed["remark"]) == ("found", "1", "round 2 kept no entry")
    assert (listed["procedure"], listed["models"]) == ("discover", "judge judge-1, teacher teacher-1")
    assert int(listed["calls"]) >= asked  # the second round gets some answers from the store
    assert "count it alone" in run("funnel", "found", "--published").err
    assert "resume it with `reviewer discover found`" in run("generate", "found").err
    (candidate,) = rows(run("candidates", "found", "--approved", "--group", "discovered", *csv_rows))
    shown = run("show", candidate["candidate"])
    assert shown.code == 0, shown.err
    assert PLANTED in shown.out
    assert run("study", "new", "strength", "--dataset", "found.rewrites", "--per-group", "2").code == 0
    assert run("study", "new", "library", "--dataset", "found").code == 0


def test_a_run_without_a_judged_rewrite_names_no_dataset_of_rewrites(run: Run, tmp_path: Path) -> None:
    with closing(with_material(Database.open(str(tmp_path / "reviewer.db")), 2, 1)):
        pass
    material = ("--library", "known", "--pairs", "pairs", "--validation", "validation")
    models = ("--judge", "judge-1", "--teacher", "teacher-1")
    with serving(Habits(rewriting=lambda answer, bias: answer)) as server:
        ended = run("discover", "found", *material, *models, "--base-url", server.url)
    assert ended.code == 0, ended.err
    assert "is_rewritten" in ended.out
    assert "found.rewrites." not in ended.err
