"""Options of the commands that check and repair datasets: ``audit``, ``check`` and ``repair``."""

from typing import Literal

from reviewer.options.model_options import ModelOptions
from reviewer.options.option import argument, flag, option, several
from reviewer.options.shared import (
    ClusterOptions,
    ComparedTexts,
    Indexed,
    InStore,
    Signed,
    Tabled,
    WithoutJail,
    Workers,
    listed,
)

DIMENSIONS = ("dataset", "group", "check")
"""What findings can be counted by."""


def _counted_by(text: str) -> tuple[str, ...]:
    for part in (names := listed(text)):
        if part not in DIMENSIONS:
            raise ValueError(f"cannot count by {part!r}; choose of {', '.join(DIMENSIONS)}")
    return names


class ChosenFindings(Workers, WithoutJail, Tabled, InStore):
    """The dataset whose cases are checked, who runs programs, and which findings are listed."""

    dataset: str = argument("DATASET")
    checks: tuple[str, ...] = several("Show only this check; may be repeated.", "--check", metavar="NAME")
    severities: tuple[Literal["serious", "doubtful", "untidy"], ...] = several(
        "Show only findings of this severity; may be repeated.", "--severity"
    )
    whole_dataset: bool = flag(
        "List only findings about the dataset as a whole, such as a value that occurs too often."
    )
    fail_on: Literal["serious", "doubtful", "untidy"] | None = option(
        "End with exit code 5 if a finding of this severity or a worse one stands, about a case or the whole "
        "dataset, or if a check could not run.",
    )
    values: bool = flag(
        "List the counts behind the findings about the whole dataset: one row for each value or repeated "
        "case."
    )
    cluster: ClusterOptions


class AuditOptions(ChosenFindings):
    """Audit every case of a dataset and list the findings.

    If a case comes with logic programs, the audit runs the programs and checks how they reach their decision.
    `reviewer check` also checks the form and similarity of their texts. Other cases are checked by the rules
    of their protocol, if it has any. Results are saved during the audit. You can interrupt it at any time:
    the next call skips the cases that are done. A finding is a warning sign, not a proof of a wrong label. If
    a program did not run, the checks that need it are shown as not tested and count as neither passed nor
    failed.

    A protocol may also check the dataset as a whole, for example how often each value occurs. Every call of
    the command computes these findings again and prints them above the findings on cases. With
    --whole-dataset, only these findings are listed.
    """

    example = "reviewer audit gpt-4o-mini --summary check"
    by: tuple[str, ...] | None = option(
        f"Count findings by any of {', '.join(DIMENSIONS)}, separated by commas, and do not list them.",
        "--summary",
        metavar="LIST",
        parse=_counted_by,
    )
    dismissed: bool = flag("Show dismissed findings too, with who dismissed them and why.")
    not_tested: bool = flag("Also list the checks that could not run, with the reason.")
    dry_run: bool = flag(
        "Estimate time, cost and storage of the audit, from a few of its cases. Nothing is written."
    )
    again: bool = flag("Audit every case again, even if its audit is up to date.")


class CheckOptions(ComparedTexts, Indexed, ChosenFindings):
    """Check an existing dataset with the filters that generation applies to candidates.

    Only filters that need no language model are run, with the thresholds of generation. They look at the form
    of the texts, at how similar the texts of a case are to each other and to those of other cases, and at
    what the programs of a case decide, if it has any. If the protocol is declared in a file, these are its
    declared checks, which `reviewer audit` runs too. Findings are listed, and saved as they come. You can
    interrupt the command at any time and call it again to continue.

    With --decisions, no check runs. Instead, language models decide each case, and the command shows how far
    they agree with themselves, with each other and with the programs.
    """

    example = "reviewer check gpt-4o-mini --published"
    published: bool = flag(
        "Instead of findings, list the computed values that differ from those published with the dataset."
    )
    deciders: tuple[str, ...] = several(
        "Instead of checking, ask this model 5 times to decide each case; may be repeated.",
        "--decisions",
        metavar="MODEL",
    )
    again: bool = flag("Check every case again, even if its check is up to date.")
    models: ModelOptions


class RepairOptions(Signed, Workers, WithoutJail, Tabled, InStore):
    """Repair cases of DATASET.

    Without --rule, --balance, --propose or --proposals, the app lists the cases of the dataset, and `E` opens
    the workbench on one of them. With --case KEY, the app opens the workbench on that case at once.

    A repair puts new content at the place of a case. The old content stays in the history, and verdicts on it
    are stale. Before a repair is saved, its programs are run. The case stays as it is if a program reaches no
    decision, or another decision than the rule intends. Each repair is saved as it is done. You can interrupt
    the command at any time and call it again to continue. With --cluster, workers run the programs of all
    cases for --balance, and audit what was repaired; repairs are tried on this machine.

    With --propose, a run named DATASET-repairs keeps the replies of the model; `reviewer run` lists it. The
    same command resumes it, and no answered request is sent again.
    """

    example = "reviewer repair gpt-4o-mini --balance --dry-run"
    dataset: str = argument("DATASET")
    rule: str | None = option(
        "Apply this rule to the cases given by --case. Default: to all cases with a finding that the rule"
        " may settle. `reviewer manual repairing` describes the rules.",
        metavar="NAME",
    )
    keys: tuple[str, ...] = several("Only this case; may be repeated.", "--case", metavar="KEY")
    balance: bool = flag(
        "Exchange the options of some cases, so that each option is right equally often in every group."
    )
    without: tuple[str, ...] = several(
        "With --balance: only among cases without a standing finding of this check, as `release make "
        "--without` leaves them out. May be repeated.",
        metavar="CHECK",
    )
    seed: int = option(
        "Random seed of --balance. A different seed chooses different cases.",
        default=0,
        show_default=True,
        within=(0, None),
    )
    propose: bool = flag(
        "Ask a language model (--model) for repairs of the worst finding of each case, run them, and list"
        " them. Nothing is saved without --accept."
    )
    model: str | None = option("The model that --propose, or P in the workbench, asks.", metavar="NAME")
    run: str | None = option(
        "With --propose: the run to resume, in place of --model. It asks what it has left, and about no "
        "other case.",
        metavar="RUN",
    )
    checks: tuple[str, ...] = several(
        "With --propose: only findings of this check; may be repeated.", "--check", metavar="NAME"
    )
    accept: int | None = option(
        "With --propose and one --case: save the proposal of this number.", metavar="NUMBER", within=(1, None)
    )
    proposals: bool = flag(
        "Count, for each check, the requests to models, the proposals, and those that were accepted."
    )
    dry_run: bool = flag(
        "Try the repairs, or print the first request to a model and a cost estimate. Nothing is sent or "
        "saved."
    )
    take_over: bool = flag("Resume a run whose previous process died without releasing it.")
    reason: str | None = option(
        "Why, in a few words. It is kept in the history. Default: the rule, or the model.", metavar="TEXT"
    )
    cluster: ClusterOptions
    models: ModelOptions
