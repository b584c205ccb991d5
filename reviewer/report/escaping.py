"""Text from outside, made literal for a page: nothing in it is markup, and nothing in it is a control."""

import re

from reviewer.core.sanitize import visible

_HTML = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}

# What begins something anywhere, what begins a list, heading or line, and what becomes a link by itself.
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~&$!^@]|^[-+#=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|:(?=//)|(?<=www)\.")

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
    ord("κ"): r"$\kappa$",
    ord("α"): r"$\alpha$",
    ord("≥"): r"$\geq$",
    ord("≤"): r"$\leq$",
    ord("−"): r"$-$",
    ord("×"): r"$\times$",
    ord("±"): r"$\pm$",
    ord("→"): r"$\rightarrow$",
}
_BLANK_LINES = re.compile(r"\n\s*\n+")


def html_text(text: str) -> str:
    """Literal text for HTML, in an element or in a quoted attribute."""
    return visible(text).translate(_HTML)


def markdown_text(text: str) -> str:
    """Literal text for one line of Markdown, a cell of a table included."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(visible(text).split()))


def latex_text(text: str) -> str:
    """Literal text for LaTeX; paragraphs stay, single line ends become line breaks."""
    paragraphs = _BLANK_LINES.split(visible(text).strip())
    return "\n\n".join(_latex_lines(paragraph) for paragraph in paragraphs)


def _latex_lines(paragraph: str) -> str:
    lines = [line.strip() for line in paragraph.split("\n")]
    return "\\newline\n".join(line.expandtabs(1).translate(_LATEX) for line in lines)
