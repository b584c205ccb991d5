"""Numbers and estimates as people read them: few decimals, no leading zero, None for no value."""

from reviewer.core.estimate import FEWEST_CASES, TOO_FEW_CASES, Estimate

DIGITS = 2
"""Decimals that are shown by default."""
_MARK = "†"
FEW_NOTE = (
    f"{TOO_FEW_CASES}: the number rests on fewer than {FEWEST_CASES} cases, and an interval would look more "
    "exact than it is. CSV and JSON files hold it."
)


def short_number(value: float | None, decimals: int = DIGITS) -> str:
    """A coefficient as the field prints it: .97, -.02, 1.00; a dash for None."""
    if value is None:
        return "–"
    rounded = round(value, decimals) + 0.0  # never "-.00"
    return f"{rounded:.{decimals}f}".replace("0.", ".", 1)


def sum_text(value: float) -> str:
    """A sum: whole numbers as they are, others with two decimals."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.{DIGITS}f}"


def percent(value: float, decimals: int = DIGITS) -> str:
    """A share in percent, rounded as ``short_number`` rounds it: .925 is .93 and 93%."""
    return f"{round(value, decimals):.{max(0, decimals - 2)}%}"


def p_value(p: float | None) -> str | None:
    """Three decimals, and "<.001" below them."""
    if p is None:
        return None
    return "<.001" if p < 0.0005 else short_number(p, 3)


def number(estimate: Estimate, digits: int = DIGITS) -> str | None:
    """A few decimals without the leading zero, None for no value; a mean that leaves out parts is marked."""
    if estimate.value is None:
        return None
    return short_number(estimate.value, digits) + (_MARK if leaves_out(estimate) else "")


def with_interval(estimate: Estimate, digits: int = DIGITS) -> str | None:
    """The value with its interval in brackets, or with the note that there are too few cases for one."""
    value = number(estimate, digits)
    if value is None or estimate.interval is None:
        return value
    ends = estimate.shown_interval
    if ends is None:
        return f"{value} [{TOO_FEW_CASES}]"
    return f"{value} [{short_number(ends.low, digits)}, {short_number(ends.high, digits)}]"


def leaves_out(estimate: Estimate) -> bool:
    """Whether the value is a mean that leaves out parts without a value."""
    return estimate.value is not None and bool(estimate.left_out)
