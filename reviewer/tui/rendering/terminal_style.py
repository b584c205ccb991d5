"""The style of one cell of a terminal, and the shortest control sequence from one style to another."""

from functools import lru_cache
from typing import NamedTuple

_OFF = {1: 22, 2: 22, 3: 23, 4: 24, 21: 24, 5: 25, 6: 25, 7: 27, 8: 28, 9: 29, 51: 54, 52: 54, 53: 55}
"""Each attribute's code with the code that ends it; one code may end two attributes."""
_SHOWN_ON_BLANKS = frozenset({4, 5, 6, 7, 9, 21, 51, 52, 53})
"""Attributes that change how a space looks: lines, frames, exchanged or blinking colours."""
_COLOUR_LENGTHS = {"2": 5, "5": 3}
"""How many numbers a colour takes after 38 or 48, by its first: red, green and blue, or an index."""


class TerminalStyle(NamedTuple):
    """Attributes by their codes, both colours as the numbers that set them, and a link's parameters."""

    attributes: frozenset[int] = frozenset()
    colour: str = ""
    ground: str = ""
    link: str = ""


_the_style = lru_cache(maxsize=4096)(TerminalStyle)
"""Equal styles are one object, so that comparing them is quick."""
PLAIN = _the_style()


@lru_cache(maxsize=4096)
def style_of(codes: str, link: str) -> TerminalStyle | None:
    """The style that ``ESC [ codes m`` sets in a plain terminal; None if a code is unknown."""
    attributes, colour, ground = set[int](), "", ""
    numbers = codes.split(";") if codes else []
    while numbers:
        taken = _COLOUR_LENGTHS.get("".join(numbers[1:2]), 1) if numbers[0] in ("38", "48") else 1
        setting, numbers = ";".join(numbers[:taken]), numbers[taken:]
        code = int(setting.partition(";")[0] or 0)
        if code in _OFF:
            attributes.add(code)
        elif 30 <= code <= 39 or 90 <= code <= 97:
            colour = "" if code == 39 else setting
        elif 40 <= code <= 49 or 100 <= code <= 107:
            ground = "" if code == 49 else setting
        else:
            return None
    return _the_style(frozenset(attributes), colour, ground, link)


@lru_cache(maxsize=4096)
def blank_style(style: TerminalStyle) -> TerminalStyle:
    """What can be seen of a style on a space: in most cases, only the colour of the ground."""
    if style.attributes & _SHOWN_ON_BLANKS:
        return style
    return _the_style(frozenset(), "", style.ground, style.link)


@lru_cache(maxsize=16384)
def pen_change(pen: TerminalStyle, style: TerminalStyle, *, blank: bool) -> tuple[str, TerminalStyle]:
    """The sequence to send before a cell in this style, and the pen afterwards.

    Before a blank, the pen keeps what does not show on one.
    """
    if blank and not style.attributes & _SHOWN_ON_BLANKS:
        kept = pen.attributes - _SHOWN_ON_BLANKS
        style = TerminalStyle(kept, pen.colour, style.ground, style.link)
    link = f"\x1b]8;{style.link or ';'}\x1b\\" if style.link != pen.link else ""
    return link + min(_stepwise(pen, style), _from_plain(style), key=len), style


def _stepwise(pen: TerminalStyle, style: TerminalStyle) -> str:
    ended = {_OFF[on] for on in pen.attributes - style.attributes}
    begun = {on for on in style.attributes if on not in pen.attributes or _OFF[on] in ended}
    codes = [*map(str, sorted(ended)), *map(str, sorted(begun))]
    if style.colour != pen.colour:
        codes.append(style.colour or "39")
    if style.ground != pen.ground:
        codes.append(style.ground or "49")
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def _from_plain(style: TerminalStyle) -> str:
    codes = [*map(str, sorted(style.attributes)), style.colour, style.ground]
    settings = ";".join(code for code in codes if code)
    return f"\x1b[0;{settings}m" if settings else "\x1b[m"
