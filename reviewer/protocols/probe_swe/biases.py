"""The eight biases, each defined so that an expert can judge by it."""

from reviewer.protocols.base import Group

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
