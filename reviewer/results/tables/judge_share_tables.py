"""Opinions label by label, their reliability, whether they may replace a rater, and shares of datasets."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from reviewer.agreement.judge_labels import CrossTable
from reviewer.core.estimate import Estimate
from reviewer.core.number_text import with_interval
from reviewer.core.table import (
    BARE_PARTS,
    RATE_PARTS,
    Cell,
    Column,
    RowType,
    TableSpec,
    estimate_column,
    number_column,
    p_column,
    plain_column,
)
from reviewer.results.labels.awareness import Awareness
from reviewer.results.labels.judge_rejections import JudgeRejections
from reviewer.results.labels.judge_results import AboutOpinion
from reviewer.results.labels.judged_shares import TUNED, ShareEstimate
from reviewer.results.labels.judges_by_label import (
    ConfirmedVotes,
    JudgeByLabel,
    JudgeDifference,
    LeftOutRater,
    OpinionAsRater,
)
from reviewer.results.tables.judge_tables import OPINION, number_of
from reviewer.results.tables.place_columns import dimension_columns

_TUNED_NOTE = (
    "The tuned difference is the share to print. The corrected one is very wide, or undefined, where few "
    "labelled cases have the label, or lack it. "
    "All shares are of the dataset from which the study was drawn."
)


def _opinion_and(by: Sequence[str]) -> tuple[Column[AboutOpinion], ...]:
    place: tuple[Column[AboutOpinion], ...] = dimension_columns(by)
    return (*OPINION, *place)


def _label(of: Callable[[RowType], str]) -> Column[RowType]:
    return plain_column("label", "string", "label that is set against all others", of, "label")


def _table(row: JudgeByLabel) -> CrossTable:
    return row.compared.table


_BY_LABEL: tuple[Column[JudgeByLabel], ...] = (
    _label(lambda row: row.label),
    number_of("compared", "items with an opinion and a final label", lambda row: _table(row).items, "n"),
    number_of("both", "items with the label from both", lambda row: _table(row).both),
    number_of(
        "opinion_only", "items with the label from the opinion only", lambda row: _table(row).judge_only
    ),
    number_of("final_only", "items with the label as final label only", lambda row: _table(row).experts_only),
    number_of("neither", "items without the label", lambda row: _table(row).neither),
    estimate_column(
        "sensitivity",
        "share of the items with the final label that have it from the opinion too",
        lambda row: row.compared.sensitivity,
        "sensitivity",
        told="share of the items with this final label that have it from the opinion too",
    ),
    estimate_column(
        "specificity",
        "share of the items with another final label that have another one from the opinion",
        lambda row: row.compared.specificity,
        "specificity",
        told="share of the other items that have another label from the opinion",
    ),
    estimate_column(
        "bias",
        "share of the label from the opinion minus that of the final labels",
        lambda row: row.compared.bias,
        "bias",
        told="the opinion's share of the label minus that of the final labels",
    ),
    p_column(
        "bias_p",
        "p of McNemar's exact test that the bias is 0; empty where both never differ",
        lambda row: row.compared.test.p,
        "p",
        told="of McNemar's test that the bias is 0",
    ),
)


def judges_by_label_spec(by: Sequence[str]) -> TableSpec[JudgeByLabel]:
    """One row for each opinion, part of the sample and label."""
    return TableSpec((*_opinion_and(by), *_BY_LABEL), len(by) + 3)


def _difference(name: str, of: Callable[[JudgeDifference], Estimate]) -> Column[JudgeDifference]:
    return estimate_column(
        f"{name}_difference",
        f"{name} in the first part minus that in the second",
        of,
        name,
        told=f"difference of {name}",
    )


_DIFFERENCE: tuple[Column[JudgeDifference], ...] = (
    _label(lambda row: row.label),
    plain_column("dimension", "string", "dimension whose values are compared", lambda row: row.dimension),
    plain_column("first", "string", "first value of the dimension", lambda row: row.first, "first"),
    plain_column("second", "string", "second value of the dimension", lambda row: row.second, "minus"),
    _difference("sensitivity", lambda row: row.sensitivity),
    _difference("specificity", lambda row: row.specificity),
    _difference("bias", lambda row: row.bias),
)


def judge_differences_spec(by: Sequence[str]) -> TableSpec[JudgeDifference]:
    """One row for each opinion, part of the sample, label and two values of the last dimension."""
    return TableSpec((*_opinion_and(by[:-1]), *_DIFFERENCE), len(by) + 4)


_CONFIRMED: tuple[Column[ConfirmedVotes], ...] = (
    _label(lambda row: row.label),
    plain_column(
        "votes",
        "string",
        "votes of a judge for the label, of its readable replies; of other opinions the published value",
        lambda row: row.votes,
        "votes",
        told="votes of a judge for the label, of its readable replies, or the published value",
    ),
    number_of("items", "items with these votes and a final label", lambda row: row.confirmed.n, "n"),
    estimate_column(
        "confirmed",
        "share of these items with this final label",
        lambda row: row.confirmed,
        "confirmed",
        told="share of these items with this final label",
    ),
)


def confirmed_votes_spec(by: Sequence[str]) -> TableSpec[ConfirmedVotes]:
    """One row for each opinion, part of the sample, label and number of votes."""
    return TableSpec((*_opinion_and(by), *_CONFIRMED), len(by) + 4)


_LEFT_OUT: tuple[Column[LeftOutRater], ...] = (
    plain_column("rater", "string", "name of the rater who is left out", lambda row: row.rater.name, "rater"),
    number_of(
        "items",
        "items that opinion, rater and another rater labelled",
        lambda row: row.rater.items,
        "n",
    ),
    estimate_column(
        "opinion_as_good",
        "share of items on which the opinion agrees with the other raters at least as well as the rater",
        lambda row: row.rater.judge,
        "opinion",
        parts=BARE_PARTS,
        interval=False,
        told="share of items on which the opinion agrees with the others at least as well as the rater",
    ),
    estimate_column(
        "rater_as_good",
        "share of items on which the rater agrees with the other raters at least as well as the opinion",
        lambda row: row.rater.annotator,
        "rater's",
        parts=BARE_PARTS,
        interval=False,
        told="share of items on which the rater agrees with the others at least as well as the opinion",
    ),
    number_column("epsilon", "what the opinion may fall short of a rater", lambda row: row.test.epsilon),
    p_column(
        "p",
        "p of the one-sided t test that the opinion falls short of the rater by epsilon or more",
        lambda row: row.rater.test.p,
        "p",
        told="of the test that the opinion falls short of the rater by ε or more",
    ),
    p_column(
        "p_adjusted",
        "p after Benjamini and Yekutieli over the raters",
        lambda row: row.rater.adjusted,
        "adjusted",
        told="p after Benjamini and Yekutieli",
    ),
    plain_column(
        "won",
        "boolean",
        "whether that is rejected; empty if it is not tested",
        lambda row: None if row.rater.adjusted is None else row.rater.won,
        "won",
        told="whether that is rejected",
        shown=lambda row, _digits: None if row.rater.adjusted is None else ("no", "yes")[row.rater.won],
    ),
    estimate_column(
        "winning_rate",
        "share of the raters against whom the opinion wins; from .5 on it may stand in for one",
        lambda row: row.test.winning,
        parts=BARE_PARTS,
        units="raters",
    ),
)


def left_out_raters_spec(by: Sequence[str], tests: Sequence[OpinionAsRater]) -> TableSpec[LeftOutRater]:
    """One row for each opinion, part of the sample and rater who is left out."""
    epsilon = f"ε is {tests[0].test.epsilon:g}." if tests else ""
    return TableSpec((*_opinion_and(by), *_LEFT_OUT), len(by) + 3, epsilon)


_AWARENESS: tuple[Column[Awareness], ...] = (
    plain_column(
        "population",
        "string",
        "as published: wrong decisions on the biased text; turned by the cue: those that were right on the "
        "unbiased text",
        lambda row: row.population,
        "population",
    ),
    number_of("explanations", "distinct explanations", lambda row: row.explanations, "explanations"),
    number_of("elsewhere", "them that the cue did not turn", lambda row: row.elsewhere, "not turned"),
    number_of("unjudged", "them without a vote, which are left out", lambda row: row.unjudged),
    estimate_column(
        "awareness",
        "share of the explanations that the opinion finds aware; an unreadable reply is a no",
        lambda row: row.share,
        "awareness",
        parts=RATE_PARTS,
    ),
)


def awareness_spec() -> TableSpec[Awareness]:
    """Two rows for each judge, question and model."""
    return TableSpec((*_opinion_and(("generator",)), *_AWARENESS), 4)


REJECTIONS: TableSpec[JudgeRejections] = TableSpec(
    (
        plain_column("check", "string", "what the judge was to confirm", lambda row: row.check, "check"),
        plain_column("group", "string", "group of the cases", lambda row: row.group, "group"),
        plain_column("judge", "string", "name of the judge", lambda row: row.judge, "judge"),
        plain_column(
            "source",
            "string",
            "asked here: the study's own judges; published: a table that was read",
            lambda row: row.source,
            "source",
        ),
        number_of(
            "cases", "cases that the judge answered; of published tables all", lambda row: row.cases, "n"
        ),
        number_of("rejected", "them that the judge rejects", lambda row: row.rejected, "rejected"),
        estimate_column(
            "share",
            "share of these cases that the judge rejects",
            lambda row: row.share,
            "share",
            parts=RATE_PARTS,
        ),
        plain_column(
            "in_file",
            "string",
            "name of the check in the published table; empty for the study's own judges",
            lambda row: row.in_file,
        ),
    ),
    4,
    "Published tables call the check of the bias's existence `bias_towards_incorrect`. A judge rejects a "
    "case if it denies the bias. Cases without a readable answer are left out.",
)


def _saved(row: ShareEstimate) -> Estimate:
    return row.shares.saved if row.estimate == TUNED else Estimate.undefined("", 0)


def _saved_for_people(row: ShareEstimate, digits: int) -> Cell:
    if row.estimate != TUNED:
        return None
    return "none" if row.shares.saves_labels is False else with_interval(_saved(row), digits)


_SHARES: tuple[Column[ShareEstimate], ...] = (
    _label(lambda row: row.label),
    number_of("cases", "cases of the dataset, or outcomes of the run", lambda row: row.cases),
    number_of("judged", "those of them that have the opinion", lambda row: row.judged),
    plain_column(
        "estimate",
        "string",
        "judge: the opinion alone; experts: the final labels alone; corrected: the opinion's share corrected "
        "by sensitivity and specificity; tuned: opinion and final labels together, the one to print",
        lambda row: row.estimate,
        "estimate",
        shown=lambda row, _digits: row.title,
    ),
    estimate_column(
        "share",
        "estimated share of the dataset that has the label",
        lambda row: row.share,
        "share",
        units="labels behind the value (opinion alone: opinions)",
        parts=RATE_PARTS,
    ),
    number_column(
        "tuning",
        "λ of the tuned difference, by which opinions are multiplied; 0 leaves the final labels alone",
        lambda row: row.shares.tuning if row.estimate == TUNED else None,
    ),
    replace(
        estimate_column(
            "saved",
            "share of the final labels that the opinion makes needless, only at tuned",
            _saved,
            "saved",
            told="share of the final labels that the opinion makes needless; none: its interval reaches 0",
            parts=(*RATE_PARTS, "undefined_resamples"),
        ),
        shown=_saved_for_people,
    ),
    plain_column(
        "more_labels",
        "integer",
        "further final labels that would halve the interval, only at tuned",
        lambda row: row.shares.more if row.estimate == TUNED else None,
        "more",
        told="further final labels that would halve the interval",
    ),
)


def judged_shares_spec(by: Sequence[str]) -> TableSpec[ShareEstimate]:
    """Four rows for each opinion, part of the dataset and label."""
    return TableSpec((*_opinion_and(by), *_SHARES), len(by) + 4, _TUNED_NOTE)
