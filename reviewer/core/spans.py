"""Spans of a text with labels: as the ledger keeps them, as people write them, and their faults.

Offsets count the characters (code points) of the text; a span ends before its second offset. The ledger keeps
the length of the text, so that an answer says by itself what share of it was marked, and the spans in their
order: {"length":26,"spans":[[4,8,"insult"]]}. No spans say that there is nothing to mark. People write
``4:8:insult; 10:25:threat``, or ``4-8 insult``, or the label and the words themselves: ``insult "fool"``.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from reviewer.core.grapheme_clusters import cluster_edges, edge_after, edge_before, is_edge
from reviewer.core.names import closest
from reviewer.core.sanitize import counted, one_line, shown

NOTHING_MARKED = "nothing to mark"
"""The words for an answer without spans."""
RESERVED = ';"“”'
"""Signs that no label of spans has, since answers are written with them."""
_ENTRY = re.compile(r'(?:"[^"]*"|“[^”]*”|[^;])+')
_BETWEEN = r"(\d{1,9})\s*[:–-]\s*(\d{1,9})"
_OFFSETS = re.compile(rf"\s*{_BETWEEN}(?:\s*:|\s)\s*(.*\S)\s*", re.DOTALL)
_QUOTED = re.compile(rf'\s*(.*?)\s*:?\s*(?:"([^"]+)"|“([^”]+)”)\s*(?:{_BETWEEN}\s*)?', re.DOTALL)
_LONGEST_QUOTE = 40
_LONGEST_MARKED = 16_000_000
"""Characters of a text; no row of a file has more."""
_WRITE = 'write START:END:LABEL, or LABEL "the words"'


class LabelledSpan(NamedTuple):
    """The first character of a part of a text, the first one behind it, and its label."""

    start: int
    end: int
    label: str

    @property
    def written(self) -> str:
        """As people write it: "10:16:insult"."""
        return f"{self.start}:{self.end}:{self.label}"


Spans = tuple[LabelledSpan, ...]


def kept_spans(length: int, spans: Iterable[LabelledSpan]) -> str:
    """Spans of a text of this length as the ledger keeps them, each once."""
    kept = {"length": length, "spans": sorted({*spans})}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def spans_in(answer: str) -> tuple[int, Spans]:
    """The length of the text and the spans of an answer as the ledger keeps it; raises ValueError."""
    try:
        kept = json.loads(answer)
    except RecursionError as error:
        raise ValueError("the list is too deep") from error
    if not isinstance(kept, dict) or type(kept.get("length")) is not int or kept["length"] < 0:
        raise ValueError("it is not an object with the length of a text")
    if kept["length"] > _LONGEST_MARKED:
        raise ValueError(f"no text has {kept['length']:,} characters")
    listed = kept.get("spans")
    if not isinstance(listed, list) or not all(map(_is_span, listed)):
        raise ValueError("it has no list of spans")
    spans = tuple(LabelledSpan(*one) for one in listed)
    if answer != kept_spans(kept["length"], spans):
        raise ValueError("the spans do not stand in order, or one stands there twice")
    if beyond := [span for span in spans if span.end > kept["length"]]:
        raise ValueError(f"span {beyond[0].written} ends behind the text")
    return kept["length"], spans


def _is_span(value: object) -> bool:
    if not isinstance(value, list) or [type(part) for part in value] != [int, int, str]:
        return False
    return bool(0 <= value[0] < value[1])


def marks_fault(text: str, answer: str) -> str | None:
    """Why an answer as the ledger keeps it cannot be about a text, as a clause; None if it can."""
    length, spans = spans_in(answer)
    if length != len(text):
        return f"its spans are of a text of {counted(length, 'character')}, and this one has {len(text):,}"
    return span_fault(text, spans)


def span_fault(text: str, spans: Iterable[LabelledSpan]) -> str | None:
    """Why spans cannot be of a text, as a clause about the first wrong one; None if they can."""
    edges = cluster_edges(text)
    for span in spans:
        if span.end > len(text):
            return f"span {span.written} ends behind the text, which has {counted(len(text), 'character')}"
        for offset in (span.start, span.end):
            if not is_edge(edges, offset):
                low, high = edge_before(edges, offset), edge_after(edges, offset)
                return (
                    f"span {span.written} cuts a letter apart: {text[low:high]!r} goes from {low} to {high}"
                )
    return None


def utf_16_offset(text: str, offset: int) -> int:
    """The units of UTF-16 before a character, as JavaScript and Java count: an emoji has two."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def quoted_spans(text: str, spans: Iterable[LabelledSpan]) -> list[str]:
    """Each span with its label, its words and its offsets: "insult “you fool” 10:16"."""
    return [
        f"{label} “{one_line(text[start:end], _LONGEST_QUOTE)}” {start}:{end}" for start, end, label in spans
    ]


def written_spans(answer: str) -> str:
    """An answer as people write it: "4:8:insult; 10:25:threat". Raises ValueError for anything else."""
    return "; ".join(span.written for span in spans_in(answer)[1]) or NOTHING_MARKED


def marked_as_written(written: str, labels: Sequence[str], text: str) -> str:
    """What somebody wrote about a text, as the ledger keeps it; raises ValueError with the fault."""
    spans = read_spans(written, labels, text)
    if fault := span_fault(text, spans):
        raise ValueError(fault)
    return kept_spans(len(text), spans)


def read_spans(written: str, labels: Sequence[str], text: str | None) -> Spans:
    """What somebody wrote as spans. Words are looked for in the text, which only offsets do without.

    Raises ValueError with a sentence on the fault, without its full stop.
    """
    if written.strip().casefold() in (NOTHING_MARKED, "none", "[]"):
        return ()
    entries = [entry for entry in _ENTRY.findall(written) if entry.strip()]
    return tuple(sorted({_read_span(entry, labels, text) for entry in entries}))


def _read_span(entry: str, labels: Sequence[str], text: str | None) -> LabelledSpan:
    if match := _OFFSETS.fullmatch(entry):
        start, end = int(match[1]), int(match[2])
        if start >= end:
            raise ValueError(f"{shown(entry.strip())!r} ends before it begins; {_WRITE}")
        return LabelledSpan(start, end, _label_named(match[3], labels))
    if text is None or not (match := _QUOTED.fullmatch(entry)):
        raise ValueError(f"{shown(entry.strip())!r} is not a span; {_WRITE}")
    label = labels[0] if not match[1] and len(labels) == 1 else _label_named(match[1], labels)
    words = match[2] or match[3]
    return (
        _placed(words, int(match[4]), int(match[5]), label, text) if match[4] else _quoted(words, label, text)
    )


def _placed(words: str, start: int, end: int, label: str, text: str) -> LabelledSpan:
    """The span between offsets that has these words, or their beginning; raises ValueError."""
    there = text[start:end]
    if words not in (there, one_line(there, _LONGEST_QUOTE)):
        raise ValueError(
            f"{start}:{end} of the text is {shown(there)!r}, not {shown(words)!r}; correct one of them"
        )
    return LabelledSpan(start, end, label)


def _quoted(words: str, label: str, text: str) -> LabelledSpan:
    """The span of words that a text has once; raises ValueError."""
    starts = [match.start() for match in re.finditer(f"(?={re.escape(words)})", text)]
    if not starts:
        raise ValueError(f"{shown(words)!r} is not in the text; copy the words as they stand there")
    if len(starts) > 1:
        places = ", ".join(f"{at}:{at + len(words)}" for at in starts[:3])
        more = ", …" if len(starts) > 3 else ""
        raise ValueError(
            f"{shown(words)!r} is in the text {len(starts)} times; give its offsets ({places}{more})"
        )
    return LabelledSpan(starts[0], starts[0] + len(words), label)


def _label_named(name: str, labels: Collection[str]) -> str:
    found = next((label for label in labels if label.casefold() == name.strip().casefold()), None)
    if found is None:
        raise ValueError(f"{shown(name)!r} is not a label; {closest(name, labels, 'use one of')}")
    return found
