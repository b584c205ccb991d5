"""Options of ``reviewer datasets``."""

from typing import Literal

from reviewer.options.datasets_complaints import DatasetsComplaintsCommands as DatasetsComplaintsCommands
from reviewer.options.option import CommandGroup, FilePath, argument, flag, option
from reviewer.options.result_options import LabelRule
from reviewer.options.shared import ClusterOptions, ComparedTexts, Indexed, InStore, Reasoned, Signed, Tabled


class DatasetsCommands(CommandGroup, Tabled, InStore):
    """List, merge and export datasets, or show and change the history of a case."""

    example = "reviewer datasets --format json"
    alone = True


class DatasetsDescribeOptions(Tabled, InStore):
    """Record what only the authors of DATASET can say, for the card and the metadata of its releases.

    A new text replaces the earlier one on the same topic. Without options, the texts are shown. Topics
    without a text are listed as missing, here and on the card. The texts are published as they are.
    """

    example = (
        "reviewer datasets describe first --uses 'To test models, not to train them.' --maintenance 'Maria"
        " answers complaints until 2030.'"
    )
    dataset: str = argument("DATASET")
    collection: str | None = option("How the cases were collected or written, by whom and when.")
    source: str | None = option("What the cases were derived from, such as a link to another dataset.")
    biases: str | None = option("Which people, topics or views are over- or underrepresented.")
    limitations: str | None = option("What the dataset cannot show, and for what it should not be used.")
    sensitive: str | None = option("Whether it has personal or sensitive information, and which.")
    uses: str | None = option("What it is meant for, and for which uses it was tested.")
    impact: str | None = option("Which good and which harm it could do.")
    maintenance: str | None = option("Who maintains it, for how long, and how errors are reported.")
    author: str | None = option(
        "Your name. Default: the name in your settings, else your login name.", "--as", metavar="NAME"
    )


class DatasetsDiffOptions(Tabled, InStore):
    """Show each passage of the case at KEY that differs between two of its versions.

    With --findings, DATASET and KEY are two datasets that hold an old and a new version of one file. The
    command then lists the findings that are new, gone or stay, and counts the cases that were added, changed
    and removed. Audit both datasets first.

    Raters who still have cases of the dataset to answer cannot see it.
    """

    example = "reviewer datasets diff first case-7 --from first"
    dataset: str = argument("DATASET")
    key: str = argument("KEY|DATASET")
    findings: bool = flag("Compare the findings of two datasets, as in: datasets diff base head --findings.")
    fail_on: Literal["serious", "doubtful", "untidy"] | None = option(
        "With --findings: end with exit code 5 if a finding of this severity or a worse one is new, or if a "
        "case of the new version is not audited."
    )
    old: str | None = option(
        "The first version to compare. Give the beginning of a revision's id for the version that it "
        "made, or `first` for the version before all revisions. Default: the version before the newest "
        "revision.",
        "--from",
        metavar="REVISION",
    )
    new: str | None = option(
        "The second version to compare, given in the same way. Default: the current version.",
        "--to",
        metavar="REVISION",
    )


class DatasetsExportOptions(LabelRule, InStore):
    """Write a dataset as a file that `reviewer import` reads.

    The file is in the protocol's own format, which the published scripts read too, or in JSON Lines if the
    name of FILE ends in .jsonl. If the protocol is declared in a file, the dataset is written as rows: JSON
    Lines, JSON, CSV, TSV or Parquet, by the ending of FILE.

    A dataset that was imported from a file is written as it was published: the same fields in the same order,
    with the same texts and values. A repaired case is written with its new content. Values
    published with the old content are left out; values that an audit measured replace them, if there are any.
    Withdrawn cases are left out.
    """

    example = "reviewer datasets export first -o first.json"
    dataset: str = argument("DATASET")
    file: FilePath = option("The file to write.", "-o", required=True, metavar="FILE")
    study: str | None = option(
        "Add the key and the digest of each case, and its final labels in this study, as columns. For "
        "protocols that are declared in a file.",
        metavar="NAME",
    )


class DatasetsHardOptions(InStore):
    """Make a dataset of the cases that a model answered wrongly under every condition of a run.

    RUN is an evaluation run that asked under several conditions, such as in both orders. The new dataset and
    its releases state that the errors of this model selected the cases. On these cases, other models have an
    advantage over it. The old datasets do not change.
    """

    example = "reviewer datasets hard judges --model gpt-4o-mini --into hard-pairs"
    run: str = argument("RUN")
    model: str = option("The model whose errors select the cases.", required=True, metavar="NAME")
    into: str = option("Name of the dataset to create.", required=True, metavar="NAME")


class DatasetsHistoryOptions(Tabled, InStore):
    """List the revisions of DATASET, or of the case at KEY, oldest first.

    A revision is a repair, a withdrawal, a revert, an import over an earlier revision, or the settlement of a
    conflict. CSV and JSON also have the digests, and what was measured before and after.

    Raters who still have cases of the dataset to answer cannot see them: the reasons say what is wrong in a
    case.
    """

    example = "reviewer datasets history first case-7"
    dataset: str = argument("DATASET")
    key: str | None = argument("[KEY]")


class DatasetsMergeOptions(ComparedTexts, Indexed, Tabled, InStore):
    """Merge datasets into a new one, and list the cases that were left out because they collide.

    Cases are taken in the order of the datasets given. A case is left out if an earlier one is identical or
    too similar, even in another group. Withdrawn cases are left out. The old datasets do not change.
    """

    example = "reviewer datasets merge gpt-4o-mini deepseek --into all-generators"
    datasets: tuple[str, ...] = argument("DATASET…", required=True)
    into: str = option("Name of the dataset to create.", required=True, metavar="NAME")
    cluster: ClusterOptions


class DatasetsRevertOptions(Reasoned, Signed, InStore):
    """Restore an earlier content of the case at KEY, with the values that were published with it.

    A revert is a revision itself, so nothing is lost and it can be reverted too. A revert also undoes a
    withdrawal.
    """

    example = 'reviewer datasets revert first case-7 --to first --reason "was right"'
    dataset: str = argument("DATASET")
    key: str = argument("KEY")
    target: str | None = option(
        "The content to bring back. Give the beginning of a revision's id for the content that it made, "
        "or `first` for the content before all revisions. Default: the content before the newest "
        "revision.",
        "--to",
        metavar="REVISION",
    )


class DatasetsSettleOptions(Signed, Tabled, InStore):
    """List the cases of DATASET that two authors revised in different stores, or settle the case at KEY.

    After a merge of stores, a case may have several newest revisions. Until somebody chooses one of them,
    the case keeps the content that it had in this store, and cannot be repaired. Compare two of them with
    `reviewer datasets diff DATASET KEY --from REVISION --to REVISION`.
    """

    example = 'reviewer datasets settle first case-7 --choose 01a206 --reason "clearer"'
    dataset: str = argument("DATASET")
    key: str | None = argument("[KEY]")
    choice: str | None = option(
        "The revision to keep, by the beginning of its id.", "--choose", metavar="REVISION"
    )
    reason: str | None = option("With --choose: why, in a few words.", metavar="TEXT")


class DatasetsTodoOptions(Signed, Tabled, InStore):
    """List the notes on what is to be done about the cases of DATASET, add one, or mark one as done.

    Raters who still have cases of the dataset to answer cannot see the notes.

    Notes stay in this store; they do not travel with merges, packs or exports.
    """

    example = 'reviewer datasets todo first case-7 --note "ask Tom" --for maria'
    dataset: str = argument("DATASET")
    key: str | None = argument("[KEY]")
    text: str | None = option("What is to be done about the case at KEY.", "--note", metavar="TEXT")
    name: str | None = option("With --note: who should do it. Default: you.", "--for", metavar="NAME")
    done: str | None = option("Mark this note as done, by the beginning of its id.", metavar="NOTE")
    everything: bool = flag("List notes that are done, too.", "--all")


class DatasetsWithdrawOptions(Reasoned, Signed, InStore):
    """Withdraw the case at KEY of DATASET.

    The case stays in the store, and its history says who withdrew it and why. New studies do not draw it,
    and exported and merged datasets leave it out. Studies that exist already keep it in their samples. To
    take a withdrawal back, use `reviewer datasets revert`.
    """

    example = 'reviewer datasets withdraw first case-7 --reason "states the decision"'
    dataset: str = argument("DATASET")
    key: str = argument("KEY")
