"""The text of the home screen about the store, its datasets, and an empty store."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from reviewer.core.sanitize import counted
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.key_hints import hint

if TYPE_CHECKING:
    from store.overview import DatasetSummary

_GAP = "   "
_NAME = 24
_LEAST_PLACE = 12


def head_line(rater: str, location: str, datasets: "Sequence[DatasetSummary]", width: int) -> Content:
    """The rater at the left, the store's contents at the right. A long location is cut at its beginning."""
    left = Content.assemble(
        Content.styled("reviewer", "bold $foreground"), _GAP, literal_line(f"you are {rater}", width // 2)
    )
    cases = sum(one.cases for one in datasets)
    held = f" · {counted(len(datasets), 'dataset')} · {counted(cases, 'case')}" if datasets else ""
    room = max(_LEAST_PLACE, width - left.cell_length - len(_GAP) - len(held))
    place = location if len(location) <= room else "…" + location[1 - room :]
    right = literal_line(place + held, width - left.cell_length - 1)
    return Content.assemble(left, " " * max(1, width - left.cell_length - right.cell_length), right)


def nothing_yet(has_datasets: bool, keys: Mapping[str, str]) -> Content:
    """What to do first, on an empty home screen."""
    if has_datasets:
        title, steps, ends = "No study yet", [("home.new-study", "draws a sample from a dataset")], ""
        sentence = "A study is a frozen sample of cases, with the questions that experts answer."
    else:
        title, ends = (
            "Nothing here yet",
            "Or leave, and try `reviewer demo` for a tour with hand-written cases.",
        )
        sentence = "A study needs cases to draw from."
        steps = [
            ("home.import", "imports a dataset: a published JSON file, or the folder of a seed corpus"),
            ("home.runs", "generates a dataset with a language model, and checks it"),
        ]
    lines = [Content.styled(title, "bold $foreground"), literal(sentence), Content("")]
    lines += [hint(keys[name], effect) for name, effect in steps if name in keys]
    return Content("\n").join([*lines, Content(""), literal(ends)] if ends else lines)


def dataset_lines(
    datasets: "Sequence[DatasetSummary]", audits: Mapping[str, str], width: int, most: int
) -> Content:
    """One line for each dataset, ``most`` lines at most; ``audits`` has each dataset's audit in words."""
    shown = datasets if len(datasets) <= most else datasets[: most - 1]
    name = min(_NAME, max((len(one.name) for one in shown), default=0))
    lines = [_dataset_line(one, audits.get(one.name), name, width) for one in shown]
    if hidden := len(datasets) - len(shown):
        lines.append(Content.styled(f"and {hidden} more; `reviewer datasets` lists all", "$foreground 60%"))
    return Content("\n").join(lines)


def _dataset_line(one: "DatasetSummary", audit: str | None, name: int, width: int) -> Content:
    size = f"{counted(one.cases, 'case')} in {counted(one.groups, 'group')}"
    # An answer that several models gave names them all as its generator.
    generators = dict.fromkeys(name for joined in one.generators for name in joined.split(", "))
    parts = [part for part in (size, audit, ", ".join(generators)) if part]
    room = max(1, width - name - len(_GAP))
    while len(parts) > 1 and len(" · ".join(parts)) > room:
        # Of an audit that does not fit, the serious findings come first.
        last = parts.pop()
        if audit == last and len(" · ".join([*parts, short := audit.partition(", ")[0]])) <= room:
            parts.append(short)
    title = literal_line(one.name, name)
    return Content.assemble(
        title.pad_right(name - title.cell_length),
        _GAP,
        literal_line(" · ".join(parts), room, "$foreground 60%"),
    )
