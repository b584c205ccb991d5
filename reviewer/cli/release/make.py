"""``reviewer release make``: a sealed version of a dataset, as a folder."""

import sys
from contextlib import closing
from typing import TYPE_CHECKING

import click

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.viewer import check_published
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.options.release import ReleaseMakeOptions

if TYPE_CHECKING:
    from reviewer.exchange.releases.release_making import PlannedRelease
    from store.database import Database
    from store.records import Citation


def release_make_command(options: ReleaseMakeOptions) -> None:
    """Carry out ``reviewer release make``."""
    from reviewer.exchange.releases.release_content import ReleaseOptions
    from reviewer.exchange.releases.release_making import plan_release, write_release

    choice = ReleaseOptions(
        passed=tuple(dict.fromkeys(options.passed)),
        without=tuple(dict.fromkeys(options.without)),
        with_withdrawn=options.with_withdrawn,
        names=options.names,
        reasons=options.reasons,
    )
    with closing(open_store(options.store, must_exist=True)) as database:
        check_published(database, options.dataset)
        citation = _citation(database, options.dataset, options.licence, options.authors, options.contact)
        planned = plan_release(database, citation, options.version, choice, parquet=options.parquet)
        print_table(planned.listing, options.form)
        _tell(planned)
        if options.dry_run:
            note("Nothing was written.")
            return
        if not options.yes and sys.stdin.isatty() and not click.confirm(f"Write {options.folder}?", err=True):
            raise RequestError("nothing was written.")
        new = write_release(database, planned, citation, options.folder)
    note(visible(f"{options.folder}: {planned.content.title}{'' if new else ' was there already'}."))
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
