"""How the cases of a study were drawn, in sentences for the methods section of a paper."""

from collections.abc import Sequence

from reviewer.core.number_text import short_number
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.study.design.inclusion import Inclusion, inclusion_of, weighted_strata
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import Draw, FrozenStratum

_MOST_NAMED = 12
"""With more strata, a sentence gives their number."""
_CRITERIA = {
    "group": "group",
    "model": "the model that answered",
    "findings": "the worst finding of the audit",
    "finding": "findings of the check {}",
    "opinion": "the answer of {}",
    "value": "the value {}",
}
_ALLOCATED = {
    "equal": "equal numbers planned for each",
    "proportional": "numbers planned in proportion to the size of each",
}


def datasets_in_words(names: Sequence[str]) -> str:
    """The datasets as a sentence names them; quoted, since a name may be any word."""
    return f"{agreeing(len(names), 'dataset', 'datasets')} {enumerated([f'“{name}”' for name in names])}"


def draw_in_words(bundle: StudyBundle) -> str:
    """Two sentences: which cases were drawn from which ones, and with which probabilities."""
    inclusion = inclusion_of(bundle)
    if inclusion.unknown:
        return (
            f"With which probabilities the cases were drawn is not known: {inclusion.unknown}. The results "
            "describe these cases only."
        )
    return f"{_drawn(bundle, inclusion.strata)} {_probabilities(bundle, inclusion)}"


def _drawn(bundle: StudyBundle, strata: tuple[FrozenStratum, ...]) -> str:
    design, drawn = bundle.design, sum(stratum.drawn for stratum in strata)
    if design.answers:
        return (
            f"The {counted(drawn, 'answer')} are a stratified random sample, without replacement, of the "
            f"{counted(design.answers.answers, 'different answer')} of run “{design.answers.run}” "
            f"({design.answers.meaning}): {_sizes(strata)}, where strata were made by model and group, with "
            f"at most {counted(design.answers.per_case, 'answer')} to each case."
        )
    size = sum(stratum.size for stratum in strata)
    picked = "picked " if design.picked and not design.others else ""
    among = f"{counted(size, f'{picked}case')} of {datasets_in_words(design.datasets)} that could be drawn"
    if size == drawn:
        return f"The sample is {'all ' if size > 1 else ''}{among}."
    cases = counted(drawn, "case")
    if len(strata) == 1:
        return f"The {cases} are a simple random sample, without replacement, of the {among}."
    by = f", with strata by {_made_by(bundle, design.draw)}" if design.draw and design.draw.by else ""
    sample = f"The {cases} are a stratified random sample, without replacement, of the {among}"
    return f"{sample}: {_sizes(strata)}{by}."


def _sizes(strata: tuple[FrozenStratum, ...]) -> str:
    """How many cases of each stratum were drawn."""
    if len(strata) > _MOST_NAMED:
        numbers = sorted({stratum.drawn for stratum in strata})
        some = f"{numbers[0]:,} to {numbers[-1]:,}" if numbers[1:] else f"{numbers[0]:,}"
        return f"{some} of each of {len(strata):,} strata"
    several = len({stratum.dataset for stratum in strata}) > 1
    return enumerated(
        [
            (f"“{stratum.dataset}” " if several else "")
            + f"{stratum.name} {stratum.drawn:,} of {stratum.size:,}"
            for stratum in strata
        ]
    )


def _made_by(bundle: StudyBundle, draw: Draw) -> str:
    """What the strata were made by, and how cases were allocated to them."""
    made = enumerated([_criterion(bundle, by) for by in draw.by])
    if draw.allocation != "neyman":
        return f"{made}, and {_ALLOCATED[draw.allocation]}"
    names = dict.fromkeys(stratum.name for stratum in draw.strata)
    rates = enumerated([short_number(draw.guesses[name]) for name in names])
    some = f"pass rates of {rates}" if len(names) <= _MOST_NAMED else "a pass rate of each"
    return f"{made}, and Neyman's allocation assumed {some}" + (
        f" from study “{draw.guessed_from}”" if draw.guessed_from else ""
    )


def _criterion(bundle: StudyBundle, by: str) -> str:
    kind, _, name = by.partition(":")
    titles = {opinion.name: opinion.shown_name for opinion in bundle.protocol.opinions}
    return _CRITERIA[kind].format(titles.get(name, name) if kind == "opinion" else name)


def _probabilities(bundle: StudyBundle, inclusion: Inclusion) -> str:
    if bundle.design.answers:
        return (
            "Each answer was drawn with a known probability. Shares of the run weight each answer by the "
            "inverse of its probability and by the number of outcomes with this answer. All other numbers "
            "describe the sample, without weights."
        )
    chances = sorted({stratum.probability for stratum in inclusion.strata})
    low, high = short_number(chances[0], 3), short_number(chances[-1], 3)
    if not chances[0]:
        return "No case of some strata was drawn, so that the results describe the sample only."
    if weighted_strata(bundle):
        between = f"between {low} and {high}" if chances[1:] else f"of {low}"
        return (
            f"Each case was drawn with a known probability {between}. Weighted rows count each case by the "
            "inverse of its probability; all other numbers describe the sample, without weights."
        )
    if chances == [1]:
        return "The results describe these cases, and nothing was left to chance in choosing them."
    if chances[1:]:
        return (
            f"Each case was drawn with a known probability between {low} and {high}, but among picked cases "
            "only, so that the results do not describe other cases."
        )
    return (
        f"Each case was drawn with the same probability, {low}, so that the numbers of the sample also "
        "estimate those of all these cases."
    )
