"""``reviewer outcomes read``: replies read again by a newer reader, without a call."""

from contextlib import closing

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import agreeing, one_line
from reviewer.core.table import Cell, Table
from reviewer.options.outcomes import OutcomesReadOptions
from reviewer.runs.evaluation.reading_again import ChangedReading, read_again
from store.evaluations import Evaluations
from store.records import SampledCase

_LONGEST = 80
_COLUMNS = ("dataset", "key", "model", "condition", "repeat", "before", "now", "why", "reply")


def outcomes_read_command(options: OutcomesReadOptions) -> None:
    """Carry out ``reviewer outcomes read``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        sample = Evaluations(database).sample(options.name)
        check_outcomes(database, {drawn.dataset for drawn in sample})
        result = read_again(database, options.name, take_over=options.take_over)
    rows = [_row(change, sample[change.before.case]) for change in result.changed]
    print_table(Table.of(_COLUMNS, rows), options.form)
    changed = len(result.changed)
    note(
        f"{result.read:,} {agreeing(result.read, 'reply', 'replies')} read again by version "
        f"{result.version} of the reader; {changed:,} {agreeing(changed, 'is', 'are')} read differently."
        if result.read
        else f"Version {result.version} of the reader has read every reply of {options.name}; "
        "nothing changed."
    )


def _row(change: ChangedReading, sampled: SampledCase) -> tuple[Cell, ...]:
    before, after = change.before, change.after
    return (
        sampled.dataset,
        sampled.key,
        before.model,
        before.condition,
        before.repeat,
        before.label or before.state,
        after.label or after.state,
        after.why,
        one_line(after.reply, _LONGEST),
    )
