"""What judges answered in long form: every reply, and the votes of each judge about each case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.core.judge_votes import JudgeVotes
from reviewer.core.table_spec import TableSpec, plain_column
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.results.labels.judge_replies import JudgeReply
from reviewer.results.tables.place_columns import CASE, KEY, QUESTION_KEY, dimension_column
from store.records import StudyCase

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
