"""Options of ``reviewer outcomes``."""

from typing import Literal

from reviewer.options.option import CommandGroup, FilePath, argument, flag, one_of, option, several
from reviewer.options.shared import InStore, Tabled


class OutcomesCommands(CommandGroup):
    """List what models answered in an evaluation run, read it again, import or export it."""

    example = "reviewer outcomes list first --unreadable"


class OutcomesListOptions(Tabled, InStore):
    """List the outcomes of the evaluation run RUN: what was answered, and how it was read.

    A table shows the beginning of each reply; CSV and JSON have whole replies. An outcome is stale if its
    case was replaced or withdrawn after the run began.
    """

    example = "reviewer outcomes list first --unreadable --model gpt-4o-mini"
    name: str = argument("RUN")
    model: str | None = option("Show only outcomes of this model.", metavar="NAME")
    key: str | None = option("Show only outcomes of this case.", "--case", metavar="[DATASET:]KEY")
    condition: str | None = option("Show only outcomes under this condition.", metavar="NAME")
    state: Literal["unreadable", "missing", "not_asked"] | None = one_of(
        {
            "unreadable": "Show only replies without a label.",
            "missing": "Show only outcomes without a reply.",
            "not_asked": "Show only cases that were not asked because a condition cannot be applied to them.",
        }
    )
    limit: int | None = option("Show at most this many rows. Default: all.", within=(1, None))


class OutcomesReadOptions(Tabled, InStore):
    """Read the replies of RUN again with this release's reader, and list what changed. No model is asked."""

    example = "reviewer outcomes read first"
    name: str = argument("RUN")
    take_over: bool = flag("Read a run whose previous process died without releasing it.")


class OutcomesImportOptions(InStore):
    """Add the outcomes of one model from FILE to the evaluation run RUN, which is created if needed.

    In the layout probe-swe, each row is a pair of runs: one on each version of a case. Rows are matched with
    cases by group and texts. The number of blanks at the end of a prompt is the number of the repeat,
    counted from 0.

    In the layout judge-bench, each row is a pair of answers, with what a judge said of it in one or both
    orders. Rows are matched with cases by key and texts.

    Logs of evaluation harnesses are read for every protocol: inspect (a log of inspect_ai),
    lm-eval (samples of lm-evaluation-harness) and openai-batch. The id of a sample is the key of its case,
    followed by its condition if there are several: `KEY @ CONDITION`.

    A TOML file declares the columns of any other table, with one answer in each row (see `reviewer manual
    judging`). The sample of a new run has the cases of the file. Import the files of further models into the
    same run: it gets the cases that it lacks. A model was not asked the cases of which its file has no row.

    Everything is checked before anything is written. Importing the same file again changes nothing.
    """

    example = (
        "reviewer outcomes import own '2_llm_outputs_model=gpt-4o-mini.csv' --as probe-swe --dataset "
        "gpt-4o-mini"
    )
    run: str = argument("RUN")
    file: FilePath = argument("FILE")
    layout: str = option(
        "The layout of the file: probe-swe for the raw outputs of that benchmark's package, judge-bench "
        "for what a judge said of pairs of answers, inspect, lm-eval or openai-batch for logs of harnesses, "
        "or a TOML file that declares the columns of any table.",
        "--as",
        required=True,
        metavar="LAYOUT",
    )
    datasets: tuple[str, ...] = several(
        "A dataset that has cases of the file, if the run is new or lacks it; may be repeated.",
        "--dataset",
        metavar="NAME",
    )
    model: str | None = option(
        "The model that answered. Default: the model that the file or its name states.", metavar="NAME"
    )
    encoding: str | None = option(
        "Encoding of the file, such as cp1252. Default: recognised.", metavar="NAME"
    )
    skip_invalid: bool = flag("Import the valid rows and list the invalid ones.")


class OutcomesExportOptions(InStore):
    """Write every outcome of the evaluation run RUN as a row, as CSV and JSON Lines, with a codebook.

    Rows name the model, the case, the condition, the repeat, the label and the whole reply. Unreadable and
    missing outcomes have rows too.
    """

    example = "reviewer outcomes export first -o first-outcomes"
    run: str = argument("RUN")
    folder: FilePath = option("The folder to write.", "-o", required=True, metavar="DIR")


class OutcomesCasesOptions(InStore):
    """Print free answers of the evaluation run RUN as cases that experts review.

    The cases are JSON Lines; import them with `reviewer import answers.jsonl --dataset NAME`. Raters say
    which choice each answer took, and see afterwards how it was read. `reviewer judges` then compares the
    reader with the raters. An answer that was given several times is printed once.
    """

    example = "reviewer outcomes cases first --number 40 > answers.jsonl"
    run: str = argument("RUN")
    number: int | None = option("How many answers to draw. Default: all.", within=(1, None))
    seed: int = option("Random seed. A different seed draws other answers.", default=0, show_default=True)
    model: str | None = option("Take only answers of this model.", metavar="NAME")
