"""``reviewer release verify``: whether a release is whole and agrees with itself."""

from pathlib import Path

import click

from reviewer.cli.cluster_options import ClusterOptions, cluster_options
from reviewer.cli.options import Format, format_option, note, print_table, protocols_here
from reviewer.cli.progress_bars import progress_bars
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible


@click.command("verify", epilog="Example: reviewer release verify first-1.1")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@cluster_options
@format_option
def release_verify_command(folder: Path, cluster: ClusterOptions, form: Format) -> None:
    """Check a release: its files, seal, cases, counts and pages.

    Every program is run again, and its decision compared. Nothing is fetched, and programs run only in a
    jail. Without SWI-Prolog or a jail, decisions are not checked, and the table says so. If only the card was
    edited by hand, the table says "edited": the data can still be sound. Any other difference is a failure,
    with exit code 2.
    """
    from reviewer.exchange.releases.decision_rerun import decisions_check
    from reviewer.exchange.releases.release_checks import checks_table, failure_words, proved_words
    from reviewer.exchange.releases.release_reading import read_folder
    from reviewer.exchange.releases.verification import verified

    verification = verified(read_folder(folder), protocols_here())
    checks = [*verification.checks]
    if verification.whole and verification.manifest and verification.rows is not None:
        with cluster.confined_programs() as runner, progress_bars() as progress:
            content, rows = verification.manifest.content, verification.rows
            checks.append(decisions_check(content, rows, verification.protocols, runner, progress))
    print_table(checks_table(checks), form)
    if wrong := failure_words(checks):
        raise RequestError(wrong)
    for words in proved_words(checks):
        note(visible(words))
