"""ASCII characters for a terminal that shows no others: as many cells as the characters they replace."""

import array
import re
import struct
import sys
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from rich.cells import cell_len

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_UNKNOWN = "?"
_PLAIN_NAMES = ("C", "POSIX")
_PLAIN_TERMINALS = re.compile(r"(vt\d|ansi$|cons25|sun|wyse)")
"""Names of terminals that have one byte a sign, whatever the locale is."""
_CONSOLE = "linux"
_NEEDED = frozenset(map(ord, "╭╮╰╯│─┊├┤▌█▅░✓●○▸→…·"))
"""Signs that every screen draws; a console whose font lacks one of them shows a question mark or a gap."""
_LINES = {chr(code): "+" for code in range(0x2500, 0x2580)} | dict.fromkeys("─┄┅┈┉╌╍═╴╶", "-")
_LINES["━"] = "="
"""The part of a progress bar that is done, which differs from the rest (─)."""
_BLOCKS = dict(zip("▁▂▃▄▅▆▇█", ".:-=+*%#", strict=True)) | dict.fromkeys("▌▐▊▋▎▍▏▕", "|")
_SIGNS = dict(
    zip(
        "·…–—−‘’“”‹›«»×±→←↑↓↷✓✗●○◆▲▼▸▾▶◀✎⚑⌛†•☑☐≠≤≥√░▒▓\xa0",
        '..---\'\'""<>""x+><^v>*xo.@^v>v><~!&+*x_!<>v/:% ',
        strict=True,
    )
)
# Symbols of coefficients, the marks at values, and those of speakers, which differ from each other.
_SIGNS |= dict(zip("ακτελ°‡↳⇄⇡■□△▽★☆✐", "aktel'=>~^#_Av$S~", strict=True))
_ASCII: Mapping[str, str] = {
    **_LINES,
    **dict.fromkeys("│┃┆┇┊┋╎╏║╵╷", "|"),
    **_BLOCKS,
    **_SIGNS,
    "▌": "#",
}
_GIO_UNIMAP = 0x4B66
"""From linux/kd.h: copies the font's table of (character, place) pairs."""
_MOST_PAIRS = 65_535


def console_font(descriptor: int | None = None) -> frozenset[int] | None:
    """The characters that the font has a sign for; None where the terminal is no console of this machine."""
    try:
        import fcntl  # not on Windows
    except ImportError:
        return None
    pairs = array.array("H", bytes(4 * _MOST_PAIRS))
    described = struct.pack("HP", _MOST_PAIRS, pairs.buffer_info()[0])
    try:
        descriptor = sys.stdout.fileno() if descriptor is None else descriptor
        count: int = struct.unpack("HP", fcntl.ioctl(descriptor, _GIO_UNIMAP, described))[0]
    except (OSError, ValueError):
        return None
    return frozenset(pairs[: 2 * count : 2])


def shows_only_ascii(
    environment: Mapping[str, str],
    *,
    utf8_mode: bool = bool(sys.flags.utf8_mode),
    font: Callable[[], AbstractSet[int] | None] = console_font,
) -> bool:
    """Whether the terminal, or the encoding of the chosen locale, lacks lines; else terminals show UTF-8.

    In ``utf8_mode``, Python may have replaced the encoding that was chosen, LC_CTYPE. ``font`` has the signs
    of a console's font; where it is not known, as on another machine's console, it is taken to lack some.
    """
    if environment.get("PYTHONUTF8") == "1":
        return False
    terminal = environment.get("TERM", "")
    if _PLAIN_TERMINALS.match(terminal) or (terminal == _CONSOLE and not (font() or set()) >= _NEEDED):
        return True
    names = ("LC_ALL", "LANG") if utf8_mode else ("LC_ALL", "LC_CTYPE", "LANG")
    chosen = next(filter(None, map(environment.get, names)), "")
    encoding = chosen.partition("@")[0].partition(".")[2]
    return chosen in _PLAIN_NAMES or encoding.lower().replace("-", "") not in ("", "utf8")


def in_ascii(text: str) -> str:
    """The text with an ASCII sign in each cell of another character; letters become question marks."""
    return _NOT_ASCII.sub(lambda found: "".join(map(_sign, found.group())), text)


def _sign(char: str) -> str:
    return _ASCII.get(char) or _UNKNOWN * cell_len(char)
