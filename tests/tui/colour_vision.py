"""How colours look to people: contrast (WCAG 2), distance (CIE 1976), and three kinds of colour blindness.

The matrices are those of Machado, Oliveira and Fernandes (2009) for full severity, on linear RGB.
"""

from textual.color import Color

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

VISIONS: dict[str, Matrix] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
_TO_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE = (0.95047, 1.0, 1.08883)


def linear(colour: Color) -> Triple:
    """The light of a colour, 0 to 1 a channel."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized
    )
    return red, green, blue


def seen_by(vision: str, colour: Color) -> Triple:
    """The light as somebody with this vision sees it."""
    red, green, blue = (min(1.0, max(0.0, c)) for c in _times(VISIONS[vision], linear(colour)))
    return red, green, blue


def luminance(light: Triple) -> float:
    """Relative luminance by WCAG 2."""
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio by WCAG 2, from 1 to 21."""
    low, high = sorted((luminance(linear(one)), luminance(linear(other))))
    return (high + 0.05) / (low + 0.05)


def distance(vision: str, one: Color, other: Color) -> float:
    """How far apart two colours are in CIE 1976 L*a*b*; 2.3 is just noticeable, side by side."""
    pairs = zip(_lab(seen_by(vision, one)), _lab(seen_by(vision, other)), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def _lab(light: Triple) -> Triple:
    x, y, z = (
        t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
        for t in (c / w for c, w in zip(_times(_TO_XYZ, light), _WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _times(matrix: Matrix, vector: Triple) -> tuple[float, ...]:
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
