"""``reviewer study close``: no more verdicts are taken."""

from reviewer.cli.options import note, open_store
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, is_blank
from reviewer.options.study import StudyCloseOptions
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.closing import close_study


def study_close_command(options: StudyCloseOptions) -> None:
    """Carry out ``reviewer study close``."""
    if options.why is not None and is_blank(options.why):
        raise RequestError("--why is empty; say in a few words why the study closes now, or leave --why out.")
    act = close_study(
        open_store(options.store, must_exist=True),
        options.name,
        options.who,
        options.why or "",
        anyway=options.anyway,
    )
    held = len(act.held)
    note(f"{options.name}: {act_in_words(act)}; {counted(held, 'event')} {agreeing(held, 'is', 'are')} in.")
    note(f"Decide where raters disagree: reviewer adjudicate {options.name} --as YOUR-NAME")
