"""Options of the commands for raters and those who lead them: ``review``, ``serve``, ``merge`` …"""

from typing import Literal

from reviewer.options.option import FilePath, argument, flag, one_of, option
from reviewer.options.shared import InStore, Signed, Tabled
from store.location import DEFAULT_LOCATION


class ReviewOptions(InStore):
    """Review a study's cases. Every answer is saved at once, and you resume where you stopped.

    Give the name of a study in the store, or the file of a pack that was made for you.

    With --plain, answers are read from standard input, one per line. If the answers come from a pipe, the
    first invalid line stops the review with exit code 2. Answers before it stay saved.
    """

    example = "reviewer review pilot --rater anna"
    study: str = argument("STUDY|PACK")
    rater: str | None = option(
        "Your name. Required for a study; a pack has it already.  [env var: REVIEWER_RATER]",
        env="REVIEWER_RATER",
    )
    plain: bool = flag("Review line by line, for screen readers and pipes. Type h there for help.")
    alone: bool = flag("Internal: used by `reviewer serve`.", hidden=True)


class ServeOptions(InStore):
    """Let raters review STUDY in a browser, each through their own secret link.

    Each rater without a valid link gets one, which is shown only once. Ctrl+C stops the server. Saved answers
    stay saved.
    """

    example = "reviewer serve pilot --port 8000"
    study: str = argument("STUDY")
    host: str = option("The address to listen on.", default="127.0.0.1", show_default=True)
    port: int = option("The port to listen on.", default=8000, show_default=True, within=(1, 65535))
    public_url: str = option(
        "Address that raters' browsers open, if a proxy stands in front of the server.", default=""
    )


class MergeOptions(Tabled):
    """Merge answers, comments and flags from packs or from whole stores.

    Files can be merged in any order and any number of times: an event is never added twice. Each file is
    merged in one transaction. Refused events are listed with the reason and set the exit code to 2; the
    others are merged. Events that reach the store after a study was closed are kept as late and not counted,
    whenever they were made. Events dated more than a day in the future are kept aside until you accept them
    with --accept-clock.
    """

    example = "reviewer merge anna.review ben.review --dry-run"
    files: tuple[FilePath, ...] = argument("FILE...")
    dry_run: bool = flag("Show what the merge would do. Nothing is written.")
    trust: bool = flag("Accept verdicts from stores that are not copies of this one. You vouch for them.")
    accept_clock: bool = flag(
        "Also merge events dated more than a day in the future, including those that earlier merges kept "
        "aside."
    )
    store: str = option(
        "The store to use.  [env var: REVIEWER_STORE]",
        "--store",
        "--into",
        show_default=DEFAULT_LOCATION,
        metavar="PATH_OR_URL",
    )


class ProgressOptions(Signed, Tabled, InStore):
    """Show how far each rater of a study is. Answers are not shown.

    A lead also sees warnings about raters who answer faster than people read, match too few known answers
    (gold cases or training, see `reviewer study new --training-pass`), or always give the same label. A lead
    who also rates sees the warnings only after finishing their own cases, or when the study is closed.
    """

    example = "reviewer progress pilot"
    name: str = argument("STUDY")
    shown: Literal["raters", "questions", "drift", "comments"] = one_of(
        {
            "raters": "Show how far each rater is (the default).",
            "questions": "For leads: answers, speed and labels of each rater by question.",
            "drift": "For leads: agreement with others, speed and labels by quarter of each rater's answers.",
            "comments": "For leads: comments, flags and notes, with the answers to them.",
        },
        default="raters",
    )


class AdjudicateOptions(InStore):
    """Decide the cases on which raters disagree. You see all verdicts and comments without names.

    For raters and leads of the study, adjudication opens once the study is closed or all raters have
    finished. Raters also need the lead's permission (--allow-rater). Anybody else can begin before that;
    `reviewer labels` says where votes changed after a decision. If you are not a rater and open it, you
    cannot become a rater of this study afterwards, because you have seen the verdicts. Decisions are kept
    apart from the raters' verdicts and do not count in agreement.
    """

    example = "reviewer adjudicate pilot --as zoe"
    name: str = argument("STUDY")
    who: str = option("Your name. Decisions are saved under it.", "--as", required=True)
    lead: str | None = option(
        "If you are a rater of the study: the name of the lead (not your own) who allows you to "
        "adjudicate. It is recorded.",
        "--allow-rater",
        metavar="LEAD",
    )
    plain: bool = flag(
        "Line by line, without a screen: for screen readers, pipes, and a file of decisions. `list` prints a "
        "line for each open dispute; complete it with ANSWER because REASON."
    )
    write_sheet: FilePath | None = option(
        "Write all disputes to this CSV file, to be decided in a spreadsheet program: an answer and a reason "
        "for each row."
    )
    read_sheet: FilePath | None = option(
        "Save the decisions of a sheet that --write-sheet wrote (CSV or .xlsx). All of them, or none if "
        "anything in it is wrong."
    )


class DemoOptions(InStore):
    """Open the app on the hand-written seed cases, ready to be labelled."""

    example = "reviewer demo --store demo.db"
    rater: str | None = option("Your name. Default: the name in your settings, else your login name.")
