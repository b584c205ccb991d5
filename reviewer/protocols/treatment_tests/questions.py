"""The questions that raters answer about a test."""

from reviewer.core.question import DecidedExample, Question, with_examples

PASSED_RULES = "passed_rules"
"""Whether the texts of a generated test passed the rules for what fills a gap."""
_HIDDEN = ("parameters", "published", "findings")

CORRECT_TEST = Question(
    key="correct_test",
    title="correct test",
    prompt="Do the two versions together test {bias}? {definition}",
    guideline=with_examples(
        "True if somebody with this bias would tend to decide differently in the treatment, and somebody "
        "without it would not. False if the treatment has no cue of this bias, if the control has it too, if "
        "a fact differs that a careful person should decide by, or if a version cannot be understood.",
        (
            DecidedExample(
                case="Anchoring: the treatment asks first whether the share is more than 80%. Nothing "
                "else differs.",
                label="True",
                why="The number says nothing about the task and may still move the answer.",
            ),
            DecidedExample(
                case="Anchoring: the treatment says that experts measured a need of 80%.",
                label="False",
                why="A measured need is a reason, so another decision is no bias.",
            ),
        ),
    ),
    labels=("True", "False"),
    passing=("True",),
    shows=("versions", "options"),
    beside=("scenario",),
    reveals=_HIDDEN,
)

BEYOND_CUE = Question(
    key="beyond_cue",
    title="differs beyond the cue",
    prompt="Do the two versions differ in anything but the cue of {bias}?",
    guideline="no: only the cue differs. a little: wording or order differs, but nothing that a decision "
    "could rest on. yes: a fact, an option or the task differs. The cue itself does not count, also where it "
    "has to replace a sentence.",
    labels=("no", "a little", "yes"),
    scale="ordinal",
    passing=("no",),
    shows=("versions", "options"),
    beside=("scenario",),
    reveals=_HIDDEN,
)

CUE_STRENGTH = Question(
    key="cue_strength",
    title="strength of the cue",
    prompt="How strong is the cue of {bias} in the treatment, from 0 (none) to 4 (very strong)?",
    guideline="0: the treatment has no such cue. 1: it can be overlooked. 2: it is plain, once. 3: it is "
    "plain and stands where the decision is asked for. 4: the whole treatment turns on it.",
    labels=("0", "1", "2", "3", "4"),
    scale="ordinal",
    shows=("versions",),
    beside=("scenario",),
    reveals=_HIDDEN,
)

PREDICTED = Question(
    key="predicted_choice",
    title="predicted choice",
    prompt="Somebody chooses “{usual}” in the control and “{choice}” in the treatment. Is this what {bias} "
    "predicts? {definition}",
    guideline="True if the bias would move the decision this way. False if it would leave the decision "
    "where it is, or move it the other way. Whether the test is a good one does not matter here.",
    labels=("True", "False"),
    passing=("True",),
    shows=("versions", "options"),
    reveals=_HIDDEN,
)

QUESTIONS = (CORRECT_TEST, BEYOND_CUE, CUE_STRENGTH, PREDICTED)
