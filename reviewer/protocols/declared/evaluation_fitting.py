"""Whether ``[evaluation]`` fits the rest of a declaration and itself."""

import re
from collections.abc import Iterator
from typing import Final

from reviewer.core.sanitize import shown
from reviewer.protocols.declared.declaration import Declaration, EvaluationTable
from reviewer.protocols.declared.declared_evaluation import CHOICES
from reviewer.protocols.declared.faults import (
    Misfit,
    Names,
    alike,
    placeholders,
    unfilled,
    unknown,
)
from reviewer.protocols.declared.options import LETTERS, choice_list, labels_of

_AT: Final = "evaluation"
_IN_PROMPTS: Final = re.compile(r"[a-z][a-z0-9_]*")
_WIDEST: Final = 100
_NEEDS: Final = {"right": "right", "mean": "number", "difference": "number"}


def evaluation_misfits(declaration: Declaration, names: Names) -> Iterator[Misfit]:
    """Every fault of the table, if there is one."""
    table = declaration.evaluation
    if table is None:
        return
    yield from unknown(_AT, "choices", table.choices, names["fields"], "field")
    yield from _prompt(table, declaration, names)
    yield from _conditions(table, names)
    yield from _choices(table, declaration)
    yield from _labels(table)
    yield from _range(table)
    yield from _measures(table)
    if table.right is not None:
        known = [*names["fields"], *names["published"]]
        yield from unknown(_AT, "right", [table.right], known, "field or published value")


def used_fields(table: EvaluationTable) -> Iterator[str]:
    """The fields that an evaluation puts to models."""
    yield from (*placeholders(table.prompt), *table.choices, *((table.right,) if table.right else ()))
    for put in table.conditions.values():
        yield from put.values()


def _prompt(table: EvaluationTable, declaration: Declaration, names: Names) -> Iterator[Misfit]:
    put = [name for fields in table.conditions.values() for name in fields]
    known = [*names["fields"], "group", CHOICES, *put]
    known += ["definition"] if declaration.groups else []
    yield from unfilled(_AT, "prompt", table.prompt, known)
    for name in placeholders(table.prompt):
        if not _IN_PROMPTS.fullmatch(name):
            remedy = "call the field by lower-case letters, digits and _"
            yield Misfit(_AT, "prompt", f"has the placeholder {{{shown(name)}}}", remedy)


def _conditions(table: EvaluationTable, names: Names) -> Iterator[Misfit]:
    if len(table.conditions) == 1:
        yield Misfit(_AT, "conditions", "has one condition", "give two or more, or leave the table out")
    filled = set().union(*table.conditions.values())
    for name, put in table.conditions.items():
        yield from unknown(_AT, f"conditions.{name}", put.values(), names["fields"], "field")
        if missing := sorted(filled - put.keys()):
            wrong = f"does not fill {{{missing[0]}}}, which another condition fills"
            yield Misfit(_AT, f"conditions.{name}", wrong, "name its field here too")
        if unused := [word for word in put if word not in placeholders(table.prompt)]:
            wrong = f"fills {{{unused[0]}}}, which the prompt does not have"
            yield Misfit(_AT, f"conditions.{name}", wrong, "add it to the prompt")


def _choices(table: EvaluationTable, declaration: Declaration) -> Iterator[Misfit]:
    is_list = choice_list(declaration, table) is not None
    by_text = table.reader in ("letter", "text")
    if by_text != bool(table.choices):
        wrong = f"{'are needed' if by_text else 'do not belong'} with the reader {table.reader!r}"
        remedy = "name the fields with the texts of the choices" if by_text else "leave them out"
        yield Misfit(_AT, "choices", wrong, remedy)
    elif is_list:
        yield from _letters(labels_of(declaration, table))
    elif by_text and len(table.choices) < 2:
        yield Misfit(_AT, "choices", "names one field", "name two or more, or one of type list")
    elif by_text and table.labels and len(table.labels) != len(table.choices):
        wrong = f"has {len(table.labels)} labels for {len(table.choices)} choices"
        yield Misfit(_AT, "labels", wrong, "give each choice one label")
    for name in () if is_list else table.choices:
        if name in declaration.fields and declaration.fields[name].type == "list":
            wrong = f"names the list {name!r} among other fields"
            yield Misfit(_AT, "choices", wrong, "name the list alone, or fields of type text")


def _labels(table: EvaluationTable) -> Iterator[Misfit]:
    if table.reader == "word" and len(table.labels) < 2:
        yield Misfit(_AT, "labels", "has fewer than two words", "give the words that answer")
    if table.reader == "judge" and len(table.labels) < 2:
        yield Misfit(
            _AT, "labels", "has fewer than two labels", "give the labels that the judge chooses from"
        )
    if table.reader != "judge" and table.guideline:
        yield Misfit(_AT, "guideline", f"does not belong with the reader {table.reader!r}", "leave it out")
    if table.reader == "number" and table.labels:
        yield Misfit(_AT, "labels", "do not belong with the reader 'number'", "give least and most")
    for first, second in alike(table.labels):
        wrong = f"{shown(second)!r} differs from {shown(first)!r} at most in case or blanks"
        yield Misfit(_AT, "labels", wrong, "rename one of them")


def _letters(labels: tuple[str, ...]) -> Iterator[Misfit]:
    """The labels of the choices in a list are letters, as many as its longest has entries."""
    if len(labels) < 2 or labels != LETTERS[: len(labels)]:
        wrong = "are not the letters of the entries of the list" if labels else "are missing"
        remedy = 'write ["A", "B", …], one letter for each entry of the longest list'
        yield Misfit(_AT, "labels", wrong, remedy)


def _range(table: EvaluationTable) -> Iterator[Misfit]:
    is_number = table.reader == "number"
    for key, end in (("least", table.least), ("most", table.most)):
        if is_number != (end is not None):
            wrong = f"{'is needed' if is_number else 'does not belong'} with the reader {table.reader!r}"
            yield Misfit(_AT, key, wrong, "give a whole number" if is_number else "leave it out")
    if table.least is not None and table.most is not None and not 0 < table.most - table.least <= _WIDEST:
        wrong = f"makes a range from {table.least} to {table.most}"
        yield Misfit(_AT, "most", wrong, f"let it be greater than least by at most {_WIDEST}")


def _measures(table: EvaluationTable) -> Iterator[Misfit]:
    for name in table.measures:
        if name in ("changed", "difference") and len(table.conditions) < 2:
            yield Misfit(_AT, "measures", f"{name!r} compares conditions", "add [evaluation.conditions]")
        if _NEEDS.get(name) == "number" and table.reader != "number":
            yield Misfit(_AT, "measures", f"{name!r} is of numbers", "leave it out")
        if name == "shares" and table.reader == "number":
            yield Misfit(_AT, "measures", "'shares' is of labels", "use mean")
        if name == "right" and table.right is None:
            remedy = "name with `right` the field or published value that holds the right label"
            yield Misfit(_AT, "measures", "'right' needs to know the right label", remedy)
