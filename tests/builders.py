"""Foreign files to test with: published datasets and seed corpora."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

GROUP = "anchoring bias"
FOLDER = "stability - anchoring_bias"
FILES = {
    "unbiased": "0-unbiased_task.txt",
    "biased": "1-biased_task.txt",
    "axioms": "axioms.pl",
    "axioms_description": "axioms.txt",
    "unbiased_prolog": "0-unbiased_task.pl",
    "biased_prolog": "1-biased_task.pl",
}

Record = dict[str, Any]


def dilemma_texts(number: int = 1) -> dict[str, str]:
    """The six texts of a pair, other ones for every number."""
    options = "- Option A: wait for the tests.\n- Option B: ship tonight.\n\nWhich option do I take?"
    return {
        "unbiased": f"I plan release {number}.\n{options}",
        "biased": f"I plan release {number}, as ten teams did last night.\n{options}",
        "axioms": "best_practice(X) :- tested(X).",
        "axioms_description": "What was tested may be released.",
        "unbiased_prolog": f":- consult('axioms').\nrelease({number}).\ntested(option_A).",
        "biased_prolog": f":- consult('axioms').\nrelease({number}).\nteams(10).\ntested(option_A).",
    }


def a_record(number: int = 1, **changes: object) -> Record:
    """A valid record of a generated pair, with every published field."""
    return {
        "run_id": 3,
        "AI_generated": True,
        "pair": number,
        **dilemma_texts(number),
        "correct_option": "option_A",
        "inference_steps": 9,
        "choice_steps": 6,
        "pair_similarity": 0.97,
        "pair_levenshtein_distance": 0.81,
        "valid": True,
        "reconstructed_unbiased_prompt": f"Release {number}: wait (A) or ship (B)?",
        "unbiased_prompt_reconstruction_similarity": 0.88,
        "agreement_rate": 1.0,
        "decisions_towards_validity": 3,
        "bias_is_towards_incorrect_only_in_biased_version": "Ten teams pull towards B.",
        **changes,
    }


def a_seed_record(number: int = 1, **changes: object) -> Record:
    """A valid record of a hand-written pair, which has fewer fields."""
    record = a_record(
        number,
        AI_generated=False,
        run_id=None,
        reconstructed_unbiased_prompt=None,
        unbiased_prompt_reconstruction_similarity=None,
        unbiased_path="a/0-unbiased_task.txt",
    )
    for name in (
        "agreement_rate",
        "decisions_towards_validity",
        "bias_is_towards_incorrect_only_in_biased_version",
    ):
        del record[name]
    return record | changes


def without(record: Record, *names: str) -> Record:
    """The record without some of its fields."""
    return {name: value for name, value in record.items() if name not in names}


def write_dataset(path: Path, records: Sequence[object], group: str = GROUP) -> Path:
    """A dataset file with records of one group."""
    return write_groups(path, {group: records})


def write_groups(path: Path, groups: Mapping[str, object]) -> Path:
    """A dataset file."""
    path.write_text(json.dumps(groups), encoding="utf-8")
    return path


def write_corpus(path: Path, pairs: int = 1, folder: str = FOLDER) -> Path:
    """A seed corpus with one group."""
    for number in range(1, pairs + 1):
        dilemma = path / folder / f"{number}-release"
        dilemma.mkdir(parents=True)
        for field, text in dilemma_texts(number).items():
            (dilemma / FILES[field]).write_text(f"{text}\n", encoding="utf-8")
    (path / folder / "definition.txt").write_text("Leaning on what one met first.\n", encoding="utf-8")
    return path
