"""``reviewer checklist``: questions of readers of a validated benchmark, with known answers."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli.printing import note, print_table, print_wrapped
from reviewer.cli.store_access import open_store, protocols_here
from reviewer.cli.viewer import check_results
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import shown, visible
from reviewer.options.checklist import ChecklistOptions
from store.studies import find_study

if TYPE_CHECKING:
    from reviewer.report.validation_checklist import Checklist


def checklist_command(options: ChecklistOptions) -> None:
    """``reviewer checklist``: of a study in the store, or of a release in a folder."""
    from reviewer.exchange.rows.source_file import is_release
    from reviewer.report.validation_checklist import checklist_lines, checklist_table

    folder = Path(options.name)
    checklist = _of_folder(folder) if is_release(folder) else _of_study(options)
    table = checklist_table(checklist)
    if options.form == "table":
        print_wrapped(visible("\n".join(checklist_lines(checklist))))
    else:
        print_table(table, options.form)
    states = Counter(row[3] for row in table.rows)
    note(", ".join(f"{number} {state}" for state, number in states.items()) + ".")


def _of_folder(folder: Path) -> "Checklist":
    """The checklist of a release that agrees with itself; raises InputError for another one."""
    from reviewer.exchange.releases.release_diff import read_release
    from reviewer.report.checklist_answers import checklist_of_release

    content = read_release(folder, protocols_here()).content
    note(
        "The folder agrees with itself; no program was run. `reviewer release verify` says of each number "
        "whether it can be checked."
    )
    return checklist_of_release(content, str(folder))


def _of_study(options: ChecklistOptions) -> "Checklist":
    from reviewer.report.checklist_answers import checklist_of_study

    database = open_store(options.store)
    with database.read() as session:
        known = find_study(session, options.name)
    if known is None:
        raise RequestError(
            f"{shown(options.name)!r} is neither a study of the store nor the folder of a release; see "
            "`reviewer study list`."
        )
    check_results(database, options.name)
    return checklist_of_study(database, options.name)
