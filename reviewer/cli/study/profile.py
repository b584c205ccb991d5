"""``reviewer study profile``: what a rater tells of themselves."""

from reviewer.cli.options import open_store
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import is_single_line
from reviewer.options.study import StudyProfileOptions
from reviewer.study.design.study_bundle import load_study
from store.studies import set_profile


def study_profile_command(options: StudyProfileOptions) -> None:
    """Carry out ``reviewer study profile``."""
    database = open_store(options.store, must_exist=True)
    load_study(database, options.name)
    for value in (options.field, options.degree):
        if value is not None and (len(value) > 200 or not is_single_line(value)):
            raise RequestError("a field or degree is one line of at most 200 characters.")
    try:
        set_profile(
            database,
            options.name,
            options.rater,
            options.field or None,
            options.degree or None,
            options.years,
        )
    except KeyError as error:
        raise RequestError(
            f"rater {options.rater!r} is not in study {options.name!r}; "
            f"see `reviewer progress {options.name}`."
        ) from error
