"""Options of the commands that show cases: ``cases``, ``show``, ``library`` and ``diversity``."""

from typing import Literal

from reviewer.options.option import argument, flag, option, several
from reviewer.options.result_options import Digits, ResultFormatted
from reviewer.options.shared import ClusterOptions, ComparedTexts, InStore, Tabled


class CasesOptions(Tabled, InStore):
    """List the cases that match filters and words.

    The column state says which were revised or withdrawn. Generators stay blank in datasets of a study in
    which you still have cases to answer, if its protocol hides them.
    """

    example = 'reviewer cases pilot-data --group "anchoring bias" --search deadline --limit 5'
    named: tuple[str, ...] = argument("DATASET...")
    datasets: tuple[str, ...] = several("Show only cases of this dataset; may be repeated.", "--dataset")
    group: str | None = option("Show only cases of this group.")
    generator: str | None = option("Show only cases of this generator.")
    origin: Literal["seed", "generated", "imported"] | None = option(
        "Show only cases that people wrote (seed), that a model did (generated), or of which nobody says "
        "(imported)."
    )
    search: str = option(
        "Show only cases that contain all these words. The beginning of a word is enough.",
        default="",
        metavar="TEXT",
    )
    limit: int = option("Show at most this many rows.", default=50, show_default=True, within=(1, None))
    offset: int = option("Skip this many cases first.", default=0, within=(0, None))


class ShowOptions(InStore):
    """Show everything about one case.

    CASE can be given in four ways: DATASET:KEY; its key alone, if only one dataset has it; the first
    characters of its digest; or RUN:NUMBER for a candidate of a generation run.

    If you still have cases to answer in an open study of this case, you see the panes that its questions
    show, without findings and opinions.
    """

    example = 'reviewer show "gpt-4o-mini:anchoring bias/seed-1"'
    reference: str = argument("CASE")
    dataset: str | None = option("The dataset that holds the case.", metavar="NAME")
    in_words: bool = flag("Show the derivation in sentences, not in clauses of a program.")
    form: Literal["text", "json"] = option(
        "Output format: text for people, JSON for programs.", "--format", default="text", show_default=True
    )


class LibraryOptions(Digits, ResultFormatted, InStore):
    """Show the entries of a library with their evidence, origin and merges.

    DATASET holds entries that were imported or that a discovery run found. The error is the share of items
    that a judge misjudges. It is shown before and after the entry changed the items, with Wilson's interval.
    `reviewer show` shows one changed item with all its texts.
    """

    example = "reviewer library known --format csv"
    dataset: str = argument("DATASET")
    entry: str | None = option("List the items that were changed by this entry.", metavar="NAME")


class DiversityOptions(ComparedTexts, Tabled, InStore):
    """Show how similar the cases of each group are, within each generator and between generators.

    The command compares the texts that the protocol requires to differ from case to case. The table has the
    mean cosine and the mean Levenshtein similarity over all pairs of cases. Lower means more diverse. A case
    that is in several datasets counts once.
    """

    example = "reviewer diversity gpt-4o-mini deepseek"
    datasets: tuple[str, ...] = argument("DATASET…", required=True)
    cluster: ClusterOptions
