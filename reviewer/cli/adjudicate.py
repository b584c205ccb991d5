"""``reviewer adjudicate``: decisions where raters disagree."""

from reviewer.cli.app_launch import need_terminal, open_app
from reviewer.cli.options import note, open_store
from reviewer.options.adjudicate import AdjudicateOptions
from reviewer.study.adjudication.adjudication_session import admit_rater
from reviewer.study.session.rater_progress import progress_of


def adjudicate_command(options: AdjudicateOptions) -> None:
    """Carry out ``reviewer adjudicate``."""
    database = open_store(options.store, must_exist=True)
    progress_of(database, options.name)
    need_terminal()
    if options.lead is not None:
        admit_rater(database, options.name, options.lead, options.who)
    open_app(database, options.who, options.name, adjudicating=True)
    note(f"The final labels: reviewer labels {options.name}")
