"""``reviewer release make``: a sealed version of a dataset, as a folder."""

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.viewer import check_published
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.options.shared import Format

if TYPE_CHECKING:
    from reviewer.exchange.releases.release_making import PlannedRelease
    from store.database import Database
    from store.records import Citation


@click.command(
    "make",
    epilog="Example: reviewer release make first --version 1.1 --passed experts -o first-1.1",
)
@click.argument("dataset", metavar="DATASET")
@click.option("--version", required=True, metavar="VERSION", help="Its version, such as 1.1.")
@click.option(
    "-o",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The folder to create.",
)
@click.option(
    "--passed",
    multiple=True,
    metavar="STUDY",
    help="Keep only cases that passed every question of this closed study by their final labels. "
    "May be repeated.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="CHECK",
    help="Leave out cases where a finding of this check stands. May be repeated.",
)
@click.option("--with-withdrawn", is_flag=True, help="Include withdrawn cases.")
@click.option("--names", is_flag=True, help="Publish the names of raters and maintainers.")
@click.option("--reasons", is_flag=True, help="Publish the reasons that people gave for changes.")
@click.option("--parquet", is_flag=True, help="Write the cases as parquet too (needs the extra `parquet`).")
@click.option("--licence", metavar="NAME", help="Licence, such as CC-BY-4.0. It is kept for later releases.")
@click.option(
    "--author",
    "authors",
    multiple=True,
    metavar="NAME",
    help="An author. May be repeated. Authors are kept for later releases.",
)
@click.option(
    "--contact", metavar="TEXT", help="Whom to ask about the dataset. It is kept for later releases."
)
@click.option("--dry-run", is_flag=True, help="List what would be published, and write nothing.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@format_option
@store_option
def release_make_command(
    dataset: str,
    version: str,
    folder: Path,
    passed: tuple[str, ...],
    without: tuple[str, ...],
    with_withdrawn: bool,
    names: bool,
    reasons: bool,
    parquet: bool,
    licence: str | None,
    authors: tuple[str, ...],
    contact: str | None,
    dry_run: bool,
    yes: bool,
    form: Format,
    store: str,
) -> None:
    """Write a version of DATASET as a folder with data, card, changelog, metadata and checksums.

    A version never changes: the same store, version and options give the same files, and a version that
    exists with other content is refused. What is published is listed before it is written. People appear as
    numbers, and comments, notes and reasons stay out, unless you ask for them. Raters who still have cases of
    the dataset to answer cannot make one.
    """
    from reviewer.exchange.releases.release_content import ReleaseOptions
    from reviewer.exchange.releases.release_making import plan_release, write_release

    options = ReleaseOptions(
        passed=tuple(dict.fromkeys(passed)),
        without=tuple(dict.fromkeys(without)),
        with_withdrawn=with_withdrawn,
        names=names,
        reasons=reasons,
    )
    with closing(open_store(store, must_exist=True)) as database:
        check_published(database, dataset)
        citation = _citation(database, dataset, licence, authors, contact)
        planned = plan_release(database, citation, version, options, parquet=parquet)
        print_table(planned.listing, form)
        _tell(planned)
        if dry_run:
            note("Nothing was written.")
            return
        if not yes and sys.stdin.isatty() and not click.confirm(f"Write {folder}?", err=True):
            raise RequestError("nothing was written.")
        new = write_release(database, planned, citation, folder)
    note(visible(f"{folder}: {planned.content.title}{'' if new else ' was there already'}."))
    note(f"Seal {planned.release.seal}. Check it with `reviewer release verify FOLDER`.")


def _tell(planned: "PlannedRelease") -> None:
    """Say what is published: how many cases, which were left out, and what of people."""
    from reviewer.exchange.releases.pages import left_out_words, lost_balance, right_option_words

    content = planned.content
    note(f"Published: {len(content.cases):,} of {counted(content.places, 'case')}.")
    for left in content.left_out:
        note(visible(f"Left out: {counted(left.cases, 'case')}, {left_out_words(left)}."))
    if balance := right_option_words(content):
        note(visible(balance))
    if lost_balance(content) and content.options.without:
        checks = " ".join(f"--without {check}" for check in content.options.without)
        note(visible(f"To balance what is left: reviewer repair {content.dataset} --balance {checks}"))
    if untested := content.audit.not_tested:
        note(f"On {counted(untested, 'published case')} at least one check could not run.")
    fields = ", ".join((*content.fields, *content.extras)) or "none"
    note(visible(f"Values published with the cases: {fields}."))
    if planned.unloadable:
        note(
            visible(
                "The Hugging Face Hub cannot load these files, since values of several types are in "
                f"{', '.join(planned.unloadable)}. Add --parquet, which holds them as text."
            )
        )
    people = "names of raters and maintainers" if content.options.names else "numbers in place of names"
    words = "the reasons of changes" if content.options.reasons else "no comments, notes or reasons"
    note(f"People: {people}; {words}.")


def _citation(
    database: "Database",
    dataset: str,
    licence: str | None,
    authors: tuple[str, ...],
    contact: str | None,
) -> "Citation":
    """Licence, authors and contact: given now, kept from an earlier release, or asked for at the keyboard."""
    from reviewer.exchange.releases.release_making import known_citation, said_citation

    kept = known_citation(database, dataset)
    if sys.stdin.isatty():
        licence = (
            licence or kept.licence or click.prompt("Licence of the dataset, such as CC-BY-4.0", err=True)
        )
        authors = authors or tuple(kept.authors) or _asked_authors()
        contact = contact or kept.contact or click.prompt("Whom may people ask about it", err=True)
    return said_citation(kept, licence, authors, contact)


def _asked_authors() -> tuple[str, ...]:
    said: str = click.prompt("Authors, separated by semicolons", err=True)
    return tuple(filter(None, (name.strip() for name in said.split(";"))))
