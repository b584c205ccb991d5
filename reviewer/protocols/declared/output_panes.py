"""Outputs of a declaration: the pane whose texts a question ranks or is asked for each of, and the panes that
may be shown next to it.
"""

from collections.abc import Iterator

from reviewer.core.kind_of_answer import FEWEST_LABELS
from reviewer.core.ranked_outputs import BEFORE, MOST_RANKED, TIED
from reviewer.core.sanitize import shown
from reviewer.protocols.declared.declaration import Declaration, PaneTable, QuestionTable
from reviewer.protocols.declared.declaration_faults import Misfit, alike


def ranked_pane(question: QuestionTable, declaration: Declaration) -> PaneTable | None:
    """The pane whose texts a question ranks; None if it does not show exactly one pane of variants."""
    shows = [declaration.pane[key] for key in question.shows if key in declaration.pane]
    variants = [pane for pane in shows if pane.kind == "variants"]
    return variants[0] if len(variants) == 1 else None


def pane_of_each(question: QuestionTable, declaration: Declaration) -> PaneTable | None:
    """The pane of variants for each of whose texts a question is asked; None if it is a list, or none."""
    name = question.each or ""
    field, pane = declaration.fields.get(name), declaration.pane.get(name)
    is_list = field is not None and field.type == "list"
    is_of_outputs = pane is not None and pane.kind == "variants"
    return pane if is_of_outputs and not is_list else None


def outputs_of(question: QuestionTable, declaration: Declaration) -> tuple[str, ...]:
    """The names of the outputs that a question is about, in the order of the pane: the labels of a ranking,
    or else the titles of the texts; none if it is about no outputs.
    """
    is_ranked = question.answer_kind.is_ranked
    pane = ranked_pane(question, declaration) if is_ranked else pane_of_each(question, declaration)
    if pane is None or (is_ranked and question.labels):
        return question.labels if is_ranked else ()
    is_list = len(pane.fields) == 1
    return pane.titles or (() if is_list else tuple(map(declaration.title_of, pane.fields)))


def output_lists(declaration: Declaration) -> dict[str, int]:
    """Each field with a list of outputs, and how many there are."""
    about = [
        (pane, outputs_of(question, declaration))
        for question in declaration.question.values()
        for pane in (ranked_pane(question, declaration), pane_of_each(question, declaration))
        if pane is not None
    ]
    return {pane.fields[0]: len(outputs) for pane, outputs in about if outputs and len(pane.fields) == 1}


def ranking_misfits(at: str, question: QuestionTable, declaration: Declaration) -> Iterator[Misfit]:
    """Every fault of a question that ranks outputs; ``at`` names its table."""
    pane = ranked_pane(question, declaration)
    if pane is None:
        wrong = "a ranking is of the texts of one pane of kind variants; the question shows none or several"
        yield Misfit(at, "shows", wrong, 'name one pane with kind = "variants"')
        return
    yield from _of_outputs(at, "labels", question, pane, declaration)
    for output in outputs_of(question, declaration):
        if {*output} & {BEFORE, TIED}:
            wrong = f"{shown(output)!r} has a sign that stands between outputs of a ranking"
            yield Misfit(at, "labels", wrong, f"name it without {BEFORE} and {TIED}")
    for name in pane.fields:
        field = declaration.fields.get(name)
        if field is not None and field.optional:
            wrong = f"ranks field {name!r}, which is optional, and a case without it has one output less"
            yield Misfit(at, "shows", wrong, "take optional out of the field")
    yield from _telling(at, question, pane, declaration)


def output_misfits(
    at: str, question: QuestionTable, pane: PaneTable, declaration: Declaration
) -> Iterator[Misfit]:
    """Every fault of a question that is asked for each text of a pane; ``at`` names its table."""
    if question.answer_kind.is_ranked:
        wrong = f"asks for each text of pane {question.each!r}, and a ranking is of all of them at once"
        yield Misfit(at, "each", wrong, "leave it out")
        return
    if question.each not in question.shows:
        wrong = f"does not show pane {question.each!r}, whose texts it is asked about"
        yield Misfit(at, "shows", wrong, "name that pane there")
    yield from _of_outputs(at, "each", question, pane, declaration)
    yield from _telling(at, question, pane, declaration)


def _of_outputs(
    at: str, key: str, question: QuestionTable, pane: PaneTable, declaration: Declaration
) -> Iterator[Misfit]:
    outputs, is_list = outputs_of(question, declaration), len(pane.fields) == 1
    named = question.labels if question.answer_kind.is_ranked else ()
    if is_list and not outputs:
        wrong = f"is about the entries of the list {pane.fields[0]!r}, which have no names"
        where = "in labels" if question.answer_kind.is_ranked else "in titles of the pane"
        yield Misfit(at, key, wrong, f"name them {where}, in the order of the list")
        return
    if not is_list and len(outputs) != len(pane.fields):
        wrong = f"names {len(outputs)} outputs, and the pane shows {len(pane.fields)}"
        yield Misfit(at, key, wrong, "name each text of the pane once, or leave labels out")
    if not FEWEST_LABELS <= len(outputs) <= MOST_RANKED:
        wrong = f"names {len(outputs)} outputs; there can be {FEWEST_LABELS} to {MOST_RANKED}"
        yield Misfit(at, key, wrong, "name fewer or more of them")
    for first, second in alike(() if named else outputs):
        wrong = (
            f"{shown(second)!r} is there twice"
            if first == second
            else f"{shown(second)!r} is much like {shown(first)!r}"
        )
        remedy = "give each text a title of its own"
        yield Misfit(at, key, wrong, remedy + (", or name the outputs in labels" if key == "labels" else ""))


def _telling(
    at: str, question: QuestionTable, ranked: PaneTable, declaration: Declaration
) -> Iterator[Misfit]:
    """Panes that would tell which output is whose before the answer."""
    for key, panes in (("shows", question.shows), ("beside", question.beside)):
        for name in panes:
            pane = declaration.pane.get(name)
            if pane is None or pane == ranked:
                continue
            telling = [field for field in pane.fields if field in {*ranked.fields, *declaration.published}]
            if telling:
                wrong = f"shows pane {name!r}, which tells by {telling[0]!r} which output is whose"
                yield Misfit(at, key, wrong, "show it in reveals")
