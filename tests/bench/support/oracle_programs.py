"""The programs that the oracle's bench and soak run: published pairs where they are, else the seed corpus."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reviewer.oracle.oracle_program import Program

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT.parent / "shared" / "data" / "probe-swe" / "gpt-4o-mini.json"
SEEDS = ROOT / "seeds" / "probe_swe"


@dataclass(frozen=True)
class Pair:
    """The two versions of a case, and the inference and choice steps published for both, where they are
    known.
    """

    unbiased: Program
    biased: Program
    counts: tuple[int, int] | None


def pairs(number: int) -> list[Pair]:
    """So many pairs, spread over the file; the seeds over and over where there is no file."""
    found = list(_published() if PUBLISHED.exists() else _seeds())
    if len(found) < number:
        found = found * (number // len(found) + 1)
    step = len(found) // number
    return found[: step * number : step]


def _published() -> Iterator[Pair]:
    for group in json.loads(PUBLISHED.read_text(encoding="utf-8")).values():
        for pair in group:
            yield Pair(
                Program(pair["unbiased_prolog"], pair["axioms"]),
                Program(pair["biased_prolog"], pair["axioms"]),
                (pair["inference_steps"], pair["choice_steps"]),
            )


def _seeds() -> Iterator[Pair]:
    for axioms in sorted(SEEDS.glob("*/*/axioms.pl")):
        unbiased, biased = (
            Program(path.read_text(encoding="utf-8"), axioms.read_text(encoding="utf-8"))
            for path in (axioms.parent / "0-unbiased_task.pl", axioms.parent / "1-biased_task.pl")
        )
        yield Pair(unbiased, biased, None)
