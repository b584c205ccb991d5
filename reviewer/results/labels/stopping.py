"""Whether a study with a stop rule may make its claim now, however often anybody has looked.

Only the longest beginning of the common order counts in which every case is complete. Counting cases as they
get complete would select those without a dispute, and make false claims more frequent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reviewer.agreement.confidence_sequence import ConfidenceSequence
from reviewer.core.number_text import percent, short_number
from reviewer.core.question import Question
from reviewer.core.sanitize import counted, enumerated
from reviewer.results.labels.final_labels import FinalLabel, final_labels
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import common_order
from reviewer.study.session.third_vote import fixed_votes_differ, has_both_votes
from store.records import Event, StudyCase


@dataclass(frozen=True)
class StopClaim:
    """The claim about one question: what is known of it now.

    ``held_up`` is the case at which the count stops, and ``waits_for`` what it lacks; None and "" if all are
    complete. ``beyond`` counts complete cases behind it, which do not count yet.
    """

    question: Question
    above: float
    sequence: ConfidenceSequence
    undecided: int
    held_up: StudyCase | None
    waits_for: str
    beyond: int

    @property
    def may_be_made(self) -> bool:
        """Whether the claim may be made now."""
        return self.sequence.is_above(self.above)


def claims(
    bundle: StudyBundle, events: Sequence[Event], finals: Iterable[FinalLabel] | None = None
) -> list[StopClaim]:
    """The claim about each question of the stop rule; empty without a rule."""
    rule = bundle.design.stop
    if rule is None:
        return []
    known = final_labels(bundle, events) if finals is None else finals
    by_item = {(final.question.key, final.place.case): final for final in known}
    order = common_order(bundle.study.seed, (place.case for place in bundle.counted))
    return [
        _claim(
            bundle,
            question,
            [by_item[question.key, case] for case in order if (question.key, case) in by_item],
        )
        for question in bundle.questions
        if question.key in rule.sizes
    ]


def _claim(bundle: StudyBundle, question: Question, finals: Sequence[FinalLabel]) -> StopClaim:
    rule = bundle.design.stop
    assert rule is not None
    lacks = [_lacks(bundle, final) for final in finals]
    complete = next((at for at, lack in enumerate(lacks) if lack), len(finals))
    counted_ones = finals[:complete]
    held_up = finals[complete].place if complete < len(finals) else None
    passed = sum(final.passes is True for final in counted_ones)
    size = max(rule.sizes[question.key], len(finals))
    return StopClaim(
        question,
        rule.above,
        ConfidenceSequence(size, complete, passed, rule.level),
        sum(final.label is None for final in counted_ones),
        held_up,
        lacks[complete] if held_up else "",
        sum(not lack for lack in lacks[complete:]),
    )


def _lacks(bundle: StudyBundle, final: FinalLabel) -> str:
    """What an item lacks to be complete, in words; "" if it is complete."""
    if final.adjudicated is not None:
        return ""
    design, case = bundle.design, final.place.case
    given = {row.rater: row.label or "" for row in final.item_votes.votes}
    asked = design.panels.get(case) or [person.rater for person in bundle.raters]
    missing = [rater for rater in asked if rater not in given and rater not in bundle.excluded]
    if missing:
        return f"an answer of {enumerated(missing)}"
    if not design.third:
        return ""
    if not has_both_votes(design, case, given):
        return "two votes, which it cannot get since a rater was left out"
    waits = fixed_votes_differ(design, case, given) and len(given) < 3
    return "a third vote" if waits else ""


def claims_in_words(made: Sequence[StopClaim]) -> list[str]:
    """Sentences for the lead: whether the claim may be made now, and what holds the count up."""
    if not made:
        return []
    limit = f"more than {percent(made[0].above, None)} of all cases pass"
    ready = [claim for claim in made if claim.may_be_made]
    of = "" if len(made) == 1 else f" on each of {counted(len(made), 'question')}"
    if len(ready) == len(made):
        first = f"The claim that {limit}{of} may be made now, whatever has been looked at before."
    elif ready:
        names = enumerated([claim.question.title for claim in ready])
        first = f"The claim that {limit}{of} may not be made yet; on {names} alone it may."
    else:
        first = f"The claim that {limit}{of} may not be made yet."
    return [first, *(_in_words(claim) for claim in made)]


def _in_words(claim: StopClaim) -> str:
    known = claim.sequence
    if not known.seen:
        return (
            f"{claim.question.title}: no case is complete yet at the beginning of the common order."
            + "".join(f" {sentence}" for sentence in _held_up(claim))
        )
    low, high = known.ends
    told = (
        f"{claim.question.title}: {known.passed:,} of the first {counted(known.seen, 'case')} of the common "
        f"order pass; from {percent(low)} to {percent(high)} of all {known.size:,} cases do"
    )
    if claim.undecided:
        told += f"; {claim.undecided:,} undecided, counted as not passed"
    return f"{told}.{' '.join(['', *_held_up(claim)])}"


def _held_up(claim: StopClaim) -> Iterator[str]:
    if claim.held_up is not None:
        yield f"The count is held up by {claim.held_up.key}, which lacks {claim.waits_for}."
        if claim.beyond:
            yield f"{counted(claim.beyond, 'case')} behind it are complete and do not count yet."


def claim_in_short(made: Sequence[StopClaim]) -> str:
    """A few words for a line of the home screen; "" without a rule."""
    if not made:
        return ""
    may = all(claim.may_be_made for claim in made)
    return f"> {short_number(made[0].above, 2)} {'✓ may be claimed' if may else 'not to be claimed yet'}"
