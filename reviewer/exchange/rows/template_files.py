"""Files of templates: the published XML form, and our own TOML form."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text, toml_content
from reviewer.protocols.registry import PROTOCOLS, Protocols, the_only
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.slot_template import SlotTemplate, has_slots, slot_templates
from reviewer.protocols.templates.template_plans import GapTemplates, SlotTemplates
from reviewer.protocols.templates.template_toml import TemplateFile, rules_from_toml, templates_from_toml

_MOST_BYTES: Final = 2 * 1024 * 1024
_MOST_BYTES_OF_SLOTS: Final = 16 * 1024 * 1024
_ENDINGS: Final = (".xml", ".toml")
NO_RULES: Final[Mapping[str, CaseTemplate]] = {}


def gap_templates_of(protocols: Protocols = PROTOCOLS) -> GapTemplates:
    """The templates with gaps of the only protocol that offers such; raises RequestError."""
    able = (protocol for protocol in protocols.values() if protocol.gap_templates())
    none, several = "no protocol has templates with gaps.", "several protocols have templates with gaps"
    gaps = the_only(able, none, several).gap_templates()
    assert gaps is not None
    return gaps


def template_paths(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Files, and those in folders: first the ones with gaps, then the ones with slots; raises InputError."""
    files = [path for given in paths for path in _files(given)]
    with_slots = [path for path in files if path.suffix.casefold() == ".toml" and has_slots(_content(path))]
    return [path for path in files if path not in with_slots], with_slots


def _content(path: Path) -> Mapping[str, Any]:
    where, text = _text_of(path, "file of templates", _MOST_BYTES_OF_SLOTS)
    return toml_content(text, where)


def _text_of(path: Path, what: str, most_bytes: int = _MOST_BYTES) -> tuple[str, str]:
    """What messages call a file, and its text; raises InputError."""
    where = repr(one_line(path.name))
    return where, read_source_text(path, where, most_bytes, f"give a {what}")


def read_slot_file(path: Path, slots: SlotTemplates) -> tuple[SlotTemplate, ...]:
    """The templates of one file with slots; raises InputError."""
    where, text = _text_of(path, "TOML file of templates with slots", _MOST_BYTES_OF_SLOTS)
    return slot_templates(text, where, slots.levels)


def read_rules(path: Path | None, gaps: GapTemplates) -> dict[str, CaseTemplate]:
    """The values and rules of a file of rules, by the joined name of their group; raises InputError."""
    if path is None:
        return {}
    where, text = _text_of(path, "TOML file of rules")
    tables = rules_from_toml(text, where)
    rules = {gaps.rules_key(table.group): table for table in tables}
    if len(rules) < len(tables):
        twice = next(table for table in reversed(tables) if rules[gaps.rules_key(table.group)] is not table)
        wrong = f"has the rules of {one_line(twice.group)!r} twice"
        raise InputError(where, wrong, "give each group one table")
    return rules


def unused_rules(gaps: GapTemplates, beside: Mapping[str, CaseTemplate], groups: Iterable[str]) -> list[str]:
    """The groups that a file of rules names and nothing else does."""
    used = set(map(gaps.rules_key, groups))
    return [rules.group for name, rules in beside.items() if name not in used]


def read_templates(
    paths: Sequence[Path], gaps: GapTemplates, beside: Mapping[str, CaseTemplate] = NO_RULES
) -> TemplateFile:
    """The templates and scenarios of files, and of the files in folders; raises InputError.

    The values and rules ``beside`` the files count before those in them.
    """
    gapped, with_slots = template_paths(paths)
    if with_slots:
        where = repr(one_line(with_slots[0].name))
        wrong = "holds templates with slots, which have no other form and no model fills"
        raise InputError(where, wrong, "make cases of it with `reviewer templates fill`")
    files = [_read_template_file(path, gaps) for path in gapped]
    templates = tuple(gaps.with_rules(template, beside) for file in files for template in file.templates)
    if paths and not templates:
        where = ", ".join(repr(one_line(path.name)) for path in paths)
        raise InputError(where, "holds no template", "begin each with [[templates]]")
    groups = Counter(template.group for template in templates)
    twice = [group for group, count in groups.items() if count > 1]
    if twice:
        where = ", ".join(repr(path.name) for path in paths)
        raise InputError(where, f"has the group {one_line(twice[0])!r} twice", "give each group one template")
    return TemplateFile(templates, tuple(scenario for file in files for scenario in file.scenarios))


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    paths = sorted(each for each in path.iterdir() if each.suffix.casefold() in _ENDINGS)
    if not paths:
        raise InputError(
            repr(one_line(str(path))), "holds no template", "give a folder with .xml or .toml files"
        )
    yield from paths


def _read_template_file(path: Path, gaps: GapTemplates) -> TemplateFile:
    """The templates and scenarios of one file; raises InputError."""
    if path.suffix.casefold() not in _ENDINGS:
        where = repr(one_line(path.name))
        raise InputError(where, "is neither an .xml nor a .toml file", "give a file of templates")
    where, text = _text_of(path, "file of templates")
    if path.suffix.casefold() == ".xml":
        return TemplateFile((gaps.published(text, where),))
    return templates_from_toml(text, where)


def read_scenarios(path: Path) -> tuple[str, ...]:
    """The scenarios of a text file, one a line; raises InputError for one that is there twice."""
    where, text = _text_of(path, "text file with one scenario a line")
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
