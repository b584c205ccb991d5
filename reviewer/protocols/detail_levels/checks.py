"""Checks of an instance that need no language model."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from reviewer.core.check_result import CheckResult, result_of
from reviewer.protocols.base import MachineCheck
from reviewer.protocols.detail_levels.level_instance import LevelInstance
from reviewer.protocols.detail_levels.questions import ADDED_LEAN

_SLOT: Final = re.compile(r"<[a-z_][^<>]*>")

INSTANCE_CHECKS: Mapping[str, MachineCheck] = {
    "open_slots": MachineCheck("serious", ADDED_LEAN.key, asks="Was every slot filled?"),
    "same_levels": MachineCheck(
        "serious", ADDED_LEAN.key, asks="Does each level differ from the one before?"
    ),
    "longer_levels": MachineCheck(
        "untidy", ADDED_LEAN.key, asks="Is each level at least as long as the one before?"
    ),
}


def judge_instance(instance: LevelInstance) -> tuple[CheckResult, ...]:
    """What the checks say of one instance, named as in ``INSTANCE_CHECKS``."""
    levels = instance.levels
    still_open = any(map(_SLOT.search, (*levels, *instance.choice_texts)))
    pairs = list(enumerate(pairwise(levels), 2))
    same = [level for level, (before, after) in pairs if before == after]
    shorter = [level for level, (before, after) in pairs if len(after) < len(before)]
    return (
        result_of("open_slots", not still_open, why="A text still has a slot." if still_open else ""),
        result_of("same_levels", not same, why=f"Level {same[0]} is the level before it." if same else ""),
        result_of(
            "longer_levels",
            not shorter,
            why=f"Level {shorter[0]} is shorter than the level before it." if shorter else "",
        ),
    )
