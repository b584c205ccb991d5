"""Files of raw outputs as the published PROBE-SWE package writes them, for tests."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def row_of(
    group: str, record: Mapping[str, Any], repeat: int, unbiased: str, biased: str, cue: str = ""
) -> Row:
    """One pair of runs, decided for these letters."""
    blanks = " " * repeat
    return {
        "bias_name": group,
        "suggested_decision_with_bias": f"Option {biased}",
        "suggested_decision_without_bias": f"Option {unbiased}",
        "decision_explanation_with_bias": f"Since {biased} is good.",
        "decision_explanation_without_bias": f"Since {unbiased} is better.",
        "prompt_with_bias": f"{record['biased']}{cue}{blanks}",
        "prompt_without_bias": f"{record['unbiased']}{cue}{blanks}",
        **record,
    }


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> Path:
    """The rows as CSV, with the columns of all of them unless columns are given."""
    listed = list(rows)
    names = columns or list(dict.fromkeys(name for row in listed for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(listed)
    return path
