"""The mean over cells, which is not the pooled value and has no interval."""

from collections.abc import Iterable

from reviewer.core.estimate import NO_DATA, Estimate


def mean_of(estimates: Iterable[Estimate]) -> Estimate:
    """Unweighted mean of the estimates that have a value: n counts these, ``left_out`` the others.

    Without any, the reason is theirs where they share one, else "no data".
    """
    cells = list(estimates)
    values = [cell.value for cell in cells if cell.value is not None]
    left_out = len(cells) - len(values)
    if values:
        return Estimate(sum(values) / len(values), len(values), left_out=left_out)
    reasons = {cell.reason for cell in cells if cell.reason is not None}
    return Estimate(None, 0, reasons.pop() if len(reasons) == 1 else NO_DATA, left_out=left_out)
