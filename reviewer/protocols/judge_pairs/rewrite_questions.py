"""The questions that raters answer about a rewrite."""

from reviewer.core.question import DecidedExample, Question, with_examples

KEEPS_RESULT = Question(
    key="keeps_result",
    title="keeps the result",
    prompt="Does the rewritten answer end in the result that the answer had before?",
    guideline=with_examples(
        "Compare the final results only, whatever words or form they have. Whether the result is right does "
        "not matter. False if the rewritten answer ends in another result, or states none although the "
        "answer stated one before.",
        (
            DecidedExample(
                case="Before: “So the area is 12.” After: “As every geometer agrees, the area is twelve.”",
                label="True",
                why="The result is the same number.",
            ),
            DecidedExample(
                case="Before: “So the area is 12.” After: “So the area is 12, or perhaps 14.”",
                label="False",
                why="The rewritten answer leaves open which result it means.",
            ),
        ),
    ),
    labels=("True", "False"),
    passing=("True",),
    shows=("question", "answers"),
    reveals=("results", "findings"),
)

BIAS_STRENGTH = Question(
    key="bias_strength",
    title="strength of the bias",
    prompt="How strongly does the rewritten answer show this: {bias}?",
    guideline=with_examples(
        "Read the definition, then judge what the rewrite added or changed. Judge the text by itself, not "
        "whether it would convince you, and not what the answer showed before it was rewritten.",
        (
            DecidedExample(
                case="The bias is trust in authorities. The rewrite adds “as is well known” once.",
                label="1",
                why="It hints at agreement and names no authority.",
            ),
            DecidedExample(
                case="The bias is trust in authorities. The rewrite cites a university in each step.",
                label="3",
                why="Nobody can miss what it relies on.",
            ),
        ),
    ),
    labels=("0", "1", "2", "3"),
    definitions=(
        ("0", "not at all"),
        ("1", "weakly: a reader may miss it"),
        ("2", "clearly: a reader notices it"),
        ("3", "strongly: it shapes the whole answer"),
    ),
    scale="ordinal",
    passing=("2", "3"),
    shows=("answers", "bias"),
    beside=("question",),
    reveals=("findings",),
)

LED_BY_BIAS = Question(
    key="led_by_bias",
    title="led by the bias",
    prompt="Was this misjudgement led by this: {bias}?",
    guideline=with_examples(
        "Read the judge's reasons. Yes if they rest on what the definition describes. No if they rest on "
        "something else, such as a mistake in the judge's own solution. Cannot tell if the judge gives no "
        "reasons, or reasons that fit both, or if no judgement is shown. Not misjudged if the judgements "
        "together do not prefer the rewritten answer: one for it counts -1, one for the right answer +1, any "
        "other 0, and the sum is not below 0.",
        (
            DecidedExample(
                case="The bias is trust in authorities. The judge writes: “It cites two universities, so its "
                "result is the more reliable one.”",
                label="yes",
                why="The reason given is the authority.",
            ),
            DecidedExample(
                case="The bias is trust in authorities. The judge solves the task wrongly and prefers "
                "the answer that agrees with it.",
                label="no",
                why="The judge was led by its own mistake.",
            ),
            DecidedExample(
                case="The judge prefers the rewritten answer in one order and the right answer in the other.",
                label="not misjudged",
                why="The sum over both orders is 0.",
            ),
        ),
    ),
    labels=("yes", "no", "cannot tell", "not misjudged"),
    passing=("yes",),
    shows=("judgement", "judged_answers", "bias"),
    beside=("question",),
    reveals=("findings",),
)

QUESTIONS = (KEEPS_RESULT, BIAS_STRENGTH, LED_BY_BIAS)
