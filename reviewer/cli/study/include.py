"""``reviewer study include``: counts a rater again who was left out."""

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.study.acts import as_option
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.left_out_raters import count_again


@click.command("include", epilog="Example: reviewer study include pilot ben --as maria --why 'a mix-up'")
@click.argument("study", metavar="STUDY")
@click.argument("rater", metavar="RATER")
@as_option
@click.option("--why", default="", help="The reason. It is kept with the study.")
@store_option
def study_include_command(study: str, rater: str, who: str, why: str, store: str) -> None:
    """Count the answers of RATER in STUDY again, after `reviewer study exclude` left them out.

    Both decisions stay on the record.
    """
    act = count_again(open_store(store, must_exist=True), study, rater, who, why)
    note(f"{study}: {act_in_words(act)}.")
