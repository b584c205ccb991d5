"""What a declaration must say of outputs to rank."""

import pytest

from reviewer.protocols.declared.declaration_reading import DeclarationError
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from tests.rankings import DECLARATION, SYSTEMS, rows

FIELDS = 'fields = ["atlas", "boreal", "cumulus", "delta"]'


def faults(*changes: tuple[str, str]) -> str:
    text = DECLARATION
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(DeclarationError) as caught:
        protocol_of_text(text, "systems.toml")
    return str(caught.value)


def test_outputs_have_the_titles_of_their_fields() -> None:
    (question,) = protocol_of_text(DECLARATION, "systems.toml").questions
    assert question.labels == SYSTEMS
    named = DECLARATION.replace('kind = "ranking"', 'kind = "ranking"\nlabels = ["a", "b", "c", "d"]')
    assert protocol_of_text(named, "systems.toml").questions[0].labels == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([('shows = "answers"\nbeside = "question"', 'shows = "question"')], "one pane of kind variants"),
        (
            [('kind = "ranking"', 'kind = "ranking"\nlabels = ["a", "b"]')],
            "names 2 outputs, and the pane",
        ),
        ([('kind = "ranking"', 'kind = "ranking"\npassing = "Atlas"')], "does not go with a ranking"),
        (
            [('title = "Delta" }', 'title = "Delta", optional = true }')],
            "ranks field 'delta', which",
        ),
        ([('title = "Delta" }', 'title = "D > 1" }')], "has a sign that stands between outputs of a ranking"),
        (
            [('[pane.question]\nfields = "question"', '[pane.question]\nfields = ["question", "delta"]')],
            "shows pane 'question', which tells by 'delta' which output is whose",
        ),
        ([('title = "Delta" }', 'title = "Atlas" }')], "is there twice"),
    ],
)
def test_what_does_not_fit_is_told(changes: list[tuple[str, str]], told: str) -> None:
    assert told in faults(*changes)


LISTED = DECLARATION.replace(FIELDS, 'fields = "answers"').replace(
    DECLARATION[DECLARATION.index("atlas = {") : DECLARATION.index("[pane.question]")],
    'answers = { column = "answers", type = "list" }\n\n',
)


def test_a_list_of_outputs_has_as_many_entries_as_labels() -> None:
    with pytest.raises(DeclarationError, match="which have no names"):
        protocol_of_text(LISTED, "systems.toml")
    labels = f'kind = "ranking"\nlabels = {list(SYSTEMS)}'.replace("'", '"')
    protocol = protocol_of_text(LISTED.replace('kind = "ranking"', labels), "systems.toml")
    four = [rows(1)[0][system.casefold()] for system in SYSTEMS]
    assert protocol.case("all", {"question": "Q?", "answers": four}).payload["answers"] == four
    with pytest.raises(ValueError, match="at least 4"):
        protocol.case("all", {"question": "Q?", "answers": four[:3]})
