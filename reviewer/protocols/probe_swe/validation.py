"""The spreadsheets of PROBE-SWE's own manual validation: four files of True/False questions."""

from collections.abc import Mapping, Sequence

from reviewer.core.question import Question
from reviewer.protocols.probe_swe.dilemma import DraftDilemma, accepted_option
from reviewer.protocols.probe_swe.formats.dataset_json import PUBLISHED_GENERATORS
from reviewer.protocols.probe_swe.questions import AXIOMS, BIAS_PRESENCE, RECONSTRUCTION, SAME_TASK
from reviewer.protocols.sheets import SheetColumn, ValidationSheet, ValidationSheets
from store.records import Case, Measurement

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
