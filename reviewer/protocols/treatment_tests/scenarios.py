"""Scenarios: one sentence each, with a position, an industry and a decision."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from reviewer.core.sanitize import agreeing, counted

FORM: Final = "A POSITION at a company from the INDUSTRY industry deciding …"
_SCENARIO: Final = re.compile(r"An? (.+?) at a company from the (.+?) industry deciding .+\.")


def begun_scenario(position: str, industry: str) -> str:
    """The beginning of a scenario, before its decision."""
    article = "An" if position[:1].casefold() in "aeiou" else "A"
    return f"{article} {position} at a company from the {industry} industry"


def described_scenarios(scenarios: Sequence[str]) -> str:
    """How many scenarios have this form, and how many industries and positions these have, in a sentence."""
    read = [match for each in scenarios if (match := _SCENARIO.fullmatch(each))]
    form = f"of the form “{FORM}”"
    if not read:
        return f"None of {counted(len(scenarios), 'scenario')} is {form}."
    industries = Counter(match[2] for match in read)
    sizes = sorted(set(industries.values()))
    of_each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    positions = counted(len({match[1] for match in read}), "position")
    many = f"{len(industries):,} {agreeing(len(industries), 'industry', 'industries')}"
    many += f" with {of_each} each, and {positions}"
    of = f"{len(read):,} of {counted(len(scenarios), 'scenario')}"
    return f"{of} {agreeing(len(scenarios), 'is', 'are')} {form}: {many}."
