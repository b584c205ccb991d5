"""``reviewer demo``: the app on the hand-written seed cases."""

import click

from reviewer.cli.app_launch import OWN_NAME, need_terminal, open_app, own_name
from reviewer.cli.options import open_store, store_option
from reviewer.core.names import checked_name
from reviewer.study.design.sampling import Design, create_study
from store.database import Database
from store.studies import find_study

_DEMO_STUDY = "seeds-demo"


@click.command("demo", epilog="Example: reviewer demo --store demo.db")
@click.option("--rater", default=None, help=f"Your name. {OWN_NAME}")
@store_option
def demo_command(rater: str | None, store: str) -> None:
    """Open the app on the hand-written seed cases, ready to be labelled."""
    need_terminal()
    name = checked_name("rater", rater) if rater else own_name()
    database = open_store(store)
    _prepare_demo(database, name)
    open_app(database, name)


def _prepare_demo(database: Database, lead: str) -> None:
    from reviewer.exchange.rows.shipped_seeds import SHIPPED, ensure_seeds

    ensure_seeds(database)
    with database.read() as session:
        has_study = find_study(session, _DEMO_STUDY) is not None
    if not has_study:
        create_study(database, _DEMO_STUDY, Design((SHIPPED,), per_group=None, seed=1), lead)
