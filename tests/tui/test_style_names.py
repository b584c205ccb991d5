"""Style sheets name widgets that exist: a wrong name matches no widget, and Textual does not complain."""

import re
from collections.abc import Iterator

import pytest
import textual.command
import textual.containers
import textual.widgets
from textual.dom import DOMNode
from textual.screen import Screen

from reviewer.tui.keys.actions import nodes
from reviewer.tui.styles import StyledOnce
from tests.tui.conftest import Opener, press

_TYPE_NAME = re.compile(r"(?<![\w.#$@-])[A-Z]\w+")
_FRAMEWORK = (textual.containers, textual.command)


def own_styles(node: type[DOMNode]) -> str:
    """The style sheets that a class itself declares, without their declarations."""
    text = "\n".join(str(vars(node).get(name, "")) for name in ("DEFAULT_CSS", "CSS"))
    return re.sub(r"[\w-]+:[^;{}]*;", "", text)


def known_names() -> Iterator[str]:
    """Every widget that a style sheet can name: ours and Textual's."""
    yield from ("App", *(node.__name__ for node in nodes()))
    yield from textual.widgets.__all__
    yield from (name for module in _FRAMEWORK for name in dir(module))


def test_style_sheets_name_widgets_that_exist() -> None:
    known = set(known_names())
    unknown = {(node.__name__, name) for node in nodes() for name in _TYPE_NAME.findall(own_styles(node))}
    assert {(node, name) for node, name in unknown if name not in known} == set()


def test_default_styles_are_about_the_class_that_declares_them() -> None:
    declared = {
        node.__name__: _TYPE_NAME.findall(node.DEFAULT_CSS) for node in nodes() if "DEFAULT_CSS" in vars(node)
    }
    assert declared
    assert {node: names for node, names in declared.items() if node not in names} == {}


def test_every_screen_is_styled_once_when_it_opens() -> None:
    screens = [node for node in nodes() if issubclass(node, Screen)]
    assert len(screens) > 20
    assert [screen for screen in screens if not issubclass(screen, StyledOnce)] == []


async def test_a_screen_that_comes_up_is_not_styled_again(
    opened: Opener, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    styled, style = list[str](), Screen.update_node_styles

    def style_and_note(screen: Screen[None], animate: bool = True) -> None:
        styled.append(type(screen).__name__)
        style(screen, animate)

    monkeypatch.setattr(Screen, "update_node_styles", style_and_note)
    async with opened(study) as pilot:
        await press(pilot, "question_mark", "escape")
        assert styled == []
