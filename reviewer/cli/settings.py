"""``settings``: where they are, and what holds."""

from reviewer.cli.options import note, print_table
from reviewer.core.settings import Settings, settings_path
from reviewer.core.table import Cell, Table
from reviewer.options.settings import SettingsOptions


def settings_command(options: SettingsOptions) -> None:
    """Carry out ``reviewer settings``."""
    from reviewer.tui.keys.preferences import load_preferences

    path = settings_path()
    settings = load_preferences(path)
    print_table(_keys(settings) if options.only_keys else _settings(settings), options.form)
    note(f"{path}" + ("" if path.exists() else " (does not exist yet, so all settings have their defaults)"))


def _settings(settings: Settings) -> Table:
    shown: dict[str, Cell] = {
        **settings.model_dump(exclude={"keys"}),
        **{f"keys.{name}": keys for name, keys in settings.keys.items()},
    }
    meanings = {name: field.description or "" for name, field in Settings.model_fields.items()}
    rows: list[list[Cell]] = [
        [name, _said(value), meanings.get(name, meanings["keys"])] for name, value in shown.items()
    ]
    return Table.of(("setting", "value", "meaning"), rows)


def _said(value: Cell) -> Cell:
    return str(value).lower() if isinstance(value, bool) else value


def _keys(settings: Settings) -> Table:
    from reviewer.tui.keys.actions import catalogue
    from reviewer.tui.keys.preferences import effective_keys

    actions = catalogue().actions
    rows = [
        (name, " ".join(keys), actions[name].label, actions[name].description, name in settings.keys)
        for name, keys in sorted(effective_keys(settings.keys).items())
    ]
    return Table.of(("action", "keys", "label", "what it does", "changed"), rows)
