"""Checks of the texts of a dataset of any protocol. They read cases as they are, whatever they mean."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any
from zlib import crc32

from reviewer.core.check_result import Severity
from reviewer.core.number_text import percent
from reviewer.core.sanitize import agreeing, counted, one_line, shown
from reviewer.protocols.base import DatasetCase, DatasetFinding
from reviewer.runs.check.text_rules import TEXT_RULES
from store.records import JsonValue

_OF_DATASETS: Mapping[str, tuple[Severity, str]] = {
    "truncated_end": ("doubtful", "Do texts end with a sentence, as most of the same field do?"),
    "near_copies": ("doubtful", "Do cases differ in more than a few words?"),
    "answer_shares": ("untidy", "Is no place of an option, and no answer, right far more often than others?"),
    "answer_given_away": ("doubtful", "Is the answer absent from its question?"),
}
TEXT_CHECKS: Mapping[str, tuple[Severity, str]] = {
    **{name: (rule.severity, rule.asks) for name, rule in TEXT_RULES.items()},
    **_OF_DATASETS,
}
"""Check → its severity and what it asks."""
_NAMED = 3
_LONGEST = 60
_PROGRAM = re.compile(r"prolog|program|code|axiom|script|sql|patch|diff|test", re.IGNORECASE)
_PROSE = re.compile(r"[^\W\d_]{2,}[ ,;:]")
_ENDS = re.compile(r"""[.!?…。！？।؟:;"”’'»)\]}`*_>|$—-]\s*$""")
_CUT = re.compile(r"(?:[^\W\d_]+[ ,;:]+){6}(?:[^\W\d_]{2,})?,?\s*$")
_MOST_END = 0.9
_FEWEST_TEXTS = 20
_SHORTEST_PROSE = 60
_ANSWER = re.compile(
    r"(?:^|_|\b)(?:answer|label|correct|right|gold|solution|target|key|choice|decision)(?:$|_|\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:^|_|\b)(?:question|prompt|stem|task|instruction|query)(?:$|_|\b)", re.IGNORECASE)
_MOST_VALUES = 8
_FEWEST_ANSWERS = 30
_NEARLY_ALWAYS = 0.75
_TOLERATED = 0.05
_PLACE = re.compile(r"(?:(?:option|answer|choice)[ _])?[A-H1-8]|first|second", re.IGNORECASE)
_SHORTEST_ANSWER = 12
_SHINGLE, _SKETCH, _MOST_IN_BUCKET = 5, 12, 40
_NEAR = 0.85

Texts = Sequence[tuple[str, str]]
"""The texts of a case, each with the name of its field."""


def text_findings(cases: Sequence[DatasetCase]) -> list[DatasetFinding]:
    """A finding for each check of texts, also for those that pass."""
    texts = {case.key: tuple(_texts(case.case.payload)) for case in cases}
    places = {name: dict(_by_rule(name, texts)) for name in TEXT_RULES}
    places |= {"truncated_end": _truncated(texts), "answer_given_away": _given_away(cases, texts)}
    findings = [_about(check, found, len(cases)) for check, found in places.items()]
    return [*findings, _near_copies(texts), _answer_shares(cases)]


def _texts(value: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """All texts of a payload, each with the innermost name above it."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, field)


def _about(check: str, found: Mapping[str, str], of: int) -> DatasetFinding:
    """A finding about single cases: key → the passage."""
    severity, _ = TEXT_CHECKS[check]
    value = {"found": dict(found), "of": of}
    if not found:
        return DatasetFinding(
            check, "passed", f"Nothing found in {counted(of, 'case')}.", value, severity=severity
        )
    first = "; ".join(f"{shown(key)}: {shown(_cut(text))}" for key, text in list(found.items())[:_NAMED])
    more = f"; {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
    says = f"{counted(len(found), 'case')} of {of:,}: {first}{more}."
    return DatasetFinding(check, "failed", says, value, severity=severity)


def _cut(passage: str) -> str:
    return one_line(passage, _LONGEST)


def _by_rule(check: str, texts: Mapping[str, Texts]) -> Iterator[tuple[str, str]]:
    """The first passage of each case to which a rule objects."""
    rule = TEXT_RULES[check].passage
    for key, of_case in texts.items():
        if passage := next(filter(None, (rule(text) for _, text in of_case)), ""):
            yield key, passage


def _is_prose(field: str, text: str) -> bool:
    return len(text) >= _SHORTEST_PROSE and not _PROGRAM.search(field) and len(_PROSE.findall(text)) >= 8


def _truncated(texts: Mapping[str, Texts]) -> dict[str, str]:
    """Prose that ends within a sentence, in fields whose texts nearly all end with one."""
    by_field = defaultdict[str, list[tuple[str, str]]](list)
    for key, of_case in texts.items():
        for field, text in of_case:
            if _is_prose(field, text):
                by_field[field].append((key, text))
    found: dict[str, str] = {}
    for of_field in by_field.values():
        ended = sum(bool(_ENDS.search(text)) for _, text in of_field)
        if len(of_field) >= _FEWEST_TEXTS and ended >= _MOST_END * len(of_field):
            cut = ((key, text) for key, text in of_field if not _ENDS.search(text) and _CUT.search(text))
            for key, text in cut:
                found.setdefault(key, text[-_LONGEST // 2 :])
    return found


def _given_away(cases: Sequence[DatasetCase], texts: Mapping[str, Texts]) -> dict[str, str]:
    """Answers of some length that stand word for word in the question."""
    found: dict[str, str] = {}
    for case in cases:
        asked = [_plain(text) for field, text in texts[case.key] if _ASKS.search(field)]
        answers = [text for field, text in _answers(case) if len(text.strip()) >= _SHORTEST_ANSWER]
        for answer in answers:
            if any(_plain(answer) in question for question in asked):
                found[case.key] = answer
    return found


def _answers(case: DatasetCase) -> Iterator[tuple[str, str]]:
    values = {**case.published, **case.case.payload}
    yield from (
        (name, value) for name, value in values.items() if isinstance(value, str) and _ANSWER.search(name)
    )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _answer_shares(cases: Sequence[DatasetCase]) -> DatasetFinding:
    """The most frequent value of the fields that hold the right answer as one of a few."""
    counts = defaultdict[str, Counter[str]](Counter)
    for case in cases:
        for name, value in _answers(case):
            counts[name][value.strip()] += 1
    shares = sorted(
        (
            (values.most_common(1)[0][1] / values.total(), name)
            for name, values in counts.items()
            if _is_few(values)
        ),
        reverse=True,
    )
    uneven = (pair for pair in shares if pair[0] > _most(counts[pair[1]]))
    share, name = next(uneven, (0.0, ""))
    severity: Severity = "doubtful" if share > _NEARLY_ALWAYS else "untidy"
    if not name:
        return DatasetFinding(
            "answer_shares", "passed", "No answer is right far more often than others.", severity=severity
        )
    of_name = counts[name]
    (answer, number), total = of_name.most_common(1)[0], of_name.total()
    says = (
        f"{shown(name)} is {shown(answer)} in {number:,} of {counted(total, 'case')} ({percent(share, 0)})."
    )
    counted_values: JsonValue = {"counts": dict(of_name.most_common()), "of": total}
    return DatasetFinding("answer_shares", "failed", says, counted_values, _most(of_name), severity)


def _is_few(values: Counter[str]) -> bool:
    """Whether shares say something: a place that is always right does, any other constant is no answer."""
    fewest = 1 if _are_places(values) else 2
    return fewest <= len(values) <= _MOST_VALUES and values.total() >= _FEWEST_ANSWERS


def _are_places(values: Counter[str]) -> bool:
    return all(map(_PLACE.fullmatch, values))


def _most(values: Counter[str]) -> float:
    """The greatest share that an answer may have; only places of options have to be even."""
    even = 1 / max(2, len(values))
    return even + _TOLERATED if _are_places(values) else max(_NEARLY_ALWAYS, even + 0.2)


def _near_copies(texts: Mapping[str, Texts]) -> DatasetFinding:
    """Cases whose words are nearly the same: pairs by Jaccard's index of runs of five words."""
    severity, _ = TEXT_CHECKS["near_copies"]
    buckets = defaultdict[int, list[str]](list)
    for key, of_case in texts.items():
        runs = _shingles(of_case)
        for run in sorted(runs)[:_SKETCH] if len(runs) >= _SKETCH else ():
            buckets[run].append(key)
    several = (keys for keys in buckets.values() if 1 < len(keys) <= _MOST_IN_BUCKET)
    pairs = {pair for keys in several for pair in combinations(keys, 2)}
    runs_of = cache(lambda key: _shingles(texts[key]))  # only those of candidates are held
    near = sorted(pair for pair in pairs if _likeness(*map(runs_of, pair)) >= _NEAR)
    value = {"keys": [list(pair) for pair in near], "of": len(texts)}
    if not near:
        return DatasetFinding(
            "near_copies", "passed", "No two cases are near copies.", value, _NEAR, severity
        )
    first = "; ".join(f"{shown(one)} and {shown(other)}" for one, other in near[:_NAMED])
    are = agreeing(len(near), "is a near copy", "are near copies")
    says = f"{counted(len(near), 'pair')} of cases {are}: {first}."
    return DatasetFinding("near_copies", "failed", says, value, _NEAR, severity)


def _shingles(texts: Texts) -> frozenset[int]:
    words = re.findall(
        r"\w+", " ".join(text for field, text in texts if not _PROGRAM.search(field)).casefold()
    )
    runs = zip(*(words[at:] for at in range(_SHINGLE)), strict=False)
    return frozenset(crc32(" ".join(run).encode()) for run in runs)


def _likeness(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other)
