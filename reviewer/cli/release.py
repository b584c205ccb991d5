"""``reviewer release``: sealed versions of datasets."""

import sys
from typing import TYPE_CHECKING

import click

from reviewer.cli.cluster_work import confined_programs_on
from reviewer.cli.printing import note, print_rows, print_table, progress_bars
from reviewer.cli.store_access import open_store, protocols_here
from reviewer.cli.viewer import check_influence
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.options.release import (
    ReleaseDiffOptions,
    ReleaseListOptions,
    ReleaseMakeOptions,
    ReleaseVerifyOptions,
)
from reviewer.study.session.blinding import Influence
from store.cases import get_dataset, list_datasets
from store.records import Citation, Release
from store.releases import releases_of

if TYPE_CHECKING:
    from reviewer.exchange.releases.release_making import PlannedRelease
    from store.database import Database


def release_make_command(options: ReleaseMakeOptions) -> None:
    """``reviewer release make``: a sealed version of a dataset, as a folder."""
    from reviewer.exchange.releases.release_content import ReleaseOptions
    from reviewer.exchange.releases.release_making import plan_release, write_release, write_tasks

    choice = ReleaseOptions(
        passed=tuple(dict.fromkeys(options.passed)),
        without=tuple(dict.fromkeys(options.without)),
        with_withdrawn=options.with_withdrawn,
        names=options.names,
        reasons=options.reasons,
        hold_out=options.hold_out,
    )
    database = open_store(options.store)
    check_influence(database, options.dataset, Influence.PUBLISHED)
    citation = _citation(database, options.dataset, options.licence, options.authors, options.contact)
    planned = plan_release(
        database,
        citation,
        options.version,
        choice,
        parquet=options.parquet,
        without_labels=options.without_labels,
        harnesses=options.harnesses,
    )
    print_table(planned.listing, options.form)
    _tell(planned)
    if options.dry_run:
        note("Nothing was written.")
        return
    if not options.yes and sys.stdin.isatty() and not click.confirm(f"Write {options.folder}?", err=True):
        raise RequestError("nothing was written.")
    new = write_release(database, planned, citation, options.folder)
    note(*(f"Task: {task}." for task in write_tasks(planned, options.folder)))
    note(f"{options.folder}: {planned.content.title}{'' if new else ' was there already'}.")
    note(f"Seal {planned.release.seal}. Check it with `reviewer release verify FOLDER`.")


def _tell(planned: "PlannedRelease") -> None:
    """Describe the release: the number of cases, cases left out, and data on people."""
    from reviewer.exchange.releases.release_pages import left_out_words, lost_balance, right_option_words

    content = planned.content
    note(f"Published: {len(content.cases):,} of {counted(content.places, 'case')}.")
    note(*(f"Left out: {counted(left.cases, 'case')}, {left_out_words(left)}." for left in content.left_out))
    if balance := right_option_words(content):
        note(balance)
    if lost_balance(content) and content.options.without:
        checks = " ".join(f"--without {check}" for check in content.options.without)
        note(f"To balance what is left: reviewer repair {content.dataset} --balance {checks}")
    if untested := content.audit.not_tested:
        note(f"On {counted(untested, 'published case')} at least one check could not run.")
    fields = ", ".join((*content.fields, *content.extras)) or "none"
    note(f"Values published with the cases: {fields}.")
    if planned.unloadable:
        note(
            "The Hugging Face Hub cannot load these files, since values of several types are in "
            f"{', '.join(planned.unloadable)}. Add --parquet, which holds them as text."
        )
    note(*(f"Labels of study {name} are published, by numbers of raters." for name in planned.published))
    note(*(f"Labels of study {name} stay out: {why}." for name, why in planned.withheld.items()))
    note(
        *(
            f"Withdrawn from study {study.name}: {counted(study.withdrawn_labels, 'label')} of "
            f"{counted(study.withdrawn_raters, 'rater')}, which stay out."
            for study in content.studies
            if study.withdrawn_raters
        )
    )
    people = "names of raters and maintainers" if content.options.names else "numbers in place of names"
    words = (
        "the reasons of changes and the words of readers"
        if content.options.reasons
        else "no comments, notes or reasons"
    )
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


_COLUMNS = ("dataset", "release", "version", "cases", "origin", "at", "program", "seal")


def release_list_command(options: ReleaseListOptions) -> None:
    """``reviewer release list``: the releases that the store made or imported."""
    with open_store(options.store).read() as session:
        if options.dataset is not None:
            get_dataset(session, options.dataset)
        names = (
            [listed.name for listed in list_datasets(session)]
            if options.dataset is None
            else [options.dataset]
        )
        releases = releases_of(session, names)
    print_table(Table.of(_COLUMNS, [_row(release) for release in releases]), options.form)
    if not releases:
        note("No releases yet. Example: reviewer release make first --version 1.0 -o first-1.0")


def _row(release: Release) -> tuple[str | int | None, ...]:
    cases = release.content.get("cases")
    counted = len(cases) if isinstance(cases, dict) else None
    return (
        *(release.dataset, release.name, release.version, counted),
        *(release.origin, release.at, release.program, release.seal),
    )


def release_verify_command(options: ReleaseVerifyOptions) -> None:
    """``reviewer release verify``: whether a release is whole and agrees with itself."""
    from reviewer.exchange.releases.decision_rerun import decisions_check
    from reviewer.exchange.releases.release_checks import checks_table, failure_words, proved_words
    from reviewer.exchange.releases.release_folder import read_folder
    from reviewer.exchange.releases.verification import verified

    verification = verified(read_folder(options.folder), protocols_here())
    checks = [*verification.checks]
    if verification.whole and verification.manifest and verification.rows is not None:
        with confined_programs_on(options.cluster) as runner, progress_bars() as progress:
            content, rows = verification.manifest.content, verification.rows
            checks.append(decisions_check(content, rows, verification.protocols, runner, progress))
    print_table(checks_table(checks), options.form)
    if wrong := failure_words(checks):
        raise RequestError(wrong)
    note(*proved_words(checks))


def release_diff_command(options: ReleaseDiffOptions) -> None:
    """``reviewer release diff``: what moved between two releases."""
    from reviewer.exchange.releases.release_diff import (
        DIFFERENCES,
        differences,
        differences_in_words,
        exclusions,
        read_release,
        unchanged,
    )

    old, new = (read_release(folder, protocols_here()) for folder in (options.old, options.new))
    if options.listed == "differences":
        print_rows(DIFFERENCES, differences(old, new), options.form)
    else:
        print_table((exclusions if options.listed == "exclusions" else unchanged)(old, new), options.form)
    note(differences_in_words(old, new))
