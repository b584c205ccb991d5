"""Options that the commands share which find things out about a dataset."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from reviewer.core.check_result import SEVERITIES


class CheckName(click.ParamType):  # type: ignore[type-arg]
    """The name of a check; which there are is looked up when one is given."""

    name = "check"

    def __init__(self, names: Callable[[], Sequence[str]]) -> None:
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a check."""
        return str(click.Choice(self._names()).convert(value, param, ctx))


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
