"""``reviewer study lead``: names a lead of a study."""

import os

from reviewer.cli.options import note, open_store
from reviewer.core.errors import RequestError
from reviewer.options.study import StudyLeadOptions
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.leads import name_lead


def study_lead_command(options: StudyLeadOptions) -> None:
    """Carry out ``reviewer study lead``."""
    if os.environ.get("TEXTUAL_DRIVER"):  # set in the processes of browser windows
        raise RequestError("a browser window serves one rater; name the lead on the machine of the store.")
    act = name_lead(open_store(options.store, must_exist=True), options.study, options.name, options.who)
    note(f"{options.study}: {act_in_words(act)}.")
