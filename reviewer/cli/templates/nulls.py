"""``reviewer templates nulls``: what the score of a test is for those who do not read it."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table
from reviewer.cli.templates.rules import note_unused_rules, rules_option
from reviewer.core.errors import InputError
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.sanitize import agreeing, one_line
from reviewer.core.table import Cell, Table
from reviewer.exchange.rows.template_files import read_rules, read_templates
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.template_faults import rests_on_outside
from reviewer.protocols.treatment_tests.score import (
    SIZE_CAUTION,
    NullScores,
    missing_rules,
    null_scores,
    template_weights,
)

_NAMES = tuple(field.name for field in fields(NullScores))
_COLUMNS = ("group", "options", *_NAMES, "remark")
_DIGITS = 6


@click.command("nulls", epilog="Example: reviewer templates nulls templates.toml --format csv")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@rules_option
@format_option
def templates_nulls_command(files: tuple[Path, ...], rules: Path | None, form: Format) -> None:
    """Print the exact mean score of a coin and of constant answers, for the template of each group.

    coin: the mean score if both decisions are drawn at random. size: the mean absolute score of that coin.
    first, middle, last: the mean score if this option is always chosen. first_place: the mean score if the
    option in the first place of the list is always chosen. In one half of the cases this is the last option,
    because the list is reversed. Parameters are sampled as the template says. The column remark says which
    rule or value a template lacks; give it with --rules.
    """
    beside = read_rules(rules)
    templates = read_templates(files, beside).templates
    rows = [(template, _nulls(template)) for template in templates]
    _check_any(rows)
    print_table(Table.of(_COLUMNS, [tuple(_row(template, nulls, form)) for template, nulls in rows]), form)
    known = [(template, nulls) for template, nulls in rows if isinstance(nulls, NullScores)]
    if shifted := [one_line(template.group) for template, nulls in known if nulls.is_shifted]:
        scores = agreeing(len(shifted), "A coin does not score 0 on", "A coin does not score 0 on any of")
        note(f"{scores} {', '.join(shifted)}: compare its scores with the coin's, not with 0.")
    if len(known) < len(rows):
        lacking = (one_line(template.group) for template, nulls in rows if isinstance(nulls, str))
        note(f"Rules or values are missing: {', '.join(lacking)}. Give them with --rules FILE.")
    note(SIZE_CAUTION)
    note_unused_rules(beside, (template.group for template in templates))


def _nulls(template: CaseTemplate) -> NullScores | str:
    """The scores, or what the template lacks for them."""
    if missing := missing_rules(template):
        return f"no rule for {missing[0]}"
    used = [name for rule in template.rules.values() for name in rule.names]
    if outside := [name for name in used if rests_on_outside(template, [name])]:
        return f"value {outside[0]} is computed elsewhere"
    return null_scores(_options(template), template_weights(template))


def _check_any(rows: Sequence[tuple[CaseTemplate, NullScores | str]]) -> None:
    """Raise InputError if no template has what its scores need."""
    if all(isinstance(nulls, str) for _, nulls in rows):
        template, lacks = rows[0]
        wrong = f"the template of {one_line(template.group)!r} has {lacks}"
        raise InputError(template.where, wrong, "give it with --rules FILE")


def _options(template: CaseTemplate) -> int:
    return len(template.variants[0].control.options)


def _row(template: CaseTemplate, nulls: NullScores | str, form: Format) -> Iterator[Cell]:
    yield template.group
    yield _options(template)
    if isinstance(nulls, str):
        yield from [None] * len(_NAMES)
        yield nulls
        return
    for name in _NAMES:
        number = float(getattr(nulls, name))
        yield fixed(number, _DIGITS) if form == "table" else all_digits(number)
    yield "a coin does not score 0" if nulls.is_shifted else ""
