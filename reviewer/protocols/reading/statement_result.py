"""What one statement says, from the polarities of the choices that it names."""

from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Final

from reviewer.protocols.reading.abstention import abstains
from reviewer.protocols.reading.choice_names import OUTSIDE
from reviewer.protocols.reading.firmness import CUT_OFF, NO_SIDE, NOT_THERE, SEVERAL, TAKEN_BACK, Firmness
from reviewer.protocols.reading.mentions import MentionKind, Polarity, labels_of
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.plain_lines import YES_MARK
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole, roles_of
from reviewer.protocols.reading.statement_asides import BETTER, StatementAsides
from reviewer.protocols.reading.statements import Statement

_ANY: Final = frozenset(("a", "an", "any", "anything", "something", "anybody", "somebody", "people", "those"))
_DEPENDING: Final = words_of(
    "it that depends depend depending es kommt hängt ça dépend depende dipende hangt зависит 取决于 視情況"
)
_ALL: Final = frozenset(("all", "any", "every", "each", "others", "rest", "either", "both"))
_ALL_OTHERS: Final = _ALL | {"everything"}
_CLAUSE_ENDS: Final = frozenset(",;:.–—")
_TWO_WAYS: Final = 2
_FEW: Final = 6
_EXCEPTIONS: Final = frozenset(("unless", "otherwise", "else"))
_IN_TURN: Final = frozenset(("later", "afterwards", "then", "subsequently", "next"))
_OF_A_CASE: Final = frozenset(("unless", "for", "with", "under", "in", "as"))
_EQUATING: Final = frozenset((",", "which", "that", "is", "i", ".", "e", "=", "namely", "(", "–", "so", "it"))
_MORE: Final = frozenset(("more", "less"))
_SHORT: Final = 10
_WITHDRAWING: Final = words_of("ignore disregard withdraw retract discard strike scratch forget")
_BEFORE_WITHDRAWING: Final = roles_of("corrects glue first so would should")
_WRITTEN: Final = frozenset(("that", "this", "sentence", "line", "letter", "number", "label", "above", "it"))


class StatementResult(StatementAsides):
    """What one statement says: the ``label`` that it takes or ``why`` none, and how ``firm`` it is.

    ``is_silent``: it speaks of no choice. ``is_last``: the reply ends with it.
    """

    def __init__(
        self,
        tokens: ReplyTokens,
        statement: Statement,
        choices: int,
        *,
        opens: bool,
        ends: bool,
        stands_out: bool,
    ) -> None:
        """``choices``: how many there are; ``opens``, ``ends``: the reply begins or ends with it.

        ``stands_out``: no other choice heads a statement as its choice does.
        """
        super().__init__(tokens, statement)
        if self.takes_words_back:
            self.judged = [replace(each, polarity=Polarity.TURNED_DOWN) for each in self.judged]
        self._choices, self._opens, self.is_last, self._stands_out = choices, opens, ends, stands_out
        self._best = max((each.polarity for each in self.judged), default=Polarity.OPEN)
        denies = self.denies and self._best >= Polarity.FRAGMENT
        self._corrects = statement.corrects or denies or self.takes_back
        self.is_silent = False
        self.label, self.why, self.firm = self._decided()

    @property
    def region(self) -> int:
        """Announcements are counted from 1; 0 if nothing announces it."""
        return self.statement.region

    @cached_property
    def turned_down(self) -> frozenset[str]:
        """The choices that it turns down."""
        return self._turned_down()

    @property
    def concludes(self) -> bool:
        """Whether it has a word such as "so" or "but"."""
        return bool(self.roles & (WordRole.SO | WordRole.BUT))

    @cached_property
    def corrects(self) -> bool:
        """Whether it takes back what was said before."""
        return self._corrects or self._calls_answer_wrong()

    @property
    def named(self) -> frozenset[str]:
        """What it names without turning it down or leaving it open."""
        return frozenset(each.label for each in self.judged if each.polarity > Polarity.OPEN)

    @property
    def abstains(self) -> bool:
        """Whether it says that its speaker does not decide."""
        return abstains(self.tokens, self.statement, self.judged, self.roles)

    @property
    def favours(self) -> bool:
        """Whether it takes a choice only by calling it better."""
        return self.label is not None and self._best is Polarity.FAVOURED

    @property
    def is_conditional(self) -> bool:
        """Whether it names a condition."""
        return bool(self.roles & WordRole.IF) or self.tokens.word(self.statement.start) in _OF_A_CASE

    @property
    def is_own(self) -> bool:
        """Whether its speaker is named, or a mark is set: "I choose …"."""
        marked = any(self.tokens.words[at] == YES_MARK for at in self.outside)
        return marked or bool(self.roles & WordRole.FIRST)

    def _decided(self) -> tuple[str | None, str, Firmness]:
        """The label that the statement takes or why none, and how firmly."""
        taken, firm = self._taken()
        taken = self._undefeated(taken) if len(taken) > 1 else taken
        if not taken or self._withdraws() or (firm < Firmness.ANNOUNCED and self._is_hypothetical()):
            return self._without_label()
        lead = range(self.statement.start, self.judged[0].start)
        if firm is Firmness.FAVOURED and any(self._depends(at) for at in lead):
            return self._without_label()
        behind = range(self.judged[-1].end, self.statement.end)
        regretted = self.of_before and self.tokens.roles_in(behind) & WordRole.BAD
        if firm < Firmness.ANNOUNCED and (regretted or taken <= self.otherwise):
            return self._without_label()
        if firm < Firmness.ANNOUNCED and self._is_for_some_cases():
            firm = min(firm, Firmness.FAVOURED)
        if self._compares_both_ways():
            return None, NO_SIDE, firm
        if self._comes_in_turn(taken) or self._equates_two():
            return None, SEVERAL, firm
        label = next(iter(taken)) if len(taken) == 1 else self._last_word(taken)
        if label is None or self._makes_an_exception(label):
            return None, SEVERAL, firm
        if label == OUTSIDE or label in self._turned_down(MentionKind.PART):
            return None, NOT_THERE if label == OUTSIDE else TAKEN_BACK, firm
        return label, "", firm

    def _depends(self, at: int) -> bool:
        """Whether a phrase such as "it depends" begins here, and not a word such as "both"."""
        undecided = bool(self.tokens.roles[at] & WordRole.UNDECIDED)
        return undecided and self.tokens.words[at] in _DEPENDING

    def _equates_two(self) -> bool:
        """Whether the name of one choice is given for the text of another: "100%, which is Option 10"."""
        for one, other in pairwise(self.judged):
            kinds = {one.kind, other.kind}
            if one.label == other.label or kinds != {MentionKind.TEXT, MentionKind.NAME}:
                continue
            between = self.tokens.words[one.end : other.start]
            if _EQUATING.issuperset(between) and {"is", "i", "=", "namely"}.intersection(between):
                return True
        return False

    def _calls_answer_wrong(self) -> bool:
        """Whether it takes back an answer, or says that it is wrong, without naming one."""
        if self._withdraws():
            return True
        wrong = WordRole.PICK | WordRole.IS | WordRole.BAD
        says = self.roles & wrong == wrong and not self.roles & WordRole.NEGATES
        return not self.judged and says and len(self.outside) <= _SHORT

    def _withdraws(self) -> bool:
        """Whether a verb takes back what was answered: "Please ignore this verdict."."""
        words, roles = self.tokens.words, self.tokens.roles
        named = any(each.kind >= MentionKind.TEXT for each in self.judged)
        if named and not self._tells_what_was_written():
            return False
        verb = next((at for at in self.outside if words[at] in _WITHDRAWING), None)
        if verb is None or any(
            not roles[at] & _BEFORE_WITHDRAWING for at in range(self.statement.start, verb)
        ):
            return False
        behind = [at for at in self.outside if at > verb]
        alone = not behind or not words[behind[0]][0].isalnum()
        return alone or any(roles[at] & WordRole.PICK or words[at] in _WRITTEN for at in behind)

    def _turned_down(self, least: MentionKind = MentionKind.TEXT) -> frozenset[str]:
        return frozenset(
            each.label for each in self.judged if each.polarity is Polarity.TURNED_DOWN and each.kind >= least
        )

    def _without_label(self) -> tuple[None, str, Firmness]:
        statement = self.statement
        if statement.region:
            named = {each.label for each in self.judged if each.polarity >= Polarity.NAMED}
            why = CUT_OFF if statement.start == statement.end else SEVERAL if len(named) > 1 else NO_SIDE
            speaks = self.roles & (WordRole.UNDECIDED | WordRole.NEGATES) or self._withdraws()
            self.is_silent = not self.judged and not speaks and not self.denies
            return None, why, Firmness.ANNOUNCED if statement.opens else Firmness.NONE
        if self.roles & WordRole.UNDECIDED:
            return None, NO_SIDE, Firmness.FAVOURED
        return None, "", Firmness.NONE

    def _taken(self) -> tuple[set[str], Firmness]:
        """The labels that the statement takes, and how firmly."""
        taken = [each for each in self.judged if each.polarity >= self._least()]
        labels = labels_of(taken)
        if self._best is Polarity.TAKEN:
            clear = [each for each in self.judged if each.kind >= MentionKind.TEXT]
            least = Polarity.FRAGMENT if self._speaks_for_itself() else Polarity.NAMED
            labels |= {each.label for each in clear if least <= each.polarity <= Polarity.FRAGMENT}
        if self._best < Polarity.NAMED:
            return set(), Firmness.NONE
        if self.statement.region and self.statement.opens:
            return labels, Firmness.ANNOUNCED
        only_parts = all(each.kind <= MentionKind.PART for each in taken)
        told = self._best < Polarity.TAKEN and self._tells_what_was_written() and not self._turned_down()
        if self._corrects and told:
            return set(), Firmness.NONE
        if self._corrects:
            return (set(), Firmness.NONE) if only_parts and len(labels) > 1 else (labels, Firmness.CONCLUDED)
        if self._best in (Polarity.HEADING, Polarity.FRAGMENT):
            clear = [each for each in self.judged if each.kind >= MentionKind.TEXT]
            labels |= {each.label for each in clear if each.polarity is Polarity.NAMED}
        firm = self._firmness()
        if firm is Firmness.OPENED:
            labels |= {each.label for each in self.judged if each.polarity is Polarity.NAMED}
        if only_parts:
            firm = min(firm, Firmness.FAVOURED)
        return (labels, firm) if firm else (set(), firm)

    @cached_property
    def takes_words_back(self) -> bool:
        """Whether it begins by taking back what it names: "Scratch what I said about a draw"."""
        first = self.tokens.words[self.statement.start : self.statement.start + 4]
        return not _WITHDRAWING.isdisjoint(first[:2]) and "what" in first

    def _speaks_for_itself(self) -> bool:
        """Whether its speaker, or a conclusion, takes a choice, and nobody whose view is only told."""
        own = WordRole.FIRST | WordRole.SO | WordRole.BUT | WordRole.PICK
        return self._corrects or self.statement.region > 0 or bool(self.roles & own)

    def _undefeated(self, taken: set[str]) -> set[str]:
        """Of several choices in a comparison the one that none beats: "A beats B, C beats both"."""
        best = [each for each in self.judged if each.label in taken]
        over_all = {each.label for each in best if self._beats_all(each.end)}
        if len(over_all) == 1:
            return over_all
        beaten = {each.label for each in best if each.polarity <= Polarity.OPEN}
        left = taken - beaten
        compares = self.roles & (WordRole.THAN | WordRole.EXCEPTS | WordRole.WINS)
        return left if len(left) == 1 and compares else taken

    def _beats_all(self, start: int) -> bool:
        """Whether what stands behind a choice puts it above all others: "beats both"."""
        words, roles = self.tokens.words, self.tokens.roles
        ends = (at for at in range(start, self.statement.end) if words[at] in _CLAUSE_ENDS)
        places = range(start, next(ends, self.statement.end))
        return any(
            roles[at] & (WordRole.THAN | WordRole.WINS | WordRole.EXCEPTS)
            and not _ALL_OTHERS.isdisjoint(words[at + 1 : at + 4])
            for at in places
        )

    def _tells_what_was_written(self) -> bool:
        """Whether a correction names what it corrects: "I must correct what I wrote (Option A)."."""
        return any(self.tokens.words[at] == "wrote" for at in self.outside)

    def _is_word_alone(self) -> bool:
        """Whether a word of the question is all that is named, and nothing doubts it: "both are equal"."""
        doubts = WordRole.NEGATES | WordRole.IF | WordRole.COULD | WordRole.BAD
        by_word = all(each.kind is MentionKind.WORD for each in self.judged)
        return by_word and not self.roles & doubts

    def _least(self) -> Polarity:
        """From which polarity on a choice counts as taken."""
        if self._best is Polarity.TAKEN:
            return Polarity.TAKEN
        if self.statement.region and self._is_word_alone():
            return Polarity.DESCRIBED
        if self._best >= Polarity.HEADING or not self._corrects:
            return Polarity.HEADING
        return Polarity.DESCRIBED

    def _firmness(self) -> Firmness:
        """How firm a statement is that nothing announces."""
        if self._best is Polarity.TAKEN:
            return Firmness.CONCLUDED
        if self._best is Polarity.FAVOURED:
            if not (self._only_compares() or self._concedes()):
                return Firmness.FAVOURED
            if not self._is_named_alone():
                return Firmness.NONE
        if self._best < Polarity.HEADING or (self._best is Polarity.HEADING and not self._stands_out):
            return Firmness.NONE
        if self._begins_comparison():
            return Firmness.NONE
        if self._opens:
            return Firmness.OPENED
        return Firmness.CONCLUDED if self.is_last else Firmness.FAVOURED

    def _only_compares(self) -> bool:
        """Whether a choice is only called safer than another, or better than one of several."""
        thans = [at for at in self.outside if self.tokens.roles[at] & WordRole.THAN]
        if not thans or any(not _ALL.isdisjoint(self.tokens.words[at + 1 : at + 3]) for at in thans):
            return False
        better = BETTER.intersection(self.tokens.words[at] for at in self.outside)
        return not better or self._choices > 2

    def _is_named_alone(self) -> bool:
        """Whether a choice that is favoured is also named alone: "A is safer than B, therefore A"."""
        favoured = {each.label for each in self.judged if each.polarity is Polarity.FAVOURED}
        alone = (each for each in self.judged if each.kind is MentionKind.NAME)
        heads = {each.label for each in alone if each.polarity in (Polarity.HEADING, Polarity.FRAGMENT)}
        return len(favoured) == 1 and heads == favoured

    def _begins_comparison(self) -> bool:
        """Whether a choice that stands as good as alone is only compared: "more likely A than B"."""
        best = (each for each in self.judged if each.polarity is self._best)
        return any(
            self.tokens.role(mention.end) & WordRole.THAN
            or (self.tokens.word(mention.end) in _MORE and self.tokens.role(mention.end) & WordRole.EXCEPTS)
            for mention in best
        )

    def _is_for_some_cases(self) -> bool:
        """Whether a statement is about one kind of case: "For a prototype, I take A", "Best for X: A"."""
        words = self.tokens.words[self.statement.start : self.statement.start + _FEW]
        best = self.tokens.role(self.statement.start) & WordRole.GOOD and ":" in words
        if best and words[1] == "for":
            return True
        return words[0] in ("for", "in") and not _ANY.isdisjoint(words[1:2])

    def _is_hypothetical(self) -> bool:
        """Whether it speaks of another case than the one at hand: "With a larger budget I would take A"."""
        first, second, third = (self.tokens.word(self.statement.start + at) for at in (0, 1, 2))
        other = third.endswith("er") or third in ("different", "more")
        return first in ("for", "in", "with", "under") and second in _ANY and other

    def _compares_both_ways(self) -> bool:
        """Whether a choice is better than another in one way, and worse in another."""
        if not self.roles & WordRole.THAN or self._best is Polarity.TAKEN:
            return False
        if sum(bool(self.tokens.roles[at] & WordRole.THAN) for at in self.outside) < _TWO_WAYS:
            return False
        labels = [each.label for each in self.judged]
        pairs = [*zip(labels[::2], labels[1::2], strict=False)]
        return any((other, one) in pairs for one, other in pairs if one != other)

    def _concedes(self) -> bool:
        """Whether a "but" without another choice follows what is said for one."""
        last = max(each.end for each in self.judged)
        words, roles = self.tokens.words, self.tokens.roles
        end = self.statement.end
        if any(words[at] == "," and roles[at + 1] & WordRole.BAD for at in range(last, end - 1)):
            return True
        buts = [at for at in range(last, end) if roles[at] & WordRole.BUT]
        return any(not words[at - 1][0].isalnum() or self._speaks_against(range(at, end)) for at in buts)

    def _speaks_against(self, places: range) -> bool:
        return bool(self.tokens.roles_in(places) & (WordRole.BAD | WordRole.LOSES))

    def _makes_an_exception(self, label: str) -> bool:
        """Whether another choice is named behind "unless": "Option A, unless …, in which case Option B"."""
        tokens = self.tokens
        behind = [at for at in self.outside if tokens.words[at] in _EXCEPTIONS]
        taken = [each.start for each in self.judged if each.label == label]
        others = [each.start for each in self.judged if each.label != label]
        if any(min(taken) < at < other for at in behind for other in others):
            return True
        words = tokens.words[self.statement.start : self.statement.end]
        return any(words[at : at + 3] == ["in", "which", "case"] for at in range(len(words)))

    def _last_word(self, taken: set[str]) -> str | None:
        """The label that a statement ends with after a word such as "but" or "so"."""
        last = [each for each in self.judged if each.label in taken and each.polarity >= Polarity.FRAGMENT]
        if len(last) < 2 or last[-1].joined or last[-1].label == last[-2].label:
            return None
        between = range(last[-2].end, last[-1].start)
        alike = last[-2].kind is last[-1].kind
        turns = WordRole.BUT | WordRole.SO if alike else WordRole.BUT
        return last[-1].label if self.tokens.roles_in(between) & turns else None

    def _comes_in_turn(self, taken: set[str]) -> bool:
        """Whether another choice comes later: "first A, later B"."""
        if _IN_TURN.isdisjoint(self.tokens.words[at] for at in self.outside):
            return False
        others = (each for each in self.judged if each.label not in taken)
        return any(each.polarity > Polarity.OPEN for each in others)
