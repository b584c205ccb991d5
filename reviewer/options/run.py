"""Options of ``reviewer run``."""

from reviewer.options.model_options import ModelOptions
from reviewer.options.option import argument, option, several
from reviewer.options.setting_options import SettingOptions
from reviewer.options.shared import InStore, PromptedRun, SentenceModel, Tabled, WithoutJail


class RunOptions(PromptedRun, SentenceModel, WithoutJail, Tabled, InStore):
    """Start or resume the run RUN of any procedure that a protocol offers. Without arguments, list all runs.

    The list has the models of each run by role. Its column kept counts the cases that the run made, the
    answers that were read, the replies with repairs, or the cases that got values; `reviewer funnel RUN`,
    `reviewer candidates RUN` and `reviewer outcomes list RUN` say more.

    `reviewer protocol show PROTOCOL` lists the procedures with their roles and settings. Some have a command
    of their own with more options: generate, evaluate and discover. The values that other procedures give to
    cases are kept as measurements, which name the run; `reviewer show CASE` prints them.

    You can interrupt the run at any time: it waits for the calls under way and stops. To resume it, call the
    command again with the three names alone. No answered request is sent again.

    If the store is on PostgreSQL, several processes may carry on one run that gives values to cases at the
    same time, as those of `reviewer evaluate` do.
    """

    example = "reviewer run tiny judge scores --role judge=gpt-4o --role referee=gpt-4o-mini --dataset talks"
    protocol: str | None = argument("[PROTOCOL]")
    procedure: str | None = argument("[PROCEDURE]")
    name: str | None = argument("[RUN]")
    roles: tuple[str, ...] = several(
        "The model of a role; may be repeated. Required for a new run.", "--role", metavar="ROLE=MODEL"
    )
    datasets: tuple[str, ...] = several(
        "Dataset of the cases, or PART=DATASET for a procedure that works on several; may be repeated. "
        "Required for a new run.",
        "--dataset",
        metavar="DATASET",
    )
    seed: int | None = option("Random seed. Default: 0.", within=(0, None))
    setting: SettingOptions
    models: ModelOptions
