"""``reviewer adjudicate``: decisions where raters disagree."""

import click

from reviewer.cli.app_launch import need_terminal, open_app
from reviewer.cli.options import note, open_store, store_option
from reviewer.study.adjudication.adjudication_session import admit_rater
from reviewer.study.session.rater_progress import progress_of


@click.command("adjudicate", epilog="Example: reviewer adjudicate pilot --as zoe")
@click.argument("name", metavar="STUDY")
@click.option("--as", "who", required=True, help="Your name. Decisions are saved under it.")
@click.option(
    "--allow-rater",
    "lead",
    metavar="LEAD",
    help="If you are a rater of the study: the name of the lead (not your own) who allows you to "
    "adjudicate. It is recorded.",
)
@store_option
def adjudicate_command(name: str, who: str, lead: str | None, store: str) -> None:
    """Decide the cases on which raters disagree. You see all verdicts and comments without names.

    For raters and leads of the study, adjudication opens once the study is closed or all raters have
    finished. Raters also need the lead's permission (--allow-rater). Anybody else can begin before that;
    `reviewer labels` says where votes changed after a decision. If you are not a rater and open it, you
    cannot become a rater of this study afterwards, because you have seen the verdicts. Decisions are kept
    apart from the raters' verdicts and do not count in agreement.
    """
    database = open_store(store, must_exist=True)
    progress_of(database, name)
    need_terminal()
    if lead is not None:
        admit_rater(database, name, lead, who)
    open_app(database, who, name, adjudicating=True)
    note(f"The final labels: reviewer labels {name}")
