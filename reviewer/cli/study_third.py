"""``reviewer study third``: asks raters for third votes where two disagree."""

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.core.table import Table
from reviewer.options.study import StudyThirdOptions
from reviewer.study.design.asking_third_votes import ask_third_votes


def study_third_command(options: StudyThirdOptions) -> None:
    """Carry out ``reviewer study third``."""
    asked = ask_third_votes(open_store(options.store, must_exist=True), options.study, options.who)
    rows = [(act.subject, len(act.held), sum(act.unfinished.values())) for act in asked.acts]
    print_table(Table.of(("rater", "cases", "verdicts"), rows), options.form)
    note(*asked.remarks)
    if asked.acts:
        note(
            "Raters find these cases after their others. Who works in a pack needs a new one: "
            f"reviewer study pack {options.study} --rater RATER -o FILE"
        )
    else:
        note("Nobody was asked: no case with both votes needs a third one now.")
