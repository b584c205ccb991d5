"""Options of ``reviewer judges`` and ``judges ask``."""

from typing import Literal

from reviewer.options.model_options import ModelOptions
from reviewer.options.option import FilePath, NoneWord, argument, one_of, option, several
from reviewer.options.result_options import Digits, IntervalChoice, LabelRule, ResultFormatted, WeightedLabels
from reviewer.options.shared import InStore, PromptedRun, Tabled, listed

JudgesTable = Literal[
    "final",
    "confusion",
    "raters",
    "anchoring",
    "by-label",
    "differences",
    "reliability",
    "replace",
    "shares",
    "awareness",
]


class JudgesOptions(LabelRule, WeightedLabels, IntervalChoice, Digits, ResultFormatted, InStore):
    """Compare the opinions of models, or other published or measured answers, with the raters' labels.

    An opinion is a published or measured value, such as a model's verdict, that the protocol declares to be
    an answer to a question. Cases without the value abstain. Raters must not see opinions before they answer,
    so the command refuses while somebody has not finished.
    """

    example = "reviewer judges pilot --raters --format csv"
    name: str = argument("STUDY")
    by: tuple[str, ...] | None = option(
        "Divide by any of group, generator, dataset, separated by commas; '' for one row per opinion.  "
        "[default: group; with --differences generator, with --replace and --shares '']",
        metavar="LIST",
        parse=listed,
    )
    shown: JudgesTable = one_of(
        {
            "final": "Compare opinions with the final labels (the default).",
            "confusion": "Count cases by the label of the opinion and the final label.",
            "raters": "Compare opinions with each rater, and with how the raters agree with each other.",
            "anchoring": "How many raters changed their answer towards the machine rater, or away from it.",
            "by-label": "Show sensitivity and specificity for each label, and how much too often an opinion "
            "gives it.",
            "differences": "Compare these figures between the values of the last word of --by, such as "
            "generators: is an opinion kinder to one of them?",
            "reliability": "Show how many cases with as many votes of a judge, or with the same published "
            "value, the final labels confirm.",
            "replace": "Test whether an opinion may stand in for a rater (alternative annotator test).",
            "shares": "Estimate the share of each label in the whole dataset from opinions on all cases and "
            "the final labels of the drawn ones, and show how many labels the opinion saves.",
            "awareness": "In a study of answers: how many wrong decisions a judge finds aware of the cue, as "
            "published and among the decisions that the cue turned.",
        },
        default="final",
    )
    epsilon: float = option(
        "With --replace: by how much an opinion may fall short of a rater. 0.2 for experts, 0.15 for trained "
        "raters, 0.1 for crowds.",
        default=0.2,
        show_default=True,
        within=(0, 1),
    )
    known: str | None = option(
        "Compare opinions and raters with the right labels, which this published value holds.",
        metavar="VALUE",
    )

    published: tuple[FilePath, ...] = several(
        "Show by group how many cases judges reject, next to a published table of another judge (PROBE-SWE: "
        "`judges.DATASET.JUDGE.json`); may be repeated.",
        "--published",
        metavar="FILE",
    )

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What the table is divided by."""
        usual = {"differences": ("generator",), "replace": (), "shares": ()}
        return usual.get(self.shown, ("group",)) if self.by is None else self.by


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
