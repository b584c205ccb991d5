"""``reviewer study exclude``: leaves a rater out of a study's numbers."""

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.study.acts import as_option
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.left_out_raters import leave_out


@click.command(
    "exclude", epilog="Example: reviewer study exclude pilot ben --as maria --why 'ben wrote the items'"
)
@click.argument("study", metavar="STUDY")
@click.argument("rater", metavar="RATER")
@as_option
@click.option("--why", required=True, help="The reason. It is kept with the study and printed in the report.")
@store_option
def study_exclude_command(study: str, rater: str, who: str, why: str, store: str) -> None:
    """Leave RATER out of agreement, pass rates and final labels of STUDY.

    Nothing is deleted: the rater's answers stay in the ledger and are exported, marked as left out.
    `reviewer agreement --both-ways` and the report show the results with and without them, and the reason.
    `reviewer study include` takes it back. The command does not work in a pack, nor for a rater's database
    user on a server.
    """
    act = leave_out(open_store(store, must_exist=True), study, rater, who, why)
    note(f"{study}: {act_in_words(act)}.")
