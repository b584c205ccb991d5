"""``reviewer cluster plan``: time, cost and storage for datasets of some sizes, before there are any."""

from dataclasses import replace

from reviewer.cli.options import note, print_table
from reviewer.options.cluster import ClusterPlanOptions
from reviewer.planning.estimate_table import estimate_table
from reviewer.planning.estimates import ASSUMED, Planner, assumption_words

SIZES = (10_000, 100_000, 1_000_000)
WORKERS = (8, 32)
_MOST_CASES, _MOST_WORKERS, _MOST_CORES = 10_000_000, 10_000, 1_024


def cluster_plan_command(options: ClusterPlanOptions) -> None:
    """Carry out ``reviewer cluster plan``."""
    planner = Planner(assumed=replace(ASSUMED, cores=options.cores))
    estimates = [
        (number, estimate)
        for number in options.sizes or SIZES
        for estimate in planner.all_work(number, options.workers or WORKERS)
    ]
    table = estimate_table([estimate for _, estimate in estimates], for_people=options.form == "table")
    rows = [
        (f"{number:,}" if options.form == "table" else number, *row)
        for (number, _), row in zip(estimates, table.rows, strict=True)
    ]
    print_table(table.of(("cases", *table.columns), rows), options.form)
    for words in assumption_words(planner.assumed):
        note(words)
