"""With which probability each case of a study was drawn, where the draw determines it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import FrozenStratum


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The strata of a draw, which have all cases that could be drawn; or why they are not known."""

    strata: tuple[FrozenStratum, ...] = ()
    unknown: str = ""

    def by_case(self) -> dict[str, FrozenStratum]:
        """The stratum of each drawn case, by digest."""
        return {case: stratum for stratum in self.strata for case in stratum.cases}

    def in_words(self) -> str:
        """The strata with their sizes for people, or that probabilities are not known, and why."""
        if not self.strata:
            return f"probabilities of inclusion are not known: {self.unknown}"
        several = len({stratum.dataset for stratum in self.strata}) > 1
        return "; ".join(
            (f"{stratum.dataset}: " if several else "")
            + f"{stratum.name} {stratum.drawn:,} of {stratum.size:,}"
            for stratum in self.strata
        )


def inclusion_of(bundle: StudyBundle) -> Inclusion:
    """What the study's design says; for designs without strata, what follows from the numbers in them."""
    if why := _why_unknown(bundle):
        return Inclusion(unknown=why)
    draw = bundle.design.draw
    return Inclusion(draw.strata if draw else tuple(_strata_by_group(bundle)))


def weighted_strata(bundle: StudyBundle) -> tuple[FrozenStratum, ...]:
    """The strata by which numbers of the sample are weighted to all cases that could be drawn.

    () if chances were alike and nobody asked for strata, and where nothing can be said of the other cases.
    Answers of models have shares of their run instead, where each counts as often as it was given.
    """
    if bundle.design.answers:
        return ()
    strata, design = inclusion_of(bundle).strata, bundle.design
    chances = {Fraction(stratum.drawn, stratum.size) for stratum in strata}
    asked_for = bool(design.draw and design.draw.by) and chances != {1}
    if 0 in chances or (design.picked and not design.others):
        return ()
    return strata if len(chances) > 1 or asked_for else ()


def strata_by_case(bundle: StudyBundle) -> dict[str, str]:
    """Digest of a case → the name of its stratum, where numbers are weighted by strata; else empty."""
    return {case: stratum.name for stratum in weighted_strata(bundle) for case in stratum.cases}


def _why_unknown(bundle: StudyBundle) -> str:
    """Why probabilities of inclusion do not follow from a design; "" if they do."""
    design = bundle.design
    if bundle.parts:
        return "the studies are pooled"
    if design.draw_hidden:
        return "raters see how cases were drawn when the study is closed"
    if design.draw:
        return ""
    if design.listed:
        return "the cases were listed, not drawn"
    if not design.population:
        return "the study does not record how many cases could be drawn"
    if design.others:
        return "the study does not record which of its cases were picked"
    if len(design.population) > 1:
        return "a case may be in several datasets of the study"
    return ""


def _strata_by_group(bundle: StudyBundle) -> Sequence[FrozenStratum]:
    """The groups of the only dataset of a design from before strata were kept."""
    ((dataset, groups),) = bundle.design.population.items()
    return [
        FrozenStratum(
            dataset=dataset,
            name=group,
            size=size,
            cases=tuple(sorted(place.case for place in bundle.counted if place.group == group)),
        )
        for group, (_, size) in groups.items()
        if size
    ]
