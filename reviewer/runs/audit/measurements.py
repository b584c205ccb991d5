"""Turns the evidence of a case into the measurements that are stored."""

from collections.abc import Iterator, Sequence

from reviewer.oracle.evidence import Evidence, becomes_another, tells
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Clause, FailureStep, Part, Proof, ProofNode, Result
from store.records import JsonValue, Measurement, digest_of

VALUES_VERSION = 4
"""Raise this when other values are stored or are computed differently: cases are then audited again."""
_MOST_NODES = 200
_LONGEST = 300


def measured_values(case: str, evidence: Evidence, engine: str) -> Iterator[Measurement]:
    """The measurements of each version under its variant and program; the first also has knock-outs."""
    for number, (program, result) in enumerate(zip(evidence.programs, evidence.both, strict=True)):
        values = dict(_of_result(result))
        if number == 0:
            values["knock_outs"] = list(_knock_outs(program, evidence))
            values["variant_runs"] = list(_variant_runs(program, evidence))
        if other := evidence.others[number]:
            values["other_proof"] = _proof(other, result.clauses) | {"choice": other.choice}
        values["clauses"] = [_clause(clause, program) for clause in result.clauses]
        for name, value in values.items():
            yield Measurement(
                case=case,
                name=name,
                variant=evidence.names[number],
                source="measured",
                engine=engine,
                program=digest_of(program.text),
                value=value,
            )


def _of_result(result: Result) -> Iterator[tuple[str, JsonValue]]:
    """Names and values. Steps that cannot be converted to the counts of SWI-Prolog 9.2 are given raw only."""
    yield "status", result.status.value
    if result.choice is not None:
        yield "choice", result.choice
    yield "solutions", list(result.solutions)
    if counts := result.counts:
        if counts.comparable:
            yield "inference_steps", counts.inference_steps
            yield "choice_steps", counts.choice_steps
        yield "raw_inference_steps", counts.raw_inference_steps
        yield "raw_choice_steps", counts.raw_choice_steps
    if proof := result.proof:
        yield "interpreter_steps", proof.steps
        yield "proof_depth", proof.depth
        yield "proof", _proof(proof, result.clauses)
    if result.messages:
        yield "warnings", [[m.kind, f"{m.place.part.value}:{m.place.line}"] for m in result.messages]
    failed = [attempt for attempt in result.attempts if not attempt.derivable]
    if failed:
        yield (
            "attempts",
            [
                {
                    "option": attempt.option,
                    "outcome": attempt.outcome[:_LONGEST],
                    "steps": [_failing(step, result.clauses) for step in attempt.steps],
                }
                for attempt in failed
            ],
        )


def _proof(proof: Proof, clauses: Sequence[Clause]) -> dict[str, JsonValue]:
    return {"size": proof.size, "nodes": _Tree(clauses).rows(proof.nodes)}


def _failing(step: FailureStep, clauses: Sequence[Clause]) -> JsonValue:
    at = None if step.clause is None else _at(clauses[step.clause])
    return {"goal": step.goal[:_LONGEST], "why": step.why, "at": at}


def _clause(clause: Clause, program: Program) -> JsonValue:
    """The place of a clause, and its shape, which does not depend on the names of variables."""
    shape = clause.shape or " ".join(_source(clause, program).split())
    return {"at": _at(clause), "start": clause.start, "end": clause.end, "shape": shape}


class _Tree:
    """A proof as rows of kind, goal, place and the rows below, at most ``_MOST_NODES`` of them."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = clauses
        self._left = _MOST_NODES

    def rows(self, nodes: Sequence[ProofNode]) -> list[JsonValue]:
        rows: list[JsonValue] = []
        for node in nodes:
            if self._left <= 0:
                return [*rows, ["more", "…", None, []]]
            self._left -= 1
            at = None if node.clause is None else _at(self._clauses[node.clause])
            rows.append([node.kind, node.goal[:_LONGEST], at, self.rows(node.children)])
        return rows


def _knock_outs(program: Program, evidence: Evidence) -> Iterator[JsonValue]:
    """Each loaded clause removed in turn, and the decision without it (None: none, or not tested)."""
    for clause, result in evidence.knocked_out():
        yield {
            "at": _at(clause),
            "clause": " ".join(_source(clause, program).split())[:_LONGEST],
            "becomes": result.choice,
            "bears": becomes_another(result, evidence.first),
            "tested": tells(result),
        }


def _variant_runs(program: Program, evidence: Evidence) -> Iterator[JsonValue]:
    """Each variant that a finding is about: what it changes, its texts that differ, decision and proof."""
    for variant, result in evidence.telling:
        texts = {part: variant.program.part(part) for part in Part if part is not Part.NONE}
        yield {
            "change": variant.change.value,
            "becomes": result.choice,
            "texts": {part.value: text for part, text in texts.items() if text != program.part(part)},
            "proof": _proof(result.proof, result.clauses) if result.proof else None,
            "clauses": [_clause(clause, variant.program) for clause in result.clauses],
        }


def _source(clause: Clause, program: Program) -> str:
    return program.part(clause.place.part)[clause.start : clause.end]


def _at(clause: Clause) -> str:
    return f"{clause.place.part.value}:{clause.place.line}"
