"""Options of ``reviewer datasets``."""

from typing import ClassVar

from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.option import argument, command_options, option
from reviewer.options.shared import Indexed, InStore, Tabled


@command_options
class DatasetsMergeOptions(Indexed, Tabled, InStore):
    """Merge datasets into a new one, and list the cases that were left out because they collide.

    Cases are taken in the order of the datasets given. A case is left out if an earlier one is identical or
    too similar, even in another group. Withdrawn cases are left out. The old datasets do not change.
    """

    example: ClassVar[str] = "reviewer datasets merge gpt-4o-mini deepseek --into all-generators"
    datasets: tuple[str, ...] = argument("DATASET…", required=True)
    into: str = option("Name of the dataset to create.", required=True, metavar="NAME")
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
