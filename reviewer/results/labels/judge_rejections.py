"""How many cases judges reject, by group: those that a study asked, next to published tables of others."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import proportion
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.sanitize import counted
from reviewer.protocols.judging.judge_table import JudgeTable, TableCheck
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.results.labels.dimensions import ALL
from reviewer.study.design.study_bundle import StudyBundle
from store.cases import Filter, list_places
from store.database import Database

ASKED, PUBLISHED = "asked here", "published"
UNKNOWN_CASES = "the number of cases is not known"


@dataclass(frozen=True, slots=True)
class JudgeRejections:
    """How many cases of a group ("all": of all) a judge rejects, by one check or, as published, by any.

    ``cases`` are those that it judged; None where a published table does not fit the study's datasets.
    """

    check: str
    in_file: str
    group: str
    judge: str
    source: str
    cases: int | None
    rejected: int
    share: Estimate


def rejections(
    database: Database,
    bundle: StudyBundle,
    tables: Sequence[JudgeTable],
    asked: Sequence[AskedJudge],
    level: float = DEFAULT_LEVEL,
) -> list[JudgeRejections]:
    """By check and group, and over all groups: first the judges that were asked, then the published ones.

    Raises RequestError where two tables are of the same judge.
    """
    twice = [judge for judge, times in Counter(table.judge for table in tables).items() if times > 1]
    if twice:
        raise RequestError(f"two files are named after the judge {twice[0]!r}; name each judge once.")
    groups = _groups_of_datasets(database, bundle)
    sizes = Counter(groups.values())
    listed = [*dict.fromkeys(group for table in tables for group in table.rejected)]
    return [
        row
        for check in dict.fromkeys(check for table in tables for check in table.checks)
        for group in (*listed, ALL)
        for row in (
            *_asked(bundle, check, group, groups, asked, level),
            *(_published(check, group, table, sizes, level) for table in tables),
        )
    ]


def unfitting_tables(database: Database, bundle: StudyBundle, tables: Sequence[JudgeTable]) -> Iterator[str]:
    """A sentence on each table of another number of cases than the study's datasets have."""
    number = len(_groups_of_datasets(database, bundle))
    for table in tables:
        if number not in table.cases:
            yield (
                f"The table of {table.judge} is of {_in_words(table.cases)}, and the datasets of this study "
                f"have {number:,}, so that its shares by group are not known."
            )


def _in_words(cases: range) -> str:
    if len(cases) == 1:
        return counted(cases[0], "case")
    return f"{cases[0]:,} to {cases[-1]:,} cases"


def _groups_of_datasets(database: Database, bundle: StudyBundle) -> dict[str, str]:
    """The group of each case of the study's datasets, by digest."""
    with database.read() as session:
        return {
            case.digest: case.group
            for name in bundle.design.datasets
            for _, case in list_places(session, Filter(datasets=(name,)))
        }


def _published(
    check: TableCheck, group: str, table: JudgeTable, sizes: Mapping[str, int], level: float
) -> JudgeRejections:
    counts = [of for name, of in table.rejected.items() if group in (ALL, name)]
    rejected, number = sum(of[check.name] for of in counts), sum(sizes.values())
    cases = number if group == ALL else sizes.get(group, 0)
    if number not in table.cases or cases < rejected:
        share = Estimate.undefined(UNKNOWN_CASES, 0)
        return JudgeRejections(check.asks, check.name, group, table.judge, PUBLISHED, None, rejected, share)
    share = proportion(rejected, cases, level)
    return JudgeRejections(check.asks, check.name, group, table.judge, PUBLISHED, cases, rejected, share)


def _asked(
    bundle: StudyBundle,
    check: TableCheck,
    group: str,
    groups: Mapping[str, str],
    asked: Sequence[AskedJudge],
    level: float,
) -> Iterator[JudgeRejections]:
    """The judges that a study asked the same: a case with another answer than the passing one is rejected."""
    for judge in asked:
        if judge.opinion.question != check.question:
            continue
        passing = bundle.question(check.question).passing
        answers = [
            votes.answer
            for case, votes in judge.votes.items()
            if votes.answer is not None and case in groups and group in (ALL, groups[case])
        ]
        rejected = sum(answer not in passing for answer in answers)
        share = proportion(rejected, len(answers), level)
        name = judge.opinion.shown_name
        yield JudgeRejections(check.asks, "", group, name, ASKED, len(answers), rejected, share)
