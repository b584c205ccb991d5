"""Options of ``reviewer store``."""

from reviewer.options.option import CommandGroup, FilePath, argument, flag, option
from reviewer.options.shared import InStore, Tabled


class StoreCommands(CommandGroup):
    """Copy, check and back up stores, and give raters access to a shared one."""

    example = "reviewer store copy reviewer.db copy.db"


class StoreBackupOptions(InStore):
    """Back up the store, also while people work on it, and check the copy."""

    example = "reviewer store backup -o reviewer-monday.db"
    output: FilePath = option("The file to create.", "-o", "--output", required=True)


class StoreCheckOptions(Tabled, InStore):
    """Check that no answer or case in the store was deleted, changed or damaged.

    The first line gives the result; each problem follows on a line of its own. The exit code is 2 if there is
    a problem. The check works on a temporary copy and changes nothing in the store.

    The check recomputes the digests of all events (answers, comments, flags …) and cases. It also checks the
    order of the events, what they refer to, the seals of releases, the database's protections against
    editing, and gaps where a row is missing.

    The check prints a digest of each study, as the study's report does. Keep it. Give it later with --against
    to see whether everything that it covers is still there, unchanged.

    Whenever a study is created, packed, closed or reported, the store keeps a signed count of its contents.
    The check names whatever was deleted or changed since then. It also reports signed counts that are
    missing.

    Two kinds of change go unnoticed. Somebody can delete the newest events before they are counted, or
    together with their count. Somebody can also rewrite the whole store. A digest that you keep elsewhere
    reveals both. Counts do not cover what may change later by design: raters' profiles, descriptions of
    studies, dismissals, measurements and findings. The index that finds cases by words is not checked, as it
    holds nothing of its own: `reviewer store copy` writes a store with a new index.
    """

    example = "reviewer store check"
    against: str | None = option(
        "A digest that a report or an earlier check printed. The check says whether everything that it "
        "covers is still there.",
        metavar="DIGEST",
    )


class StoreCopyOptions(Tabled):
    """Copy a whole store (a file or a database on a server) into an empty one, and compare all rows.

    It prints each table with its number of rows and the digest that both sides have.
    """

    example = "reviewer store copy reviewer.db postgresql+psycopg://lead@db.example.org/reviews"
    source: str = argument("FROM")
    target: str = argument("TO")


class StoreGrantOptions(InStore):
    """Give a rater of STUDY their own database user in a store on a server.

    The user can read the cases of the study and add and read this rater's verdicts, but nothing else. The SQL
    that creates the user is printed on stdout; with --run it is also run.
    """

    example = "reviewer store grant pilot --rater anna --run"
    study: str = argument("STUDY")
    rater: str = option("The rater who gets access.", required=True)
    user: str | None = option("Name of the database user. Default: reviewer_NAME.")
    run: bool = flag("Run the SQL as well. You need the right to create database users.")
    revoke: bool = flag("Remove the rater's access instead.")
