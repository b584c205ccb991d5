"""The published table of scripts: a row for each script, with its bias and its text in Markdown.

The Markdown has five sections, read in all its spellings, with places. Sections and roles are found by their
headings. A rule is a line with a mode, or one with a number. Code fences, signs of headings and lists, and
bold type are left out; everything else is kept.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.protocols.formats import ReadCase, RowsFormat, Source, SourceRow, SourceRows, StoredCase
from reviewer.protocols.intake import (
    UNSTATED_GENERATOR,
    checked_columns,
    known_group,
    origin_of,
    text_of_cell,
    valid_case,
)
from reviewer.protocols.staged_dialogues.biases import bias_named
from reviewer.protocols.staged_dialogues.script import KINDS, OTHER, mode_in, purpose_in
from store.records import JsonValue

if TYPE_CHECKING:
    from reviewer.protocols.base import Protocol


_SECTIONS: Final = {
    "purpose": r"(?:revised )?(?:scene |scenario )?purpose(?: of the scene)?",
    "background": r"(?:revised )?(?:scene |scenario )?background",
    "roles": r"(?:revised )?(?:settings? of )?roles",
    "rules": r"(?:revised )?(?:scenario |scene )?rules(?: ?\([^)]*\))?",
    "method": r"(?:revised )?method (?:to observe|of observation)[^:]*",
}
_SECTION: Final = {
    name: re.compile(rf"{heading} *(?::(?P<rest>.*))?", re.IGNORECASE | re.DOTALL)
    for name, heading in _SECTIONS.items()
}
_ROLE: Final = re.compile(
    r"role +(?:[\dIVX]+|one|two|three|four|five|six|seven|eight|nine|ten|\w+)\b *:?(?P<rest>.*)",
    re.IGNORECASE,
)
_FIELD: Final = re.compile(r"(?P<name>name|identity|background|tasks?) *: *(?P<text>.*)", re.IGNORECASE)
_TITLED: Final = re.compile(r"(?P<name>[^()]+?) *\((?P<title>[^()]*)\)\s*")
_NUMBER: Final = re.compile(r"\d{1,3} *[.):]?(?=\s)")
_KIND: Final = re.compile(rf"\b({'|'.join(KINDS)})s?\b", re.IGNORECASE)
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_LONGEST_HEADING: Final = 120
_LONGEST_PURPOSE: Final = 200
_DASHES: Final = "-–—"


@dataclass(slots=True)
class MarkdownScript:
    """The fields of a script's payload as far as the text has them.

    ``places`` are the lines, from 1, of each piece: "purpose", "role 2", "role 2 task", "rule 3". ``ignored``
    are the lines of other texts, such as a title.
    """

    sections: dict[str, str] = field(default_factory=dict)
    roles: list[dict[str, str]] = field(default_factory=list)
    rules: list[dict[str, str]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    ignored: list[int] = field(default_factory=list)

    @property
    def payload(self) -> dict[str, object]:
        """The payload, unchecked."""
        return {**self.sections, "roles": self.roles, "rules": self.rules}


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    """Without signs of headings, lists and bold type."""
    is_title: bool
    """Whether all of it is bold."""
    is_numbered: bool


def read_markdown(text: str, where: str) -> MarkdownScript:
    """The script of a text in the published form; raises InputError if it has no roles or no rules."""
    script = MarkdownScript()
    parts: dict[str, list[_Line]] = {}
    section = ""
    for line in _lines(text):
        heading = _section_of(line)
        if heading and heading[0] not in parts:
            section, rest = heading
            script.places[section], parts[section] = line.number, []
            line = _Line(line.number, rest, is_title=False, is_numbered=False)
        if line.text and not section:
            script.ignored.append(line.number)
        elif line.text:
            parts[section].append(line)
    for name in ("purpose", "background", "method"):
        script.sections[name] = "\n".join(line.text for line in parts.get(name, ()))
    _read_roles(script, parts.get("roles", ()))
    _read_rules(script, parts.get("rules", ()))
    for name, pieces in (("roles", script.roles), ("rules", script.rules)):
        if not pieces:
            wrong = f"has no {name}" if name in parts else f"has no section of {name}"
            raise InputError(where, wrong, f"add it below a heading such as “# {_HEADINGS[name]}”")
    return script


_HEADINGS: Final = {"roles": "Settings of Roles", "rules": "Scenario Rules"}


def _lines(text: str) -> Iterator[_Line]:
    for number, raw in enumerate(text.splitlines(), 1):
        if _FENCE.match(raw):
            continue
        bare = re.sub(r"^\s*(?:#+\s*)?(?:[-*+•]\s+)?", "", raw).strip()
        numbered = _NUMBER.match(bare)
        bare = bare[numbered.end() :].strip() if numbered else bare
        is_title = bool(re.fullmatch(r"\*\*[^*]+\*\*:?", bare))
        yield _Line(number, bare.replace("**", "").strip(), is_title, bool(numbered))


def _section_of(line: _Line) -> tuple[str, str] | None:
    """The section that begins on a line, and the text behind the heading."""
    if line.is_numbered:
        return None
    for name, heading in _SECTION.items():
        found = heading.fullmatch(line.text)
        if found and len(line.text) - len(found["rest"] or "") <= _LONGEST_HEADING:
            return name, (found["rest"] or "").strip()
    return None


def _read_roles(script: MarkdownScript, lines: Sequence[_Line]) -> None:
    """Roles begin with a heading “Role …” or, where none is open, with a name."""
    last = ""
    for line in lines:
        heading, given = _ROLE.fullmatch(line.text), _FIELD.fullmatch(line.text)
        named = given["name"].casefold().removesuffix("s") if given else ""
        if heading or not script.roles or (named == "name" and script.roles[-1]["name"]):
            script.roles.append({"name": "", "kind": OTHER, "identity": "", "background": "", "task": ""})
            script.places[f"role {len(script.roles)}"] = line.number
            last = ""
        role = script.roles[-1]
        if heading:
            _name(role, heading["rest"].strip())
        elif named == "name" and given:
            _name(role, given["text"])
        elif given:
            role[named] = given["text"]
            script.places[f"role {len(script.roles)} {named}"] = line.number
            last = named
        elif last:
            role[last] = f"{role[last]}\n{line.text}".strip()
        else:
            script.ignored.append(line.number)
    for role in script.roles:
        kind = _KIND.search(role["identity"])
        role["kind"] = kind[1].casefold() if kind else role["kind"]


def _name(role: dict[str, str], text: str) -> None:
    """Take a name, and the kind that may stand in brackets behind it."""
    titled = _TITLED.fullmatch(text)
    role["name"] = (titled["name"] if titled else text).strip() or role["name"]
    if titled and (kind := _KIND.search(titled["title"])):
        role["kind"] = kind[1].casefold()


def _read_rules(script: MarkdownScript, lines: Sequence[_Line]) -> None:
    """A line with a mode or a number is a rule; a bold line without a mode is the title of those below it."""
    title = ""
    for line in lines:
        is_known = _has_mode(line.text)
        if not is_known and line.is_title:
            title = line.text.rstrip(": ")
        elif is_known or line.is_numbered or line.text.startswith("("):
            rule = _rule(line.text, is_known=is_known)
            rule["text"] = f"{title}: {rule['text']}" if title else rule["text"]
            script.rules.append(rule)
            script.places[f"rule {len(script.rules)}"] = line.number
            title = ""
        elif script.rules:
            script.rules[-1]["text"] += f"\n{line.text}"
        else:
            script.ignored.append(line.number)
    if title and script.rules:
        script.rules[-1]["text"] += f"\n{title}"


def _has_mode(text: str) -> bool:
    """Whether a mode stands where modes stand: at the beginning, or right behind a bracket."""
    mode, start, _ = mode_in(text)
    return bool(mode) and (start == 0 or text[:start].endswith("("))


def _rule(text: str, *, is_known: bool) -> dict[str, str]:
    """The mode, purpose and text of one line."""
    if not is_known and not text.startswith("("):
        return {"mode": "", "purpose": "", "text": text}
    opened = text.find("(") if text.startswith("(") or mode_in(text)[1] > 0 else -1
    if opened < 0:
        return _open_rule(text)
    before, (inside, behind) = text[:opened].strip(), _bracketed(text[opened:])
    mode, purpose = _parted(inside)
    behind = behind.lstrip(": ").strip()
    if not behind:  # the bracket was not closed, so the text stands in it
        purpose, behind = _unclosed(purpose)
    return {"mode": mode, "purpose": purpose, "text": f"{before}: {behind}" if before else behind}


def _open_rule(text: str) -> dict[str, str]:
    """A rule whose mode stands outside brackets: “Unicast (joke): …”, “Unicast – joke: …” or “Unicast: …”."""
    _, _, end = mode_in(text)
    mode, rest = text[:end], text[end:].strip()
    if rest.startswith("("):
        purpose, behind = _bracketed(rest)
        return {"mode": mode, "purpose": purpose, "text": behind.lstrip(": ").strip()}
    if rest[:1] and rest[0] in f"{_DASHES},":
        purpose, _, behind = rest[1:].partition(":")
        return {"mode": mode, "purpose": purpose.strip(), "text": behind.strip()}
    return {"mode": mode, "purpose": "", "text": rest.lstrip(": ").strip()}


def _bracketed(text: str) -> tuple[str, str]:
    """The text within the first brackets, which may hold others, and the text behind them."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return text[1:at].strip(), text[at + 1 :].strip()
    return text[1:].strip(), ""


def _parted(text: str) -> tuple[str, str]:
    """A mode and a purpose with a comma or a dash between them."""
    _, _, end = mode_in(text)
    if end < 0:
        mode, _, purpose = text.partition(",")
        return mode.strip(), purpose.strip()
    return text[:end].strip(), text[end:].strip(f" ,:{_DASHES}")


def _unclosed(text: str) -> tuple[str, str]:
    """A purpose and the text that follows it without a sign between: it begins with the next capital."""
    for capital in re.finditer(r"(?<=[a-z])(?=[A-Z])|(?<=[a-z] )(?=[A-Z])", text[:_LONGEST_PURPOSE]):
        if purpose_in(text[: capital.start()]):
            return text[: capital.start()].strip(), text[capital.start() :].strip()
    return "", text


_BIAS: Final = "Bias Name"
_SCRIPT: Final = "Script"
_ROW: Final = "row"
OTHER_TEXT: Final = "other_text"
PLACES: Final = "lines"
"""What is kept beside a script of the published form: texts outside its sections, and lines of its pieces."""


class PublishedScripts(RowsFormat):
    """The published table: a row for each script, with its bias and its text in Markdown."""

    name = "the published table of scripts (CSV)"
    endings = (".csv", ".tsv")

    def reader(
        self, rows: SourceRows, protocol: "Protocol", source: Source
    ) -> Callable[[SourceRow], ReadCase]:
        """Rows with a bias and a script."""
        return lambda row: _case_of(row, protocol, source, rows.notice)

    def is_record(self, raw: JsonValue) -> bool:
        """An object with the column of a script."""
        return isinstance(raw, dict) and _SCRIPT in raw

    def write(self, cases: Iterable[StoredCase], protocol: "Protocol") -> Iterator[Mapping[str, JsonValue]]:
        """The row of each case as it was imported; raises RequestError for a case from elsewhere."""
        for stored in cases:
            if not isinstance(stored.raw, dict):
                raise RequestError(
                    f"case {shown(stored.place.key)!r} is not from the published table, which is only read; "
                    "give a file whose name ends in .toml or .jsonl."
                )
            yield stored.raw


def _case_of(
    row: SourceRow, protocol: "Protocol", source: Source, notice: Callable[[str], object]
) -> ReadCase:
    content, where = checked_columns(row), row.where
    if missing := [name for name in (_BIAS, _SCRIPT) if name not in content]:
        remedy = source.or_name_protocol("add it, or name the column that holds it with --column")
        raise InputError(where, f"has no column {missing[0]!r}", remedy)
    bias, text = (text_of_cell(content[name], f"{where}, column {name!r}") for name in (_BIAS, _SCRIPT))
    read = read_markdown(text, where)
    group = known_group(protocol, bias.strip(), where)
    if (known := bias_named(group)) and known.name != group:
        notice(f"{source.shown}: the bias {shown(group)!r} is named {known.name!r} here")
        group = known.name
    extra = {name: value for name, value in content.items() if name not in (_BIAS, _SCRIPT) and value}
    if other := [text.splitlines()[number - 1] for number in read.ignored]:
        extra[OTHER_TEXT] = list(other)
    generator = source.generator or UNSTATED_GENERATOR
    return ReadCase(
        case=valid_case(protocol, group, read.payload, where),
        key=f"{group}/{content.get(_ROW) or row.number}",
        position=row.number - 1,
        generator=generator,
        origin=origin_of(generator),
        extra={PLACES: dict(read.places), **extra},
        raw=content,
    )
