"""A study in which raters rank the answers of four systems."""

import json
from pathlib import Path

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from reviewer.study.design.study_creation import Design, create_study
from store.database import Database
from store.declarations import keep_declaration
from store.records import KeptDeclaration, digest_of

SYSTEMS = ("Atlas", "Boreal", "Cumulus", "Delta")
DECLARATION = """
[protocol]
name = "systems"
version = 1
title = "Answers of four systems"

[source]
key = "{id}"

[fields]
question = "question"
atlas = { column = "atlas", title = "Atlas" }
boreal = { column = "boreal", title = "Boreal" }
cumulus = { column = "cumulus", title = "Cumulus" }
delta = { column = "delta", title = "Delta" }

[pane.question]
fields = "question"

[pane.answers]
kind = "variants"
fields = ["atlas", "boreal", "cumulus", "delta"]
compared = false

[question.best]
title = "ranking"
kind = "ranking"
prompt = "Rank the answers, the most helpful first."
shows = "answers"
beside = "question"
"""


def rows(cases: int = 4) -> list[dict[str, str]]:
    """An answer of each system to each of these questions; an answer tells its system and question."""
    return [
        {"id": f"q{case}", "question": f"Question {case}?"}
        | {system.casefold(): f"{system} on question {case}." for system in SYSTEMS}
        for case in range(1, cases + 1)
    ]


def keep(database: Database, text: str) -> None:
    """Keep a declaration in a store."""
    protocol = protocol_of_text(text, "systems.toml")
    kept = KeptDeclaration(
        name=protocol.name,
        version=protocol.version,
        digest=digest_of(text),
        text=text,
        kept_at="2026-01-01T00:00:00.000Z",
    )
    with database.write() as session:
        keep_declaration(session, kept)


def a_ranked_study(database: Database, folder: Path, cases: int = 4) -> None:
    """Study ``pilot`` of the dataset ``answers`` in a store with the declaration."""
    keep(database, DECLARATION)
    path = folder / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows(cases)), encoding="utf-8")
    import_path(database, path, "answers", "four systems", protocol="systems")
    create_study(database, "pilot", Design(("answers",), None, 7))
