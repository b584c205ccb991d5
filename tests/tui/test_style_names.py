"""Style sheets name widgets that exist: a wrong name matches no widget, and Textual does not complain."""

import re
from collections.abc import Iterator

import textual.command
import textual.containers
import textual.widgets
from textual.dom import DOMNode

from reviewer.tui.keys.actions import nodes

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
