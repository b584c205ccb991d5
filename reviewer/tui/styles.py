"""The style sheet that all screens share, and the few names for how strong a line or a word is."""

STRENGTHS = {"quiet": 62, "soft": 75, "line": 18, "line-strong": 45, "fill": 8, "fill-strong": 15}
"""Shares of the foreground in percent, by name: of words, of borders, and of areas."""

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
#nothing {
    height: 1fr; padding: 0 4; content-align: center middle; text-align: center; color: $foreground 80%;
    display: none;
}
.-nothing #nothing { display: block; }
.-nothing ItemList { display: none; }
"""
