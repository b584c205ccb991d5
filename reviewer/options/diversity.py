"""Options of ``reviewer diversity``."""

from typing import ClassVar

from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.option import argument, command_options, option
from reviewer.options.shared import InStore, Tabled


@command_options
class DiversityOptions(Tabled, InStore):
    """Show how similar the cases of each group are, within each generator and between generators.

    The command compares the texts that the protocol requires to differ from case to case. The table has the
    mean cosine and the mean Levenshtein similarity over all pairs of cases. Lower means more diverse. A case
    that is in several datasets counts once.
    """

    example: ClassVar[str] = "reviewer diversity gpt-4o-mini deepseek"
    datasets: tuple[str, ...] = argument("DATASET…", required=True)
    model: str = option(
        "Sentence-embedding model that compares texts: a folder, or the name of a model that is already "
        "on this machine. Models are never downloaded.",
        "--sentence-model",
        "--model",
        default="all-MiniLM-L6-v2",
        show_default=True,
        metavar="NAME_OR_FOLDER",
    )
    cluster: ClusterOptions
