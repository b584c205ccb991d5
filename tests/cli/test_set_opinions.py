"""Published opinions on a question that takes several labels, and values that answer nothing."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Run

DECLARATION = """\
[protocol]
name = "tags"
version = 1
title = "Tagged requests"
group_noun = "topic"
headline = "{prompt}"

[fields]
prompt = "request"

[source]
key = "{id}"
group = "topic"

[published.model_tags]
column = "tags"
title = "tags of a model"
opinion_on = "tags"

[pane.request]
fields = "prompt"

[question.tags]
prompt = "Which tags fit?"
labels = ["urgent", "billing", "bug"]
kind = "labels"
shows = "request"
"""
LABELS = {"a": ["urgent", "bug"], "b": ["billing"], "c": ["urgent"], "d": ["bug"]}
TAGS: dict[str, object] = {"a": ["bug", "urgent"], "b": ["billing", "bug"], "c": "urgent", "d": ["spam"]}


@pytest.fixture
def tagged(run: Run, tmp_path: Path) -> Run:
    """A closed study of four cases with one rater, whose labels are imported."""
    Path("tags.toml").write_text(DECLARATION, encoding="utf-8")
    write(
        "cases.jsonl",
        [{"id": key, "topic": "t", "request": f"Do {key}.", "tags": TAGS[key]} for key in LABELS],
    )
    imported = run(
        "import", "cases.jsonl", "--dataset", "tags", "--protocol", "tags.toml", "--generator", "m"
    )
    assert imported.code == 0, imported.err
    assert "1 of 4 values of model_tags does not answer question 'tags' (such as [\"spam\"])" in imported.err
    made = run("study", "new", "pilot", "--dataset", "tags", "--per-group", "4", "--rater", "anna")
    assert made.code == 0, made.err
    rows = [
        {"key": key, "rater": "anna", "question": "tags", "label": labels} for key, labels in LABELS.items()
    ]
    write("labels.jsonl", rows)
    labelled = run("import", "labels.jsonl", "--study", "pilot")
    assert labelled.code == 0, labelled.err
    assert run("study", "close", "pilot").code == 0
    return run


def write(path: str, rows: Sequence[object]) -> None:
    Path(path).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def test_sets_are_compared_exactly_and_by_what_they_share(tagged: Run) -> None:
    shown = tagged("judges", "pilot", "--by", "", "--format", "json")
    assert shown.code == 0, shown.err
    (row,) = json.loads(shown.out)
    assert (row["items"], row["not_mapped"], row["compared"]) == (4, 1, 3)
    assert row["accuracy"] == pytest.approx(2 / 3)
    assert row["jaccard"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert row["kappa"] is None
    assert tagged("judges", "pilot").code == 0
    assert tagged("judges", "pilot", "--confusion").code == 0


def test_an_opinion_of_which_no_value_is_an_answer_has_a_row_of_abstentions(run: Run) -> None:
    Path("tags.toml").write_text(DECLARATION.replace('kind = "labels"\n', ""), encoding="utf-8")
    write(
        "cases.jsonl", [{"id": key, "topic": "t", "request": f"Do {key}.", "tags": "spam"} for key in LABELS]
    )
    imported = run(
        "import", "cases.jsonl", "--dataset", "tags", "--protocol", "tags.toml", "--generator", "m"
    )
    assert "4 of 4 values of model_tags do not answer" in imported.err
    assert run("study", "new", "pilot", "--dataset", "tags", "--per-group", "4", "--rater", "anna").code == 0
    rows = [{"key": key, "rater": "anna", "question": "tags", "label": "bug"} for key in LABELS]
    write("labels.jsonl", rows)
    assert run("import", "labels.jsonl", "--study", "pilot").code == 0
    assert run("study", "close", "pilot").code == 0
    (row,) = json.loads(run("judges", "pilot", "--by", "", "--format", "json").out)
    assert (row["items"], row["abstained"], row["not_mapped"], row["compared"]) == (4, 4, 4, 0)
    assert row["accuracy"] is None


def test_report_reads_opinions_that_vary(run: Run, tmp_path: Path) -> None:
    declaration = DECLARATION.replace('kind = "labels"\n', "").replace(
        'labels = ["urgent", "billing", "bug"]', 'labels = ["urgent", "billing", "bug"]\npassing = "urgent"'
    )
    Path("tags.toml").write_text(declaration, encoding="utf-8")
    given = {"a": "urgent", "b": "billing", "c": "urgent", "d": "bug"}
    rows = [{"id": key, "topic": "t", "request": f"Do {key}.", "tags": tag} for key, tag in given.items()]
    write("cases.jsonl", rows)
    assert run("import", "cases.jsonl", "--dataset", "tags", "--protocol", "tags.toml").code == 0
    assert run("study", "new", "pilot", "--dataset", "tags", "--per-group", "4", "--rater", "anna").code == 0
    labels = [{"key": key, "rater": "anna", "question": "tags", "label": tag} for key, tag in given.items()]
    write("labels.jsonl", labels)
    assert run("import", "labels.jsonl", "--study", "pilot").code == 0
    assert run("study", "close", "pilot").code == 0
    written = run("report", "pilot", "--no-figures", "-o", "pages")
    assert written.code == 0, written.err
    assert "tags of a model" in (Path("pages") / "report.md").read_text(encoding="utf-8")
