"""What a changed case gives, beside what the stored one gives, as lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from textual.content import Content

from reviewer.core.check_result import SEVERITIES, check_words
from reviewer.core.number_text import fixed
from reviewer.core.pane import Tree
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.core.table import Table
from reviewer.oracle.oracle_program import SOURCE_LANGUAGE
from reviewer.oracle.query import QueryAnswer
from reviewer.oracle.result import Result, did_not_run, without_decision
from reviewer.protocols.altered_case import panes_of
from reviewer.protocols.registry import Protocols
from reviewer.runs.repair.trial import ContentRun, PaneDifference, TextComparison, Trial
from reviewer.tui.rendering.colouring import coloured
from reviewer.tui.rendering.comparison import unified_diff
from reviewer.tui.rendering.line import EMPTY, Line, hanging
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.pane_text import PaneText, pane_texts_of
from store.records import Finding

_HEAD = 11
_AROUND = 1
_UNWRAPPED = 1_000_000
"""A width in cells in which every line of a text is one line."""
_MOST_SOLUTIONS = 6
# Names of styles of a TextPane.
_QUIET, _PLAIN, _CHANGED = "muted", "strong", "difference"


@dataclass(frozen=True)
class QueryAnswers:
    """A goal with the answer of each program by its variant; several variants with one answer are joined."""

    goal: str
    by_variant: Mapping[str, QueryAnswer]


@dataclass(frozen=True)
class TrialView:
    """Everything that the lower half shows of a changed case. None: not known yet."""

    stored: ContentRun | None = None
    trial: Trial | None = None
    milliseconds: int = 0
    problem: str = ""
    """Why the text could not be tried."""
    similarities: tuple[TextComparison, TextComparison] | None = None
    """Of the stored texts and of the present ones."""
    similarity_problem: str = ""
    answers: QueryAnswers | None = None


def result_lines(shown: TrialView, beside: PaneText | None, width: int) -> tuple[Line, ...]:
    """What changed, as lines of a width in cells; ``beside`` goes below it where there is no room beside."""
    lines = tuple(Line(content) for content in _contents(shown, width))
    return lines if beside is None else (*lines, EMPTY, *beside.lines(width))


def beside_pane(protocols: Protocols, trial: Trial | None, number: int) -> PaneText:
    """The differences (0), or one of the derivations and counts of the changed content."""
    differences = partial(difference_lines, trial.differences if trial else ())
    first = PaneText("differences", 0, "differences from the stored version", differences)
    run = trial.after if trial else None
    logic = protocols.named(run.case.protocol).logic() if run and run.evidence else None
    if not number or run is None or logic is None:
        return first
    panes = panes_of(protocols, run.case, run.measurements, run.findings)
    shown = [pane for pane in panes if pane.key in logic.shows and isinstance(pane.body, Tree | Table)]
    texts = [first, *(text for pane in shown for text in pane_texts_of(pane, "unified"))]
    return texts[number % len(texts)]


def _contents(shown: TrialView, width: int) -> Iterator[Content]:
    if shown.answers:
        yield from _answers(shown.answers, width)
    if shown.problem:
        yield from hanging(_head("not tried"), literal(f"✗ {shown.problem}", _CHANGED), width)
    trial = shown.trial
    if trial is None:
        if not shown.problem:
            yield literal("Running both programs …" if shown.stored is None else "Not run yet.", _QUIET)
        return
    before, after = trial.before, trial.after
    yield from _row("decision", _decision(before), _decision(after), width)
    yield from _findings(trial, width)
    for name, told in (("steps", _steps), ("solutions", _solutions), ("derivation", _derivation)):
        yield from _row(name, told(before), told(after), width)
    yield from _similarities(shown, width)
    if trial.still_there:
        words = _by_severity([after for _, after in trial.still_there])
        yield from hanging(_head("still there"), literal(words, _PLAIN), width)
    if shown.milliseconds and not shown.problem:
        yield Content.assemble(_head("ran in"), literal(f"{shown.milliseconds} ms", _QUIET))


def _head(name: str) -> Content:
    return Content.styled(f"{name:<{_HEAD}} ", _QUIET)


def _row(name: str, before: str, after: str, width: int) -> Iterator[Content]:
    """A value of both versions, with the stored one if it is another."""
    if not after:
        return
    words = literal(after, _CHANGED if before != after else _PLAIN)
    was = literal(f"   was {before or 'unknown'}", _QUIET) if before != after else Content("")
    yield from hanging(_head(name), Content.assemble(words, was), width)


def _both(values: Iterable[str]) -> str:
    """The values of both versions, joined by whether they are equal."""
    both = list(values)
    return f" {'=' if len(set(both)) == 1 else '≠'} ".join(both)


def _decision(run: ContentRun) -> str:
    asked = run.evidence.decision if run.evidence else ""
    return _both(_decided(version.result, asked) for version in run.versions)


def _decided(result: Result, asked: str) -> str:
    if result.decided and result.choice is not None:
        return result.choice
    return without_decision(result, asked) if result.ran else did_not_run(result)


def _solutions(run: ContentRun) -> str:
    return _both(_listed(version.result.solutions) for version in run.versions)


def _listed(solutions: Sequence[str]) -> str:
    more = ", …" if len(solutions) > _MOST_SOLUTIONS else ""
    return ", ".join(solutions[:_MOST_SOLUTIONS]) + more if solutions else "none"


def _steps(run: ContentRun) -> str:
    counts = [version.result.counts for version in run.versions]
    known = [count for count in counts if count is not None]
    if not known or len(known) < len(counts):
        return "not counted" if counts else ""
    inference = _both(str(each.inference_steps) for each in known)
    choice = _both(str(each.choice_steps) for each in known)
    return f"{inference} inference   {choice} choice"


def _derivation(run: ContentRun) -> str:
    proofs = [version.result.proof for version in run.versions]
    words = ("none" if proof is None else counted(proof.size, "node") for proof in proofs)
    return _both(words)


def _findings(trial: Trial, width: int) -> Iterator[Content]:
    for finding in trial.gone:
        yield from hanging(_head("gone"), literal(f"✓ {check_words(finding.check)}", _PLAIN), width)
    yield from _new(trial.new, width)
    for finding in trial.untested:
        words = f"? {check_words(finding.check)}: this check could not be asked"
        yield from hanging(_head("not tested"), literal(words), width)
    if not (trial.gone or trial.new):
        yield Content.assemble(_head("findings"), literal("as before", _PLAIN))


def _new(findings: Iterable[Finding], width: int) -> Iterator[Content]:
    for finding in findings:
        words = f"▲ {finding.severity} · {check_words(finding.check)}: {finding.why}"
        yield from hanging(_head("new"), literal(words, _CHANGED), width)


def _by_severity(findings: Sequence[Finding]) -> str:
    groups = {
        severity: [check_words(finding.check) for finding in findings if finding.severity == severity]
        for severity in SEVERITIES
    }
    return "; ".join(f"{severity}: {', '.join(names)}" for severity, names in groups.items() if names)


def _similarities(shown: TrialView, width: int) -> Iterator[Content]:
    if shown.similarity_problem:
        yield from hanging(_head("similarity"), literal(shown.similarity_problem, _QUIET), width)
    if shown.similarities is None:
        return
    before, after = shown.similarities
    yield from _new(after.new_since(before), width)
    for measure, value in after.values.items():
        was = before.values.get(measure)
        yield from _row("similarity", _similarity(measure, was), _similarity(measure, value), width)


def _similarity(measure: str, value: float | None) -> str:
    return f"{fixed(value, 4)} {measure.replace('_', ' ')}" if value is not None else ""


def _answers(answers: QueryAnswers, width: int) -> Iterator[Content]:
    distinct: dict[QueryAnswer, list[str]] = {}
    for variant, answer in answers.by_variant.items():
        distinct.setdefault(answer, []).append(variant)
    yield from hanging(Content.styled("?- ", _QUIET), literal(answers.goal, _PLAIN), width)
    for answer, variants in distinct.items():
        who = "both" if len(variants) > 1 else variants[0]
        failed = "✗ " if answer.failed else ""
        yield from hanging(_head(who), literal(f"{failed}{answer.sentence}", _PLAIN), width)
        for solution in answer.solutions:
            yield from hanging(Content("   "), literal(solution), width)
    yield Content("")


# -- differences -----------------------------------------------------------------------------------


def difference_lines(differences: Sequence[PaneDifference], width: int) -> tuple[Line, ...]:
    """The lines of each changed pane that differ, with one line around them."""
    if not differences:
        return (Line(literal("Nothing differs from the stored version.", _QUIET)),)
    return tuple(line for difference in differences for line in _difference(difference, width))


def _difference(difference: PaneDifference, width: int) -> Iterator[Line]:
    diff, source = difference.difference, difference.pane.kind == "program"
    left, right = (
        visible("".join(texts))
        for texts in zip(*((change.left, change.right) for change in diff.changes), strict=True)
    )
    contents = [coloured(text, SOURCE_LANGUAGE) if source else Content(text) for text in (left, right)]
    lines, unwrapped = (
        unified_diff(contents[0], contents[1], diff, cells, source=source) for cells in (width, _UNWRAPPED)
    )
    number = sum(line.sign != " " for line in unwrapped)
    words = f"{difference.pane.title} · {counted(number, 'line')} {agreeing(number, 'differs', 'differ')}"
    yield Line(literal(words, _PLAIN))
    yield from _around(lines)
    yield EMPTY


def _around(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines with a sign and those beside them; a line of dots stands for lines left out."""
    kept = {
        near
        for number, line in enumerate(lines)
        if line.sign != " "
        for near in range(number - _AROUND, number + _AROUND + 1)
        if 0 <= near < len(lines)
    }
    before = -1
    for number in sorted(kept):
        if number > before + 1:
            yield Line(Content.styled("…", _QUIET))
        yield lines[number]
        before = number
