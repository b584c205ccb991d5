"""The panes of a dilemma pair."""

from collections.abc import Iterator, Sequence

from reviewer.core.number_text import significant
from reviewer.core.pane import Code, Pair, Pane, Text
from reviewer.core.table import Table
from reviewer.protocols.probe_swe.derivation import SIGNS, links_between
from reviewer.protocols.probe_swe.dilemma import (
    BIASES,
    DraftDilemma,
    accepted_option,
    option_title,
    other_option,
)
from reviewer.protocols.probe_swe.proof import (
    NOT_COMPUTED,
    audit_panes,
    derivation_panes,
    measured_clauses,
    origin_of,
    proof_table,
    published_value,
)
from store.records import Finding, Measurement

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
