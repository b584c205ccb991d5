"""Bindings as screens declare them: settings can give them other keys, by their stable ids."""

from textual.binding import Binding


def named_key(
    screen: str,
    keys: str,
    action: str,
    label: str,
    name: str,
    tooltip: str,
    shown_as: str | None = None,
    *,
    priority: bool = False,
) -> Binding:
    """The binding ``screen.name``; ``shown_as`` replaces key names that people would not recognise.

    With ``priority`` the screen takes the key before the widget that has the focus.
    """
    known = f"{screen}.{name}"
    return Binding(keys, action, label, key_display=shown_as, id=known, tooltip=tooltip, priority=priority)
