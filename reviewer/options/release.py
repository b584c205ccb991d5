"""Options of ``reviewer release``."""

from typing import ClassVar

from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.option import FilePath, argument, command_options
from reviewer.options.shared import Tabled


@command_options
class ReleaseVerifyOptions(Tabled):
    """Check a release: its files, seal, cases, counts and pages.

    Every program is run again, and its decision compared. Nothing is fetched, and programs run only in a
    jail. Without SWI-Prolog or a jail, decisions are not checked, and the table says so. If only the card was
    edited by hand, the table says "edited": the data can still be sound. Any other difference is a failure,
    with exit code 2.
    """

    example: ClassVar[str] = "reviewer release verify first-1.1"
    folder: FilePath = argument("FOLDER")
    cluster: ClusterOptions
