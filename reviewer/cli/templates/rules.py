"""Rules beside a file: the option that names them, shared by the commands on templates."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from reviewer.cli.options import note
from reviewer.core.sanitize import one_line
from reviewer.exchange.rows.template_files import unused_rules
from reviewer.protocols.templates.case_template import CaseTemplate

rules_option = click.option(
    "--rules",
    type=click.Path(path_type=Path),
    metavar="FILE.toml",
    help="Values and rules by group: the TOML of templates, without variants. They count before those of "
    "the templates and of this program.",
)


def note_unused_rules(beside: Mapping[str, CaseTemplate], groups: Iterable[str]) -> None:
    """Say which rules nothing used, such as those of a misspelled group."""
    if unused := unused_rules(beside, groups):
        note(f"Rules that nothing here uses: {', '.join(map(one_line, unused))}.")
