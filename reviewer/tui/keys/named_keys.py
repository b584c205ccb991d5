"""Bindings as screens declare them: settings can give them other keys, by their stable ids."""

from textual.binding import Binding


def named_key(
    screen: str, keys: str, action: str, label: str, name: str, tooltip: str, shown_as: str | None = None
) -> Binding:
    """The binding ``screen.name``; ``shown_as`` replaces key names that people would not recognise."""
    return Binding(keys, action, label, key_display=shown_as, id=f"{screen}.{name}", tooltip=tooltip)
