"""Whether choices are only named for one case each: "If it rains, A; if not, B"."""

from collections.abc import Sequence
from typing import Final

from reviewer.protocols.reading.deciding_statement import (
    COMPARES,
    Deciding,
    Doubt,
    is_marked_item,
    is_own,
    is_taken,
)
from reviewer.protocols.reading.firmness import NO_SIDE
from reviewer.protocols.reading.mentions import Mention, MentionKind, Polarity
from reviewer.protocols.reading.naming_words import MEASURING, words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole, roles_of
from reviewer.protocols.reading.statement_result import StatementResult
from reviewer.protocols.reading.statements import Statement

_PREPOSITIONS: Final = words_of(
    "for with without under für voor pour para per для ohne sans sin senza zonder bei"
)
_CONDITIONS: Final = words_of(
    """
    if se si wenn falls should were had when whenever unless otherwise else case scenario week weeks month
    phase stage
    """
)
_WITHOUT: Final = words_of("without ohne sans sin senza zonder")
_COMPARING: Final = frozenset("<>≥≤")
_OF_THIS_CASE: Final = words_of(
    """
    me us this that these those both either my our your its his her their it the-end end short sum summary
    conclusion contrast comparison other fact general total all addition example instance doubt order view
    reason reasons case now sure time such so what which light terms spite favour favor practice doing
    balance reflection rereading thought thoughts first second last
    """
)
"""What follows a preposition that names no case of several: "for me", "in short", "for this team"."""
_ARTICLES: Final = frozenset(("the", "a", "an", "l'", "la", "le", "el", "die"))
_SEGMENT_ENDS: Final = frozenset(",;:.(–—→-")
_LINE_STARTS: Final = frozenset("-*•–—")
_CLEARLY_OWN: Final = WordRole.FIRST | WordRole.SO | WordRole.PICK | WordRole.CORRECTS
_ENDS: Final = frozenset(".!?;")
_MOST_MENTIONS: Final = 60
_FIRST_BEHIND, _MOST_BEHIND = 3, 8
_OVERALL: Final = roles_of("first pick takes should good so")
_BEFORE_NAME: Final = frozenset((",", ":", "→"))
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
_UNSURE: Final = words_of("if unless wenn falls si se")
_ANYBODY: Final = words_of("a an any anyone those people who whoever")
_RELATIVE: Final = words_of("that who which whoever")
_RANKING: Final = words_of("order ranking ranked")
_PART_ENDS: Final = frozenset(",;:")
_TWO, _FEW = 2, 6


def only_for_cases(tokens: ReplyTokens, statements: Sequence[Statement], label: str) -> bool:
    """Whether a choice is taken for one case only, and another choice for another case."""
    cases = _Cases(tokens, statements)
    placed = [
        (judged, cases.holds_for_case(number, judged))
        for number, statement in enumerate(statements)
        for judged in (statement.judged if len(statement.judged) <= _MOST_MENTIONS else ())
        if judged.polarity >= Polarity.OPEN or _is_without(tokens, statement, judged)
    ]
    own = [case for judged, case in placed if judged.label == label and judged.polarity >= Polarity.HEADING]
    others = [case for judged, case in placed if judged.label != label and judged.kind >= MentionKind.TEXT]
    return bool(own) and all(own) and any(others)


class _Cases:
    """Which choices of a reply are named for one case."""

    def __init__(self, tokens: ReplyTokens, statements: Sequence[Statement]) -> None:
        self._tokens, self._statements = tokens, statements
        self._words, self._roles = tokens.words, tokens.roles

    def holds_for_case(self, number: int, judged: Mention) -> bool:
        """Whether the words around a choice, or the heading above it, name a case."""
        tokens, statement, mention = self._tokens, self._statements[number], judged
        before = [each.end for each in statement.judged if each.end <= mention.start]
        start = max(before, default=statement.start)
        start = max((at + 1 for at in range(start, mention.start) if tokens.words[at] == ";"), default=start)
        lead = range(start, mention.start)
        after = [each.start for each in statement.judged if each.start >= mention.end]
        end = min(after, default=statement.end)
        end = min((at for at in range(mention.end, end) if tokens.words[at] == ";"), default=end)
        own = bool(tokens.roles_in(lead) & _CLEARLY_OWN)
        return (
            _opens_case(tokens, lead)
            or _goes_on_with_case(tokens, range(mention.end, end), own)
            or (not before and self._is_under_case(number, lead))
            or (judged.polarity is Polarity.FRAGMENT and self._is_in_row(number, lead))
        )

    def _is_under_case(self, number: int, lead: range) -> bool:
        """Whether what precedes a statement is its case: a heading, or "The loan is approved. Then A"."""
        if not number or self._statements[number - 1].judged:
            return False
        before, words = self._statements[number - 1], self._words
        heads = words[lead.start - 1] == "\n" and words[before.end - 1] not in _ENDS
        follows = words[lead.start : lead.start + 1] == ["then"]
        if not heads and not follows:
            return False
        places = before.places
        named = any(words[at] in _CONDITIONS or self._roles[at] & WordRole.IF for at in places)
        best_for = heads and words[before.start : before.start + 2] == ["best", "for"]
        return named or best_for or (heads and words[before.start] in _PREPOSITIONS)

    def _is_in_row(self, number: int, lead: range) -> bool:
        """Whether a bare choice ends one item of a row: "own land, B; rented land, C", "Accuracy: first"."""
        words, every = self._words, self._statements
        said = [at for at in lead if words[at][0].isalnum()]
        end = lead.stop
        while end > lead.start and words[end - 1] in _ARTICLES:
            end -= 1
        if not said or self._tokens.roles_in(lead) & _OVERALL or words[end - 1] not in _BEFORE_NAME:
            return False
        near = [at for at in (number - 1, number + 1) if 0 <= at < len(every) and every[at].judged]
        return any(map(self._is_item, near)) and self._is_item(number)

    def _is_item(self, number: int) -> bool:
        """Whether a statement is an item of a row: its last sign goes on, or it is a line of its own."""
        tokens, statement, judged = self._tokens, self._statements[number], self._statements[number].judged
        if judged[-1].polarity is not Polarity.FRAGMENT:
            return False
        starts_line = not statement.start or tokens.words[statement.start - 1] == "\n"
        name = judged[-1]
        line = starts_line and name.end >= statement.end and tokens.word(name.start - 1) == ":"
        before = tokens.word(statement.start - 1)
        return line or ";" in (tokens.words[statement.end - 1], before)


def _is_without(tokens: ReplyTokens, statement: Statement, judged: Mention) -> bool:
    """Whether a choice is named for the case without something: "without a budget Option B"."""
    first = max(statement.start, judged.start - _MOST_BEHIND)
    return not _WITHOUT.isdisjoint(tokens.words[first : judged.start - 1])


def _is_condition(tokens: ReplyTokens, at: int) -> bool:
    """Whether a word such as "if" stands here, and no "als" of a comparison."""
    return bool(tokens.roles[at] & WordRole.IF) and not tokens.roles[at] & WordRole.THAN


def _opens_case(tokens: ReplyTokens, lead: range) -> bool:
    """Whether a case is named before the choice: "If it rains, ", "Team < 5 people → "."""
    words = tokens.words
    if any(_is_condition(tokens, at) for at in lead):
        return True
    if (
        any(words[at][0] in _COMPARING and words[at] != ">" for at in lead)
        and "→" in words[lead.start : lead.stop]
    ):
        return True
    if words[lead.stop - 1 : lead.stop] == ["→"] and len(lead) > 1:
        return True
    starts = [at for at in lead if at == lead.start or words[at - 1] in _SEGMENT_ENDS | _LINE_STARTS]
    return any(
        (words[at] in _PREPOSITIONS and names_case(tokens, at, lead.stop)) or words[at] in _CONDITIONS
        for at in starts
    )


def names_case(tokens: ReplyTokens, at: int, end: int) -> bool:
    """Whether a preposition names a case of several, and not the choice itself: "With Option A"."""
    words = tokens.words
    after = at + 1
    if after < end and words[after] in _ARTICLES:
        after += 1
    if after >= end or (words[after] in _OF_THIS_CASE and not _is_length(tokens, after, end)):
        return False
    return words[after][0].isalnum() or words[after] == ":"


def _is_length(tokens: ReplyTokens, at: int, end: int) -> bool:
    """Whether "short" describes the word behind it: "for short runs", and not "in short"."""
    words = tokens.words
    return words[at] == "short" and words[at - 1] != "in" and at + 1 < end and words[at + 1].isalpha()


def _goes_on_with_case(tokens: ReplyTokens, behind: range, own: bool) -> bool:
    """Whether a case is named behind the choice: "A if it rains", "A for beginners"."""
    words, roles = tokens.words, tokens.roles
    places = [at for at in behind if words[at][0].isalnum()][:_MOST_BEHIND]
    if not places:
        return False
    if any(_is_condition(tokens, at) for at in places[:_FIRST_BEHIND]):
        return True
    if words[places[0]] in MEASURING and tokens.word(places[0] + 1)[0].isdigit():
        return True  # "A under 5 m"
    called = [at + 1 for at in places[:-1] if roles[at] & WordRole.GOOD and words[at + 1] == "for"]
    in_one = words[places[0]] == "in" and tokens.word(places[0] + 1) in ("a", "an", "case")
    head = [places[0]] if words[places[0]] in ("for", "when") or in_one else called
    return not own and bool(head) and names_case(tokens, head[0], behind.stop)


# Doubts about a statement that decides


def begins_case(said: StatementResult) -> bool:
    """Whether it begins with words that may name a case: "In a bank …"."""
    tokens, start, end = said.tokens, said.statement.start, said.statement.end
    first = next((at for at in range(start, end) if tokens.words[at][0].isalnum()), start)
    if said.said[:1] != [first]:
        return False
    named = tokens.words[first] in _CASES and names_case(tokens, first, end)
    inverted = tokens.words[first] == "should" and not said.statement.asked
    return named or inverted or bool(tokens.roles[first] & WordRole.IF)


def _announces_case(deciding: Deciding) -> bool:
    """Whether an announcement goes on with another choice for another case."""
    after = deciding.after
    if after is None or after.region != deciding.said.region:
        return False
    case = begins_case(after) or after.roles & WordRole.IF
    return bool(case and deciding.rivals(after, Polarity.NAMED))


def _hangs_on_unknown(deciding: Deciding) -> bool:
    """Whether an announcement has a condition, and no proviso of which nothing else is said."""
    said, behind, words, roles = deciding.said, deciding.behind, deciding.tokens.words, deciding.tokens.roles
    denied = deciding.number < deciding.last_denial
    if any(words[at] in _UNSURE and roles[at] & (WordRole.IF | WordRole.CONCEDES) for at in behind):
        return words[behind[0]] != "(" and (denied or "unless" not in said.words)
    return denied and any(roles[at] & WordRole.IF and not roles[at] & WordRole.THAN for at in behind)


def _announces_list(deciding: Deciding) -> bool:
    """Whether an announcement goes on with another choice in a list that does not rank them."""
    said, after, words = deciding.said, deciding.after, deciding.tokens.words
    start = said.statement.start
    bare = not any(words[at].isalpha() for at in said.said)
    ranks = (is_taken(said) and bare) or not _RANKING.isdisjoint(words[max(0, start - _FEW) : start])
    listed = after is not None and bool(deciding.rivals(after, Polarity.OPEN)) and not ranks
    return listed and is_marked_item(said) and after is not None and is_marked_item(after)


def _is_case_of_several(deciding: Deciding) -> bool:
    """Whether a statement begins with a case, and other choices or cases are named, or it breaks off."""
    breaks = deciding.after is None and deciding.tokens.words[-1].isalpha()
    return begins_case(deciding.said) and (
        deciding.contested or breaks or any(map(begins_case, deciding.near))
    )


def _is_for_anybody_who(deciding: Deciding) -> bool:
    """Whether a choice is for people of one kind, and another statement names choices."""
    said = deciding.said
    if is_own(said) or said.words[0] not in _ANYBODY:
        return False
    lead = deciding.tokens.words[said.statement.start : deciding.own[0].start]
    return not _RELATIVE.isdisjoint(lead) and any(each.judged for each in deciding.near)


def _is_what_it_depends_on(deciding: Deciding) -> bool:
    """Whether nobody chooses, and a reply with several choices says that it depends."""
    return deciding.is_weak and deciding.contested and not _DEPENDING.isdisjoint(deciding.tokens.words)


def _names_two_cases(deciding: Deciding) -> bool:
    """Whether nobody chooses, and two parts of a statement name a case each."""
    said = deciding.said
    if not deciding.is_weak or said.roles & (WordRole.SINCE | WordRole.GOOD):
        return False
    words, parts, named = said.tokens.words, 0, False
    for at in said.outside:
        goes_on = words[at] in _ALONE or said.tokens.word(at + 1)[0].isalnum()
        named = named or (words[at] in _CASES and goes_on)
        if words[at] in (",", ";"):
            parts, named = parts + named, False
    return parts + named >= _TWO


def _depends(deciding: Deciding) -> bool:
    """Whether the choice is for a case of those that it depends on."""
    said, words, roles, behind = deciding.said, deciding.tokens.words, deciding.tokens.roles, False
    ends = {mention.end for mention in deciding.own}
    for at in said.outside:
        behind = behind or words[at] in _DEPENDING
        begins = words[at - 1] in _PART_ENDS or (at in ends and not roles[at] & COMPARES)
        if (
            behind
            and begins
            and words[at] in _OF_DEPENDING
            and names_case(said.tokens, at, said.statement.end)
        ):
            return True
    return False


ANNOUNCED_CASES: Final = (
    Doubt(NO_SIDE, _announces_list, "Decision:\n1. Option B this quarter\n2. Option A next quarter"),
    Doubt(NO_SIDE, _announces_case, "Verdict: tie. On closer reading the second"),
    Doubt(NO_SIDE, _hangs_on_unknown, "Decision: Option A, unless the audit objects; I can't check."),
)
"""Doubts about an announcement that may hold for one case."""
CASES: Final = (
    Doubt(NO_SIDE, _is_case_of_several, "Where latency counts, I'd use A. Where it doesn't, B is simpler."),
    Doubt(
        NO_SIDE,
        _is_for_anybody_who,
        "A team that knows Rust should take A. A team that doesn't should take B.",
    ),
    Doubt(
        NO_SIDE,
        _is_what_it_depends_on,
        "Whereas the first says that it depends, the second says on what. Clearly the latter.",
    ),
    Doubt(NO_SIDE, _names_two_cases, "A with children, B without."),
    Doubt(NO_SIDE, _depends, "It depends: to a friend I'd say A."),
)
"""Doubts about a statement that may hold for one case, and that nothing announces."""
