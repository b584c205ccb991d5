"""The four questions that experts answer True or False about a pair, and their spreadsheets.

A study keeps its guidelines as they were when it was made, so a change here is for new studies only. The
manual validation of PROBE-SWE's authors has a file for each question.
"""

from collections.abc import Mapping, Sequence

from reviewer.core.question import DecidedExample, Question, Sides
from reviewer.protocols.formats import SheetColumn, ValidationSheet, ValidationSheets
from reviewer.protocols.probe_swe.dilemma import DraftDilemma, accepted_option
from reviewer.protocols.probe_swe.formats.dataset_json import PUBLISHED_GENERATORS
from store.records import Case, Measurement

_TRUE_FALSE = ("True", "False")
_BESIDE = ("axioms", "programs", "proof", "derivation")
_AFTERWARDS = ("measures", "audit")

SAME_TASK = Question(
    key="same_task",
    title="same task",
    prompt="Do both versions pose the same task with the same logical structure?",
    criteria=(
        (
            "True",
            "a reader of either version is asked to decide the same thing between the same two options, on "
            "the same facts and requirements. Wording, tone and added remarks may differ.",
        ),
        (
            "False",
            "a fact, a requirement or an option was added, dropped or changed so that the reasoning itself "
            "could change.",
        ),
    ),
    guideline="Whether a cue is present does not matter here: a pair can have a cue and be False.\n"
    "A demand of the situation (a deadline, a limit, a tight timeline) is a requirement; an opinion on "
    'what counts ("I prefer the quickest way") is a remark. A duration that is added to an option is a '
    "remark too, unless a requirement depends on it. An option in other words stays the same option as "
    "long as the same is done with the same consequences.",
    examples=(
        DecidedExample(
            case="Only the unbiased version says that the upgrade may take the shop offline for ten "
            "minutes at most. The biased version says instead that the last upgrade went badly.",
            label="False",
            why="A requirement was dropped. That a cue was added in its place changes nothing.",
        ),
        DecidedExample(
            case="Only the biased version adds that one option takes a day and the other two months, "
            'and ends with "a day sounds good to me". Neither version names a date.',
            label="True",
            why="No requirement depends on the time. With a release next week in the text it would be "
            "False, because one option could not meet it.",
        ),
    ),
    labels=_TRUE_FALSE,
    passing=("True",),
    shows=("texts",),
    beside=_BESIDE,
    reveals=_AFTERWARDS,
    # The only question that treats both versions alike; every other one names them.
    sides=Sides(titles=("version 1", "version 2"), neutral=("axioms", "axioms_description")),
)

BIAS_PRESENCE = Question(
    key="bias_presence",
    title="bias presence",
    prompt="Does only the biased version hold a cue of this bias ({bias}), towards the option that logic "
    "rejects{rejected}?",
    criteria=(
        (
            "True",
            "the biased version holds a cue of the bias defined here, the cue favours the option that logic "
            "rejects, and the unbiased version holds no such cue.",
        ),
        (
            "False",
            "the cue is missing, favours the other option, is of another kind, or stands in both versions.",
        ),
    ),
    guideline="Judge the cue by the definition. What other teams do is a cue of the bandwagon effect, and of "
    "anchoring only if it is a first number or fact that the writer holds on to. In a framing effect the "
    "words of the options are the cue. A wish for the quickest result is a cue of hyperbolic "
    "discounting; a tight timeline that the situation imposes is a requirement and no cue.",
    examples=(
        DecidedExample(
            case='Group anchoring bias. The biased version adds: "Several teams here are happy with the '
            'free tool." Logic rejects the free tool.',
            label="False",
            why="The cue is what others do, not a first number or fact. It would fit the bandwagon effect.",
        ),
        DecidedExample(
            case='Group framing effect. The biased version calls one option "another hour lost in a '
            'meeting" and the other, which logic rejects, "a swift, bold step". Nothing else differs.',
            label="True",
            why="The same options are praised and run down in words, in favour of the rejected one.",
        ),
    ),
    labels=_TRUE_FALSE,
    passing=("True",),
    shows=("texts", "bias"),
    beside=_BESIDE,
    reveals=_AFTERWARDS,
)

RECONSTRUCTION = Question(
    key="reconstruction",
    title="reconstruction",
    prompt="Does the text rebuilt from the program mean the same as the original?",
    criteria=(
        (
            "True",
            "both texts describe the same situation, the same goal and the same two options under the same "
            "letters. The rebuilt one may be shorter and plainer.",
        ),
        (
            "False",
            "something that matters for the decision is missing, added, contradicted or attached to the "
            "other option.",
        ),
    ),
    examples=(
        DecidedExample(
            case="The original asks for answers within two seconds. The rebuilt text only asks for a "
            "search page, with the same two options.",
            label="False",
            why="The limit decides between the options, and it is missing.",
        ),
        DecidedExample(
            case="The original tells who is in the team and how the bug was found. The rebuilt text "
            'says "we found a bug" and names the same goal and options.',
            label="True",
            why="What is missing has no part in the decision.",
        ),
    ),
    labels=_TRUE_FALSE,
    passing=("True",),
    shows=("reconstruction",),
    beside=_BESIDE,
    reveals=_AFTERWARDS,
)

AXIOMS = Question(
    key="axioms",
    title="axioms",
    prompt="Do the axioms state accepted software-engineering practice?",
    criteria=(
        (
            "True",
            "an experienced engineer would accept the rules as good general practice, whatever the options "
            "are.",
        ),
        ("False", "a rule is wrong, only holds for this one case, or is made to fit an option."),
    ),
    examples=(
        DecidedExample(
            case='"Before data is migrated, there is a backup from which it can be restored."',
            label="True",
            why="It holds for any migration, and it favours no option by itself.",
        ),
        DecidedExample(
            case='"If the timeline is tight, the quickest option is the best."',
            label="False",
            why="A tight timeline is a requirement, but it does not make the quickest option good in "
            "every other respect.",
        ),
    ),
    labels=_TRUE_FALSE,
    passing=("True",),
    shows=("axioms_description", "axioms"),
    beside=("texts", "programs", "proof", "derivation"),
    reveals=_AFTERWARDS,
)

QUESTIONS = (SAME_TASK, BIAS_PRESENCE, RECONSTRUCTION, AXIOMS)


_EXPLANATION = "bias_is_towards_incorrect_only_in_biased_version"

_VERSION_A = SheetColumn("version_A", "the unbiased text", identifies=True)
_VERSION_B = SheetColumn("version_B", "the biased text", identifies=True)

_SHEETS = (
    ValidationSheet(SAME_TASK.key, "task1_same_task.csv", "same_task_validation", (_VERSION_A, _VERSION_B)),
    ValidationSheet(
        BIAS_PRESENCE.key,
        "task2_bias_presence.csv",
        "bias_presence_validation",
        (
            _VERSION_A,
            _VERSION_B,
            SheetColumn("bias_name", "the bias that the biased text should carry"),
            SheetColumn("correct_option", "the option that logic accepts"),
            SheetColumn(_EXPLANATION, "the model's own explanation of the bias", sways=True),
        ),
    ),
    ValidationSheet(
        RECONSTRUCTION.key,
        "task3_reconstruction.csv",
        "reconstruction_validation",
        (
            SheetColumn("prompt", "the unbiased text", identifies=True),
            SheetColumn("reconstructed_prompt", "the text rebuilt from its program", identifies=True),
        ),
    ),
    ValidationSheet(
        AXIOMS.key,
        "task4_axioms.csv",
        "best_practices_validation",
        (SheetColumn("best_practices", "the axioms in words", identifies=True),),
    ),
)


def _texts(question: Question, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
    """Both texts, the rebuilt text, the axioms in words, the bias, and the values published about it."""
    dilemma = DraftDilemma.model_validate(case.payload)
    explanations = (m.value for m in measurements if m.name == "bias_explanation" and m.came_with_place)
    return {
        "version_A": dilemma.unbiased,
        "version_B": dilemma.biased,
        "bias_name": case.group,
        "correct_option": accepted_option(measurements) or "",
        _EXPLANATION: str(next(explanations, "") or ""),
        "prompt": dilemma.unbiased,
        "reconstructed_prompt": dilemma.reconstructed_unbiased_prompt or "",
        "best_practices": dilemma.axioms_description or "",
    }


SHEETS = ValidationSheets(_SHEETS, _texts, PUBLISHED_GENERATORS)
