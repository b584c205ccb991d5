"""Pages from templates that ship with the package: every expression is escaped for the format of its page.

Jinja's own escaping is made for HTML. Here each format brings its own, and nothing is printed unescaped but
what a writer of the same format returned.
"""

from collections.abc import Callable, Mapping
from typing import Any

DELIMITERS_FOR_TEX: Mapping[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}
"""TeX has braces and percent signs of its own."""


class Templates:
    """The templates in a package's folder ``templates``, for one format.

    ``escape`` makes any text literal. ``writers`` are filters that return text of the format itself; what
    ``filters`` return is escaped as everything else. ``kinds`` are the classes that templates ask for.
    """

    def __init__(
        self,
        package: str,
        escape: Callable[[str], str],
        *,
        writers: Mapping[str, Callable[[Any], str]] | None = None,
        filters: Mapping[str, Callable[[Any], Any]] | None = None,
        kinds: Mapping[str, type] | None = None,
        delimiters: Mapping[str, Any] | None = None,
    ) -> None:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # loads where a page is made

        class Written(str):
            """Text of this one format; of any other, the text is escaped."""

        def escaped(value: object) -> str:
            return value if isinstance(value, Written) else Written(escape(str(value)))

        def written(writer: Callable[[Any], str]) -> Callable[[Any], str]:
            return lambda value: Written(writer(value))

        self._environment = Environment(  # noqa: S701  # every expression goes through ``finalize``
            loader=PackageLoader(package),
            finalize=escaped,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
            **(delimiters or {}),
        )
        self._environment.filters.update(filters or {})
        self._environment.filters.update({name: written(each) for name, each in (writers or {}).items()})
        self._environment.tests.update({name: _asked(kind) for name, kind in (kinds or {}).items()})

    def render(self, template: str, **values: Any) -> str:
        """The text of a template with these values."""
        return self._environment.get_template(template).render(**values)


def _asked(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)
