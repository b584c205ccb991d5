"""What the home screen shows: the store, its datasets, its studies, or what to do in an empty store."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from reviewer.core.sanitize import counted
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import hint

if TYPE_CHECKING:
    from reviewer.results.labels.rater_warnings import RaterWarning
    from reviewer.study.session.rater_progress import RaterProgress, StudyProgress
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


_MOST_RATERS = 4
NO_CLAIMS: Mapping[str, str] = MappingProxyType({})
_LEAST_BAR, _MOST_BAR = 4, 20
_LEAST_NAME, _USUAL_NAME = 16, 24


class StudyList(OptionList):
    """An option for each study: its name and size, and below them a line for each rater."""

    DEFAULT_CSS = """
    StudyList, StudyList:focus {
        height: auto; border: none; padding: 0;
        background: $background; background-tint: $background 0%;
    }
    StudyList > .option-list--option { padding: 0 1; }
    StudyList > .option-list--separator { color: $background; }
    StudyList > .option-list--option-highlighted { background: $foreground 8%; text-style: none; }
    StudyList:focus > .option-list--option-highlighted { background: $foreground 10%; text-style: none; }
    """

    class Chosen(Message):
        """A study was chosen, by its name."""

        def __init__(self, study: str) -> None:
            self.study = study
            super().__init__()

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._studies: Sequence[StudyProgress] = ()
        self._rater = ""
        self._warnings: Mapping[str, Sequence[RaterWarning]] = {}
        self._claims: Mapping[str, str] = NO_CLAIMS

    @property
    def chosen(self) -> "StudyProgress | None":
        """The highlighted study."""
        return self._studies[self.highlighted or 0] if self._studies else None

    def show(self, studies: "Sequence[StudyProgress]", rater: str, highlight: str | None = None) -> None:
        """List these studies as this rater sees them. ``highlight`` names the study to highlight, if any."""
        self._studies, self._rater = studies, rater
        self._fill()
        for index, progress in enumerate(studies):
            if progress.study.name == highlight:
                self.highlighted = index

    def warn(
        self, warnings: "Mapping[str, Sequence[RaterWarning]]", claims: Mapping[str, str] = NO_CLAIMS
    ) -> None:
        """Mark the raters about whom there are warnings, and tell the claims of stop rules, by study."""
        self._warnings, self._claims = warnings, claims
        self._fill()

    def on_resize(self, event: Resize) -> None:
        """Draw the lines at the new width."""
        self._fill()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Say which study was chosen."""
        event.stop()
        self.post_message(self.Chosen(self._studies[event.option_index].study.name))

    def _fill(self) -> None:
        highlighted = self.highlighted or 0
        lines = [Option(self._study(study)) for study in self._studies]
        self.set_options(option for line in lines for option in (line, None))
        if self._studies:
            self.highlighted = min(highlighted, len(self._studies) - 1)

    @property
    def _width(self) -> int:
        return max(40, self.size.width - 3)

    @property
    def _first_column(self) -> int:
        """The cells of the first column: as wide as the longest name, up to a third of the line."""
        longest = max((len(progress.study.name) for progress in self._studies), default=0)
        return min(max(_USUAL_NAME, longest), max(_LEAST_NAME, self._width // 3))

    def _study(self, progress: "StudyProgress") -> Content:
        name = literal_line(progress.study.name, self._first_column, "bold $foreground")
        claim = self._claims.get(progress.study.name, "")
        state = " · ".join(filter(None, (claim, turn(progress, self._rater))))
        begin = self._first_column + 2
        size = _size(progress, self._width - begin - len(state) - 2)
        head = Content.assemble(
            name.pad_right(begin - name.cell_length), Content.styled(size, "$foreground 60%")
        )
        head = head.pad_right(max(2, self._width - head.cell_length - len(state)))
        return Content("\n").join(
            [Content.assemble(head, Content.styled(state, "bold")), *self._raters(progress)]
        )

    def _raters(self, progress: "StudyProgress") -> list[Content]:
        """A line for each rater, this one first; a single line for all where the study is closed."""
        own = [rater for rater in progress.raters if rater.rater == self._rater]
        raters = own + [rater for rater in progress.raters if rater.rater != self._rater]
        if not raters:
            return [Content.styled("  nobody has begun", "$foreground 60%")]
        if progress.study.closed_at is not None:
            counts = f"{_counts_of(raters, self._called)}{self._warned(progress)}"
            return [literal_line(counts, self._width - 2, "$foreground 60%").pad_left(2)]
        lines = [self._line(rater, progress) for rater in raters[:_MOST_RATERS]]
        if hidden := len(raters) - len(lines):
            lines.append(Content.styled(f"  and {hidden} more", "$foreground 60%"))
        return lines

    def _warned(self, progress: "StudyProgress", rater: str | None = None) -> str:
        """How many warnings there are about a rater, or about all."""
        warnings = self._warnings.get(progress.study.name, ())
        number = sum(rater in (None, warning.rater) for warning in warnings)
        return f"  ▲ {counted(number, 'warning')}" if number else ""

    def _line(self, rater: "RaterProgress", progress: "StudyProgress") -> Content:
        shown = literal_line(self._called(rater), self._first_column - 2)
        count = f"  {rater.done:,} of {rater.slots:,}"
        then = "  ✓ done" if rater.finished else f"  ↷ {rater.skipped} skipped" if rater.skipped else ""
        room = self._width - self._first_column - 2 - _LEAST_BAR
        told = count + then + self._warned(progress, rater.rater)
        if cell_len(told) > room:
            told = count + then + self._warned(progress, rater.rater).partition(" warning")[0]
        most = max(0, room - cell_len(told)) + _LEAST_BAR
        drawn = bar(rater.done, rater.slots, min(_MOST_BAR, self._width // 4, most))
        name = shown.pad_right(self._first_column - shown.cell_length)
        line = Content.assemble("  ", name, drawn, literal(told))
        return line.truncate(self._width, ellipsis=True)

    def _called(self, rater: "RaterProgress") -> str:
        return "you" if rater.rater == self._rater else rater.rater


def _counts_of(raters: "Sequence[RaterProgress]", called: "Callable[[RaterProgress], str]") -> str:
    """How many verdicts each rater gave, and of how many."""
    if len({rater.slots for rater in raters}) == 1:
        done = ", ".join(f"{called(rater)} {rater.done:,}" for rater in raters)
        return f"{done} of {raters[0].slots:,}"
    return ", ".join(f"{called(rater)} {rater.done:,} of {rater.slots:,}" for rater in raters)


def _size(progress: "StudyProgress", width: int) -> str:
    """How many cases; also questions and the view where there is room."""
    cases = counted(progress.cases, "case")
    longer = f"{cases} × {counted(progress.questions, 'question')}"
    longest = f"{longer} · {progress.study.view} view"
    return next((size for size in (longest, longer) if len(size) <= width), cases)


def turn(progress: "StudyProgress", rater: str) -> str:
    """Whose turn it is, as a sign and words."""
    if progress.study.closed_at is not None:
        return "■ closed"
    own, leads = progress.own(rater), rater in progress.leads
    if progress.has_finished(rater) or (leads and own is None and progress.finished):
        return "✓ all finished" if progress.finished else "✓ you are done"
    if own is not None:
        return "● your turn"
    if progress.study.design.get("raters_declared"):
        return "◆ you lead it" if leads else "○ for others"
    return "◆ you lead it · open to all" if leads else "● open to you"
