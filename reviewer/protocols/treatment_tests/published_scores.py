"""Scores that were published with two decisions, computed again from the rules of their bias."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.treatment_tests.published_rules import joined_name, rules_of_bias
from reviewer.protocols.treatment_tests.score import (
    ScoreParameters,
    Weights,
    null_scores,
    template_weights,
)

COLUMNS: Final = ("bias", "options", "control_decision", "treatment_decision", "published_score")
_CLOSE: Final = 1e-6
"""Published scores have six digits."""


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


class RulesMissingError(InputError):
    """A row of a bias whose rules are not known."""


@dataclass(slots=True)
class ScoreReader:
    """Reads published rows. ``beside`` are the rules that a person gives, by bias; they count first."""

    beside: Mapping[str, CaseTemplate]
    _weights: dict[str, Weights] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises InputError for a fault of the rules that somebody gives, before any row is read."""
        for name, rules in self.beside.items():
            self._weights_of(name, rules.where)

    def read(self, row: Mapping[str, str], where: str) -> PublishedScore:
        """What the rules say of a row; raises InputError."""
        weights = self._weights_of(row["bias"], where)
        allowed = list(weights)
        options = _number(row, "options", where, 2, 100)
        control, treatment = (
            _number(row, f"{name}_decision", where, 0, options - 1) for name in ("control", "treatment")
        )
        published = _score(row, where)
        coin = float(null_scores(options, weights).coin)
        for follows, parameters, rule in (
            *((True, given, "") for given in allowed),
            *((False, given, rule) for given, rule in _changed(allowed, options)),
        ):
            if abs(float(parameters.score(control, treatment)) - published) <= _CLOSE:
                return PublishedScore(
                    row["bias"], control, treatment, published, follows, parameters, rule, coin
                )
        near = "no rule near these gives it"
        return PublishedScore(row["bias"], control, treatment, published, False, None, near, coin)

    def _weights_of(self, bias: str, where: str) -> Weights:
        """The parameters that the rules of a bias allow, as often as choices of values give them."""
        name = joined_name(bias)
        if name not in self._weights:
            rules = rules_of_bias(bias, self.beside)
            if rules is None:
                wrong = f"names the bias {shown(bias)!r}, whose rules are not known"
                raise RulesMissingError(where, wrong, "give its rules with --rules, or correct the name")
            self._weights[name] = template_weights(rules)
        return self._weights[name]


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
