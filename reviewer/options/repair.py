"""Options of ``reviewer repair``."""

from typing import ClassVar

from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.model_options import ModelOptions
from reviewer.options.option import argument, command_options, flag, option, several
from reviewer.options.shared import InStore, Signed, Tabled, WithoutJail, Workers


@command_options
class RepairOptions(Signed, Workers, WithoutJail, Tabled, InStore):
    """Repair cases of DATASET.

    Without --rule, --balance, --propose or --proposals, the app lists the cases of the dataset, and `E` opens
    the workbench on one of them. With --case KEY, the app opens the workbench on that case at once.

    A repair puts new content at the place of a case. The old content stays in the history, and verdicts on it
    are stale. Before a repair is saved, its programs are run. The case stays as it is if a program reaches no
    decision, or another decision than the rule intends. Each repair is saved as it is done. You can interrupt
    the command at any time and call it again to continue. With --cluster, workers run the programs of all
    cases for --balance, and audit what was repaired; repairs are tried on this machine.
    """

    example: ClassVar[str] = "reviewer repair gpt-4o-mini --balance --dry-run"
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
    checks: tuple[str, ...] = several(
        "With --propose: only findings of this check; may be repeated.", "--check", metavar="NAME"
    )
    accept: int | None = option(
        "With --propose and one --case: save the proposal of this number.", metavar="NUMBER", within=(1, None)
    )
    proposals: bool = flag(
        "Count, for each check, the requests to models, the proposals, and those that were accepted."
    )
    dry_run: bool = flag("Try the repairs, or print the first request to a model. Nothing is sent or saved.")
    reason: str | None = option(
        "Why, in a few words. It is kept in the history. Default: the rule, or the model.", metavar="TEXT"
    )
    cluster: ClusterOptions
    models: ModelOptions
