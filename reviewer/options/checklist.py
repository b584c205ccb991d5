"""Options of ``reviewer checklist``."""

from reviewer.options.option import argument
from reviewer.options.shared import InStore, Tabled


class ChecklistOptions(Tabled, InStore):
    """List what readers of a validated benchmark ask: what is known, what is missing, what only authors know.

    NAME is a study of the store, or the folder of a release. Each row has the command that shows its answer,
    or the one that adds it. The list is our own; a row names a public list where that asks the same. What
    authors say is shown and never judged.
    """

    example = "reviewer checklist pilot"
    name: str = argument("STUDY|FOLDER")
