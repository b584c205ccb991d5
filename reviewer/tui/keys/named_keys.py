"""A binding as screens declare it: with a stable id under which settings may give it other keys."""

from textual.binding import Binding


def named_key(
    screen: str, keys: str, action: str, label: str, name: str, tooltip: str, shown_as: str | None = None
) -> Binding:
    """The binding ``screen.name``; ``shown_as`` is for keys whose name people would not type."""
    return Binding(keys, action, label, key_display=shown_as, id=f"{screen}.{name}", tooltip=tooltip)
