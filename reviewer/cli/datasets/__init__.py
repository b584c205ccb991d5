"""``reviewer datasets``: the datasets of the store."""

import click

from reviewer.cli.declared_command import parameters_of
from reviewer.cli.lazy_group import LazyGroup
from reviewer.cli.options import name_store
from reviewer.options.datasets import DatasetListOptions
from reviewer.options.shared import Format

_COMMANDS = {
    "diff": "Show each passage of the case at KEY that differs between two of its versions.",
    "export": "Write a dataset as a file that `reviewer import` reads.",
    "hard": "Make a dataset of the cases that a model answered wrongly under every condition of a run.",
    "history": "List the revisions of DATASET, or of the case at KEY, oldest first.",
    "merge": "Merge datasets into a new one, and list the cases that were left out because they collide.",
    "revert": "Restore an earlier content of the case at KEY, with the values that were published with it.",
    "settle": (
        "List the cases of DATASET that two authors revised in different stores, or settle the case at KEY."
    ),
    "todo": "List the notes on what is to be done about the cases of DATASET, add one, or mark one as done.",
    "withdraw": "Withdraw the case at KEY of DATASET.",
}


@click.group(
    "datasets",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    params=list(parameters_of(DatasetListOptions)),
    invoke_without_command=True,
    epilog="Example: reviewer datasets --format json",
)
@click.pass_context
def datasets_command(ctx: click.Context, form: Format, store: str) -> None:
    """List, merge and export datasets, or show and change the history of a case."""
    name_store(ctx, store)
    if ctx.invoked_subcommand is None:
        from reviewer.cli.datasets.dataset_list import list_datasets

        list_datasets(form, store)
