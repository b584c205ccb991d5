"""Rules: from a declared check and the values of its fields to a result.

Most read one case. Some read a whole dataset: which values repeat, and how they are shared out.

Words are found as whole words, whatever their capitals and blanks; ``*`` at an end stands for the rest of a
word. A pattern is a regular expression. It is searched for within a limit of time, and a check that reaches
the limit is not tested.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import all_digits, fixed, percent
from reviewer.core.sanitize import agreeing, capitalised, counted, one_line, shown
from reviewer.patterns.pattern_search import PatternError, PatternGivenUpError, first_match
from reviewer.protocols.base import DatasetCase, DatasetFinding, repeated_keys
from reviewer.protocols.declared.declaration import CheckTable
from reviewer.protocols.declared.declared_case import Values, own_fields
from store.records import canonical_json

Titled = Callable[[str], str]
"""What people read for the name of a field."""
Said = tuple[str, Any, Any]
"""What is wrong in a sentence ("" if nothing), what the rule looked at, and the limit."""
_FINE: Said = ("", None, None)
_LONG_ENOUGH = 4
_UNITS = {"words": "word", "characters": "character", "items": "item"}


def check_case(check: str, table: CheckTable, group: str, values: Values, titled: Titled) -> CheckResult:
    """What a check says of one case: passed, failed, or not tested because something was missing."""
    if missing := [titled(field) for field in table.fields if values.get(field) is None]:
        return CheckResult(check, "not tested", why=f"The case has no {' and no '.join(missing)}.")
    try:
        wrong, value, threshold = _RULES[table.rule](table, group, values, titled)
    except (PatternGivenUpError, PatternError) as error:
        fields = " and ".join(f"'{titled(field)}'" for field in table.fields)
        why = (
            f"The pattern '{table.pattern}' was given up on {fields}: {error}. "
            "Use words, or a pattern without repeats inside repeats."
        )
        return CheckResult(check, "not tested", why=why)
    return result_of(check, not wrong, value, threshold, wrong)


def texts_of(value: Any) -> list[str]:
    """The texts of a value: of a list one for each item, of a dialogue one for each turn."""
    if isinstance(value, Mapping):
        return texts_of(value.get("text", list(value.values())))
    if isinstance(value, list | tuple):
        return [text for item in value for text in texts_of(item)]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def compared_text(text: str, table: CheckTable) -> str:
    """A text without the differences that a check ignores."""
    text = text.casefold() if "case" in table.ignore else text
    return " ".join(text.split()) if "blanks" in table.ignore else text


def has_words(folded: str, words: str) -> bool:
    """Whether a folded text contains these words, not as parts of others unless a ``*`` says so."""
    wanted = folded_text(words.strip("*"))
    inside = (words.startswith("*"), words.endswith("*"))
    at = folded.find(wanted)
    while wanted and at >= 0:
        ends = (folded[at - 1 : at] + wanted[0], wanted[-1] + folded[at + len(wanted) :][:1])
        if all(free or not _in_one_word(end) for free, end in zip(inside, ends, strict=True)):
            return True
        at = folded.find(wanted, at + 1)
    return False


def folded_text(text: str) -> str:
    """A text without the differences of capitals and blanks."""
    return " ".join(text.casefold().split())


def _in_one_word(characters: str) -> bool:
    return len(characters) == 2 and all(character.isalnum() or character == "_" for character in characters)


def _differ(table: CheckTable, _group: str, values: Values, titled: Titled) -> Said:
    named = _named_texts(table, values, titled)
    equal = [[one, other] for (one, text), (other, same) in combinations(named, 2) if text == same]
    pairs = "; ".join(" and ".join(pair) for pair in equal)
    return (f"The same{_ignoring(table)}: {pairs}.", equal, None) if equal else _FINE


def _same(table: CheckTable, _group: str, values: Values, titled: Titled) -> Said:
    (first, wanted), *others = _named_texts(table, values, titled) or [("", "")]
    other = [name for name, text in others if text != wanted]
    return (
        (f"Not the same{_ignoring(table)} as {first}: {', '.join(other)}.", other, None) if other else _FINE
    )


def _named_texts(table: CheckTable, values: Values, titled: Titled) -> list[tuple[str, str]]:
    """Each field with its text; of a single field each of its items."""
    texts = [(titled(field), _whole(values[field])) for field in table.fields]
    if len(table.fields) == 1:
        (field,) = table.fields
        items = enumerate(texts_of(values[field]), start=1)
        texts = [(f"{titled(field)} {number}", text) for number, text in items]
    return [(name, compared_text(text, table)) for name, text in texts]


def _ignoring(table: CheckTable) -> str:
    names = [{"case": "capitals", "blanks": "blanks"}[name] for name in dict.fromkeys(table.ignore)]
    return f" but for {' and '.join(names)}" if names else ""


def _lacks(table: CheckTable, _group: str, values: Values, titled: Titled) -> Said:
    found = {titled(field): list(_found(table, values[field]).values()) for field in table.fields}
    return _contained({field: passages for field, passages in found.items() if passages})


def _contained(found: Mapping[str, Sequence[str]]) -> Said:
    parts = [f"{field} contains {_quoted(passages)}" for field, passages in found.items()]
    return (_sentence(parts), dict(found), None) if found else _FINE


def _holds(table: CheckTable, _group: str, values: Values, titled: Titled) -> Said:
    wanted = _wanted(table)
    least = len(wanted) if table.least is None else int(table.least)
    found = {field: _found(table, values[field]) for field in table.fields}
    lacking = {
        titled(field): [words for words in wanted if words not in passages]
        for field, passages in found.items()
        if len(passages) < least
    }
    parts = [f"{field} does not contain {_quoted(words, ' or ')}" for field, words in lacking.items()]
    return (_sentence(parts), lacking, least) if lacking else ("", None, least)


def _wanted(table: CheckTable) -> list[str]:
    return [*table.words, *([table.pattern] if table.pattern else ())]


def _found(table: CheckTable, value: Any) -> dict[str, str]:
    """The words and the pattern of a check that a value contains, each with the passage."""
    text = _whole(value)
    folded = folded_text(text)
    words_held = {words: words for words in table.words if has_words(folded, words)}
    if table.pattern and (span := first_match(table.pattern, text)):
        words_held[table.pattern] = text[slice(*span)]
    return words_held


def _lacks_group(table: CheckTable, group: str, values: Values, titled: Titled) -> Said:
    found: dict[str, list[str]] = {}
    for field in table.fields:
        folded = _without_joints(_whole(values[field]))
        passages = [words for words in _group_words(table, group) if has_words(folded, words)]
        if passages:
            found[titled(field)] = passages
    return _contained(found)


def _group_words(table: CheckTable, group: str) -> list[str]:
    """The name of a group, then each of its longer words if the check wants them."""
    name = _without_joints(group)
    words = name.split() if table.each_word else []
    return list(dict.fromkeys([name, *(word for word in words if len(word) >= _LONG_ENOUGH)]))


def _without_joints(text: str) -> str:
    return folded_text(text.replace("_", " ").replace("-", " "))


def _length(table: CheckTable, _group: str, values: Values, titled: Titled) -> Said:
    lengths = {titled(field): length_of(values[field], table.unit) for field in table.fields}
    limits = [table.least, table.most]
    if table.ratio:
        return _ratio(table, lengths, limits)
    noun = _UNITS[table.unit]
    parts = [
        f"{field} has {counted(length, noun)}"
        for field, length in lengths.items()
        if _outside(length, limits)
    ]
    wrong = _sentence([*parts, _wanted_between(limits)]) if parts else ""
    return wrong, lengths, limits


def _ratio(table: CheckTable, lengths: Mapping[str, int], limits: list[float | None]) -> Said:
    (first, length), (second, other) = lengths.items()
    if not other:
        return _sentence([f"{second} is empty, so nothing can be compared with it"]), lengths, limits
    ratio = length / other
    noun = _UNITS[table.unit]
    wrong = (
        f"{first} has {counted(length, noun)} and {second} has {other:,}: {fixed(ratio)} times as many; "
        f"{_wanted_between(limits)}."
    )
    return capitalised(wrong) if _outside(ratio, limits) else "", all_digits(ratio), limits


def length_of(value: Any, unit: str) -> int:
    """The number of words, characters or items of a value."""
    if unit == "items":
        return len(value) if isinstance(value, list | tuple) else 1
    return sum(len(text.split()) if unit == "words" else len(text) for text in texts_of(value))


def _outside(number: float, limits: Sequence[float | None]) -> bool:
    least, most = limits
    return (least is not None and number < least) or (most is not None and number > most)


def _wanted_between(limits: Sequence[float | None]) -> str:
    least, most = limits
    words = [
        f"at least {least:,g}" if least is not None else "",
        f"at most {most:,g}" if most is not None else "",
    ]
    return f"wanted: {' and '.join(filter(None, words))}"


def _one_of(table: CheckTable, _group: str, values: Values, titled: Titled) -> Said:
    known = {compared_text(value, table) for value in table.values}
    strange = {
        titled(field): [text for text in texts_of(values[field]) if compared_text(text, table) not in known]
        for field in table.fields
    }
    strange = {field: texts for field, texts in strange.items() if texts}
    parts = [f"{field} is {_quoted(texts)}" for field, texts in strange.items()]
    wrong = _sentence([*parts, f"wanted: {_quoted(table.values, ' or ')}"]) if parts else ""
    return wrong, strange or None, list(table.values)


def _whole(value: Any) -> str:
    return "\n".join(texts_of(value))


def _quoted(texts: Sequence[str], last: str = " and ") -> str:
    quoted = [f'"{shown(text)}"' for text in texts]
    return last.join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _sentence(parts: Sequence[str]) -> str:
    return capitalised(f"{'; '.join(parts)}.")


_RULES: Mapping[str, Callable[[CheckTable, str, Values, Titled], Said]] = {
    "differ": _differ,
    "same": _same,
    "lacks": _lacks,
    "holds": _holds,
    "lacks_group": _lacks_group,
    "length": _length,
    "one_of": _one_of,
}


KeyedValues = tuple[str, Values]
"""The key of a place in the dataset, and the values of its case."""
DATASET_RULES = ("unique", "balanced")
EQUAL_FIELDS = "equal_fields"
"""The check of cases that only the columns of ``[source] identity`` tell apart."""
_NAMED = 4
_LONGEST_KEY = 400
_TOLERATED = 0.05
_NOWHERE = "nowhere"


def check_dataset(
    check: str,
    table: CheckTable,
    rows: Sequence[KeyedValues],
    titled: Titled,
    meant: Mapping[str, str] = MappingProxyType({}),
) -> DatasetFinding:
    """What a check says of a dataset; not tested if no case has all the values that it reads.

    ``meant``: value of the first field → the label that it stands for.
    """
    whole = [row for row in rows if all(row[1].get(field) is not None for field in table.fields)]
    fields = " and ".join(map(titled, table.fields))
    if not whole:
        return DatasetFinding(check, "not tested", f"No case has {fields}.")
    if table.rule == "unique":
        finding = _unique(check, table, whole, fields)
    else:
        finding = _balanced(check, table, whole, fields, meant if len(table.fields) == 1 else {})
    return replace(finding, says=finding.says + _left_out(len(rows) - len(whole), fields))


def equal_fields(cases: Sequence[DatasetCase]) -> DatasetFinding:
    """Cases whose group and fields are all equal, so that raters judge the same content twice."""
    repeated = repeated_keys(
        (placed.key, canonical_json([placed.case.group, own_fields(placed.case.payload)])) for placed in cases
    )
    number = sum(map(len, repeated))
    value = {"repeated": len(repeated), "cases": number, "of": len(cases), "keys": repeated}
    if not repeated:
        says = f"No two of {counted(len(cases), 'case')} have the same fields."
        return DatasetFinding(EQUAL_FIELDS, "passed", says, value)
    first = " and ".join(one_line(key, _LONGEST_KEY) for key in repeated[0][:2])
    says = (
        f"{number:,} of {counted(len(cases), 'case')} have the same fields as another one, and only "
        f"[source] identity tells them apart: {first} are the first two."
    )
    return DatasetFinding(EQUAL_FIELDS, "failed", says, value)


def _left_out(number: int, fields: str) -> str:
    lack = agreeing(number, "lacks", "lack")
    return (
        f" {counted(number, 'case')} {lack} {fields} and {agreeing(number, 'is', 'are')} left out."
        if number
        else ""
    )


def _unique(check: str, table: CheckTable, rows: Sequence[KeyedValues], fields: str) -> DatasetFinding:
    repeated = repeated_keys(
        (key, tuple(_text(values[field], table) for field in table.fields)) for key, values in rows
    )
    cases = sum(map(len, repeated))
    value = {"repeated": len(repeated), "cases": cases, "of": len(rows), "keys": repeated}
    if not repeated:
        return DatasetFinding(
            check, "passed", f"No two of {counted(len(rows), 'case')} have the same {fields}.", value
        )
    first = " and ".join(one_line(key, _LONGEST_KEY) for key in repeated[0][:2])
    says = (
        f"{counted(len(repeated), 'value')} of {fields} {agreeing(len(repeated), 'repeats', 'repeat')}, "
        f"in {cases:,} of {counted(len(rows), 'case')}: {first} are the first two."
    )
    return DatasetFinding(check, "failed", says, value)


def _balanced(
    check: str, table: CheckTable, rows: Sequence[KeyedValues], fields: str, meant: Mapping[str, str]
) -> DatasetFinding:
    texts = [
        _position(values, table) if len(table.fields) > 1 else _text(values[table.fields[0]], table)
        for _, values in rows
    ]
    counts = dict.fromkeys(table.values, 0) | dict(Counter(texts).most_common())
    even = 1 / len(counts)
    least = table.least if table.least is not None else 0.0
    most = table.most if table.most is not None else (1.0 if table.least is not None else even + _TOLERATED)
    outside = [value for value, number in counts.items() if not least <= number / len(rows) <= most]
    what = f"the place of {fields}" if len(table.fields) > 1 else fields
    says = f"{capitalised(what)}: {_shares(counts, len(rows), meant)}."
    says += f" Wanted: shares of {percent(least, 1)} to {percent(most, 1)}."
    value = {"counts": counts, "of": len(rows)}
    return DatasetFinding(check, "failed" if outside else "passed", says, value, [least, most])


def _position(values: Values, table: CheckTable) -> str:
    """The place, from 1, of the first field's text among the texts of the others."""
    first, *others = table.fields
    texts = [compared_text(text, table) for field in others for text in texts_of(values[field])]
    wanted = _text(values[first], table)
    return str(texts.index(wanted) + 1) if wanted in texts else _NOWHERE


def _shares(counts: dict[str, int], total: int, meant: Mapping[str, str]) -> str:
    names = {value: f"{shown(label)} ({shown(value)})" for value, label in meant.items()}
    parts = [
        f"{names.get(value, shown(value))} in {number:,} ({percent(number / total, 1)})"
        for value, number in counts.items()
    ]
    more = [f"{len(parts) - _NAMED:,} more"] if len(parts) > _NAMED else []
    return f"{', '.join([*parts[:_NAMED], *more])} of {counted(total, 'case')}"


def _text(value: Any, table: CheckTable) -> str:
    return compared_text("\n".join(texts_of(value)), table)
