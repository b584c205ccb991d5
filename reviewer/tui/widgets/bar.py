"""A progress bar of plain characters."""

from textual.content import Content


def bar(done: int, total: int, width: int) -> Content:
    """A bar of ``width`` cells, filled by the share that is done; it is full only when all is done."""
    filled = width if done >= total else min(width - 1, width * done // max(1, total))
    return Content.assemble(
        Content.styled("━" * filled, "$foreground 85%"),
        Content.styled("─" * (width - filled), "$foreground 25%"),
    )
