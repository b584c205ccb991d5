"""Options of ``reviewer study``."""

from typing import Literal

from reviewer.options.option import (
    CommandGroup,
    CommandOptions,
    FilePath,
    argument,
    choice,
    flag,
    option,
    several,
)
from reviewer.options.result_options import Coefficients, Level
from reviewer.options.shared import InStore, Signed, Tabled, own_name


class StudyCommands(CommandGroup):
    """Plan studies, draw their samples, and manage raters."""

    example = "reviewer study new pilot --dataset gpt-4o-mini --per-group 5 --seed 42"


class StudyCheckOptions(Tabled, InStore):
    """Show which cases have fresh verdicts of experts: for the content that they have now.

    A case is signed off if every question about it has a label, in one of the studies, on its present content
    and the present wording. Labels of raters who are left out do not count.
    """

    example = "reviewer study check pilot --signed-off"
    names: tuple[str, ...] = argument("STUDY…", required=True)
    datasets: tuple[str, ...] = several(
        "The dataset whose cases are looked at; may be repeated. Default: those that the studies drew from.",
        "--dataset",
        metavar="NAME",
    )
    least: int = option(
        "Labels that each question needs.", "--labels", default=1, show_default=True, within=(1, 100)
    )
    sampled: bool = flag("Look only at the places that the studies drew, and not at all cases.")
    signed_off: bool = flag("End with exit code 5 if a case is not signed off.")


class StudyCloseOptions(Signed, InStore):
    """Close a study. Raters can still look at it, but can no longer answer.

    Verdicts that arrive later are kept apart and not counted. Closing opens adjudication.
    """

    example = "reviewer study close pilot --as lead --why 'all three are done'"
    name: str = argument("STUDY")
    why: str | None = option("The reason for closing now. It is kept with the study.")
    anyway: bool = flag("Close the study even if raters have not finished.")


class StudyCoefficientsOptions(Signed, Tabled, InStore):
    """Choose the coefficients that the tables of STUDY begin with, on screens, in reports and in exports.

    The other usual coefficients follow. Without a coefficient, the present order is shown. The names are
    those of `reviewer agreement --coefficient`. The latest choice holds, and the study's log keeps all.
    """

    example = "reviewer study coefficients pilot ac1 alpha --as maria"
    study: str = argument("STUDY")
    coefficients: tuple[str, ...] = argument("[COEFFICIENT]...")
    usual: bool = flag("Go back to the usual order.")


class StudyDescribeOptions(Tabled, InStore):
    """Record what the report says about recruitment, independence and consent.

    A new text replaces the earlier one on the same topic. Without options, the texts are shown. The report
    says so if a topic has no text.
    """

    example = (
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


class StudyExcludeOptions(Signed, InStore):
    """Leave RATER out of agreement, pass rates and final labels of STUDY.

    Nothing is deleted: the rater's answers stay in the ledger and are exported, marked as left out.
    `reviewer agreement --both-ways` and the report show the results with and without them, and the reason.
    `reviewer study include` takes it back. The command does not work in a pack, nor for a rater's database
    user on a server.

    If a rater withdraws consent, give --withdraw-labels: then their labels are in no later release, which
    only says how many were withdrawn, and nobody can take that back. Releases that exist do not change.
    """

    example = "reviewer study exclude pilot ben --as maria --why 'ben wrote the items'"
    study: str = argument("STUDY")
    rater: str = argument("RATER")
    why: str = option("The reason. It is kept with the study and printed in the report.", required=True)
    withdraw_labels: bool = flag("Also leave the labels out of every later release, for good.")


class StudyIncludeOptions(Signed, InStore):
    """Count the answers of RATER in STUDY again, after `reviewer study exclude` left them out.

    Both decisions stay on the record.
    """

    example = "reviewer study include pilot ben --as maria --why 'a mix-up'"
    study: str = argument("STUDY")
    rater: str = argument("RATER")
    why: str = option("The reason. It is kept with the study.", default="")


class StudyKnownOptions(InStore):
    """Write a CSV to fill in for --training or --gold of `reviewer study new`.

    It has one line for each case of DATASET and question, with the beginning of the case. Fill in label and
    why where you know the answer. Lines without a label are left out when the file is read.
    """

    example = "reviewer study known pilot-data > training.csv"
    dataset: str = argument("DATASET")


class StudyLeadOptions(Signed, InStore):
    """Make NAME a lead of STUDY. Other leads stay, and the person who created a study is its first lead.

    A lead sees the raters' progress and warnings about them at any time. A lead who is not a rater sees
    agreement, labels and results once all raters have finished or the study is closed. A lead who also rates
    stays blind until they have finished. The study's log and its report say who its leads are.

    Names prove nothing: anybody who can open the store can give any name. The command
    does not work in a pack or in a browser window, nor for a rater's database user on a server, nor for a
    rater with open cases.
    """

    example = "reviewer study lead pilot maria --as tom"
    study: str = argument("STUDY")
    name: str = argument("NAME")


class StudyLinkOptions(InStore):
    """Create a secret link for one rater of STUDY. The link is shown only once.

    With --revoke, the rater's links are revoked instead."""

    example = "reviewer study link pilot --rater anna --days 14"
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


class StudyLinksOptions(Tabled, InStore):
    """List the links of STUDY. The secrets themselves are not kept."""

    example = "reviewer study links pilot"
    study: str = argument("STUDY")


class StudyListOptions(Tabled, InStore):
    """List the studies."""

    example = "reviewer study list"


class GuessedStrata(CommandOptions):
    """Strata and their guessed pass rates."""

    strata: tuple[str, ...] = several(
        "Draw --total cases from strata, so that the sample speaks for its dataset although some strata are "
        "drawn more densely: group; findings (the worst finding on the case that stands); finding:CHECK; "
        "opinion:NAME (the answer of a model or file to a question); or value:NAME. May be repeated: the "
        "strata are then crossed. Raters learn nothing of strata before the study is closed.",
        "--strata",
        metavar="BY",
    )
    guesses: tuple[str, ...] = several(
        "The pass rate that you expect in each stratum, such as none=.98,serious=.6, for --allocate neyman "
        "and `reviewer study plan`; may be repeated. Crossed strata can be named by one of their parts.",
        "--guess",
        metavar="STRATUM=RATE",
    )
    guess_from: str | None = option(
        "Take the expected pass rates from this closed study. --guess adds others.",
        metavar="STUDY",
    )


class Stratified(GuessedStrata):
    """Strata, their guessed pass rates, and their allocation."""

    allocate: Literal["equal", "proportional", "neyman"] | None = choice(
        "How cases are allocated to strata; each gets at least 2. Default: neyman with guesses, else equal.",
        {
            "equal": "the same number from each",
            "proportional": "as many as its share of the dataset",
            "neyman": "most from large strata with guessed pass rates near .5",
        },
    )


class StudyNewOptions(Stratified, InStore):
    """Draw a stratified sample and freeze it with its questions and random seed.

    With --answers RUN, experts review what models answered in an evaluation run. The drawn answers become
    the dataset NAME-answers; equal answers are one case, which counts as often as it was given.

    Cases of the --training and --gold files are not part of the random sample. Raters see them, but their
    answers do not count in agreement or pass rates.
    """

    example = "reviewer study new pilot --dataset gpt-4o-mini --per-group 5 --seed 42"
    name: str = argument("NAME")
    datasets: tuple[str, ...] = several("Draw cases from this dataset; may be repeated.", "--dataset")
    answers: str | None = option(
        "Review answers of this evaluation run instead of cases of a dataset. Raters do not see which model "
        "gave them. --per-group then counts answers of each model and group, and --total all answers.",
        metavar="RUN",
    )
    where: str | None = option(
        "With --answers: the part of the answers to draw from: all; unreadable (no decision could be read); "
        "flips (the decision changed with the cue); wrong (the biased text is decided wrongly); or harmful "
        "(the cue turned a right decision into a wrong one). Shares are of that part alone. Default: all.",
        metavar="PART",
    )
    per_case: int | None = option(
        "With --answers: at most how many answers to draw to the same case of the run. Default: 1.",
        metavar="N",
        within=(1, None),
    )
    models: tuple[str, ...] = several(
        "With --answers: draw only answers of this model; may be repeated.", "--model", metavar="NAME"
    )
    groups: tuple[str, ...] = several(
        "With --answers: draw only answers to cases of this group; may be repeated.",
        "--group",
        metavar="NAME",
    )
    themes: FilePath | None = option(
        "With --answers: CSV with the columns name and meaning that replaces the list of main reasons. A "
        "column words is for `reviewer answers --words`.",
        metavar="FILE",
    )
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
    view: Literal["full", "paper"] = choice(
        "What raters see.",
        {
            "full": "programs and proof beside the texts",
            "paper": "programs and proof only after the answer",
        },
        default="full",
    )
    asking: Literal["question", "case"] = choice(
        "The order of a rater's work.",
        {
            "question": "question by question, all cases each",
            "case": "case by case, all questions each",
        },
        default="question",
    )
    reveal: Literal["back", "findings", "none"] = choice(
        "What raters see after an answer. If they return and ask, the answer is then final; both verdicts "
        "are kept.",
        {
            "back": "findings when they return and ask",
            "findings": "findings at once, then a second verdict",
            "none": "no findings",
        },
        default="back",
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
        "TOML file with your own guidelines. Each question has a table, such as [same_task], with the keys"
        " criteria (a condition for each label), guideline (other text) and examples (each with case, label"
        " and why). "
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
    judge: str | None = option(
        "Declare this model the machine rater. `reviewer judges ask` asks it the questions of the study, "
        "five times about each case, and raters see its answer to a case once theirs is revealed. With "
        "--reveal findings they are then asked once more, and `reviewer judges --anchoring` says how many "
        "changed their answer.",
        metavar="MODEL",
    )
    raters_per_case: int | None = option(
        "With --rater: how many of these raters see each case and vote on it. All raters get about the same "
        "number of cases, and so do all pairs of raters. Default: all raters see all cases.",
        "--raters-per-case",
        "--votes",
        metavar="K",
        within=(1, None),
    )
    third: Literal["on-disagreement"] | None = choice(
        "With --votes 2: whether a third rater votes.",
        {
            "on-disagreement": "where the two disagree, after `reviewer study third`; at least half of the "
            "third rater's cases are others, so that nobody knows which are disputed"
        },
    )
    confidence: bool = flag(
        "Let raters say after an answer, with one key, whether they are sure, rather sure, or guess. They "
        "may leave it out. Exports have it, adjudicators see it, and `--by confidence` divides by it."
    )
    stop: str | None = option(
        "A claim for which the study may be stopped early, such as 'pass rate > .9', or for one question "
        "'same_task pass rate > .9'. Cases then come in one random order for all raters; `reviewer progress` "
        "tells leads who do not rate whether the claim may be made now, however often they look.",
        metavar="RULE",
    )
    training_pass: float | None = option(
        "With --training: the share of its answers that a rater should match. You are warned of raters "
        "who do not; they can still rate.",
        metavar="SHARE",
        above=True,
        within=(0, 1),
    )
    gold_pass: float | None = option(
        "With --gold: the share of its answers that a rater should match. You are warned of raters who do "
        "not. Default: 0.7.",
        metavar="SHARE",
        above=True,
        within=(0, 1),
    )
    lead: str = option(
        "Who leads the study, see `reviewer study lead`. Default: the name in your settings, else your "
        "login name.",
        default=own_name,
    )


class StudyPackOptions(InStore):
    """Write one file with everything that one rater needs. `reviewer review FILE` opens it on any machine.

    The file holds nothing about other raters, and no known answers except those for training. It is sealed:
    when it comes back, `reviewer merge FILE` names everything that was altered on the way.
    """

    example = "reviewer study pack pilot --rater anna -o anna.review"
    study: str = argument("STUDY")
    rater: str = option("The rater who will work with the pack.", required=True)
    output: FilePath = option("The file to create.", "-o", "--output", required=True)
    bare: bool = flag(
        "Leave out the automatic measurements and findings. Otherwise a rater could read them with "
        "another program before answering."
    )


class StudyPlanOptions(GuessedStrata, Coefficients, Level, Tabled, InStore):
    """Plan a study: cases for agreement, or the interval of a dataset's pass rate for draws from strata.

    With --raters, --true-share and --agreement: how many cases a future study needs, for questions with two
    labels. With --dataset, --strata and --guess: how wide the interval of the dataset's pass rate will be,
    for a simple draw and for each allocation of --allocate. Draws are simulated, with the interval that
    reports print. With --stop and --rate: after how many cases a study with this stop rule can be stopped,
    beside a fixed number of cases.
    """

    example = "reviewer study plan --dataset first --strata findings --guess none=.98,serious=.6"
    raters: int | None = option("Number of raters of each case.", within=(2, 50))
    true_share: float | None = option("Expected share of one of the two labels, such as True.")
    agreement: float | None = option("Expected share of cases on which all raters agree.")
    width: float = option("Half-width that the intervals should have.", default=0.1, show_default=True)
    datasets: tuple[str, ...] = several("Plan a draw from this dataset; may be repeated.", "--dataset")
    stop: str | None = option(
        "Plan a study that is stopped when this claim may be made, such as 'pass rate > .9'. Needs --rate.",
        metavar="RULE",
    )
    rates: tuple[float, ...] = several(
        "With --stop: a pass rate that the dataset may have; may be repeated.",
        "--rate",
        metavar="SHARE",
        within=(0, 1),
    )
    size: int | None = option(
        "With --stop: how many cases the dataset has. Default: 10,000; what is larger changes little.",
        metavar="N",
        within=(2, 1_000_000),
    )
    totals: tuple[int, ...] = several(
        "Number of cases to draw in all; may be repeated. Default: 40, 60, 120 and 300.",
        "--total",
        metavar="N",
        within=(1, None),
    )
    include_seeds: bool = flag("Draw hand-written cases too, as with `reviewer study new`.")


class StudyProfileOptions(InStore):
    """Record a rater's background. The report sums it up without names. Each call replaces
    the whole profile: what you do not give this time is deleted."""

    example = "reviewer study profile pilot --rater anna --degree MSc --years 5"
    name: str = argument("STUDY")
    rater: str = option("The rater to describe.", required=True)
    field: str | None = option("Field of work or study.")
    degree: str | None = option("Highest degree.")
    years: int | None = option("Years of experience.", within=(0, 100))


class StudyReopenOptions(Signed, InStore):
    """Reopen a closed study. It takes verdicts again, and late verdicts now count."""

    example = "reviewer study reopen pilot --as lead --why 'ben was cut off'"
    name: str = argument("STUDY")
    why: str = option("The reason. It is kept with the study.", required=True)


class StudyThirdOptions(Signed, Tabled, InStore):
    """Ask for third votes in a study made with --third on-disagreement.

    Every case with both votes is looked at. Where they differ, a third rater gets the case, in a list of
    which at least half are cases without a dispute, in random order. Raters find the list after their other
    cases; those who work in packs need a new pack (`reviewer study pack`). The command can be repeated as
    votes come in. Agreement is computed from the first two votes only; majorities use the third where these
    differ, and third votes on other cases count nowhere but are exported.
    """

    example = "reviewer study third pilot --as maria"
    study: str = argument("STUDY")


class StudyShowOptions(Tabled, InStore):
    """Show a study's sample on stdout, and its design, questions and log on stderr.

    The sample says which cases are training and gold cases, and which ones raters see twice. Do not show it
    to raters. If you are a rater with open cases, these columns and hidden generators are left out.
    """

    example = "reviewer study show pilot --format csv"
    name: str = argument("NAME")
    only_design: bool = flag("Show the design on stdout, and no sample.", "--design")
