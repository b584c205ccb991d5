"""What a word does to a choice that is named next to it."""


class WordRole:
    """What a word does to the choice that is named next to it: bits, since one word may do several things."""

    NEGATES = 1 << 0
    """not, never, no: turns the rest of its clause round"""
    EXCEPTS = 1 << 1
    """rather than, anything but, over: turns down only the choice behind it"""
    REFUSES = 1 << 2
    """avoid, reject: a verb that turns down"""
    TAKES = 1 << 3
    """choose, go with: a verb that takes"""
    LEANS = 1 << 4
    """lean, like: takes less firmly"""
    PONDERS = 1 << 5
    """consider, be tempted: leaves it open"""
    GOOD = 1 << 6
    """best, right, better: decides for the choice called so"""
    BAD = 1 << 7
    """wrong, risky: decides against the choice called so"""
    WINS = 1 << 8
    """beats, wins: a verb whose subject is preferred"""
    LOSES = 1 << 9
    IS = 1 << 10
    """is, seems, and a colon: joins a choice and its description"""
    SHOULD = 1 << 11
    """should, must: a rule for everybody"""
    WOULD = 1 << 12
    """would, will: somebody's decision"""
    COULD = 1 << 13
    """could, might: one possibility of several"""
    FIRST = 1 << 14
    """I, we, you, let's: those for whom the reply speaks"""
    OTHERS = 1 << 15
    """my colleague, some, many: other people"""
    PRUDENT = 1 << 16
    """careful, wise: people whose example is to be followed"""
    PICK = 1 << 17
    """choice, answer, vote: a noun for a decision"""
    EARLIER = 1 << 18
    """initial, second, other: a pick that is not the last one"""
    IF = 1 << 19
    CONCEDES = 1 << 20
    """although, even if: concedes"""
    SINCE = 1 << 21
    """because: a reason follows"""
    BUT = 1 << 22
    """but, however: what follows counts more"""
    SO = 1 << 23
    """therefore, overall: a conclusion follows"""
    JOINS = 1 << 24
    """and, or: choices in one breath"""
    THAN = 1 << 25
    TO = 1 << 26
    FROM = 1 << 27
    MOVES = 1 << 28
    """switch, move: from one choice to another"""
    GLUE = 1 << 29
    """words that change nothing: the, definitely, with"""
    CORRECTS = 1 << 30
    """correction, on second thought: takes back what was said before"""
    UNDECIDED = 1 << 31
    """it depends, cannot decide: takes no side"""
    SPEAKS = 1 << 32
    """says, argues: somebody's words follow"""
    OFFERS = 1 << 33
    """let me know if: what follows is an offer"""
    HAS = 1 << 34
    """have: with would, what did not happen"""


def roles_of(names: str) -> int:
    """The roles of these names together: "is should would"."""
    return sum({getattr(WordRole, name.upper()) for name in names.split()})
