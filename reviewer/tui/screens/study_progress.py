"""How far the raters of a study are; for its lead also their work, warnings, and comments to answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.content import Content

from reviewer.core.errors import ReviewerError
from reviewer.core.number_text import percent, short_seconds
from reviewer.core.sanitize import counted, one_line
from reviewer.results.labels.rater_warnings import RaterWarning, WorkQuarter, rater_drift, rater_warnings
from reviewer.results.labels.rater_work import (
    NO_NOTES,
    LeadNotes,
    QuestionWork,
    RaterWork,
    Remark,
    expected_end,
    lead_notes,
    rater_work,
    remarks_of,
)
from reviewer.results.tables.rater_tables import DRIFT
from reviewer.study.design.leads import answer_remark
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import why_not_agreement, why_not_warnings
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.rater_progress import RaterProgress, StudyProgress, progress_of
from reviewer.tui.dialogs.comment import answer_dialog
from reviewer.tui.in_background import in_background
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.table_lines import table_lines
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.screens.rater_answers import RaterAnswersScreen
from reviewer.tui.screens.store_work import REFRESH_SECONDS
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from store.database import Database

_NAME, _BAR, _LINE, _CELL, _SEEN = 14, 20, 200, 24, 16
_QUIET = "$foreground 60%"
_SIGNS = {"comment": "✎", "flag": "⚑", "note": "✎ note"}


@dataclass(frozen=True, slots=True)
class Watched:
    """A study's progress, and, for its lead, details on its raters."""

    progress: StudyProgress
    warnings: Sequence[RaterWarning] = ()
    work: Sequence[RaterWork] = ()
    remarks: Sequence[Remark] = ()
    end: datetime | None = None
    notes: LeadNotes = NO_NOTES
    drift: Sequence[WorkQuarter] = ()
    no_agreement: str = ""
    """Why answers and the agreement may not be seen yet; "" if they may."""
    bundle: StudyBundle | None = None
    rows: Sequence[LabelRow] = ()


def watched(database: Database, progress: StudyProgress, person: str) -> Watched:
    """The progress with everything that this person may see; raises ReviewerError."""
    answered = any(rater.labelled for rater in progress.raters)
    if not answered or why_not_warnings(database, progress, person):
        return Watched(progress)
    bundle, events = read_study(database, progress.study.name, late=True)
    rows = label_rows(bundle, events, everyone=True)
    done, owed = (sum(getattr(rater, name) for rater in progress.raters) for name in ("done", "slots"))
    hidden = why_not_agreement(progress, person)
    return Watched(
        progress,
        rater_warnings(bundle, rows),
        rater_work(bundle, rows, events),
        remarks_of(bundle, events),
        expected_end(events, done, owed),
        lead_notes(progress, person, bundle, events),
        rater_drift(bundle, label_rows(bundle, events), with_agreement=hidden is None),
        hidden or "",
        bundle,
        rows,
    )


class StudyProgressScreen(ListScreen):
    """A line for each rater. Its lead sees their work, warnings, and remarks.

    Enter lists the answers of a rater, and answers a remark.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        named_key("progress", "m", "settle", "dealt with", "settle", "Mark this comment as dealt with"),
        named_key(
            "progress", "d", "drift", "by quarter", "drift", "Show or hide raters by quarter of their work"
        ),
        named_key("progress", "r", "read", "read again", "read", "Read the store again"),
    ]
    HINTS = (
        ("progress.settle", "dealt with"),
        ("progress.drift", "by quarter"),
        ("progress.read", "read again"),
    )

    def __init__(self, database: Database, study: str, person: str) -> None:
        super().__init__("", self._answer)
        self._database, self._study, self._person = database, study, person
        self._seen: Watched | None = None
        self._listed: list[Remark | str | None] = []
        """What each line is about: a remark, a rater by name, or neither."""
        self._shows_drift = False

    def on_mount(self) -> None:
        """Read now, and again while raters work."""
        self.show_items(self._study, (), nothing="Reading the answers …")
        self.look()
        self.set_interval(REFRESH_SECONDS, self.look)

    def on_resize(self) -> None:
        """Lay out the lines for the new width."""
        if self._seen:
            self._list(self._seen)

    def look(self, anew: bool = False) -> None:
        """Read the progress in the background, and all else if it has changed, or ``anew``."""
        in_background(self, "progress", partial(self._look, anew), self._show, self.complain)

    def _look(self, anew: bool) -> Watched | None:
        """The study as it is now; None if nothing has changed."""
        progress = progress_of(self._database, self._study)
        if anew or self._seen is None or progress != self._seen.progress:
            return watched(self._database, progress, self._person)
        return None

    def _show(self, seen: Watched | None) -> None:
        """List the raters, if anything has changed."""
        if seen is not None:
            self._seen = seen
            self._list(seen)

    def action_read(self) -> None:
        """Read the store again."""
        self.look(anew=True)

    def action_settle(self) -> None:
        """Mark the remark under the cursor as dealt with."""
        remark = self._remark(self.query_one(ItemList).highlighted)
        if remark and remark.answer:
            self.say(f"{remark.answer.who} has dealt with this one already.")
        elif remark:
            self._save(remark, "")
        elif self._seen and self._seen.remarks:
            self.say("This line is a rater; choose a comment, flag or note below to mark it.")
        else:
            self.say("Raters have written no comment or note and set no flag, so nothing is to be marked.")

    def action_drift(self) -> None:
        """Show or hide how raters change over their work."""
        self._shows_drift = not self._shows_drift
        if self._seen:
            self._list(self._seen)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only remarks can be dealt with, and only raters with enough answers have quarters."""
        if action == "drift":
            return self._seen is not None and bool(self._seen.drift)
        return action != "settle" or (self._seen is not None and bool(self._seen.work))

    def _answer(self, index: int) -> None:
        """Ask for an answer to a remark; of a rater, list the answers."""
        if isinstance(rater := self._listed[index], str):
            self._list_answers_of(rater)
        elif remark := self._remark(index):

            def save(text: str | None) -> None:
                if text:
                    self._save(remark, text)

            self.app.push_screen(answer_dialog(remark), save)

    def _list_answers_of(self, rater: str) -> None:
        if self._seen and self._seen.bundle:
            hidden = self._seen.no_agreement
            self.app.push_screen(RaterAnswersScreen(self._seen.bundle, self._seen.rows, rater, hidden))
        else:
            self.say("Only the lead of the study sees more of a rater's work.")

    def _remark(self, index: int | None) -> Remark | None:
        line = None if index is None else self._listed[index]
        return line if isinstance(line, Remark) else None

    def _save(self, remark: Remark, text: str) -> None:
        try:
            answer_remark(self._database, self._study, remark.event, self._person, text)
        except ReviewerError as error:
            self.say(str(error), failed=True)
        else:
            self.say(f"✓ {'answered' if text else 'dealt with'}: {remark.rater}, {remark.place.key}")
            self.look(anew=True)

    def _list(self, seen: Watched) -> None:
        lines, about = [*_rater_lines(seen, self.app.size.width)], list[Remark | str | None]()
        raters = iter(rater.rater for rater in seen.progress.raters)
        about += [None if line.heading else next(raters) for line in lines]
        if self._shows_drift and seen.drift:
            lines.append(_drift_lines(seen, self.app.size.width))
            about.append(None)
        remarks = [ListedLines(2, partial(_remark_lines, remark)) for remark in seen.remarks]
        if remarks:
            lines.append(ListedLines(2, partial(_heading, seen.remarks), heading=True))
            about.append(None)
        self._enter = ("open" if remarks else "answers") if seen.bundle else ""
        self._listed = [*about, *seen.remarks]
        self.show_items(_head(seen, self.app.size.width), [*lines, *remarks], nothing="Nobody has begun yet.")
        self.refresh_bindings()


def _head(seen: Watched, width: int) -> str:
    """As many parts as the line has room for, the first ones first."""
    progress = seen.progress
    done, owed = (sum(getattr(rater, name) for rater in progress.raters) for name in ("done", "slots"))
    open_ones = sum(remark.answer is None for remark in seen.remarks)
    parts = (
        f"{progress.study.name} · progress",
        f"{done:,} of {counted(owed, 'verdict')}" if progress.raters else counted(progress.cases, "case"),
        _when_done(seen, done, owed),
        f"▲ {counted(len(seen.warnings), 'warning')}" if seen.warnings else "",
        f"{open_ones:,} to answer" if open_ones else "",
        f"led by {', '.join(progress.leads)}" if progress.leads else "",
    )
    told = [*filter(None, parts)]
    while len(told) > 1 and cell_len(" · ".join(told)) > width - 4:
        told.pop()
    return " · ".join(told)


def _when_done(seen: Watched, done: int, owed: int) -> str:
    """When all verdicts will be given; why there is no date yet; "" for people who see no raters' work."""
    if seen.end:
        return f"at this speed done on {seen.end:%A, %d %B}"
    if done and done >= owed:
        return "✓ all given"
    return "too early for a date of the end" if seen.work else ""


def _rater_lines(seen: Watched, width: int) -> Iterator[ListedLines]:
    """Raters in columns by question where there is room, else with a line for each question."""
    if told := [line for sentence in seen.notes.sentences for line in wrap(sentence, width - 4)]:
        yield ListedLines(len(told), partial(literal, "\n".join(told)), heading=True)
    work_by_rater = {work.rater: work for work in seen.work}
    titles = [question.question.title for question in seen.work[0].questions] if seen.work else []
    wide = bool(titles) and _NAME + _SEEN + _CELL * len(titles) + 4 <= width
    if wide:
        yield ListedLines(1, partial(_titles, titles), heading=True)
    for rater in seen.progress.raters:
        sentences = (warning.sentence for warning in seen.warnings if warning.rater == rater.rater)
        told = [line for sentence in sentences for line in wrap(f"▲ {sentence}", width - 8)]
        own = work_by_rater.get(rater.rater)
        below = 0 if wide or own is None else len(own.questions)
        yield ListedLines(1 + below + len(told), partial(_rater, rater, own, told, wide=wide))
    if titles:
        shown_once = sum(question.of for rater in seen.work for question in rater.questions)
        again = shown_once < sum(rater.slots for rater in seen.progress.raters)
        legend = wrap(legend_of_work(seen.work, again=again), width - 4)
        yield ListedLines(len(legend), partial(literal, "\n".join(legend)), heading=True)


def legend_of_work(work: Sequence[RaterWork], *, again: bool = False) -> str:
    """What the numbers of raters by question are, of those that are there.

    ``again``: some cases are shown a second time, and these answers are not among the numbers.
    """
    told = [question for rater in work for question in rater.questions if question.done]
    timed = any(question.seconds is not None for question in told)
    labelled = any(question.first_label is not None for question in told)
    parts = "median seconds an answer" if timed else "", "share of the first label" if labelled else ""
    once = " at first showings" if again else ""
    return ", ".join(filter(None, (f"answers given/owed{once}", *parts)))


def _drift_lines(seen: Watched, width: int) -> ListedLines:
    """Agreement, speed and the share of the first label by quarter of each rater's answers."""
    told = [DRIFT.legend(seen.drift), *filter(None, [seen.no_agreement])]
    words = [literal(line) for text in told for line in wrap(text, width - 4)]
    table = [line.content for line in table_lines(DRIFT.for_people(seen.drift), width - 4)]
    lines = [literal(""), *table, *words]
    return ListedLines(len(lines), lambda: Content("\n").join(lines), heading=True)


def _titles(titles: Sequence[str]) -> Content:
    heads = "".join(one_line(title, _CELL - 2).ljust(_CELL) for title in titles)
    return literal(f"{'rater':{_NAME}}{heads}last answer")


def _rater(rater: RaterProgress, work: RaterWork | None, told: Sequence[str], *, wide: bool) -> Content:
    name = literal_line(rater.rater, _NAME - 2, "bold $foreground")
    name = name.pad_right(max(0, _NAME - name.cell_length))
    seen = literal(_when(work.last_seen) if work else "", _QUIET)
    if wide and work:
        cells = [literal(_in_cell(question).ljust(_CELL)) for question in work.questions]
        lines = [Content.assemble(name, *cells, seen)]
    else:
        then = "  ✓ done" if rater.finished else f"  ↷ {rater.skipped:,} skipped" if rater.skipped else ""
        counts = literal(f"  {rater.done:,} of {rater.slots:,}{then}  ")
        lines = [Content.assemble(name, bar(rater.done, rater.slots, _BAR), counts, seen)]
        lines += [_question_line(question) for question in (work.questions if work else ())]
    lines += [literal(line, "$foreground 80%").pad_left(2) for line in told]
    return Content("\n").join(lines)


def _in_cell(work: QuestionWork) -> str:
    """Done of owed, median seconds, share of the first label."""
    if not work.done:
        return f"0/{work.of}"
    seconds = "" if work.seconds is None else f" {short_seconds(work.seconds)} s"
    share = (
        ""
        if work.first_label is None
        else f" {one_line(work.question.labels[0], 5)} {percent(work.first_label)}"
    )
    return f"{work.done}/{work.of}{seconds}{share}"


def _question_line(work: QuestionWork) -> Content:
    marks = [
        counted(number, noun) for number, noun in ((work.flags, "flag"), (work.comments, "comment")) if number
    ]
    cells = f"{one_line(work.question.title, _NAME):{_NAME + 2}}{_in_cell(work):{_CELL}}{', '.join(marks)}"
    return literal(cells, _QUIET).pad_left(2)


def _when(instant: str) -> str:
    """A day and minute in local time; "" for never."""
    return f"{datetime.fromisoformat(instant).astimezone():%d %b %H:%M}" if instant else ""


def _heading(remarks: Sequence[Remark]) -> Content:
    open_ones = sum(remark.answer is None for remark in remarks)
    return literal(
        f"\ncomments, flags and notes: {open_ones:,} to answer, {len(remarks) - open_ones:,} dealt with"
    )


def _remark_lines(remark: Remark) -> Content:
    style = "$foreground" if remark.answer is None else _QUIET
    about = f"{remark.rater} · {remark.place.key} · {remark.question.title} · {_when(remark.at)}"
    first = literal_line(f"{_SIGNS[remark.kind]} {about}", _LINE, style)
    text = f"“{one_line(remark.text, _LINE)}”" if remark.kind != "flag" else "flagged"
    answer = ""
    if remark.answer:
        said = one_line(remark.answer.why, _LINE)
        answer = f"  ✓ {remark.answer.who}: {said}" if said else f"  ✓ dealt with by {remark.answer.who}"
    return Content("\n").join([first, literal_line(f"  {text}{answer}", _LINE, style)])
