"""A report as LaTeX with booktabs tables, its figures beside it; it goes through any of the engines."""

from reviewer.report.document import (
    Block,
    Commands,
    Document,
    Facts,
    Numbers,
    Paragraph,
    Picture,
    Points,
    Quote,
    Section,
    Votes,
    Words,
)
from reviewer.report.escaping import latex_inline, latex_text
from reviewer.report.latex_table import latex_table

# What every TeX distribution brings. pdfLaTeX stops at every character that its fonts do not know; here it
# prints a box and goes on.
_HEAD = r"""\documentclass[11pt,a4paper]{article}
\ifdefined\pdfoutput
  \usepackage[utf8]{inputenc}
  \usepackage{textcomp}
  \IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
  \DeclareTextCommandDefault{\textquotedbl}{\char`\"}
  \makeatletter
  \def\UTFviii@undefined@err#1{\fbox{\rule{0pt}{0.9ex}\rule{0.4ex}{0pt}}}
  \makeatother
\else
  \usepackage{fontspec}
\fi
\usepackage[margin=25mm]{geometry}
\usepackage{array}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{float}
\usepackage{graphicx}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em}
\sloppy
"""


def latex_page(document: Document, figures: frozenset[str]) -> str:
    """The page; pictures that are not among the ``figures`` are left out."""
    title = latex_text(document.title)
    parts = [_HEAD, f"\\title{{{title}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n"]
    parts += [_block(block, figures) for block in document.blocks]
    return "\n".join(part for part in parts if part) + "\n\\end{document}\n"


def _block(block: Block, figures: frozenset[str]) -> str:
    match block:
        case Section():
            command = "section" if block.level == 1 else "subsection"
            begins = "\\clearpage\n\\appendix\n" if block.appendix else ""
            return f"{begins}\\{command}{{{latex_text(block.title)}}}\n"
        case Paragraph():
            return f"{_words(block.words)}\n"
        case Points(items):
            return _itemized([latex_text(item) for item in items])
        case Facts(rows):
            return _itemized([f"\\textbf{{{latex_text(name)}}}: {_words(value)}" for name, value in rows])
        case Quote(title, text):
            return f"\\textbf{{{latex_text(title)}}}\n\\begin{{quote}}\n{latex_text(text)}\n\\end{{quote}}\n"
        case Numbers():
            label = f"tab:{block.name}"
            # A report has many tables, and each belongs beside its text, so it is placed exactly here.
            return latex_table(block.table, block.caption, label, block.notes, keys=block.keys, place="H")
        case Picture(name, caption, _):
            return _picture(name, caption) if name in figures else ""
        case Votes():
            return _votes(block)
        case Commands(lines):
            typed = "\\newline\n".join(f"\\texttt{{{latex_text(line)}}}" for line in lines)
            return f"\\begin{{quote}}\\small\n{typed}\n\\end{{quote}}\n"


def _words(parts: Words) -> str:
    return "".join(
        latex_inline(part) if isinstance(part, str) else f"\\texttt{{{latex_inline(part.line)}}}"
        for part in parts
    )


def _itemized(items: list[str]) -> str:
    if not items:
        return ""
    return "\n".join(["\\begin{itemize}", *(f"\\item {item}" for item in items), "\\end{itemize}\n"])


def _picture(name: str, caption: str) -> str:
    return "\n".join(
        [
            "\\begin{figure}[H]",
            "\\centering",
            f"\\includegraphics[width=\\linewidth,height=0.8\\textheight,keepaspectratio]{{figures/{name}.pdf}}",
            f"\\caption{{{latex_text(caption)}}}\\label{{fig:{name}}}",
            "\\end{figure}\n",
        ]
    )


def _votes(block: Votes) -> str:
    lines = [
        f"{latex_text(who)}: {latex_text(label)}" + (f". {latex_text(comment)}" if comment else "")
        for who, label, comment in block.lines
    ]
    head = [f"\\textbf{{{latex_text(block.title)}}}", f"\\textit{{{latex_text(block.begins)}}}"]
    return "{\\small " + "\\newline\n".join([*head, *lines]) + "\\par}\n"
