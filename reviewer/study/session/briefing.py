"""What raters read before they begin, and before each new part of the work. Keys are not part of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from reviewer.core.number_text import whole
from reviewer.core.pane import Text
from reviewer.core.question import families
from reviewer.core.sanitize import agreeing, counted
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.reading_times import ReadingTimes
from reviewer.study.session.slot_order import Order
from reviewer.study.session.stopwatch import USUAL_SECONDS, usual_minutes

_READ_FOR_ESTIMATE = 12


@dataclass(frozen=True, slots=True)
class Card:
    """A title, and paragraphs that each have a heading."""

    title: str
    parts: tuple[tuple[str, Text], ...]


def briefing(bundle: StudyBundle, order: Order) -> Card:
    """The briefing of a study: its purpose, time, blinding and counted answers, as the study says."""
    what_for = bundle.design.briefing or (
        f"You judge cases of {bundle.protocol.title}. Your answers, and how far raters agree, show which "
        "cases are sound."
    )
    return Card(
        f"Welcome to study {bundle.study.name}",
        (
            ("What for", Text(what_for)),
            ("How long", Text(" ".join(_how_long(bundle, order)))),
            ("Who sees what", Text(" ".join(_who_sees_what(bundle)))),
            ("What counts", Text(" ".join(_what_counts(bundle, order)))),
        ),
    )


def part_card(bundle: StudyBundle, order: Order, position: int) -> Card:
    """What comes now: the training round, the study itself, or one of its questions with the guideline."""
    place, slot = order.place(position), order.slots[position]
    if bundle.design.asking == "case":
        return Card("Training" if place.training else "The study begins", (("Now", _now(order, position)),))
    question = bundle.question(slot.question)
    name = f"Question {place.question_number} of {place.question_count}: {question.title}"
    guideline = (("Guideline", question.guideline_body),) if question.guideline_parts else ()
    title = f"Training · {name}" if place.training else name
    return Card(title, (("Now", _now(order, position)), *guideline))


def _now(order: Order, position: int) -> Text:
    place = order.place(position)
    if place.training:
        return Text(
            "Training. After each answer you see whether it is right, and why. These answers are not counted."
        )
    cases = counted(place.case_count, "case")
    if order.by_case:
        return Text(
            f"{cases}, with {counted(place.question_count, 'question')} each. Your answers count from here."
        )
    first = "Your answers count from here. " if order.training and place.question_number == 1 else ""
    each = agreeing(place.case_count, "it", "each of them")
    return Text(f"{first}{cases}, and only this question about {each}.")


def _how_long(bundle: StudyBundle, order: Order) -> Iterator[str]:
    number = len(order.slots)
    seconds = _seconds_each(bundle, order)
    minutes = counted(usual_minutes(number, seconds), "minute")
    asked = len(families(bundle.questions))
    yield f"{counted(number, 'answer')} to {counted(asked, 'question')}, about {minutes}."
    why = "the median in earlier trials" if seconds == USUAL_SECONDS else "because some texts are long"
    yield f"The estimate counts {whole(seconds)} seconds for an answer, {why}."
    if bundle.design.asking == "case" and asked > 1:
        yield "You answer all questions about a case before the next case."
    elif asked > 1:
        yield "You answer one question for all cases before the next question."
    if order.training:
        many = f"The first {order.training} answers are training."
        yield agreeing(order.training, "The first answer is training.", many)
    if bundle.design.third:
        yield "You may be asked about more cases later."
    if bundle.design.stop is not None:
        yield "The study may end before you have answered everything."
    yield "Every answer is saved at once. You can leave at any time and go on later."


def _seconds_each(bundle: StudyBundle, order: Order) -> float:
    """The usual time of an answer, or what a fast reader needs for its texts if that is longer.

    A few slots at even distances stand for all of them, so that a large study opens as fast as a small one.
    """
    slots = order.slots[:: max(1, len(order.slots) // _READ_FOR_ESTIMATE)]
    reading, asked_together = ReadingTimes(bundle), len(bundle.questions) if order.by_case else 1
    times = []
    for slot in slots:
        questions = bundle.questions if order.by_case else (bundle.question(slot.question),)
        times.append(max(USUAL_SECONDS, reading.seconds(slot.case, questions) / asked_together))
    return mean(times) if times else USUAL_SECONDS


def _who_sees_what(bundle: StudyBundle) -> Iterator[str]:
    closed = "once the study is closed"
    when = closed if bundle.design.third else f"after finishing, or {closed}"
    yield (
        f"Raters judge alone: a rater sees the answers of others only {when}. The lead of the study has its "
        "files, and can read all answers and comments at any time."
    )
    reveal = bundle.design.reveal
    if reveal == "findings":
        yield "Right after each answer you see what checks and models found, and are asked once more."
        if bundle.design.machine_rater:
            yield "You then also see what a model answered to the same question."
    elif reveal == "back":
        yield (
            "What checks and models found on a case is hidden until you return to it after your answer and "
            "ask for it."
        )


def _what_counts(bundle: StudyBundle, order: Order) -> Iterator[str]:
    if bundle.design.reveal == "none":
        yield "Your newest answer counts. You can return to a case and correct it."
    elif bundle.design.reveal == "back":
        yield (
            "Your newest answer counts. You can return to a case and correct it until you see the findings. "
            "An answer after that is kept, but does not count."
        )
    else:
        yield "Your first answer counts. The one that you give after seeing the findings is kept beside it."
    if bundle.design.third:
        yield (
            "Two raters judge each case. Cases that you are asked about later are some on which these two "
            "differed and at least as many others; where they differed, your answer decides."
        )
    if bundle.design.confidence:
        yield (
            "After an answer you can say with one key whether you are sure, rather sure, or guess. You may "
            "leave it out; the answer counts the same."
        )
    yield "Comments and flags are for the people who settle disagreements."
    if order.training:
        yield "Training answers do not count."
