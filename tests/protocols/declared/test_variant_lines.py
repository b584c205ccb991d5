"""Lines of one item become one case, with an output of each system."""

from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.declared.declaration_reading import DeclarationError
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from store.cases import Filter, list_places
from store.database import Database
from tests.rankings import DECLARATION, keep
from tests.studies import open_store

LINES = DECLARATION.replace('key = "{id}"', 'key = "{id}"\nitem = "id"\nvariant = "system"')
for name in ("atlas", "boreal", "cumulus", "delta"):
    LINES = LINES.replace(f'column = "{name}"', f'column = "output.{name}"')
HEAD = "id,question,system,output,note\n"


def lines(*left_out: str, items: int = 2, extra: str = "") -> str:
    """A line for each system and item, systems first, so that the lines of an item are apart."""
    rows = [
        f"q{item},Question {item}?,{system},{system} on {item},n{system}\n"
        for system in ("atlas", "boreal", "cumulus", "delta")
        for item in range(1, items + 1)
        if f"{system} {item}" not in left_out
    ]
    return HEAD + "".join(rows) + extra


@pytest.fixture
def store(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    keep(database, LINES)
    return database


def imported(store: Database, folder: Path, text: str) -> list[dict[str, object]]:
    path = folder / "lines.csv"
    path.write_text(text, encoding="utf-8")
    import_path(store, path, "answers", "four systems", protocol="systems")
    with store.read() as session:
        return [
            {**case.payload, "key": place.key} for place, case in list_places(session, Filter(("answers",)))
        ]


def test_the_lines_of_an_item_are_one_case_wherever_they_stand(store: Database, tmp_path: Path) -> None:
    first, second = imported(store, tmp_path, lines())
    assert first == {
        "key": "q1",
        "question": "Question 1?",
        **{system: f"{system} on 1" for system in ("atlas", "boreal", "cumulus", "delta")},
    }
    assert second["delta"] == "delta on 2"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (lines("delta 2"), "line 3: item 'q2' has no line in which 'system' is delta; add it"),
        (lines("delta 2", "atlas 2"), "item 'q2' has no line in which 'system' is atlas and delta"),
        (
            lines(extra="q1,Question 1?,atlas,another,x\n"),
            "line 10: is a second line in which 'system' is 'atlas' for the same item",
        ),
        (
            lines(extra="q1,Question 1?,echo,e,x\n"),
            "'system' is 'echo', which no field",
        ),
        (lines(extra="q3,,,e,x\n"), "line 10, column 'system': is missing or empty"),
        (
            lines("delta 2", extra="q2,Another?,delta,d,x\n"),
            "column 'question' differs from",
        ),
        (lines().replace("system", "model"), "has no column 'system'"),
    ],
)
def test_lines_that_do_not_fit_are_one_sentence(
    store: Database, tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(InputError) as caught:
        imported(store, tmp_path, text)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('\nvariant = "system"', "", "is there without variant"),
        ('item = "id"\n', "", "is there without item"),
        ("output.", "", "no field names a column by variant"),
    ],
)
def test_a_declaration_names_items_variants_and_their_columns(old: str, new: str, told: str) -> None:
    assert old in LINES
    with pytest.raises(DeclarationError, match=told):
        protocol_of_text(LINES.replace(old, new), "systems.toml")
