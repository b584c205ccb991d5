"""The top line of the review screen, and the panel in place of the texts when everything is labelled."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from reviewer.core.sanitize import agreeing, counted
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.view_state import ViewState
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import in_lines, offered
from reviewer.tui.widgets.label import PlainLabel

_ROOMY = 118
_SPACIOUS = 138
_GAP = 3


class Heading(Widget):
    """One line, in a long and in a short form."""

    DEFAULT_CSS = """
    Heading { height: 1; padding: 0 1; background: $background; color: $foreground 75%; }
    """
    view: reactive[ViewState | None] = reactive(None)
    only: reactive[str] = reactive("")
    """The filter in words; "" for all cases."""
    shows_pace: reactive[bool] = reactive(True)

    def render(self) -> Content:
        """The study at the left, the question in the middle, the case at the right."""
        if self.view is None:
            return Content("")
        width = self.size.width
        left, middle, right = _long if width >= _ROOMY else _short
        middle_shown, right_shown = middle(self.view, width), right(self.view, width, self.shows_pace)
        room = width - middle_shown.cell_length - right_shown.cell_length - 4
        return _spread(left(self.view, self.only, room), middle_shown, right_shown, width)


def _left(view: ViewState, only: str, room: int) -> Content:
    """Study and rater, or the filter where there is one."""
    if not only:
        return literal_line(f"{view.study} · {view.rater}", room)
    return literal_line(f"▽ only {only}", room, "bold $foreground")


def _title(view: ViewState, width: int) -> Content:
    place = view.place
    number = f"Question {place.question_number} of {place.question_count} · "
    return Content.assemble(number, literal_line(view.question.title, 30, "bold $foreground"))


def _short_title(view: ViewState, width: int) -> Content:
    place = view.place
    title = literal_line(view.question.title, max(8, width // 4), "bold $foreground")
    return Content.assemble(f"{place.question_number}/{place.question_count} ", title)


def _progress(view: ViewState, width: int, shows_pace: bool) -> Content:
    place = view.place
    right: list[Content | str] = [
        f"{'training · ' if place.training else ''}case {place.case_number} of {place.case_count}  ",
        bar(view.done, view.total, 16),
        f"  {view.done} of {view.total} done",
    ]
    if shows_pace and width >= _SPACIOUS and view.done < view.total:
        right.append(f" · {view.total - view.done} left")
    if shows_pace and width >= _SPACIOUS and view.minutes_left is not None:
        right.append(f" · about {view.minutes_left} min")
    return Content.assemble(*right)


def _short_progress(view: ViewState, width: int, shows_pace: bool) -> Content:
    place = view.place
    pace = f" {view.minutes_left} min" if shows_pace and view.minutes_left is not None else ""
    return Content.assemble(
        f"{'training ' if place.training else ''}case {place.case_number}/{place.case_count} ",
        bar(view.done, view.total, 8),
        pace,
    )


_long = (_left, _title, _progress)
_short = (_left, _short_title, _short_progress)


def _spread(left: Content, middle: Content, right: Content, width: int) -> Content:
    """Left and right at the edges, the middle centred if possible."""
    before = max(1, (width - middle.cell_length) // 2 - left.cell_length)
    after = width - left.cell_length - before - middle.cell_length - right.cell_length
    if after < _GAP:
        before, after = max(1, before + after - _GAP), _GAP
    return Content.assemble(left, " " * before, middle, " " * after, right)


_PADDING = 8
_NEXT = (
    ("review.previous", "back through the cases"),
    ("review.undo", "take the last answer back"),
    ("review.leave", "leave"),
)
_LOOK = (
    ("review.final", "where you differ from the final labels"),
    ("review.previous", "back through the cases"),
    ("review.leave", "leave"),
)


class FinishedPanel(PlainLabel):
    """Says that all is labelled, counts flags and comments, and names the next step."""

    DEFAULT_CSS = """
    FinishedPanel { height: 1fr; content-align: center middle; padding: 0 4; color: $foreground 80%; }
    """

    def show(self, session: ReviewSession, keys: dict[str, str]) -> None:
        """Draw the end of a session; ``keys`` are the keys by binding id."""
        verdicts = [session.history.verdict(slot) for slot in session.slots]
        flagged = sum(verdict.flagged for verdict in verdicts)
        commented = sum(bool(verdict.comment) for verdict in verdicts)
        study = session.bundle.study.name
        number = len(verdicts)
        lines = [
            Content.styled("✓ Everything is labelled", "bold $foreground"),
            Content(""),
            literal(
                f"{agreeing(number, 'The', 'All')} {counted(number, 'verdict')} of {session.rater} in "
                f"{study} {agreeing(number, 'is', 'are')} saved."
            ),
            literal(f"⚑ {flagged} flagged   ✎ {commented} with a comment"),
            Content(""),
            *([literal(session.later)] if session.later else ()),
            *(
                [literal("You may still be asked about more cases, for third votes.")]
                if session.bundle.design.third and not session.closed
                else []
            ),
            *_then(study, session.closed),
            Content(""),
            *in_lines(offered(keys, _LOOK if session.closed else _NEXT), self.app.size.width - _PADDING),
        ]
        self.put(Content("\n").join(lines))


def _then(study: str, closed: bool) -> list[Content]:
    """What comes next for the study."""
    if closed:
        return [literal("The study is closed. Where raters differ, somebody decides.")]
    command = f"reviewer agreement {study!r}" if " " in study else f"reviewer agreement {study}"
    return [
        literal("Once every rater has finished, the study lead sees the numbers with"),
        literal(command, "bold"),
    ]
