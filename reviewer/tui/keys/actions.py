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
from reviewer.tui.keys.answer_keys import ANSWER_KEYS


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
    """The bindings with an id, of a class and of its base classes."""
    merged = node._merged_bindings
    return [binding for _, binding in merged if binding.id] if merged else []


@cache
def catalogue() -> Catalogue:
    """All actions, read from the classes, so always up to date. Loads every screen, which takes a moment."""
    actions = {action.id: action for action in _answers()}
    screens, widgets, everywhere = list[frozenset[str]](), list[frozenset[str]](), frozenset[str]()
    for node in nodes():
        bindings = own_bindings(node)
        for binding in bindings:
            actions[binding.id or ""] = _action(actions.get(binding.id or ""), binding)
        ids = frozenset(binding.id for binding in bindings if binding.id)
        if issubclass(node, App):
            everywhere |= ids
        elif issubclass(node, Screen):
            screens.append(ids)
        elif ids:
            widgets.append(ids)
    answers = frozenset(action.id for action in _answers())
    screens = [ids | answers if ids & {"review.skip"} else ids for ids in screens]
    return Catalogue(actions, tuple(ids | everywhere for ids in screens), tuple(widgets))


def _action(known: Action | None, binding: Binding) -> Action:
    before = known.keys if known else ()
    keys = tuple(dict.fromkeys((*before, *binding.key.split(","))))
    return Action(binding.id or "", keys, binding.description, binding.tooltip, binding.priority)


def _answers() -> Iterator[Action]:
    for number, keys in enumerate(ANSWER_KEYS, 1):
        description = "Save this answer and go on; the letter comes from the label"
        yield Action(f"review.answer-{number}", keys, f"answer {number}", description, typed=False)
