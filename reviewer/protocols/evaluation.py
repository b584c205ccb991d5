"""The part of the contract for evaluation: how models are asked about cases and how replies are read."""

from collections.abc import Callable
from dataclasses import dataclass

from reviewer.llm.request import ModelRequest
from store.records import Case


@dataclass(frozen=True, slots=True)
class DecisionPlan:
    """How a model is asked to decide a case, with the shipped prompts, and how its reply is read.

    ``request`` takes the model's name, the case, and the number of the repeat (from 0). ``read`` returns the
    option that a reply names, or None if it names none.
    """

    request: Callable[[str, Case, int], ModelRequest]
    read: Callable[[str], str | None]
