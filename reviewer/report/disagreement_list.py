"""Disagreements and final labels: how many in the text, each disputed item with its votes in an appendix."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import DIGITS
from reviewer.core.pane import Pair, Pane, Text, Variants
from reviewer.core.prose_diff import changed_sentences
from reviewer.core.question import Question, answer_in_words, distances_in_words
from reviewer.core.sanitize import counted, enumerated, visible
from reviewer.report.agreement_text import quoted
from reviewer.report.document import Block, Paragraph, Picture, Section, VoteLine, Votes, numbers
from reviewer.results.labels.disagreements import MOST_MATRIX_LINES, VotedItem
from reviewer.results.labels.final_labels import FinalLabel, FinalStatus, LabelRule, final_counts
from reviewer.results.labels.rater_work import Remark
from reviewer.results.tables.final_label_tables import final_counts_spec
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow
from store.records import StudyCase

_ALTERNATIVE = "A matrix of the labels of each rater; the list below has all of them."
_NOTHING = "(no such sentence)"
_HOW: Mapping[FinalStatus, str] = {
    FinalStatus.ADJUDICATED: "adjudicated by {who}",
    FinalStatus.MAJORITY: "majority",
    FinalStatus.MEDIAN: "median",
}


def disagreements_in_words(disagreements: Sequence[VotedItem], finals: Sequence[FinalLabel]) -> str:
    """How many items there are, by question, and where they are listed."""
    if not disagreements:
        votes = (len(final.item_votes.votes) for final in finals if final.question.answer_kind.is_compared)
        if not (compared := sum(number > 1 for number in votes)):
            return "No item has labels of two raters that can be compared, so no disagreement can be seen."
        return f"Raters disagree on none of the {counted(compared, 'item')} with two or more labels."
    counts = Counter(disagreement.question.title for disagreement in disagreements)
    by_question = ", ".join(
        f"{count:,} on “{title}”{_how_far(title, disagreements)}" for title, count in counts.items()
    )
    number = counted(len(disagreements), "item")
    return f"Raters disagree on {number}: {by_question}. The appendix lists each of them."


def _how_far(title: str, disagreements: Sequence[VotedItem]) -> str:
    """How far labels are apart, where they have an order: " (one step apart on 2)"."""
    apart = distances_in_words(item.steps for item in disagreements if item.question.title == title)
    return f" ({apart})" if apart else ""


def disagreement_appendix(
    bundle: StudyBundle,
    disagreements: Sequence[VotedItem],
    finals: Sequence[FinalLabel],
    remarks: Sequence[Remark] = (),
    *,
    comments: bool,
) -> list[Block]:
    """The list, case by case, with flags among the ``remarks``; empty if raters disagree on no item."""
    if not disagreements:
        return []
    not_asked = ", or a rater who was not asked" if bundle.design.panels else ""
    lacking = any(item.lacks_labels for item in disagreements)
    dash = f" A dash marks a missing label{not_asked}." if lacking else ""
    left_out = "" if comments else " The raters' comments are left out."
    lead = (
        "Each case with its texts (of two versions, the sentences that differ), and below them all votes on "
        f"each question on which raters disagree, with the final label. A title has the case's key"
        f"{', its generator,' if _several_generators(bundle) else ''} and the beginning of its digest, by "
        "which `reviewer show` finds it."
        f"{_not_printed(bundle, disagreements)}{dash}{left_out}"
    )
    settled = {(final.question.key, final.place.case): final for final in finals}
    flags: dict[tuple[str, str], list[str]] = {}
    for remark in remarks:
        if remark.kind == "flag":
            flags.setdefault(_item_of(remark), []).append(remark.rater)
    return [
        Section("Every item on which raters disagree", appendix=True),
        Paragraph(lead, ("reviewer show",)),
        Picture("disagreements", matrix_in_words(disagreements), _ALTERNATIVE),
        *(
            _votes(bundle, texts, items, settled, flags, comments=comments)
            for (_, texts), items in _by_texts(bundle, disagreements).items()
        ),
    ]


def _not_printed(bundle: StudyBundle, disagreements: Sequence[VotedItem]) -> str:
    """Which questions are about parts of their cases that the list leaves out; "" if none are."""
    other = [
        item.question.title
        for item in disagreements
        if _main_pane(bundle, item.place) not in (None, _asked_pane(bundle, item.question, item.place))
    ]
    if not other:
        return ""
    questions = quoted([*dict.fromkeys(other)])
    return f" On {questions} the list has only the votes; the command also shows what they are about."


def _by_texts(
    bundle: StudyBundle, disagreements: Sequence[VotedItem]
) -> dict[tuple[str, tuple[tuple[str, str], ...]], list[VotedItem]]:
    """The items of each case together, so that its texts stand there once; an entry has its own."""
    grouped: dict[tuple[str, tuple[tuple[str, str], ...]], list[VotedItem]] = {}
    for item in disagreements:
        texts = tuple(_texts(bundle, item.question, item.place))
        grouped.setdefault((item.place.case, texts), []).append(item)
    return grouped


def matrix_in_words(disagreements: Sequence[VotedItem]) -> str:
    """The caption of the figure; it explains only what the figure has."""
    missing = "; a dot marks a missing label" if any(item.lacks_labels for item in disagreements) else ""
    lines = len(disagreements) + len({item.question.key for item in disagreements})
    cut = (
        " The figure shows only the first of them, and the list below all."
        if lines > MOST_MATRIX_LINES
        else ""
    )
    splits = {(item.question.title, item.lead, item.steps) for item in disagreements}
    differ = len(splits) > len({title for title, _, _ in splits})
    order = ", the most even splits of each question first" if differ else ""
    return f"Items on which raters disagree{order}{missing}.{cut}"


def _votes(
    bundle: StudyBundle,
    texts: tuple[tuple[str, str], ...],
    items: Sequence[VotedItem],
    settled: Mapping[tuple[str, str], FinalLabel],
    flags: Mapping[tuple[str, str], Sequence[str]],
    *,
    comments: bool,
) -> Votes:
    """The items about the same texts of one case; a study of several questions names those of each item."""
    place, named = items[0].place, len(bundle.questions) > 1
    voted = []
    for item in items:
        at = item.question.key, place.case
        notes = _notes(item, settled.get(at), flags.get(at, ()), comments=comments)
        voted.append(VoteLine(_votes_in_words(item, settled.get(at), named=named), tuple(notes)))
    generator = place.generator if _several_generators(bundle) else ""
    return Votes(" · ".join(filter(None, (place.key, generator, place.case[:12]))), texts, tuple(voted))


def _several_generators(bundle: StudyBundle) -> bool:
    """Whether a title has to say who wrote its case."""
    return len({place.generator for place in bundle.counted}) > 1


def _votes_in_words(item: VotedItem, final: FinalLabel | None, *, named: bool) -> str:
    question = f"{item.question.title}: " if named else ""
    cast = " · ".join(f"{who} {item.said(who)}" for who in item.votes)
    distance = f" ({item.distance})" if item.distance else ""
    return f"{question}{cast}{distance}. {_final_in_words(final)}"


def _notes(
    item: VotedItem, final: FinalLabel | None, flagged: Sequence[str], *, comments: bool
) -> Iterator[tuple[str, str]]:
    """The reason of who decided the item, comments on it, and its flags, each under a name."""
    if final and final.reason and final.decision and comments:
        yield f"{final.decision.event.rater}'s reason", final.reason
    if comments:
        yield from ((f"{who} commented", text) for who, text in item.comments.items())
    if flagged:
        yield "flagged", f"by {enumerated(sorted(flagged))}"


def remark_appendix(
    bundle: StudyBundle,
    remarks: Sequence[Remark],
    disagreements: Sequence[VotedItem],
    finals: Sequence[FinalLabel],
    *,
    comments: bool,
) -> list[Block]:
    """The remarks on items without a disagreement, and all notes; empty where there are none.

    Without ``comments`` only flags are listed, since texts can tell who wrote them.
    """
    disputed = {(item.question.key, item.place.case) for item in disagreements}
    listed: dict[tuple[str, str], list[Remark]] = {}
    for remark in sorted(remarks, key=lambda remark: remark.event):
        hidden = remark.kind != "flag" and not comments
        if not hidden and (remark.kind == "note" or _item_of(remark) not in disputed):
            listed.setdefault(_item_of(remark), []).append(remark)
    if not listed:
        return []
    settled = {(final.question.key, final.place.case): final for final in finals}
    left_out = "" if comments else " The texts of comments and notes are left out."
    notes = ", and all notes on the work" if any(remark.kind == "note" for remark in remarks) else ""
    lead = (
        "Comments and flags of raters on items without a disagreement, below the labels of the item"
        f"{notes}.{left_out}"
    )
    blocks: list[Block] = [Section("Comments and flags on other items", appendix=True), Paragraph(lead)]
    order = {question.key: place for place, question in enumerate(bundle.questions)}
    for at in sorted(listed, key=lambda at: (order[at[0]], bundle.places[at[1]].position)):
        blocks.append(_remarked(listed[at], settled.get(at)))
    return blocks


def _remarked(remarks: Sequence[Remark], final: FinalLabel | None) -> Votes:
    """One item: its labels, and each remark with the answer of the lead."""
    place, question = remarks[0].place, remarks[0].question
    title = " · ".join(filter(None, (question.title, place.key, place.generator)))
    votes = final.item_votes.votes if final else ()
    cast = (
        " · ".join(f"{vote.rater} {answer_in_words(question, str(vote.label))}" for vote in votes)
        or "no label"
    )
    return Votes(title, (), (VoteLine(cast, tuple(_remark_in_words(remark) for remark in remarks)),))


def _remark_in_words(remark: Remark) -> tuple[str, str]:
    answer = ""
    if remark.answer:
        why = remark.answer.why
        answer = f" ({remark.answer.who} answered: {why})" if why else f" (dealt with by {remark.answer.who})"
    if remark.kind == "flag":
        return "flagged", f"by {remark.rater}{answer}"
    return remark.rater if remark.kind == "comment" else f"note of {remark.rater}", f"{remark.text}{answer}"


def _item_of(remark: Remark) -> tuple[str, str]:
    return remark.question.key, remark.place.case


def _final_in_words(final: FinalLabel | None) -> str:
    if final is None or final.label is None:
        return "No final label"
    who = final.decision.event.rater if final.decision else ""
    return f"Final: {answer_in_words(final.question, final.label)} ({_HOW[final.status].format(who=who)})"


def _texts(bundle: StudyBundle, question: Question, place: StudyCase) -> Iterator[tuple[str, str]]:
    """The texts of a case: of two versions the sentences that differ, else the whole."""
    case, main = bundle.cases[place.case], _main_pane(bundle, place)
    if entry := bundle.entry_text(question, place.case):
        yield "entry", _one_line(entry)
    match main.body if main else None:
        case Pair(left_title, right_title, Text(left), Text(right), reworded, compared):
            if compared and not reworded:
                left, right = changed_sentences(left, right)
            yield left_title, _lines(left) or _NOTHING
            yield right_title, _lines(right) or _NOTHING
        case Variants(texts):
            yield from ((title, _lines(body.text)) for title, body in texts)
        case Text(text):
            yield main.title if main else "", _lines(text)
        case _:
            yield "case", _one_line(bundle.protocol.headline(case))


def _main_pane(bundle: StudyBundle, place: StudyCase) -> Pane | None:
    """The pane of the study's first question. Later ones may be about other parts, which take pages."""
    asked = (_asked_pane(bundle, question, place) for question in bundle.questions)
    return next(filter(None, asked), None)


def _asked_pane(bundle: StudyBundle, question: Question, place: StudyCase) -> Pane | None:
    """The first pane that the question shows of this case."""
    panes = bundle.protocol.panes(bundle.cases[place.case], bundle.measurements[place.case])
    by_key = {pane.key: pane for pane in panes}
    return next((by_key[key] for key in question.shows if key in by_key), None)


def _lines(text: str) -> str:
    """A text without its blank lines, so that a list of options stays one."""
    return "\n".join(filter(None, map(_one_line, text.splitlines())))


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


_RULE = (
    "The final label of an item is the adjudicated label, if there is one. Otherwise it is the label of more "
    "than half of the votes. {votes}The numbers of "
    "agreement, and pass rates by majority and by unanimity, do not use final labels."
)
_MEDIAN_RULE = (
    "The final label of an item is the adjudicated label, if there is one. Otherwise it is the median of the "
    "votes where labels have an order (`--rule median`), and the label of more than half of the votes "
    "elsewhere. {votes}The numbers of agreement, and pass rates by majority and by unanimity, do not use "
    "final labels."
)


def final_blocks(
    bundle: StudyBundle,
    rows: Sequence[LabelRow],
    finals: Sequence[FinalLabel],
    rate: Callable[[Sequence[FinalLabel]], Estimate],
    digits: int = DIGITS,
    rule: LabelRule = "majority",
    *,
    comments: bool = True,
) -> list[Block]:
    """What a report says about final labels, once something was decided or the study is closed.

    ``rate`` gives the share of items that pass. With ``comments``, the appendix has the reasons of those who
    decided.
    """
    if bundle.study.closed_at is None and not any(final.adjudicated is not None for final in finals):
        return []
    decided = _MEDIAN_RULE if rule == "median" else _RULE
    votes = [votes_in_words(rows, finals), *_alike(finals), _without(finals, rule)]
    told = "".join(f"{sentence} " for sentence in votes if sentence)
    counts, caption = final_counts(finals, rate=rate), "Where final labels come from"
    return [
        Section("Final labels", 2),
        Paragraph(f"{_deciders(finals, comments=comments)} {decided.format(votes=told)}".strip()),
        numbers("final-labels", caption, final_counts_spec(counts), counts, digits),
        *_medians(finals),
    ]


def _without(finals: Sequence[FinalLabel], rule: LabelRule) -> str:
    """Which items have no final label; "" where every item has one."""
    if all(final.label is not None for final in finals):
        return ""
    between = "Items whose median falls between two labels, ties" if rule == "median" else "Ties"
    return f"{between} and items without votes have no final label."


def _alike(finals: Sequence[FinalLabel]) -> list[str]:
    """When answers other than one label are the same vote."""
    return [*filter(None, dict.fromkeys(final.question.answer_kind.alike for final in finals))]


def votes_in_words(rows: Sequence[LabelRow], finals: Sequence[FinalLabel]) -> str:
    """Which labels are votes, by the conditions that leave out a label; "" if every label is a vote."""
    given = [row for row in rows if row.label is not None]
    conditions = {
        "on counted cases": any(row.place.role != "counted" for row in given),
        "at the first showing of a case": any(row.verdict.slot.showing for row in given),
        "before anything was revealed": any(row.verdict.slot.phase == "after" for row in given),
        "on the present wording": any(final.item_votes.outdated for final in finals),
    }
    named = [condition for condition, excludes in conditions.items() if excludes]
    return f"Votes are the labels given {', '.join(named)}." if named else ""


def _medians(finals: Sequence[FinalLabel]) -> list[Block]:
    """What the median would give where labels have an order; empty where none have."""
    voted = [final.item_votes for final in finals if final.question.ordinal and final.item_votes.votes]
    if not voted:
        return []
    settled = sum(votes.median is not None for votes in voted)
    both = [votes for votes in voted if votes.median is not None and votes.majority is not None]
    equal = sum(votes.median == votes.majority for votes in both)
    between = "; on the others it falls between two labels" if settled < len(voted) else ""
    return [
        Paragraph(
            f"Where labels have an order, the median of the votes gives {settled:,} of "
            f"{counted(len(voted), 'item')} a label{between}. The majority "
            f"gives the same label on {equal:,} of the {counted(len(both), 'item')} that have both. "
            "`reviewer labels --rule median` lists these labels."
        )
    ]


def _deciders(finals: Sequence[FinalLabel], *, comments: bool) -> str:
    decided = [final for final in finals if final.adjudicated is not None]
    compared = [final for final in finals if final.question.answer_kind.is_compared]
    disputed = sum(final.item_votes.disputed for final in compared)
    whose = sorted({final.decision.event.rater for final in decided if final.decision})
    listed = comments and any(final.reason and final.item_votes.disputed for final in decided)
    settled = sum(final.item_votes.disputed for final in compared if final.adjudicated is not None)
    reasons = "; the appendix has the reasons" if listed else ""
    items = f"{counted(disputed, 'item')} on which raters disagree"
    if not whose:
        return f"Nobody adjudicated the {items}." if disputed else ""
    which = f"the {items}" if settled == disputed else f"{settled:,} of the {items}"
    adjudicated = which if disputed else counted(len(decided), "item")
    return f"{enumerated(whose)} adjudicated {adjudicated}{reasons}."
