"""``python -m tests.fuzz``: run the targets, print what ran, exit with 1 on any failure."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from tests.fuzz.harness import Plan, Tally, run
from tests.fuzz.isolation import away_from_everything
from tests.fuzz.targets import TARGETS


@click.command()
@click.option("--seconds", type=click.FloatRange(0), help="How long all targets run together; 60 by default.")
@click.option("--cases", type=click.IntRange(1), help="How many cases of each target, however long it takes.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides every case.")
@click.option("--first", type=click.IntRange(0), default=0, help="The number of the first case.")
@click.option(
    "--only", multiple=True, type=click.Choice(list(TARGETS)), help="Only this target; may be repeated."
)
@click.option(
    "--failures",
    type=click.Path(path_type=Path),
    default=Path(tempfile.gettempdir()) / "reviewer-fuzz",
    show_default=True,
    help="The folder for failing cases.",
)
def main(
    seconds: float | None, cases: int | None, seed: int, first: int, only: Sequence[str], failures: Path
) -> None:
    """Run hostile input against the program; exit with 1 if any came through."""
    if seconds is None and cases is None:
        seconds = 60.0
    away_from_everything()
    plan = Plan(seed, failures, cases, seconds, first)
    targets = [target for name, target in TARGETS.items() if not only or name in only]
    with tempfile.TemporaryDirectory(prefix="reviewer-fuzz-", ignore_cleanup_errors=True) as scratch:
        tallies = run(targets, plan, Path(scratch), lambda sentence: click.echo(sentence, err=True))
    click.echo(table(tallies))
    sys.exit(any(tally.failures for tally in tallies))


def table(tallies: Sequence[Tally]) -> str:
    """Target, cases, seconds, failures: one line each."""
    lines = [f"{'target':14} {'cases':>7} {'seconds':>8} {'failures':>8}  what"]
    for tally in tallies:
        told = f"did not run: {tally.reason}" if tally.reason else tally.target.told
        lines.append(
            f"{tally.target.name:14} {tally.cases:7} {tally.seconds:8.1f} {len(tally.failures):8}  {told}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
