"""``reviewer study lead``: names a lead of a study."""

import os

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.study.acts import as_option
from reviewer.core.errors import RequestError
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.leads import name_lead


@click.command("lead", epilog="Example: reviewer study lead pilot maria --as tom")
@click.argument("study", metavar="STUDY")
@click.argument("name", metavar="NAME")
@as_option
@store_option
def study_lead_command(study: str, name: str, who: str, store: str) -> None:
    """Make NAME a lead of STUDY. Other leads stay, and the person who created a study is its first lead.

    A lead sees the raters' progress and warnings about them at any time. A lead who is not a rater sees
    agreement, labels and results once all raters have finished or the study is closed. A lead who also rates
    stays blind until they have finished. The study's log and its report say who its leads are.

    Names prove nothing: anybody who can open the store can give any name. The command
    does not work in a pack or in a browser window, nor for a rater's database user on a server, nor for a
    rater with open cases.
    """
    if os.environ.get("TEXTUAL_DRIVER"):  # set in the processes of browser windows
        raise RequestError("a browser window serves one rater; name the lead on the machine of the store.")
    act = name_lead(open_store(store, must_exist=True), study, name, who)
    note(f"{study}: {act_in_words(act)}.")
