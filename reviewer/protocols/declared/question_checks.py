"""Whether questions, the arguments of checks and ``[evaluation]`` fit the other tables and themselves."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reviewer.core.sanitize import is_blank, shown
from reviewer.core.spans import RESERVED
from reviewer.patterns.pattern_search import NO_EXPRESSION, pattern_fault
from reviewer.protocols.declared.declaration import (
    ENTRY,
    MOST_ENTRIES,
    CheckTable,
    Declaration,
    EvaluationTable,
    QuestionTable,
    RuleName,
)
from reviewer.protocols.declared.declaration_faults import (
    MADE_PANES,
    OF_THE_CASE,
    Misfit,
    Names,
    alike,
    placeholders,
    told_apart,
    unfilled,
    unknown,
    with_blanks,
)
from reviewer.protocols.declared.declared_evaluation import CHOICES
from reviewer.protocols.declared.output_panes import output_misfits, pane_of_each, ranking_misfits
from reviewer.protocols.declared.row_values import LETTERS, choice_list, labels_of

_ALL = frozenset({"rule", "fields", "severity", "question", "asks"})


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments that a rule ``takes`` beside those of all rules, and those of which it ``needs`` one."""

    takes: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()


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


def argument_faults(at: str, table: CheckTable, *, try_pattern: bool = True) -> Iterator[Misfit]:
    """What is wrong with the arguments of the check of table ``at``, apart from the fields that it names.

    To try its pattern starts a process, so a declaration that was checked before is read without.
    """
    rule = ARGUMENTS[table.rule]
    given = table.model_fields_set
    for key in sorted(given - _ALL - rule.takes):
        takes = ", ".join(sorted(rule.takes))
        yield Misfit(
            at, key, f"the rule {table.rule} has no such argument", f"leave it out; it takes {takes}"
        )
    if rule.needs and not any(getattr(table, key) not in (None, ()) for key in rule.needs):
        yield Misfit(
            at, "rule", f"the rule {table.rule} needs {' or '.join(rule.needs)}", f"add {rule.needs[0]}"
        )
    yield from _limit_faults(at, table)
    yield from _word_faults(at, table)
    if try_pattern and table.pattern and (wrong := pattern_fault(table.pattern)):
        remedy = "write words, or a pattern without repeats inside repeats"
        if wrong.startswith(NO_EXPRESSION):
            remedy = "correct it; a sign such as ( or * stands for itself behind a backslash"
        yield Misfit(at, "pattern", f"'{shown(table.pattern)}' {wrong}", remedy)
    if table.ratio and len(table.fields) != 2:
        yield Misfit(at, "fields", "a ratio is of two fields", "name two fields, or leave out ratio")


def _limit_faults(at: str, table: CheckTable) -> Iterator[Misfit]:
    least, most = table.least, table.most
    if least is not None and most is not None and least > most:
        yield Misfit(at, "least", f"{least:g} is more than most ({most:g})", "exchange the two")
    for key, limit in (("least", least), ("most", most)):
        if limit is None:
            continue
        if limit < 0:
            yield Misfit(at, key, "a limit is not negative", "write 0 or more")
        if table.rule == "balanced" and limit > 1:
            yield Misfit(
                at, key, "a share is between 0 and 1", f"write {limit / 100:g} for {limit:g} percent"
            )


def _word_faults(at: str, table: CheckTable) -> Iterator[Misfit]:
    for words in table.words:
        if "*" in words.strip("*") or not words.strip("* "):
            wrong = f"{words!r} has a * elsewhere than at one end of a word"
            yield Misfit(at, "words", wrong, "move it to an end, or write a pattern")


def question_misfits(
    at: str, question: QuestionTable, declaration: Declaration, names: Names
) -> Iterator[Misfit]:
    """Every fault of one question; ``at`` names its table."""
    yield from _kinds(at, question)
    yield from _labels(at, question)
    if question.answer_kind.is_ranked:
        yield from ranking_misfits(at, question, declaration)
    panes = [*names["pane"], *MADE_PANES]
    for key, keys in (("shows", question.shows), ("beside", question.beside), ("reveals", question.reveals)):
        yield from unknown(at, key, keys or (), panes, "pane")
    twice = {*question.shows} & {*question.beside, *(question.reveals or ())}
    for pane in sorted(twice):
        yield Misfit(at, "shows", f"pane {pane!r} is named beside it too", "name each pane once")
    known = [name for name in names["fields"] if _fills_prompts(declaration, name)]
    entry = [ENTRY] if question.each else []
    yield from unfilled(at, "prompt", question.prompt, [*known, *OF_THE_CASE, *entry])
    yield from options_misfits(at, question.options, declaration, names)
    if question.options is not None and question.labels != LETTERS[: len(question.labels)]:
        wrong = "are not the letters of options"
        yield Misfit(at, "labels", wrong, 'write ["A", "B", …], one letter for each option')
    if question.each is not None:
        yield from _entries(at, question, question.each, declaration, names)
    yield from _undefined_groups(at, question, declaration)
    yield from _sides(at, question, declaration)
    yield from _marked(at, question, declaration)


def _marked(at: str, question: QuestionTable, declaration: Declaration) -> Iterator[Misfit]:
    """Spans are marked in the text of one field, whose characters are counted."""
    if not question.answer_kind.is_marked:
        return
    panes = [declaration.pane.get(key) for key in question.shows]
    if len(panes) != 1 or (panes[0] is not None and (panes[0].kind, len(panes[0].fields)) != ("text", 1)):
        yield Misfit(
            at, "shows", "spans are marked in one pane of kind text with one field", "name such a pane alone"
        )
    for label in question.labels:
        if {*label} & {*RESERVED}:
            wrong = f"label {shown(label)!r} of spans has a semicolon or a quotation mark"
            yield Misfit(at, "labels", wrong, "rename it")


def options_misfits(at: str, options: str | None, declaration: Declaration, names: Names) -> Iterator[Misfit]:
    """Whether options are the entries of a list."""
    if options is None:
        return
    yield from unknown(at, "options", [options], names["fields"], "field")
    field = declaration.fields.get(options)
    if field is not None and field.type != "list":
        wrong = f"names field {options!r} of type {field.type}, which has no entries"
        yield Misfit(at, "options", wrong, 'give the field type = "list", or leave it out')


def _entries(
    at: str, question: QuestionTable, each: str, declaration: Declaration, names: Names
) -> Iterator[Misfit]:
    """Whether a question can be asked for each entry of a field."""
    field, pane = declaration.fields.get(each), pane_of_each(question, declaration)
    if pane is not None:
        yield from output_misfits(at, question, pane, declaration)
    elif field is None and each in declaration.pane:
        wrong = f"names pane {each!r} of kind {declaration.pane[each].kind}, which has no outputs"
        yield Misfit(at, "each", wrong, 'give the pane kind = "variants", or name a field of type list')
    else:
        yield from unknown(at, "each", [each], names["fields"], "field")
    if pane is None and field is not None and field.type != "list":
        wrong = f"names field {each!r} of type {field.type}, which has no entries"
        yield Misfit(at, "each", wrong, 'give the field type = "list", or leave it out')
    if ENTRY not in placeholders(question.prompt):
        wrong = "does not say which entry is meant, and the question is asked for each of them"
        yield Misfit(at, "prompt", wrong, "put {entry} where the entry is to stand")
    if ENTRY in names["fields"]:
        wrong = "is the name of a field and of the entry that a question with each is about"
        yield Misfit("fields", ENTRY, wrong, "give the field another name")
    key = at.partition(".")[2]
    for number in range(1, MOST_ENTRIES + 1):
        if f"{key}_{number}" in names["question"]:
            wrong = f"has the key that entry {number} of question {key!r} gets"
            yield Misfit(f"question.{key}_{number}", "", wrong, "give it another key")


def _fills_prompts(declaration: Declaration, name: str) -> bool:
    field = declaration.fields.get(name)
    return field is None or field.type != "dialogue"


def _kinds(at: str, question: QuestionTable) -> Iterator[Misfit]:
    """Keys that do not go with the kind of the question."""
    kind = question.answer_kind
    for key in kind.lacks:
        if key in question.model_fields_set:
            wrong = f"does not go with {kind.lacks_since}"
            yield Misfit(at, key, wrong, 'leave it out, or use kind = "label"')
    if kind.has_labels and not kind.is_ranked and len(question.labels) < kind.fewest_labels:
        least = "one label" if kind.fewest_labels == 1 else "two labels"
        yield Misfit(at, "labels", f"a question has at least {least}", "name them all")


def _labels(at: str, question: QuestionTable) -> Iterator[Misfit]:
    kind = question.answer_kind
    if not kind.has_labels:
        return
    for first, second in alike(question.labels):
        one, other = told_apart(first, second)
        same = "is there twice" if first == second else f"differs from '{one}' only in case or blanks"
        yield Misfit(at, "labels", f"'{other}' {same}", "rename one of them")
    for label in question.labels:
        if is_blank(label) or label != label.strip():
            yield Misfit(
                at, "labels", f"'{with_blanks(label)}' begins or ends with a blank", "take the blank out"
            )
    named = {key: getattr(question, key) for key in ("passing", "definitions", "criteria")}
    decided = [example.label for example in question.examples if kind.is_label]
    for key, labels in (*named.items(), ("examples", decided)):
        yield from unknown(at, key, labels, question.labels, "label")
    for first, second in alike(question.passing):
        yield Misfit(at, "passing", f"{shown(second)!r} is named twice", f"name {shown(first)!r} once")


def _undefined_groups(at: str, question: QuestionTable, declaration: Declaration) -> Iterator[Misfit]:
    if "definition" not in placeholders(question.prompt):
        return
    for name, definition in declaration.groups.items():
        if is_blank(definition):
            wrong = f"shows the definition of the group, and group {shown(name)!r} has none"
            yield Misfit(at, "prompt", wrong, "write its definition in [groups]")


def _sides(at: str, question: QuestionTable, declaration: Declaration) -> Iterator[Misfit]:
    if question.titles is None and not question.mirrored:
        return
    shown_panes = [declaration.pane.get(key) for key in question.shows]
    if all(pane is not None and pane.kind != "pair" for pane in shown_panes):
        key = "mirrored" if question.mirrored else "titles"
        wrong = "is for the sides of a pair, and the question shows no pane of kind pair"
        yield Misfit(at, key, wrong, "leave it out, or show a pair")
    named = [label for pair in question.mirrored for label in pair]
    if question.labels:
        yield from unknown(at, "mirrored", named, question.labels, "label")
    for first, second in alike(named):
        yield Misfit(at, "mirrored", f"{shown(second)!r} is named twice", f"name {shown(first)!r} once")


_EVALUATION: Final = "evaluation"
_IN_PROMPTS: Final = re.compile(r"[a-z][a-z0-9_]*")
_WIDEST: Final = 100
_NEEDS: Final = {"right": "right", "mean": "number", "difference": "number"}


def evaluation_misfits(declaration: Declaration, names: Names) -> Iterator[Misfit]:
    """Every fault of the table, if there is one."""
    table = declaration.evaluation
    if table is None:
        return
    yield from unknown(_EVALUATION, "choices", table.choices, names["fields"], "field")
    yield from _prompt(table, declaration, names)
    yield from _conditions(table, names)
    yield from _choices(table, declaration)
    yield from _labels_of_evaluation(table)
    yield from _range(table)
    yield from _measures(table)
    if table.right is not None:
        known = [*names["fields"], *names["published"]]
        yield from unknown(_EVALUATION, "right", [table.right], known, "field or published value")


def used_fields(table: EvaluationTable) -> Iterator[str]:
    """The fields that an evaluation puts to models."""
    yield from (*placeholders(table.prompt), *table.choices, *((table.right,) if table.right else ()))
    for put in table.conditions.values():
        yield from put.values()


def _prompt(table: EvaluationTable, declaration: Declaration, names: Names) -> Iterator[Misfit]:
    put = [name for fields in table.conditions.values() for name in fields]
    known = [*names["fields"], "group", CHOICES, *put]
    known += ["definition"] if declaration.groups else []
    yield from unfilled(_EVALUATION, "prompt", table.prompt, known)
    for name in placeholders(table.prompt):
        if not _IN_PROMPTS.fullmatch(name):
            remedy = "call the field by lower-case letters, digits and _"
            yield Misfit(_EVALUATION, "prompt", f"has the placeholder {{{shown(name)}}}", remedy)


def _conditions(table: EvaluationTable, names: Names) -> Iterator[Misfit]:
    if len(table.conditions) == 1:
        yield Misfit(
            _EVALUATION, "conditions", "has one condition", "give two or more, or leave the table out"
        )
    filled = set().union(*table.conditions.values())
    for name, put in table.conditions.items():
        yield from unknown(_EVALUATION, f"conditions.{name}", put.values(), names["fields"], "field")
        if missing := sorted(filled - put.keys()):
            wrong = f"does not fill {{{missing[0]}}}, which another condition fills"
            yield Misfit(_EVALUATION, f"conditions.{name}", wrong, "name its field here too")
        if unused := [word for word in put if word not in placeholders(table.prompt)]:
            wrong = f"fills {{{unused[0]}}}, which the prompt does not have"
            yield Misfit(_EVALUATION, f"conditions.{name}", wrong, "add it to the prompt")


def _choices(table: EvaluationTable, declaration: Declaration) -> Iterator[Misfit]:
    is_list = choice_list(declaration, table) is not None
    by_text = table.reader in ("letter", "text")
    if by_text != bool(table.choices):
        wrong = f"{'are needed' if by_text else 'do not belong'} with the reader {table.reader!r}"
        remedy = "name the fields with the texts of the choices" if by_text else "leave them out"
        yield Misfit(_EVALUATION, "choices", wrong, remedy)
    elif is_list:
        yield from _letters(labels_of(declaration, table))
    elif by_text and len(table.choices) < 2:
        yield Misfit(_EVALUATION, "choices", "names one field", "name two or more, or one of type list")
    elif by_text and table.labels and len(table.labels) != len(table.choices):
        wrong = f"has {len(table.labels)} labels for {len(table.choices)} choices"
        yield Misfit(_EVALUATION, "labels", wrong, "give each choice one label")
    for name in () if is_list else table.choices:
        if name in declaration.fields and declaration.fields[name].type == "list":
            wrong = f"names the list {name!r} among other fields"
            yield Misfit(_EVALUATION, "choices", wrong, "name the list alone, or fields of type text")


def _labels_of_evaluation(table: EvaluationTable) -> Iterator[Misfit]:
    if table.reader == "word" and len(table.labels) < 2:
        yield Misfit(_EVALUATION, "labels", "has fewer than two words", "give the words that answer")
    if table.reader == "judge" and len(table.labels) < 2:
        yield Misfit(
            _EVALUATION, "labels", "has fewer than two labels", "give the labels that the judge chooses from"
        )
    if table.reader != "judge" and table.guideline:
        yield Misfit(
            _EVALUATION, "guideline", f"does not belong with the reader {table.reader!r}", "leave it out"
        )
    if table.reader == "number" and table.labels:
        yield Misfit(_EVALUATION, "labels", "do not belong with the reader 'number'", "give least and most")
    for first, second in alike(table.labels):
        wrong = f"{shown(second)!r} differs from {shown(first)!r} at most in case or blanks"
        yield Misfit(_EVALUATION, "labels", wrong, "rename one of them")


def _letters(labels: tuple[str, ...]) -> Iterator[Misfit]:
    """The labels of the choices in a list are letters, as many as its longest has entries."""
    if len(labels) < 2 or labels != LETTERS[: len(labels)]:
        wrong = "are not the letters of the entries of the list" if labels else "are missing"
        remedy = 'write ["A", "B", …], one letter for each entry of the longest list'
        yield Misfit(_EVALUATION, "labels", wrong, remedy)


def _range(table: EvaluationTable) -> Iterator[Misfit]:
    is_number = table.reader == "number"
    for key, end in (("least", table.least), ("most", table.most)):
        if is_number != (end is not None):
            wrong = f"{'is needed' if is_number else 'does not belong'} with the reader {table.reader!r}"
            yield Misfit(_EVALUATION, key, wrong, "give a whole number" if is_number else "leave it out")
    if table.least is not None and table.most is not None and not 0 < table.most - table.least <= _WIDEST:
        wrong = f"makes a range from {table.least} to {table.most}"
        yield Misfit(_EVALUATION, "most", wrong, f"let it be greater than least by at most {_WIDEST}")


def _measures(table: EvaluationTable) -> Iterator[Misfit]:
    for name in table.measures:
        if name in ("changed", "difference") and len(table.conditions) < 2:
            yield Misfit(
                _EVALUATION, "measures", f"{name!r} compares conditions", "add [evaluation.conditions]"
            )
        if _NEEDS.get(name) == "number" and table.reader != "number":
            yield Misfit(_EVALUATION, "measures", f"{name!r} is of numbers", "leave it out")
        if name == "shares" and table.reader == "number":
            yield Misfit(_EVALUATION, "measures", "'shares' is of labels", "use mean")
        if name == "right" and table.right is None:
            remedy = "name with `right` the field or published value that holds the right label"
            yield Misfit(_EVALUATION, "measures", "'right' needs to know the right label", remedy)
