"""``reviewer study check``: which cases have verdicts of experts on their present content."""

from collections import Counter

from reviewer.cli.printing import note, print_rows
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_results
from reviewer.core.errors import CheckFailed
from reviewer.core.sanitize import counted, visible
from reviewer.options.study import StudyCheckOptions
from reviewer.results.tables.label_tables import SIGN_OFFS
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.integrity.sign_off import CaseSignOff, sign_offs
from store.cases import get_dataset


def study_check_command(options: StudyCheckOptions) -> None:
    """Print the cases; raises CheckFailed for --signed-off if any lacks verdicts."""
    database = open_store(options.store)
    for name in options.names:
        check_results(database, name)
    studies = [read_study(database, name) for name in options.names]
    drawn = (dataset for bundle, _ in studies for dataset in bundle.design.datasets)
    datasets = options.datasets or tuple(dict.fromkeys(drawn))
    with database.read() as session:
        for dataset in datasets:
            get_dataset(session, dataset)
    cases = sign_offs(database, studies, datasets, options.least)
    if options.sampled:
        cases = [case for case in cases if case.state != "never reviewed"]
    print_rows(SIGN_OFFS, cases, options.form)
    counts = Counter(case.state for case in cases)
    note(
        f"Of {counted(len(cases), 'case')}: "
        + ", ".join(f"{n:,} {state}" for state, n in counts.items())
        + "."
    )
    if options.signed_off:
        _demand(cases)


def _demand(cases: list[CaseSignOff]) -> None:
    """Raise CheckFailed if a case is not signed off, or if there is none."""
    lacking = [case for case in cases if case.state != "signed off"]
    if not cases:
        raise CheckFailed("there is no case to sign off.")
    if lacking:
        first = lacking[0]
        at = f"{first.place.dataset}, record {first.record}, {visible(first.place.key)}"
        raise CheckFailed(f"not signed off: {counted(len(lacking), 'case')}. The first: {at}: {first.state}.")
