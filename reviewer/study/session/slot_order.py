"""The order of a study's slots for one rater, which depends only on the study and the rater's seed."""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby

from reviewer.core.question import families
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.side_order import by_letter
from reviewer.study.session.verdicts import Slot, State

_Shown = tuple[str, int]
"""A case's digest, and the number of the showing."""


@dataclass(frozen=True, slots=True)
class RaterPosition:
    """A position counted from 1: question number of how many, case number of how many."""

    question_number: int
    question_count: int
    case_number: int
    case_count: int
    training: bool = False


class Order:
    """Slots in blocks, one per question or one per case. Of a question that is asked for each entry of a
    list, those about a case follow each other. The training round comes first, and lists of cases that a
    rater was asked about later come last. ``outputs_seed`` gives the order of outputs, which is the rater's
    own also where all raters see cases in one order.
    """

    def __init__(self, bundle: StudyBundle, order_seed: int, outputs_seed: int) -> None:
        self.by_case = bundle.design.asking == "case"
        self._families = {question.key: question.family for question in bundle.questions}
        shown = (_training(bundle, order_seed), _main(bundle, order_seed), *_later(bundle, order_seed))
        parts = [_laid_out(bundle, some, outputs_seed) for some in shown]
        self.slots = tuple(chain(*parts))
        self.training = len(parts[0])
        """The number of training slots; they come first."""
        ends = [*accumulate(map(len, parts))]
        self._parts = [
            _blocks(range(end - len(part), end), self._key) for part, end in zip(parts, ends, strict=True)
        ]
        self._block_of = [block for part in self._parts for block in part for _ in block]
        self._numbers = {
            block: (number, len(part)) for part in self._parts for number, block in enumerate(part, 1)
        }
        by_entry = not self.by_case and any(question.entry for question in bundle.questions)
        self._runs = [*self._runs_of_cases()] if by_entry else []

    def block(self, position: int) -> range:
        """The positions of the block that contains a position."""
        return self._block_of[position]

    def coming(self, position: int) -> Iterator[tuple[Iterable[int], State]]:
        """Where to look for the next slot, in turn, and which state it must have there.

        Question by question, skipped slots come again at the end of their question. Case by case, they come
        at the very end, so that skipping all questions of a case puts off the whole case.
        """
        block, end = self.block(position), len(self.slots)
        within = (range(position + 1, block.stop), range(block.start, position))
        others = (range(block.stop, end), range(block.start))
        yield chain(*within), State.OPEN
        if not self.by_case:
            yield chain(*within), State.SKIPPED
        yield chain(*others), State.OPEN
        rest = (range(position + 1, end), range(position)) if self.by_case else others
        yield chain(*rest), State.SKIPPED

    def place(self, position: int) -> RaterPosition:
        """A position in numbers for people. The training round is counted separately."""
        block, is_training = self.block(position), position < self.training
        within, (which, count) = position - block.start + 1, self._numbers[block]
        if self.by_case:
            return RaterPosition(within, len(block), which, count, is_training)
        if self._runs:
            _, within, cases = self._runs[position]
        else:
            cases = len(block)
        return RaterPosition(which, count, within, cases, is_training)

    def part(self, position: int) -> tuple[bool, str]:
        """The part of the work at a position: whether it is training, and the question ("" case by case)."""
        family = self._families[self.slots[position].question]
        return position < self.training, "" if self.by_case else family

    def together(self, position: int) -> range:
        """The positions of the questions about one case that are answered one after the other."""
        if self.by_case:
            return self.block(position)
        return self._runs[position][0] if self._runs else range(position, position + 1)

    def _runs_of_cases(self) -> Iterator[tuple[range, int, int]]:
        """For each position: those about the same case, and the case's number in the block of how many."""
        for block in (block for part in self._parts for block in part):
            runs = _blocks(block, lambda at: (self.slots[at].case, self.slots[at].showing))
            for number, run in enumerate(runs, 1):
                yield from ((run, number, len(runs)) for _ in run)

    def _key(self, position: int) -> Hashable:
        slot = self.slots[position]
        return (slot.case, slot.showing) if self.by_case else self._families[slot.question]


def _blocks(positions: range, key: Callable[[int], Hashable]) -> list[range]:
    runs = [list(run) for _, run in groupby(positions, key)]
    return [range(run[0], run[-1] + 1) for run in runs]


def _training(bundle: StudyBundle, order_seed: int) -> list[_Shown]:
    """The training cases, for questions with a known answer."""
    digests = shuffled((place.case for place in bundle.sample if place.role == "training"), order_seed)
    return [(digest, 0) for digest in digests]


def _main(bundle: StudyBundle, order_seed: int) -> list[_Shown]:
    """Counted and gold cases, mixed."""
    training = {place.case for place in bundle.sample if place.role == "training"}
    apart = training.union(*bundle.later_lists)
    order = [digest for digest in shuffled(bundle.cases, order_seed) if digest not in apart]
    return _with_repeats(order, frozenset(bundle.design.repeated), order_seed)


def _later(bundle: StudyBundle, order_seed: int) -> Iterator[list[_Shown]]:
    """Each list of cases that the rater was asked about later, which is in random order."""
    for cases in bundle.later_lists:
        here = [case for case in cases if case in bundle.cases]
        yield _with_repeats(here, frozenset(bundle.design.repeated), order_seed)


def _laid_out(bundle: StudyBundle, shown: Sequence[_Shown], outputs_seed: int) -> list[Slot]:
    """The slots of the cases; those about the outputs of a case in the order of their letters."""
    parts = [[family] for family in families(bundle.questions)]
    if bundle.design.asking == "case":
        parts = [[*chain(*parts)]]
    slots = (
        Slot(case, asked.key, showing)
        for part in parts
        for case, showing in shown
        for family in part
        for asked in by_letter(family, outputs_seed, Slot(case, family[0].key, showing))
    )
    return [slot for slot in slots if bundle.asks(slot.question, slot.case)]


def _with_repeats(order: Sequence[str], repeated: frozenset[str], seed: int) -> list[_Shown]:
    """The order with each repeated case first in the first half, and again at least half the order later."""
    placed: list[tuple[float, _Shown]] = []
    for rank, case in enumerate(order):
        first = rank / len(order)
        if case in repeated:
            first /= 2
            placed.append((first + 0.5 + (0.5 - first) * _fraction(seed, case), (case, 1)))
        placed.append((first, (case, 0)))
    return [shown for _, shown in sorted(placed, key=lambda ranked: ranked[0])]


def _fraction(seed: int, case: str) -> float:
    """A number from 0 to 1 that depends only on seed and case."""
    digest = hashlib.sha256(f"{seed}\0place of the repeat\0{case}".encode()).digest()
    return float(int.from_bytes(digest[:4], "big")) / 2**32
