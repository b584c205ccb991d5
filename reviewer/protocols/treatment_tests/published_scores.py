"""Scores that were published with two decisions, computed again from the rules of their bias."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from reviewer.core.case_template import NumberRule
from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.protocols.treatment_tests.published_rules import joined_name, rules_of_bias
from reviewer.protocols.treatment_tests.score import PARAMETERS, ScoreParameters, null_scores

COLUMNS: Final = ("bias", "options", "control_decision", "treatment_decision", "published_score")
_CLOSE: Final = 1e-6
"""Published scores have six digits."""
_CHOICES: Final[Mapping[str, tuple[int, ...]]] = {
    "anchor": tuple(range(10, 90)),
    "estimation_update": (10, 20, 30, 40),
}
"""What the numbers are sampled from that published rows do not name."""


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One published row, and what the rules of its bias say of it.

    ``follows``: some parameters that the rules allow give the score. ``parameters`` are the first of these,
    or others that would give it; None if nothing near the rules does. ``rule`` says which rule was changed,
    and ``coin`` is the mean score of a coin by the rules.
    """

    test: str
    control: int
    treatment: int
    published: float
    follows: bool
    parameters: ScoreParameters | None
    rule: str
    coin: float

    @property
    def recomputed(self) -> float | None:
        """The score by these parameters."""
        return None if self.parameters is None else float(self.parameters.score(self.control, self.treatment))


def read_published(row: Mapping[str, str], where: str) -> PublishedScore:
    """What the rules say of a row; raises InputError."""
    bias = joined_name(row["bias"])
    weights = Counter(_allowed(bias))
    allowed = list(weights)
    if not allowed:
        wrong = f"names the bias {shown(row['bias'])!r}, which has no published rules"
        raise InputError(where, wrong, "leave the row out, or correct the name")
    options = _number(row, "options", where, 2, 100)
    control, treatment = (
        _number(row, f"{name}_decision", where, 0, options - 1) for name in ("control", "treatment")
    )
    published = _score(row, where)
    coin = float(null_scores(options, weights).coin)
    for follows, parameters, rule in (
        *((True, each, "") for each in allowed),
        *((False, each, rule) for each, rule in _changed(allowed, options)),
    ):
        if abs(float(parameters.score(control, treatment)) - published) <= _CLOSE:
            return PublishedScore(row["bias"], control, treatment, published, follows, parameters, rule, coin)
    near = "no rule near these gives it"
    return PublishedScore(row["bias"], control, treatment, published, False, None, near, coin)


def _allowed(bias: str) -> Iterator[ScoreParameters]:
    """The parameters that the rules of a bias allow, as often as choices of values give them."""
    rules = rules_of_bias(bias)
    if rules is None:
        return
    numbers = {rule.value: _numbers(rule) for rule in rules.values() if rule.value}
    for choice in product(*numbers.values()):
        values = {name: str(each) for name, each in zip(numbers, choice, strict=True)}
        yield ScoreParameters(*(rules[name].number(values) for name in PARAMETERS))


def _numbers(rule: NumberRule) -> tuple[object, ...]:
    return tuple(choice for choice, _ in rule.by_choice) or _CHOICES[rule.value]


def _changed(allowed: list[ScoreParameters], options: int) -> Iterator[tuple[ScoreParameters, str]]:
    """Parameters that break one rule, with the rule that would allow them."""
    for parameter, number in (("x2", 0), ("x1", 0), ("x2", options - 1), ("x1", options - 1)):
        for given in allowed:
            yield _with(given, parameter, number), f"only with {parameter} = {number}"
    for given in allowed:
        yield replace(given, k=-given.k), f"only with k = {-given.k:+d}"
        yield ScoreParameters(given.k, given.x2, given.x1), "only with x1 and x2 exchanged"


def _with(given: ScoreParameters, parameter: str, number: int) -> ScoreParameters:
    return replace(given, x1=number) if parameter == "x1" else replace(given, x2=number)


def _number(row: Mapping[str, str], name: str, where: str, least: int, most: int) -> int:
    text = row[name].strip()
    if not text.isdecimal() or not least <= int(text) <= most:
        wrong = f"has {shown(text)!r} as its {name}, which is not a whole number from {least} to {most}"
        raise InputError(where, wrong, "correct it; decisions count options from 0")
    return int(text)


def _score(row: Mapping[str, str], where: str) -> float:
    text = row["published_score"].strip()
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not -1 <= score <= 1:
        wrong = f"has {shown(text)!r} as its published_score, which is not a number from -1 to 1"
        raise InputError(where, wrong, "correct it")
    return score
