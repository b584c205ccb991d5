"""The style sheet that all screens share, the few names for how strong a line or word is, and our themes.

Themes are readable with any colour vision; a test measures them. Differences are amber, failures are red
(magenta in the light theme), variables in programs are blue. People with protanopia, deuteranopia or
tritanopia can tell them apart, and each also has a sign, a word or a style.
"""

from textual import on
from textual.events import ScreenResume
from textual.message_pump import MessagePump
from textual.messages import Layout, Update
from textual.scrollbar import ScrollBar
from textual.theme import Theme

from reviewer.tui.widgets.painted_bars import looks_as_painted

STRENGTHS = {"quiet": 62, "soft": 75, "line": 18, "line-strong": 45, "fill": 8, "fill-strong": 15}
"""Shares of the foreground in percent, by name: of words, of borders, and of areas."""

_PANE_TEXT = {
    "margin": "color: $warning;",
    "difference": "color: $warning; text-style: bold;",
    "left-only": "color: $warning; text-style: strike;",
    "right-only": "color: $warning; text-style: bold;",
    "muted": "color: $foreground 60%;",
    "strong": "color: $foreground;",
    "title": "color: $foreground; text-style: bold;",
    "link": "background: $foreground 25%;",
    "finding": "color: $foreground; text-style: bold underline;",
    "filled": "text-style: underline;",
    "span": "text-style: underline;",
    "sign": "color: $warning; text-style: bold;",
    "selected": "text-style: bold underline; background: $foreground 20%;",
    "cursor": "color: $background; background: $foreground;",
    "match": "color: $background; background: $foreground 75%;",
    "code-comment": "color: $foreground 62%; text-style: italic;",
    "code-string": "color: $foreground 75%; text-style: italic;",
    "code-number": "color: $foreground;",
    "code-operator": "color: $foreground 62%;",
    "code-variable": "color: $text-primary;",
}
PANE_TEXT_CLASSES = {f"part--{name}" for name in _PANE_TEXT}
"""The styles of parts of a text, which the panes take from the app."""
PANE_TEXT_STYLES = "\n".join(f"App > .part--{name} {{ {style} }}" for name, style in _PANE_TEXT.items())

COMMON_STYLES = """
* {
    scrollbar-size-vertical: 1;
    scrollbar-background: $background; scrollbar-background-hover: $background;
    scrollbar-background-active: $background; scrollbar-corner-color: $background;
    scrollbar-color: $fill-strong; scrollbar-color-hover: $foreground 30%;
    scrollbar-color-active: $line-strong;
}
#head { height: 1; padding: 0 1; color: $soft; }
#keys { height: 1; padding: 0 1; color: $quiet; }
Screen > #keys { dock: bottom; }
StatusLine { height: auto; max-height: 3; padding: 0 1; }
StatusLine.-failed { color: $text-error; background: $error 20%; }
CaseScreen, ListScreen { background: $background; }
CaseScreen #question { height: auto; max-height: 4; padding: 0 1; text-style: bold; }
ListScreen { padding: 0 1; }
ListScreen > #head { margin-bottom: 1; }
AuditScreen > #head { height: auto; max-height: 3; }
#nothing {
    height: 1fr; padding: 0 4; content-align: center middle; text-align: center; color: $foreground 80%;
    display: none;
}
.-nothing #nothing { display: block; }
.-nothing ItemList { display: none; }
"""


class StyledOnce(MessagePump):
    """A screen that is styled once when it opens, when its widgets are mounted, and laid out once a change.

    Textual does both a second time, although nothing has changed since.
    """

    @on(ScreenResume)
    def leave_styles_alone(self, event: ScreenResume) -> None:
        """Leave the styles as they are; a new theme changes them by itself."""
        event.refresh_styles = False

    @on(Layout)
    def leave_places_alone(self, message: Layout) -> None:
        """A scroll bar with a new size needs no layout: it got that size in the last one, from its pane."""
        if isinstance(message.widget, ScrollBar):
            message.prevent_default()

    @on(Update)
    def leave_bars_alone(self, message: Update) -> None:
        """A scroll bar needs no second paint after a layout that has painted it."""
        if isinstance(message.widget, ScrollBar) and looks_as_painted(message.widget):
            message.prevent_default()


DARK = Theme(
    name="reviewer-dark",
    primary="#56b4e9",
    secondary="#8a93a6",
    accent="#ffb82e",
    warning="#ffb82e",
    error="#e5001e",
    success="#56b4e9",
    foreground="#e8e8e6",
    background="#111418",
    surface="#191d23",
    panel="#22272f",
    dark=True,
)
LIGHT = Theme(
    name="reviewer-light",
    primary="#00558f",
    secondary="#5a6270",
    accent="#7a5a00",
    warning="#7a5a00",
    error="#e000bd",
    success="#00558f",
    foreground="#15181c",
    background="#fbfaf7",
    surface="#f1efe9",
    panel="#e6e3da",
    dark=False,
)
OWN_THEMES = (DARK, LIGHT)
