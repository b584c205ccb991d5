"""Options of ``reviewer datasets complaints``."""

from reviewer.options.option import CommandGroup, FilePath, argument, flag, option
from reviewer.options.shared import InStore, Signed, Tabled


class DatasetsComplaintsCommands(CommandGroup, InStore):
    """Import what readers of a dataset report about its cases, and see what became of each report.

    A report opens a finding on its case. The audit screen and `reviewer audit` list it. It stays open until
    somebody dismisses it with a reason, repairs the case or withdraws it; a new audit does not close it. The
    changelog of the next release names each report, with what became of it.
    """

    example = "reviewer datasets complaints list first"


class DatasetsComplaintsImportOptions(Signed, InStore):
    """Import the reports of FILE about cases of a dataset.

    FILE is CSV or JSON Lines with one report a row: `key` names the case, `text` says what is wrong, and
    `link`, if given, is where the reader wrote it. If a row is not valid, nothing is imported. Importing the
    same row again changes nothing. Raters see no report while they still have cases of the dataset to answer.
    Reports stay in this store; they do not travel with merges, packs or exports.
    """

    example = "reviewer datasets complaints import reports.csv --dataset first"
    file: FilePath = argument("FILE")
    dataset: str = option("The dataset that the reports are about.", required=True, metavar="NAME")
    skip_invalid: bool = flag("Import the valid rows and list the invalid ones.")


class DatasetsComplaintsListOptions(Tabled, InStore):
    """List the reports about cases of DATASET, oldest first, each with what became of it.

    Raters who still have cases of the dataset to answer cannot see them.
    """

    example = "reviewer datasets complaints list first"
    dataset: str = argument("DATASET")
    open_only: bool = flag("List only reports that are still open.", "--open")
