"""A report as GitHub's Markdown, its figures beside it."""

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
from reviewer.report.escaping import markdown_code, markdown_inline, markdown_text
from reviewer.report.table_markup import markdown_table


def markdown_page(document: Document, figures: frozenset[str]) -> str:
    """The page; pictures that are not among the ``figures`` are left out."""
    parts = [f"# {markdown_text(document.title)}"]
    parts += [_block(block, figures) for block in document.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block, figures: frozenset[str]) -> str:
    match block:
        case Section():
            return f"{'#' * (block.level + 1)} {markdown_text(block.heading)}"
        case Paragraph():
            return _words(block.words)
        case Points(items):
            return "\n".join(f"- {markdown_text(item)}" for item in items)
        case Facts(rows):
            return "\n".join(f"- **{markdown_text(name)}**: {_words(value)}" for name, value in rows)
        case Quote(title, text):
            return f"**{markdown_text(title)}**\n\n{_quoted(text)}"
        case Numbers():
            notes = f"\n\n{markdown_text(' '.join(block.notes))}" if block.notes else ""
            return f"**{markdown_text(block.caption)}**\n\n{markdown_table(block.table).rstrip()}{notes}"
        case Picture(name, caption, alternative):
            shown = f"![{markdown_text(alternative)}](figures/{name}.svg)\n\n*{markdown_text(caption)}*"
            return shown if name in figures else ""
        case Votes():
            return _votes(block)
        case Commands(lines):
            return "\n".join(f"    {line}" for line in lines)


def _words(parts: Words) -> str:
    texts = (markdown_inline(part) if isinstance(part, str) else markdown_code(part.line) for part in parts)
    return "".join(texts).strip()


def _quoted(text: str) -> str:
    return "\n".join(f"> {markdown_text(line)}".rstrip() for line in text.split("\n"))


def _votes(block: Votes) -> str:
    head = f"- **{markdown_text(block.title)}**: {markdown_text(block.begins)}"
    lines = [
        f"  - {markdown_text(who)}: {markdown_text(label)}"
        + (f". {markdown_text(comment)}" if comment else "")
        for who, label, comment in block.lines
    ]
    return "\n".join([head, *lines])
