"""Options of ``reviewer generate`` and ``discover``, whose runs make cases."""

from typing import Literal

from reviewer.options.model_options import ModelOptions
from reviewer.options.option import argument, flag, option, several
from reviewer.options.setting_options import SettingOptions
from reviewer.options.shared import InStore, PromptedRun, SentenceModel, Tabled, WithoutJail


class GenerateOptions(PromptedRun, SentenceModel, WithoutJail, Tabled, InStore):
    """Generate a validated dataset named RUN from seeds, with any OpenAI-compatible model.

    You can interrupt the run at any time: it waits for the calls under way and stops. To resume it, call the
    command again with the name alone. No answered request is sent again. Discarded candidates are kept in the
    dataset RUN.discarded; `reviewer funnel RUN` counts the reasons.
    """

    example = "reviewer generate first --model gpt-4o-mini --target 10 --models prices.toml --budget 2"
    name: str = argument("RUN")
    model: str | None = option(
        "The model that writes and judges the cases. Required for a new run.", metavar="NAME"
    )
    target: int | None = option(
        "Number of valid cases to generate for each group. Default: 100.", within=(1, None)
    )
    groups: tuple[str, ...] = several("Only this group; may be repeated.", "--group")
    seed: int | None = option(
        "Random seed. A different seed generates different cases. Default: 0.", within=(0, None)
    )
    seeds: str = option(
        "Dataset whose hand-written cases are shown to the model as examples.",
        default="seeds",
        show_default=True,
        metavar="DATASET",
    )
    protocol: str | None = option(
        "Protocol of the new cases. Needed only if it generates cases without seeds. Default: the "
        "protocol of the seeds.",
        metavar="NAME",
    )
    order: Literal["cost", "paper"] | None = option(
        "Order of the filters. cost: cheapest first; paper: as in the protocol's paper. Default: cost."
    )
    strict: bool = flag("Also discard candidates with serious audit findings.")
    setting: SettingOptions
    models: ModelOptions


class DiscoverOptions(PromptedRun, SentenceModel, Tabled, InStore):
    """Discover biases of a judge with the help of a teacher, and validate them on other pairs.

    In each round, the teacher rewrites rejected answers so that they show a known bias. The judge compares
    the rewrites with the right answers in both orders. The teacher names the biases behind misjudgements. New
    biases are validated on the validation pairs. A bias enters the library if it makes significantly more
    right judgements wrong than wrong judgements right. A run ends when a round keeps nothing.

    You can interrupt the run at any time: it waits for the calls under way and stops. To resume it, call the
    command again with the name alone. No answered request is sent again. For a finished run the command
    prints what the run did; this needs no key. The dataset RUN is the library with the biases that were kept,
    and RUN.rewrites has the rewrites; RUN.discarded and RUN.rewrites.discarded have the rest.
    `reviewer candidates RUN` lists everything that was tried.
    """

    example = (
        "reviewer discover biases --library known --pairs pairs --validation others --judge gpt-4o-mini "
        "--teacher gpt-4o --models prices.toml --budget 5"
    )
    name: str = argument("RUN")
    library: str | None = option("Dataset of known biases. Required for a new run.", metavar="DATASET")
    pairs: str | None = option(
        "Dataset of labelled pairs whose rejected answers are rewritten. Required for a new run.",
        metavar="DATASET",
    )
    validation: str | None = option(
        "Another dataset of labelled pairs, on which candidates are validated. Required for a new run.",
        metavar="DATASET",
    )
    judge: str | None = option("The model whose biases are sought. Required for a new run.", metavar="NAME")
    teacher: str | None = option(
        "The model that rewrites answers and names biases. Required for a new run.", metavar="NAME"
    )
    seed: int | None = option("Random seed of the draws of biases and pairs. Default: 0.", within=(0, None))
    setting: SettingOptions
    models: ModelOptions
