"""Which arguments each rule takes, and what is wrong with those of a declared check."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewer.core.sanitize import shown
from reviewer.patterns.search import NO_EXPRESSION, pattern_fault
from reviewer.protocols.declared.declaration import CheckTable, RuleName

_ALL = frozenset({"rule", "fields", "severity", "question", "asks"})


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments that a rule ``takes`` beside those of all rules, and those of which it ``needs`` one."""

    takes: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArgumentFault:
    """What is wrong with one key of a check, and what to do."""

    key: str
    wrong: str
    remedy: str


ARGUMENTS: Mapping[RuleName, Arguments] = {
    "differ": Arguments(frozenset({"ignore"})),
    "same": Arguments(frozenset({"ignore"})),
    "lacks": Arguments(frozenset({"words", "pattern"}), ("words", "pattern")),
    "holds": Arguments(frozenset({"words", "pattern", "least"}), ("words", "pattern")),
    "lacks_group": Arguments(frozenset({"each_word"})),
    "length": Arguments(frozenset({"least", "most", "unit", "ratio"}), ("least", "most")),
    "unique": Arguments(frozenset({"ignore"})),
    "balanced": Arguments(frozenset({"least", "most", "values", "ignore"})),
    "one_of": Arguments(frozenset({"values", "ignore"}), ("values",)),
}


def argument_faults(table: CheckTable, *, try_pattern: bool = True) -> Iterator[ArgumentFault]:
    """What is wrong with the arguments of a check, apart from the fields that it names.

    To try its pattern starts a process, so a declaration that was checked before is read without.
    """
    rule = ARGUMENTS[table.rule]
    given = table.model_fields_set
    for key in sorted(given - _ALL - rule.takes):
        takes = ", ".join(sorted(rule.takes))
        yield ArgumentFault(
            key, f"the rule {table.rule} has no such argument", f"leave it out; it takes {takes}"
        )
    if rule.needs and not any(getattr(table, key) not in (None, ()) for key in rule.needs):
        yield ArgumentFault(
            "rule", f"the rule {table.rule} needs {' or '.join(rule.needs)}", f"add {rule.needs[0]}"
        )
    yield from _limit_faults(table)
    yield from _word_faults(table)
    if try_pattern and table.pattern and (wrong := pattern_fault(table.pattern)):
        remedy = "write words, or a pattern without repeats inside repeats"
        if wrong.startswith(NO_EXPRESSION):
            remedy = "correct it; a sign such as ( or * stands for itself behind a backslash"
        yield ArgumentFault("pattern", f"'{shown(table.pattern)}' {wrong}", remedy)
    if table.ratio and len(table.fields) != 2:
        yield ArgumentFault("fields", "a ratio is of two fields", "name two fields, or leave out ratio")


def _limit_faults(table: CheckTable) -> Iterator[ArgumentFault]:
    least, most = table.least, table.most
    if least is not None and most is not None and least > most:
        yield ArgumentFault("least", f"{least:g} is more than most ({most:g})", "exchange the two")
    for key, limit in (("least", least), ("most", most)):
        if limit is None:
            continue
        if limit < 0:
            yield ArgumentFault(key, "a limit is not negative", "write 0 or more")
        if table.rule == "balanced" and limit > 1:
            yield ArgumentFault(
                key, "a share is between 0 and 1", f"write {limit / 100:g} for {limit:g} percent"
            )


def _word_faults(table: CheckTable) -> Iterator[ArgumentFault]:
    for words in table.words:
        if "*" in words.strip("*") or not words.strip("* "):
            wrong = f"{words!r} has a * elsewhere than at one end of a word"
            yield ArgumentFault("words", wrong, "move it to an end, or write a pattern")
