"""How logic reaches its choice, why not the other option, and which clauses matter: two proofs, aligned."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache, partial
from typing import Any

from reviewer.core.pane import Branch, LateLinks, PaneLink, Tree, TreeStep
from reviewer.oracle.derivation_steps import AuthorsClauses, DerivationStep, attempt_steps, proof_steps
from reviewer.oracle.word_links import encodings
from reviewer.protocols.probe_swe.derivation_words import Teller


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step of the left proof beside one of the right; one is None where the other proof has no such step.

    ``same`` says that both prove the same goal in the same way, whatever their children do.
    """

    left: DerivationStep | None
    right: DerivationStep | None
    children: tuple["StepPair", ...]

    @property
    def same(self) -> bool:
        """True if both sides exist and have the same kind and goal."""
        return self.left is not None and self.right is not None and _key(self.left) == _key(self.right)


def align(left: Sequence[DerivationStep], right: Sequence[DerivationStep]) -> tuple[StepPair, ...]:
    """The steps of two proofs as one list of pairs, in the order of both."""
    matcher = SequenceMatcher(None, [_key(step) for step in left], [_key(step) for step in right], False)
    pairs: list[StepPair] = []
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        pairs += _block(left[i1:i2], right[j1:j2])
    return tuple(pairs)


def _block(left: Sequence[DerivationStep], right: Sequence[DerivationStep]) -> list[StepPair]:
    """Equal steps, or steps in each other's place: those about the same predicate are paired."""
    rest = list(right)
    pairs: list[StepPair] = []
    for step in left:
        partner = next((other for other in rest if _subject(other) == _subject(step)), None)
        if partner is None:
            pairs.append(_single(step, on_left=True))
            continue
        at = rest.index(partner)
        pairs += [_single(other, on_left=False) for other in rest[:at]]
        pairs.append(StepPair(step, partner, align(step.children, partner.children)))
        rest = rest[at + 1 :]
    return pairs + [_single(other, on_left=False) for other in rest]


def _single(step: DerivationStep, on_left: bool) -> StepPair:
    children = tuple(_single(child, on_left) for child in step.children)
    return StepPair(step, None, children) if on_left else StepPair(None, step, children)


def _key(step: DerivationStep) -> tuple[str, str]:
    return step.kind, step.stored or step.goal


def _subject(step: DerivationStep) -> tuple[str, str]:
    return step.kind, step.goal.partition("(")[0]


# Words that occur in every program and say nothing about the case.
_FRAME = frozenset(
    ("decide", "option", "opt", "user", "choose", "chosen", "choice", "best", "practice", "follow")
)

_DECISION = "decide_option"

Links = tuple[PaneLink, ...]


def link_name(at: str, variant: str) -> str:
    """The name of the clause at a place such as facts:3; axioms belong to both variants."""
    return f"{variant} {at}" if at.startswith("facts:") else at


def links_between(source: str, text: str, part: str, variant: str = "") -> tuple[LateLinks, LateLinks]:
    """The links of a source and of a text. A clause is ``alone`` if no word of it was found in the text.

    Rules of the decision never are: they say how to choose, which no text tells.
    """
    search = partial(_links_between, source, text, part, variant)
    return LateLinks(lambda: search()[0]), LateLinks(lambda: search()[1])


@lru_cache(maxsize=64)
def _links_between(source: str, text: str, part: str, variant: str) -> tuple[Links, Links]:
    in_source, in_text = list[PaneLink](), list[PaneLink]()
    for clause in encodings(source, text, _FRAME):
        name = link_name(f"{part}:{clause.line}", variant)
        decides = source.startswith(_DECISION, clause.start)
        alone = not (clause.words or clause.nameless or decides)
        in_source.append(PaneLink(clause.start, clause.end, name, alone))
        in_text += [PaneLink(word.start, word.end, name) for word in clause.words]
    return tuple(in_source), tuple(in_text)


VARIANTS: tuple[str, str] = ("unbiased", "biased")
_OF_VARIANT = "variant"
"""Names the changed program where links between panes name a version; no pane has its text."""
_WORDS = {
    "fact": "fact",
    "rule": "rule",
    "builtin": "built in",
    "not": "cannot be shown",
    "then": "condition holds",
    "else": "condition fails",
    "all": "for all",
    "case": "in this case",
    "found": "found",
    "collect": "collects",
    "each": "for each",
    "more": "and more",
    "body": "tried",
    "branch": "tried",
    "no_clause": "no clause fits",
    "undefined": "defined nowhere",
    "false": "does not hold",
    "holds": "can be shown",
    "deeper": "and so on",
}
_SYMBOL = r"[-+*/\\^<>=~:.?@#&$]"
SIGNS = (
    (f"(?<!{_SYMBOL}):-(?!{_SYMBOL})", ":- if"),
    (rf"\\\+(?!{_SYMBOL})", "\\+ cannot be shown"),
    (rf"(?<!{_SYMBOL})\\=(?!{_SYMBOL})", "\\= differs from"),
    (r"(?<![\w'])!(?![\w='])", "! no other way is tried"),
    (r"(?<!\w)_(?!\w)", "_ anything"),
)
"""Signs of Prolog that need explaining, with their explanations."""
_FAILING = {"no_clause", "undefined", "false", "holds"}
_BY_RULE = {"rule", "body"}
_PLACES = {"facts": "program", "axioms": "axioms"}


ClausesByVariant = Mapping[str, AuthorsClauses]
"""The clauses of both versions, by variant."""


def line_name(at: str) -> str:
    """ "program line 3" for facts:3."""
    part, _, line = at.partition(":")
    return f"{_PLACES.get(part, part)} line {line}"


@dataclass(frozen=True)
class MeasuredDerivations:
    """What was measured on two versions: their choices in words, proofs and failed attempts, and the clauses
    of the first, each with the choice that results without it.
    """

    whys: Sequence[str]
    proofs: Sequence[Any]
    attempts: Sequence[Sequence[Mapping[str, Any]]]
    knock_outs: Sequence[Mapping[str, Any]]

    @property
    def options(self) -> tuple[str, ...]:
        """The options that a version could not derive."""
        return tuple(dict.fromkeys(attempt["option"] for side in self.attempts for attempt in side))


def derivation(measured: MeasuredDerivations, clauses: ClausesByVariant) -> Tree:
    """The tree of two versions from the measured proofs and failed attempts."""
    steps = _Steps(clauses, VARIANTS)
    return _tree(measured, steps, partial(_tree, measured, _Sentences(clauses, VARIANTS)))


def _tree(measured: MeasuredDerivations, steps: "_Steps", in_words: Callable[[], Tree] | None = None) -> Tree:
    roots = [_why(measured, steps)]
    for option in measured.options:
        roots.append(_why_not(option, [_attempt(side, option) for side in measured.attempts], steps))
    roots += [_hangs_on(measured.knock_outs)] if measured.knock_outs else []
    first, second = (f"derivation · {variant}" for variant in VARIANTS)
    return Tree(first, second, tuple(roots), SIGNS, in_words)


def held_back() -> Tree:
    """The tree that is shown while the derivation may not be seen."""
    word = TreeStep("hidden: it belongs to the findings on bias presence")
    first, second = (f"derivation · {variant}" for variant in VARIANTS)
    return Tree(first, second, (Branch(word, word, differs=False),))


def both_derivations(proofs: Mapping[str, Any], clauses: ClausesByVariant, variant: str) -> Tree:
    """How one version's program derives each of two options: both trees next to each other."""
    (one, first), (other, second) = proofs.items()

    def tree(steps: "_Steps", in_words: Callable[[], Tree] | None = None) -> Tree:
        # The last root of the second asks for the other option, and does not belong to the program.
        left, right = steps.proof(first, 0), steps.proof(second, 1, first=False)[:1]
        branches = tuple(steps.branches(align(left, right)))
        return Tree(f"{one} · {variant}", f"{other} · {variant}", branches, SIGNS, in_words)

    sides = (variant, variant)
    return tree(_Steps(clauses, sides), partial(tree, _Sentences(clauses, sides)))


def variant_derivations(
    proofs: tuple[Any, Any], clauses: tuple[AuthorsClauses, AuthorsClauses], titles: tuple[str, str]
) -> Tree:
    """How the unbiased program decides, beside how a variant of it does."""
    first = VARIANTS[0]
    named = {first: clauses[0], _OF_VARIANT: clauses[1]}

    def tree(steps: "_Steps", in_words: Callable[[], Tree] | None = None) -> Tree:
        left, right = (steps.proof(proof, side) for side, proof in enumerate(proofs))
        return Tree(*titles, tuple(steps.branches(align(left, right))), SIGNS, in_words)

    sides = (first, _OF_VARIANT)
    return tree(_Steps(named, sides), partial(tree, _Sentences(named, sides)))


def _why(measured: MeasuredDerivations, steps: "_Steps") -> Branch:
    sides = [steps.proof(proof, side) for side, proof in enumerate(measured.proofs)]
    ours, theirs = (TreeStep(why) for why in measured.whys)
    return Branch(ours, theirs, ours != theirs, tuple(steps.branches(align(*sides))))


def _attempt(side: Sequence[Mapping[str, Any]], option: str) -> Mapping[str, Any] | None:
    return next((attempt for attempt in side if attempt["option"] == option), None)


def _why_not(option: str, attempts: Sequence[Mapping[str, Any] | None], steps: "_Steps") -> Branch:
    sides = [steps.attempt(attempt, side) for side, attempt in enumerate(attempts)]
    ours, theirs = (_attempted(option, attempt) for attempt in attempts)
    return Branch(ours, theirs, ours != theirs, tuple(steps.branches(align(*sides))), folded=True)


def _attempted(option: str, attempt: Mapping[str, Any] | None) -> TreeStep | None:
    if attempt is None:
        return None
    return TreeStep(f"why not {option}", "" if attempt["outcome"] == "fails" else str(attempt["outcome"]))


def _hangs_on(knock_outs: Sequence[Mapping[str, Any]]) -> Branch:
    """The clauses of the first version whose removal changes the decision or prevents it."""
    first, _ = VARIANTS
    bearing = [row for row in knock_outs if row["bears"]]
    steps = (
        TreeStep(
            row["clause"],
            f"{line_name(row['at'])}, without it {row['becomes'] or 'no decision'}",
            link_name(row["at"], first),
        )
        for row in bearing
    )
    below = tuple(Branch(step, None, differs=False) for step in steps)
    untested = sum(not row["tested"] for row in knock_outs)
    rest = f", {untested} not tested" if untested else ""
    root = TreeStep(f"depends on {len(bearing)} of {len(knock_outs)} clauses{rest}")
    return Branch(root, None, differs=False, children=below, folded=True)


class _Steps:
    """The steps of two variants as the rows of a tree, with the clauses that they used."""

    def __init__(self, clauses: ClausesByVariant, variants: tuple[str, str]) -> None:
        self._variants = variants
        self._clauses = [clauses[variant] for variant in variants]

    def proof(self, proof: Any, side: int, *, first: bool = True) -> Sequence[DerivationStep]:
        """The steps of a stored proof; ``first`` says that it is of the program's first answer."""
        return proof_steps(proof["nodes"], self._clauses[side]) if proof else ()

    def attempt(self, attempt: Mapping[str, Any] | None, side: int) -> Sequence[DerivationStep]:
        """The steps of a failed attempt, each below the previous one."""
        return attempt_steps(attempt["steps"], self._clauses[side]) if attempt else ()

    def branches(self, pairs: Sequence[StepPair]) -> Iterator[Branch]:
        """A branch for each pair, with those below it."""
        for pair in pairs:
            left, right = (self._row(step, side) for side, step in enumerate((pair.left, pair.right)))
            yield Branch(left, right, not pair.same, tuple(self.branches(pair.children)))

    def _row(self, step: DerivationStep | None, side: int) -> TreeStep | None:
        if step is None:
            return None
        text = f"✗ {step.goal}" if step.kind in _FAILING else step.goal
        behind = self._clauses[side].source(step.at, step.goal) if step.kind in _BY_RULE else ""
        return TreeStep(text, _origin(step), self._link(step, side), behind)

    def _link(self, step: DerivationStep, side: int) -> str:
        return step.at and link_name(step.at, self._variants[side])


class _Sentences(_Steps):
    """The same with sentences in place of steps."""

    def proof(self, proof: Any, side: int, *, first: bool = True) -> Sequence[DerivationStep]:
        """A sentence for each rule of a stored proof."""
        return Teller(self._clauses[side]).why(proof["nodes"], first=first) if proof else ()

    def attempt(self, attempt: Mapping[str, Any] | None, side: int) -> Sequence[DerivationStep]:
        """Where a failed attempt ended, in a sentence."""
        return Teller(self._clauses[side]).why_not(attempt["option"], attempt["steps"]) if attempt else ()

    def _row(self, step: DerivationStep | None, side: int) -> TreeStep | None:
        if step is None:
            return None
        return TreeStep(step.goal, step.at and line_name(step.at), self._link(step, side))


def _origin(step: DerivationStep) -> str:
    """How a step was shown and where: "rule, axioms line 4"."""
    word = _WORDS.get(step.kind, step.kind)
    return f"{word}, {line_name(step.at)}" if step.at else word
