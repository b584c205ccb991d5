"""What a key sends to the terminal: a verdict, a change of focus, zoom; with the times of the same run.

Usage: python tests/bench/bytes.py [--against CHECKOUT …] [--cases FILE] [--presses 15] [--rounds 2]

Against a bare Textual app that replaces the same texts in the same panes, and against other checkouts, whose
own commands make their stores.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.support.repainting import bytes_table, measure, options, processor_table, time_table  # noqa: E402


def main() -> None:
    """Make a study for each checkout, measure, print."""
    chosen = options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(chosen, Path(folder))
    print(bytes_table(measured))
    print(time_table(measured))
    print(processor_table(measured))


if __name__ == "__main__":
    main()
