"""Questions as raters read them: with the words of one case filled in, as an example."""

import re
from collections.abc import Iterator, Mapping

from reviewer.core.pane import Pair
from reviewer.core.question import Question, families
from reviewer.core.sanitize import enumerated
from reviewer.study.design.study_bundle import StudyBundle
from store.records import StudyCase

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


def example_lines(bundle: StudyBundle, question: Question) -> list[str]:
    """The prompt as raters read it about one case, if it differs from case to case."""
    place = example_of(bundle, question)
    if place is None or not filled_fields(bundle, question):
        return []
    return [f"About case {place.key}: {filled_prompt(bundle, question)}"]


def examples_in_words(bundle: StudyBundle) -> str:
    """Of which cases the words are that are filled in; "" where no prompt has any."""
    asked = [family[0] for family in families(bundle.questions)]
    cases = [example_of(bundle, question) for question in asked if filled_fields(bundle, question)]
    keys = dict.fromkeys(case.key for case in cases if case)
    if not keys:
        return ""
    of = f"case {enumerated([*keys])}" if len(keys) == 1 else f"cases {enumerated([*keys])}"
    return f"The app fills in words of each case; those above are of {of}. "


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
