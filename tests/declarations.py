"""Declarations for tests: one whole file, and the same with passages exchanged."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from store.database import Database
from store.declarations import keep_declaration
from store.records import Case, KeptDeclaration, digest_of

KEPT_AT = "2024-01-01T00:00:00.000Z"

DECLARATION = """\
[protocol]
name = "replies"
version = 1
title = "Replies"
group_noun = "topic"
headline = "{prompt}"

[fields]
prompt = "request"
first = "answers.a"
second = "answers.b"
score = { column = "score", type = "number", optional = true }

[source]
key = "{id}"
group = "topic"
generator = "model"

[groups]
"planning" = "The request asks for a plan."
"naming" = "The request asks for a name."

[published.judge]
column = "judge"
title = "a judge's choice"
opinion_on = "better"
labels = { A = "first", B = "second" }

[published.tokens]
column = "tokens"

[pane.request]
fields = "prompt"

[pane.answers]
title = "two answers"
kind = "pair"
fields = ["first", "second"]
compared = false

[pane.facts]
kind = "table"
fields = ["score", "tokens"]

[question.better]
prompt = "Which answer serves the request better?"
guideline = "Judge what the answer does for the person."
labels = ["first", "second", "tie"]
shows = "answers"
beside = "request"
mirrored = ["first", "second"]
titles = ["answer 1", "answer 2"]

[question.fit]
prompt = "How well does the request fit the topic {group}? {definition}"
labels = ["0", "1", "2"]
scale = "ordinal"
passing = ["1", "2"]
shows = "request"
beside = ["facts", "published"]

[check.differ]
rule = "differ"
fields = ["first", "second"]
severity = "serious"
"""


def with_passages(*exchanged: tuple[str, str], text: str = DECLARATION) -> str:
    """The text with each passage exchanged; every passage must be there."""
    for old, new in exchanged:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


REPLIES = protocol_of_text(DECLARATION, "replies.toml")


def a_reply(number: int, group: str = "planning", **fields: object) -> Case:
    """A case of the declaration; no two numbers give the same one."""
    payload = {
        "prompt": f"Help with task {number}.",
        "first": f"Do step {number} first.",
        "second": f"Begin with step {number + 1}.",
        "score": number,
    }
    return REPLIES.case(group, {**payload, **fields})


def kept(text: str = DECLARATION) -> KeptDeclaration:
    """A declaration as a store keeps it."""
    protocol = protocol_of_text(text, "replies.toml")
    return KeptDeclaration(
        name=protocol.name, version=protocol.version, digest=digest_of(text), text=text, kept_at=KEPT_AT
    )


def fill_replies(database: Database, count: int = 4, text: str = DECLARATION) -> None:
    """A store with the declaration and a dataset ``replies`` of it, from lines of JSON."""
    with database.write() as session:
        keep_declaration(session, kept(text))
    with TemporaryDirectory() as folder:
        lines = [
            {
                "protocol": "replies",
                "key": str(number),
                "group": case.group,
                "payload": case.payload,
                "published": {"judge": "A"},
            }
            for number, case in ((number, a_reply(number)) for number in range(count))
        ]
        path = Path(folder) / "replies.jsonl"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        import_path(database, path, "replies", "a model", protocol="replies")
