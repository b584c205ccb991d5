"""Whether a declared question fits the other tables: labels differ, panes and placeholders exist."""

from collections.abc import Iterator

from reviewer.core.sanitize import is_blank, shown
from reviewer.protocols.declared.declaration import Declaration, QuestionTable
from reviewer.protocols.declared.faults import (
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

_FEWEST_LABELS = 2


def question_misfits(
    at: str, question: QuestionTable, declaration: Declaration, names: Names
) -> Iterator[Misfit]:
    """Every fault of one question; ``at`` names its table."""
    yield from _kinds(at, question)
    yield from _labels(at, question)
    panes = [*names["pane"], *MADE_PANES]
    for key, keys in (("shows", question.shows), ("beside", question.beside), ("reveals", question.reveals)):
        yield from unknown(at, key, keys or (), panes, "pane")
    twice = {*question.shows} & {*question.beside, *(question.reveals or ())}
    for pane in sorted(twice):
        yield Misfit(at, "shows", f"pane {pane!r} is named beside it too", "name each pane once")
    known = [name for name in names["fields"] if _fills_prompts(declaration, name)]
    yield from unfilled(at, "prompt", question.prompt, [*known, *OF_THE_CASE])
    yield from _undefined_groups(at, question, declaration)
    yield from _sides(at, question, declaration)


def _fills_prompts(declaration: Declaration, name: str) -> bool:
    field = declaration.fields.get(name)
    return field is None or field.type != "dialogue"


def _kinds(at: str, question: QuestionTable) -> Iterator[Misfit]:
    """Keys that do not go with the kind of the question."""
    for key, why in _NOT_OF_KIND.get(question.kind, {}).items():
        if key in question.model_fields_set:
            yield Misfit(at, key, f"does not go with {why}", 'leave it out, or use kind = "label"')
    if question.kind != "text" and len(question.labels) < _FEWEST_LABELS:
        yield Misfit(at, "labels", "a question has at least two labels", "name them all")


_UNORDERED = "several labels, which neither stand in order nor pass"
_NOT_OF_KIND = {
    "text": dict.fromkeys(
        ("labels", "definitions", "scale", "passing", "mirrored"), "free text, which has no labels"
    ),
    "labels": {"scale": _UNORDERED, "passing": _UNORDERED},
}


def _labels(at: str, question: QuestionTable) -> Iterator[Misfit]:
    if question.kind == "text":
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
    for key, named in (("passing", question.passing), ("definitions", question.definitions)):
        yield from unknown(at, key, named, question.labels, "label")
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
