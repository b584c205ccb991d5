"""The panes of an instance."""

from collections.abc import Iterator, Sequence

from reviewer.core.pane import Pane, Text, Variants
from reviewer.core.table import Table
from reviewer.protocols.detail_levels.level_instance import LETTERS, LevelInstance
from store.records import Finding, Measurement


def panes_of_instance(
    instance: LevelInstance, measurements: Sequence[Measurement], findings: Sequence[Finding]
) -> Iterator[Pane]:
    """The five levels with what was filled in, and the choices; then what raters see after they answered."""
    levels = tuple(
        (f"level {number}", Text(text, marks=instance.marks_of(number)))
        for number, text in enumerate(instance.levels, 1)
    )
    yield Pane("levels", "levels of detail", Variants(levels))
    yield Pane("choices", "choices", choice_table(instance.choice_texts))
    keyed = zip(LETTERS, instance.choice_texts, instance.keys, strict=False)
    yield Pane("keys", "keys of the choices", Table.of(("letter", "choice", "key"), list(keyed)))
    yield from panes_after_answer(measurements, findings)


def choice_table(choices: Sequence[str]) -> Table:
    """The choices with their letters."""
    return Table.of(("letter", "choice"), list(zip(LETTERS, choices, strict=False)))


def panes_after_answer(measurements: Sequence[Measurement], findings: Sequence[Finding]) -> Iterator[Pane]:
    """Published values and failed checks, where there are any."""
    shown = [value for value in measurements if value.source == "published" or value.came_with_place]
    if shown:
        rows = [(value.name, str(value.value)) for value in shown]
        yield Pane("published", "published and measured values", Table.of(("name", "content"), rows))
    failed = [(finding.check, finding.why) for finding in findings if not finding.passed]
    if failed:
        yield Pane("findings", "findings", Table.of(("check", "why"), failed))
