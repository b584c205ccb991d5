"""What variants of the unbiased program gave: changed program beside stored one, and both derivations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reviewer.core.clause_diff import ClauseSpan
from reviewer.core.pane import Code, Pair, Pane
from reviewer.oracle.variants import VariantChange
from reviewer.protocols.probe_swe.derivation import VARIANTS, variant_derivations
from reviewer.protocols.probe_swe.proof import authors_clauses, measured_clauses, newest_engine
from store.records import Measurement

_WORDS: Mapping[str, str] = {
    VariantChange.OPTIONS_EXCHANGED: "options exchanged",
    VariantChange.FACTS_REMOVED: "without facts",
    VariantChange.AXIOMS_REMOVED: "without axioms",
    VariantChange.DECISION_REVERSED: "deciding clauses reversed",
    VariantChange.FACTS_REVERSED: "facts reversed",
}
_PARTS = {"facts": "program", "axioms": "axioms"}


def run_panes(*changes: VariantChange) -> tuple[str, ...]:
    """The keys of the panes about some variants: each one's program, then its derivation."""
    return tuple(f"{kind}_{change.value}" for change in changes for kind in ("run", "run_derivation"))


def variant_panes(sources: Mapping[str, str], measurements: Sequence[Measurement]) -> Iterator[Pane]:
    """Two panes for each variant that the last audit kept; ``sources`` are the unbiased program's texts."""
    engine, first = newest_engine(measurements), VARIANTS[0]
    measured = {m.name: m.value for m in measurements if (m.engine, m.variant) == (engine, first)}
    for run in measured.get("variant_runs", ()):
        words = _WORDS.get(run["change"])
        if words is None:
            continue
        stored, becomes = str(measured.get("choice")), str(run["becomes"])
        for part, text in list(run["texts"].items())[:1]:
            left = Code(sources[part], "prolog", measured_clauses(measurements, first, part))
            right = Code(text, "prolog", _clauses(run, part))
            titles = (f"{_PARTS[part]} as stored: {stored}", f"{_PARTS[part]} {words}: {becomes}")
            yield Pane(f"run_{run['change']}", f"{words}: {becomes}", Pair(*titles, left, right))
        if run["proof"]:
            changed = authors_clauses(run["clauses"], {**sources, **run["texts"]})
            clauses = (authors_clauses(measured.get("clauses", ()), sources), changed)
            titles = (f"derivation · {stored}", f"derivation · {words}: {becomes}")
            tree = variant_derivations((measured.get("proof"), run["proof"]), clauses, titles)
            yield Pane(f"run_derivation_{run['change']}", f"derivation {words}", tree)


def _clauses(run: Mapping[str, Any], part: str) -> tuple[ClauseSpan, ...]:
    rows = (row for row in run["clauses"] if row["at"].startswith(f"{part}:"))
    return tuple(ClauseSpan(row["start"], row["end"], row["shape"]) for row in rows)
