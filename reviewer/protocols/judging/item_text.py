"""What a judge reads of a case: the panes of a question as literal text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from reviewer.core.pane import Pair, Pane, Variants
from reviewer.core.question import Question
from reviewer.core.table import Table
from reviewer.protocols.base import Protocol
from store.records import Case, Measurement

_BETWEEN: Final = "\n\n"


def item_text(
    protocol: Protocol,
    question: Question,
    case: Case,
    measurements: Sequence[Measurement],
    *,
    beside: bool = True,
) -> str:
    """The panes that raters see before they answer the question, each below its title.

    Values that are an opinion on a question, or are known only after it, are left out, as are findings.
    """
    due = protocol.shown_with(question.key)
    allowed = [
        value for value in measurements if value.name in due or not protocol.questions_before(value.name)
    ]
    panes = {pane.key: pane for pane in protocol.panes(case, allowed)}
    shown = dict.fromkeys((*question.shows, *(question.beside if beside else ())))
    return _BETWEEN.join(_sections(panes[key] for key in shown if key in panes and not panes[key].held_back))


def _sections(panes: Iterable[Pane]) -> Iterator[str]:
    for pane in panes:
        match pane.body:
            case Pair() as pair:
                yield _section(pair.left_title, pair.left.text)
                yield _section(pair.right_title, pair.right.text)
            case Variants() as variants:
                yield from (_section(title, body.text) for title, body in variants.titled(pane.title).texts)
            case Table() as table:
                yield _section(pane.title, _rows(table))
            case body:
                yield _section(pane.title, body.text)


def _section(title: str, text: str) -> str:
    return f"# {title}\n{text}"


def _rows(table: Table) -> str:
    """A table as lines with strokes between its cells; nothing is cut off."""
    lines = (table.columns, *table.rows)
    return "\n".join(" | ".join("–" if cell is None else str(cell) for cell in line) for line in lines)
