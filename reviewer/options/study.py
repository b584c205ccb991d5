"""Options of ``reviewer study``."""

from typing import ClassVar, Literal

from reviewer.options.option import FilePath, argument, command_options, flag, option, several
from reviewer.options.result_options import (
    Coefficients,
    Level,
)
from reviewer.options.shared import (
    InStore,
    Signed,
    Tabled,
    own_name,
)


@command_options
class StudyCloseOptions(Signed, InStore):
    """Close a study. Raters can still look at it, but can no longer answer.

    Verdicts that arrive later are kept apart and not counted. Closing opens adjudication.
    """

    example: ClassVar[str] = "reviewer study close pilot --as lead --why 'all three are done'"
    name: str = argument("STUDY")
    why: str | None = option("The reason for closing now. It is kept with the study.")
    anyway: bool = flag("Close the study even if raters have not finished.")


@command_options
class StudyDescribeOptions(Tabled, InStore):
    """Record what the report says about recruitment, independence and consent.

    A new text replaces the earlier one on the same topic. Without options, the texts are shown. The report
    says so if a topic has no text.
    """

    example: ClassVar[str] = (
        "reviewer study describe pilot --recruitment 'Three colleagues, not paid.' --independence 'Nobody"
        " saw the answers of others.' --consent 'All agreed in writing.'"
    )
    name: str = argument("STUDY")
    recruitment: str | None = option("How raters were recruited, and whether they were paid.")
    independence: str | None = option("Whether raters worked alone, and how they are related to the authors.")
    consent: str | None = option("What raters consented to, and which ethics board approved it.")
    lead: str | None = option(
        "Your name. Default: the name in your settings, else your login name.", "--as", metavar="NAME"
    )


@command_options
class StudyExcludeOptions(Signed, InStore):
    """Leave RATER out of agreement, pass rates and final labels of STUDY.

    Nothing is deleted: the rater's answers stay in the ledger and are exported, marked as left out.
    `reviewer agreement --both-ways` and the report show the results with and without them, and the reason.
    `reviewer study include` takes it back. The command does not work in a pack, nor for a rater's database
    user on a server.
    """

    example: ClassVar[str] = "reviewer study exclude pilot ben --as maria --why 'ben wrote the items'"
    study: str = argument("STUDY")
    rater: str = argument("RATER")
    why: str = option("The reason. It is kept with the study and printed in the report.", required=True)


@command_options
class StudyIncludeOptions(Signed, InStore):
    """Count the answers of RATER in STUDY again, after `reviewer study exclude` left them out.

    Both decisions stay on the record.
    """

    example: ClassVar[str] = "reviewer study include pilot ben --as maria --why 'a mix-up'"
    study: str = argument("STUDY")
    rater: str = argument("RATER")
    why: str = option("The reason. It is kept with the study.", default="")


@command_options
class StudyLeadOptions(Signed, InStore):
    """Make NAME a lead of STUDY. Other leads stay, and the person who created a study is its first lead.

    A lead sees the raters' progress and warnings about them at any time. A lead who is not a rater sees
    agreement, labels and results once all raters have finished or the study is closed. A lead who also rates
    stays blind until they have finished. The study's log and its report say who its leads are.

    Names prove nothing: anybody who can open the store can give any name. The command
    does not work in a pack or in a browser window, nor for a rater's database user on a server, nor for a
    rater with open cases.
    """

    example: ClassVar[str] = "reviewer study lead pilot maria --as tom"
    study: str = argument("STUDY")
    name: str = argument("NAME")


@command_options
class StudyLinkOptions(InStore):
    """Create a secret link for one rater of STUDY. The link is shown only once.

    With --revoke, the rater's links are revoked instead."""

    example: ClassVar[str] = "reviewer study link pilot --rater anna --days 14"
    study: str = argument("STUDY")
    rater: str = option("The rater who gets the link.", required=True)
    days: float = option(
        "Number of days that the link is valid.",
        default=30.0,
        show_default=True,
        above=True,
        within=(0, 3650),
    )
    revoke: bool = flag("Revoke the rater's links instead of creating one.")
    url: str = option(
        "Address under which raters reach `reviewer serve`.",
        default="http://127.0.0.1:8000",
        show_default=True,
    )


@command_options
class StudyLinksOptions(Tabled, InStore):
    """List the links of STUDY. The secrets themselves are not kept."""

    example: ClassVar[str] = "reviewer study links pilot"
    study: str = argument("STUDY")


@command_options
class StudyListOptions(Tabled, InStore):
    """List the studies."""

    example: ClassVar[str] = "reviewer study list"


@command_options
class StudyNewOptions(InStore):
    """Draw a stratified sample and freeze it with its questions and random seed.

    Cases of the --training and --gold files are not part of the random sample. Raters see them, but their
    answers do not count in agreement or pass rates.
    """

    example: ClassVar[str] = "reviewer study new pilot --dataset gpt-4o-mini --per-group 5 --seed 42"
    name: str = argument("NAME")
    datasets: tuple[str, ...] = several("Draw cases from this dataset; may be repeated.", "--dataset")
    cases: FilePath | None = option(
        "Use exactly the cases listed in this file, in its order. The file is a CSV with the columns "
        "dataset and key; an exported labels.csv works. With exactly one --dataset, the file can also be "
        "a plain list with one key per line.",
        metavar="FILE",
    )
    per_group: int | None = option(
        "Number of cases to draw from each group of each dataset. Default: all.", within=(1, None)
    )
    total: int | None = option(
        "Number of cases to draw in all, spread evenly over the groups of each dataset. Instead of --per-"
        "group.",
        within=(1, None),
    )
    seed: int = option(
        "Random seed of the sample and of the order in which raters see cases.", default=0, show_default=True
    )
    view: Literal["full", "paper"] = option(
        "full: raters see programs and proofs beside the texts. paper: raters see only the texts before "
        "they answer, as in the protocol's paper.",
        default="full",
        show_default=True,
    )
    asking: Literal["question", "case"] = option(
        "question: answer one question for all cases, then the next; case: answer all questions of one "
        "case first.",
        default="question",
        show_default=True,
    )
    reveal: Literal["none", "back", "findings"] = option(
        "When raters see automatic findings. back: after answering, if they return to the case and ask "
        "for the findings; the answer is then final. findings: right after answering; they then give a "
        "second verdict, and both are kept. none: never.",
        default="back",
        show_default=True,
    )
    repeats: float = option(
        "Show this share of the cases twice, far apart, to measure how far raters agree with themselves.",
        default=0.0,
        metavar="SHARE",
        within=(0, 0.5),
    )
    swap: bool = flag(
        "For questions that allow it, show the two texts of a case in random order (left or right)."
    )
    questions: tuple[str, ...] = several(
        "Ask only this question, named by its key or title; may be repeated. Default: all.",
        "--question",
        metavar="KEY",
    )
    guideline: FilePath | None = option(
        "TOML file with your own guidelines. Each question has a table, such as [same_task], with the key"
        " guideline. Examples are optional: [[same_task.examples]] with the keys case, label and why. "
        "Questions without a table keep the protocol's guideline.",
        metavar="FILE",
    )
    briefing: FilePath | None = option(
        "A text of at most 2,000 characters on what the study is for. Raters read it before they begin. "
        "Below it, the program explains time, blinding and what counts.",
        metavar="FILE",
    )
    training: FilePath | None = option(
        "A round with feedback before the study: CSV with the columns dataset, key, question, label and why.",
        metavar="FILE",
    )
    gold: FilePath | None = option(
        "Cases with known answers, mixed among the others: CSV with the columns dataset, key, question, "
        "label and why.",
        metavar="FILE",
    )
    include_seeds: bool = flag(
        "Draw hand-written cases too. By default they are left out if there are generated ones."
    )
    findings: tuple[str, ...] = several(
        "Draw only cases with an open finding of this check, or cases that a check of the whole dataset "
        "lists, such as repeated_questions; may be repeated.",
        "--finding",
        metavar="CHECK",
    )
    others: int | None = option(
        "With --finding or --revised-since: also draw this number of other cases, spread evenly over the "
        "groups, so that raters cannot expect a fault in every case.",
        metavar="N",
        within=(1, None),
    )
    since: str | None = option(
        "Draw only cases whose content was repaired on this day or later, such as 2026-05-01.",
        "--revised-since",
        metavar="DATE",
    )
    beside_old: bool = flag(
        "With --revised-since: raters see the texts before the repair beside the new ones. Packs hold both."
    )
    raters: tuple[str, ...] = several(
        "A person who may rate; may be repeated. Default: anybody may rate.", "--rater"
    )
    raters_per_case: int | None = option(
        "With --rater: how many of these raters see each case. All raters get about the same number of "
        "cases, and so do all pairs of raters. Default: all raters see all cases.",
        metavar="K",
        within=(1, None),
    )
    training_pass: float | None = option(
        "With --training: the share of its answers that a rater should match. You are warned of raters "
        "who do not; they can still rate.",
        metavar="SHARE",
        above=True,
        within=(0, 1),
    )
    lead: str = option(
        "Who leads the study, see `reviewer study lead`. Default: the name in your settings, else your "
        "login name.",
        default=own_name,
    )


@command_options
class StudyPackOptions(InStore):
    """Write one file with everything that one rater needs. `reviewer review FILE` opens it on any machine.

    The file holds nothing about other raters, and no known answers except those for training. It is sealed:
    when it comes back, `reviewer merge FILE` names everything that was altered on the way.
    """

    example: ClassVar[str] = "reviewer study pack pilot --rater anna -o anna.review"
    study: str = argument("STUDY")
    rater: str = option("The rater who will work with the pack.", required=True)
    output: FilePath = option("The file to create.", "-o", "--output", required=True)
    bare: bool = flag(
        "Leave out the automatic measurements and findings. Otherwise a rater could read them with "
        "another program before answering."
    )


@command_options
class StudyPlanOptions(Coefficients, Level, Tabled):
    """Estimate how many cases a future study needs, for questions with two labels."""

    example: ClassVar[str] = "reviewer study plan --raters 3 --true-share .95 --agreement .9"
    raters: int = option("Number of raters of each case.", required=True, within=(2, 50))
    true_share: float = option("Expected share of one of the two labels, such as True.", required=True)
    agreement: float = option("Expected share of cases on which all raters agree.", required=True)
    width: float = option("Half-width that the intervals should have.", default=0.1, show_default=True)


@command_options
class StudyProfileOptions(InStore):
    """Record a rater's background. The report sums it up without names. Each call replaces
    the whole profile: what you do not give this time is deleted."""

    example: ClassVar[str] = "reviewer study profile pilot --rater anna --degree MSc --years 5"
    name: str = argument("STUDY")
    rater: str = option("The rater to describe.", required=True)
    field: str | None = option("Field of work or study.")
    degree: str | None = option("Highest degree.")
    years: int | None = option("Years of experience.", within=(0, 100))


@command_options
class StudyReopenOptions(Signed, InStore):
    """Reopen a closed study. It takes verdicts again, and late verdicts now count."""

    example: ClassVar[str] = "reviewer study reopen pilot --as lead --why 'ben was cut off'"
    name: str = argument("STUDY")
    why: str = option("The reason. It is kept with the study.", required=True)


@command_options
class StudyShowOptions(Tabled, InStore):
    """Show a study's sample on stdout, and its design, questions and log on stderr.

    The sample says which cases are training and gold cases, and which ones raters see twice. Do not show it
    to raters. If you are a rater with open cases, these columns and hidden generators are left out.
    """

    example: ClassVar[str] = "reviewer study show pilot --format csv"
    name: str = argument("NAME")
    only_design: bool = flag("Show the design on stdout, and no sample.", "--design")
