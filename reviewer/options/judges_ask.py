"""Options of ``reviewer judges ask``."""

from reviewer.options.model_options import ModelOptions
from reviewer.options.option import NoneWord, argument, option, several
from reviewer.options.shared import InStore, PromptedRun, Tabled


class JudgesAskOptions(PromptedRun, Tabled, InStore):
    """Put the questions of a study to models, which then stand as judges in `reviewer judges STUDY`.

    Judges read what raters read before they answer: the panes of the question, its guideline and its labels.
    Their verdicts are outcomes of a run. They are not answers of raters: they count in no coefficient of the
    raters, and raters see none of them before they may.

    You can interrupt the run at any time; the same command resumes it, and no answered request is sent again.
    To ask a further judge about the same cases, add --model. `reviewer outcomes list RUN` shows each reply
    once you may see it, and `reviewer outcomes read RUN` reads them again with a newer reader.
    """

    example = "reviewer judges ask pilot --model gpt-4o-mini --repeats 5 --models prices.toml"
    name: str = argument("STUDY")
    asked: tuple[str, ...] = several(
        "A model to ask; may be repeated. Required the first time.", "--model", metavar="NAME"
    )
    repeats: int | None = option(
        "How often each question is asked about a case. A judge gives the answer of most of its readable "
        "replies. Default: 5. The number is set when the run is made: by the first command, or by "
        "`reviewer study new --judge`, which sets 5.",
        within=(1, None),
    )
    questions: tuple[str, ...] = several(
        "Ask only this question, by key or title; may be repeated. Default: all with labels.", "--question"
    )
    all_of: str | None = option(
        "Judge all cases of this dataset, beyond the sample of the study; in a study of answers, all answers "
        "that could have been drawn of this run.",
        metavar="DATASET|RUN",
    )
    run: str | None = option("The run that keeps the verdicts. Default: STUDY-judges.", metavar="RUN")
    temperature: float | NoneWord | None = option(
        "Sampling temperature that is sent. `none` sends no temperature, for models that refuse one.",
        metavar="NUMBER|none",
        within=(0, 5),
    )
    max_tokens: int | NoneWord | None = option(
        "Maximum length of an answer in tokens. `none` sends no such limit.",
        metavar="NUMBER|none",
        within=(1, None),
    )
    models: ModelOptions
