"""Our own themes, readable with any colour vision; a test measures them.

Differences are amber, failures are red (magenta in the light theme), variables in programs are blue. People
with protanopia, deuteranopia or tritanopia can tell them apart, and each also has a sign, a word or a style.
"""

from textual.theme import Theme

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
