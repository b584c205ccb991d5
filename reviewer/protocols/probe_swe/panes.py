"""The panes of a dilemma pair: its texts, and the measurements of its two programs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from reviewer.core.check_result import SEVERITIES
from reviewer.core.clause_diff import ClauseSpan
from reviewer.core.number_text import significant
from reviewer.core.pane import Code, Pair, Pane, Text
from reviewer.core.table import Cell, Table
from reviewer.oracle.derivation_steps import AuthorsClauses
from reviewer.oracle.result import Status, ended
from reviewer.oracle.variants import VariantChange
from reviewer.protocols.probe_swe.derivation import (
    SIGNS,
    VARIANTS,
    MeasuredDerivations,
    both_derivations,
    derivation,
    held_back,
    line_name,
    links_between,
    variant_derivations,
)
from reviewer.protocols.probe_swe.dilemma import (
    BIASES,
    DraftDilemma,
    accepted_option,
    option_title,
    other_option,
)
from store.records import Finding, Measurement

_Measured = Mapping[tuple[str, str], Any]
# With these statuses all solutions are known. With any other, the search for them did not end.
_SEARCHED = {"ok", "no_solution", "not_ground"}
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


def published_value(measurements: Sequence[Measurement], name: str) -> Cell:
    """The first value of this name that came with the case; None if there is none."""
    for measurement in measurements:
        if measurement.name == name and measurement.came_with_place:
            value: Cell = measurement.value
            return value
    return None


def origin_of(measurements: Sequence[Measurement]) -> str:
    """The word for the values that came with the case: published, or generated if a run measured them."""
    brought = [m for m in measurements if m.came_with_place]
    return "published" if all(m.source == "published" for m in brought) else "generated"


def proof_table(measurements: Sequence[Measurement]) -> Table:
    """Measured values of both versions if there are any, else the published values, one for both."""
    engine = newest_engine(measurements)
    if engine is None:
        known = [(title, _published(measurements, name)) for name, title in _STATISTICS.items()]
        if all(value == NOT_COMPUTED for _, value in known):
            known.append(("to compute", _HOW_TO_COMPUTE))
        return Table.of(("statistic", f"{origin_of(measurements)}, one value for both"), known)
    measured = _measured_by(engine, measurements)
    first, second = VARIANTS
    rows = list(_compared(measured, measurements))
    return Table.of((engine, first, "", second), rows, sides=(1, 3))


def _compared(measured: _Measured, measurements: Sequence[Measurement]) -> Iterator[tuple[Cell, ...]]:
    """A row for each value of both versions, with a different published value in a row below."""
    for name, title in (_STATISTICS | _MEASURED_ONLY).items():
        values = [_known(measured, name, variant) for variant in VARIANTS]
        published = published_value(measurements, name)
        if (values == [None, None] and published is None) or _only_raw_here(measured, name):
            continue
        left, right = values
        yield title, _cell(left), "=" if left == right else "≠", _cell(right)
        if published is not None and values != [published, published]:
            yield f"· as {origin_of(measurements)}", published, "", ""


def _known(measured: _Measured, name: str, variant: str) -> Any:
    """A measured value in words; None for solutions if the search for them did not end."""
    status = measured.get(("status", variant))
    if name == "status" and status in set(Status) - {Status.OK}:
        return ended(Status(status))
    if name == "solutions" and status not in _SEARCHED:
        return None
    return measured.get((name, variant))


def _only_raw_here(measured: _Measured, name: str) -> bool:
    """Whether these are raw steps while comparable steps exist too."""
    comparable = name.removeprefix("raw_")
    return comparable != name and any((comparable, variant) in measured for variant in VARIANTS)


def derivation_panes(
    measurements: Sequence[Measurement], sources: Mapping[str, Mapping[str, str]]
) -> Iterator[Pane]:
    """How each version reaches its choice; no pane before an audit, and a notice if it is held back.

    ``sources`` are the texts of each variant's program by part (facts, axioms).
    """
    engine = newest_engine(measurements)
    if engine is None:
        return
    measured = _measured_by(engine, measurements)
    if ("status", VARIANTS[0]) not in measured:
        yield Pane("derivation", "derivation", held_back(), held_back=True)
        return
    choices, proofs, attempts = (
        [measured.get((name, variant)) for variant in VARIANTS] for name in ("choice", "proof", "attempts")
    )
    roots = [_why(measured, variant) for variant in VARIANTS]
    clauses = {
        variant: authors_clauses(measured.get(("clauses", variant), ()), sources[variant])
        for variant in VARIANTS
    }
    seen = MeasuredDerivations(
        roots, proofs, [failed or () for failed in attempts], measured.get(("knock_outs", VARIANTS[0])) or ()
    )
    yield Pane("derivation", "derivation", derivation(seen, clauses))
    for variant, choice, proof in zip(VARIANTS, choices, proofs, strict=True):
        if other := measured.get(("other_proof", variant)):
            pair = {str(choice): proof, str(other["choice"]): other}
            name = OTHER_DERIVATIONS[variant]
            yield Pane(name, f"both options · {variant}", both_derivations(pair, clauses, variant))


def authors_clauses(rows: Sequence[Mapping[str, Any]], sources: Mapping[str, str]) -> AuthorsClauses:
    """Measured clauses by their places, as they are written in these texts."""
    texts = (sources[row["at"].partition(":")[0]][row["start"] : row["end"]] for row in rows)
    return AuthorsClauses([(row["at"], text) for row, text in zip(rows, texts, strict=True)])


OTHER_DERIVATIONS = {variant: f"derivations_{variant}" for variant in VARIANTS}
"""The panes that show derivations of both options, by version."""


def _why(measured: _Measured, variant: str) -> str:
    """The heading of a version's derivation: its choice, or that there is none."""
    choice, status = measured.get(("choice", variant)), measured.get(("status", variant))
    if choice and status in _SEARCHED:
        return f"why {choice}"
    return f"the program {ended(Status(status))}" if status in set(Status) else "not known"


def audit_panes(findings: Sequence[Finding]) -> Iterator[Pane]:
    """The checks that failed, serious ones first, then those not tested; no pane without an audit."""
    if findings:
        failed = sorted(
            (f for f in findings if f.tested and not f.passed), key=lambda f: SEVERITIES.index(f.severity)
        )
        rows: list[tuple[str, str]] = [(f.severity, f"{_words(f.check)}: {f.why}") for f in failed]
        rows += [("not tested", said) for said in _untested(findings)]
        table = Table.of(("severity", "finding"), rows or [("none", "nothing found")])
        yield Pane("audit", "audit", table, summary=_audit_summary(failed, rows))


def _audit_summary(failed: Sequence[Finding], rows: Sequence[tuple[str, str]]) -> str:
    """ "1 serious (both derivable) · 2 untidy (unused facts, load messages) · checks not tested"."""
    parts = []
    for severity, findings in groupby(failed, lambda finding: finding.severity):
        checks = [_words(finding.check) for finding in findings]
        parts.append(f"{len(checks)} {severity} ({', '.join(checks)})")
    parts += ["some checks not tested"] if len(rows) > len(failed) else []
    return " · ".join(parts) or "nothing found"


def _untested(findings: Sequence[Finding]) -> Iterator[str]:
    """The checks that could not be made, in one sentence for each reason."""
    by_reason: dict[str, list[str]] = {}
    for finding in findings:
        if not finding.tested:
            by_reason.setdefault(finding.why, []).append(_words(finding.check))
    for why, checks in by_reason.items():
        yield f"{', '.join(checks)}: {why}"


def _words(check: str) -> str:
    return check.replace("_", " ")


def measured_clauses(measurements: Sequence[Measurement], variant: str, part: str) -> tuple[ClauseSpan, ...]:
    """The clauses of the axioms or facts of a version as an audit read them; () without an audit."""
    measured = _measured_by(newest_engine(measurements), measurements)
    return _spans(measured.get(("clauses", variant), ()), part)


def _spans(rows: Iterable[Mapping[str, Any]], part: str) -> tuple[ClauseSpan, ...]:
    of_part = (row for row in rows if row["at"].startswith(f"{part}:"))
    return tuple(ClauseSpan(row["start"], row["end"], row["shape"]) for row in of_part)


def _measured_by(engine: str | None, measurements: Sequence[Measurement]) -> _Measured:
    """The values that an engine measured, by name and variant."""
    return {(m.name, m.variant): m.value for m in measurements if m.engine == engine}


def newest_engine(measurements: Sequence[Measurement]) -> str | None:
    """The engine of the last audit; measurements come in the order in which they were made."""
    engines = [m.engine for m in measurements if not m.came_with_place and m.name in ("choice", "clauses")]
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


_CHANGES: Mapping[str, str] = {
    VariantChange.OPTIONS_EXCHANGED: "options exchanged",
    VariantChange.FACTS_REMOVED: "without facts",
    VariantChange.AXIOMS_REMOVED: "without axioms",
    VariantChange.DECISION_REVERSED: "deciding clauses reversed",
    VariantChange.FACTS_REVERSED: "facts reversed",
}
_PART_TITLES = {"facts": "program", "axioms": "axioms"}


def run_panes(*changes: VariantChange) -> tuple[str, ...]:
    """The keys of the panes about some variants: each one's program, then its derivation."""
    return tuple(f"{kind}_{change.value}" for change in changes for kind in ("run", "run_derivation"))


def variant_panes(sources: Mapping[str, str], measurements: Sequence[Measurement]) -> Iterator[Pane]:
    """Two panes for each variant that the last audit kept; ``sources`` are the unbiased program's texts."""
    by_engine, first = _measured_by(newest_engine(measurements), measurements), VARIANTS[0]
    measured = {name: value for (name, variant), value in by_engine.items() if variant == first}
    for run in measured.get("variant_runs", ()):
        words = _CHANGES.get(run["change"])
        if words is None:
            continue
        stored, becomes = str(measured.get("choice")), str(run["becomes"])
        for part, text in list(run["texts"].items())[:1]:
            left = Code(sources[part], "prolog", measured_clauses(measurements, first, part))
            right = Code(text, "prolog", _spans(run["clauses"], part))
            titles = (f"{_PART_TITLES[part]} as stored: {stored}", f"{_PART_TITLES[part]} {words}: {becomes}")
            yield Pane(f"run_{run['change']}", f"{words}: {becomes}", Pair(*titles, left, right))
        if run["proof"]:
            changed = authors_clauses(run["clauses"], {**sources, **run["texts"]})
            clauses = (authors_clauses(measured.get("clauses", ()), sources), changed)
            titles = (f"derivation · {stored}", f"derivation · {words}: {becomes}")
            tree = variant_derivations((measured.get("proof"), run["proof"]), clauses, titles)
            yield Pane(f"run_derivation_{run['change']}", f"derivation {words}", tree)


_DEFINITIONS = {bias.name: bias.definition for bias in BIASES}
_MEASURES = {
    "pair_similarity": ("similarity of the two texts (cosine)", "similarity {} (cosine)"),
    "pair_levenshtein_similarity": ("similarity of the two texts (Levenshtein)", "{} (Levenshtein)"),
    "bias_verifications": ("bias confirmed by the model, of 3 runs", "bias confirmed in {} of 3 runs"),
    "bias_explanation": ("the model on the bias", ""),
    "reconstruction_similarity": (
        "similarity of original and rebuilt text (cosine)",
        "rebuilt text {} (cosine)",
    ),
    "agreement_rate": (
        "share of model runs that decided as logic does",
        "model runs that decide as logic {}",
    ),
}
"""The title of each value, and how a line of them says it."""


def dilemma_panes(
    dilemma: DraftDilemma, bias: str, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
) -> list[Pane]:
    """Every pane of a pair. Panes for reconstruction, measures and audit appear only if there is one."""
    unbiased, unbiased_program = _linked(dilemma, "unbiased", measurements)
    biased, biased_program = _linked(dilemma, "biased", measurements)
    panes = [
        Pane("texts", "texts", Pair("unbiased", "biased", unbiased, biased)),
        Pane("bias", bias, Text(_bias_text(bias, measurements))),
        *_logic_panes(dilemma, unbiased_program, biased_program, measurements),
        *derivation_panes(measurements, _sources(dilemma)),
    ]
    if rebuilt := dilemma.reconstructed_unbiased_prompt:
        _, links = links_between(unbiased_program.text, rebuilt, "facts", "unbiased")
        sides = Pair("original", "rebuilt", unbiased, Text(rebuilt, links), reworded=True)
        panes.append(Pane("reconstruction", "reconstruction", sides))
    if (measures := _measures_table(measurements)).rows:
        panes.append(Pane("measures", "measures", measures, summary=_measures_summary(measurements)))
    return [*panes, *audit_panes(findings)]


def _sources(dilemma: DraftDilemma) -> dict[str, dict[str, str]]:
    """The texts of each version's program by part."""
    programs = {"unbiased": dilemma.unbiased_prolog, "biased": dilemma.biased_prolog}
    axioms = dilemma.axioms or ""
    return {variant: {"axioms": axioms, "facts": program or ""} for variant, program in programs.items()}


def _measures_table(measurements: Sequence[Measurement]) -> Table:
    """The values of the pair, with a separate column for measured values if there are any."""
    measured = {m.name: m.value for m in measurements if not m.came_with_place}
    values = [
        (title, published_value(measurements, name), measured.get(name))
        for name, (title, _) in _MEASURES.items()
    ]
    filled = [row for row in values if row[1:] != (None, None)]
    came = origin_of(measurements)
    if any(row[2] is not None for row in filled):
        return Table.of(("measure", came, "measured"), filled)
    return Table.of(("measure", came), [row[:2] for row in filled])


def _measures_summary(measurements: Sequence[Measurement]) -> str:
    """The values of the pair in one line, each as measured if it was, else as it came with the case."""
    measured = {m.name: m.value for m in measurements if not m.came_with_place}
    values = {name: measured.get(name, published_value(measurements, name)) for name in _MEASURES}
    known = {name: value for name, value in values.items() if isinstance(value, int | float)}
    return " · ".join(_MEASURES[name][1].format(significant(value, 3)) for name, value in known.items())


def _linked(dilemma: DraftDilemma, variant: str, measurements: Sequence[Measurement]) -> tuple[Text, Code]:
    """The text and the program of a version, each with links to the other."""
    text = {"unbiased": dilemma.unbiased, "biased": dilemma.biased}[variant]
    program = {"unbiased": dilemma.unbiased_prolog, "biased": dilemma.biased_prolog}[variant] or ""
    in_program, in_text = links_between(program, text, "facts", variant)
    clauses = measured_clauses(measurements, variant, "facts")
    return Text(text, in_text), Code(program, "prolog", clauses=clauses, links=in_program)


def _logic_panes(
    dilemma: DraftDilemma, unbiased: Code, biased: Code, measurements: Sequence[Measurement]
) -> Iterator[Pane]:
    """Axioms, programs and proof, as far as the pair has them."""
    if dilemma.axioms_description and dilemma.axioms:
        description = _without_leftover(dilemma.axioms_description)
        axioms, words = links_between(dilemma.axioms, description, "axioms")
        yield Pane("axioms_description", "axioms in words", Text(description, words))
        yield Pane("axioms", "axioms", Code(dilemma.axioms, "prolog", links=axioms, signs=SIGNS))
    if unbiased.text and biased.text:
        yield Pane("programs", "programs", Pair("program · unbiased", "program · biased", unbiased, biased))
        yield Pane("proof", "proof", proof_table(measurements))


def _without_leftover(text: str) -> str:
    """The text without a single backtick at its end, which reply parsers leave behind in published files."""
    return text.rstrip().removesuffix("`") if text.count("`") == 1 else text


def _bias_text(bias: str, measurements: Sequence[Measurement]) -> str:
    definition = _DEFINITIONS[bias]
    accepted = accepted_option(measurements)
    if accepted is None:
        return f"{definition}\n\nWhat logic decides is {NOT_COMPUTED}."
    rejected = option_title(other_option(accepted))
    return f"{definition}\n\nLogic accepts {option_title(accepted)} and rejects {rejected}."
