"""Definitions of groups that came with datasets, as a new study takes them over and freezes them."""

from collections.abc import Iterable, Sequence

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.core.sanitize import counted, is_blank, shown
from reviewer.protocols.base import Protocol
from store.records import Case

_SHOWN = "definition"
"""The placeholder and the pane that show the definition of a group."""


def frozen_definitions(protocol: Protocol, cases: Iterable[Case]) -> dict[str, str]:
    """The definitions of the groups of these cases that came with datasets."""
    groups = sorted({case.group for case in cases})
    return {group: protocol.definitions[group] for group in groups if group in protocol.definitions}


def check_groups(protocol: Protocol, questions: Sequence[Question], cases: Sequence[Case]) -> None:
    """Raise RequestError if a question shows the definition of a group that has none."""
    needs = next((question for question in questions if _shows_definition(question)), None)
    if needs is None:
        return
    for group in dict.fromkeys(case.group for case in cases):
        if is_blank(protocol.group(group).definition):
            raise RequestError(
                f"question {needs.key!r} shows the definition of the {protocol.group_noun}, and "
                f"{shown(group)!r} has none; import the data again with --groups and a file of definitions."
            )


def check_listed(protocol: Protocol, dataset: str, cases: Iterable[Case]) -> None:
    """Raise RequestError for cases of groups that the protocol does not list: none is left out silently."""
    known = {group.name for group in protocol.groups}
    if not known:
        return
    strange = [case.group for case in cases if case.group not in known]
    if strange:
        raise RequestError(
            f"dataset {dataset!r} has {counted(len(strange), 'case')} of groups that {protocol.title} does "
            f"not list, such as {shown(strange[0])!r}; list the group, or withdraw these cases with "
            "`reviewer datasets withdraw`."
        )


def _shows_definition(question: Question) -> bool:
    return "{" + _SHOWN + "}" in question.prompt or _SHOWN in (*question.shows, *question.beside)
