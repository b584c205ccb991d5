"""Options of ``reviewer release``."""

from typing import ClassVar

from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.option import FilePath, argument, command_options, flag, option, several
from reviewer.options.shared import InStore, Tabled


@command_options
class ReleaseVerifyOptions(Tabled):
    """Check a release: its files, seal, cases, counts and pages.

    Every program is run again, and its decision compared. Nothing is fetched, and programs run only in a
    jail. Without SWI-Prolog or a jail, decisions are not checked, and the table says so. If only the card was
    edited by hand, the table says "edited": the data can still be sound. Any other difference is a failure,
    with exit code 2.
    """

    example: ClassVar[str] = "reviewer release verify first-1.1"
    folder: FilePath = argument("FOLDER")
    cluster: ClusterOptions


@command_options
class ReleaseMakeOptions(Tabled, InStore):
    """Write a version of DATASET as a folder with data, card, changelog, metadata and checksums.

    A version never changes: the same store, version and options give the same files, and a version that
    exists with other content is refused. What is published is listed before it is written. People appear as
    numbers, and comments, notes and reasons stay out, unless you ask for them. Raters who still have cases of
    the dataset to answer cannot make one.
    """

    example: ClassVar[str] = "reviewer release make first --version 1.1 --passed experts -o first-1.1"
    dataset: str = argument("DATASET")
    version: str = option("Its version, such as 1.1.", required=True, metavar="VERSION")
    folder: FilePath = option("The folder to create.", "-o", required=True, metavar="FOLDER")
    passed: tuple[str, ...] = several(
        "Keep only cases that passed every question of this closed study by their final labels. May be "
        "repeated.",
        metavar="STUDY",
    )
    without: tuple[str, ...] = several(
        "Leave out cases where a finding of this check stands. May be repeated.", metavar="CHECK"
    )
    with_withdrawn: bool = flag("Include withdrawn cases.")
    names: bool = flag("Publish the names of raters and maintainers.")
    reasons: bool = flag("Publish the reasons that people gave for changes.")
    parquet: bool = flag("Write the cases as parquet too (needs the extra `parquet`).")
    licence: str | None = option("Licence, such as CC-BY-4.0. It is kept for later releases.", metavar="NAME")
    authors: tuple[str, ...] = several(
        "An author. May be repeated. Authors are kept for later releases.", "--author", metavar="NAME"
    )
    contact: str | None = option(
        "Whom to ask about the dataset. It is kept for later releases.", metavar="TEXT"
    )
    dry_run: bool = flag("List what would be published, and write nothing.")
    yes: bool = flag("Write without asking.")


@command_options
class ReleaseListOptions(Tabled, InStore):
    """List the releases that were made here, and those that datasets were imported from, oldest first.

    To be sure who made a release, compare its seal by eye with the one that its makers published elsewhere.
    """

    example: ClassVar[str] = "reviewer release list first"
    dataset: str | None = argument("[DATASET]")
