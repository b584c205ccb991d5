"""Pages from templates that ship with the package: every expression is escaped for the format of its page.

Text from outside is literal on a page: nothing in it is markup, and nothing in it is a control. Jinja's own
escaping is made for HTML. Here each format brings its own, and nothing is printed unescaped but what a writer
of the same format returned.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from reviewer.core.sanitize import visible

_HTML = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}

# Signs of markup anywhere, beginnings of a list, heading or line, and text that becomes a link by itself.
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~&$!^@]|^[-+#=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|:(?=//)|(?<=www)\.")

# Signs that LaTeX's text fonts lack, as mathematics, which every TeX prints.
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ϵ": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ϑ": "vartheta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "varsigma", "τ": "tau",
    "υ": "upsilon", "φ": "varphi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma",
    "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_OTHERS = {
    "≥": "geq", "≤": "leq", "×": "times", "÷": "div", "±": "pm", "∓": "mp", "≠": "neq", "≈": "approx",
    "≡": "equiv", "∼": "sim", "∝": "propto", "∞": "infty", "∂": "partial", "∇": "nabla", "∑": "sum",
    "∏": "prod", "∫": "int", "√": "surd", "∈": "in", "∉": "notin", "⊂": "subset", "⊆": "subseteq",
    "∪": "cup", "∩": "cap", "∅": "emptyset", "∀": "forall", "∃": "exists", "¬": "neg", "∧": "wedge",
    "∨": "vee", "⊕": "oplus", "⊥": "perp", "∠": "angle", "⋅": "cdot", "∘": "circ", "⋯": "cdots",
    "→": "rightarrow", "←": "leftarrow", "↔": "leftrightarrow", "↑": "uparrow", "↓": "downarrow",
    "⇒": "Rightarrow", "⇐": "Leftarrow", "⇔": "Leftrightarrow", "↦": "mapsto", "⟨": "langle",
    "⟩": "rangle", "ℓ": "ell", "′": "prime", "⌊": "lfloor", "⌋": "rfloor", "⌈": "lceil", "⌉": "rceil",
    "✓": "surd", "●": "bullet", "○": "circ", "△": "triangle",
}  # fmt: skip
_LOW, _HIGH = "₀₁₂₃₄₅₆₇₈₉", "⁰¹²³⁴⁵⁶⁷⁸⁹"

_SIGNS = {
    **{ord(sign): f"$\\{name}$" for sign, name in (_GREEK | _OTHERS).items()},
    **{ord(sign): f"$_{digit}$" for digit, sign in enumerate(_LOW)},
    **{ord(sign): f"$^{digit}$" for digit, sign in enumerate(_HIGH)},
    ord("−"): "$-$",
    ord("′"): "$'$",
}

_LATEX = {
    ord("\\"): r"\textbackslash{}",
    ord("{"): r"\{",
    ord("}"): r"\}",
    ord("$"): r"\$",
    ord("&"): r"\&",
    ord("#"): r"\#",
    ord("%"): r"\%",
    ord("_"): r"\_",
    ord("^"): r"\textasciicircum{}",
    ord("~"): r"\textasciitilde{}",
    ord("<"): r"\textless{}",
    ord(">"): r"\textgreater{}",
    ord("|"): r"\textbar{}",
    ord('"'): r"\textquotedbl{}",
    ord("'"): r"\textquotesingle{}",
    ord("`"): r"\textasciigrave{}",
    ord("-"): r"{-}",  # two of them would become a dash
    ord("["): r"{[}",  # at the head of a row it would be taken for an option of \\
    ord("]"): r"{]}",
    ord("–"): r"\textendash{}",
    ord("—"): r"\textemdash{}",
    ord("‘"): r"\textquoteleft{}",
    ord("’"): r"\textquoteright{}",
    ord("“"): r"\textquotedblleft{}",
    ord("”"): r"\textquotedblright{}",
    ord("…"): r"\dots{}",
    ord("·"): r"\textperiodcentered{}",
    ord("•"): r"\textbullet{}",
    ord("†"): r"\dag{}",
    ord("\u00a0"): "~",
    ord("\u202f"): r"\,",
    **_SIGNS,
}
_LONG_DIGEST = re.compile(r"\b[0-9a-f]{40,}\b")
_EIGHT = re.compile(".{1,8}")
_BACKTICKS = re.compile(r"`+")
_BLANK_LINES = re.compile(r"\n\s*\n+")


def html_text(text: str) -> str:
    """Literal text for HTML, in an element or in a quoted attribute."""
    return visible(text).translate(_HTML)


def markdown_text(text: str) -> str:
    """Literal text for one line of Markdown, a cell of a table included."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(visible(text).split()))


def inline(text: str, literal: Callable[[str], str]) -> str:
    """What ``literal`` makes of a text, for a part of a line: the blanks at its ends stay."""
    if not text.strip():
        return " " if text else ""
    before, after = (" " if end.isspace() else "" for end in (text[0], text[-1]))
    return f"{before}{literal(text)}{after}"


def markdown_code(text: str) -> str:
    """Literal text as code in a line: between more backticks than it has in a row."""
    line = " ".join(visible(text).split())
    fence = "`" * (max(map(len, _BACKTICKS.findall(line)), default=0) + 1)
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def latex_text(text: str) -> str:
    """Literal text for LaTeX; paragraphs stay, single line ends become line breaks."""
    paragraphs = _BLANK_LINES.split(visible(text).strip())
    return "\n\n".join(_latex_lines(paragraph) for paragraph in paragraphs)


def _latex_lines(paragraph: str) -> str:
    lines = [line.strip() for line in paragraph.split("\n")]
    text = "\\newline\n".join(line.expandtabs(1).translate(_LATEX) for line in lines)
    return _LONG_DIGEST.sub(_breakable, text)


def _breakable(digest: re.Match[str]) -> str:
    """A digest that may break its line: TeX knows no place for it, and would print over the margin."""
    return "\\allowbreak{}".join(_EIGHT.findall(digest[0]))


DELIMITERS_FOR_TEX: Mapping[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}
"""TeX has braces and percent signs of its own."""


class Templates:
    """The templates in a package's folder ``templates``, for one format.

    ``escape`` makes any text literal. ``writers`` are filters that return text of the format itself; what
    ``filters`` return is escaped as everything else. ``kinds`` are the classes that templates ask for.
    """

    def __init__(
        self,
        package: str,
        escape: Callable[[str], str],
        *,
        writers: Mapping[str, Callable[[Any], str]] | None = None,
        filters: Mapping[str, Callable[[Any], Any]] | None = None,
        kinds: Mapping[str, type] | None = None,
        delimiters: Mapping[str, Any] | None = None,
    ) -> None:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # loads where a page is made

        class Written(str):
            """Text of this one format; of any other, the text is escaped."""

        def escaped(value: object) -> str:
            return value if isinstance(value, Written) else Written(escape(str(value)))

        def written(writer: Callable[[Any], str]) -> Callable[[Any], str]:
            return lambda value: Written(writer(value))

        self._environment = Environment(  # noqa: S701  # every expression goes through ``finalize``
            loader=PackageLoader(package),
            finalize=escaped,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
            **(delimiters or {}),
        )
        self._environment.filters.update(filters or {})
        self._environment.filters.update({name: written(each) for name, each in (writers or {}).items()})
        self._environment.tests.update({name: _asked(kind) for name, kind in (kinds or {}).items()})

    def render(self, template: str, **values: Any) -> str:
        """The text of a template with these values."""
        return self._environment.get_template(template).render(**values)


def _asked(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)
