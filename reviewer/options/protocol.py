"""Options of ``reviewer protocol``."""

from reviewer.options.option import CommandGroup, CommandOptions, FilePath, argument, flag, option
from reviewer.options.shared import InStore, RowEncoding, Tabled


class ProtocolCommands(CommandGroup):
    """Write, check, show and list protocols that are declared in one file."""

    example = "reviewer protocol new pairs.jsonl"


class ProtocolNewOptions(RowEncoding):
    """Write a first declaration of a protocol for DATA, a file of rows.

    Six questions are asked, each with a suggestion made from the data: what is the key of a case, what is its
    group, which texts are compared or ranked, what else do raters look at, what are they asked, and with
    which labels. Lines of one item, options with a right answer, and spans are found by their values. Where a
    column holds scores, the ends of their scale are asked for too. A question is not asked if its option is
    given. Without a terminal, no question is asked, and the suggestions are used. Notes say
    which of them are poor guesses.
    """

    example = "reviewer protocol new pairs.jsonl --name pairs"
    data: FilePath = argument("DATA")
    name: str | None = option("Name of the protocol. Default: the name of the file.")
    key: str | None = option(
        "Columns that make the key of a case, such as {id}. Give - to use row numbers as keys.",
        metavar="TEMPLATE",
    )
    group: str | None = option("Column that holds the group of a case; - for none.", metavar="COLUMN")
    compare: str | None = option(
        "Two columns to compare, or three to nine to rank, with commas between; - for none.",
        metavar="COLUMNS",
    )
    show: str | None = option("Columns to look at, with commas between; - for none.", metavar="COLUMNS")
    ask: str | None = option("The question that raters answer.", metavar="PROMPT")
    scale: str | None = option(
        "The ends of the scale of scores, such as 1-5, also where some scores do not occur.", metavar="ENDS"
    )
    labels: str | None = option("Its labels, with commas between.", metavar="LABELS")
    file: FilePath | None = option(
        "The file to write. Default: NAME.toml here; an existing file is never replaced.",
        "-o",
        metavar="FILE",
    )


class ProtocolCheckOptions(Tabled):
    """Check the declaration of a protocol, and list every fault with its table and key.

    Nothing is written, and no store is needed. To use a declaration, import a data file with it:
    `reviewer import DATA --protocol FILE.toml --dataset NAME`.
    """

    example = "reviewer protocol check pairs.toml"
    file: FilePath = argument("FILE.toml")


class ProtocolShowOptions(Tabled, InStore):
    """Show a protocol's groups, panes, questions, checks and opinions. Without a version: the newest one."""

    example = "reviewer protocol show pairs --text > pairs.toml"
    name: str = argument("NAME[@VERSION]")
    text: bool = flag("Print the text of the declaration, as it was imported.")


class ProtocolListOptions(Tabled, InStore):
    """List the protocols of the program, of other packages and of the store, each version in a row."""

    example = "reviewer protocol list --format json"


class ProtocolExampleOptions(CommandOptions):
    """Write a shipped example to FOLDER: cases, and their declaration or what a model answered.

    Without NAME, the examples are listed. Without FOLDER, the files go to the current folder. Existing files
    are never replaced. The output consists of the commands that import the example.
    """

    example = "reviewer protocol example reply_pairs trial"
    name: str | None = argument("[NAME]")
    folder: FilePath | None = argument("[FOLDER]")
