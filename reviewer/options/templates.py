"""Options of ``reviewer templates``."""

from typing import Literal

from reviewer.options.option import CommandGroup, CommandOptions, FilePath, argument, flag, option
from reviewer.options.shared import Tabled


class Ruled(CommandOptions):
    """``--rules``."""

    rules: FilePath | None = option(
        "Values and rules by group: the TOML of templates, without variants. They count before those of the "
        "templates and of this program.",
        metavar="FILE.toml",
    )


class TemplatesCommands(CommandGroup):
    """Check, convert and fill templates of cases, and check published results of such cases."""

    example = "reviewer templates nulls templates.toml"


class TemplatesShowOptions(Ruled, Tabled):
    """Check templates, and list their gaps, values and options with their places in the file.

    FILE is an .xml file of the published form, a .toml file, or a folder of such files. For templates with
    slots, the command lists slots and choices instead, each with the part of the template that it is in. The
    first fault is reported with its line and column. Values that must be given before cases are generated are
    named.
    """

    example = "reviewer templates show Anchoring.xml"
    files: tuple[FilePath, ...] = argument("FILE...", required=True)


class TemplatesConvertOptions(Ruled):
    """Print templates in another form: many files as one TOML file, or one template as XML.

    The TOML file can be given to `reviewer generate --settings`.
    """

    example = "reviewer templates convert templates/ > templates.toml"
    files: tuple[FilePath, ...] = argument("FILE...", required=True)
    form: Literal["toml", "xml"] = option(
        "toml: our own form, with values and rules; xml: the published form, for one template.",
        "--as",
        default="toml",
        show_default=True,
    )
    scenarios: FilePath | None = option(
        "Text file with one scenario a line, to add to the TOML file.", metavar="FILE"
    )


class TemplatesFillOptions(CommandOptions):
    """Fill the slots of templates and print each filling as a case with five levels of detail.

    The slot `<name>` is filled with a word from a list. The slot `<name = [50, 75] / 100>` is filled with a
    computed number: here, a whole number from 50 to 75 is drawn and divided by 100. The cases are JSON Lines.
    Import them with `reviewer import cases.jsonl --dataset NAME`.
    """

    example = "reviewer templates fill levels.toml --times 25 > cases.jsonl"
    file: FilePath = argument("FILE.toml")
    times: int = option(
        "How often each template is filled; no two fillings are the same.",
        default=25,
        show_default=True,
        within=(1, 10000),
    )
    seed: int = option(
        "Random seed. A different seed fills other words and numbers.", default=0, show_default=True
    )


class TemplatesNullsOptions(Ruled, Tabled):
    """Print the exact mean score of a coin and of constant answers, for the template of each group.

    coin: the mean score if both decisions are drawn at random. size: the mean absolute score of that coin.
    first, middle, last: the mean score if this option is always chosen. first_place: the mean score if the
    option in the first place of the list is always chosen. In one half of the cases this is the last option,
    because the list is reversed. Parameters are sampled as the template says. The column remark says which
    rule or value a template lacks; give it with --rules.
    """

    example = "reviewer templates nulls templates.toml --format csv"
    files: tuple[FilePath, ...] = argument("FILE...", required=True)


class TemplatesScoresOptions(Ruled, Tabled):
    """Recompute the scores of published decisions, and list which of them follow from the published rules.

    FILE needs the columns bias, options, control_decision, treatment_decision and published_score. Rows do
    not say which parameters were sampled. A score follows from the rules if parameters that the rules allow
    give this score. For other scores, the column rule names one rule whose change would explain the score, if
    there is such a rule. The column coin has the mean score of a coin by the rules.

    The rules of ten biases are known. Give those of others with --rules. A row of another bias, or one that
    has no valid decisions or score, is not read: the column not_read says why.
    """

    example = "reviewer templates scores decisions.csv --differing"
    file: FilePath = argument("FILE.csv")
    differing: bool = flag("Show only rows whose score does not follow from the rules.")


class TemplatesSharesOptions(Tabled):
    """Check published shares of resistant answers by model, group, temperature and level, and print them.

    The shares were published without the cases, so no interval over cases can be computed. The command
    checks that each average is the mean of its levels, and that each share is a whole number of answers. It
    also lists runs that have fewer answers than others of their group. The shares of these runs
    are not checked for whole numbers, because their number of answers at each level is not published.
    """

    example = "reviewer templates shares full_report-api.json --view ranking"
    files: tuple[FilePath, ...] = argument("FILE.json...", required=True)
    view: Literal["entries", "ranking", "levels"] = option(
        "entries: every share; ranking: models, over the groups that all of them have; levels: the mean "
        "over models at each level, with the slope from one level to the next.",
        default="entries",
        show_default=True,
    )
    cells: FilePath | None = option(
        "Compare a published table of averages instead, a CSV with the columns model_key, bias, "
        "paper_table1.",
        metavar="FILE.csv",
    )


class TemplatesReadingOptions(Tabled):
    """Read free answers whose choice is known, and count the reader's errors by the kind of answer.

    FILE is JSON Lines with cases of the protocol level-answers. Each case needs the published values
    known_choice and kind_of_answer. `reviewer protocol example level-answers` writes such a file with 200
    answers.
    """

    example = "reviewer templates reading level-answers.jsonl --errors"
    file: FilePath = argument("FILE.jsonl")
    errors: bool = flag("List every answer that is read wrongly instead.")
