"""What was measured of a pair's two programs: statistics side by side, derivations, and findings."""

from collections.abc import Iterator, Sequence
from typing import Any

from reviewer.core.pane import Code, Pair, Pane
from reviewer.core.table import Cell, Table
from store.records import Finding, Measurement

NOT_COMPUTED = "not computed yet"
_HOW_TO_COMPUTE = "reviewer audit DATASET, which tells how to install SWI-Prolog where it is missing"
_VARIANTS = ("unbiased", "biased")
_STATISTICS = {"choice": "choice", "inference_steps": "inference steps", "choice_steps": "choice steps"}
_MEASURED_ONLY = {
    "solutions": "all solutions",
    "raw_inference_steps": "inference steps, raw",
    "raw_choice_steps": "choice steps, raw",
    "interpreter_steps": "goals tried",
    "proof_depth": "depth of the proof",
    "status": "outcome",
}
JUDGED_BY_AUDIT = ("solutions", "status", "attempts", "knock_outs", "proof")
"""Measurements that tell what the audit thinks of what logic decides."""
_PLACES = {"facts": "program", "axioms": "axioms"}


def published_value(measurements: Sequence[Measurement], name: str) -> Cell:
    """The first published value of this name, None where there is none."""
    for measurement in measurements:
        if measurement.name == name and measurement.source == "published":
            value: Cell = measurement.value
            return value
    return None


def proof_table(measurements: Sequence[Measurement]) -> Table:
    """Measured values of both versions where there are any, else the published ones, one value for both."""
    engine = _newest_engine(measurements)
    if engine is None:
        rows = [(title, _published(measurements, name)) for name, title in _STATISTICS.items()]
        if all(value == NOT_COMPUTED for _, value in rows):
            rows.append(("to compute", _HOW_TO_COMPUTE))
        return Table.of(("statistic", "published, one value for both"), rows)
    measured = {(m.name, m.variant): m.value for m in measurements if m.engine == engine}
    first, second = _VARIANTS
    return Table.of((f"measured, {engine}", first, "", second), list(_compared(measured, measurements)))


def _compared(
    measured: dict[tuple[str, str], Any], measurements: Sequence[Measurement]
) -> Iterator[tuple[Cell, ...]]:
    """A row for each value of both versions; what was published stands below where it is another."""
    for name, title in (_STATISTICS | _MEASURED_ONLY).items():
        values = [measured.get((name, variant)) for variant in _VARIANTS]
        comparable = name.removeprefix("raw_")
        if values == [None, None] or (comparable != name and (comparable, _VARIANTS[0]) in measured):
            continue
        left, right = values
        yield title, _cell(left), "=" if left == right else "≠", _cell(right)
        published = published_value(measurements, name)
        if published is not None and values != [published, published]:
            yield "· as published", published, "", ""


def derivation_panes(measurements: Sequence[Measurement]) -> Iterator[Pane]:
    """Both proofs as indented text, each step with the line it comes from; nothing where none was found."""
    engine = _newest_engine(measurements)
    proofs = {m.variant: m.value for m in measurements if m.engine == engine and m.name == "proof"}
    missing = {m.variant: m.value for m in measurements if m.engine == engine and m.name == "attempts"}
    if engine and proofs:
        first, second = (
            "\n".join([*_proof_lines(proofs.get(v)), *_attempt_lines(missing.get(v, ()))]) for v in _VARIANTS
        )
        sides = ("derivation · unbiased", "derivation · biased", Code(first), Code(second))
        yield Pane("derivation", "derivation", Pair(*sides))


def knock_out_panes(measurements: Sequence[Measurement]) -> Iterator[Pane]:
    """The clauses of the unbiased program without which another decision comes out, and how many more."""
    engine = _newest_engine(measurements)
    for measurement in measurements:
        if measurement.engine == engine and measurement.name == "knock_outs":
            bearing = [row for row in measurement.value if row["bears"]]
            rows = [
                (row["clause"], _line_name(row["at"]), row["becomes"] or "no decision") for row in bearing
            ]
            rows.append((f"{len(measurement.value) - len(bearing)} other clauses", "", "as before"))
            yield Pane("knock_outs", "load-bearing clauses", Table.of(("without", "at", "decision"), rows))


def audit_panes(findings: Sequence[Finding]) -> Iterator[Pane]:
    """The checks that were not passed, serious ones first; nothing where there was no audit."""
    if findings:
        order = ("serious", "doubtful", "untidy")
        failed = sorted((f for f in findings if not f.passed), key=lambda f: order.index(f.severity))
        rows = [(finding.severity, f"{finding.check.replace('_', ' ')}: {finding.why}") for finding in failed]
        yield Pane("audit", "audit", Table.of(("severity", "finding"), rows or [("none", "nothing found")]))


def _newest_engine(measurements: Sequence[Measurement]) -> str | None:
    """Measurements come in the order in which they were made."""
    engines = [m.engine for m in measurements if m.source == "measured" and m.name == "choice"]
    return engines[-1] if engines else None


def _published(measurements: Sequence[Measurement], name: str) -> Cell:
    value = published_value(measurements, name)
    return NOT_COMPUTED if value is None else value


def _cell(value: Any) -> Cell:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    cell: Cell = value
    return cell


def _proof_lines(proof: Any, depth: int = 0) -> list[str]:
    if proof is None:
        return ["% nothing was derived"]
    lines = []
    for node in proof["nodes"] if depth == 0 else proof:
        kind, goal, at, below = node
        lines.append(f"{'  ' * depth}{goal}  % {_origin(kind, at)}")
        if below:
            lines += _proof_lines(below, depth + 1)
    return lines


def _origin(kind: str, at: str | None) -> str:
    return kind if at is None else f"{kind}, {_line_name(at)}"


def _line_name(at: str) -> str:
    part, _, line = at.partition(":")
    return f"{_PLACES.get(part, part)} line {line}"


def _attempt_lines(attempts: Any) -> Iterator[str]:
    for attempt in attempts:
        yield f"% {attempt['option']}: {attempt['outcome']}"
        for step in attempt["steps"]:
            yield f"%   {step['goal']}  ({step['why'].replace('_', ' ')})"
