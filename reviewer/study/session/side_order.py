"""Which side of a pair is on the left, and the order of outputs: at random for each rater and case.

Sides are exchanged if the study and the question allow it. Outputs always have an order of their own, and
letters in the place of their names until the answer is final.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from reviewer.core.pane import Pair, Pane, Sheet, Tree, Variants
from reviewer.core.question import Question, Sides
from reviewer.core.table import Table
from reviewer.protocols.altered_case import ALTERED
from reviewer.study.session.verdicts import Slot


def sides_exchanged(order_seed: int, slot: Slot) -> bool:
    """Whether the sides are exchanged: a coin toss that depends only on rater, case and showing."""
    coin = hashlib.sha256(f"{order_seed}\0sides\0{slot.case}\0{slot.showing}".encode()).digest()
    return bool(coin[0] & 1)


def with_sides(sheet: Sheet, sides: Sides, *, exchanged: bool, named: bool) -> Sheet:
    """The sheet with the sides of its pairs, trees and tables in their places.

    Unless the versions may be ``named``, pairs are titled only "left" and "right" or the like, and panes that
    would identify the versions are left out.
    """
    first, beside = (
        tuple(_placed(pane, sides, exchanged, named) for pane in panes if named or _is_blind(pane, sides))
        for panes in (sheet.first, sheet.beside)
    )
    return Sheet(first, beside)


def _is_blind(pane: Pane, sides: Sides) -> bool:
    return isinstance(pane.body, Pair) or pane.key in (*sides.neutral, ALTERED)


def _placed(pane: Pane, sides: Sides, exchanged: bool, named: bool) -> Pane:
    if not isinstance(pane.body, Pair | Tree | Table):
        return pane
    body = pane.body.exchanged() if exchanged else pane.body
    if isinstance(body, Pair) and not named:
        left, right = sides.titles
        body = body.titled(f"{pane.title} · {left}", f"{pane.title} · {right}")
    return replace(pane, body=body)


LETTERS = "ABCDEFGHI"
"""The names under which raters see outputs, in the order in which they see them."""


def output_order(order_seed: int, slot: Slot, number: int) -> tuple[int, ...]:
    """The places of outputs in the order in which a rater sees them at all questions about a case."""

    def drawn(place: int) -> bytes:
        return hashlib.sha256(
            f"{order_seed}\0outputs\0{slot.case}\0{slot.showing}\0{place}".encode()
        ).digest()

    return tuple(sorted(range(number), key=drawn))


def output_letters(question: Question, order_seed: int, slot: Slot) -> dict[str, str]:
    """The letter of each output that a question is about, in the order in which a rater sees it."""
    outputs = question.lettered
    order = output_order(order_seed, slot, len(outputs))
    return {outputs[place]: letter for place, letter in zip(order, LETTERS, strict=False)}


def by_letter(family: Sequence[Question], order_seed: int, slot: Slot) -> list[Question]:
    """The questions about the outputs of a case in the order of their letters; all others as they are."""
    order = output_order(order_seed, slot, len(family[0].outputs))
    return sorted(family, key=lambda question: order.index(question.entry - 1) if order else 0)


def under_letters(question: Question, letters: Mapping[str, str]) -> Question:
    """The question as a rater is asked it: with letters in the place of the names of outputs."""
    if question.answer_kind.is_ranked:
        return question.model_copy(update={"labels": tuple(letters.values())})
    prompt = question.template.replace("{entry}", letters[question.output])
    return question.model_copy(update={"prompt": prompt})


def output_orders(questions: Iterable[Question], order_seed: int, slot: Slot) -> dict[str, tuple[int, ...]]:
    """The order of outputs in each pane whose texts a question is about, also before a repair."""
    return {
        f"{pane}{before}": output_order(order_seed, slot, len(question.lettered))
        for question in questions
        if question.lettered
        for pane in (*question.shows, *question.beside)
        for before in ("", "_before")
    }


def with_outputs(sheet: Sheet, orders: Mapping[str, tuple[int, ...]], *, named: bool) -> Sheet:
    """The sheet with outputs in their order, by the key of their pane; ``named``: with their names too."""
    return Sheet(
        *(
            tuple(_ordered(pane, orders.get(pane.key, ()), named) for pane in panes)
            for panes in (sheet.first, sheet.beside)
        )
    )


def without_names(pane: Pane) -> Pane:
    """The pane with numbers in the place of the names of outputs, for people who still have to judge them."""
    if not isinstance(pane.body, Variants):
        return pane
    texts = tuple((str(number), body) for number, (_, body) in enumerate(pane.body.texts, 1))
    return replace(pane, body=replace(pane.body, texts=texts))


def _ordered(pane: Pane, order: tuple[int, ...], named: bool) -> Pane:
    if not isinstance(pane.body, Variants) or len(pane.body.texts) != len(order):
        return pane
    texts = zip(LETTERS, (pane.body.texts[place] for place in order), strict=False)
    titled = tuple((f"{letter} · {title}" if named else letter, body) for letter, (title, body) in texts)
    return replace(pane, body=replace(pane.body, texts=titled))
