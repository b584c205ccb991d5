"""The published package's files of a model: raw outputs, one row for each pair of runs, and results by bias.

The package keeps the decision and the explanation of a reply. The replies of read rows have the form that the
prompt asks for. The package tells repeats apart by blanks behind the prompt. It leaves out pairs of runs of
which it could not read one, and has no exchanged order of the options.
"""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Final, NamedTuple

from reviewer.core.errors import InputError
from reviewer.core.sanitize import counted, shown
from reviewer.protocols.base import Group
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.formats import StoredCase
from reviewer.protocols.intake import known_group, text_of_cell
from reviewer.protocols.outcome_files import (
    AnsweredCase,
    FiledOutcome,
    FiledRow,
    LaidOutFiles,
    OutcomesOfModel,
    RowCells,
    Similarities,
    WritableOutcomeFiles,
)
from reviewer.protocols.probe_swe.dilemma import BIASES, as_in_cases
from reviewer.protocols.probe_swe.evaluation import (
    AS_WRITTEN,
    BIASED,
    CUE,
    CUE_TITLE,
    IN_PROLOG,
    IN_WORDS,
    NO_CUE,
    ORDER,
    UNBIASED,
    VERSION,
    DilemmaFacts,
    pair_put,
    text_put,
)
from reviewer.protocols.probe_swe.formats.dataset_json import dataset_value
from reviewer.protocols.probe_swe.generation_replies import explanation_in
from store.records import Case, JsonValue

GROUP: Final = "bias_name"
DECISION, EXPLANATION, PROMPT = "suggested_decision", "decision_explanation", "prompt"
VERSIONS: Final = {BIASED: "with_bias", UNBIASED: "without_bias"}
"""The versions, with the ending of their columns."""
_HARMFUL, _SENSITIVE = "bias_was_harmful", "sensitive_to_bias"
_DIFFERS: Final = "unbiased_decision_differs_from_expected_decision"
_OF_CASE: Final = (
    *("run_id", "AI_generated", "pair", "unbiased", "biased", "unbiased_path", "biased_path"),
    *("pair_similarity", "pair_levenshtein_distance", "valid", "axioms", "axioms_description"),
    *("unbiased_prolog", "biased_prolog", "correct_option", "inference_steps", "choice_steps"),
    *("reconstructed_unbiased_prompt", "unbiased_prompt_reconstruction_similarity", "agreement_rate"),
    *("decisions_towards_validity", "bias_is_towards_incorrect_only_in_biased_version"),
)
"""The columns that the package takes over from the dataset, in their order."""
_STEPS: Final = "inference_steps"
_ARGUMENTS: Final = {
    NO_CUE: "",
    IN_WORDS: ".inject_axioms=True",
    IN_PROLOG: ".inject_axioms_in_prolog=True",
}
_Quartiles = tuple[float, float, float] | None
_TIERS: Final = ("low", "mid-low", "mid-high", "high")


class _PairOfRuns(NamedTuple):
    """How both versions of a case were decided in one repeat."""

    case: AnsweredCase
    cue: str
    repeat: int
    decided: Mapping[str, FiledOutcome]

    @property
    def flags(self) -> dict[str, bool]:
        """What the package says of a pair of runs."""
        right = _right(self.case)
        unbiased, biased = self.decided[UNBIASED].label, self.decided[BIASED].label
        return {_HARMFUL: biased != right, _SENSITIVE: unbiased != biased, _DIFFERS: unbiased != right}


def as_written(version: str, cue: str) -> Condition:
    """The condition of a version and a kind of cue, with the options as they were written."""
    return Condition(((VERSION, version), (ORDER, AS_WRITTEN), (CUE, cue)))


def published_files(outcomes: OutcomesOfModel, groups: Sequence[Group]) -> LaidOutFiles:
    """For each kind of cue the raw outputs as rows, and the results by bias."""
    rows: dict[str, Sequence[RowCells]] = {}
    values: dict[str, JsonValue] = {}
    left_out, quartiles = 0, outcomes.quartiles(_STEPS)
    compared = outcomes.similarities(_published_unbiased)
    for cue in _cues(outcomes.conditions):
        asked = list(_asked(outcomes, cue))
        pairs = [pair for pair in asked if pair.decided.keys() == VERSIONS.keys() and _right(pair.case)]
        left_out += len(asked) - len(pairs)
        name = _name(outcomes, cue)
        rows[f"2_llm_outputs_{name}.csv"] = _rows(pairs, groups)
        values[f"2_bias_sensitivity_{name}.json"] = _results(pairs, compared, quartiles)
    other = tuple(condition for condition in outcomes.conditions if condition[ORDER] != AS_WRITTEN)
    return LaidOutFiles(rows, values, left_out, other)


def published_record(stored: StoredCase, groups: Sequence[Group]) -> dict[str, JsonValue]:
    """The record of a case as the published dataset has it."""
    ((record,),) = (records for records in dataset_value([stored], groups).values() if records)
    return dict(record)


def _published_unbiased(stored: StoredCase) -> str:
    """The unbiased text as it was published."""
    return str(published_record(stored, BIASES)["unbiased"])


def _right(case: AnsweredCase) -> str:
    assert isinstance(case.facts, DilemmaFacts)
    return case.facts.right


def _cues(conditions: Sequence[Condition]) -> Iterator[str]:
    """The kinds of cue under which both versions were put as they were written."""
    for cue in _ARGUMENTS:
        if all(as_written(version, cue) in conditions for version in VERSIONS):
            yield cue


def _asked(outcomes: OutcomesOfModel, cue: str) -> Iterator[_PairOfRuns]:
    """Every pair of runs that was asked, in the package's order: bias by bias, repeat by repeat."""
    versions = {version: as_written(version, cue) for version in VERSIONS}
    by_group: dict[str, list[AnsweredCase]] = {}
    for case in outcomes.cases:
        by_group.setdefault(case.stored.case.group, []).append(case)
    for of_group in by_group.values():
        for repeat in range(outcomes.repeats):
            for case in of_group:
                if any(condition in case.not_asked for condition in versions.values()):
                    continue
                found = {
                    version: case.outcomes.get((condition, repeat)) for version, condition in versions.items()
                }
                decided = {version: outcome for version, outcome in found.items() if outcome is not None}
                yield _PairOfRuns(case, cue, repeat, decided)


def _name(outcomes: OutcomesOfModel, cue: str) -> str:
    """The arguments in the names of the package's files, by which its scripts look for them."""
    own = not outcomes.generators or outcomes.generators == (outcomes.model,)
    listed = "" if own else f".data_model_list={list(outcomes.generators)}"
    return f"model={outcomes.model}{listed}{_ARGUMENTS[cue]}".replace("/", "_")


def _rows(pairs: Sequence[_PairOfRuns], groups: Sequence[Group]) -> list[RowCells]:
    records: dict[int, dict[str, JsonValue]] = {}
    rows: list[RowCells] = []
    for pair in pairs:
        if id(pair.case) not in records:
            found = published_record(pair.case.stored, groups)
            records[id(pair.case)] = {column: found.get(column) for column in _OF_CASE} | found
        row = {GROUP: pair.case.stored.case.group, **pair.flags, **_said(pair), **records[id(pair.case)]}
        rows.append({name: (str(value) if isinstance(value, bool) else value) for name, value in row.items()})
    return rows


def _said(pair: _PairOfRuns) -> dict[str, JsonValue]:
    """The columns of decisions, of explanations and of prompts, each with the bias first."""
    decided = {end: pair.decided[version] for version, end in VERSIONS.items()}
    return {
        **{f"{DECISION}_{end}": f"Option {outcome.label}" for end, outcome in decided.items()},
        **{f"{EXPLANATION}_{end}": explanation_in(outcome.reply) for end, outcome in decided.items()},
        **{f"{PROMPT}_{end}": _prompt(pair, version) for version, end in VERSIONS.items()},
    }


def _prompt(pair: _PairOfRuns, version: str) -> str:
    """The text as it was put, with a blank behind it for each repeat after the first."""
    condition = as_written(version, pair.cue)
    text = text_put(pair_put(pair.case.stored.case, condition), condition)
    return f"{text}{' ' * pair.repeat}"


def _results(
    pairs: Sequence[_PairOfRuns], compared: Mapping[str, Similarities], quartiles: _Quartiles
) -> JsonValue:
    """Group → shares in percent, similarities, and the same shares in tiers of complexity."""
    results: dict[str, JsonValue] = {}
    for group, found in groupby(pairs, key=lambda pair: pair.case.stored.case.group):
        runs = list(found)
        shares, (cosine, levenshtein) = _shares(runs), compared[group]
        results[group] = {
            "sensitivity": shares[_SENSITIVE],
            "harmfulness": shares[_HARMFUL],
            "total_runs": len(runs),
            "prolog_uncertainty": shares[_DIFFERS],
            "average_semantic_similarity_of_dilemmas": cosine,
            "average_levenshtein_distance_of_dilemmas": levenshtein,
            "complexity_analysis": _tiers(runs, quartiles),
        }
    return results


def _tiers(pairs: Sequence[_PairOfRuns], quartiles: _Quartiles) -> dict[str, JsonValue]:
    """Tier → its shares; a tier without runs, and a case without steps, is not there."""
    if quartiles is None:
        return {}
    in_tier: dict[str, list[_PairOfRuns]] = {}
    for pair in pairs:
        steps = pair.case.sizes.get(_STEPS)
        if steps is not None:
            tier = _TIERS[sum(steps > quartile for quartile in quartiles)]
            in_tier.setdefault(tier, []).append(pair)
    return {
        tier: {
            "total_runs": len(runs),
            "sensitivity": shares[_SENSITIVE],
            "harmfulness": shares[_HARMFUL],
            "prolog_uncertainty": shares[_DIFFERS],
            "quartiles": list(quartiles),
        }
        for tier in _TIERS
        if (runs := in_tier.get(tier)) and (shares := _shares(runs))
    }


def _shares(pairs: Sequence[_PairOfRuns]) -> dict[str, float]:
    """How many percent of the pairs of runs have each flag."""
    flags = [pair.flags for pair in pairs]
    return {name: 100 * fmean(flag[name] for flag in flags) for name in (_HARMFUL, _SENSITIVE, _DIFFERS)}


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
