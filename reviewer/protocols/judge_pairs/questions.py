"""The questions that raters answer about a pair."""

from reviewer.core.question import DecidedExample, Question, Sides, with_examples
from reviewer.protocols.judge_pairs.answer_pair import FIRST, SECOND

BOTH, NEITHER = "both", "neither"
_SIDES = Sides(titles=("first answer", "second answer"), neutral=("question", "domain"))
_NAMED_SIDES = _SIDES.model_copy(update={"mirrored": ((FIRST, SECOND),)})

RIGHT_RESULT = Question(
    key="right_result",
    title="right result",
    prompt="Which answer ends in the right result?",
    guideline=with_examples(
        "Work the question out yourself, then compare. Only the result that an answer ends in counts, not "
        "how it gets there, and not its length or tone. An answer that ends in no result is not right.",
        (
            DecidedExample(
                case="The question asks for 12 × 12. The first answer explains every step and ends in 142. "
                "The second only says 144.",
                label=SECOND,
                why="Only the second result is right; the explanation does not count.",
            ),
            DecidedExample(
                case="The options are (A) 3 and (B) 4, and 4 is right. The first answer ends in (B), the "
                "second in 4.",
                label=BOTH,
                why="Both name the right result, in different words.",
            ),
        ),
    ),
    labels=(FIRST, SECOND, BOTH, NEITHER),
    passing=(FIRST, SECOND),
    shows=("question", "answers"),
    reveals=("published", "findings"),  # final results would answer the other question
    sides=_NAMED_SIDES,
)

SAME_RESULT = Question(
    key="same_result",
    title="same result",
    prompt="Do both answers state the same final result?",
    guideline=with_examples(
        "True if both end in one and the same result, whatever words or form they give it. False if the "
        "results differ, or if an answer states none. Whether the result is right does not matter here.",
        (
            DecidedExample(
                case="One answer ends in 1/2, the other in 0.5.",
                label="True",
                why="Both are the same number.",
            ),
            DecidedExample(
                case="One answer ends in (C), the other stops in the middle of a sum.",
                label="False",
                why="The second states no result.",
            ),
        ),
    ),
    labels=("True", "False"),
    passing=("False",),
    shows=("question", "answers"),
    reveals=("results", "findings"),
    sides=_SIDES,
)

QUESTIONS = (RIGHT_RESULT, SAME_RESULT)
