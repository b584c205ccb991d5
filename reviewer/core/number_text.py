"""Numbers as programs and as people read them: one way to round for each, used everywhere."""

from decimal import ROUND_HALF_UP, Context, Decimal

from reviewer.core.estimate import Estimate

DIGITS = 2
"""Decimals that are shown by default."""
LEFT_OUT, ASSUMED, FEW = "†", "‡", "°"
"""Marks at a mean that leaves out parts, at a value that takes unreadable replies for an answer, and at a
value that rests on too few cases for an interval."""
_HALF_UP = Context(prec=400, rounding=ROUND_HALF_UP)
"""With enough digits for any float with decimals."""


def all_digits(value: float | None) -> float | None:
    """A computed value for programs: fifteen significant digits, as many as every float holds; never -0."""
    return None if value is None else float(f"{value:.15g}") + 0.0


def rounded(value: float, decimals: int) -> Decimal:
    """A value for people, rounded half up on its shortest decimal form: 19/40 is .48, not .47; never -0."""
    shortest = Decimal(repr(float(value)))
    return _HALF_UP.plus(_HALF_UP.quantize(shortest, Decimal(1).scaleb(-decimals)))


def fixed(value: float, decimals: int = DIGITS) -> str:
    """A value with a fixed number of decimals."""
    return f"{rounded(value, decimals):f}"


def significant(value: float, digits: int) -> str:
    """A value with at most this number of digits that count: 0.0123, 1.2e-05."""
    context = Context(prec=digits, rounding=ROUND_HALF_UP)
    return f"{float(context.create_decimal(repr(float(value)))):.{digits}g}"


def short_number(value: float | None, decimals: int = DIGITS) -> str:
    """A coefficient as the field prints it: .97, -.02, 1.00; a dash for None."""
    if value is None:
        return "–"
    text = fixed(value, decimals)
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def whole(value: float) -> str:
    """The nearest whole number, with commas between thousands."""
    return f"{rounded(value, 0):,f}"


def short_seconds(value: float) -> str:
    """Seconds: whole from ten on, else with one decimal, so that a fast answer is not printed as 0."""
    if 0 < value < 0.05:
        return "<0.1"
    return whole(value) if value >= 10 else fixed(value, 1)


def sum_text(value: float) -> str:
    """A sum: whole numbers as they are, others with two decimals."""
    return whole(value) if value == int(value) else f"{rounded(value, DIGITS):,f}"


def points(share: float, decimals: int = 1) -> str:
    """A share as percentage points without their sign."""
    return f"{rounded(share, decimals + 2).scaleb(2):f}"


def width_in_points(low: float, high: float) -> int:
    """How many percentage points are between two shares as they are printed, in whole percent."""
    return int(points(high, 0)) - int(points(low, 0))


def percent(share: float, decimals: int | None = 0) -> str:
    """A share in percent; with None for ``decimals`` as it was set, so that a level of .975 is 97.5%."""
    if decimals is not None:
        return f"{points(share, decimals)}%"
    return f"{Decimal(repr(float(share))).scaleb(2).normalize():f}%"


def p_value(p: float | None) -> str | None:
    """Three decimals, and "<.001" below them."""
    if p is None:
        return None
    return "<.001" if p < 0.0005 else short_number(p, 3)


def number(estimate: Estimate, digits: int = DIGITS) -> str | None:
    """A few decimals without the leading zero and with their marks; None for no value."""
    if estimate.value is None:
        return None
    return short_number(estimate.value, digits) + marks(estimate)


def marks(estimate: Estimate) -> str:
    """The marks at a value, which a legend explains."""
    return LEFT_OUT * leaves_out(estimate) + ASSUMED * bool(estimate.assumed)


def with_interval(estimate: Estimate, digits: int = DIGITS) -> str | None:
    """The value with its interval in brackets, or with the mark that there are too few cases for one."""
    value = number(estimate, digits)
    if value is None or not (ends := interval_text(estimate, digits)):
        return value
    return f"{value}{FEW}" if estimate.too_few else f"{value} [{ends}]"


def value_or_reason(estimate: Estimate, digits: int = DIGITS) -> str:
    """The value with its interval, or that it is undefined and why."""
    return with_interval(estimate, digits) or f"undefined ({estimate.reason})"


def interval_text(estimate: Estimate, digits: int = DIGITS, between: str = ", ") -> str:
    """The ends of the interval, or that too few cases are behind the value; "" where there is neither."""
    if estimate.too_few:
        return estimate.too_few
    ends = estimate.interval
    return f"{short_number(ends.low, digits)}{between}{short_number(ends.high, digits)}" if ends else ""


def leaves_out(estimate: Estimate) -> bool:
    """Whether the value is a mean that leaves out parts without a value."""
    return estimate.value is not None and bool(estimate.left_out)
