"""``agreement`` and ``export``: from the ledger to numbers."""

from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.core.errors import RequestError
from reviewer.exchange.study_export import DEFAULT_BY, export_study
from reviewer.exchange.study_tables import agreement_table, pass_rates_table
from reviewer.report.agreement_text import agreement_text, legend, remarks
from reviewer.study.bundle import StudyBundle, load_study
from reviewer.study.labels import label_rows
from reviewer.study.results import DIMENSIONS, study_results
from store.database import Database
from store.ledger import Ledger
from store.records import Event


def _dimensions(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


by_option = click.option(
    "--by",
    default=",".join(DEFAULT_BY),
    show_default=True,
    callback=_dimensions,
    metavar="LIST",
    help=f"Divide by any of {', '.join(DIMENSIONS)}, separated by commas; '' for one row.",
)


@click.command("agreement", epilog="Example: reviewer agreement pilot --by question,generator --format csv")
@click.argument("name", metavar="STUDY")
@by_option
@click.option("--pass-rates", is_flag=True, help="With csv or json: pass rates and their intervals instead.")
@format_option
@store_option
def agreement_command(name: str, by: tuple[str, ...], pass_rates: bool, form: Format, store: str) -> None:
    """Show percent agreement, chance-corrected coefficients and pass rates.

    Means of cells and pooled values are different numbers; each stands in a row named so.
    """
    bundle, events = _study_with_events(store, name)
    rows = label_rows(bundle, events)
    results = study_results(bundle, rows, by)
    if form != "table":
        print_table((pass_rates_table if pass_rates else agreement_table)(results, by), form)
        return
    print_table(agreement_text(results, by), form)
    note(legend(results))
    for sentence in remarks(results, by):
        note(sentence)
    if stale := sum(row.stale for row in rows):
        note(f"{stale} verdicts are stale: their dataset holds other content at their place by now.")


@click.command("export", epilog="Example: reviewer export pilot -o exports/pilot")
@click.argument("name", metavar="STUDY")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    help="The folder to write to; exports/STUDY by default.",
)
@by_option
@store_option
def export_command(name: str, folder: Path | None, by: tuple[str, ...], store: str) -> None:
    """Write labels.csv, agreement.csv, pass_rates.csv and study.json."""
    bundle, events = _study_with_events(store, name)
    for path in export_study(bundle, events, folder or Path("exports") / name, by):
        click.echo(path)


def _study_with_events(store: str, name: str) -> tuple[StudyBundle, list[Event]]:
    database = Database.open(store, must_exist=True)
    bundle, events = load_study(database, name), Ledger(database).events(name)
    if not events:
        raise RequestError(
            f"study {name!r} has no verdicts yet; begin with `reviewer review {name} --rater NAME`."
        )
    return bundle, events
