"""A study without names: raters and adjudicators get letters instead."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from reviewer.study.design.seeding import derived_seed, shuffled
from reviewer.study.design.study_bundle import StudyBundle
from store.records import Event


def anonymised(bundle: StudyBundle, events: Sequence[Event]) -> tuple[StudyBundle, list[Event]]:
    """The same study with letters instead of names. Events keep the digests that they have in the ledger.

    The study's seed shuffles the letters, so that they do not follow the alphabetical order of the names.
    """
    names = _letters(bundle, events)
    nameless = replace(
        bundle,
        raters=tuple(known.model_copy(update={"rater": names[known.rater]}) for known in bundle.raters),
        adjudicators=tuple(
            known.model_copy(update={"rater": names[known.rater]}) for known in bundle.adjudicators
        ),
        left_out=tuple(
            replace(excluded, rater=names.get(excluded.rater, "somebody")) for excluded in bundle.left_out
        ),
    )
    return nameless, [event.model_copy(update={"rater": names[event.rater]}) for event in events]


def _letters(bundle: StudyBundle, events: Iterable[Event]) -> Mapping[str, str]:
    """Name → letter: raters, then people who only adjudicate."""
    adjudicators = {known.rater for known in bundle.adjudicators}
    raters = {known.rater for known in bundle.raters} | {event.rater for event in events} - adjudicators
    seed = derived_seed(bundle.study.seed, "letters")
    return {name: f"rater {_letter(at)}" for at, name in enumerate(shuffled(raters, seed))} | {
        name: f"adjudicator {_letter(at)}" for at, name in enumerate(shuffled(adjudicators - raters, seed))
    }


def _letter(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    rest, last = divmod(number, len(ascii_uppercase))
    return (_letter(rest - 1) if rest else "") + ascii_uppercase[last]
