"""A small benchmark whose questions are of every kind, with a store and a study to label."""

import json
from pathlib import Path
from typing import Any

from reviewer.exchange.rows.dataset_import import check_source, store_source
from reviewer.study.design.study_creation import Design, create_study
from store.database import Database

DECLARATION = """
[protocol]
name = "teas"
version = 1
title = "Teas"
[source]
key = "{id}"
[fields]
text = "text"
[pane.text]
fields = ["text"]
[question.fits]
prompt = "Does it fit?"
labels = ["yes", "no"]
shows = ["text"]
[question.grade]
prompt = "Which grade?"
labels = ["1", "2", "3", "4", "5"]
scale = "ordinal"
shows = ["text"]
[question.tags]
prompt = "Which of these?"
kind = "labels"
labels = ["hot", "cold", "sweet, very"]
shows = ["text"]
[question.why]
prompt = "Why?"
kind = "text"
shows = ["text"]
"""


def tea(number: int) -> str:
    """The text of the case with this key."""
    return f"This is the tea number {number}, which is drunk slowly."


def tea_study(folder: Path, cases: int = 6, **design: Any) -> Database:
    """A new store in a folder with the study ``tea`` of cases with the keys "1", "2" and so on."""
    declaration, rows = folder / "teas.toml", folder / "teas.jsonl"
    declaration.write_text(DECLARATION, encoding="utf-8")
    lines = [{"id": str(number), "text": tea(number)} for number in range(1, cases + 1)]
    rows.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    database = Database.open(str(folder / "reviewer.db"))
    store_source(database, check_source(rows, "teas", protocol=str(declaration)))
    create_study(database, "tea", Design(("teas",), None, 7, **design))
    return database
