"""Templates of one format: every expression is escaped, and only that format's writers are not."""

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, TemplateNotFound, UndefinedError

from reviewer.core.page_templates import Templates

HOSTILE = "<&>"


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Templates:
    """Two formats in a package of its own; ``shout`` escapes by exclamation marks."""
    folder = tmp_path / "shouting" / "templates"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    texts = {
        "all": "{{ x }} {{ '<' }} {{ x|safe }} {{ x|upper }} {{ x ~ '>' }} "
        "{% for y in [x] %}{{ y }}{% endfor %}",
        "written": "{{ x|loud }} {{ x|loud|upper }} {{ x|loud ~ x }} {{ x|plain }}",
        "macro": "{% macro m() %}<{{ x }}{% endmacro %}{{ m() }}",
        "other": "{{ other }}",
        "missing": "{{ nobody }}",
        "kind": "{% if x is word %}word{% endif %}{% if x is count %}count{% endif %}",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shouting", raising=False)  # of another test, whose folder is gone
    return Templates(
        "shouting",
        lambda text: text.replace("<", "!lt!").replace("&", "!and!").replace(">", "!gt!"),
        writers={"loud": lambda text: f"<b>{text}"},
        filters={"plain": lambda text: f"<i>{text}"},
        kinds={"word": str, "count": int},
    )


def test_every_expression_is_escaped_whatever_jinja_calls_safe(templates: Templates) -> None:
    escaped = "!lt!!and!!gt!"
    expected = f"{escaped} !lt! {escaped} {escaped} {escaped}!gt! {escaped}"
    assert templates.render("all", x=HOSTILE) == expected
    assert "!lt!!lt!" in templates.render("macro", x="<"), "escaped twice rather than not at all"


def test_only_writers_of_the_format_are_not_escaped(templates: Templates) -> None:
    as_it_is, changed, joined, plain = templates.render("written", x="<").split(" ")
    assert as_it_is == "<b><"
    assert changed == "!lt!B!gt!!lt!"
    assert joined == "!lt!b!gt!!lt!!lt!"
    assert plain == "!lt!i!gt!!lt!"


def test_what_another_format_wrote_is_escaped(templates: Templates) -> None:
    from markupsafe import Markup

    written = Environment(autoescape=True).from_string("{{ x }}").render(x="<")
    assert templates.render("other", other=Markup(written)) == "!and!lt;"


def test_a_missing_value_is_an_error_and_templates_come_from_the_package_alone(templates: Templates) -> None:
    with pytest.raises(UndefinedError):
        templates.render("missing")
    for name in ("../__init__.py", "/etc/passwd", "nowhere"):
        with pytest.raises(TemplateNotFound):
            templates.render(name)


def test_templates_tell_values_apart_by_their_class(templates: Templates) -> None:
    assert [templates.render("kind", x=value) for value in ("a", 1)] == ["word", "count"]
