"""Spans in files that doccano ships and that the converter of Label Studio wrote, from file to labels."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.spans import LabelledSpan, kept_spans
from reviewer.exchange.labels.foreign_files import read_foreign_labels
from reviewer.exchange.labels.foreign_label import LabelFields
from reviewer.exchange.labels.label_booking import BookingOptions, match_labels
from reviewer.exchange.rows.dataset_import import check_source, store_source
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from store.database import Database

FILES = Path(__file__).parent / "data/bridges"
DECLARATION = """\
[protocol]
name = "entities"
version = 1
title = "Entities"
[fields]
text = "text"
[pane.text]
fields = "text"
[question.verdict]
prompt = "Which parts name something?"
kind = "spans"
labels = ["ORG", "MISC", "PERSON", "DATE", "City"]
shows = "text"
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        yield opened


def marked(
    database: Database, folder: Path, texts: str, labels: str
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The answers of one rater by text, and notices; the study has the texts of one file."""
    (folder / "entities.toml").write_text(DECLARATION, encoding="utf-8")
    store_source(database, check_source(FILES / texts, "texts", protocol=str(folder / "entities.toml")))
    create_study(database, "spans", Design(("texts",), None, 7, raters=("ann",)))
    bundle = load_study(database, "spans")
    fields = LabelFields(questions=frozenset({"verdict"}))
    foreign = read_foreign_labels(FILES / labels, fields=fields)
    found = match_labels(bundle, foreign, BookingOptions(rater="ann", renamed={"1": "ann"}))
    assert not found.problems, found.problems
    answers = {str(bundle.cases[one.case].payload["text"]): str(one.label) for one in found.verdicts["ann"]}
    return answers, found.notices


def given(file: str, name: str) -> dict[str, str]:
    """The spans of a file of doccano by text, as the ledger keeps them."""
    records = [json.loads(line) for line in (FILES / file).read_text(encoding="utf-8").splitlines()]
    spans = {
        record["text"]: [
            LabelledSpan(*span)
            if isinstance(span, list)
            else LabelledSpan(span["start_offset"], span["end_offset"], span["label"])
            for span in record[name]
        ]
        for record in records
    }
    return {text: kept_spans(len(text), of_text) for text, of_text in spans.items()}


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("doccano_sequence.jsonl", "label"),
        ("doccano_intent.jsonl", "entities"),
        ("doccano_relations.jsonl", "entities"),
    ],
)
def test_examples_of_doccano_are_read(database: Database, tmp_path: Path, file: str, name: str) -> None:
    answers, notices = marked(database, tmp_path, file, file)
    assert answers == given(file, name)
    assert ("left out: 2 whole-text labels" in notices) == (file == "doccano_intent.jsonl")


@pytest.mark.parametrize("file", ["label_studio.json", "label_studio.csv"])
def test_exports_of_label_studio_are_read(database: Database, tmp_path: Path, file: str) -> None:
    answers, _ = marked(database, tmp_path, "doccano_sequence.jsonl", file)
    assert answers == given("doccano_sequence.jsonl", "label")
