"""Checks of the texts of a dataset of any protocol. They read cases as they are, whatever they mean.

A rule on one text returns the passage that it objects to, "" if there is none. Rules hold for texts of any
benchmark, so each is narrow: what it names is mostly a fault.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple
from zlib import crc32

from reviewer.core.check_result import Severity
from reviewer.core.number_text import percent
from reviewer.core.sanitize import agreeing, counted, one_line, shown
from reviewer.protocols.base import DatasetCase, DatasetFinding
from store.records import JsonValue

_AROUND = 24
# UTF-8 read as Windows-1252 or Latin-1, and the sign for unreadable bytes.
_MOJIBAKE = re.compile(
    r"Ã[\x80-\xbf¡-¿‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€[\x80-\x9f™œžš“”¦¢˜]|Â[\xa0£§©«®°±»¿]|Ð[\x80-\xbf]Ñ|\ufffd"
)
_COMMAND = re.compile(
    r"\\(?:frac|sqrt|sum|int|left|right|begin|end|text|mathbb|mathrm|cdot|times|le|ge|alpha)\b"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([A-Za-z]+\*?)\}")
_DOLLAR = re.compile(r"(?<!\\)\$")
_FENCE = re.compile(r"^ {0,3}```[^`\n]*$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]\n]{1,80}\]\((?:https?://|/|\./)[^)\s]*(?:\s|$)")
_PLACEHOLDER = re.compile(
    r"\b(?:TODO|TBD|FIXME)\b|\b[Ll]orem ipsum\b|\{\{\s*\w[\w .-]*\}\}"
    r"|\[(?:[Ii]nsert|INSERT|[Yy]our|YOUR|[Pp]laceholder|PLACEHOLDER)\b[^\]\n]{0,40}\](?!\()"
    r"|<(?:insert|INSERT|placeholder|PLACEHOLDER)\b[^>\n]{0,40}>|\b[Aa]s an AI language model\b"
)
_TODO_IN_CODE = re.compile(r"(?:#|//|/\*|%)[^\n]*\b(?:TODO|FIXME|XXX)")
_EMAIL = re.compile(
    r"\b[A-Za-z0-9._%+-]{1,64}@(?!(?:[\w-]+\.)*(?:example|test|email|domain|company|acme|invalid|localhost)\b)(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,12}\b"
)
_PHONE = re.compile(r"(?<![\w.+-])\+\d{1,3}[ .-]?\(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,4}(?![\w.-])")
_SOCIAL = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_CARD = re.compile(r"(?<![\w.-])(?:\d{4}[ -]){3}\d{4}(?![\w.-])")


class TextRule(NamedTuple):
    """A rule on one text: its severity, what it asks, and the function that looks."""

    severity: Severity
    asks: str
    passage: Callable[[str], str]


def _near(text: str, at: int, end: int) -> str:
    return text[max(0, at - _AROUND) : end + _AROUND]


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return _near(text, *found.span()) if found else ""


def mojibake(text: str) -> str:
    """Characters that come from a wrong encoding."""
    return _first(_MOJIBAKE, text)


def broken_latex(text: str) -> str:
    """Formulas or environments that are not closed; only in texts with commands of LaTeX."""
    command = _COMMAND.search(text)
    if command is None:
        return ""
    open_environments = Counter[str]()
    for kind, name in _ENVIRONMENT.findall(text):
        open_environments[name] += 1 if kind == "begin" else -1
    if lacking := next((name for name, number in open_environments.items() if number), ""):
        return _first(re.compile(rf"\\(?:begin|end)\{{{re.escape(lacking)}\}}"), text)
    dollars = [found.start() for found in _DOLLAR.finditer(text)]
    if len(dollars) % 2 and not re.search(r"\$\s?\d", text):
        return _near(text, dollars[-1], dollars[-1] + 1)
    if len(re.findall(r"\\left(?![a-z])", text)) != len(re.findall(r"\\right(?![a-z])", text)):
        return _first(re.compile(r"\\(?:left|right)(?![a-z])"), text)
    return ""


def broken_markdown(text: str) -> str:
    """A fence of code that is not closed, or the address of a link that is not."""
    fences = [found.start() for found in _FENCE.finditer(text)]
    if len(fences) % 2 and text.count("```") % 2:
        return _near(text, fences[-1], fences[-1] + 3)
    return _first(_LINK, text)


def placeholder(text: str) -> str:
    """Words that stand for text that was to come, or that a model said of itself."""
    return "" if _TODO_IN_CODE.search(text) else _first(_PLACEHOLDER, text)


def personal_data(text: str) -> str:
    """Addresses, numbers of telephones, accounts and cards, as far as their shape tells."""
    for pattern in (_EMAIL, _PHONE, _SOCIAL):
        if passage := _first(pattern, text):
            return passage
    for found in _IBAN.finditer(text):
        if _is_iban(found.group().replace(" ", "")):
            return _near(text, *found.span())
    for found in _CARD.finditer(text):
        if _is_card(re.sub(r"\D", "", found.group())):
            return _near(text, *found.span())
    return ""


def _is_iban(number: str) -> bool:
    """Whether the remainder by 97 is 1 (ISO 13616)."""
    turned = number[4:] + number[:4]
    return 15 <= len(number) <= 34 and int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def _is_card(digits: str) -> bool:
    """Whether Luhn's sum of the digits ends in 0 (ISO/IEC 7812-1)."""
    doubled = [int(sign) * (2 if at % 2 else 1) for at, sign in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


TEXT_RULES: dict[str, TextRule] = {
    "mojibake": TextRule("doubtful", "Are all characters in the right encoding?", mojibake),
    "broken_latex": TextRule("untidy", "Are all formulas and environments closed?", broken_latex),
    "broken_markdown": TextRule("untidy", "Are all blocks of code and links closed?", broken_markdown),
    "placeholder_left": TextRule("doubtful", "Was every placeholder filled?", placeholder),
    "personal_data": TextRule("doubtful", "Are the texts without data of persons?", personal_data),
}
"""The rules by the names of their checks."""


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
"""Check → its severity and its question."""
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
