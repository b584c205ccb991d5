"""The numbers of a report as claims, so that anybody can compute each again."""

from collections.abc import Iterator, Sequence
from itertools import chain

from reviewer.core.table import Column, RowType, TableSpec
from reviewer.exchange.claims.claims_file import (
    Claim,
    Place,
    cell_text,
    claims_of_report,
    printed_estimate,
    printed_number,
)
from reviewer.report.recompute_text import agreement_command
from reviewer.report.report_statistics import ReportStatistics
from reviewer.results.labels.dimensions import PAIR
from reviewer.results.tables.agreement_tables import agreement_spec, by_scale, pass_rates_spec


def report_claims(statistics: ReportStatistics) -> str:
    """The claims of agreement and pass rates; "" where rows bear letters in place of names."""
    look = statistics.look
    if look.anonymous and PAIR in look.by:
        return ""
    results = (*statistics.results, *statistics.weighted)
    command = agreement_command(statistics.bundle, statistics.method, look)
    agreement = (
        claims_of(agreement_spec(look.by, part), part, "Agreement", command, look.digits)
        for part in by_scale(results)
    )
    rates = claims_of(
        pass_rates_spec(look.by, results), results, "Pass rates", f"{command} --pass-rates", look.digits
    )
    return claims_of_report(chain(*agreement, rates))


def claims_of(
    spec: TableSpec[RowType], rows: Sequence[RowType], table: str, command: str, digits: int
) -> Iterator[Claim]:
    """A claim for each number that people see in a table; the columns that name a row come first."""
    keys, numbers = spec.visible[: spec.keys], spec.visible[spec.keys :]
    for row in rows:
        place = _place(keys, row)
        for column in numbers:
            for name, printed in _printed(column, row, digits):
                about = [value for value in place.values() if value]
                number = printed_number(printed)
                if number is not None:
                    where = f"{table}, {' · '.join((*about, column.head or name))}"
                    yield Claim(
                        where if name == column.fields[0].name else f"{where}, {name}",
                        printed,
                        number,
                        command,
                        place,
                        name,
                    )


def _place(keys: Sequence[Column[RowType]], row: RowType) -> Place:
    named = (
        (field.name, cell_text(cell))
        for key in keys
        for field, cell in zip(key.fields, key.cells(row), strict=True)
    )
    return dict(named)


def _printed(column: Column[RowType], row: RowType, digits: int) -> Iterator[tuple[str, str]]:
    """The fields whose values people see, each as printed."""
    name = column.fields[0].name
    if column.estimate is None:
        yield name, cell_text(column.shown(row, digits))
    else:
        yield from printed_estimate(name, column.estimate(row), digits, interval=column.interval)
