"""The claim of a study with a stop rule in its report, and what its other intervals are worth."""

from collections.abc import Sequence

from reviewer.report.document import Block, Paragraph, Points, Section, numbers
from reviewer.results.labels.stopping import claims, claims_in_words
from reviewer.results.tables.stop_tables import CLAIMS
from reviewer.study.design.stop_rule import REOPENED_MEANS
from reviewer.study.design.study_bundle import StudyBundle
from store.records import Event

_NOT_VALID = (
    "The other intervals of pass rates are not valid here: the study was stopped by looking, or could have "
    "been."
)
_METHOD = (
    "The study has a stop rule: its cases are in one random order, and only the longest beginning of this "
    "order counts in which every case is complete. The interval is a confidence sequence (prior-posterior "
    "ratio for sampling without replacement, Waudby-Smith and Ramdas 2020, uniform prior): it holds at every "
    "look at once, so that looking and stopping do not make it wrong. Cases without a final label count as "
    "not passed."
)


def stop_blocks(bundle: StudyBundle, events: Sequence[Event], digits: int) -> list[Block]:
    """The intervals that hold although the study was looked at; empty without a stop rule."""
    made = claims(bundle, events)
    if not made:
        return []
    sentences = [*claims_in_words(made), _NOT_VALID]
    if any(act.kind == "reopen" for act in bundle.acts):
        sentences.append(f"The study was opened again after it had been closed. {REOPENED_MEANS}")
    caption = "Pass rates with the interval that is valid for this study"
    return [
        Section("Stop rule", 2),
        Paragraph(_METHOD),
        numbers("stop-rule", caption, CLAIMS, made, digits),
        Points(tuple(sentences)),
    ]
