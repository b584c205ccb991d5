"""``reviewer study reopen``: a closed study takes verdicts again."""

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.study.acts import as_option
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.closing import reopen_study


@click.command("reopen", epilog="Example: reviewer study reopen pilot --as lead --why 'ben was cut off'")
@click.argument("name", metavar="STUDY")
@as_option
@click.option("--why", required=True, help="The reason. It is kept with the study.")
@store_option
def study_reopen_command(name: str, who: str, why: str, store: str) -> None:
    """Reopen a closed study. It takes verdicts again, and late verdicts now count."""
    act = reopen_study(open_store(store, must_exist=True), name, who, why)
    note(f"{name}: {act_in_words(act)}.")
