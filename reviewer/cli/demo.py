"""``reviewer demo``: the app on the hand-written seed cases."""

from reviewer.cli.app_launch import need_terminal, open_app
from reviewer.cli.options import open_store
from reviewer.core.names import checked_name
from reviewer.options.demo import DemoOptions
from reviewer.options.shared import own_name
from reviewer.study.design.sampling import Design, create_study
from store.database import Database
from store.studies import find_study

_DEMO_STUDY = "seeds-demo"


def demo_command(options: DemoOptions) -> None:
    """Carry out ``reviewer demo``."""
    need_terminal()
    name = checked_name("rater", options.rater) if options.rater else own_name()
    database = open_store(options.store)
    _prepare_demo(database, name)
    open_app(database, name)


def _prepare_demo(database: Database, lead: str) -> None:
    from reviewer.exchange.rows.shipped_seeds import SHIPPED, ensure_seeds

    ensure_seeds(database)
    with database.read() as session:
        has_study = find_study(session, _DEMO_STUDY) is not None
    if not has_study:
        create_study(database, _DEMO_STUDY, Design((SHIPPED,), per_group=None, seed=1), lead)
