"""Files of templates: the published XML form, and our own TOML form."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from reviewer.core.case_template import CaseTemplate
from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.core.template_toml import TemplateFile, templates_from_toml
from reviewer.protocols.treatment_tests.published_rules import published_template

_MOST_BYTES: Final = 2 * 1024 * 1024
_ENDINGS: Final = (".xml", ".toml")


def read_templates(paths: Sequence[Path]) -> TemplateFile:
    """The templates and scenarios of files, and of the files in folders; raises InputError."""
    files = [read_template_file(path) for given in paths for path in _files(given)]
    templates = tuple(template for file in files for template in file.templates)
    twice = [template.group for template in templates if _groups(templates).count(template.group) > 1]
    if twice:
        where = ", ".join(repr(path.name) for path in paths)
        raise InputError(where, f"has the group {one_line(twice[0])!r} twice", "give each group one template")
    return TemplateFile(templates, tuple(each for file in files for each in file.scenarios))


def _groups(templates: Sequence[CaseTemplate]) -> list[str]:
    return [template.group for template in templates]


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = sorted(each for each in path.iterdir() if each.suffix.casefold() in _ENDINGS)
    if not found:
        raise InputError(
            repr(one_line(str(path))), "holds no template", "give a folder with .xml or .toml files"
        )
    yield from found


def read_template_file(path: Path) -> TemplateFile:
    """The templates and scenarios of one file; raises InputError."""
    where = repr(one_line(path.name))
    if path.suffix.casefold() not in _ENDINGS:
        raise InputError(where, "is neither an .xml nor a .toml file", "give a file of templates")
    text = read_source_text(path, where, _MOST_BYTES, "give a file of templates")
    if path.suffix.casefold() == ".xml":
        return TemplateFile((published_template(text, where),))
    return templates_from_toml(text, where)


def read_scenarios(path: Path) -> tuple[str, ...]:
    """The scenarios of a text file, one a line; raises InputError for one that is there twice."""
    where = repr(one_line(path.name))
    text = read_source_text(path, where, _MOST_BYTES, "give a text file with one scenario a line")
    lines = [line.strip() for line in text.splitlines()]
    places: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if line in places and line:
            wrong = f"is the same scenario as line {places[line]}"
            raise InputError(f"{where}, line {number}", wrong, "remove one of them")
        places.setdefault(line, number)
    scenarios = tuple(line for line in lines if line)
    if not scenarios:
        raise InputError(where, "holds no scenario", "write one a line")
    return scenarios
