"""The allowed similarity of the two texts of a pair: similar enough to be one dilemma, but not the same."""

from dataclasses import dataclass

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import fixed

FRAMING = "framing effect"
"""Its edits affect the whole text, so its lower bounds are lower."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """An allowed range: at least ``least`` and below ``most``."""

    least: float
    most: float

    def judge(self, check: str, value: float, what: str) -> CheckResult:
        """Whether a similarity lies within the bounds, compared without rounding."""
        threshold = [self.least, self.most]
        if value < self.least:
            return result_of(
                check, False, value, threshold, f"{what} is {fixed(value, 3)}, below {self.least:g}."
            )
        if value >= self.most:
            return result_of(
                check, False, value, threshold, f"{what} is {fixed(value, 3)}, not below {self.most:g}."
            )
        return result_of(check, True, value, threshold)


REBUILT_LEAST = 0.65
"""The minimum cosine similarity of the text rebuilt from its program and the original."""
COLLIDES_AT = 0.90
"""The cosine similarity from which the unbiased texts of two pairs are too similar."""


@dataclass(frozen=True, slots=True)
class LikenessBounds:
    """The bounds of both similarities, for most biases and for the framing effect (published package)."""

    cosine: Bounds = Bounds(0.90, 0.99)
    levenshtein: Bounds = Bounds(0.70, 0.99)
    framing_cosine: Bounds = Bounds(0.85, 0.99)
    framing_levenshtein: Bounds = Bounds(0.55, 0.99)

    def judge(self, bias: str, cosine: float, levenshtein: float) -> tuple[CheckResult, CheckResult]:
        """The checks of both similarities for a pair of this bias."""
        framing = bias == FRAMING
        first = self.framing_cosine if framing else self.cosine
        second = self.framing_levenshtein if framing else self.levenshtein
        return (
            first.judge("cosine", cosine, "The cosine similarity of the two texts"),
            second.judge("levenshtein", levenshtein, "The Levenshtein similarity of the two texts"),
        )


def judge_rebuilt(value: float, least: float = REBUILT_LEAST) -> CheckResult:
    """Whether the text rebuilt from the program is similar enough to the original."""
    passed = value >= least
    why = "" if passed else f"The rebuilt text is {fixed(value, 3)} like the original, below {least:g}."
    return result_of("cosine", passed, value, least, why)
