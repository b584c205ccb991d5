"""``reviewer study include``: counts a rater again who was left out."""

from reviewer.cli.options import note, open_store
from reviewer.options.study import StudyIncludeOptions
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.left_out_raters import count_again


def study_include_command(options: StudyIncludeOptions) -> None:
    """Carry out ``reviewer study include``."""
    act = count_again(
        open_store(options.store, must_exist=True), options.study, options.rater, options.who, options.why
    )
    note(f"{options.study}: {act_in_words(act)}.")
