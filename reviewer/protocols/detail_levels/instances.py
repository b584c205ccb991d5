"""Instances made from templates with slots, without a model."""

from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import ValidationError

from reviewer.protocols.base import DatasetCase, Protocol
from reviewer.protocols.detail_levels.level_instance import BIASED
from reviewer.protocols.detail_levels.protocol import asked_choice
from reviewer.protocols.detail_levels.questions import AS_KEYED
from reviewer.protocols.intake import invalid
from reviewer.protocols.templates.pieces import FilledPiece
from reviewer.protocols.templates.slot_template import FilledSlots, SlotTemplate
from store.records import Case

FILLED_BY: Final = "templates"
"""The generator of these cases."""


def instances_of(
    protocol: Protocol, templates: Sequence[SlotTemplate], number: int, seed: int
) -> Iterator[DatasetCase]:
    """So many instances of each template, with the slots' values as published; raises InputError."""
    for template in templates:
        for at, filled in enumerate(template.fillings(number, seed), 1):
            case = _case(protocol, template, filled)
            values = "; ".join(f"{name} = {value}" for name, value in filled.values.items())
            keyed = asked_choice(case).key == BIASED
            key = f"{template.group}/{template.name}/{at}"
            yield DatasetCase(key, case, {"slots": values, AS_KEYED: keyed})


def _case(protocol: Protocol, template: SlotTemplate, filled: FilledSlots) -> Case:
    levels = [_text(pieces) for pieces in filled.levels]
    payload = {
        "template": template.name,
        "levels": levels,
        "choices": [{"text": _text(pieces), "key": key} for pieces, key in filled.choices],
        "filled": [span for level, pieces in enumerate(filled.levels, 1) for span in _spans(level, pieces)],
    }
    try:
        return protocol.case(template.group, payload)
    except ValidationError as error:
        raise invalid(template.where, error) from None


def _text(pieces: Sequence[FilledPiece]) -> str:
    return "".join(piece.text for piece in pieces)


def _spans(level: int, pieces: Sequence[FilledPiece]) -> Iterator[dict[str, str | int]]:
    end = 0
    for piece in pieces:
        start, end = end, end + len(piece.text)
        if piece.kind != "literal":
            yield {"level": level, "start": start, "end": end, "name": piece.name}
