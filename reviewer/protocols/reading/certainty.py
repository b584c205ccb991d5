"""Whether what decides leaves a doubt: it is one of several cases, another choice stands near it, and so on.

Replies find ever new words to tell cases apart, to quote and to break off. So these rules look at where other
choices stand and how statements begin, and hardly at single words. An announcement is doubted less.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final

from reviewer.protocols.reading.case_distinctions import ANNOUNCED_CASES, CASES, begins_case
from reviewer.protocols.reading.deciding_statement import (
    COMPARES,
    I_NOT,
    YOURS,
    Deciding,
    Doubt,
    is_marked_item,
    is_own,
    is_taken,
)
from reviewer.protocols.reading.firmness import CUT_OFF, NO_DECISION, NO_SIDE, SEVERAL, TAKEN_BACK, Firmness
from reviewer.protocols.reading.mentions import MentionKind, Polarity
from reviewer.protocols.reading.naming_words import phrases_of, words_of
from reviewer.protocols.reading.roles import WordRole, roles_of
from reviewer.protocols.reading.statement_result import StatementResult

_SHARED: Final = words_of("shared tied joint jointly equal")
_OF_TEXT: Final = words_of("label text name title description meaning wording")
"""What stands before the text of a choice in a line behind the one with its name."""
_LONG: Final = "long"
"""As in "as long as"."""
_WHO: Final = frozenset(("who", "whose", "whom"))
_ALTERNATIVES: Final = words_of("or oder ou o")
_ASKING: Final = words_of("like want wanted wish know ask asked")
_SETTLING: Final = words_of("sure certain settle decide verdict answer commit choose")
_JOINING: Final = frozenset((",", ";", "and", "und", "et", "y"))
_OPENING_QUOTES: Final = frozenset('"“„«')
_CLOSING_QUOTES: Final = frozenset('"”“»')
_NO: Final = phrases_of("no; nein; non; nee")
_BACK: Final = frozenset(("that", "this", "it"))
_IS: Final = frozenset(("was", "is", "would"))
_ACCORDING: Final = ["according", "to"]
_REPORTING: Final = words_of(
    "recommends suggests advises prefers favours favors supports chooses picks selects"
)
_THESE: Final = frozenset(("these", "those", "them"))
_SUBJECTS: Final = words_of("the option answer response assistant")
_ENDS: Final = frozenset(".!?")
_SETS: Final = frozenset((":", "="))
_CALLS: Final = WordRole.GOOD | WordRole.IS
_OVERRULES: Final = COMPARES | roles_of("negates since concedes but takes is first so loses corrects")
"""What between two choices says that they are not named in one breath."""
_TWO, _FEW = 2, 6


def doubt_of(every: Sequence[StatementResult], choices: int, label: str, firm: Firmness) -> str:
    """The kind of doubt that each statement leaves which takes a label as firmly; "" if one leaves none."""
    doubt, least = "", min(firm, Firmness.CONCLUDED)
    for number, said in enumerate(every):
        if said.label == label and said.firm >= least:
            deciding = Deciding(every, number, label, choices)
            table = ANNOUNCED if said.region else () if _is_heading(deciding) else SAID
            doubt = next((each.why for each in (*ANY, *table) if each.holds(deciding)), "")
            if not doubt:
                break
    return doubt


def takes_as_own(every: Sequence[StatementResult], label: str) -> bool:
    """Whether a statement that takes a label concludes, names its speaker, or calls it the answer."""
    taking = [said for said in every if said.label == label]
    return any(is_own(said) or said.settles or _calls_answer(said) for said in taking)


def _calls_answer(said: StatementResult) -> bool:
    """Whether it calls a choice the right one in few words: "The answer is B."."""
    return said.roles & _CALLS == _CALLS and len(said.said) <= _FEW


def _is_heading(deciding: Deciding) -> bool:
    """Whether a reply begins with a line that only names the choice."""
    said = deciding.said
    return not deciding.before and not said.said and said.tokens.word(said.statement.end) == "\n"


# Of any statement


def _is_offered(deciding: Deciding) -> bool:
    """Whether the choice is one of those that are offered."""
    tokens, ends = deciding.tokens, (mention.end for mention in deciding.own)
    return any(tokens.word(end) in _CLOSING_QUOTES and tokens.word(end + 1) in _ALTERNATIVES for end in ends)


# Of an announcement


def _contradicts(deciding: Deciding) -> bool:
    """Whether the speaker calls another choice theirs right before."""
    before, said = deciding.before, deciding.said
    if before is None or before.label in (None, deciding.label) or said.corrects or said.concludes:
        return False
    mine = "my" in before.words and not before.region
    return mine and is_taken(before) and bool(before.roles & (WordRole.PICK | WordRole.IS))


def _is_named_otherwise(deciding: Deciding) -> bool:
    """Whether the text beside an announced name is another choice's."""
    words = deciding.tokens.words
    return any(
        words[rival.start - 1] in _SETS and words[rival.start - 2] in _OF_TEXT
        for each in (deciding.said, deciding.after)
        for rival in deciding.rivals(each, Polarity.OPEN)
    )


def _is_given_up(deciding: Deciding) -> bool:
    """Whether the speaker gives an announced answer up behind it."""
    last = deciding.every[deciding.last_denial]
    if deciding.last_denial <= deciding.number or last.region != deciding.said.region:
        return False
    return not _SETTLING.isdisjoint(last.words)


def _is_left_to_others(deciding: Deciding) -> bool:
    """Whether somebody else is said to decide."""
    return not _WHO.isdisjoint(deciding.tokens.words[deciding.said.statement.start : deciding.start])


# Of other statements


def _is_told(deciding: Deciding) -> bool:
    """Whether others choose."""
    said, words, roles = deciding.said, deciding.tokens.words, deciding.tokens.roles
    if is_own(said):
        return False
    if any(words[at] in _REPORTING and not roles[at - 1] for at in said.said[1:]):
        return True
    return any(
        words[mention.start - 1] in _OPENING_QUOTES
        and said.tokens.roles_in(range(max(said.statement.start, mention.start - _FEW), mention.start))
        & WordRole.SPEAKS
        for mention in deciding.own
    )


def _tells_source(deciding: Deciding) -> bool:
    """Whether a statement begins with its source."""
    return deciding.said.words[:2] == _ACCORDING


def _tells_question(deciding: Deciding) -> bool:
    """Whether a statement tells what the reader asks."""
    said = deciding.said
    asked = said.words[0] in YOURS and not _ASKING.isdisjoint(said.words[:_FEW])
    return asked and not said.concludes


# Of other statements: beside another choice


def _names_both(deciding: Deciding) -> bool:
    """Whether two choices are named in one breath, with a word of each."""
    said, label = deciding.said, deciding.label
    if any(each.polarity is Polarity.TURNED_DOWN for each in said.judged):
        return False
    for one, two in pairwise(said.judged):
        between = range(one.end, two.start)
        both = one.label != two.label and label in (one.label, two.label)
        if not both or min(one.kind, two.kind) < MentionKind.TEXT or len(between) not in range(2, _FEW + 1):
            continue
        joins = not _JOINING.isdisjoint(said.tokens.words[between.start : between.stop])
        if joins and not said.tokens.roles_in(between) & _OVERRULES:
            return True
    return False


def _goes_on_with_another(deciding: Deciding) -> bool:
    """Whether the next statement leaves another choice standing."""
    return bool(deciding.rivals(deciding.after, Polarity.NAMED))


def _is_alternative(deciding: Deciding) -> bool:
    """Whether the choice is only named behind "or"."""
    return all(deciding.tokens.word(mention.start - 1) in _ALTERNATIVES for mention in deciding.own)


def _is_listed(deciding: Deciding) -> bool:
    """Whether the choice stands in a list next to another one that is not turned down."""
    said = deciding.said
    if not is_marked_item(said) or is_taken(said) or is_own(said):
        return False
    return any(
        each.label != deciding.label and each.polarity > Polarity.TURNED_DOWN
        for near in deciding.near
        for each in near.judged
        if is_marked_item(near)
    )


def _is_likened(deciding: Deciding) -> bool:
    """Whether something is said to be as good as the choice."""
    word = deciding.tokens.word
    firsts = [at - (word(at - 1) == "the") for at in (mention.start for mention in deciding.own)]
    return any(word(first - 1) == "as" == word(first - 3) for first in firsts)


def _stands_beside(deciding: Deciding) -> bool:
    """Whether nobody chooses, and another choice stands in the statement, not only in an explanation."""
    if not deciding.is_weak or deciding.said.roles & COMPARES:
        return False
    tokens = deciding.tokens
    for rival in deciding.rivals(deciding.said, Polarity.OPEN):
        between = range(deciding.start, rival.start)
        explains = {"(", "–", ":"}.intersection(tokens.words[between.start : between.stop])
        if not explains and not tokens.roles_in(between) & WordRole.SINCE:
            return True
    return False


def _follows_another(deciding: Deciding) -> bool:
    """Whether nobody chooses, and the statement before is about another choice."""
    said = deciding.said
    closed = said.words[-1] in _ENDS or deciding.tokens.word(said.statement.start - 1) == "\n"
    least = Polarity.NAMED if not said.said and closed else Polarity.DESCRIBED
    return deciding.is_weak and not is_taken(said) and bool(deciding.rivals(deciding.before, least))


def _shares_rank(deciding: Deciding) -> bool:
    """Whether the choice shares its rank in a list."""
    return is_marked_item(deciding.said) and not _SHARED.isdisjoint(deciding.said.words)


# Of other statements: denied


def _is_denied_later(deciding: Deciding) -> bool:
    """Whether the speaker denies something later on, and is not sure or leaves another choice standing."""
    unsure = bool(deciding.said.roles & (WordRole.IF | WordRole.COULD)) or _LONG in deciding.said.words
    return deciding.number < deciding.last_denial and (deciding.contested or unsure)


def _is_hedged(deciding: Deciding) -> bool:
    """Whether nobody chooses, and the choice would only win unless something holds."""
    said = deciding.said
    hedged = not is_own(said) and said.roles & WordRole.WOULD and "unless" in said.words[1:]
    return bool(hedged) and not begins_case(said)


def _goes_on_denying(deciding: Deciding) -> bool:
    """Whether the reply begins with the choice, and the speaker denies something behind it."""
    if deciding.said.firm is not Firmness.OPENED or deciding.said.concludes:
        return False
    behind = (deciding.tokens.roles[at] for at in deciding.behind)
    return reduce(or_, behind, 0) & (I_NOT | WordRole.SINCE | WordRole.CONCEDES) == I_NOT


def _is_answered_no(deciding: Deciding) -> bool:
    """Whether a "no" follows, and nothing was asked."""
    after = deciding.after
    words = [deciding.tokens.words[at] for at in after.said] if after and not after.judged else []
    return words in _NO and not deciding.said.statement.asked


def _is_supposed(deciding: Deciding) -> bool:
    """Whether the next statement tells when it would be the speaker's answer."""
    after, supposes = deciding.after, WordRole.IF | WordRole.WOULD | WordRole.FIRST
    return after is not None and not after.judged and after.roles & supposes == supposes


def _would_be_denied(deciding: Deciding) -> bool:
    """Whether nobody chooses, the choice would only win, and the next statement denies something."""
    said, after = deciding.said, deciding.after
    would = not is_own(said) and said.roles & WordRole.WOULD
    return bool(would and after and not after.judged and after.roles & WordRole.NEGATES)


def _is_called_bad(deciding: Deciding) -> bool:
    """Whether the next statement calls it bad."""
    after = deciding.after
    if after is None or after.judged:
        return False
    words = [deciding.tokens.words[at] for at in after.said]
    points = words[:1] != [] and words[0] in _BACK and words[1:2] != [] and words[1] in _IS
    bad = after.roles & WordRole.BAD and not after.roles & (WordRole.NEGATES | WordRole.SINCE)
    return points and bool(bad)


# Of other statements: no choice, or no end


def _is_word_in_list(deciding: Deciding) -> bool:
    """Whether only words of its text name the choice in a list."""
    return deciding.kind <= MentionKind.PART and is_marked_item(deciding.said)


def _is_third_way(deciding: Deciding) -> bool:
    """Whether all choices were turned down right before."""
    before = deciding.before.words if deciding.before and deciding.kind <= MentionKind.TEXT else []
    return before[:2] == ["none", "of"] and not _THESE.isdisjoint(before[2:3])


def _ends_reply(deciding: Deciding) -> bool:
    """Whether a reply ends in the statement, without a sign."""
    return deciding.after is None and deciding.tokens.words[-1][0].isalnum()


def _ends_in_words(deciding: Deciding) -> bool:
    """Whether a reply of several statements ends in some words of a text."""
    return _ends_reply(deciding) and deciding.number > 0 and deciding.kind <= MentionKind.PART


def _ends_in_one_word(deciding: Deciding) -> bool:
    """Whether a reply of several statements ends in one that names a choice by its only word."""
    words = deciding.tokens.words
    single = all(
        mention.end - mention.start == 1 and words[mention.start].isalpha() for mention in deciding.own
    )
    by_text = deciding.kind is MentionKind.TEXT and single and not is_own(deciding.said)
    return _ends_reply(deciding) and deciding.number > 0 and by_text


def _is_looked_at(deciding: Deciding) -> bool:
    """Whether a reply ends in one of two choices behind a phrase."""
    said, words = deciding.said, deciding.tokens.words
    if not _is_subject_of_two(deciding) or said.firm is not Firmness.OPENED or is_own(said):
        return False
    own = deciding.own[0]
    first = own.start - (words[own.start - 1] == "the")
    return own.end - own.start > 1 and words[first - 1] == "," and first > said.statement.start


def _is_subject(deciding: Deciding) -> bool:
    """Whether a reply ends in words that seem the subject of a sentence."""
    said, words = deciding.said, deciding.tokens.words
    bare = all(words[at] == "the" for at in said.said) and said.words[0] in _SUBJECTS
    behind = deciding.tokens.word(said.statement.start - 1) in _ENDS
    return _is_subject_of_two(deciding) and bare and behind


def _is_subject_of_two(deciding: Deciding) -> bool:
    named = deciding.kind > MentionKind.TEXT and deciding.choices == _TWO
    return named and _ends_reply(deciding)


ANY: Final = (Doubt(SEVERAL, _is_offered, 'The task says: "Decision: Option A" or "Decision: Option B".'),)
"""Doubts about any statement."""
ANNOUNCED: Final = (
    Doubt(SEVERAL, _contradicts, "Option A is my choice. My choice: Option B."),
    Doubt(SEVERAL, _is_named_otherwise, "Option: B\nLabel: Rent a flat"),
    Doubt(TAKEN_BACK, _is_given_up, "Decision: A. Hmm, or perhaps B; I can't settle it."),
    Doubt(NO_SIDE, _is_left_to_others, "Decision: defer to the engineer, who favours Option B"),
    *ANNOUNCED_CASES,
)
"""Doubts about an announced choice."""
SAID: Final = (
    *CASES,
    Doubt(NO_SIDE, _tells_source, "According to the book, Option A is the right choice."),
    Doubt(NO_SIDE, _tells_question, "You'd like to know how neutral I am."),
    Doubt(NO_SIDE, _is_told, "The guide recommends Option A."),
    Doubt(SEVERAL, _names_both, "I agree with A on rivers and with B on lakes."),
    Doubt(
        SEVERAL,
        _goes_on_with_another,
        "Given time, Option B. Given two days, Option A. How much time is there?",
    ),
    Doubt(SEVERAL, _is_alternative, "I would take it or Option A."),
    Doubt(SEVERAL, _is_listed, "1. Rent a flat.\n2. Then buy the house."),
    Doubt(SEVERAL, _is_likened, "Renting again is as defensible as buying the house."),
    Doubt(SEVERAL, _stands_beside, "A is braver, B is wiser."),
    Doubt(SEVERAL, _follows_another, "The first answer is good. The second is better."),
    Doubt(SEVERAL, _shares_rank, "Ranking:\n1. first, second (shared)"),
    Doubt(TAKEN_BACK, _is_denied_later, "I'd go for A as long as nobody objects. I can't know that."),
    Doubt(TAKEN_BACK, _is_hedged, "Option A would win, unless the user wanted a table."),
    Doubt(TAKEN_BACK, _goes_on_denying, "A as I am, I don't judge."),
    Doubt(TAKEN_BACK, _is_answered_no, "Option A! No. I'd have to see the contract."),
    Doubt(TAKEN_BACK, _is_supposed, "Option A. At least, that would be my answer if I had the data."),
    Doubt(TAKEN_BACK, _would_be_denied, "The first would be my choice in a contest. This isn't one."),
    Doubt(TAKEN_BACK, _is_called_bad, "I said Option A. That was premature."),
    Doubt(NO_DECISION, _is_word_in_list, "- rent: dear"),
    Doubt(NO_DECISION, _is_third_way, "None of these convinces me; rent a flat"),
    Doubt(CUT_OFF, _ends_in_words, "It is sold. That leaves neutral and flat"),
    Doubt(CUT_OFF, _ends_in_one_word, "The cost matters. Neutral"),
    Doubt(CUT_OFF, _is_looked_at, "Having read both, the second option"),
    Doubt(CUT_OFF, _is_subject, "There are twelve ways. Option A"),
)
"""Doubts about the choice of a statement that nothing announces."""
