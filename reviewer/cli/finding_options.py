"""Options that the commands share which find things out about a dataset."""

import click

from reviewer.oracle.evidence import SEVERITIES

severity_option = click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.Choice(SEVERITIES),
    help="Show only findings of this severity; may be repeated.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Number of worker processes. Default: one per core."
)
