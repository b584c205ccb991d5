"""Settings as the app uses them: its themes, and its keys, which are checked before any is changed."""

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

from textual.keys import Keys
from textual.theme import BUILTIN_THEMES

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.settings import Settings, load_settings, where
from reviewer.core.suggestions import closest
from reviewer.tui.themes import OWN_THEMES

_MODIFIERS = {"ctrl", "alt", "shift", "super", "meta", "hyper"}
LATER: Mapping[str, tuple[str, str]] = {
    "app.manual": ("f1", "ctrl+f1"),
}
"""Actions that came after people had settings: the key of each, and another where settings gave it away."""

RENAMED: Mapping[str, str] = {
    "walk.next": "review.next",
    "walk.previous": "review.previous",
    "walk.panes": "review.fold",
    "walk.next-pane": "review.next-pane",
    "walk.previous-pane": "review.previous-pane",
    "walk.keys": "review.keys",
    "walk.leave": "review.leave",
    "disputes.keys": "list.keys",
    "disputes.leave": "list.leave",
    "disagreements.leave": "list.leave",
    "own-labels.leave": "list.leave",
}
"""Earlier names of actions, which settings may still use, and the present ones."""

THEMES = (*(theme.name for theme in OWN_THEMES), *BUILTIN_THEMES)


def load_preferences(path: Path) -> Settings:
    """The settings of a file; raises InputError where a theme, an action or a key is unknown."""
    settings = load_settings(path)
    if settings.theme not in THEMES:
        remedy = closest(settings.theme, THEMES, "the themes are")
        raise InputError(where(path, "theme"), f"{settings.theme!r} is not a theme", remedy)
    if settings.keys:
        _check_keys(path, settings.keys)
        settings = settings.model_copy(update={"keys": _by_present_names(path, settings.keys)})
    return settings


def effective_keys(changed: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The keys of every action, with the changes from the settings."""
    from reviewer.tui.keys.actions import catalogue

    defaults = {name: action.keys for name, action in catalogue().actions.items()}
    return defaults | {name: keys_in(text) for name, text in with_later_actions(changed).items()}


def with_later_actions(changed: Mapping[str, str]) -> dict[str, str]:
    """The changed keys, and those of later actions whose own key the changes have given to another action."""
    given = {key for text in changed.values() for key in keys_in(text)}
    moved = {name: instead for name, (own, instead) in LATER.items() if own in given}
    return {**moved, **changed}


def keys_in(text: str) -> tuple[str, ...]:
    """The single keys of "k,ctrl+k", each by its long name."""
    return tuple(_long_name(key.strip()) for key in text.split(","))


def _long_name(key: str) -> str:
    if len(key) != 1 or key.isalnum():
        return key
    return unicodedata.name(key, key).lower().replace("-", "_").replace(" ", "_")


def _check_keys(path: Path, changed: Mapping[str, str]) -> None:
    from reviewer.tui.keys.actions import catalogue

    known = catalogue().actions
    for name, text in changed.items():
        place = where(path, f"keys.{one_line(name)}")
        present = RENAMED.get(name, name)
        if present not in known:
            remedy = closest(name, known, "`reviewer settings` lists them:")
            raise InputError(place, "this action does not exist", remedy)
        for key in keys_in(text):
            _check_key(place, key, typed=known[present].typed)
    _check_clashes(path, {name: text for name, text in changed.items() if name not in RENAMED})


def _by_present_names(path: Path, changed: Mapping[str, str]) -> dict[str, str]:
    """The changed keys with earlier names of actions replaced.

    The key of an earlier name gives way where the present name has one, or where it would clash: the present
    action stands on more screens.
    """
    kept = {name: text for name, text in changed.items() if name not in RENAMED}
    for earlier, present in RENAMED.items():
        if earlier in changed and present not in kept:
            tried = {**kept, present: changed[earlier]}
            try:
                _check_clashes(path, tried)
            except InputError:
                continue
            kept = tried
    return kept


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
