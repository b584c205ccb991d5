"""Options of ``reviewer evaluate``."""

from typing import Literal

from reviewer.options.model_options import ModelOptions
from reviewer.options.option import FilePath, NoneWord, argument, choice, flag, option, several
from reviewer.options.setting_options import SettingOptions
from reviewer.options.shared import InStore, PromptedRun, Tabled


class EvaluateOptions(PromptedRun, Tabled, InStore):
    """Ask models about the cases of datasets, and keep every answer in the evaluation run RUN.

    The sample is frozen when the run begins. You can interrupt the run at any time: it waits for the calls
    under way and stops. To resume it, call the command again; the name of the run is enough. To ask further
    models about the same cases, add --model. No answered request is sent again. `reviewer effects RUN` shows
    what the conditions did to the decisions, and `reviewer outcomes list RUN` lists the answers.

    If the store is on PostgreSQL, several processes may carry on one run at the same time: call
    `reviewer evaluate RUN` once for each. Together they keep to the limits of requests and tokens a minute;
    --concurrency and --budget apply to each process by itself. If the store is a file, a second process is
    refused.
    """

    example = "reviewer evaluate first seeds --model gpt-4o-mini --repeats 5 --models prices.toml"
    name: str = argument("RUN")
    datasets: tuple[str, ...] = argument("[DATASET]…")
    asked: tuple[str, ...] = several(
        "A model to ask; may be repeated. Required for a new run.", "--model", metavar="NAME"
    )
    reader: str | None = option(
        "The model that reads replies, where a declared protocol leaves that to a judge (`reader = "
        '"judge"`).',
        metavar="NAME",
    )
    roles: tuple[str, ...] = several(
        "The model of another role of the evaluation; may be repeated. Default: the asked model. `reviewer "
        "protocol show NAME` lists the roles.",
        "--role",
        metavar="ROLE=MODEL",
    )
    conditions: tuple[str, ...] = several(
        "How cases are put to models, such as order='as written,exchanged'; may be repeated. `reviewer "
        "protocol show NAME` lists the names and values.",
        "--condition",
        metavar="NAME=VALUE,…",
    )
    repeats: int | None = option(
        "How often each case is asked. Default: as its protocol says.",
        within=(1, None),
    )
    repeats_by: Literal["blanks", "seed", "none"] | None = choice(
        "By what the requests for repeats of a case differ.",
        {"blanks": "blanks at the end of the prompt", "seed": "the seed that is sent", "none": "nothing"},
    )
    answers_as: Literal["text", "schema"] | None = choice(
        "How models are asked to answer.",
        {
            "text": "as the prompt says, the default",
            "schema": "as JSON with one of the labels, by the server's response_format",
        },
    )
    temperature: float | NoneWord | None = option(
        "Sampling temperature that is sent. `none` sends no temperature, for models that refuse one.",
        metavar="NUMBER|none",
        within=(0, 5),
    )
    top_p: float | NoneWord | None = option(
        "Nucleus sampling parameter that is sent. `none` sends none.", metavar="NUMBER|none", within=(0, 1)
    )
    max_tokens: int | NoneWord | None = option(
        "Maximum length of an answer in tokens. `none` sends no such limit.",
        metavar="NUMBER|none",
        within=(1, None),
    )
    groups: tuple[str, ...] = several("Only cases of this group; may be repeated.", "--group")
    per_group: int | None = option(
        "Draw this many cases of each group. Default: all cases.", within=(1, None)
    )
    cap: Literal["smallest"] | None = option(
        "Draw the same number of cases from every group of every dataset: the size of the smallest group."
    )
    picked: FilePath | None = option(
        "Only the cases of this file: a CSV with columns dataset and key, or one key a line.",
        "--cases",
        metavar="FILE",
        is_file=True,
    )
    seed: int = option("Random seed of the draw.", default=0, show_default=True)
    take_over: bool = flag(
        "Resume a run whose previous process died without releasing it. On PostgreSQL this ends the "
        "leases of all other processes of the run; a process that is still alive takes a new lease and "
        "continues."
    )
    setting: SettingOptions
    models: ModelOptions
