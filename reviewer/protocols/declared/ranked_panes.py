"""Rankings of a declaration: the pane whose texts a question ranks, and what may be shown next to it."""

from collections.abc import Iterator

from reviewer.core.kind_of_answer import FEWEST_LABELS
from reviewer.core.ranked_outputs import MOST_RANKED
from reviewer.core.ranking_text import BEFORE, TIED
from reviewer.core.sanitize import shown
from reviewer.protocols.declared.declaration import Declaration, PaneTable, QuestionTable
from reviewer.protocols.declared.faults import Misfit, alike


def ranked_pane(question: QuestionTable, declaration: Declaration) -> PaneTable | None:
    """The pane whose texts a question ranks; None if it does not show exactly one pane of variants."""
    shows = [declaration.pane[key] for key in question.shows if key in declaration.pane]
    variants = [pane for pane in shows if pane.kind == "variants"]
    return variants[0] if len(variants) == 1 else None


def outputs_of(question: QuestionTable, declaration: Declaration) -> tuple[str, ...]:
    """The names of the outputs, in the order of the pane: the labels, or else the titles of the texts."""
    pane = ranked_pane(question, declaration)
    if question.labels or pane is None:
        return question.labels
    return pane.titles or tuple(map(declaration.title_of, pane.fields))


def ranked_lists(declaration: Declaration) -> dict[str, int]:
    """Each field with a list of outputs to rank, and how many there are."""
    ranked = [
        (pane, outputs_of(question, declaration))
        for question in declaration.question.values()
        if question.answer_kind.is_ranked and (pane := ranked_pane(question, declaration))
    ]
    return {pane.fields[0]: len(outputs) for pane, outputs in ranked if len(pane.fields) == 1}


def ranking_misfits(at: str, question: QuestionTable, declaration: Declaration) -> Iterator[Misfit]:
    """Every fault of a question that ranks outputs; ``at`` names its table."""
    pane = ranked_pane(question, declaration)
    if pane is None:
        wrong = "a ranking is of the texts of one pane of kind variants; the question shows none or several"
        yield Misfit(at, "shows", wrong, 'name one pane with kind = "variants"')
        return
    yield from _of_outputs(at, question, pane, declaration)
    for name in pane.fields:
        field = declaration.fields.get(name)
        if field is not None and field.optional:
            wrong = f"ranks field {name!r}, which is optional, and a case without it has one output less"
            yield Misfit(at, "shows", wrong, "take optional out of the field")
    yield from _telling(at, question, pane, declaration)


def _of_outputs(
    at: str, question: QuestionTable, pane: PaneTable, declaration: Declaration
) -> Iterator[Misfit]:
    outputs, is_list = outputs_of(question, declaration), len(pane.fields) == 1
    if is_list and not (question.labels or pane.titles):
        wrong = f"ranks the entries of the list {pane.fields[0]!r}, which have no names"
        yield Misfit(at, "labels", wrong, "name them in labels, in the order of the list")
        return
    if not is_list and len(outputs) != len(pane.fields):
        wrong = f"names {len(outputs)} outputs, and the pane shows {len(pane.fields)}"
        yield Misfit(at, "labels", wrong, "name each text of the pane once, or leave labels out")
    if not FEWEST_LABELS <= len(outputs) <= MOST_RANKED:
        wrong = f"names {len(outputs)} outputs; a ranking is of {FEWEST_LABELS} to {MOST_RANKED}"
        yield Misfit(at, "labels", wrong, "name fewer or more of them")
    for first, second in alike(() if question.labels else outputs):
        wrong = (
            f"{shown(second)!r} is there twice"
            if first == second
            else f"{shown(second)!r} is much like {shown(first)!r}"
        )
        yield Misfit(at, "labels", wrong, "give each text a title of its own, or name the outputs in labels")
    for output in outputs:
        if {*output} & {BEFORE, TIED}:
            wrong = f"{shown(output)!r} has a sign that stands between outputs of a ranking"
            yield Misfit(at, "labels", wrong, f"name it without {BEFORE} and {TIED}")


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
