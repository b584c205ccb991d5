"""Opinions against final labels and against each rater; and every reply and vote of judges."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reviewer.agreement.judge import JudgeAmongRaters, JudgeComparison
from reviewer.core.estimate import NO_DATA, NO_SETS, Estimate
from reviewer.core.judge_votes import JudgeVotes
from reviewer.core.table import (
    RATE_PARTS,
    WITH_WILSON,
    Column,
    RowType,
    TableSpec,
    estimate_column,
    plain_column,
)
from reviewer.results.labels.asked_judges import AskedJudge, JudgeReply
from reviewer.results.labels.judge_results import NO_LABEL, AboutOpinion, JudgeResult
from reviewer.results.labels.known_answer_accuracy import ALL_RATERS
from reviewer.results.labels.known_labels import KnownLabelAccuracy
from reviewer.results.tables.place_columns import CASE, KEY, QUESTION_KEY, dimension_column, dimension_columns
from store.records import StudyCase

_PARTS = (*RATE_PARTS, "undefined_resamples")
_KAPPA_WEIGHTS = "weights between labels in kappa: quadratic or linear by steps, or identity without order"


OPINION: tuple[Column[AboutOpinion], ...] = (
    plain_column(
        "opinion",
        "string",
        "name of the value that is the opinion",
        lambda row: row.opinion.name,
        "opinion",
        shown=lambda row, _digits: row.opinion.shown_name,
    ),
    plain_column(
        "opinion_title",
        "string",
        "what people read in place of its name",
        lambda row: row.opinion.title or None,
    ),
    dimension_column("question", lambda row: row.question.title, "question"),
)


def number_of(
    name: str, meaning: str, value: Callable[[RowType], int | None], head: str | None = None
) -> Column[RowType]:
    """A count, which people see under a head if there is one."""
    return plain_column(name, "integer", f"number of {meaning}", value, head, told=meaning if head else "")


_AGAINST_FINAL: tuple[Column[JudgeResult], ...] = (
    number_of("items", "items of the question", lambda row: row.items),
    number_of("absent", "abstentions because the case has no such value", lambda row: row.absent),
    number_of("not_mapped", "abstentions because the value stands for no label", lambda row: row.unmapped),
    number_of("abstained", "items without an opinion", lambda row: row.absent + row.unmapped, "abst."),
    number_of("open", "items with an opinion and no final label", lambda row: row.unsettled, "open"),
    number_of("compared", "items with an opinion and a final label", lambda row: row.accuracy.n, "n"),
    estimate_column(
        "accuracy",
        "share of compared items on which the opinion is the final label",
        lambda row: row.accuracy,
        "accuracy",
        told=f"share of these on which the opinion is the final label{WITH_WILSON}",
    ),
    plain_column("kappa_weights", "string", _KAPPA_WEIGHTS, lambda row: row.weights),
    estimate_column(
        "kappa",
        "Cohen's kappa between opinion and final label",
        lambda row: row.kappa,
        "Cohen's κ",
        parts=_PARTS,
        told="Cohen's kappa between opinion and final label",
    ),
    estimate_column(
        "ac1",
        "Gwet's AC1 between opinion and final label, with kappa's weights where labels stand in order",
        lambda row: row.ac1,
        "AC1",
        told="Gwet's AC1 between them",
        interval=False,
    ),
    estimate_column(
        "raters_agreement",
        "mean agreement of pairs of raters on the items that have an opinion",
        lambda row: row.among_raters,
        "raters",
        told="share of pairs of raters with the same label on these items",
        interval=False,
    ),
)

_WITH_ITSELF: Column[JudgeResult] = estimate_column(
    "self_agreement",
    "mean agreement of pairs of a judge's replies about the same item; empty if no judge was asked",
    lambda row: row.with_itself or Estimate.undefined(NO_DATA, 0),
    "itself",
    told="share of pairs of a judge's replies about an item with the same label",
    interval=False,
)

_LIKENESS: Column[JudgeResult] = estimate_column(
    "jaccard",
    "mean Jaccard similarity of the sets of opinion and final label; empty where one label answers",
    lambda row: row.likeness or Estimate.undefined(NO_SETS, 0),
    "Jaccard",
    told="mean of shared labels over all labels of both sets",
)


def judges_spec(by: Sequence[str], results: Sequence[JudgeResult]) -> TableSpec[JudgeResult]:
    """One row for each opinion and part of the sample, and one over all its items."""
    place: tuple[Column[JudgeResult], ...] = dimension_columns(by)
    of_sets = (_LIKENESS,) if any(result.likeness for result in results) else ()
    said = any(result.with_itself and result.with_itself.value is not None for result in results)
    repeated = (_WITH_ITSELF if said else _WITH_ITSELF.for_programs_only(),)
    asked = repeated if any(result.with_itself for result in results) else ()
    return TableSpec((*OPINION, *place, *_AGAINST_FINAL, *asked, *of_sets), len(by) + 2, _note(results))


def _note(results: Sequence[JudgeResult]) -> str:
    weights = [result.weights for result in results if result.question.ordinal]
    return f"Cohen's κ has {weights[0]} weights where labels stand in order." if weights else ""


@dataclass(frozen=True)
class ConfusionCount(AboutOpinion):
    """How many items have this opinion and this final label; "" for an abstention or an open label."""

    said: str
    final: str
    items: int


def confusion_counts(results: Sequence[JudgeResult]) -> list[ConfusionCount]:
    """Every cell of the tables of confusion."""
    return [
        ConfusionCount(
            result.opinion, result.question, result.where, said, final, result.confusion.get((said, final), 0)
        )
        for result in results
        for said in (*result.question.labels, NO_LABEL)
        for final in (*result.question.labels, NO_LABEL)
    ]


_CELL: tuple[Column[ConfusionCount], ...] = (
    plain_column(
        "says",
        "string",
        "label that the opinion stands for; empty for an abstention",
        lambda row: row.said or None,
        "says",
        shown=lambda row, _digits: row.said or "abstained",
    ),
    plain_column(
        "final",
        "string",
        "final label; empty while it is open",
        lambda row: row.final or None,
        "final label",
        shown=lambda row, _digits: row.final or "open",
    ),
    plain_column("count", "integer", "number of items with both", lambda row: row.items, "items"),
)


def confusion_spec(by: Sequence[str]) -> TableSpec[ConfusionCount]:
    """One row for each opinion, part of the sample, label of the opinion and final label."""
    place: tuple[Column[ConfusionCount], ...] = dimension_columns(by)
    return TableSpec((*OPINION, *place, *_CELL), len(by) + 4)


def confusion_matrix_spec(result: JudgeResult) -> TableSpec[str]:
    """One row for each label of an opinion and one for abstentions; a column for each final label."""
    says: Column[str] = plain_column(
        "says",
        "string",
        "what the opinion says",
        lambda said: said,
        result.opinion.shown_name,
        shown=lambda said, _digits: said or "abstained",
        told="what the opinion says; columns are final labels",
    )
    finals = (*result.question.labels, *([NO_LABEL] if result.has_open else []))
    return TableSpec((says, *(_final_column(result, final) for final in finals)))


def _final_column(result: JudgeResult, final: str) -> Column[str]:
    return plain_column(
        final or "open",
        "integer",
        "number of items with this final label",
        lambda said: result.confusion.get((said, final), 0),
        final or "open",
    )


def matrix_rows(result: JudgeResult) -> tuple[str, ...]:
    """The rows of a matrix: every label, then abstentions."""
    return (*result.question.labels, NO_LABEL)


@dataclass(frozen=True)
class JudgeBesideRater(AboutOpinion):
    """An opinion beside one rater, or beside all ("")."""

    weights: str
    rater: str
    among: JudgeAmongRaters


def beside_raters(results: Sequence[JudgeResult]) -> list[JudgeBesideRater]:
    """Every opinion and part of the sample beside every rater, then beside all."""
    return [
        JudgeBesideRater(result.opinion, result.question, result.where, result.weights, rater, among)
        for result in results
        for rater, among in result.raters.items()
    ]


def _comparison(
    measure: str, told: str, head: str, of: Callable[[JudgeBesideRater], JudgeComparison]
) -> tuple[Column[JudgeBesideRater], ...]:
    return (
        estimate_column(
            f"judge_{measure}",
            f"{told} of the opinion with the rater; for all raters the mean",
            lambda row: of(row).judge,
            f"{head} opinion",
            parts=_PARTS,
            interval=False,
            told=f"{told} with the opinion",
        ),
        estimate_column(
            f"raters_{measure}",
            f"mean {told} of the rater with the other raters; for all raters of every pair of raters",
            lambda row: of(row).raters,
            f"{head} raters",
            parts=_PARTS,
            interval=False,
            told=f"mean {told} with the other raters",
        ),
        estimate_column(
            f"{measure}_difference",
            f"judge_{measure} minus raters_{measure}; the interval resamples cases",
            lambda row: of(row).difference,
            f"{head} diff.",
            parts=_PARTS,
            told="the first minus the second, cases resampled",
        ),
    )


_BESIDE: tuple[Column[JudgeBesideRater], ...] = (
    plain_column(
        "rater",
        "string",
        "name of the rater; all raters: means over raters and over pairs of raters",
        lambda row: row.rater or ALL_RATERS,
        "rater",
    ),
    number_of(
        "shared",
        "items with an opinion that the rater labelled",
        lambda row: row.among.agreement.judge.n,
        "n",
    ),
    *_comparison("agreement", "share of same labels", "same", lambda row: row.among.agreement),
    plain_column("kappa_weights", "string", _KAPPA_WEIGHTS, lambda row: row.weights),
    *_comparison("kappa", "Cohen's kappa", "Cohen's κ", lambda row: row.among.kappa),
)


_KNOWN: tuple[Column[KnownLabelAccuracy], ...] = (
    plain_column("who", "string", "name of the opinion or of the rater", lambda row: row.who, "who"),
    plain_column("kind", "string", "opinion or rater", lambda row: row.kind, "kind"),
    dimension_column("question", lambda row: row.question.title, "question"),
)
_AGAINST_KNOWN: tuple[Column[KnownLabelAccuracy], ...] = (
    number_of("known", "items with a known label", lambda row: row.known, "known"),
    number_of("compared", "of these, items with a label of who", lambda row: row.accuracy.n, "n"),
    estimate_column(
        "accuracy",
        "share of compared items with the known label",
        lambda row: row.accuracy,
        "accuracy",
        told=f"share of these with the known label{WITH_WILSON}",
    ),
)


def known_labels_spec(by: Sequence[str]) -> TableSpec[KnownLabelAccuracy]:
    """One row for each opinion, rater and part of the sample, and one over all items."""
    place: tuple[Column[KnownLabelAccuracy], ...] = dimension_columns(by)
    return TableSpec((*_KNOWN, *place, *_AGAINST_KNOWN), len(by) + 3)


def beside_raters_spec(by: Sequence[str], results: Sequence[JudgeResult]) -> TableSpec[JudgeBesideRater]:
    """One row for each opinion, part of the sample and rater, and one over all raters."""
    place: tuple[Column[JudgeBesideRater], ...] = dimension_columns(by)
    note = "All on the cases that have the opinion."
    return TableSpec((*OPINION, *place, *_BESIDE), len(by) + 3, " ".join((note, _note(results))).strip())


_JUDGE = "name of the judge as an opinion, as in `reviewer judges`"

JUDGE_REPLIES: TableSpec[JudgeReply] = TableSpec(
    (
        plain_column("judge", "string", _JUDGE, lambda row: row.judge.opinion.name),
        plain_column("model", "string", "model that was asked", lambda row: row.outcome.model),
        plain_column("run", "string", "run that keeps the reply", lambda row: row.outcome.run),
        dimension_column("question", lambda row: row.question.title),
        plain_column("question_key", "string", QUESTION_KEY, lambda row: row.question.key),
        dimension_column("dataset", lambda row: row.place.dataset),
        plain_column("key", "string", KEY, lambda row: row.place.key),
        dimension_column("group", lambda row: row.group),
        plain_column("case", "string", CASE, lambda row: row.place.digest),
        plain_column("repeat", "integer", "repeat, from 0", lambda row: row.outcome.repeat),
        plain_column(
            "state",
            "string",
            "read: the reply has a label; unreadable: it has none; missing: there is no reply",
            lambda row: row.outcome.state,
        ),
        plain_column("label", "string", "label that was read; empty if none", lambda row: row.outcome.label),
        plain_column(
            "why",
            "string",
            "why there is no label, or what the reader remarks",
            lambda row: row.outcome.why or None,
        ),
        plain_column("reply", "string", "reply of the judge", lambda row: row.outcome.reply or None),
        plain_column(
            "reader_version",
            "integer",
            "version of the reader that read the reply",
            lambda row: row.outcome.reader_version,
        ),
    )
)


@dataclass(frozen=True, slots=True)
class JudgeVotesOfCase:
    """One judge's votes on a question about a case of the study."""

    judge: AskedJudge
    place: StudyCase
    votes: JudgeVotes


def votes_by_case(judges: Sequence[AskedJudge], sample: Sequence[StudyCase]) -> Iterator[JudgeVotesOfCase]:
    """The votes of each judge about the cases of a study, in the order of the sample."""
    for judge in judges:
        for place in sample:
            if place.case in judge.votes:
                yield JudgeVotesOfCase(judge, place, judge.votes[place.case])


def _votes_for_answer(row: JudgeVotesOfCase) -> int | None:
    return None if row.votes.answer is None else row.votes.votes_for(row.votes.answer)


JUDGE_VOTES: TableSpec[JudgeVotesOfCase] = TableSpec(
    (
        plain_column("judge", "string", _JUDGE, lambda row: row.judge.opinion.name),
        plain_column("model", "string", "model that was asked", lambda row: row.judge.model),
        dimension_column("question", lambda row: row.judge.question.title),
        plain_column("question_key", "string", QUESTION_KEY, lambda row: row.judge.question.key),
        dimension_column("dataset", lambda row: row.place.dataset),
        plain_column("key", "string", KEY, lambda row: row.place.key),
        dimension_column("group", lambda row: row.place.group),
        plain_column("case", "string", CASE, lambda row: row.place.case),
        plain_column(
            "answer",
            "string",
            "answer of most readable replies; empty if two answers have the most, or no reply is readable",
            lambda row: row.votes.answer,
        ),
        plain_column("votes", "integer", "readable replies that give this answer", _votes_for_answer),
        plain_column("readable", "integer", "replies that could be read", lambda row: row.votes.readable),
        plain_column(
            "unreadable", "integer", "replies that could not be read", lambda row: row.votes.unreadable
        ),
        plain_column("repeats", "integer", "replies that were asked for", lambda row: row.votes.repeats),
    )
)
