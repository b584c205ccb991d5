"""What people judged of findings on published cases: whether each was a true defect of its pair."""

import csv
from dataclasses import dataclass
from pathlib import Path

from reviewer.agreement.proportions import proportion
from reviewer.core.estimate import Estimate

JUDGEMENTS = Path(__file__).resolve().parents[2] / "oracle" / "data" / "finding_judgements.csv"


@dataclass(frozen=True)
class Judged:
    """The findings of one check that were read, and how many of them were true defects."""

    check: str
    read: int
    true: int

    @property
    def precision(self) -> Estimate:
        """The share of true defects, with Wilson's interval."""
        return proportion(self.true, self.read)

    @property
    def words(self) -> str:
        """As the manual says it: "20 of 22 were true defects (0.91, interval 0.72 to 0.97)"."""
        interval = self.precision.interval
        assert interval is not None
        low, high = interval.low, interval.high
        share = f"{self.true / self.read:.2f}, interval {low:.2f} to {high:.2f}"
        return f"{self.true} of {self.read} were true defects ({share})"


def judged_checks() -> dict[str, Judged]:
    """By check: what was read of it."""
    found: dict[str, Judged] = {}
    with JUDGEMENTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            before = found.get(row["check"], Judged(row["check"], 0, 0))
            true = before.true + (row["true_defect"] == "yes")
            found[row["check"]] = Judged(row["check"], before.read + 1, true)
    return found
