"""Texts with gaps and values: how they are read and filled, and their faults."""

import pytest

from reviewer.core.errors import InputError
from reviewer.protocols.templates.gap_text import (
    TemplateText,
    filled_pieces,
    instruction_text,
    parse_gap_text,
    template_source,
)
from reviewer.protocols.templates.pieces import FilledPiece, TextPlace

WHERE = "'a.xml'"


def parsed_with_places(text: str, *referable: str) -> TemplateText:
    return parse_gap_text(text, lambda offset: TextPlace(3, 5).after(text[:offset]), WHERE, referable)


def test_a_gap_and_a_value_have_their_places() -> None:
    parts = parsed_with_places("You are\n [[a role in {{city}}]] at {{firm}}.")
    assert [part.kind for part in parts] == ["literal", "gap", "literal", "value", "literal"]
    assert parts[1].place == TextPlace(4, 2)
    assert parts[1].parts[1].place == TextPlace(4, 14)
    assert parts[3].place == TextPlace(4, 28)


def test_a_text_is_written_as_it_was_read() -> None:
    text = "You are [[a role in {{city}}]] at {{firm}} [1]."
    assert template_source(parsed_with_places(text)) == text


def test_blanks_at_the_ends_of_a_gap_are_not_kept() -> None:
    gap = parsed_with_places("[[ a role in {{ city }} ]]")
    assert template_source(gap) == "[[a role in {{ city }}]]"
    assert parsed_with_places(template_source(gap)) == gap


FAULTS = {
    "[[never": "opens a gap that is never closed",
    "[[once]] ]]": "closes a gap that is not open",
    "[[once]]]] more": "closes a gap that is not open",
    "[[out [[in]] er]]": "inside another gap",
    "[[ ]]": "has an empty gap",
    "{{never": "opens a value that is never closed",
    "once}}": "closes a value that is not open",
    "{{ }}": "has a value without a name",
    "[[a {{b]] c}}": "opens a value that is never closed",
}


@pytest.mark.parametrize(("text", "wrong"), FAULTS.items(), ids=list(FAULTS))
def test_a_fault_is_one_sentence_with_its_place(text: str, wrong: str) -> None:
    with pytest.raises(InputError, match="line 3, column") as raised:
        parsed_with_places(f"Ab {text}")
    assert wrong in raised.value.wrong
    assert raised.value.remedy


def test_a_gap_may_refer_to_one_that_stands_by_itself() -> None:
    (gap,) = parsed_with_places("[[the opposite of: [[metric]]]]", "metric")
    assert instruction_text(gap, {}, {"metric": "sales"}) == "the opposite of: sales"


def test_a_filled_text_says_where_each_piece_came_from() -> None:
    parts = parsed_with_places("At {{firm}}, [[a task for {{firm}}]] and [[more]].")
    pieces = filled_pieces(parts, {"firm": "Elm"}, {"a task for {{firm}}": "prune"})
    assert pieces == (
        FilledPiece("At ", "literal"),
        FilledPiece("Elm", "value", "firm"),
        FilledPiece(", ", "literal"),
        FilledPiece("prune", "gap", "a task for {{firm}}"),
        FilledPiece(" and ", "literal"),
        FilledPiece("[[more]]", "gap", "more"),
        FilledPiece(".", "literal"),
    )
