"""The panes of a test."""

from collections.abc import Iterator, Sequence

from reviewer.core.number_text import all_digits
from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.table import Cell, Table
from reviewer.protocols.treatment_tests.score import null_scores
from reviewer.protocols.treatment_tests.treatment_test import CONTROL, TREATMENT, TreatmentTest
from store.records import Finding, Measurement


def panes_of_test(
    test: TreatmentTest, measurements: Sequence[Measurement], findings: Sequence[Finding]
) -> Iterator[Pane]:
    """Both versions with what was filled in, and options; then what raters see after they answered."""
    control, treatment = (
        Text(test.text_of(version), marks=test.marks_of(version)) for version in (CONTROL, TREATMENT)
    )
    yield Pane("versions", "control and treatment", Pair(CONTROL, TREATMENT, control, treatment))
    yield Pane("options", "options", _options(test))
    yield Pane("scenario", "scenario", Text(test.scenario))
    yield Pane("parameters", "parameters of the score", _parameters(test))
    values = [(value.name, str(value.value)) for value in measurements if _is_shown(value)]
    if values:
        yield Pane("published", "published and measured values", Table.of(("name", "content"), values))
    failed = [(finding.check, finding.why) for finding in findings if not finding.passed]
    if failed:
        yield Pane("findings", "findings", Table.of(("check", "why"), failed))


def _is_shown(value: Measurement) -> bool:
    """Whether a value was published with the case, or measured when the case was generated."""
    return value.source == "published" or value.came_with_place


def _options(test: TreatmentTest) -> Table:
    if not test.treatment_options or test.treatment_options == test.options:
        return Table.of(("number", "option"), list(enumerate(test.options, 1)))
    rows = zip(range(1, len(test.options) + 1), test.options, test.treatment_options, strict=True)
    return Table.of(("number", "option of the control", "option of the treatment"), list(rows))


def _parameters(test: TreatmentTest) -> Table:
    nulls = null_scores(len(test.options), {test.parameters: 1})
    rows: list[tuple[str, Cell]] = [
        ("k", test.k),
        ("x1", test.x1),
        ("x2", test.x2),
        ("score of a coin", all_digits(float(nulls.coin))),
        ("size of a coin's score", all_digits(float(nulls.size))),
    ]
    return Table.of(("name", "content"), rows)
