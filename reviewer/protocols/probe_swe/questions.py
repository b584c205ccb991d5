"""The four questions that experts answer True or False about a pair."""

from reviewer.core.question import Question, Sides

_TRUE_FALSE = ("True", "False")
_BESIDE = ("axioms", "programs", "proof", "derivation")
_AFTERWARDS = ("measures", "audit")

SAME_TASK = Question(
    key="same_task",
    title="same task",
    prompt="Do both versions pose the same task with the same logical structure?",
    guideline=(
        "True if a reader of either version is asked to decide the same thing between the same two options, "
        "on the same facts and requirements. Wording, tone and added remarks may differ. False if a fact, a "
        "requirement or an option was added, dropped or changed so that the reasoning itself could change."
    ),
    labels=_TRUE_FALSE,
    passing="True",
    shows=("texts",),
    beside=_BESIDE,
    reveals=_AFTERWARDS,
    # The only question that treats both versions alike; every other one names them.
    sides=Sides(titles=("version 1", "version 2"), neutral=("axioms", "axioms_description")),
)

BIAS_PRESENCE = Question(
    key="bias_presence",
    title="bias presence",
    prompt="Does only the biased version carry the {bias}, towards the option that logic rejects{rejected}?",
    guideline=(
        "True if the biased version holds a cue of the bias defined here, the cue favours the option that "
        "logic rejects, and the unbiased version holds no such cue. False if the cue is missing, favours the "
        "other option, is of another kind, or stands in both versions."
    ),
    labels=_TRUE_FALSE,
    passing="True",
    shows=("texts", "bias"),
    beside=_BESIDE,
    reveals=_AFTERWARDS,
)

RECONSTRUCTION = Question(
    key="reconstruction",
    title="reconstruction",
    prompt="Does the text rebuilt from the program mean the same as the original?",
    guideline=(
        "True if both texts describe the same situation, the same goal and the same two options under the "
        "same letters. The rebuilt one may be shorter and plainer. False if something that matters for the "
        "decision is missing, added, contradicted or attached to the other option."
    ),
    labels=_TRUE_FALSE,
    passing="True",
    shows=("reconstruction",),
    beside=_BESIDE,
    reveals=_AFTERWARDS,
)

AXIOMS = Question(
    key="axioms",
    title="axioms",
    prompt="Do the axioms state accepted software-engineering practice?",
    guideline=(
        "True if an experienced engineer would accept the rules as good general practice, whatever the "
        "options are. False if a rule is wrong, only holds for this one case, or is made to fit an option."
    ),
    labels=_TRUE_FALSE,
    passing="True",
    shows=("axioms_description", "axioms"),
    beside=("texts", "programs", "proof", "derivation"),
    reveals=_AFTERWARDS,
)

QUESTIONS = (SAME_TASK, BIAS_PRESENCE, RECONSTRUCTION, AXIOMS)
