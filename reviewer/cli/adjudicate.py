"""``reviewer adjudicate``: decisions where raters disagree."""

import click

from reviewer.cli.app_launch import need_terminal, open_app
from reviewer.cli.options import note, open_store, store_option
from reviewer.study.adjudication.adjudication_session import admit_rater
from reviewer.study.session.rater_progress import progress_of


@click.command("adjudicate", epilog="Example: reviewer adjudicate pilot --as zoe")
@click.argument("name", metavar="STUDY")
@click.option("--as", "who", required=True, help="Your name; decisions are saved under it.")
@click.option(
    "--allow-rater",
    "lead",
    metavar="LEAD",
    help="If you are a rater of the study: the name of the lead who lets you decide; it is recorded.",
)
@store_option
def adjudicate_command(name: str, who: str, lead: str | None, store: str) -> None:
    """Decide where raters disagree: see each verdict and comment, nameless, and give a label and a reason.

    The queue opens to raters of the study once it is closed or all have finished, and only if its lead lets
    them; whoever else opens it has seen the verdicts, and can no longer rate in the study. Decisions are
    kept apart from raters' verdicts and count in no agreement.
    """
    database = open_store(store, must_exist=True)
    progress_of(database, name)
    need_terminal()
    if lead is not None:
        admit_rater(database, name, lead, who)
    open_app(database, who, name, adjudicating=True)
    note(f"The final labels: reviewer labels {name}")
