"""Settings as the app uses them: its themes, and its keys, which are checked before any is changed."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from textual.keys import KEY_NAME_REPLACEMENTS, Keys
from textual.theme import BUILTIN_THEMES

from reviewer.core.errors import InputError
from reviewer.core.names import closest
from reviewer.core.personal_settings import Settings, load_settings, where
from reviewer.core.sanitize import one_line
from reviewer.tui.keys.case_keys import MARK_KEYS
from reviewer.tui.styles import OWN_THEMES

_MODIFIERS = {"ctrl", "alt", "shift", "super", "meta", "hyper"}
LATER: Mapping[str, str] = {
    "agreement.first": "f",
    **{binding.id: binding.key for binding in MARK_KEYS if binding.id},
}
"""Keys of actions that came after release 1.0: they give way where settings gave them to another action."""

THEMES = (*(theme.name for theme in OWN_THEMES), *BUILTIN_THEMES)


def load_preferences(path: Path) -> Settings:
    """The settings of a file; raises InputError where a theme, an action or a key is unknown."""
    settings = load_settings(path)
    if settings.theme not in THEMES:
        remedy = closest(settings.theme, THEMES, "the themes are")
        raise InputError(where(path, "theme"), f"{settings.theme!r} is not a theme", remedy)
    if settings.keys:
        _check_keys(path, settings.keys)
    return settings


def effective_keys(changed: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The keys of every action, with the changes from the settings."""
    from reviewer.tui.keys.actions import catalogue

    defaults = {name: action.keys for name, action in catalogue().actions.items()}
    return defaults | {name: keys_in(text) for name, text in with_later_actions(changed).items()}


def with_later_actions(changed: Mapping[str, str]) -> dict[str, str]:
    """The changed keys, and those of later actions whose own keys the changes gave to other actions.

    Such an action keeps its other keys; without any it has the same key with ctrl.
    """
    later = {name: set(keys.split(",")) for name, keys in LATER.items() if name not in changed}
    given = {key for text in changed.values() for key in keys_in(text)}
    moved = {
        name: left for name, keys in later.items() if keys & given for left in _left(name, keys, changed)
    }
    return {**moved, **changed}


def _left(later: str, keys: set[str], changed: Mapping[str, str]) -> Iterator[str]:
    """The keys that a later action is left with, if the changes gave some of them away where it acts."""
    from reviewer.tui.keys.actions import catalogue

    known = catalogue()
    beside = {name for ids in known.together if later in ids for name in ids}
    gone = keys & {key for name in beside & changed.keys() for key in keys_in(changed[name])}
    own = known.actions[later].keys
    if gone:
        yield ",".join(key for key in own if key not in gone) or f"ctrl+{own[0].lower()}"


def keys_in(text: str) -> tuple[str, ...]:
    """The single keys of "k,ctrl+k", each by its long name."""
    return tuple(_long_name(key.strip()) for key in text.split(","))


def _long_name(key: str) -> str:
    if len(key) != 1 or key.isalnum():
        return key
    name = unicodedata.name(key, key).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _check_keys(path: Path, changed: Mapping[str, str]) -> None:
    from reviewer.tui.keys.actions import catalogue

    known = catalogue().actions
    for name, text in changed.items():
        place = where(path, f"keys.{one_line(name)}")
        if name not in known:
            remedy = closest(name, known, "`reviewer settings` lists them:")
            raise InputError(place, "this action does not exist", remedy)
        for key in keys_in(text):
            _check_key(place, key, typed=known[name].typed)
    _check_clashes(path, changed)


def _check_key(place: str, key: str, *, typed: bool) -> None:
    *modifiers, last = key.split("+") if key != "+" else [key]
    if not set(modifiers) <= _MODIFIERS or not _is_key(last):
        known = [key_name.value for key_name in Keys if not key_name.value.startswith("<")]
        remedy = closest(key, known, "keys are letters, digits, f1 to f24, ctrl+x, and")
        raise InputError(place, f"{key!r} is not a key", remedy)
    if typed and not modifiers and (len(last) == 1 or _is_character(last)):
        raise InputError(place, f"{key!r} would type text there", "use a key with ctrl, or one such as f2")


def _is_key(name: str) -> bool:
    return len(name) == 1 or name in {known.value for known in Keys} or _is_character(name)


def _is_character(name: str) -> bool:
    """Whether it is the long name of a character, such as question_mark."""
    if name in KEY_NAME_REPLACEMENTS.values():
        return True
    for spelling in (name.replace("_", " "), name.replace("_", "-")):
        try:
            return bool(unicodedata.lookup(spelling.upper()))
        except KeyError:
            continue
    return False


def _check_clashes(path: Path, changed: Mapping[str, str]) -> None:
    """Two actions clash where both would react to a key that they do not share by default."""
    from reviewer.tui.keys.actions import catalogue

    keys, actions = effective_keys(changed), catalogue().actions
    for ids in catalogue().together:
        for name in sorted(ids & changed.keys()):
            for other in sorted(ids - {name}):
                shared = set(keys[name]) & set(keys[other])
                shared -= set(actions[name].keys) & set(actions[other].keys)
                if shared:
                    raise _clash(path, name, other, shared)


def _clash(path: Path, name: str, other: str, shared: Iterable[str]) -> InputError:
    key = min(shared)
    return InputError(
        where(path, f"keys.{name}"),
        f"{key!r} would be the key of both {name} and {other}",
        f"choose another key for {name}, or give {other} another one too",
    )
