"""``reviewer study exclude``: leaves a rater out of a study's numbers."""

from reviewer.cli.options import note, open_store
from reviewer.options.study import StudyExcludeOptions
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.left_out_raters import leave_out


def study_exclude_command(options: StudyExcludeOptions) -> None:
    """Carry out ``reviewer study exclude``."""
    act = leave_out(
        open_store(options.store, must_exist=True), options.study, options.rater, options.who, options.why
    )
    note(f"{options.study}: {act_in_words(act)}.")
