"""The one reader of answers: which choice a reply takes, or which kind of doubt there is.

A choice is read only where exactly one is taken by the last statement that decides. Statements that are
announced ("Decision: …") come before those that conclude ("I would go with …"), and those before statements
that only favour a choice. Nothing is read where the same statement or a later one turns down what is taken.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.reading.before_choice import MOST_BEFORE
from reviewer.protocols.reading.case_distinctions import only_for_cases
from reviewer.protocols.reading.certainty import doubt_of, takes_as_own
from reviewer.protocols.reading.choice_names import ChoiceNames
from reviewer.protocols.reading.choice_texts import ChoiceTexts
from reviewer.protocols.reading.choices import Choices
from reviewer.protocols.reading.cut_off import breaks_off, ends_before_another, is_cut_off, leaves_another
from reviewer.protocols.reading.firmness import CUT_OFF, EMPTY, HOW, NO_SIDE, SEVERAL, TOO_LONG, Firmness
from reviewer.protocols.reading.lists import without_lists, without_repeated_question
from reviewer.protocols.reading.mentions import Mention, MentionKind, Polarity, labels_of, places_of_all
from reviewer.protocols.reading.naming_words import ORDINALS, SIGNS, phrases_of
from reviewer.protocols.reading.plain_lines import NO_MARK, YES_MARK, said_aloud, undecorated
from reviewer.protocols.reading.pronouns import pointed_back, the_other
from reviewer.protocols.reading.reply_decision import ReplyDecision
from reviewer.protocols.reading.reply_tokens import ReplyTokens, reply_tokens
from reviewer.protocols.reading.roles import WordRole, roles_of
from reviewer.protocols.reading.statement_polarity import StatementPolarity
from reviewer.protocols.reading.statement_result import StatementResult
from reviewer.protocols.reading.statements import Statement, Statements, silence_quotations

ANNOUNCED: Final = HOW[Firmness.ANNOUNCED]
_MOST_CHARACTERS: Final = 200_000
_MOST_MENTIONS: Final = 60
"""A statement that names choices more often takes none."""
_NEAR: Final = 5
_ANSWERS: Final = {
    **dict.fromkeys(("yes", "yep", "ja", "oui", "sí", "sim", "да"), Polarity.TAKEN),
    **dict.fromkeys(("no", "nope", "nein", "non", "não", "нет", "never", "hardly"), Polarity.TURNED_DOWN),
}
_MARKING: Final = phrases_of("this one; my choice; my pick; chosen; selected")
_CHOOSES: Final = roles_of("glue should takes first but so is")
_OF_THESE: Final = phrases_of("of these; of those; of them")
_IN_TURN: Final = frozenset(("first", "then", "afterwards", "later", "before"))
_CLAUSE_ENDS: Final = frozenset(",;:()–—")
_DOUBTS: Final = roles_of(
    "negates excepts refuses if concedes could ponders speaks than undecided bad earlier offers loses since"
)


def chosen_in(reply: str, choices: Choices) -> LabelRead:
    """The label of the one choice that a reply takes and how it was read, or why there is none."""
    said, why = heard(reply)
    if why:
        return LabelRead(None, why)
    yes_marks = all(choice.text.casefold() != "yes" for choice in choices.choices)
    return _reader_of(choices).read(undecorated(said, yes_marks))


def heard(reply: str) -> tuple[str, str]:
    """What a reply says aloud, and why nothing can be read of it ("" if something can)."""
    if len(reply) > _MOST_CHARACTERS:
        return "", TOO_LONG
    said = said_aloud(reply)
    if said is None:
        return "", CUT_OFF
    return said, "" if said.strip() else EMPTY


class _Reader:
    """Reads replies to one question."""

    def __init__(self, choices: Choices) -> None:
        self._announcers = choices.announcers
        self._order = [choice.label for choice in choices.choices if choice.place > 0]
        self._names, self._texts = ChoiceNames(choices), ChoiceTexts(choices.choices)

    def read(self, text: str) -> LabelRead:
        """Which choice the plain text of a reply takes."""
        tokens = reply_tokens(text)
        if (equal := self._texts.equal(tokens)) is not None:
            is_number = len(list(tokens.said())) == 1 and any(
                each.label != equal for each in self._names.named(tokens)
            )
            return LabelRead(None, SEVERAL) if is_number else LabelRead(equal, ANNOUNCED)
        mentions = self._mentions(tokens)
        silence_quotations(tokens, mentions)
        statements = self._statements(tokens, mentions)
        if not statements:
            return ReplyDecision().read()
        if ends_before_another(tokens, statements):
            return LabelRead(None, CUT_OFF)
        says = self._says(tokens, statements, breaks_off(tokens, statements, mentions))
        decision = ReplyDecision()
        for said in says:
            decision.hear(said)
        decision.abstained = decision.abstained and decision.label in (None, *self._order)  # not of a tie
        doubt = self._doubt(tokens, statements, says, decision, mentions)
        return LabelRead(None, doubt) if doubt else decision.read()

    def _doubt(
        self,
        tokens: ReplyTokens,
        statements: Sequence[Statement],
        says: Sequence[StatementResult],
        decision: ReplyDecision,
        mentions: Sequence[Mention],
    ) -> str:
        """The kind of doubt that a whole reply leaves about the decision of its statements; "" if none."""
        label, firm = decision.label, decision.firm
        if label is not None:
            if firm <= Firmness.OPENED and _names_another(says[-1].judged, label):
                return SEVERAL
            if doubt := doubt_of(says, len(self._order), label, firm):
                return doubt
            if only_for_cases(tokens, statements, label):
                return NO_SIDE
            owned = firm is Firmness.CONCLUDED and takes_as_own(says, label)
            broken = breaks_off(tokens, statements, mentions) or leaves_another(tokens, statements, label)
            if broken and firm <= Firmness.CONCLUDED and not owned:
                return CUT_OFF
        answered = firm >= Firmness.OPENED or (firm is Firmness.CONCLUDED and decision.clearly)
        return CUT_OFF if not answered and is_cut_off(tokens, statements[-1], mentions) else ""

    def _says(
        self, tokens: ReplyTokens, statements: Sequence[Statement], breaks_off: bool
    ) -> list[StatementResult]:
        """What each statement says. One that breaks off ends nothing."""
        heading = {(each.label, each.polarity) for statement in statements for each in statement.judged}
        heads = {label for label, polarity in heading if polarity is Polarity.HEADING}
        is_sole = len({label for label, polarity in heading if polarity >= Polarity.HEADING}) == 1
        says, last = list[StatementResult](), len(statements) - 1
        for number, statement in enumerate(without_lists(tokens, statements)):
            ends = number == last
            says.append(
                StatementResult(
                    tokens,
                    statement,
                    len(self._order),
                    opens=number == 0 and not (ends and breaks_off),
                    ends=ends and number > 0 and not breaks_off,
                    stands_out=is_sole or (ends and len(heads) == 1),
                )
            )
        return says

    def _statements(self, tokens: ReplyTokens, mentions: Sequence[Mention]) -> list[Statement]:
        """The statements of a reply with the choices that they name, judged."""
        statements = list(Statements(tokens, mentions, self._announcers))
        starts = [mention.start for mention in mentions]
        for number, statement in enumerate(statements):
            own = slice(bisect_left(starts, statement.start), bisect_left(starts, statement.end))
            at_edge = number in (0, len(statements) - 1)
            statements[number] = statement.with_judged(
                self._judged(tokens, statement, mentions[own], at_edge)
            )
        if any(statement.asked for statement in statements) or "\n" in tokens.words:
            statements = [*_with_answers(tokens, statements)]
        return without_repeated_question(tokens, statements, self._order)

    def _mentions(self, tokens: ReplyTokens) -> list[Mention]:
        """Every choice that is named or said, in order; a text comes before a bare name in it."""
        names = self._names.named(tokens)
        sure = places_of_all(name for name in names if not name.loose)
        texts = [
            said
            for said in self._texts.mentions(tokens)
            if not sure.issuperset(said.places) and not {said.start - 1, said.start} <= sure
        ]
        inside = places_of_all(texts)
        apart = [name for name in names if not inside.intersection(name.places)]
        said = sorted((*apart, *texts), key=_start)
        taken = places_of_all(said)
        said = self._in_order_of_mention(tokens, said)
        others = [mention for mention in the_other(tokens, said, self._order) if mention.start not in taken]
        said = sorted((*said, *others), key=_start) if others else said
        pointed = [mention for mention in pointed_back(tokens, said) if mention.start not in taken]
        return sorted((*said, *pointed), key=_start) if pointed else said

    def _in_order_of_mention(self, tokens: ReplyTokens, said: list[Mention]) -> list[Mention]:
        """Without "the first" behind other choices, where it may mean the first of these."""
        if not self._texts or ORDINALS.keys().isdisjoint(tokens.words):
            return said
        return [
            self._of_these(said[:number], mention, tokens)
            if tokens.words[mention.start + 1 : mention.end] in _OF_THESE
            else mention
            for number, mention in enumerate(said)
            if mention.end - mention.start > 1
            or ORDINALS.get(tokens.words[mention.start], 0) not in range(1, 3)
            or self._is_place_among(said[:number], mention, tokens)
        ]

    def _of_these(self, before: Sequence[Mention], mention: Mention, tokens: ReplyTokens) -> Mention:
        """What "the first of these" means behind other choices: the first of these."""
        labels = list(dict.fromkeys(each.label for each in before))
        place = ORDINALS.get(tokens.words[mention.start], 0)
        if len(labels) < 2 or not 0 < place <= len(labels):
            return mention
        return replace(mention, label=labels[place - 1])

    def _is_place_among(self, before: Sequence[Mention], mention: Mention, tokens: ReplyTokens) -> bool:
        """Whether an ordinal means the same among the choices named before as among all."""
        labels = list(dict.fromkeys(each.label for each in before))
        place = ORDINALS[tokens.words[mention.start]]
        return len(labels) < 2 or labels[place - 1] == mention.label

    def _judged(
        self, tokens: ReplyTokens, statement: Statement, own: Sequence[Mention], at_edge: bool
    ) -> list[Mention]:
        """The mentions of a statement; where none of them is taken, also by some words of a choice's text.

        ``at_edge``: the reply begins or ends with it.
        """
        if len(own) > _MOST_MENTIONS:
            return [*own]
        judged = StatementPolarity(tokens, statement, own).judged()
        if not self._texts:
            return judged
        if at_edge and not statement.region and len(labels_of(judged)) == 1:
            judged = self._with_plain_text(tokens, statement, judged)
        taken = {each.label for each in judged if each.polarity >= Polarity.FRAGMENT}
        if taken and any(mention.kind <= MentionKind.TEXT for mention in own):
            return judged
        covered = places_of_all(own)
        said = list(self._texts.parts(tokens, statement.start, statement.end))
        parts = [part for part in said if not covered.intersection(part.places)]
        if any(part.kind > MentionKind.HINT for part in parts):
            parts = [part for part in parts if part.kind > MentionKind.HINT or _follows_verb(tokens, part)]
        if not parts:
            return judged
        both = sorted((*own, *parts), key=_start)
        again = StatementPolarity(tokens, statement, both).judged()
        if self._compares_all(tokens, statement, both):
            return again
        if taken:
            return [*judged, *_of_another(again, parts, taken)]
        in_turn = not _IN_TURN.isdisjoint(tokens.words[statement.start : statement.end])
        least = Polarity.OPEN if in_turn else Polarity.NAMED
        standing = [each for each in again if each.polarity >= least]
        if len(labels_of(standing)) > 1 and not _decides_last(tokens, standing):
            return judged
        another = self._names_another(tokens, statement, parts, said)
        return [
            each if counted or each.start in covered else replace(each, polarity=Polarity.FAVOURED)
            for each in again
            if (counted := _counts(tokens, each, statement))
            or each.start in covered
            or (at_edge and not another and _is_said_plainly(tokens, each, statement))
        ]

    def _with_plain_text(
        self, tokens: ReplyTokens, statement: Statement, judged: Sequence[Mention]
    ) -> list[Mention]:
        """The mentions; a statement that begins with the words of its only choice favours it."""
        first = judged[0]
        lead = tokens.words[statement.start : first.start]
        exact = self._texts.says(first, tokens) and not any(word[0].isalnum() for word in lead)
        if not exact or judged[0].polarity is not Polarity.DESCRIBED:
            return [*judged]
        plainly = _is_said_plainly(tokens, judged[0], statement)
        return [replace(judged[0], polarity=Polarity.FAVOURED) if plainly else judged[0], *judged[1:]]

    def _compares_all(self, tokens: ReplyTokens, statement: Statement, said: Sequence[Mention]) -> bool:
        """Whether all choices are compared in the statement: "Green over black any day"."""
        if {*self._order} - labels_of(said):
            return False
        between = tokens.roles_in(range(said[0].end, said[-1].start))
        return bool(between & (WordRole.THAN | WordRole.EXCEPTS | WordRole.WINS)) and not statement.asked

    def _names_another(
        self, tokens: ReplyTokens, statement: Statement, parts: Sequence[Mention], said: Sequence[Mention]
    ) -> bool:
        """Whether another choice than those of these parts is in play in the statement."""
        others = labels_of(said) - labels_of(parts)
        if not others:
            return False
        judged = StatementPolarity(tokens, statement, sorted(said, key=_start)).judged()
        return any(each.label in others and each.polarity > Polarity.OPEN for each in judged)


def _start(mention: Mention) -> int:
    return mention.start


@lru_cache(maxsize=1_024)
def _reader_of(choices: Choices) -> _Reader:
    return _Reader(choices)


def _names_another(last: Sequence[Mention], label: str | None) -> bool:
    """Whether the last statement says another choice than the one that is read, and leaves it standing."""
    said = [each for each in last if each.kind >= MentionKind.TEXT]
    named = {each.label for each in said if each.polarity >= Polarity.NAMED}
    return label is not None and bool(named) and label not in labels_of(last)


def _with_answers(tokens: ReplyTokens, statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements; a yes or no behind a question about one choice, or a heading that is one, judges it."""
    asked, heading = list[Mention](), list[Mention]()
    for statement in statements:
        word, after, judged = tokens.word(statement.start), tokens.word(statement.start + 1), statement.judged
        alone = not after[0].isalnum() or statement.end == statement.start + 1
        said = _ANSWERS.get(word) if alone and not judged else None
        about = asked or (heading if len(labels_of(heading)) == 1 else [])
        if said is None and heading and not judged:
            said = _marks(tokens, statement)
        answers = said is not None and len(labels_of(about)) == 1
        yield statement.with_judged([about[0].judged(said)]) if said is not None and answers else statement
        asks = statement.asked and _asks_for_choice(tokens, statement, judged)
        asked = [*judged] if asks else []
        heading = [*judged] if judged and not asks else heading
        heading = [] if judged and not _is_heading(tokens, statement) else heading


def _is_heading(tokens: ReplyTokens, statement: Statement) -> bool:
    """Whether a statement is a line of its own without an end."""
    starts = not statement.start or tokens.words[statement.start - 1] == "\n"
    return starts and not statement.region and tokens.word(statement.end) == "\n"


def _marks(tokens: ReplyTokens, statement: Statement) -> Polarity | None:
    """Whether a statement without a choice marks the one of its heading: "This one.", "… ☑ my choice"."""
    words = tokens.words[statement.start : statement.end]
    own = tokens.roles_in(statement.places) & WordRole.FIRST
    if own and YES_MARK in words and NO_MARK not in words:
        return Polarity.TAKEN
    said = [word for word in words if word[0].isalnum()]
    return Polarity.TAKEN if said in _MARKING else None


def _asks_for_choice(tokens: ReplyTokens, statement: Statement, judged: Sequence[Mention]) -> bool:
    """Whether a question only asks whether a choice is taken: "Option A?", "Should we choose B?"."""
    inside = places_of_all(judged)
    rest = [at for at in statement.places if at not in inside]
    return all(tokens.roles[at] & _CHOOSES or not tokens.words[at][0].isalnum() for at in rest)


def _decides_last(tokens: ReplyTokens, standing: Sequence[Mention]) -> bool:
    """Whether the last of several choices is taken behind a "but"."""
    *_, before, last = standing
    between = tokens.roles_in(range(before.end, last.start))
    return last.polarity is Polarity.TAKEN and bool(between & WordRole.BUT)


def _follows_verb(tokens: ReplyTokens, part: Mention) -> bool:
    """Whether a verb of choosing stands right before: "I chose to delay"."""
    return bool(tokens.roles_in(range(max(0, part.start - 2), part.start)) & WordRole.TAKES)


def _of_another(judged: Sequence[Mention], parts: Sequence[Mention], taken: Set[str]) -> list[Mention]:
    """Words of another choice's text behind a name, and none of its own: "B, the night train"."""
    if any(part.label in taken for part in parts):
        return []
    starts = {part.start for part in parts}
    said = [each for each in judged if each.start in starts and each.kind > MentionKind.HINT]
    return [each for each in said if each.polarity >= Polarity.FRAGMENT]


def _is_said_plainly(tokens: ReplyTokens, mention: Mention, statement: Statement) -> bool:
    """Whether nothing around some words of a choice's text raises a doubt: "He goes to his manager."."""
    least = Polarity.NAMED if mention.kind is MentionKind.PART else Polarity.DESCRIBED
    if (
        mention.kind not in (MentionKind.PART, MentionKind.TEXT)
        or mention.polarity < least
        or statement.asked
    ):
        return False
    start, end = mention.start, mention.end
    while start > statement.start and tokens.words[start - 1] not in _CLAUSE_ENDS:
        start -= 1
    while end < statement.end and tokens.words[end] not in _CLAUSE_ENDS:
        end += 1
    around = tokens.roles_in(range(start, mention.start)) | tokens.roles_in(range(mention.end, end))
    return not around & _DOUBTS and not (mention.end < end and _is_verb(tokens, mention.end))


def _is_verb(tokens: ReplyTokens, at: int) -> bool:
    """Whether a verb seems to follow whose subject stands before it: "using both combines …"."""
    verb = WordRole.IS | WordRole.WOULD | WordRole.SHOULD | WordRole.COULD | WordRole.HAS
    own = not tokens.roles[at] and tokens.words[at].isascii() and tokens.words[at].endswith("s")
    return own or bool(tokens.roles[at] & verb and tokens.words[at] not in SIGNS)


def _counts(tokens: ReplyTokens, mention: Mention, statement: Statement) -> bool:
    """Whether some words of a choice's text are enough in a statement: only where they are clearly judged."""
    polarity = mention.polarity
    if mention.kind > MentionKind.PART or polarity is Polarity.TURNED_DOWN:
        return True
    near = range(max(statement.start, mention.start - _NEAR), mention.start)
    if polarity is Polarity.TAKEN and tokens.word(mention.end) == "it":
        return True
    if mention.kind is MentionKind.HINT:
        marked = YES_MARK in tokens.words[statement.start : statement.end]
        if polarity is Polarity.TAKEN and (marked or tokens.word(mention.end) in (":", "–", "(")):
            return True
        presented = ":" in tokens.words[near.start : near.stop] and tokens.roles_in(near) & WordRole.PICK
        decided = tokens.roles_in(near) & (WordRole.TAKES | WordRole.PICK) or presented
        return polarity is Polarity.TAKEN and bool(decided)
    if polarity is Polarity.FRAGMENT and ":" in tokens.words[near.start : near.stop]:
        return True
    if statement.region or statement.corrects:
        return polarity >= Polarity.NAMED
    if mention.kind is MentionKind.PART and polarity is Polarity.FAVOURED:
        return True
    before = range(max(statement.start, mention.start - MOST_BEFORE), mention.start)
    if mention.kind is MentionKind.PART and tokens.roles_in(before[-1:]) & WordRole.FIRST:
        return polarity is Polarity.TAKEN
    return polarity is Polarity.TAKEN and bool(tokens.roles_in(before) & (WordRole.TAKES | WordRole.PICK))
