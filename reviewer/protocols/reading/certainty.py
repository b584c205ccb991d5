"""Whether what decides leaves a doubt: it is one of several cases, another choice stands near it, and so on.

Replies find ever new words to tell cases apart, to quote and to break off. So these rules look at where other
choices stand and how statements begin, and hardly at single words. An announcement is doubted less.
"""

from collections.abc import Sequence
from functools import cached_property, reduce
from itertools import pairwise
from operator import or_
from typing import Final

from reviewer.protocols.reading.case_distinctions import names_case
from reviewer.protocols.reading.decision import (
    CUT_OFF,
    NO_DECISION,
    NO_SIDE,
    SEVERAL,
    TAKEN_BACK,
    Firmness,
    StatementSays,
)
from reviewer.protocols.reading.lists import is_marked
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.polarity import Judged, Polarity
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

_CASES: Final = words_of(
    """
    for in with without at on under above over below up beyond from by during until before within inside
    outside where wherever für im bei mit ohne unter über voor met zonder pour avec sans dans chez para con
    sin en per senza em com sem
    """
)
"""What may begin the name of a case: "For a bank, B", "Below 60 km/h: C"."""
_ALONE: Final = words_of("with without mit ohne con sin avec sans")
"""Which of them need no noun: "A with a budget, B without"."""
_DEPENDING: Final = words_of(
    "depends depend depending hinges hinge abhängt dépend depende dipende hangt zależy зависит"
)
_OF_DEPENDING: Final = _CASES | words_of("to among")
"""What may begin a case behind "It depends:"."""
_SHARED: Final = words_of("shared tied joint jointly equal")
_OF_TEXT: Final = words_of("label text name title description meaning wording")
"""What stands before the text of a choice in a line behind the one with its name."""
_UNSURE: Final = words_of("if unless wenn falls si se")
_LONG: Final = "long"
"""As in "as long as"."""
_ANYBODY: Final = words_of("a an any anyone those people who whoever")
_WHO: Final = frozenset(("who", "whose", "whom"))
_RELATIVE: Final = words_of("that who which whoever")
_ALTERNATIVES: Final = words_of("or oder ou o")
_YOURS: Final = words_of("you your you'd you'll you're")
_ASKING: Final = words_of("like want wanted wish know ask asked")
_SETTLING: Final = words_of("sure certain settle decide verdict answer commit choose")
_JOINING: Final = frozenset((",", ";", "and", "und", "et", "y"))
_OPENING_QUOTES: Final = frozenset('"“„«')
_CLOSING_QUOTES: Final = frozenset('"”“»')
_RANKING: Final = words_of("order ranking ranked")
_NO: Final = (["no"], ["nein"], ["non"], ["nee"])
_BACK: Final = frozenset(("that", "this", "it"))
_IS: Final = frozenset(("was", "is", "would"))
_ACCORDING: Final = ["according", "to"]
_REPORTING: Final = words_of(
    "recommends suggests advises prefers favours favors supports chooses picks selects"
)
_THESE: Final = frozenset(("these", "those", "them"))
_SUBJECTS: Final = words_of("the option answer response assistant")
_ENDS: Final = frozenset(".!?")
_SEGMENT_ENDS: Final = frozenset(",;:")
_SETS: Final = frozenset((":", "="))
_COMPARES: Final = WordRole.THAN | WordRole.WINS | WordRole.EXCEPTS
_CALLS: Final = WordRole.GOOD | WordRole.IS
_I_NOT: Final = WordRole.FIRST | WordRole.NEGATES
_OVERRULES: Final = (
    _COMPARES
    | WordRole.NEGATES
    | WordRole.SINCE
    | WordRole.EVEN
    | WordRole.BUT
    | WordRole.TAKES
    | WordRole.IS
    | WordRole.FIRST
    | WordRole.SO
    | WordRole.LOSES
    | WordRole.CORRECTS
)
"""What between two choices says that they are not named in one breath."""
_TWO, _FEW = 2, 6


class _Said:
    """A statement with its judged mentions and what it says."""

    def __init__(
        self, tokens: ReplyTokens, statement: Statement, judged: Sequence[Judged], says: StatementSays
    ) -> None:
        self.tokens, self.statement, self.judged, self.says = tokens, statement, judged, says
        inside = {at for each in judged for at in range(each.mention.start, each.mention.end)}
        self.outside = [at for at in range(statement.start, statement.end) if at not in inside]
        self.words = tokens.words[statement.start : statement.end]
        self.roles = reduce(or_, map(tokens.roles.__getitem__, self.outside), 0)

    @cached_property
    def said(self) -> list[int]:
        """The places of its words outside of choices."""
        return [at for at in self.outside if self.tokens.words[at][0].isalnum()]

    @cached_property
    def is_taken(self) -> bool:
        """Whether a verb takes a choice."""
        return any(each.polarity is Polarity.TAKEN for each in self.judged)

    @cached_property
    def is_own(self) -> bool:
        """Whether it concludes, corrects, or names its speaker, and not only the reader."""
        own = self.says.is_own and not self.roles & WordRole.FIRST
        roles, words = self.tokens.roles, self.tokens.words
        named = any(roles[at] & WordRole.FIRST and words[at] not in _YOURS for at in self.outside)
        return own or named or self.says.concludes or self.says.corrects

    @cached_property
    def calls_answer(self) -> bool:
        """Whether it calls a choice the right one in few words: "The answer is B."."""
        return self.roles & _CALLS == _CALLS and len(self.said) <= _FEW

    @cached_property
    def is_weak(self) -> bool:
        """Whether nobody is said to choose."""
        return not (self.is_own or (self.is_taken and self.roles & (WordRole.PICK | WordRole.TAKES)))

    @cached_property
    def begins_case(self) -> bool:
        """Whether it begins with words that may name a case: "In a bank …"."""
        start, end = self.statement.start, self.statement.end
        first = next((at for at in range(start, end) if self.tokens.words[at][0].isalnum()), start)
        if self.said[:1] != [first]:
            return False
        named = self.tokens.words[first] in _CASES and names_case(self.tokens, first, end)
        inverted = self.tokens.words[first] == "should" and not self.statement.asked
        return named or inverted or bool(self.tokens.roles[first] & WordRole.IF)

    def of(self, label: str) -> list[Mention]:
        """Where it names a choice."""
        return [each.mention for each in self.judged if each.mention.label == label]

    def rivals(self, label: str, least: Polarity) -> list[Mention]:
        """The other choices that it leaves standing."""
        return [
            each.mention
            for each in self.judged
            if each.mention.label != label
            and each.mention.kind >= MentionKind.TEXT
            and each.polarity >= least
        ]


class Certainty:
    """Looks again at the statements that take the label of a reply."""

    def __init__(
        self,
        tokens: ReplyTokens,
        statements: Sequence[Statement],
        every: Sequence[Sequence[Judged]],
        says: Sequence[StatementSays],
        choices: int,
    ) -> None:
        """``choices``: how many there are."""
        self._tokens, self._choices = tokens, choices
        self._all = [_Said(tokens, *each) for each in zip(statements, every, says, strict=True)]
        self._depends = not _DEPENDING.isdisjoint(tokens.words)
        denying = (at for at, said in enumerate(self._all) if said.roles & _I_NOT == _I_NOT)
        self._last_denial = max((at for at in denying if not self._all[at].judged), default=-1)
        """The last statement in which the speaker denies something, and names no choice."""

    def doubt(self, label: str, firm: Firmness) -> str:
        """The kind of doubt that each statement leaves which decides as firmly; "" if one leaves none."""
        least = min(firm, Firmness.CONCLUDED)
        says = [said.says for said in self._all]
        deciding = [at for at, each in enumerate(says) if each.label == label and each.firm >= least]
        contested = any(said.rivals(label, Polarity.OPEN) for said in self._all)
        doubt = ""
        for number in deciding:
            doubt = self._doubt_of(number, label, contested)
            if not doubt:
                break
        return doubt

    def is_own(self, label: str) -> bool:
        """Whether a statement that takes a label concludes, names its speaker, or calls it the answer."""
        taking = [said for said in self._all if said.says.label == label]
        return any(said.is_own or said.says.settles or said.calls_answer for said in taking)

    def _doubt_of(self, number: int, label: str, contested: bool) -> str:
        said = self._all[number]
        if any(self._goes_on_with_or(mention.end) for mention in said.of(label)):
            return SEVERAL
        if said.statement.region:
            if self._contradicts(number, label) or self._is_named_otherwise(number, label):
                return SEVERAL
            if self._is_given_up(number):
                return TAKEN_BACK
            case = self._announces_another(number, label) or self._hangs_on_unknown(number, label)
            return NO_SIDE if case else ""
        if number == 0 and not said.said and self._tokens.word(said.statement.end) == "\n":
            return ""  # a heading
        if self._is_for_case(number, label, contested) or _is_told(said, label) or _depends(said, label):
            return NO_SIDE
        if self._has_rival(number, label) or self._shares_rank(said):
            return SEVERAL
        if self._is_denied(number, label, contested):
            return TAKEN_BACK
        if self._is_third_way(number, label):
            return NO_DECISION
        return CUT_OFF if self._breaks_off(number, label) else ""

    def _near(self, number: int) -> list[_Said]:
        """The statements right before and behind one."""
        return [self._all[at] for at in (number - 1, number + 1) if 0 <= at < len(self._all)]

    def _next(self, number: int) -> _Said | None:
        return self._all[number + 1] if number + 1 < len(self._all) else None

    def _contradicts(self, number: int, label: str) -> bool:
        """Whether the speaker calls another choice theirs right before: "A is my choice. My choice: B."."""
        before, said = self._all[number - 1], self._all[number]
        if number == 0 or before.says.label in (None, label) or said.says.corrects or said.says.concludes:
            return False
        mine = "my" in before.words and not before.statement.region
        return mine and before.is_taken and bool(before.roles & (WordRole.PICK | WordRole.IS))

    def _is_named_otherwise(self, number: int, label: str) -> bool:
        """Whether the text beside an announced name is another choice's: "Option: 3 / Label: Nothing"."""
        said, after, words = self._all[number], self._next(number), self._tokens.words
        near = [said] if after is None else [said, after]
        return any(
            words[rival.start - 1] in _SETS and words[rival.start - 2] in _OF_TEXT
            for each in near
            for rival in each.rivals(label, Polarity.OPEN)
        )

    def _shares_rank(self, said: _Said) -> bool:
        """Whether a choice shares its rank: "1. A, B (shared)"."""
        return is_marked(self._tokens, said.statement.start) and not _SHARED.isdisjoint(said.words)

    def _is_given_up(self, number: int) -> bool:
        """Whether the speaker gives an announced answer up behind it: "Hmm, I can't settle it."."""
        region, last = self._all[number].statement.region, self._last_denial
        if last <= number or self._all[last].statement.region != region:
            return False
        return not _SETTLING.isdisjoint(self._all[last].words)

    def _goes_on_with_or(self, end: int) -> bool:
        """Whether a choice is one of those that are offered: 'Reply with "A" or …'."""
        behind = end + (self._tokens.word(end) in _CLOSING_QUOTES)
        return behind > end and self._tokens.word(behind) in _ALTERNATIVES

    def _announces_another(self, number: int, label: str) -> bool:
        """Whether an announcement goes on with another choice, in a list or for another case."""
        said, after = self._all[number], self._next(number)
        start = min((mention.start for mention in said.of(label)), default=said.statement.start)
        if not _WHO.isdisjoint(self._tokens.words[said.statement.start : start]):
            return True  # "Decision: defer to the engineer, who favours Option B"
        if after is None or not after.rivals(label, Polarity.OPEN):
            return False
        start = said.statement.start
        bare = not any(self._tokens.words[at].isalpha() for at in said.said)
        ranks = (said.is_taken and bare) or not _RANKING.isdisjoint(
            self._tokens.words[max(0, start - _FEW) : start]
        )
        if not ranks and all(is_marked(self._tokens, each.statement.start) for each in (said, after)):
            return True
        if after.statement.region != said.statement.region:
            return False
        case = after.begins_case or after.roles & WordRole.IF
        return bool(case and after.rivals(label, Polarity.NAMED))

    def _hangs_on_unknown(self, number: int, label: str) -> bool:
        """Whether an announcement has a condition, and no proviso of which nothing else is said."""
        said = self._all[number]
        start = max((mention.end for mention in said.of(label)), default=said.statement.end)
        behind = [at for at in said.outside if at >= start]
        words, roles = self._tokens.words, self._tokens.roles
        if any(words[at] in _UNSURE and roles[at] & (WordRole.IF | WordRole.EVEN) for at in behind):
            return words[behind[0]] != "(" and (number < self._last_denial or "unless" not in said.words)
        proviso = any(roles[at] & WordRole.IF and not roles[at] & WordRole.THAN for at in behind)
        return proviso and number < self._last_denial

    def _is_for_case(self, number: int, label: str, contested: bool) -> bool:
        """Whether a choice is taken for one case of several."""
        said = self._all[number]
        breaks = number == len(self._all) - 1 and self._tokens.words[-1].isalpha()
        if said.begins_case and (contested or breaks or any(each.begins_case for each in self._near(number))):
            return True
        if not said.is_own and said.words[0] in _ANYBODY:  # "A team that knows Rust should take A"
            lead = self._tokens.words[said.statement.start : said.of(label)[0].start]
            if not _RELATIVE.isdisjoint(lead) and any(each.judged for each in self._near(number)):
                return True
        if not said.is_weak:
            return False
        return (contested and self._depends) or _names_two_cases(said)

    def _has_rival(self, number: int, label: str) -> bool:
        """Whether another choice stands as well as the one that is taken."""
        said, after = self._all[number], self._next(number)
        if _names_both(said, label):
            return True
        if after is not None and after.rivals(label, Polarity.NAMED):
            return True
        if all(self._tokens.word(mention.start - 1) in _ALTERNATIVES for mention in said.of(label)):
            return True
        marked = is_marked(self._tokens, said.statement.start) and not said.is_taken and not said.is_own
        if marked and any(
            each.mention.label != label and each.polarity > Polarity.TURNED_DOWN
            for near in self._near(number)
            for each in near.judged
            if is_marked(self._tokens, near.statement.start)
        ):
            return True
        if any(_is_likened(self._tokens, mention.start) for mention in said.of(label)):
            return True
        if not said.is_weak:
            return False
        if not said.roles & _COMPARES and _stands_beside(said, label):
            return True
        start, closed = said.statement.start, said.words[-1] in _ENDS
        bare = not said.said and (closed or self._tokens.word(start - 1) == "\n")
        before = self._all[number - 1].rivals(label, Polarity.NAMED if bare else Polarity.DESCRIBED)
        return number > 0 and not said.is_taken and bool(before)

    def _is_denied(self, number: int, label: str, contested: bool) -> bool:
        """Whether the next statement takes a choice back, or the speaker denies something later on."""
        said, after = self._all[number], self._next(number)
        unsure = bool(said.roles & (WordRole.IF | WordRole.COULD)) or _LONG in said.words
        if number < self._last_denial and (contested or unsure):
            return True
        hedged = not said.is_own and said.roles & WordRole.WOULD
        if hedged and "unless" in said.words[1:] and not said.begins_case:
            return True
        if said.says.firm is Firmness.OPENED and self._goes_on_denying(said, label):
            return True
        if after is None or after.judged:
            return False
        words = [self._tokens.words[at] for at in after.said]
        if words in _NO:
            return not said.statement.asked
        supposes = WordRole.IF | WordRole.WOULD | WordRole.FIRST
        if after.roles & supposes == supposes:
            return True  # "At least, that would be my answer if the data were complete."
        if not said.is_own and said.roles & WordRole.WOULD and after.roles & WordRole.NEGATES:
            return True  # "The first would win a contest of spelling. This isn't one."
        points = words[:1] != [] and words[0] in _BACK and words[1:2] != [] and words[1] in _IS
        bad = after.roles & WordRole.BAD and not after.roles & (WordRole.NEGATES | WordRole.SINCE)
        return points and bool(bad)

    def _goes_on_denying(self, said: _Said, label: str) -> bool:
        """Whether the speaker denies something behind a choice: "Neutral as I am, I don't judge."."""
        end = max((mention.end for mention in said.of(label)), default=0)
        behind = [self._tokens.roles[at] for at in said.outside if at >= end]
        denies = reduce(or_, behind, 0) & (_I_NOT | WordRole.SINCE | WordRole.EVEN)
        return denies == _I_NOT and not said.says.concludes

    def _is_third_way(self, number: int, label: str) -> bool:
        """Whether only words of a text name it, in a list or where all choices are turned down."""
        said, kind = self._all[number], self._kind(number, label)
        if kind <= MentionKind.PART and is_marked(self._tokens, said.statement.start):
            return True
        before = self._all[number - 1].words if number and kind <= MentionKind.TEXT else []
        return before[:2] == ["none", "of"] and not _THESE.isdisjoint(before[2:3])

    def _breaks_off(self, number: int, label: str) -> bool:
        """Whether a reply ends in what seems the subject of a sentence, or in some words of a text."""
        said, own = self._all[number], self._all[number].of(label)
        if number < len(self._all) - 1 or not self._tokens.words[-1][0].isalnum():
            return False
        if self._kind(number, label) <= MentionKind.PART:
            return number > 0
        words, start = self._tokens.words, said.statement.start
        if self._kind(number, label) is MentionKind.TEXT:
            single = all(
                mention.end - mention.start == 1 and words[mention.start].isalpha() for mention in own
            )
            return number > 0 and single and not said.is_own
        if self._choices == _TWO and said.says.firm is Firmness.OPENED and not said.is_own:
            first = own[0].start - (words[own[0].start - 1] == "the")
            if own[0].end - own[0].start > 1 and words[first - 1] == "," and first > start:
                return True  # "Looking at the two responses, the second one"
        bare = all(words[at] == "the" for at in said.said)
        subject = bare and said.words[0] in _SUBJECTS and self._tokens.word(start - 1) in _ENDS
        return subject and self._choices == _TWO

    def _kind(self, number: int, label: str) -> MentionKind:
        """The surest way in which a statement names a choice."""
        return max((mention.kind for mention in self._all[number].of(label)), default=MentionKind.NAME)


def _depends(said: _Said, label: str) -> bool:
    """Whether a choice is for a case of those that it depends on: "It depends: to a friend I'd say A"."""
    words, roles, behind = said.tokens.words, said.tokens.roles, False
    ends = {mention.end for mention in said.of(label)}
    for at in said.outside:
        behind = behind or words[at] in _DEPENDING
        begins = words[at - 1] in _SEGMENT_ENDS or (at in ends and not roles[at] & _COMPARES)
        if (
            behind
            and begins
            and words[at] in _OF_DEPENDING
            and names_case(said.tokens, at, said.statement.end)
        ):
            return True
    return False


def _names_both(said: _Said, label: str) -> bool:
    """Whether two choices are named in one breath, with a word of each: "A in spring and B in autumn"."""
    if any(each.polarity is Polarity.TURNED_DOWN for each in said.judged):
        return False
    for one, two in pairwise(each.mention for each in said.judged):
        between = range(one.end, two.start)
        both = one.label != two.label and label in (one.label, two.label)
        if not both or min(one.kind, two.kind) < MentionKind.TEXT or len(between) not in range(2, _FEW + 1):
            continue
        joins = not _JOINING.isdisjoint(said.tokens.words[between.start : between.stop])
        if joins and not said.tokens.roles_in(between) & _OVERRULES:
            return True
    return False


def _stands_beside(said: _Said, label: str) -> bool:
    """Whether another choice stands in the statement, and not only in what explains the one taken."""
    start = min((mention.start for mention in said.of(label)), default=0)
    for rival in said.rivals(label, Polarity.OPEN):
        between = range(start, rival.start)
        explains = {"(", "–", ":"}.intersection(said.tokens.words[between.start : between.stop])
        if not explains and not said.tokens.roles_in(between) & WordRole.SINCE:
            return True
    return False


def _is_likened(tokens: ReplyTokens, start: int) -> bool:
    """Whether something is said to be as good as the choice at a place: "B is as defensible as C"."""
    first = start - (tokens.word(start - 1) == "the")
    return tokens.word(first - 1) == "as" == tokens.word(first - 3)


def _names_two_cases(said: _Said) -> bool:
    """Whether two parts of a statement name a case each: "10 days in summer, 20 in winter"."""
    if said.roles & (WordRole.SINCE | WordRole.GOOD):
        return False
    words, parts, named = said.tokens.words, 0, False
    for at in said.outside:
        goes_on = words[at] in _ALONE or said.tokens.word(at + 1)[0].isalnum()
        named = named or (words[at] in _CASES and goes_on)
        if words[at] in (",", ";"):
            parts, named = parts + named, False
    return parts + named >= _TWO


def _is_told(said: _Said, label: str) -> bool:
    """Whether others choose: 'The school said: "Build a bridge"', "The guide recommends A"."""
    asked = said.words[0] in _YOURS and not _ASKING.isdisjoint(said.words[:_FEW])
    if said.words[:2] == _ACCORDING or (asked and not said.says.concludes):
        return True
    if said.is_own:
        return False
    words, roles = said.tokens.words, said.tokens.roles
    if any(words[at] in _REPORTING and not roles[at - 1] for at in said.said[1:]):
        return True
    return any(
        words[mention.start - 1] in _OPENING_QUOTES
        and said.tokens.roles_in(range(max(said.statement.start, mention.start - _FEW), mention.start))
        & WordRole.SPEAKS
        for mention in said.of(label)
    )
