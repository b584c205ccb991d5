"""The payload: a pair of dilemmas with axioms and two programs. The eight biases, and the two options."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from reviewer.protocols.base import Group
from reviewer.protocols.payload_text import KeptText, StrictPayload, not_empty
from store.records import Measurement

REBUILT_LEAST = 0.65
"""The minimum cosine similarity of the text rebuilt from its program and the original."""
COLLIDES_AT = 0.90
"""The cosine similarity from which the unbiased texts of two pairs are too similar."""
BIASES = (
    Group(
        "confirmation bias",
        "Looking for, reading or remembering evidence so that it supports what one already believes, and "
        "giving less weight to whatever speaks against it.",
    ),
    Group(
        "hyperbolic discounting",
        "Preferring a smaller benefit now to a larger one later, more strongly the closer the immediate "
        "benefit is, even though waiting pays off.",
    ),
    Group(
        "availability bias",
        "Judging something as likelier or more important because it comes to mind easily, for being recent, "
        "vivid or emotional.",
    ),
    Group(
        "anchoring bias",
        "Leaning too much on the first number or fact that one met, and adjusting too little away from it.",
    ),
    Group(
        "overconfidence bias",
        "Trusting one's own skill, knowledge or judgement more than the facts support, and so deciding too "
        "soon or checking too little.",
    ),
    Group(
        "bandwagon effect",
        "Going along with a choice because others, or people of standing, have made it, rather than for "
        "reasons of one's own.",
    ),
    Group(
        "framing effect",
        "Choosing differently because the same content is put in other words, such as a gain or a loss, a "
        "praise or a warning.",
    ),
    Group(
        "hindsight bias",
        "Seeing an outcome, once it is known, as having been predictable, and judging an earlier decision by "
        "that outcome rather than by what could be known at the time.",
    ),
)


def as_in_cases(text: str) -> str:
    """The text with LF line ends and no blanks around it, so that texts from files equal those in JSON."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


ProseOrCode = Annotated[KeptText, AfterValidator(as_in_cases)]
Needed = Annotated[ProseOrCode, AfterValidator(not_empty)]


class DraftDilemma(StrictPayload):
    """A pair that may have only its texts: a candidate that was discarded before it was complete."""

    unbiased: Needed
    biased: Needed
    axioms: ProseOrCode | None = None
    axioms_description: ProseOrCode | None = None
    unbiased_prolog: ProseOrCode | None = None
    biased_prolog: ProseOrCode | None = None
    reconstructed_unbiased_prompt: ProseOrCode | None = None
    """The unbiased text, rebuilt from its program alone; hand-written seeds have none."""


class Dilemma(DraftDilemma):
    """A complete pair. It does not contain what logic decides, which is measured or published with it."""

    axioms: Needed
    axioms_description: Needed
    unbiased_prolog: Needed
    biased_prolog: Needed


def option_title(choice: object) -> str:
    """ "Option A" for option_A."""
    return str(choice).replace("option_", "Option ")


def other_option(choice: str) -> str:
    """The other of the two options."""
    return {"option_A": "option_B", "option_B": "option_A"}[choice]


def accepted_option(measurements: Sequence[Measurement]) -> str | None:
    """What logic decides: the value that came with the case, else the last one measured on the unbiased
    program; None if there is neither.

    The value that came with the case has priority, so that an audit during a study changes no question.
    """
    choices = [m for m in measurements if m.name == "choice" and m.value in ("option_A", "option_B")]
    brought = [m for m in choices if m.came_with_place]
    measured = [m for m in choices if not m.came_with_place and m.variant == "unbiased"]
    options = brought[:1] or measured[-1:]
    return str(options[0].value) if options else None
