"""How often a finding was a true defect when people read it, with Wilson's interval, check by check.

The judgements are in ``tests/oracle/data``, by the keys of the published pairs of gpt-4o-mini. A finding was
called a true defect if an author would have to change the programs or the axioms because of it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reviewer.core.table import Table
from reviewer.oracle.version_checks import CHECKS
from reviewer.report.text_table import text_table
from tests.bench.support.judgements import judged_checks


def main() -> None:
    """Print one row for each check, in the order of lists."""
    judged = judged_checks()
    rows = [
        (check.name, check.basis, judged[check.name].words if check.name in judged else "not read")
        for check in CHECKS
    ]
    print(text_table(Table.of(("check", "basis", "true defects"), rows)))


if __name__ == "__main__":
    main()
