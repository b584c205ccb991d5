"""The template that every dilemma has to follow."""

import re
from collections.abc import Callable

from reviewer.core.check_result import CheckResult, result_of

_LONGEST = 10_000
_OPTION = re.compile(r"\boption\s+([A-D])\b", re.IGNORECASE)


def template_checks(unbiased: str, biased: str) -> tuple[CheckResult, ...]:
    """Checks of both texts: length, final question mark, the word "biased", and exactly two options."""
    longest = max(len(unbiased), len(biased))
    too_long = "" if longest <= _LONGEST else f"A text of {longest:,} characters is no short dilemma."
    texts = {"unbiased": unbiased, "biased": biased}
    return (
        result_of("length", not too_long, longest, _LONGEST, too_long),
        _both("question", texts, lambda text: text.endswith("?"), "does not end with a question mark"),
        _both("leak", texts, lambda text: "biased" not in text.casefold(), 'holds the word "biased"'),
        _both("options", texts, _has_two_options, "does not offer Option A and Option B and no other"),
    )


def _both(check: str, texts: dict[str, str], good: Callable[[str], bool], wrong: str) -> CheckResult:
    failing = next((name for name, text in texts.items() if not good(text.strip())), None)
    return result_of(check, failing is None, failing, None, f"The {failing} text {wrong}." if failing else "")


def _has_two_options(text: str) -> bool:
    return {letter.upper() for letter in _OPTION.findall(text)} == {"A", "B"}
