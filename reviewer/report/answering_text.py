"""How questions were put and answered: with the words of a case filled in, and what the ledger recorded.

What is said of answers comes from each of them, not from the design alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.pane import Pair
from reviewer.core.question import Question, families
from reviewer.core.sanitize import counted, enumerated
from reviewer.core.table import Cell, Table
from reviewer.report.agreement_text import quoted
from reviewer.report.document import Block, Numbers, Points, Section
from reviewer.results.labels.label_provenance import LabelProvenance
from reviewer.study.design.study_bundle import StudyBundle
from store.records import GivenBy, StudyCase

_WHERE: dict[GivenBy, str] = {
    "app": "In the terminal app",
    "plain": "In plain mode, where the app reads cases out line by line",
    "browser": "In the app in a browser window",
    "pack": "In the app, in a file of the rater's own (a pack)",
    "spreadsheet": "In a spreadsheet that was read in",
    "import": "In another tool, from which they were imported",
}
_SHORT: dict[GivenBy, str] = {
    "app": "app",
    "plain": "plain mode",
    "browser": "browser",
    "pack": "pack",
    "spreadsheet": "spreadsheet",
    "import": "another tool",
}
_ORDERS = {
    "question": "question by question, with the cases of each question in a random order for each rater",
    "case": "case by case in a random order for each rater, with all questions about a case together",
}
_COMMON_ORDERS = {
    "question": "question by question, with the cases of each question in one random order for all raters",
    "case": "case by case in one random order for all raters, with all questions about a case together",
}
"""The same in a study that may be stopped early."""
_REVEALS = {
    "back": "when the rater returned to the case and asked for them",
    "findings": "right after the answer, and a second verdict was asked for",
}
_UNKNOWN = {
    "spreadsheet": "The order of answers was not recorded, and no time was measured. Nothing was revealed by "
    "the sheet.",
    "import": "This program does not know what the other tool showed, in which order, or what it revealed.",
}
_ANY_ORDER = (
    "Raters may have answered in another order: a line may name its case and question, and which lines did "
    "so was not recorded."
)
_UNRECORDED = "Which texts of a case were visible before these answers was not recorded."
_NOTE = (
    "A number in brackets counts the answers before which a pane of the case (or, in a spreadsheet, a column "
    "with content) was visible. Without a number, it was visible before all of them."
)


def ways_blocks(bundle: StudyBundle, ways: Sequence[LabelProvenance]) -> list[Block]:
    """A point for each way in which labels were given, and what was visible."""
    if not ways:
        return []
    return [
        Section("How answers were given", 2),
        Points(tuple(" ".join(_sentences(bundle, way)) for way in ways)),
        *_visible_blocks(bundle, ways),
    ]


def _visible_blocks(bundle: StudyBundle, ways: Sequence[LabelProvenance]) -> list[Block]:
    """The panes that were visible as a table; empty if this was not recorded."""
    counts = [
        (count, way.asked[question])
        for way in ways
        for question, panes in way.panes.items()
        for count in panes.values()
    ]
    if not counts:
        return []
    some = any(count < asked for count, asked in counts)
    table, caption = _visible(bundle, ways), "What was visible before the answer"
    marked = marked_differences(bundle) if any(way.in_the_app for way in ways) else ""
    notes = (_NOTE if some else "", marked, *named_in_questions(bundle))
    return [Numbers("panes", caption, table, tuple(filter(None, notes)), keys=3)]


def _sentences(bundle: StudyBundle, way: LabelProvenance) -> Iterator[str]:
    yield f"{_WHERE[way.given]}: {counted(way.labels, 'label')} of {', '.join(way.raters)}."
    if way.in_the_app:
        yield f"Answered {_days(way)} (UTC)."
        orders = _ORDERS if bundle.design.stop is None else _COMMON_ORDERS
        yield f"The app asked {orders[bundle.design.asking]}."
        if bundle.design.third:
            yield "Cases that a rater was asked about for third votes came after the others, in random order."
        if way.given == "plain":
            yield _ANY_ORDER
        if not any(way.panes.values()):
            yield _UNRECORDED
        yield from _revealed(bundle, way)
        if way.exchanged[1]:
            exchanged, could = way.exchanged
            yield (
                f"In {exchanged:,} of {could:,} answers{_sided(bundle, way)} the two texts were shown in "
                "exchanged order."
            )
    else:
        yield f"The days on which they were answered are not known; they were read in {_days(way)} (UTC)."
        yield _UNKNOWN[way.given]
        if way.given == "spreadsheet" and not any(way.panes.values()):
            yield _UNRECORDED
        yield from _revealed(bundle, way)


def _sided(bundle: StudyBundle, way: LabelProvenance) -> str:
    """The questions whose texts could be exchanged, where a study has others: " on “same task”"."""
    titles = [question.title for question in bundle.questions if question.key in way.sided]
    return f" on {quoted(titles)}" if len(bundle.questions) > len(titles) else ""


def _revealed(bundle: StudyBundle, way: LabelProvenance) -> Iterator[str]:
    """What raters saw after their answers."""
    if way.revealed:
        yield f"After {way.revealed:,} of these answers the rater saw the findings, {_when(bundle, way)}."
        yield _second_verdicts(way.second)
    elif way.in_the_app:
        yield "Nothing more about a case was shown to raters after these answers."


def _when(bundle: StudyBundle, way: LabelProvenance) -> str:
    """When answers revealed something."""
    if way.in_the_app:
        return _REVEALS.get(bundle.design.reveal, "later")
    return "later, in the app"


def _second_verdicts(count: int) -> str:
    if not count:
        return "No second verdict followed."
    verb = "is" if count == 1 else "are"
    return (
        f"{counted(count, 'second verdict')} followed, which {verb} kept apart and not counted in agreement "
        "and pass rates."
    )


def _days(way: LabelProvenance) -> str:
    first, last = way.saved
    return f"on {first}" if first == last else f"from {first} to {last}"


def _visible(bundle: StudyBundle, ways: Sequence[LabelProvenance]) -> Table:
    rows: list[list[Cell]] = [
        [_SHORT[way.given], family[0].title, sum(way.asked[key] for key in keys), _panes(way, keys)]
        for way in ways
        for family in families(bundle.questions)
        if (keys := [question.key for question in family if way.asked.get(question.key)])
    ]
    return Table.of(("way", "question", "labels", "visible"), rows)


def _panes(way: LabelProvenance, questions: Sequence[str]) -> str:
    asked, panes = sum(way.asked[key] for key in questions), Counter[str]()
    for key in questions:
        panes.update(way.panes.get(key, {}))
    named = (
        key.replace("_", " ") + (f" ({count:,})" if count < asked else "")
        for key, count in sorted(panes.items(), key=lambda pair: (-pair[1], pair[0]))
    )
    return ", ".join(named) or "not recorded"


_FIELD = re.compile(r"\{(\w+)\}")


def example_of(bundle: StudyBundle, question: Question) -> StudyCase | None:
    """The first case of the study about which the question is asked; where it can be, one that fills all of
    its fields.
    """
    asked = [slot.case for slot in bundle.slots(question)]
    full = (case for case in asked if all(_fields(bundle, question, case).values()))
    case = next(full, asked[0] if asked else None)
    return None if case is None else bundle.places[case]


def filled_fields(bundle: StudyBundle, question: Question) -> Mapping[str, str]:
    """Each field of the prompt with the words of the example; empty where a prompt has none."""
    place = example_of(bundle, question)
    return {} if place is None else _fields(bundle, question, place.case)


def _fields(bundle: StudyBundle, question: Question, case: str) -> dict[str, str]:
    named = dict.fromkeys(_FIELD.findall(question.template))
    if not named:
        return {}
    terms = dict(bundle.terms(case))
    if not question.outputs:
        terms["entry"] = bundle.entry_text(question, case)
    return {name: terms[name] for name in named if name in terms}


def filled_prompt(bundle: StudyBundle, question: Question) -> str:
    """The prompt with the words of the example."""
    text = question.template
    for name, words in filled_fields(bundle, question).items():
        text = text.replace("{" + name + "}", words)
    return text


def filled_example(bundle: StudyBundle, question: Question) -> tuple[str, str] | None:
    """A case, and the prompt as raters read it about this case; None if the prompt is always the same."""
    place = example_of(bundle, question)
    if place is None or not filled_fields(bundle, question):
        return None
    return f"About case “{place.key}”:", filled_prompt(bundle, question)


def named_in_questions(bundle: StudyBundle) -> Iterator[str]:
    """What the wording of questions tells of a case, a sentence each."""
    for family in families(bundle.questions):
        question = family[0]
        if filled_fields(bundle, question):
            yield (
                f"The wording of {question.title} tells raters more about each case, such as “"
                f"{filled_prompt(bundle, question)}”."
            )


def marked_differences(bundle: StudyBundle) -> str:
    """For which questions the app marks how two texts differ; "" for none."""
    titles = [family[0].title for family in families(bundle.questions) if _marks(bundle, family[0])]
    if not titles:
        return ""
    return f"For {enumerated(titles)}, the app marks the passages in which the two texts differ."


def _marks(bundle: StudyBundle, question: Question) -> bool:
    place = example_of(bundle, question)
    if place is None:
        return False
    panes = bundle.protocol.panes(bundle.cases[place.case], bundle.measurements[place.case])
    shown = (pane.body for pane in panes if pane.key in question.shows)
    return any(isinstance(body, Pair) and body.compared for body in shown)
