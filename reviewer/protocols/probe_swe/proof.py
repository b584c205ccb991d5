"""What was measured of a pair's two programs: statistics side by side, clauses, derivations, and findings."""

from collections.abc import Iterator, Sequence
from typing import Any

from reviewer.core.clausediff import Clause
from reviewer.core.pane import Pane
from reviewer.core.table import Cell, Table
from reviewer.protocols.probe_swe.derivation import VARIANTS, derivation, held_back, line_name
from reviewer.protocols.probe_swe.links import link_name
from store.records import Finding, Measurement

NOT_COMPUTED = "not computed yet"
_HOW_TO_COMPUTE = "reviewer audit DATASET, which tells how to install SWI-Prolog where it is missing"
_STATISTICS = {"choice": "choice", "inference_steps": "inference steps", "choice_steps": "choice steps"}
_MEASURED_ONLY = {
    "solutions": "all solutions",
    "raw_inference_steps": "inference steps, raw",
    "raw_choice_steps": "choice steps, raw",
    "interpreter_steps": "goals tried",
    "proof_depth": "proof depth",
    "status": "outcome",
    "warnings": "warnings",
}
JUDGED_BY_AUDIT = ("solutions", "status", "attempts", "knock_outs", "proof", "warnings")
"""Measurements that tell what the audit thinks of what logic decides."""


def published_value(measurements: Sequence[Measurement], name: str) -> Cell:
    """The first published value of this name, None where there is none."""
    for measurement in measurements:
        if measurement.name == name and measurement.source == "published":
            value: Cell = measurement.value
            return value
    return None


def proof_table(measurements: Sequence[Measurement]) -> Table:
    """Measured values of both versions where there are any, else the published ones, one value for both."""
    engine = newest_engine(measurements)
    if engine is None:
        rows = [(title, _published(measurements, name)) for name, title in _STATISTICS.items()]
        if all(value == NOT_COMPUTED for _, value in rows):
            rows.append(("to compute", _HOW_TO_COMPUTE))
        return Table.of(("statistic", "published, one value for both"), rows)
    measured = {(m.name, m.variant): m.value for m in measurements if m.engine == engine}
    first, second = VARIANTS
    return Table.of((engine, first, "", second), list(_compared(measured, measurements)))


def _compared(
    measured: dict[tuple[str, str], Any], measurements: Sequence[Measurement]
) -> Iterator[tuple[Cell, ...]]:
    """A row for each value of both versions; what was published stands below where it is another."""
    for name, title in (_STATISTICS | _MEASURED_ONLY).items():
        values = [measured.get((name, variant)) for variant in VARIANTS]
        comparable = name.removeprefix("raw_")
        if values == [None, None] or (comparable != name and (comparable, VARIANTS[0]) in measured):
            continue
        left, right = values
        yield title, _cell(left), "=" if left == right else "≠", _cell(right)
        published = published_value(measurements, name)
        if published is not None and values != [published, published]:
            yield "· as published", published, "", ""


def derivation_panes(measurements: Sequence[Measurement]) -> Iterator[Pane]:
    """How each version comes to its choice; nothing before an audit, and a word where it is held back."""
    engine = newest_engine(measurements)
    if engine is None:
        return
    measured = {(m.name, m.variant): m.value for m in measurements if m.engine == engine}
    if ("status", VARIANTS[0]) not in measured:
        yield Pane("derivation", "derivation", held_back())
        return
    choices, proofs, attempts = (
        [measured.get((name, variant)) for variant in VARIANTS] for name in ("choice", "proof", "attempts")
    )
    shapes = {
        link_name(row["at"], variant): row["shape"]
        for variant in VARIANTS
        for row in measured.get(("clauses", variant), ())
    }
    knock_outs = measured.get(("knock_outs", VARIANTS[0])) or ()
    tree = derivation(choices, proofs, [failed or () for failed in attempts], shapes, knock_outs)
    yield Pane("derivation", "derivation", tree)


def audit_panes(findings: Sequence[Finding]) -> Iterator[Pane]:
    """The checks that were not passed, serious ones first; nothing where there was no audit."""
    if findings:
        order = ("serious", "doubtful", "untidy")
        failed = sorted((f for f in findings if not f.passed), key=lambda f: order.index(f.severity))
        rows = [(finding.severity, f"{finding.check.replace('_', ' ')}: {finding.why}") for finding in failed]
        yield Pane("audit", "audit", Table.of(("severity", "finding"), rows or [("none", "nothing found")]))


def measured_clauses(measurements: Sequence[Measurement], variant: str, part: str) -> tuple[Clause, ...]:
    """The clauses of the axioms or facts of a version as an audit read them; () where there was none."""
    engine = newest_engine(measurements)
    for m in measurements:
        if m.engine == engine and (m.name, m.variant) == ("clauses", variant):
            rows = [row for row in m.value if row["at"].startswith(f"{part}:")]
            return tuple(Clause(row["start"], row["end"], row["shape"]) for row in rows)
    return ()


def newest_engine(measurements: Sequence[Measurement]) -> str | None:
    """Measurements come in the order in which they were made."""
    engines = [m.engine for m in measurements if m.source == "measured" and m.name in ("choice", "clauses")]
    return engines[-1] if engines else None


def _published(measurements: Sequence[Measurement], name: str) -> Cell:
    value = published_value(measurements, name)
    return NOT_COMPUTED if value is None else value


def _cell(value: Any) -> Cell:
    if isinstance(value, list):
        return ", ".join(map(_item, value)) or "none"
    cell: Cell = value
    return cell


def _item(value: Any) -> str:
    """A solution as it is; a warning (kind and place) in words."""
    return f"{value[0]}, {line_name(value[1])}" if isinstance(value, list) else str(value)
