"""The panes in which an author judges a finding. What the finding is about comes first and is marked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from reviewer.core.pane import Code, Pair, Pane, Sheet, Text
from reviewer.protocols.logic import Logic
from reviewer.runs.audit.audit_findings import AuditedCase
from store.records import Finding, JsonValue

Marks = dict[tuple[str, int], list[tuple[int, int]]]
"""By pane and side: the characters that a finding is about."""


def finding_panes(audited: AuditedCase, finding: Finding) -> Sheet:
    """The texts of the case, the panes that show most about the check, those with marks, then the rest."""
    logic = _logic(audited)
    panes = {pane.key: pane for pane in audited.panes}
    if logic is None:
        return Sheet((), tuple(panes.values()))
    variants = {pane.key: pane for pane in logic.variant_panes(audited.case, audited.measurements)}
    wanted = logic.beside.get(finding.check, ())
    panes |= {key: variants[key] for key in wanted if key in variants}
    marks = _marks(logic, finding.places or ())
    marked = [key for key in logic.shows if any(pane == key for pane, _ in marks)]
    texts, *others = logic.shows
    order = dict.fromkeys((texts, *wanted, *marked, *others))
    first = tuple(_marked(panes[key], marks) for key in order if key in panes)
    return Sheet(first, tuple(pane for key, pane in panes.items() if key not in order))


def marked_clauses(audited: AuditedCase, finding: Finding) -> Iterator[str]:
    """The lines that a finding is about, as text, each once."""
    logic = _logic(audited)
    panes = {pane.key: pane for pane in audited.panes}
    marks = _marks(logic, finding.places or ()) if logic else {}
    lines = (
        line
        for (key, side), spans in marks.items()
        if key in panes
        for line in _lines(_side(panes[key], side).text, spans)
    )
    yield from dict.fromkeys(lines)


def _logic(audited: AuditedCase) -> Logic | None:
    """What decides the case; None if it has no programs or was altered."""
    case = audited.case
    logic = audited.protocols.named(case.protocol).logic() if case.is_whole else None
    return logic if logic and logic.examination(case) else None


def _lines(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    for start, end in spans:
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", max(first, end - 1))
        line = " ".join(text[first : last if last >= 0 else None].split())
        yield f"{text.count(chr(10), 0, first) + 1:>3} {line}"


def _marks(logic: Logic, places: Iterable[Mapping[str, JsonValue]]) -> Marks:
    marks: Marks = {}
    for row in places:
        where = logic.sources.get((str(row["variant"]), str(row["part"])))
        if where is not None:
            marks.setdefault(where, []).append((int(row["start"]), int(row["end"])))
    return marks


def _marked(pane: Pane, marks: Marks) -> Pane:
    """The pane with its marks; of two sources only the one that has any, both if both have."""
    match pane.body:
        case Code() as code:
            return replace(pane, body=_with_marks(code, marks.get((pane.key, 0), [])))
        case Pair(left_title, right_title, Code() as left, Code() as right) as pair:
            sides = [side for side in (0, 1) if (pane.key, side) in marks]
            ours, theirs = (
                _with_marks(code, marks.get((pane.key, side), [])) for side, code in enumerate((left, right))
            )
            if sides == [0]:
                return Pane(pane.key, left_title, ours)
            if sides == [1]:
                return Pane(pane.key, right_title, theirs)
            return replace(pane, body=replace(pair, left=ours, right=theirs))
        case _:
            return pane


def _with_marks(code: Code, spans: list[tuple[int, int]]) -> Code:
    return replace(code, marks=tuple(sorted(spans)), numbered=True)


def _side(pane: Pane, side: int) -> Text | Code:
    body = pane.body
    if isinstance(body, Pair):
        return body.right if side else body.left
    return body if isinstance(body, Text | Code) else Text("")
