"""Reading the published package's file of raw outputs: one row for each pair of runs on the two versions.

The package keeps the decision and the explanation of a reply. The replies of read rows have the form that the
prompt asks for. The package tells repeats apart by blanks behind the prompt.
"""

import re
from collections.abc import Hashable, Mapping
from typing import NamedTuple

from reviewer.core.errors import InputError
from reviewer.core.sanitize import counted, shown
from reviewer.protocols.intake import known_group, text_of_cell
from reviewer.protocols.outcome_files import (
    FiledOutcome,
    FiledRow,
    LaidOutFiles,
    OutcomesOfModel,
    RowCells,
    WritableOutcomeFiles,
)
from reviewer.protocols.probe_swe.dilemma import as_in_cases
from reviewer.protocols.probe_swe.evaluation import (
    BIASED,
    CUE_TITLE,
    IN_PROLOG,
    IN_WORDS,
    NO_CUE,
    UNBIASED,
)
from reviewer.protocols.probe_swe.formats.published_results import (
    DECISION,
    EXPLANATION,
    GROUP,
    PROMPT,
    VERSIONS,
    as_written,
    published_files,
)
from store.records import Case

_FILE = re.compile(r"2_llm_outputs_model=(?P<model>.+?)(?:\.[a-z_]+=.*)?\.[a-z]+", re.IGNORECASE | re.DOTALL)
_OPTION = re.compile(r"\s*(?:option[ _]?)?([AB])\s*", re.IGNORECASE)
_CUE_IN = re.compile(rf"\n\n(?:(?P<prolog>Prolog-encoded )?[Rr]easoning cues|{CUE_TITLE}):\n")
_COLUMNS = (
    GROUP,
    *(f"{what}_{end}" for end in VERSIONS.values() for what in (DECISION, EXPLANATION, PROMPT)),
)

_CUES_OF_PACKAGE = (
    "the prompts of the file have reasoning cues; the published package words them differently than "
    "`reviewer evaluate`, so compare outcomes of the two with care"
)


class _Put(NamedTuple):
    """What a prompt shows: the text of the case, the kind of its cue, and the blanks behind it."""

    text: str
    cue: str
    blanks: int


class RawOutputs(WritableOutcomeFiles):
    """The published package's files of one model."""

    name = "probe-swe"
    columns = _COLUMNS

    def model_of(self, file: str) -> str | None:
        """The model that the package's file names have first."""
        match = _FILE.fullmatch(file)
        return match and match["model"]

    def texts_of(self, case: Case) -> Hashable:
        """The bias and both texts."""
        return case.group, case.payload["unbiased"], case.payload["biased"]

    def content_of(self, row: RowCells) -> tuple[str, RowCells]:
        """The pair, if the row has its texts, axioms and programs."""
        payload = {name: row.get(name) or None for name in self._protocol.payload_model.model_fields}
        return known_group(self._protocol, str(row[GROUP]), ""), payload

    def read(self, row: RowCells, where: str) -> FiledRow:
        """Two outcomes, one for each version; raises InputError."""
        filled = {name: "" if row[name] is None else row[name] for name in self.columns}
        cells = {name: text_of_cell(cell, f"{where}, column {name!r}") for name, cell in filled.items()}
        group = known_group(self._protocol, cells[GROUP], f"{where}, column 'bias_name'")
        put = {version: _put(cells[f"{PROMPT}_{end}"], row) for version, end in VERSIONS.items()}
        unbiased, biased = put[UNBIASED], put[BIASED]
        if unbiased.blanks != biased.blanks:
            blanks = f"{counted(unbiased.blanks, 'blank')} behind one prompt and {biased.blanks}"
            wrong = f"has {blanks} behind the other"
            raise InputError(where, wrong, "give both prompts the same number, which is that of the repeat")
        if (unbiased.cue == NO_CUE) != (biased.cue == NO_CUE):
            raise InputError(
                where, "has reasoning cues in one prompt only", "give both prompts, or none, a cue"
            )
        outcomes = {
            as_written(version, biased.cue): _outcome(cells, end, where) for version, end in VERSIONS.items()
        }
        remark = "" if biased.cue == NO_CUE else _CUES_OF_PACKAGE
        return FiledRow((group, unbiased.text, biased.text), unbiased.blanks, outcomes, remark)

    def files(self, outcomes: OutcomesOfModel) -> LaidOutFiles:
        """For each kind of cue the raw outputs and the results."""
        return published_files(outcomes, self._protocol.groups)


def _outcome(cells: Mapping[str, str], end: str, where: str) -> FiledOutcome:
    said = cells[f"{DECISION}_{end}"]
    match = _OPTION.fullmatch(said)
    if match is None:
        wrong = f"{shown(said)!r} is neither Option A nor Option B" if said.strip() else "is empty"
        at = f"{where}, column '{DECISION}_{end}'"
        raise InputError(at, wrong, "correct it, or leave the row out")
    label = match[1].upper()
    explanation = cells[f"{EXPLANATION}_{end}"].strip()
    return FiledOutcome(label, f"Explanation: {explanation}\nDecision: Option {label}")


def _put(prompt: str, row: RowCells) -> _Put:
    body = prompt.rstrip(" ")
    blanks = len(prompt) - len(body)
    match = _CUE_IN.search(body)
    if match is None:
        return _Put(as_in_cases(body), NO_CUE, blanks)
    axioms = row.get("axioms")
    in_prolog = match["prolog"] or (
        isinstance(axioms, str) and as_in_cases(axioms) == as_in_cases(body[match.end() :])
    )
    return _Put(as_in_cases(body[: match.start()]), IN_PROLOG if in_prolog else IN_WORDS, blanks)
