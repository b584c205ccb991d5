"""The panel in place of the texts when everything is labelled."""

from textual.content import Content

from reviewer.core.sanitize import agreeing, counted
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.key_hints import in_lines, offered
from reviewer.tui.widgets.label import PlainLabel

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
    """Says that all is labelled, what was flagged or commented on, and what comes next."""

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
