"""``reviewer study close``: no more verdicts are taken."""

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.study.acts import as_option
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, is_blank
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.closing import close_study


@click.command("close", epilog="Example: reviewer study close pilot --as lead --why 'all three are done'")
@click.argument("name", metavar="STUDY")
@as_option
@click.option("--why", help="The reason for closing now. It is kept with the study.")
@click.option("--anyway", is_flag=True, help="Close the study even if raters have not finished.")
@store_option
def study_close_command(name: str, who: str, why: str | None, anyway: bool, store: str) -> None:
    """Close a study. Raters can still look at it, but can no longer answer.

    Verdicts that arrive later are kept apart and not counted. Closing opens adjudication.
    """
    if why is not None and is_blank(why):
        raise RequestError("--why is empty; say in a few words why the study closes now, or leave --why out.")
    act = close_study(open_store(store, must_exist=True), name, who, why or "", anyway=anyway)
    held = len(act.held)
    note(f"{name}: {act_in_words(act)}; {counted(held, 'event')} {agreeing(held, 'is', 'are')} in.")
    note(f"Decide where raters disagree: reviewer adjudicate {name} --as YOUR-NAME")
