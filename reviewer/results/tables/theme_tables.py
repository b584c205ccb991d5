"""The table of themes by keywords."""

from collections.abc import Sequence

from reviewer.agreement.reasons import NO_DATA
from reviewer.core.estimate import Estimate
from reviewer.core.estimate_column import estimate_column
from reviewer.core.table_spec import Column, TableSpec, plain_column
from reviewer.results.outcomes.theme_counts import ThemeCount
from reviewer.results.tables.place_columns import dimension_column

_NOT_CHOSEN = Estimate.undefined(NO_DATA, 0)


def theme_counts_spec(rows: Sequence[ThemeCount]) -> TableSpec[ThemeCount]:
    """One row for each theme and group: shares of answers with one of its words, by version."""
    first, second = rows[0].versions if rows else ("first", "second")
    named = "share of answers with one of the theme's words"
    columns: tuple[Column[ThemeCount], ...] = (
        plain_column("theme", "string", "name of the theme", lambda row: row.theme.name, "theme"),
        plain_column(
            "words", "string", "its words; * ends a beginning", lambda row: ";".join(row.theme.words)
        ),
        dimension_column("group", lambda row: row.group, "group"),
        estimate_column(
            "first",
            f"{named}, {first} version",
            lambda row: row.shares[0],
            first,
            interval=False,
            units="cases",
        ),
        estimate_column(
            "second",
            f"{named}, {second} version",
            lambda row: row.shares[1],
            second,
            interval=False,
            units="cases",
        ),
        estimate_column(
            "difference",
            f"the share in the {second} version minus that in the {first} one",
            lambda row: row.difference,
            "difference",
            told=f"{second} minus {first}, its interval by cases",
            units="cases",
        ),
        estimate_column(
            "chosen",
            "share of the run's answers for which experts chose the theme as main reason",
            lambda row: row.chosen or _NOT_CHOSEN,
            "experts",
            told="share of the run's answers for which experts chose it as main reason",
            units="answers",
        ),
    )
    return TableSpec(columns, 2)
