"""A small benchmark whose question asks for spans, in comments: one in Hindi, one with an emoji."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from reviewer.core.spans import LabelledSpan, kept_spans
from reviewer.exchange.rows.dataset_import import check_source, store_source
from reviewer.study.design.study_creation import Design, create_study
from store.database import Database

DECLARATION = """\
[protocol]
name = "toxicity"
version = 1
title = "Spans of toxicity"

[source]
key = "{id}"

[fields]
comment = "text"

[pane.comment]
fields = "comment"

[question.spans]
title = "toxic spans"
prompt = "Which parts of the comment are toxic?"
kind = "spans"
labels = ["insult", "threat", "profanity"]
shows = "comment"
"""
TEXTS: Mapping[str, str] = {
    "c1": "You absolute fool, I will find you and make you regret every word you wrote here.",
    "c2": "तुम मूर्ख हो और मैं तुम्हें देख लूँगा। कल दफ़्तर मत आना।",
    "c3": "Nobody asked you, 🤡 clown. Keep your damn opinions to yourself or I'll come over.",
    "c4": "The minister said that the budget will be discussed again next week in parliament.",
}
LABELS = ("insult", "threat", "profanity")
Marks = Sequence[tuple[str, str]]
"""Words of a text, each with a label."""


def spans_of(key: str, marks: Marks) -> list[LabelledSpan]:
    text = TEXTS[key]
    return [LabelledSpan(text.index(words), text.index(words) + len(words), label) for words, label in marks]


def answer(key: str, *marks: tuple[str, str]) -> str:
    """An answer about a text as the ledger keeps it."""
    return kept_spans(len(TEXTS[key]), spans_of(key, marks))


def marked_study(folder: Path, raters: Sequence[str] = (), texts: Mapping[str, str] = TEXTS) -> Database:
    """A new store in a folder with the study ``toxic`` of these texts in their order."""
    declaration, rows = folder / "toxicity.toml", folder / "toxic.jsonl"
    declaration.write_text(DECLARATION, encoding="utf-8")
    lines = [json.dumps({"id": key, "text": text}, ensure_ascii=False) for key, text in texts.items()]
    rows.write_text("\n".join(lines), encoding="utf-8")
    database = Database.open(str(folder / "toxic.db"))
    store_source(database, check_source(rows, "toxic", protocol=str(declaration)))
    create_study(database, "toxic", Design(("toxic",), None, 7, raters=tuple(raters)))
    return database
