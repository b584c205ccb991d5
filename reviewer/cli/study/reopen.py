"""``reviewer study reopen``: a closed study takes verdicts again."""

from reviewer.cli.options import note, open_store
from reviewer.options.study import StudyReopenOptions
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.closing import reopen_study


def study_reopen_command(options: StudyReopenOptions) -> None:
    """Carry out ``reviewer study reopen``."""
    act = reopen_study(open_store(options.store, must_exist=True), options.name, options.who, options.why)
    note(f"{options.name}: {act_in_words(act)}.")
