"""Options of ``reviewer release``."""

from typing import Literal

from reviewer.options.option import CommandGroup, FilePath, argument, flag, one_of, option, several
from reviewer.options.shared import ClusterOptions, InStore, Tabled


class ReleaseCommands(CommandGroup, InStore):
    """Make a release of a dataset that others can cite and check, list releases, or check one."""

    example = "reviewer release make first --version 1.0 -o first-1.0"


class ReleaseMakeOptions(Tabled, InStore):
    """Write a version of DATASET as a folder with data, card, changelog, metadata and checksums.

    A version never changes: the same store, version and options give the same files, and a version that
    exists with other content is refused. What is published is listed before it is written. The labels of
    closed studies are in it if `reviewer study describe --consent` says what raters consented to. People
    appear as numbers, and comments, notes, free texts and reasons stay out, unless you ask for them. Raters
    who still have cases of the dataset to answer cannot make one.
    """

    example = "reviewer release make first --version 1.1 --passed experts -o first-1.1"
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
    hold_out: str = option(
        "Seal this share of the cases, such as 20%, by digests, and publish neither them nor their labels. "
        "Cases that an earlier release held out come first.",
        default="",
        metavar="SHARE%",
    )
    names: bool = flag("Publish the names of raters and maintainers.")
    reasons: bool = flag(
        "Publish the reasons that people gave for changes, and the words and links of readers' reports."
    )
    without_labels: bool = flag(
        "Leave out the labels of studies. Nobody can then compute their agreement again."
    )
    harnesses: tuple[Literal["inspect", "lm-eval", "label-studio"], ...] = several(
        "Also write the cases as a task of this tool, in the folder FOLDER-TOOL. May be repeated.",
        "--for",
    )
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


class ReleaseListOptions(Tabled, InStore):
    """List the releases that were made here, and those that datasets were imported from, oldest first.

    To be sure who made a release, compare its seal by eye with the one that its makers published elsewhere.
    """

    example = "reviewer release list first"
    dataset: str | None = argument("[DATASET]")


class ReleaseVerifyOptions(Tabled):
    """Check a release: its files, seal, cases, counts and pages.

    Every number of a study whose labels are included is computed again from them. Every program is run again,
    and its decision compared. Nothing is fetched, and programs run only in a
    jail. Without SWI-Prolog or a jail, decisions are not checked, and the table says so. If only the card was
    edited by hand, the table says "edited": the data can still be sound. Any other difference is a failure,
    with exit code 2.
    """

    example = "reviewer release verify first-1.1"
    folder: FilePath = argument("FOLDER")
    cluster: ClusterOptions


class ReleaseDiffOptions(Tabled):
    """Show what moved between two releases of a dataset: cases, findings, and the numbers of studies.

    --exclusions lists the cases of OLD that were removed or changed, for those who still use it. --unchanged
    lists the cases that are the same in both: with `reviewer effects RUN --ladder --picked FILE`, the effects
    of a run are shown next to those without the cases that changed. Both releases must hold.
    """

    example = "reviewer release diff first-1.0 first-1.1 --exclusions --format csv > exclude.csv"
    old: FilePath = argument("OLD")
    new: FilePath = argument("NEW")
    listed: Literal["differences", "exclusions", "unchanged"] = one_of(
        {
            "differences": "Show everything that moved (the default).",
            "exclusions": "List the cases of OLD that were removed or changed, with their digests.",
            "unchanged": "List the cases that are the same in both.",
        },
        default="differences",
    )
