"""``reviewer study close``."""

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, is_blank
from reviewer.options.study import StudyCloseOptions
from reviewer.study.adjudication.adjudication_session import disputes
from reviewer.study.adjudication.open_disputes import undecided_slots
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.closing import close_study
from reviewer.study.integrity.quarantine import read_study


def study_close_command(options: StudyCloseOptions) -> None:
    """``reviewer study close``: no more verdicts are taken."""
    if options.why is not None and is_blank(options.why):
        raise RequestError("--why is empty; say in a few words why the study closes now, or leave --why out.")
    database = open_store(options.store)
    act = close_study(database, options.name, options.who, options.why or "", anyway=options.anyway)
    held = len(act.held)
    note(f"{options.name}: {act_in_words(act)}; {counted(held, 'event')} {agreeing(held, 'is', 'are')} in.")
    disputed = len(disputes(*read_study(database, options.name)))
    undecided = sum(1 for _ in undecided_slots(database, options.name)) if disputed else 0
    note(_disputes_in_words(options.name, disputed, undecided))


def _disputes_in_words(name: str, disputed: int, undecided: int) -> str:
    """What is left to decide in a study that was just closed."""
    if not disputed:
        return "No votes of raters differ, so there is nothing to adjudicate."
    if not undecided:
        items = "The item" if disputed == 1 else f"All {counted(disputed, 'item')}"
        return f"{items} on which votes differ {agreeing(disputed, 'is', 'are')} decided."
    items = f"{counted(undecided, 'item')} on which votes differ"
    return f"Decide {'the' if undecided == 1 else 'these'} {items}: reviewer adjudicate {name} --as YOUR-NAME"
