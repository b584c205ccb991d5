"""A report as one self-contained HTML page: style and figures inside, no script, nothing fetched."""

import base64
from collections.abc import Mapping
from importlib.resources import files

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
from reviewer.report.escaping import html_text
from reviewer.report.table_markup import html_table

# Whatever slipped through the escaping could neither run nor call home.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html_page(document: Document, figures: Mapping[str, bytes]) -> str:
    """The page; ``figures`` holds the SVG of each figure by its name."""
    style = (files("reviewer.report") / "page.css").read_text(encoding="utf-8")
    body = "\n".join(_block(block, figures) for block in document.blocks)
    title = html_text(document.title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n{_contents(document)}\n{body}\n</main>\n</body>\n</html>\n"
    )


def _contents(document: Document) -> str:
    sections = [block for block in document.blocks if isinstance(block, Section) and block.level == 1]
    links = "".join(f'<li><a href="#{_anchor(each)}">{html_text(each.heading)}</a></li>' for each in sections)
    return f"<nav><ol>{links}</ol></nav>"


def _anchor(section: Section) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in section.title.lower())


def _block(block: Block, figures: Mapping[str, bytes]) -> str:
    match block:
        case Section():
            tag = f"h{block.level + 1}"
            kind = " class=appendix" if block.appendix else ""
            return f'<{tag} id="{_anchor(block)}"{kind}>{html_text(block.heading)}</{tag}>'
        case Paragraph():
            return f"<p>{_words(block.words)}</p>"
        case Points(items):
            lines = "".join(f"<li>{html_text(item)}</li>" for item in items)
            return f"<ul>{lines}</ul>" if items else ""
        case Facts(rows):
            lines = "".join(f"<dt>{html_text(name)}</dt><dd>{_words(value)}</dd>" for name, value in rows)
            return f"<dl>{lines}</dl>"
        case Quote(title, text):
            head = f"<figcaption>{html_text(title)}</figcaption>"
            return f"<figure class=quote>{head}<p>{html_text(text)}</p></figure>"
        case Numbers():
            notes = f"<p class=note>{html_text(' '.join(block.notes))}</p>" if block.notes else ""
            table = html_table(block.table, block.caption, block.loud)
            return f"<div class=wide>\n{table}</div>\n{notes}"
        case Picture():
            return _picture(block, figures)
        case Votes():
            return _votes(block)
        case Commands(lines):
            return "<pre>" + "\n".join(html_text(line) for line in lines) + "</pre>"


def _words(parts: Words) -> str:
    return "".join(
        html_text(part) if isinstance(part, str) else f"<code>{html_text(part.line)}</code>" for part in parts
    )


def _picture(block: Picture, figures: Mapping[str, bytes]) -> str:
    if block.name not in figures:
        return ""
    data = base64.b64encode(figures[block.name]).decode("ascii")
    return (
        f'<figure><img alt="{html_text(block.alternative)}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{html_text(block.caption)}</figcaption></figure>"
    )


def _votes(block: Votes) -> str:
    lines = "".join(
        f"<tr><th scope=row>{html_text(who)}</th><td>{html_text(label)}</td>"
        f"<td>{html_text(comment)}</td></tr>"
        for who, label, comment in block.lines
    )
    return (
        f"<section class=votes><h4>{html_text(block.title)}</h4><p>{html_text(block.begins)}</p>"
        f"<table><tbody>{lines}</tbody></table></section>"
    )
