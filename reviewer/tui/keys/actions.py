"""Every action that has a key on any screen. Settings can give each of them other keys."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from inspect import getmembers, isclass

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

import reviewer.tui
from reviewer.tui.keys.case_keys import CASE_KEYS
from reviewer.tui.keys.label_keys import NO_KEY


@dataclass(frozen=True, slots=True)
class Action:
    """What a key does: its stable id, its default keys, a label and a sentence that describes it.

    ``typed`` says that people type text while the action is available, so letters cannot be its keys.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    description: str
    typed: bool


@dataclass(frozen=True)
class Catalogue:
    """All actions by id, and which of them may be available at the same time."""

    actions: dict[str, Action]
    screens: tuple[frozenset[str], ...]
    """The ids of each screen, including those that work everywhere."""
    widgets: tuple[frozenset[str], ...]
    """The ids of each kind of pane or list. Any of these may appear on any screen."""

    @property
    def together(self) -> Iterator[frozenset[str]]:
        """Sets of ids that may react to the same key press."""
        return (on_screen | widget for on_screen in self.screens for widget in self.widgets)


def nodes() -> Iterator[type[DOMNode]]:
    """Every class of ours that has keys."""
    for module in pkgutil.walk_packages(reviewer.tui.__path__, "reviewer.tui."):
        for _, node in getmembers(importlib.import_module(module.name), isclass):
            if issubclass(node, DOMNode) and node.__module__ == module.name:
                yield node


def own_bindings(node: type[DOMNode]) -> list[Binding]:
    """The bindings with an id and a key, of a class and of those of its base classes that are ours."""
    ours = [base for base in node.__mro__ if base.__module__.startswith("reviewer.")]
    bindings = [binding for base in ours for binding in vars(base).get("BINDINGS", ())]
    return [
        binding
        for binding in bindings
        if isinstance(binding, Binding) and binding.id and not binding.key.startswith(NO_KEY[:2])
    ]


@cache
def catalogue() -> Catalogue:
    """All actions, read from the classes, so always up to date. Loads every screen, which takes a moment."""
    actions: dict[str, Action] = {}
    screens, widgets, everywhere = list[frozenset[str]](), list[frozenset[str]](), frozenset[str]()
    case = frozenset(binding.id for binding in CASE_KEYS if binding.id)
    for node in nodes():
        bindings = own_bindings(node)
        for binding in bindings:
            actions[binding.id or ""] = _action(actions.get(binding.id or ""), binding)
        ids = frozenset(binding.id for binding in bindings if binding.id)
        if issubclass(node, App):
            everywhere |= ids
        elif issubclass(node, Screen):
            screens.append(ids | case if getattr(node, "HAS_CASE", False) else ids)
        elif ids and ids != case:
            widgets.append(ids)
    return Catalogue(actions, tuple(ids | everywhere for ids in screens), tuple(widgets))


def _action(known: Action | None, binding: Binding) -> Action:
    before = known.keys if known else ()
    keys = tuple(dict.fromkeys((*before, *binding.key.split(","))))
    return Action(binding.id or "", keys, binding.description, binding.tooltip, binding.priority)
