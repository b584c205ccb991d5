"""Options of ``reviewer audit``."""

from typing import ClassVar, Literal

from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.option import argument, command_options, flag, option, several
from reviewer.options.shared import (
    InStore,
    Tabled,
    WithoutJail,
    Workers,
    listed,
)

DIMENSIONS = ("dataset", "group", "check")
"""What findings can be counted by."""


def _counted_by(text: str) -> tuple[str, ...]:
    for part in (names := listed(text)):
        if part not in DIMENSIONS:
            raise ValueError(f"cannot count by {part!r}; choose of {', '.join(DIMENSIONS)}")
    return names


@command_options
class AuditOptions(Workers, WithoutJail, Tabled, InStore):
    """Audit every case of a dataset and list the findings.

    If a case comes with logic programs, the audit runs the programs and checks how they reach their decision.
    `reviewer check` also checks the form and similarity of their texts. Other cases are checked by the rules
    of their protocol, if it has any. Results are saved during the audit. You can interrupt it at any time:
    the next call skips the cases that are done. A finding is a warning sign, not a proof of a wrong label. If
    a program did not run, the checks that need it are shown as not tested and count as neither passed nor
    failed.

    A protocol may also check the dataset as a whole, for example how often each value occurs. Every call of
    the command computes these findings again and prints them above the findings on cases. With
    --whole-dataset, only these findings are listed.
    """

    example: ClassVar[str] = "reviewer audit gpt-4o-mini --summary check"
    dataset: str = argument("DATASET")
    checks: tuple[str, ...] = several("Show only this check; may be repeated.", "--check", metavar="NAME")
    severities: tuple[Literal["serious", "doubtful", "untidy"], ...] = several(
        "Show only findings of this severity; may be repeated.", "--severity"
    )
    by: tuple[str, ...] | None = option(
        f"Count findings by any of {', '.join(DIMENSIONS)}, separated by commas, and do not list them.",
        "--summary",
        metavar="LIST",
        parse=_counted_by,
    )
    dismissed: bool = flag("Show dismissed findings too, with who dismissed them and why.")
    not_tested: bool = flag("Also list the checks that could not run, with the reason.")
    whole_dataset: bool = flag(
        "List only findings about the dataset as a whole, such as a value that occurs too often."
    )
    values: bool = flag(
        "List the counts behind the findings about the whole dataset: one row for each value or repeated "
        "case."
    )
    cluster: ClusterOptions
    dry_run: bool = flag(
        "Estimate time, cost and storage of the audit, from a few of its cases. Nothing is written."
    )
    again: bool = flag("Audit every case again, even if its audit is up to date.")
