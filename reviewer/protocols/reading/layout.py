"""A reply as plain lines: without Markdown, tags and LaTeX; what markup announces as a line "verdict: …"."""

import re
import unicodedata
from typing import Final

from reviewer.protocols.reading.choices import ANNOUNCERS
from reviewer.protocols.reading.json_values import ANNOUNCED_AS, announces, json_as_lines

YES_MARK, NO_MARK = "☑", "☒"
_LINE_BREAKS: Final = re.compile(r"[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BREAK_TAG: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_INVISIBLE: Final = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe0f\x00-\x08\x0e-\x1f]")
_STRUCK: Final = re.compile(
    r"~~[^~\n]{1,300}~~|<(?:del|s|strike)>[^<\n]{0,300}</(?:del|s|strike)>", re.IGNORECASE
)
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_HEAD: Final = re.compile(r"^[ \t]*#{1,6}[ \t]*", re.MULTILINE)
_EDGE_UNDERSCORES: Final = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_BLANK: Final = re.compile(r"_{4,}|\.{6,}")
_CHECKED: Final = re.compile(r"\[[xX✓✔]\]|[✅✔✓☑👍🏆🥇👑]|⬅️?|👈|←")
_CROSSED: Final = re.compile(r"\[ \]|[❌✗✘☒🚫👎⛔🛑]")
_NOUNS: Final = ("option", "opt", "choice", "answer", "response", "assistant")
_REST_OF_NOUN: Final = "|".join(f"(?<={noun[0]}){noun[1:]}" for noun in _NOUNS)
_JOINED_NAME: Final = re.compile(
    rf"([OCARocar](?<!\w.)(?i:{_REST_OF_NOUN}))[_-]?((?i:[A-K])|\d{{1,2}})\b(?!['’])"
)
"""Begins with a set of letters, which is found three times faster than words in any case."""
_CYRILLIC_NAME: Final = re.compile(r"(?<!\w)[АВСΑΒ](?!\w)")
_LOOK_ALIKES: Final = {ord(letter): latin for letter, latin in zip("АВСΑΒ", "ABCAB", strict=True)}

_DOUBLE: Final = re.compile(r"\[\[\s*([^\[\]\n]{1,24}?)\s*\]\]")
_CONDITION: Final = re.compile(r"^\s*(?:should|were|had)\b|\b(?:if|unless|when)\b", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.!?\n]")
_MOST_OF_SENTENCE: Final = 200

_BOX: Final = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_LATEX_STYLE: Final = re.compile(r"\\(?:text(?:bf|it|sf|tt)?|math(?:bf|rm|it)|bf|rm|emph|displaystyle)\b")
_LATEX_MATH: Final = re.compile(r"\\[\[\]()]|\${1,2}")
_MOST_OF_BOX: Final = 400

_ELEMENT: Final = re.compile(r"<(/?)([A-Za-z][\w-]{0,30})(?:\s[^<>\n]{0,80})?>")
_CLOSING: Final = re.compile(r"</([A-Za-z][\w-]{0,30})")
_NEVER_CLOSED: Final = frozenset(("br", "hr", "p", "li"))
_WITHIN_LINE: Final = frozenset(("b", "i", "em", "strong", "u", "span", "code", "sub", "sup"))

_QUOTED_LINE: Final = re.compile(r"^[ \t]*>[ \t]?(.*)$", re.MULTILINE)
_CALL_OUT: Final = 8
_ASKS: Final = re.compile(r"\?|\bor\b", re.IGNORECASE)

_ANNOUNCES: Final = "|".join(sorted(map(re.escape, ANNOUNCERS)))
_ASKED_FOR: Final = re.compile(
    rf"(?<=\w )([\"“])(?:\w+ )?(?:{_ANNOUNCES}):[^\"“”\n]{{1,60}}[\"”]", re.IGNORECASE
)
"""An announcement that is quoted within a sentence: 'I cannot write "Decision: A"'."""

_EITHER: Final = re.compile(r"(?<=\w)\|(?=\w)")
_RULE_ROW: Final = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|", re.MULTILINE)
_MINE: Final = re.compile(r"\bmy (?:choice|pick|answer|decision)\b|\bchosen\b(?=\W*\|\W*$)", re.IGNORECASE)


def undecorated(text: str) -> str:
    """The text of a reply without what only decorates it.

    A pattern is only tried where a sign of it occurs: most patterns cost more than all such tests.
    """
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", _with_plain_breaks(text)))
    text = _announced_by_signs(text)
    text = _STRUCK.sub(" ", _FENCE.sub("", text))
    if "[" in text or not text.isascii():
        text = _CROSSED.sub(f" {NO_MARK} ", _CHECKED.sub(f" {YES_MARK} ", text))
    if "____" in text or "......" in text:
        text = _BLANK.sub(" blank ", text)
    text = _without_tags(text)
    if ">" in text:
        text = _outside_quotes(text)
    if "|" in text:
        text = _tables_as_lines(text)
    text = _without_emphasis(_HEAD.sub("", text))
    if '"' in text or "“" in text:
        text = _ASKED_FOR.sub("…", text)
    if not text.isascii():
        text = _CYRILLIC_NAME.sub(lambda name: name[0].translate(_LOOK_ALIKES), text)
    return _JOINED_NAME.sub(r"\1 \2", text)


def _with_plain_breaks(text: str) -> str:
    text = _LINE_BREAKS.sub("\n", text.replace("\r\n", "\n"))
    return _BREAK_TAG.sub("\n", text) if "<" in text else text


def _without_emphasis(text: str) -> str:
    if "_" in text:
        text = _EDGE_UNDERSCORES.sub("", text)
    return text.replace("*", "").replace("`", "")


def _announced_by_signs(text: str) -> str:
    """Double brackets, boxes and JSON as lines."""
    if "[[" in text:
        text = _DOUBLE.sub(lambda inner: _in_brackets(text, inner), text)
    return json_as_lines(_boxes_as_lines(text)) if "{" in text else text


def _in_brackets(text: str, inner: re.Match[str]) -> str:
    """What stands in double brackets is announced, unless its sentence has a condition or others of them."""
    before = _SENTENCE_END.split(text[max(0, inner.start() - _MOST_OF_SENTENCE) : inner.start()])[-1]
    after = _SENTENCE_END.split(text[inner.end() : inner.end() + _MOST_OF_SENTENCE])[0]
    others = {other[1] for other in _DOUBLE.finditer(f"{before}.{after}")} - {inner[1]}
    if others or _CONDITION.search(before):
        return f" {inner[1]} "
    return f"\n{ANNOUNCED_AS}: {inner[1]}\n"


def _boxes_as_lines(text: str) -> str:
    text = _LATEX_STYLE.sub("", text)
    parts, at = list[str](), 0
    for box in _BOX.finditer(text):
        if box.start() >= at:
            end = _end_of_box(text, box.end())
            inner = text[box.end() : end].replace("{", " ").replace("}", " ")
            parts += [text[at : box.start()], f"\nanswer: {inner}\n"]
            at = end + 1
    return _LATEX_MATH.sub(" ", "".join((*parts, text[at:]))) if parts else text


def _end_of_box(text: str, at: int) -> int:
    depth, limit = 1, min(len(text), at + _MOST_OF_BOX)
    for place in range(at, limit):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return place
    return limit


def _without_tags(text: str) -> str:
    if "<" not in text:
        return text
    closed = {name.casefold() for name in _CLOSING.findall(text)} | _NEVER_CLOSED
    return _ELEMENT.sub(lambda tag: _element(tag, closed), text)


def _element(tag: re.Match[str], closed: set[str]) -> str:
    """A tag named like an announcer announces; another one only ends a line; what never closes is no tag."""
    name = tag[2].casefold()
    if name not in closed:
        return tag[0][1:-1]
    if name.replace("-", "_").split("_")[-1] in ANNOUNCERS:
        return "\n" if tag[1] else f"\n{ANNOUNCED_AS}: "
    if name in _WITHIN_LINE:
        return " "
    return "\n" if tag[1] else f"\n{name.replace('_', ' ')}: "


def _outside_quotes(text: str) -> str:
    """The text without lines that quote; a short quote that stands alone is a call-out, and stays."""
    rest = _QUOTED_LINE.sub("", text)
    quoted = [line for line in _QUOTED_LINE.findall(text) if line.strip()]
    calls_out = len(quoted) == 1 and len(quoted[0].split()) <= _CALL_OUT and not _ASKS.search(quoted[0])
    calls_out = calls_out and quoted[0].lstrip(" *_")[0] not in '"“«„'
    return _QUOTED_LINE.sub(lambda line: line[1], text) if calls_out or not rest.strip() else rest


def _tables_as_lines(text: str) -> str:
    """Rows of tables as lines: those that announce, and the one that is marked as chosen."""
    has_rule = bool(_RULE_ROW.search(text))
    lines = text.split("\n")
    rows = [line for line in lines if line.lstrip().startswith("|") or (has_rule and line.count("|") > 1)]
    marked = [row for row in rows if YES_MARK in row]
    chosen = marked[0] if len(marked) == 1 and rows[0] != marked[0] else None
    known = set(rows)
    plain = (_row(line, line == chosen) if line in known else _piped(line) for line in lines)
    return "\n".join(plain)


def _piped(line: str) -> str:
    """A line that is no row: strokes between words are "or", others separate what could be lines."""
    return _EITHER.sub(" or ", line).replace("|", "\n")


def _row(line: str, chosen: bool) -> str:
    cells = [cell.strip(" *_`") for cell in line.strip().strip("|").split("|")]
    if len(cells) == 2 and announces(cells[0].rstrip(":")):
        return f"{ANNOUNCED_AS}: {cells[1]}"
    if not (chosen or _MINE.search(line)):
        return ""
    name = next(filter(None, (cell.replace(YES_MARK, "").strip() for cell in cells)), "")
    return f"{ANNOUNCED_AS}: {_MINE.sub('', name)}"
