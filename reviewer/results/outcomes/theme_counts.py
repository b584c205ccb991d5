"""How often themes are named in answers, by their words, under both versions of a case."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.clustered_ratios import ClusterSums, combination
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.rating_patterns import Floats
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.sanitize import shown
from reviewer.results.labels.dimensions import ALL
from reviewer.results.outcomes.comparisons import compared_conditions
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.study.design.study_questions import Theme
from store.database import Database
from store.evaluations import Evaluations

_BEGINNING: Final = "*"
_END: Final = r"(?!\w)"


@dataclass(frozen=True, slots=True)
class ThemeCount:
    """How often a theme is named in answers to cases of a group ("all": all), and what experts chose.

    ``shares`` are those of answers with one of its words, by version, and ``difference`` is the second
    version minus the first one; intervals are by case. ``chosen`` is the share of the answers for which
    experts chose the theme as main reason; None if the study has no such theme.
    """

    theme: Theme
    group: str
    versions: tuple[str, str]
    shares: tuple[Estimate, Estimate]
    difference: Estimate
    chosen: Estimate | None


def theme_counts(
    database: Database,
    evaluation: Evaluation,
    themes: Sequence[Theme],
    chosen: Mapping[tuple[str, str], Estimate],
    level: float = DEFAULT_LEVEL,
) -> list[ThemeCount]:
    """Each theme in each group, and in all; raises RequestError for a theme without words.

    ``chosen`` has what experts chose, by name of the theme and group.
    """
    patterns = [_pattern(theme) for theme in themes]
    versions, version_of = _versions(evaluation)
    shape = len(themes), 2, len(evaluation.cases)
    named, answers = np.zeros(shape), np.zeros(shape[1:])
    for reply in Evaluations(database).replies(evaluation.run.name):
        if (version := version_of.get(reply.condition)) is not None and reply.model in evaluation.labels:
            answers[version, reply.case] += 1
            for number, pattern in enumerate(patterns):
                named[number, version, reply.case] += pattern.search(reply.reply) is not None
    groups = evaluation.protocol.groups_among(case.group for case in evaluation.cases)
    of_case = np.array([case.group for case in evaluation.cases], dtype=object)
    return [
        _count(theme, group, versions, named[number][:, among], answers[:, among], chosen, level)
        for number, theme in enumerate(themes)
        for group in (*groups, ALL)
        for among in [of_case == group if group != ALL else np.ones(len(of_case), dtype=np.bool_)]
    ]


def _pattern(theme: Theme) -> re.Pattern[str]:
    """Any of the theme's words, whole, or as a beginning where it ends with an asterisk."""
    if not theme.words:
        raise RequestError(
            f"theme {shown(theme.name)} has no words to count; add them in the column words, separated by "
            "semicolons, with * behind a beginning."
        )
    words = [
        re.escape(word.removesuffix(_BEGINNING)) + ("" if word.endswith(_BEGINNING) else _END)
        for word in theme.words
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})", re.IGNORECASE)


def _versions(evaluation: Evaluation) -> tuple[tuple[str, str], dict[str, int]]:
    """The two versions that a run compares, and the version of each of its conditions by key."""
    for measure in evaluation.plan.measures:
        compared = (
            compared_conditions(evaluation.conditions, measure.over, measure.among) if measure.over else {}
        )
        values = list(next(iter(compared.values()), {}))
        if len(values) == 2:
            version_of = {by[value].key: values.index(value) for by in compared.values() for value in values}
            return (values[0], values[1]), version_of
    raise RequestError(
        f"run {evaluation.run.name!r} does not have two versions of its cases, so themes cannot be compared."
    )


def _count(
    theme: Theme,
    group: str,
    versions: tuple[str, str],
    named: Floats,
    answers: Floats,
    chosen: Mapping[tuple[str, str], Estimate],
    level: float,
) -> ThemeCount:
    first, second = (ClusterSums(named[v], answers[v], 0.0, 1.0) for v in (0, 1))
    return ThemeCount(
        theme,
        group,
        versions,
        (combination([first], [1.0], level), combination([second], [1.0], level)),
        combination([second, first], [1.0, -1.0], level),
        chosen.get((theme.name, group)),
    )


def words_of(themes: Sequence[Theme]) -> Iterator[str]:
    """The words of each theme, as a sentence."""
    yield from (f"{theme.name}: {', '.join(theme.words)}." for theme in themes)
