"""``reviewer templates show``: what templates hold, and where."""

from collections.abc import Iterator

from reviewer.cli.options import note, print_table
from reviewer.cli.templates.rules import gap_templates, note_unused_rules, slot_templates
from reviewer.core.sanitize import counted, one_line
from reviewer.core.table import Table
from reviewer.exchange.rows.template_files import read_rules, read_slot_file, read_templates, template_paths
from reviewer.options.templates import TemplatesShowOptions
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.gap_text import TemplateText, parts_of_kind, template_source
from reviewer.protocols.templates.pieces import TextPlace
from reviewer.protocols.templates.slot_template import SlotTemplate
from reviewer.protocols.templates.slot_text import SlotText, TextSlot, slot_source
from reviewer.protocols.templates.template_faults import values_to_give
from reviewer.protocols.templates.template_values import OutsideValue, TemplateValue, VariantValue

_COLUMNS = ("group", "variant", "version", "kind", "text", "line", "column")
_Row = tuple[str, str, str, str, str, int | None, int | None]


def templates_show_command(options: TemplatesShowOptions) -> None:
    """Carry out ``reviewer templates show``."""
    gaps, slots = gap_templates(), slot_templates()
    beside = read_rules(options.rules, gaps)
    gapped, with_slots = template_paths(options.files)
    read = read_templates(gapped, gaps, beside)
    slotted = [template for path in with_slots for template in read_slot_file(path, slots)]
    for template in read.templates:
        gaps.try_out(template)
    for slotted_one in slotted:
        slotted_one.try_out()
    list(slots.cases(slotted, 1, 0))
    rows = [row for template in read.templates for row in _rows(template)]
    rows += [row for template in slotted for row in _slot_rows(template)]
    scenarios = f" and {counted(len(read.scenarios), 'scenario')}" if read.scenarios else ""
    print_table(Table.of(_COLUMNS, rows), options.form)
    note(f"{counted(len(read.templates) + len(slotted), 'template')}{scenarios} without a fault.")
    for sentence in gaps.remarks(read):
        note(sentence)
    for template in read.templates:
        for _, wrong, _ in values_to_give(template):
            note(f"{one_line(template.group)}: {wrong}. Give it with --rules before cases are generated.")
    note_unused_rules(gaps, beside, (template.group for template in read.templates))


def _rows(template: CaseTemplate) -> Iterator[_Row]:
    for name, value in template.values.items():
        place = value.place
        in_file = place != TextPlace()  # others are added for their group when the file is read
        yield (
            *(template.group, "", "", _kind(value) if in_file else "added"),
            name,
            place.line if in_file else None,
            place.column if in_file else None,
        )
    for variant in template.variants:
        for kind, version in variant.versions:
            where = template.group, variant.name, kind
            for text in version.texts:
                yield from _of_text(where, text)
            for option in version.options:
                place = option[0].place
                yield *where, "option", template_source(option), place.line, place.column


def _kind(value: TemplateValue) -> str:
    match value:
        case OutsideValue():
            return "computed elsewhere"
        case VariantValue():
            return "by variant"
        case _:
            return "list"


def _slot_rows(template: SlotTemplate) -> Iterator[_Row]:
    for name, part in template.parts.items():
        yield from _slots((template.group, template.name, name), part)
    for number, choice in enumerate(template.choices, 1):
        where = template.group, template.name, f"choice {number}"
        yield *where, choice.key, slot_source(choice.text), choice.place.line, choice.place.column
        yield from _slots(where, choice.text)


def _slots(where: tuple[str, str, str], text: SlotText) -> Iterator[_Row]:
    for slot in text:
        if isinstance(slot, TextSlot):
            kind = "number" if slot.expression else "slot"
            yield *where, kind, slot.source, slot.place.line, slot.place.column


def _of_text(where: tuple[str, str, str], text: TemplateText) -> Iterator[_Row]:
    for kind in ("gap", "value"):
        for part in parts_of_kind(text, "gap" if kind == "gap" else "value"):
            yield *where, kind, part.text, part.place.line, part.place.column
