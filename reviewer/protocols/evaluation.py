"""The part of the contract for evaluation: how models are asked about cases and how replies are read."""

from collections.abc import Callable
from dataclasses import dataclass

from reviewer.llm.request import ModelRequest
from reviewer.protocols.prompts import PromptPlan, Prompts
from store.records import Case


@dataclass(frozen=True, slots=True)
class DecisionPlan:
    """How a model is asked to decide a case, and how its reply is read.

    ``request`` takes the model's name, the prompts of the plan, the case, and the number of the repeat (from
    0). ``read`` returns the option that a reply names, or None if it names none.
    """

    prompts: PromptPlan
    request: Callable[[str, Prompts, Case, int], ModelRequest]
    read: Callable[[str], str | None]
