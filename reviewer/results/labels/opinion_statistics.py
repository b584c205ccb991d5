"""What a report says of opinions beyond the comparison with final labels, computed once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.agreement.judge_replacement import EPSILON
from reviewer.core.errors import RequestError
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.answer_shares import answers_of_same_cases
from reviewer.results.labels.asked_judges import AskedJudge, asked_judges
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.labels.judge_results import has_opinion, judged_items, never_varies
from reviewer.results.labels.judged_answers import JudgedAnswers, population_of_labels, shares_of_labels
from reviewer.results.labels.judged_population import JudgedPopulation
from reviewer.results.labels.judged_shares import JudgedShare
from reviewer.results.labels.judges_by_label import (
    ConfirmedVotes,
    JudgeByLabel,
    OpinionAsRater,
    confirmed_votes,
    judges_by_label,
    opinions_as_raters,
)
from reviewer.study.design.study_bundle import StudyBundle
from store.database import Database


@dataclass(frozen=True)
class OpinionSources:
    """Opinions that only the store has: judges that were asked, and values of cases beyond the sample.

    ``population`` is None, and ``unknown`` says why, if nothing can be said of the whole dataset.
    """

    asked: Sequence[AskedJudge] = ()
    population: JudgedPopulation | JudgedAnswers | None = None
    unknown: str = ""

    @classmethod
    def read(cls, database: Database, bundle: StudyBundle, person: str) -> "OpinionSources":
        """Those of a study; of pooled studies there are none."""
        if bundle.parts:
            return cls(unknown="The studies are pooled.")
        asked = asked_judges(database, bundle.study.name)
        try:
            return cls(asked, population_of_labels(database, bundle, person))
        except RequestError as error:
            return cls(asked, unknown=f"{error}")


NO_SOURCES: Final = OpinionSources()


@dataclass(frozen=True)
class OpinionStatistics:
    """Opinions on each label and by votes, in the place of raters, and in the whole dataset."""

    by_label: tuple[JudgeByLabel, ...]
    votes: tuple[ConfirmedVotes, ...]
    replacement: tuple[OpinionAsRater, ...]
    shares: tuple[JudgedShare, ...]
    unknown: str
    warning: str
    """On intervals of answers, of which several are about one case; "" if there is nothing to warn of."""

    @classmethod
    def compute(
        cls, bundle: StudyBundle, finals: Sequence[FinalLabel], method: Method, sources: OpinionSources
    ) -> "OpinionStatistics":
        """All of it over all items, not divided; without opinions that never vary."""
        how = method.seeded(bundle.study.seed)
        judged = [
            (opinion, items)
            for opinion, items in judged_items(bundle, finals, sources.asked)
            if has_opinion(items) and not never_varies(items)
        ]
        varying = [opinion for opinion, _ in judged]
        population = sources.population
        shares = (
            shares_of_labels(bundle, finals, population, (), how, sources.asked)
            if population and varying
            else ()
        )
        return cls(
            tuple(judges_by_label(judged, (), how)),
            tuple(confirmed_votes(bundle, judged, (), how)),
            tuple(opinions_as_raters(judged, (), EPSILON)),
            tuple(share for share in shares if share.opinion in varying),
            sources.unknown,
            answers_of_same_cases(bundle),
        )
