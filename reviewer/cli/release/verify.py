"""``reviewer release verify``: whether a release is whole and agrees with itself."""

from reviewer.cli.cluster_work import confined_programs_on
from reviewer.cli.options import note, print_table, protocols_here
from reviewer.cli.progress_bars import progress_bars
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.options.release import ReleaseVerifyOptions


def release_verify_command(options: ReleaseVerifyOptions) -> None:
    """Carry out ``reviewer release verify``."""
    from reviewer.exchange.releases.decision_rerun import decisions_check
    from reviewer.exchange.releases.release_checks import checks_table, failure_words, proved_words
    from reviewer.exchange.releases.release_reading import read_folder
    from reviewer.exchange.releases.verification import verified

    verification = verified(read_folder(options.folder), protocols_here())
    checks = [*verification.checks]
    if verification.whole and verification.manifest and verification.rows is not None:
        with confined_programs_on(options.cluster) as runner, progress_bars() as progress:
            content, rows = verification.manifest.content, verification.rows
            checks.append(decisions_check(content, rows, verification.protocols, runner, progress))
    print_table(checks_table(checks), options.form)
    if wrong := failure_words(checks):
        raise RequestError(wrong)
    for words in proved_words(checks):
        note(visible(words))
