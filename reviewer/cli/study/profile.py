"""``reviewer study profile``: what a rater tells of themselves."""

import click

from reviewer.cli.options import open_store, store_option
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import is_single_line
from reviewer.study.design.study_bundle import load_study
from store.studies import set_profile

_PROFILE_EXAMPLE = "Example: reviewer study profile pilot --rater anna --degree MSc --years 5"


@click.command("profile", epilog=_PROFILE_EXAMPLE)
@click.argument("name", metavar="STUDY")
@click.option("--rater", required=True, help="The rater to describe.")
@click.option("--field", help="Field of work or study.")
@click.option("--degree", help="Highest degree.")
@click.option("--years", type=click.IntRange(0, 100), help="Years of experience.")
@store_option
def study_profile_command(
    name: str, rater: str, field: str | None, degree: str | None, years: int | None, store: str
) -> None:
    """Record a rater's background. The report sums it up without names. Each call replaces
    the whole profile: what you do not give this time is deleted."""
    database = open_store(store, must_exist=True)
    load_study(database, name)
    for value in (field, degree):
        if value is not None and (len(value) > 200 or not is_single_line(value)):
            raise RequestError("a field or degree is one line of at most 200 characters.")
    try:
        set_profile(database, name, rater, field or None, degree or None, years)
    except KeyError as error:
        raise RequestError(
            f"rater {rater!r} is not in study {name!r}; see `reviewer progress {name}`."
        ) from error
