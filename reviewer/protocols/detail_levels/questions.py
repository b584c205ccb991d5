"""The questions that raters answer about an instance with its five levels."""

from reviewer.core.question import DecidedExample, Question, with_examples

AS_KEYED = "asked_choice_biased"
"""Whether the key of the choice asked about is biased, for an instance made from a template."""
_HIDDEN = ("keys", "published", "findings")

PREDICTED_BY_BIAS = Question(
    key="predicted_by_bias",
    title="predicted by the bias",
    prompt="Is “{choice}” what {bias} predicts? {definition}",
    guideline=with_examples(
        "True if somebody with this bias would tend to choose it, and somebody without it would not. False "
        "if it is what a careful person chooses, or if it has nothing to do with the bias. Read all levels.",
        (
            DecidedExample(
                case="Availability: somebody heard of a plane crash and asks how to travel. The choice is "
                "“by car”.",
                label="True",
                why="The crash comes to mind easily and makes flying seem less safe than it is.",
            ),
            DecidedExample(
                case="Availability: the same, and the choice is “neither is safer than the other”.",
                label="False",
                why="It is wrong, but the story does not lead to it.",
            ),
        ),
    ),
    labels=("True", "False"),
    shows=("levels", "choices"),
    reveals=_HIDDEN,
)

ADDED_LEAN = Question(
    key="added_lean",
    title="added facts or lean",
    prompt="How much do higher levels add that the first level does not have: facts to decide by, or a lean "
    "to a choice?",
    guideline="0: only detail. 1: a little, which will hardly move an answer. 2: something that may move "
    "answers. 3: a level nearly tells what to choose. Answer for the level that adds most.",
    labels=("0", "1", "2", "3"),
    scale="ordinal",
    passing=("0", "1"),
    shows=("levels",),
    beside=("choices",),
    reveals=_HIDDEN,
)

QUESTIONS = (PREDICTED_BY_BIAS, ADDED_LEAN)
