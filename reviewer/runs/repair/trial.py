"""Trying a candidate content beside the stored one: programs run, checks asked, differences. Writes nothing.

`proposals.py` decides which proposals of models are refused.

Programs run in the oracle's workers of this process. They start at the first use and stay warm; ``warm_up``
starts one ahead of time.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.clause_diff import ClauseSpan, diff_clauses
from reviewer.core.errors import RequestError
from reviewer.core.prose_diff import diff_prose
from reviewer.core.sanitize import agreeing
from reviewer.core.text_diff import TextDiff
from reviewer.oracle.check_conditions import no_decision_sentence
from reviewer.oracle.evidence import Evidence, Published, is_option, line_locations
from reviewer.oracle.examination import examine
from reviewer.oracle.program_runner import engine_here
from reviewer.oracle.result import Clause, LoadMessage, Part, Result, SourceLine
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.protocols.repairs import EditorPane, Repairs
from reviewer.runs.audit.check_texts import audit_of
from reviewer.runs.audit.dataset_audit import findings_by_logic
from reviewer.runs.audit.measurements import measured_values
from reviewer.runs.check.case_rules import compared_values, judged_case, rules_mark
from reviewer.similarity.encoder import Encoder
from store.database import Database
from store.findings import published_values
from store.records import Case, Finding, JsonValue, Measurement

_LOSES_A_CLAUSE = {"syntax", "refused_clause"}
"""Messages of loading about a clause that the program then runs without."""


@dataclass(frozen=True, slots=True)
class VersionRun:
    """One version of a case, with the results of its program: decision, steps, solutions and derivation."""

    variant: str
    result: Result

    @property
    def steps(self) -> tuple[int, int] | None:
        """Inference steps and choice steps; None if the program gave no counts."""
        counts = self.result.counts
        return (counts.inference_steps, counts.choice_steps) if counts else None

    @property
    def measured(self) -> dict[str, JsonValue]:
        """Decision, steps and solutions as plain JSON, for the history of a case."""
        inferences, choices = self.steps or (None, None)
        return {
            "status": self.result.status.value,
            "choice": self.result.choice,
            "inference_steps": inferences,
            "choice_steps": choices,
            "solutions": list(self.result.solutions),
        }


@dataclass(frozen=True, slots=True)
class ContentRun:
    """A content with the results of its programs and checks.

    ``evidence`` is None if no program decides the case. ``measurements`` are those that an audit of this
    content would store, so that panes can be drawn from them.
    """

    case: Case
    findings: tuple[Finding, ...]
    evidence: Evidence | None = None
    measurements: tuple[Measurement, ...] = ()

    @property
    def versions(self) -> tuple[VersionRun, ...]:
        """Both versions in their order; none if no program decides the case."""
        if self.evidence is None:
            return ()
        named = zip(self.evidence.names, self.evidence.both, strict=True)
        return tuple(VersionRun(variant, result) for variant, result in named)

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The findings of checks that failed."""
        return tuple(finding for finding in self.findings if finding.tested and not finding.passed)

    @property
    def undecided(self) -> tuple[str, ...]:
        """A sentence for each version that does not decide for one of the options; () if all do."""
        return tuple(_undecided(self.evidence)) if self.evidence else ()

    @property
    def measured(self) -> dict[str, JsonValue]:
        """What was measured, as plain JSON for the history of a case, with the failed checks."""
        versions = {run.variant: run.measured for run in self.versions}
        return {"versions": versions, "failed": [finding.check for finding in self.failed]}


@dataclass(frozen=True, slots=True)
class PaneDifference:
    """An editor pane whose text changed: words for prose, clauses for a program."""

    pane: EditorPane
    difference: TextDiff


@dataclass(frozen=True, slots=True)
class SourceFault:
    """A message about a text that logic runs: the pane's key, the line, the characters, and the fault.

    ``loses_clause``: the program runs without the clause, or is not run at all.
    """

    pane: str
    line: int
    start: int
    end: int
    why: str
    loses_clause: bool


@dataclass(frozen=True, slots=True)
class TextComparison:
    """The similarities of the texts of a content, by measure, and the findings of the checks on them."""

    values: Mapping[str, float]
    findings: tuple[Finding, ...]

    def new_since(self, before: "TextComparison") -> tuple[Finding, ...]:
        """Findings whose check the earlier texts do not fail."""
        known = {finding.check for finding in before.findings if finding.tested and not finding.passed}
        failed = (finding for finding in self.findings if finding.tested and not finding.passed)
        return tuple(finding for finding in failed if finding.check not in known)


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate content beside the stored one."""

    before: ContentRun
    after: ContentRun
    differences: tuple[PaneDifference, ...]

    @property
    def gone(self) -> tuple[Finding, ...]:
        """Findings of the stored content whose check the candidate passes."""
        passed = {finding.check for finding in self.after.findings if finding.tested and finding.passed}
        return tuple(finding for finding in self.before.failed if finding.check in passed)

    @property
    def new(self) -> tuple[Finding, ...]:
        """Findings of the candidate whose check the stored content does not fail."""
        known = {finding.check for finding in self.before.failed}
        return tuple(finding for finding in self.after.failed if finding.check not in known)

    @property
    def still_there(self) -> tuple[tuple[Finding, Finding], ...]:
        """Findings of both contents: of the stored one, then of the candidate."""
        old = {finding.check: finding for finding in self.before.failed}
        return tuple((old[finding.check], finding) for finding in self.after.failed if finding.check in old)

    @property
    def resolves(self) -> list[dict[str, JsonValue]]:
        """The findings that are gone, by check and program, as a revision keeps them."""
        return [_by_program(finding) for finding in self.gone]

    @property
    def untested(self) -> tuple[Finding, ...]:
        """Findings of the stored content whose check could not be asked of the candidate."""
        asked = {finding.check for finding in self.after.findings if finding.tested}
        return tuple(finding for finding in self.before.failed if finding.check not in asked)


def _by_program(finding: Finding) -> dict[str, JsonValue]:
    variants = dict.fromkeys(str(place["variant"]) for place in finding.places or ())
    return {"check": finding.check, "program": ", ".join(filter(None, variants))}


def repairs_of_protocol(protocol: Protocol) -> Repairs:
    """How the cases of a protocol are repaired; raises RequestError if they cannot be."""
    repairs = protocol.repairs()
    if repairs is None:
        raise RequestError(f"cases of protocol {protocol.title} cannot be changed in this release.")
    return repairs


def warm_up() -> None:
    """Start the oracle if it does not run yet; raises OracleMissing without SWI-Prolog."""
    engine_here()


def run_stored(database: Database, protocol: Protocol, case: Case) -> ContentRun:
    """Run the stored content of a case and compare it with the values published with it."""
    (published,) = published_with(database, protocol, [case])
    return run_content(protocol, case, published)


def published_with(
    database: Database, protocol: Protocol, cases: Sequence[Case]
) -> list[tuple[Published, ...]]:
    """The values that were published with each case, which its audit compares with."""
    logic = protocol.logic()
    if logic is None:
        return [()] * len(cases)
    with database.read() as session:
        values = published_values(session, [case.digest for case in cases], logic.published)
    return [logic.published_in(values[case.digest]) for case in cases]


def run_content(protocol: Protocol, case: Case, published: tuple[Published, ...] = ()) -> ContentRun:
    """Run the programs of a content and ask every check of the audit; raises OracleMissing.

    Without ``published`` values, as for new content, the checks that compare with them pass.
    """
    plan = audit_of(protocol, case)
    if isinstance(plan, CheckPlan):
        values = compared_values(plan, {})
        return ContentRun(
            case, judged_case(protocol, case, rules_mark("audit", protocol, case), values).findings
        )
    if plan is None:
        return ContentRun(case, ())
    engine = engine_here().name
    evidence = examine(replace(plan, published=published))
    measurements = tuple(measured_values(case.digest, evidence, engine))
    return ContentRun(case, findings_by_logic(case, protocol, evidence), evidence, measurements)


def try_content(protocol: Protocol, stored: ContentRun, candidate: Case) -> Trial:
    """Run a candidate content and compare it with the stored one, which was run before."""
    same = candidate.digest == stored.case.digest
    after = stored if same else run_content(protocol, candidate)
    return Trial(stored, after, tuple(_differences(protocol, stored, after)))


def compare_texts(protocol: Protocol, case: Case, encoder: Encoder) -> TextComparison:
    """Compare the texts of a content with each other; the first use of an encoder takes seconds."""
    plan = protocol.check_plan(case)
    if plan is None:
        return TextComparison({}, ())
    texts = sorted(
        {text for comparison in plan.comparisons if comparison.kind == "cosine" for text in comparison.texts}
    )
    vectors = dict(zip(texts, encoder.encode(texts), strict=True)) if texts else {}
    values = compared_values(plan, vectors)
    judged = judged_case(protocol, case, rules_mark("check", protocol, case), values)
    return TextComparison(values, judged.findings)


def source_faults(run: ContentRun, panes: Iterable[EditorPane]) -> tuple[SourceFault, ...]:
    """What the parser and the gate say about the texts of a content, each fault once, in order of lines.

    Lines and characters are those of the content, whose texts have no blanks around them.
    """
    keys = {pane.program: pane.key for pane in panes}
    faults = dict.fromkeys(_faults(run.evidence, keys)) if run.evidence else {}
    return tuple(sorted(faults, key=lambda fault: (fault.pane, fault.line, fault.start)))


def _faults(evidence: Evidence, keys: Mapping[tuple[str, str] | None, str]) -> Iterator[SourceFault]:
    for version, result in enumerate(evidence.both):
        for place, name, why, loses in _remarks(result):
            for where in line_locations(evidence, version, place, name):
                if key := keys.get((where.variant, where.part)):
                    yield SourceFault(key, where.line, where.start, where.end, why, loses)


def _remarks(result: Result) -> Iterator[tuple[SourceLine, str, str, bool]]:
    """The place of each message, the predicate it is about, its words, and whether a clause is lost."""
    for message in result.messages:
        yield message.place, message.text, load_message_words(message), message.kind in _LOSES_A_CLAUSE
    for finding in result.findings:
        yield finding.place, finding.detail, finding.why, finding.stop


def load_message_words(message: LoadMessage) -> str:
    """What a message of loading says, for somebody who does not know SWI-Prolog's own words."""
    told = message.text.replace("_", " ")
    match message.kind:
        case "syntax":
            return f"cannot be read: {told}"
        case "singleton":
            variables = re.findall(r"\w+", message.text)
            return f"{', '.join(variables)} {agreeing(len(variables), 'occurs', 'occur')} only once"
        case "discontiguous":
            return f"{message.text} stands in several places"
    return f"{message.kind.replace('_', ' ')}: {message.text}"


def _undecided(evidence: Evidence) -> Iterator[str]:
    for version, result in enumerate(evidence.both):
        if sentence := no_decision_sentence(evidence, [version]):
            yield sentence
        elif not is_option(result.choice, evidence.options):
            yield f"The {evidence.names[version]} program decides {result.choice}, which is not an option."


def _differences(protocol: Protocol, before: ContentRun, after: ContentRun) -> Iterator[PaneDifference]:
    repairs = protocol.repairs()
    if repairs is None:
        return
    panes = zip(repairs.editor_panes(before.case), repairs.editor_panes(after.case), strict=True)
    for old, new in panes:
        if old.text == new.text:
            continue
        if old.kind == "prose":
            yield PaneDifference(new, diff_prose(old.text, new.text))
        else:
            here, there = _spans(before, old), _spans(after, new)
            yield PaneDifference(new, diff_clauses(old.text, here, new.text, there))


def _spans(run: ContentRun, pane: EditorPane) -> tuple[ClauseSpan, ...]:
    """The clauses of a pane as SWI-Prolog read them; () if it did not."""
    variant, part = pane.program or ("", Part.NONE)
    for version in run.versions:
        if variant in ("", version.variant):
            return tuple(
                _span(pane.text, clause) for clause in version.result.clauses if clause.place.part == part
            )
    return ()


def _span(text: str, clause: Clause) -> ClauseSpan:
    """A clause of a text; one that cannot be read has no shape, and begins in the line before it."""
    source = text[clause.start : clause.end].lstrip()
    return ClauseSpan(clause.end - len(source), clause.end, clause.shape or source)
