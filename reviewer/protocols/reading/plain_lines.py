"""A reply as plain lines: what it says aloud, without Markdown, tags and LaTeX.

What markup announces becomes a line "verdict: …". Of a model's channels the final one is read.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from reviewer.protocols.reading.choices import ANNOUNCERS
from reviewer.protocols.reading.json_values import (
    ANNOUNCED_AS,
    NAME_OF_ONE,
    announces,
    json_as_lines,
    object_as_lines,
)

_THOUGHT: Final = (
    r"(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|internal|monologue|cot)"
)
_TAG: Final = re.compile(
    rf"[<\[◁](?P<end>/)?\s*(?:seed:)?{_THOUGHT}\s*[>\]▷]|<\|(?P<bar>begin|end)_of_thought\|>", re.IGNORECASE
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}<\|message\|>", re.IGNORECASE)
_CHANNEL_ENDS: Final = re.compile(r"<\|(?:end|return|start|call)\|>")
_FINAL_CHANNELS: Final = frozenset(("final", "response", "answer"))
_BARE_CHANNELS: Final = re.compile(r"\s*(?:analysis|commentary)(?=[A-Z\"'\W])")
"""The names of channels where their markers were taken out."""
_BARE_FINAL: Final = re.compile(r"assistantfinal|^final:", re.MULTILINE)
_SIGNS_OF_TAGS: Final = ("<", "[", "◁")
"""Without these a reply has no tags and no markers."""
_MARKER: Final = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]")
YES_MARK, NO_MARK = "☑", "☒"
_LINE_BREAKS: Final = re.compile(r"[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BREAK_TAG: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_INVISIBLE: Final = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe0f\x00-\x08\x0e-\x1f]")
_IN_SHORT: Final = re.compile(r"\b[Tt][Ll];[Dd][Rr]\b|\b[Bb]ottom line\b")
_STRUCK: Final = re.compile(
    r"~~[^~\n]{1,300}~~|<(?:del|s|strike)>[^<\n]{0,300}</(?:del|s|strike)>", re.IGNORECASE
)
_STRUCK_LINE: Final = re.compile(
    r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]*(?:\*\*)?~~[^~\n]{1,300}~~(?:\*\*)?[ \t]*$", re.MULTILINE
)
_STAR: Final = re.compile(r"^([ \t]*)\*(?=[ \t]+[^ \t*\n])", re.MULTILINE)
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_HEAD: Final = re.compile(r"^[ \t]*#{1,6}(?![#\d])[ \t]*", re.MULTILINE)
_EDGE_UNDERSCORES: Final = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_BLANK: Final = re.compile(r"_{4,}|\.{6,}")
_CHECKED: Final = re.compile(r"\[[xX✓✔]\]|[✅✔✓☑👍🏆🥇👑]|⬅️?|👈|←")
_CROSSED: Final = re.compile(r"\[ \]|[❌✗✘☒🚫👎⛔🛑]")
_NOUNS: Final = ("option", "choice", "answer", "response", "assistant")
_REST_OF_NOUN: Final = "|".join(f"(?<={noun[0]}){noun[1:]}" for noun in _NOUNS)
_JOINED_NAME: Final = re.compile(
    rf"([OCARocar](?<!\w.)(?i:{_REST_OF_NOUN}))[_-]?((?i:[A-K])|\d{{1,2}})\b(?!['’])"
)
"""Begins with a set of letters, which is found three times faster than words in any case."""
_PLAIN_SIGNS: Final = {
    ord("【"): "[",
    ord("】"): "]",
    ord("«"): '"',
    ord("»"): '"',
    ord("≫"): ">>",
    ord("≪"): "<<",
    ord("≻"): ">",
    ord("≺"): "<",
    0x1F170: "A",
    0x1F171: "B",
    **{0x1F130 + n: chr(65 + n) for n in range(11)},
    **{0x1F150 + n: chr(65 + n) for n in range(11)},
}
"""Letters in boxes and discs, and signs that mean the same as simpler ones."""
_CYRILLIC_NAME: Final = re.compile(r"(?<!\w)[АВСΑΒ](?!\w)")
_LOOK_ALIKES: Final = {ord(letter): latin for letter, latin in zip("АВСΑΒ", "ABCAB", strict=True)}

_DOUBLE: Final = re.compile(r"\[\[\s*([^\[\]\n]{1,24}?)\s*\]\]")
_CONDITION: Final = re.compile(r"^\s*(?:should|were|had)\b|\b(?:if|unless|when)\b", re.IGNORECASE)
_SAID: Final = re.compile(
    r"\b(?:says?|said|would|output|write|wrote|writes|reply|instruction)\b", re.IGNORECASE
)
_SENTENCE_END: Final = re.compile(r"[.!?\n]")
_MOST_OF_SENTENCE: Final = 200

_BOX: Final = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_LATEX_STYLE: Final = re.compile(r"\\(?:text(?:bf|it|sf|tt)?|math(?:bf|rm|it)|bf|rm|emph|displaystyle)\b")
_LATEX_MATH: Final = re.compile(r"\\[\[\]()]|\${1,2}")
_NOT_BEFORE_BOX: Final = re.compile(r"\b(?:not|than|of)[\s$(*]*$", re.IGNORECASE)
_MOST_OF_BOX: Final = 400

_ELEMENT: Final = re.compile(r"<(/?)([A-Za-z][\w-]{0,30})(?:\s[^<>\n]{0,80})?>")
_CLOSING: Final = re.compile(r"</([A-Za-z][\w-]{0,30})")
_NEVER_CLOSED: Final = frozenset(("br", "hr", "p", "li"))
_WITHIN_LINE: Final = frozenset(("b", "i", "em", "strong", "u", "span", "code", "sub", "sup"))

_QUOTED_LINE: Final = re.compile(r"^[ \t]*>[ \t]?(.*)$", re.MULTILINE)
_CALL_OUT: Final = 8
_ASKS: Final = re.compile(r"\?|\bor\b", re.IGNORECASE)

_ANNOUNCES: Final = "|".join(sorted(map(re.escape, ANNOUNCERS)))
_QUOTES: Final = frozenset("\"“'‘")
_DECIDES: Final = re.compile(rf"\W*(?:final |my )?(?:{_ANNOUNCES})\W*[:–—-]", re.IGNORECASE)
_ASKED_FOR: Final = re.compile(
    rf"(?<=[\w,] )[\"“'‘](?:\w+ )?(?:{_ANNOUNCES}):[^\"“”'’\n]{{1,60}}[\"”'’]", re.IGNORECASE
)
"""An announcement that is quoted within a sentence: 'I cannot write "Decision: A"'."""
_CROSSED_LABEL: Final = re.compile(
    rf"({NO_MARK}[ \t]*(?:\*\*)?)(?:\w+ )?(?:{_ANNOUNCES})(?:\*\*)?:", re.IGNORECASE
)
"""An announcement behind a box that is not ticked: "[ ] Verdict: first"."""

_LAST_ARROW: Final = re.compile(r"(?<![^\n])[ \t]*(?:→|⇒|➡|➜|▶|👉|=+>|-+>)[ \t]*(?=[^\n→]{1,60}\s*\Z)")
"""An arrow before the last line of a reply."""
_BRACKET_TAG: Final = re.compile(r"\[/?(?:output|answer|final|response|verdict|decision)\]", re.IGNORECASE)
_YES: Final = re.compile(r"(?i:yes)[.!* \t]*(?:\n|$)")
_YES_OR_NO: Final = re.compile(
    r"^([ \t]*(?:[-*•][ \t]*)?(?:\*\*)?(?:option |answer |choice )?(?:[A-K]|\d{1,2})(?:\*\*)?[ \t]*[.:)–—-])"
    r"[ \t*]*(yes|no)\b[.!* \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ARROW: Final = re.compile(r"[-=]+>")
_ANNOUNCED_QUOTE: Final = re.compile(
    rf"^(\W*(?:\w+ )?(?:{_ANNOUNCES})\W*\n\s*)>[ \t]?", re.IGNORECASE | re.MULTILINE
)
"""A quote right below the announcement of an answer is the answer."""
_EITHER: Final = re.compile(r"(?<=\w)\|(?=\w+(?!\w| ?[=:]))")
_RULE_ROW: Final = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|", re.MULTILINE)
_YES_CELL: Final = re.compile(r"\|[ \t*]*yes[ \t*]*(?=\|)", re.IGNORECASE)
_NO_CELL: Final = re.compile(r"\|[ \t*]*no[ \t*]*(?=\|)", re.IGNORECASE)
_MINE: Final = re.compile(r"\bmy (?:choice|pick|answer|decision)\b|\bchosen\b(?=\W*\|\W*$)", re.IGNORECASE)


def said_aloud(reply: str) -> str | None:
    """What a reply says aloud; None if it ends in the middle of a thought, or before its final channel."""
    said = _final_channel(reply)
    if said is None or not any(sign in said for sign in _SIGNS_OF_TAGS):
        return said
    said = _without_thoughts(_COMMENT.sub(" ", said))
    return None if said is None else _MARKER.sub("\n", said)


def _final_channel(reply: str) -> str | None:
    channels = list(_CHANNEL.finditer(reply))
    final = [channel for channel in channels if channel[1].casefold() in _FINAL_CHANNELS]
    if final:
        rest = reply[final[-1].end() :]
        end = _CHANNEL_ENDS.search(rest)
        return rest[: end.start()] if end else rest
    if channels:
        return None
    return _bare_final_channel(reply) if _BARE_CHANNELS.match(reply) else reply


def _bare_final_channel(reply: str) -> str | None:
    if marks := list(_BARE_FINAL.finditer(reply)):
        return reply[marks[-1].end() :]
    return None if reply.lstrip().startswith("analysis") and "\n" not in reply else reply


def _without_thoughts(text: str) -> str | None:
    """The text outside thoughts; an end without a beginning ends a thought that began with the reply."""
    parts, depth, at = list[str](), 0, 0
    for tag in _TAG.finditer(text):
        if not depth:
            parts.append(text[at : tag.start()])
        ends = bool(tag["end"]) or tag["bar"] == "end"
        if ends and not depth:
            parts.clear()
        depth = max(0, depth - 1) if ends else depth + 1
        at = tag.end()
    return None if depth else "\n".join((*parts, text[at:]))


def undecorated(text: str, yes_marks: bool = True) -> str:
    """The text of a reply without what only decorates it.

    ``yes_marks``: a line that ends in "yes" marks a choice, since no choice is "Yes" itself.
    A pattern is only tried where a sign of it occurs: most patterns cost more than all such tests.
    """
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", _with_plain_breaks(text)))
    text = _announced_by_signs(text)
    text = _IN_SHORT.sub("TLDR", text)
    if "~~" in text:
        text = _STRUCK_LINE.sub("", text)
    text = _with_marks(_STRUCK.sub(" ", _FENCE.sub("", text)), yes_marks)
    if "____" in text or "......" in text:
        text = _BLANK.sub(" blank ", text)
    text = _without_tags(text)
    if ">" in text:
        text = _outside_quotes(text)
    if ">" in text:
        text = _ARROW.sub(" → ", text)
    if "|" in text:
        text = _tables_as_lines(text)
    text = _without_emphasis(_HEAD.sub("", text))
    if not _QUOTES.isdisjoint(text):
        text = _ASKED_FOR.sub("…", text)
    if not text.isascii():
        text = text.translate(_PLAIN_SIGNS)
        text = _CYRILLIC_NAME.sub(lambda name: name[0].translate(_LOOK_ALIKES), text)
    return _JOINED_NAME.sub(r"\1 \2", text)


def _with_marks(text: str, yes_marks: bool) -> str:
    """The text with one sign for each way to mark a choice as taken or not, without tags in brackets."""
    if "[" in text or not text.isascii():
        text = _CROSSED.sub(f" {NO_MARK} ", _CHECKED.sub(f" {YES_MARK} ", _BRACKET_TAG.sub("\n", text)))
        text = _CROSSED_LABEL.sub(r"\1 ", text)
    if ">" in text or not text.isascii():
        text = _LAST_ARROW.sub(f"{ANNOUNCED_AS}: ", text)
    return _with_marks_for_yes(text) if yes_marks and "\n" in text and _YES.search(text) else text


def _with_marks_for_yes(text: str) -> str:
    """Lines that say yes or no to a choice as marks, where one alone says yes: "A. No / B. Yes"."""
    lines = _YES_OR_NO.findall(text)
    if len(lines) > 1 and sum(word.casefold() == "yes" for _, word in lines) == 1:
        marks = {"yes": YES_MARK, "no": NO_MARK}
        return _YES_OR_NO.sub(lambda line: f"{line[1]} {marks[line[2].casefold()]}", text)
    return text


def _with_plain_breaks(text: str) -> str:
    text = _LINE_BREAKS.sub("\n", text.replace("\r\n", "\n"))
    return _BREAK_TAG.sub("\n", text) if "<" in text else text


def _without_emphasis(text: str) -> str:
    if "_" in text:
        text = _EDGE_UNDERSCORES.sub("", text)
    return _STAR.sub(r"\1-", text).replace("*", "").replace("`", "")


def _announced_by_signs(text: str) -> str:
    """Double brackets, boxes and JSON as lines."""
    if "{" in text:
        text = json_as_lines(_boxes_as_lines(text))
    return _DOUBLE.sub(lambda inner: _in_brackets(text, inner), text) if "[[" in text else text


def _in_brackets(text: str, inner: re.Match[str]) -> str:
    """What stands in double brackets is announced, unless its sentence has a condition or others of them."""
    before = _SENTENCE_END.split(text[max(0, inner.start() - _MOST_OF_SENTENCE) : inner.start()])[-1]
    after = _SENTENCE_END.split(text[inner.end() : inner.end() + _MOST_OF_SENTENCE])[0]
    if text[inner.start() - 1 : inner.start()] in _QUOTES and _SAID.search(before):
        return f" {inner[1]} "
    others = {other[1] for other in _DOUBLE.finditer(f"{before}.{after}")} - {inner[1]}
    if others or _CONDITION.search(before):
        return f" {inner[1]} "
    return f"\n{ANNOUNCED_AS}: {inner[1]}\n"


def _boxes_as_lines(text: str) -> str:
    text = _LATEX_STYLE.sub("", text)
    parts, at = list[str](), 0
    for box in _BOX.finditer(text):
        if box.start() >= at and not _NOT_BEFORE_BOX.search(text, max(0, box.start() - 20), box.start()):
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
    text = _ANNOUNCED_QUOTE.sub(r"\1", text)
    rest = _QUOTED_LINE.sub("", text)
    quoted = [line for line in _QUOTED_LINE.findall(text) if line.strip()]
    calls_out = len(quoted) == 1 and not _ASKS.search(quoted[0])
    calls_out = calls_out and (len(quoted[0].split()) <= _CALL_OUT or bool(_DECIDES.match(quoted[0])))
    calls_out = calls_out and not quoted[0].lstrip(" *_").startswith(('"', "“", "«", "„"))
    return _QUOTED_LINE.sub(lambda line: line[1], text) if calls_out or not rest.strip() else rest


def _tables_as_lines(text: str) -> str:
    """Rows of tables as lines: those that announce, and the one that is marked as chosen."""
    has_rule = bool(_RULE_ROW.search(text))
    if not _tells_properties(text):
        text = _NO_CELL.sub(f"| {NO_MARK} ", _YES_CELL.sub(f"| {YES_MARK} ", text))
    lines = text.split("\n")
    rows = [line for line in lines if line.lstrip().startswith("|") or (has_rule and line.count("|") > 1)]
    marked = [row for row in rows if YES_MARK in row and NO_MARK not in row]
    chosen = marked[0] if len(marked) == 1 and rows[0] != marked[0] else None
    known = set(rows)
    heads = _cells(rows[0]) if rows else []
    if len(data := [row for row in rows[1:] if not _RULE_ROW.match(row)]) == 1 and len(heads) > 1:
        pairs = zip(heads, _cells(data[0]), strict=False)
        lines += object_as_lines({head: cell for head, cell in pairs if YES_MARK not in cell})
    plain = (_row(line, heads, line == chosen) if line in known else _piped(line) for line in lines)
    return "\n".join(plain)


def _tells_properties(text: str) -> bool:
    """Whether a table with a yes or no has further columns, so that these tell a property."""
    first = next((line for line in text.split("\n") if line.lstrip().startswith("|")), "")
    heads = _cells(first)[1:]
    return len(heads) > 1 and not any(not head or announces(head.rstrip(":?")) for head in heads)


def _piped(line: str) -> str:
    """A line that is no row: strokes between words are "or", others separate what could be lines."""
    return _EITHER.sub(" or ", line).replace("|", "\n")


def _cells(line: str) -> list[str]:
    return [cell.strip(" *_`") for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _row(line: str, heads: Sequence[str], chosen: bool) -> str:
    cells = _cells(line)
    announced = announces(cells[0].rstrip(":?"))
    if announced and len(cells) == 2:
        return f"{ANNOUNCED_AS}: {cells[1]}"
    if announced and len(cells) == len(heads) and cells.count(YES_MARK) == 1:
        return f"{ANNOUNCED_AS}: {heads[cells.index(YES_MARK)]}"
    if len(cells) == 1 and not _RULE_ROW.match(line):
        return cells[0]
    if not (chosen or _MINE.search(line)):
        return ""
    marked = [head for head, cell in zip(heads, cells, strict=False) if YES_MARK in cell]
    if len(marked) == 1 and NAME_OF_ONE.fullmatch(marked[0]) and not NAME_OF_ONE.fullmatch(cells[0]):
        return f"{ANNOUNCED_AS}: {marked[0]}"
    name = next(filter(None, (cell.replace(YES_MARK, "").strip() for cell in cells)), "")
    return f"{ANNOUNCED_AS}: {_MINE.sub('', name)}"
