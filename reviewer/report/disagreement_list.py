"""The items on which raters disagree: how many in the text, each of them in an appendix."""

from collections import Counter
from collections.abc import Sequence

from reviewer.core.question import distances_in_words
from reviewer.core.sanitize import counted, one_line
from reviewer.report.document import Block, Paragraph, Picture, Section, Votes
from reviewer.results.labels.disagreements import Disagreement
from reviewer.study.design.study_bundle import StudyBundle

_APPENDIX = "Every item on which raters disagree"


def disagreement_blocks(disagreements: Sequence[Disagreement]) -> list[Block]:
    """How many items there are, by question, and where they are listed."""
    if not disagreements:
        return [Section("Disagreements"), Paragraph("There are none: all labels of every item are the same.")]
    counts = Counter(disagreement.question.title for disagreement in disagreements)
    by_question = ", ".join(
        f"{count:,} on {title}{_how_far(title, disagreements)}" for title, count in counts.items()
    )
    number = counted(len(disagreements), "item")
    text = f"Raters disagree on {number}: {by_question}. The appendix lists each of them."
    return [Section("Disagreements"), Paragraph(text)]


def _how_far(title: str, disagreements: Sequence[Disagreement]) -> str:
    """How far labels are apart, where they have an order: " (one step apart on 2)"."""
    apart = distances_in_words(item.steps for item in disagreements if item.question.title == title)
    return f" ({apart})" if apart else ""


def disagreement_appendix(
    bundle: StudyBundle, disagreements: Sequence[Disagreement], picture: Picture, *, comments: bool
) -> list[Block]:
    """The list, question by question; empty if raters disagree on no item."""
    if not disagreements:
        return []
    blocks: list[Block] = [Section(_APPENDIX, appendix=True)]
    left_out = "" if comments else " The raters' comments are left out."
    not_asked = ", or for a rater who was not asked" if bundle.design.panels else ""
    blocks.append(Paragraph(f"A dash stands for a missing label{not_asked}.{left_out}"))
    blocks.append(picture)
    for question in dict.fromkeys(disagreement.question.title for disagreement in disagreements):
        items = [disagreement for disagreement in disagreements if disagreement.question.title == question]
        blocks.append(Section(f"On {question}", 2))
        blocks += [_votes(bundle, disagreement, comments=comments) for disagreement in items]
    return blocks


def _votes(bundle: StudyBundle, disagreement: Disagreement, *, comments: bool) -> Votes:
    case, place = bundle.cases[disagreement.place.case], disagreement.place
    said = disagreement.comments if comments else {}
    lines = tuple((who, disagreement.said(who), said.get(who, "")) for who in disagreement.votes)
    title = f"{place.key} · {place.generator} · {place.case[:12]}"
    title += f" · {disagreement.distance}" if disagreement.distance else ""
    return Votes(title, one_line(bundle.protocol.headline(case), 120), lines)
