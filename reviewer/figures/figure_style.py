"""How all figures look, and how they write names and shares.

The colours stay apart for colour-blind eyes and in grey (Okabe, M. and Ito, K. (2008), Color Universal
Design).
"""

from functools import cache
from typing import Any

from matplotlib.font_manager import findfont, get_font

from reviewer.core.number_text import percent
from reviewer.core.sanitize import one_line

BLUE, GREY, INK, QUIET, FAINT = "#0072B2", "#8A9199", "#1F2328", "#57606A", "#D5DAE0"
OTHER_LABELS = ("#D55E00", "#E69F00", "#56B4E9", "#CC79A7", "#009E73")
PALE = "#EEF2F6"
WIDTH = 7.2
"""Inches, at the least."""
STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    "axes.unicode_minus": False,  # what lies beyond Latin-1 makes matplotlib embed a second font
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,  # TrueType, whole: journals refuse Type 3
    "svg.fonttype": "path",
    "svg.hashsalt": "dilemma-reviewer",
    "figure.dpi": 160,
    "figure.constrained_layout.w_pad": 0.07,
    "figure.constrained_layout.h_pad": 0.07,
}


def both_ends(text: str, width: int) -> str:
    """On one line, cut in the middle: keys differ at their ends."""
    line = one_line(text, 1000)
    return line if len(line) <= width else f"{line[: width // 2]}…{line[-(width - width // 2 - 1) :]}"


def percent_label(share: float) -> str:
    """A share in per cent, without a decimal that is zero."""
    return percent(share, 1).replace(".0%", "%")


def drawable(text: str) -> str:
    """The text with a box for each character that the figures' font does not have."""
    return "".join(letter if ord(letter) in _characters() else "▯" for letter in text)


@cache
def _characters() -> frozenset[int]:
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())
