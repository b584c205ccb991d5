"""A study without the names of its people: raters and adjudicators by letters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from reviewer.study.design.seeding import derived_seed, shuffled
from reviewer.study.design.study_bundle import StudyBundle
from store.records import Event


def anonymised(bundle: StudyBundle, events: Sequence[Event]) -> tuple[StudyBundle, list[Event]]:
    """The same study with letters for names; the digests of events stay those of the ledger.

    The letters are shuffled by the study's seed, so that they do not follow the alphabet of the names.
    """
    names = _letters(bundle, events)
    nameless = replace(
        bundle,
        raters=tuple(each.model_copy(update={"rater": names[each.rater]}) for each in bundle.raters),
        adjudicators=tuple(
            each.model_copy(update={"rater": names[each.rater]}) for each in bundle.adjudicators
        ),
        left_out=tuple(replace(each, rater=names.get(each.rater, "somebody")) for each in bundle.left_out),
    )
    return nameless, [event.model_copy(update={"rater": names[event.rater]}) for event in events]


def _letters(bundle: StudyBundle, events: Iterable[Event]) -> Mapping[str, str]:
    """Each name's letter: raters first, then those who only adjudicate."""
    adjudicators = {each.rater for each in bundle.adjudicators}
    raters = {each.rater for each in bundle.raters} | {event.rater for event in events} - adjudicators
    seed = derived_seed(bundle.study.seed, "letters")
    return {name: f"rater {_letter(at)}" for at, name in enumerate(shuffled(raters, seed))} | {
        name: f"adjudicator {_letter(at)}" for at, name in enumerate(shuffled(adjudicators - raters, seed))
    }


def _letter(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    rest, last = divmod(number, len(ascii_uppercase))
    return (_letter(rest - 1) if rest else "") + ascii_uppercase[last]
