"""Where a reply says that its speaker does not decide: "I can't name a better one", "I leave it open"."""

from collections.abc import Mapping, Sequence
from typing import Final

from reviewer.protocols.reading.mentions import Mention, MentionKind, Polarity
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement

_CHOOSING: Final = words_of(
    """
    choose chosen choosing pick picked picking select selected selecting decide decided deciding vote voting
    settle settled commit committed endorse choice decision
    """
)
_WITH_NOUN: Final = words_of(
    """
    call say tell give giving make made take taking state reach reached offer provide issue cast have see
    find found come name naming determine judge recommend recommending rank separate distinguish favour favor
    prefer rule conclude declare answer pronounce resolve crown get break express assign express hold
    """
)
"""Verbs that mean deciding only with a word such as "choice" or "which" behind them."""
_DECISIONS: Final = words_of(
    """
    choice pick decision answer verdict vote recommendation preference selection judgement judgment winner
    opinion ruling side one which number mind favourite favorite conclusion either any options answers them
    anything option these two both clear between apart view tie
    """
)
_OTHER_OBJECTS: Final = words_of(
    "whether if how why that what when where more otherwise differently else other but than wrong better"
)
"""What a verb speaks of that does not decide: "I can't say whether it lasts"."""
_REFUSING: Final = words_of(
    "recuse unable refuse decline reluctant unwilling refusing declining refrain hesitate"
)
_LEAVING: Final = words_of(
    "leave leaving left keep keeping stays stay remains remain am i'm stand stands abstain"
)
_OPEN: Final = words_of("open undecided unanswered unresolved unsettled undetermined blank abstain fence")
_NO_DECISION: Final = words_of("deciding decision decided choosing choice verdict answer answering vote")
_NOBODY: Final = frozenset(("nobody", "anybody", "anyone"))
_KNOWING: Final = words_of("answer know say tell decide judge predict choose")
_MATTERS: Final = frozenset(("matter", "question", "this"))
_EARLIER: Final = words_of("first initially originally until before while long yesterday")
_NOT_OWN: Final = WordRole.OTHERS | WordRole.IF | WordRole.SPEAKS
_WAVERING: Final = words_of("flipping wavering switching vacillating oscillating going swinging")
_ROUND: Final = "circles"
_SPEAKER: Final = frozenset(("i", "we"))
_KEEPING: Final = frozenset(("keep", "still"))
_WHICH: Final = frozenset(("which", "where", "what", "who"))
_NO_LONGER: Final = frozenset(("any", "anymore", "now", "yet"))
_LANDING: Final = words_of("land stand prefer favour favor end lean")
_SIGNS: Final = _REFUSING | _NOBODY | _OPEN | _WAVERING | {_ROUND}
"""Without these words and a negation nothing is left undecided."""
_CUTS: Final = WordRole.BUT | WordRole.SO | WordRole.SINCE
_CLAUSE_ENDS: Final = frozenset(",;:.!?()–—…\n")
_MOST_BETWEEN, _MOST_BEHIND, _MOST_AROUND = 5, 7, 40


def abstains(tokens: ReplyTokens, statement: Statement, judged: Sequence[Mention], roles: int) -> bool:
    """Whether a statement ends in saying that its speaker does not decide; ``roles``: of its other words."""
    words = tokens.words[statement.start : statement.end]
    if not (roles & WordRole.NEGATES or not _SIGNS.isdisjoint(words)):
        return False
    said = [each for each in judged if each.kind >= MentionKind.TEXT]
    clear = {at: each.label for each in said for at in each.places}
    taken = max((each.start for each in said if each.polarity >= Polarity.HEADING), default=-1)
    for at in range(max(taken + 1, statement.start), statement.end):
        if at in clear or not (tokens.roles[at] & WordRole.NEGATES or tokens.words[at] in _SIGNS):
            continue
        clause = _clause_of(tokens, statement, at)
        if (
            _is_none(tokens, clause, at)
            or _cannot_decide(tokens, clause, at, clear)
            or _is_open(tokens, clause, at)
            or _declines(tokens, clause, at)
            or _wavers(tokens, clause, at)
        ):
            return True
    return False


def _clause_of(tokens: ReplyTokens, statement: Statement, at: int) -> range:
    """The run of a statement around a place, between signs and words that begin a clause."""
    words, roles = tokens.words, tokens.roles
    start, end = at, at + 1
    first, last = max(statement.start, at - _MOST_AROUND), min(statement.end, at + _MOST_AROUND)
    while start > first and words[start - 1] not in _CLAUSE_ENDS and not roles[start - 1] & _CUTS:
        start -= 1
    while end < last and words[end] not in _CLAUSE_ENDS and not roles[end] & _CUTS:
        end += 1
    return range(start, end)


def _cannot_decide(tokens: ReplyTokens, clause: range, at: int, named: Mapping[int, str]) -> bool:
    """Whether the word at a place negates a decision of the speaker."""
    words, roles = tokens.words, tokens.roles
    if not (roles[at] & WordRole.NEGATES or words[at] in _REFUSING or words[at] in _NOBODY):
        return False
    before = range(clause.start, at + 1)
    if words[at] in _NOBODY or words[at : at + 2] == ["no", "one"]:
        places = range(at, min(at + _MOST_BETWEEN, clause.stop))
        can = bool(tokens.roles_in(places) & WordRole.COULD)
        return can and not _KNOWING.isdisjoint(words[places.start : places.stop])
    if not _is_own(tokens, before) or tokens.roles_in(before) & _NOT_OWN:
        return False
    if any(near in named for near in before):
        return False
    if not _EARLIER.isdisjoint(words[clause.start : min(at + _MOST_BEHIND, clause.stop)]):
        return False
    if words[at] in ("no", "without") and not tokens.absorbed[at]:
        near = words[at + 1 : min(at + 4, clause.stop)]
        return not _DECISIONS.isdisjoint(near) and _OTHER_OBJECTS.isdisjoint(near)
    for verb in range(at, min(at + _MOST_BETWEEN + 1, clause.stop)):
        if verb > at and roles[verb] & (WordRole.NEGATES | WordRole.EXCEPTS):
            return False
        if words[verb] in _CHOOSING or words[verb] in _WITH_NOUN:
            return _means_deciding(tokens, clause, verb, named)
    return False


def _means_deciding(tokens: ReplyTokens, clause: range, verb: int, named: Mapping[int, str]) -> bool:
    """Whether a verb speaks of deciding at all, and not of one choice or of something else."""
    behind = range(verb + 1, min(verb + 1 + _MOST_BEHIND, clause.stop))
    labels = {named[at] for at in range(verb + 1, clause.stop) if at in named}
    if (len(labels) == 1 and "between" not in tokens.words[behind.start : behind.stop]) or tokens.word(
        verb + 1
    ) in ("it", "this", "him", "her"):
        return False
    said = tokens.words[behind.start : behind.stop]
    if said and (said[0] in _OTHER_OBJECTS or said[-1] == "otherwise"):
        return False
    if tokens.words[verb] in _CHOOSING:
        return True
    return not _DECISIONS.isdisjoint(said)


def _is_own(tokens: ReplyTokens, places: range) -> bool:
    """Whether the speaker is named there, also within a phrase that hides the word: "I keep"."""
    own = tokens.roles_in(places) & WordRole.FIRST
    return bool(own) or not _SPEAKER.isdisjoint(tokens.words[places.start : places.stop])


def _declines(tokens: ReplyTokens, clause: range, at: int) -> bool:
    """Whether a clause ends in the speaker's refusal: "I must decline"."""
    before = tokens.roles_in(range(clause.start, at))
    return (
        tokens.words[at] in _REFUSING
        and (at + 1 == clause.stop or tokens.words[at] == "recuse")
        and _is_own(tokens, range(clause.start, at))
        and not before & (_NOT_OWN | WordRole.NEGATES)
    )


def _wavers(tokens: ReplyTokens, clause: range, at: int) -> bool:
    """Whether the speaker goes on wavering, or knows no choice of theirs: "I don't know where I'll land"."""
    words = tokens.words
    if words[at] == _ROUND:
        return words[at - 1] == "in" and _is_own(tokens, range(clause.start, at))
    if words[at] in _WAVERING:
        verb = words[at - 1] in _KEEPING and at - 1 > clause.start
        return verb and _is_own(tokens, range(clause.start, at))
    if words[at + 1 : at + 2] != ["know"] or not _is_own(tokens, range(clause.start, at)):
        return False
    if at + 2 >= clause.stop or words[at + 2] in _NO_LONGER:
        return True
    asked = words[at + 2 : at + 3]
    rest = words[at + 3 : clause.stop]
    return asked != [] and asked[0] in _WHICH and not (_CHOOSING | _LANDING).isdisjoint(rest)


def _is_none(tokens: ReplyTokens, clause: range, at: int) -> bool:
    """Whether it is said to be no decision: "being inclined isn't deciding", "this is not an answer"."""
    words, negated = tokens.words, tokens.roles[at] & WordRole.NEGATES
    if not negated or not (tokens.roles[at] | tokens.role(at - 1)) & WordRole.IS:
        return False
    noun = at + 1 + (tokens.word(at + 1) in ("a", "an", "my", "the", "yet"))
    return noun < clause.stop and words[noun] in _NO_DECISION


def _is_open(tokens: ReplyTokens, clause: range, at: int) -> bool:
    """Whether the matter is left open: "I leave it undecided", "my vote stays open"."""
    words = tokens.words
    if words[at] not in _OPEN or tokens.roles_in(clause) & (_NOT_OWN | WordRole.NEGATES):
        return False
    verb = next(
        (near for near in range(at, max(clause.start, at - 4) - 1, -1) if words[near] in _LEAVING), -1
    )
    if verb < 0:
        return False
    matter = not _MATTERS.isdisjoint(words[clause.start : verb])
    return matter or bool(tokens.roles_in(clause) & (WordRole.FIRST | WordRole.PICK))
