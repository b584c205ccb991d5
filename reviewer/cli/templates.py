"""``reviewer templates``: templates of cases with gaps or slots, and published results of their cases."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import click

from reviewer.cli.printing import note, print_table, print_text
from reviewer.cli.store_access import protocols_here
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.source_text import read_source_text
from reviewer.core.table import Table, as_json
from reviewer.exchange.rows.published_numbers import published_rows
from reviewer.exchange.rows.template_files import (
    gap_templates_of,
    read_rules,
    read_scenarios,
    read_slot_file,
    read_templates,
    template_paths,
    unused_rules,
)
from reviewer.options.templates import (
    TemplatesConvertOptions,
    TemplatesFillOptions,
    TemplatesNullsOptions,
    TemplatesReadingOptions,
    TemplatesScoresOptions,
    TemplatesSharesOptions,
    TemplatesShowOptions,
)
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import the_only
from reviewer.protocols.templates.case_template import CaseTemplate, OutsideValue, TemplateValue, VariantValue
from reviewer.protocols.templates.gap_text import TemplateText, parts_of_kind, template_source
from reviewer.protocols.templates.pieces import TextPlace
from reviewer.protocols.templates.slot_template import SlotTemplate, SlotText, TextSlot, slot_source
from reviewer.protocols.templates.template_faults import values_to_give
from reviewer.protocols.templates.template_plans import GapTemplates, SlotTemplates
from reviewer.protocols.templates.template_toml import templates_to_toml

_COLUMNS = ("group", "variant", "version", "kind", "text", "line", "column")
_Row = tuple[str, str, str, str, str, int | None, int | None]


def templates_show_command(options: TemplatesShowOptions) -> None:
    """``reviewer templates show``: what templates hold, and where."""
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
    note(*gaps.remarks(read))
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


def templates_convert_command(options: TemplatesConvertOptions) -> None:
    """``reviewer templates convert``: templates from one form into the other."""
    gaps = gap_templates()
    beside = read_rules(options.rules, gaps)
    read = read_templates(options.files, gaps, beside)
    note_unused_rules(gaps, beside, (template.group for template in read.templates))
    if options.form == "xml":
        if len(read.templates) != 1 or options.scenarios:
            raise RequestError("the published form holds one template and no scenarios; give one template.")
        print_text(gaps.published_text(read.templates[0]))
        return
    if options.scenarios:
        read = replace(read, scenarios=(*read.scenarios, *read_scenarios(options.scenarios)))
    print_text(templates_to_toml(read))


_MOST_CASES = 200_000


def templates_fill_command(options: TemplatesFillOptions) -> None:
    """``reviewer templates fill``: cases from templates with slots, without a model."""
    protocol = slot_protocol()
    slots = slot_templates()
    templates = read_slot_file(options.file, slots)
    if len(templates) * options.times > _MOST_CASES:
        raise RequestError(f"this gives more than {_MOST_CASES:,} cases; give a smaller number with --times.")
    cases = list(slots.cases(templates, options.times, options.seed))
    for made in cases:
        line = {
            "protocol": protocol.name,
            "group": made.case.group,
            "key": made.key,
            "generator": slots.filled_by,
            "payload": made.case.payload,
            "published": dict(made.published),
        }
        click.echo(as_json(line))
    groups = len(list(groupby(sorted(made.case.group for made in cases))))
    read = f"{counted(len(templates), 'template')} of {counted(groups, 'group')}"
    note(
        f"{read}, filled {options.times:,} {agreeing(options.times, 'time', 'times')}: "
        f"{counted(len(cases), 'case')}."
    )


def templates_nulls_command(options: TemplatesNullsOptions) -> None:
    """``reviewer templates nulls``: what the score of a test is for those who do not read it."""
    gaps = gap_templates()
    beside = read_rules(options.rules, gaps)
    templates = read_templates(options.files, gaps, beside).templates
    scores = gaps.null_scores(templates, rounded=options.form == "table")
    print_table(scores.table, options.form)
    note(*scores.notes)
    note_unused_rules(gaps, beside, (template.group for template in templates))


def templates_scores_command(options: TemplatesScoresOptions) -> None:
    """``reviewer templates scores``: published scores, computed again."""
    gaps = gap_templates()
    beside = read_rules(options.rules, gaps)
    where, rows = published_rows(options.file, gaps.score_columns, note)
    scores = gaps.published_scores(where, rows, beside, differing=options.differing)
    print_table(scores.table, options.form)
    note(*scores.notes)
    note_unused_rules(gaps, beside, (row["bias"] for row in rows))


_MOST_BYTES = 64 * 1024 * 1024


def templates_shares_command(options: TemplatesSharesOptions) -> None:
    """``reviewer templates shares``: published tables of shares by level, checked and summed up."""
    slots, texts = slot_templates(), _texts(options.files)
    if options.cells:
        shares = slots.compared_shares(texts, *published_rows(options.cells, slots.share_columns, note))
    else:
        shares = slots.published_shares(texts, options.view)
    print_table(shares.table, options.form)
    note(*shares.notes)


def _texts(files: tuple[Path, ...]) -> dict[str, str]:
    """The texts by the names of their files; files of one name are called by their paths."""
    texts: dict[str, str] = {}
    for file in files:
        alike = [other for other in files if other.name == file.name]
        where = repr(one_line(str(file))) if len(alike) > 1 else _named(file)
        if where in texts:
            raise InputError(where, "is given twice", "name it once")
        texts[where] = read_source_text(file, where, _MOST_BYTES, "give a file")
    return texts


def _named(file: Path) -> str:
    return repr(one_line(file.name or str(file)))  # a folder such as "." has no name


def templates_reading_command(options: TemplatesReadingOptions) -> None:
    """``reviewer templates reading``: how well free answers with known choices are read."""
    where = _named(options.file)
    text = read_source_text(options.file, where, _MOST_BYTES, "give a file of answers")
    readings = slot_templates().known_readings(text, where, errors=options.errors)
    print_table(readings.table, options.form)
    note(*readings.notes)


def gap_templates() -> GapTemplates:
    """The templates with gaps of the only protocol that offers such; raises RequestError."""
    return gap_templates_of(protocols_here())


def slot_protocol() -> Protocol:
    """The only protocol with templates with slots; raises RequestError."""
    able = (protocol for protocol in protocols_here().values() if protocol.slot_templates())
    none, several = "no protocol has templates with slots.", "several protocols have templates with slots"
    return the_only(able, none, several)


def slot_templates() -> SlotTemplates:
    """Its templates; raises RequestError."""
    slots = slot_protocol().slot_templates()
    assert slots is not None
    return slots


def note_unused_rules(gaps: GapTemplates, beside: Mapping[str, CaseTemplate], groups: Iterable[str]) -> None:
    """Say which rules nothing used, such as those of a misspelled group."""
    if unused := unused_rules(gaps, beside, groups):
        note(f"Rules that nothing here uses: {', '.join(map(one_line, unused))}.")
