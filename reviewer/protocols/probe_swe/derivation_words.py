"""Derivations in sentences, made from their steps: "Option A, because its cost (10) is at most B's (50)."."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from reviewer.core.sanitize import capitalised
from reviewer.oracle.derivation_steps import (
    AuthorsClauses,
    DerivationStep,
    attempt_steps,
    goals_before,
    proof_steps,
)
from reviewer.oracle.terms import Term
from reviewer.protocols.probe_swe.goal_phrases import (
    NamedValue,
    Phrases,
    listed,
    names_option,
    noun,
    quoted,
)

_COUNTS = " counts as "
_MOST_CASES = 3
_MOST_STORED = 100
_REASONS = {
    "no_clause": ("nothing in the program says that {}", "nothing in the program fits {}"),
    "undefined": ("the program has no clause to show that {}", "the program has no clause for {}"),
    "false": ("it does not hold that {}", "{} does not hold"),
    "holds": ("it can be shown that {}", "{} can be shown"),
}
"""Why a goal fails, with a place for the goal as a statement, and with one for its own names."""


class Teller:
    """Tells the derivations of one version's program."""

    def __init__(self, clauses: AuthorsClauses) -> None:
        self._clauses = clauses
        self._phrases = Phrases(clauses)

    def why(self, rows: Sequence[Any], *, first: bool = True) -> tuple[DerivationStep, ...]:
        """Why a program decides as it does: a sentence for each rule of a stored proof.

        Each stands below the one that needs it. ``first``: the proof is of the program's first answer.
        """
        (root, *_) = proof_steps(rows, self._clauses, matched=True) or (None,)
        if root is None or root.term is None or not root.term.args:
            return ()
        choice = root.term.args[-1]
        rule = self._with_reasons(root, choice)
        premises = self._premises(rule, {}, choice)
        if first and self._is_later(root) and all(step.kind != "not" for step in rule.children):
            premises.append("no rule before this one decides")
        return (self._sentence(rule, noun(choice), premises),)

    def why_not(self, option: str, rows: Sequence[Mapping[str, Any]]) -> tuple[DerivationStep, ...]:
        """Why an option cannot be derived: where its best attempt ends, and the goals that needed it."""
        path = [step for root in attempt_steps(rows, self._clauses) for step in root.walk()]
        if not path:
            return ()
        above = path[:-1]
        subject = Term("atom", option)
        reason = self._failing(path, subject)
        if any(self._clauses.alternatives(step.term) > 1 for step in above if step.term):
            reason = f"in the attempt that came farthest, {reason}"
        needed = tuple(
            DerivationStep("rule", f"Needed for: {capitalised(self._goal(step))}.", step.at)
            for step in reversed(above[1:])
            if step.at
        )
        text = f"Not {noun(subject)}: {reason}."
        return (
            DerivationStep("rule", text, next((step.at for step in reversed(above) if step.at), ""), needed),
        )

    def _with_reasons(self, root: DerivationStep, choice: Term) -> DerivationStep:
        """The step that has the reasons: where a rule only asks one other about the option, that one."""
        step = root
        while True:
            asked = [child for child in step.children if child.kind != "cut"]
            about = [child for child in asked if child.term and choice in child.term.walk()]
            if len(asked) != 1 or len(about) != 1 or about[0].kind != "rule":
                return step
            step = about[0]

    def _is_later(self, step: DerivationStep) -> bool:
        """Whether the clause of a step is not the first of its predicate."""
        first = next(self._clauses.places_of(step.term), step.at) if step.term else step.at
        return step.at != first

    def _sentence(self, step: DerivationStep, head: str, premises: Sequence[str]) -> DerivationStep:
        because = f", because {_joined(premises)}" if premises else ", by a rule that asks for nothing else"
        if step.kind == "fact":
            because = ", because the program says so"
        below = tuple(map(self._nested, _rules_below(step)))
        return DerivationStep("rule", f"{capitalised(head)}{because}.", step.at, below)

    def _nested(self, step: DerivationStep) -> DerivationStep:
        things = [part for part in (step.term.args[:2] if step.term else ()) if _is_thing(part)]
        subject = next(filter(names_option, things), things[0] if things else None)
        return self._sentence(step, self._goal(step), self._premises(step, {}, subject))

    def _goal(self, step: DerivationStep) -> str:
        term = step.term
        if term is None:
            return f"{quoted(step.goal)} holds"
        return self._phrases.said(term, None)

    # -- what a rule needed ------------------------------------------------------------------------

    def _premises(
        self, step: DerivationStep, outer: Mapping[str, NamedValue], subject: Term | None
    ) -> list[str]:
        """What the steps of a rule say, in order. What a comparison mentions is not said again."""
        values = {**outer, **self._values(step.children)}
        mentioned = _compared_variables(step.children)
        premises = list[str]()
        for child in step.children:
            if _gives(child) & mentioned & values.keys() and _is_valued(child):
                continue
            if phrase := self._premise(child, values, subject):
                premises.append(phrase)
                # After something else was named, "it" could be that.
                subject = subject if phrase.startswith(("it ", "its ", "one of its ")) else None
        return _merged(premises)

    def _premise(self, step: DerivationStep, values: Mapping[str, NamedValue], subject: Term | None) -> str:
        """What one step says; "" for nothing."""
        term = step.term
        match step.kind:
            case "cut":
                return ""
            case "more":
                return "further steps are not stored"
            case "all":
                return self._for_all(step, values, subject)
            case "collect" if term and term.calls("findall", 3):
                template, goal, result = term.args
                return f"the list of {quoted(template)} with {quoted(goal)} is {noun(result)}"
            case "not" if term:
                return self._phrases.denied(term, subject)
            case "else" if term and not self._phrases.is_comparison(term):
                return self._phrases.denied(term, subject)
            case "fact" | "rule" if term:
                return self._phrases.said(term, subject)
        if term is None or step.kind == "each" or not self._phrases.is_comparison(term):
            in_list = term is not None and term.calls("member", 2)
            return (
                self._phrases.said(term, subject)
                if term and in_list
                else f"{quoted(term or step.goal)} holds"
            )
        return self._comparison(step, term, values, subject)

    def _comparison(
        self, step: DerivationStep, term: Term, values: Mapping[str, NamedValue], subject: Term | None
    ) -> str:
        """What a comparison says; "" if it compares a term with itself and nothing is known of its sides."""
        asked = step.asked or term
        trivial = term.name in ("=", "==") and term.args[0] == term.args[1]
        if trivial and not _variables(asked) & values.keys():
            return ""
        return self._phrases.compared(asked, values, term, subject, failed=step.kind == "else")

    def _for_all(self, step: DerivationStep, values: Mapping[str, NamedValue], subject: Term | None) -> str:
        term, asked = step.term, step.asked
        if term is None or not term.calls("forall", 2):
            return f"{quoted(step.goal)} holds"
        condition, action = (quoted(part) for part in term.args)
        if not step.children:
            return f"there is no case of {condition} to check"
        if asked is None:
            return f"{action} holds in {_cases(step)} of {condition}"
        if sentences := self._each(step, asked, subject):
            return sentences
        phrases = list(
            dict.fromkeys(self._case(case, asked.args[1], values, subject) for case in step.children)
        )
        if not all(phrases) or len(phrases) > _MOST_CASES:
            return f"{action} holds in {_cases(step)} of {condition}"
        if Phrases.is_comparison(asked.args[1]):
            return _joined([phrase for phrase in phrases if "its own" not in phrase] or phrases)
        return f"in {_cases(step)} of {condition}, {_joined(phrases)}"

    def _case(
        self, case: DerivationStep, action: Term, values: Mapping[str, NamedValue], subject: Term | None
    ) -> str:
        """What the action of forall/2 says in one case; "" if it is not one comparison or negation."""
        values = {**values, **self._values(case.children)}
        steps = [child for child in case.children if child.asked and child.asked.start >= action.start]
        if len(steps) != 1 or (term := steps[0].term) is None:
            return ""
        if steps[0].kind == "not":
            return self._premise(steps[0], values, None) if term.ground else ""
        if not self._phrases.is_comparison(term) or not _variables(action) <= values.keys():
            return ""
        return self._premise(steps[0], values, subject)

    def _each(self, step: DerivationStep, asked: Term, subject: Term | None) -> str:
        """One goal about each thing that another goal finds: "it is suitable for each requirement (…)"."""
        condition, action = asked.args
        shown = step.term
        free = [part for part in (shown.args[0].args if shown else ()) if part.kind == "variable"]
        if len(free) != 1 or condition.name in (",", ";") or action.kind != "compound" or shown is None:
            return ""
        found = list(
            dict.fromkeys(
                noun(term) for case in step.children for term in _found(case, condition, free[0], shown)
            )
        )
        goal = shown.args[1]
        if len(found) == 0 or sum(part == free[0] for part in goal.walk()) != 1 or not _is_plain(goal):
            return ""
        if condition.name == "member":
            group = f"each of {listed(found)}"
        else:
            owner = f" of {noun(shown.args[0].args[0])}" if len(shown.args[0].args) == 2 else ""
            group = f"each {' '.join(condition.name.split('_'))}{owner} ({listed(found)})"
        stand_in = Term("atom", group)
        filled = Term(
            goal.kind, goal.name, tuple(stand_in if part == free[0] else part for part in goal.args)
        )
        return self._phrases.said(filled, subject) if filled.ground else ""

    def _values(self, steps: Sequence[DerivationStep]) -> dict[str, NamedValue]:
        """What the variables of a rule are called by the goals that gave them their values."""
        values: dict[str, NamedValue] = {}
        for step in steps:
            term = step.term
            named = self._phrases.value(term) if term and step.kind in ("fact", "rule") else None
            if named:
                values |= dict.fromkeys(_gives(step) - values.keys(), named)
        return values

    # -- what failed -------------------------------------------------------------------------------

    def _failing(self, path: Sequence[DerivationStep], subject: Term) -> str:
        step = path[-1]
        term = step.term
        if step.kind not in _REASONS or term is None:
            return f"the attempt that came farthest ends at {quoted(step.goal)}"
        if step.kind == "holds" and term.args:
            return self._phrases.shown(term.args[0], subject)
        if step.kind == "false" and self._phrases.is_comparison(term) and term.ground:
            values = self._values_before(path)
            return self._phrases.compared(step.asked or term, values, term, subject, failed=True)
        if step.kind == "false" or not term.ground:
            return _REASONS[step.kind][1].format(quoted(term))
        # After "nothing in the program says", "it" could be the program.
        return _REASONS[step.kind][0].format(self._phrases.said(term, None))

    def _values_before(self, path: Sequence[DerivationStep]) -> dict[str, NamedValue]:
        """What the variables of a failing goal are called by the goals before it in its rule."""
        start = max((number for number, step in enumerate(path[:-1]) if step.at), default=0)
        values: dict[str, NamedValue] = {}
        for goal in goals_before(path[start:], self._clauses):
            if named := self._phrases.value(goal.instance):
                values |= dict.fromkeys(_variables(goal.asked.args[-1]) - values.keys(), named)
        return values


def _cases(step: DerivationStep) -> str:
    """How many cases a step with forall/2 had; at most a hundred are stored."""
    count = len(step.children)
    if count >= _MOST_STORED or any(case.kind == "more" for case in step.walk()):
        return "every case"
    return {1: "the only case", 2: "both cases"}.get(count, f"all {count} cases")


def _joined(premises: Sequence[str]) -> str:
    """Premises as one part of a sentence; commas inside them keep the last "and" clear."""
    *most, last = premises
    comma = "," if any("," in premise or " and " in premise for premise in premises) else ""
    return f"{', '.join(most)}{comma} and {last}" if most else last


def _merged(premises: Sequence[str]) -> list[str]:
    """Premises, with those in a row that say that the same thing counts as something as one."""
    merged = list[str]()
    for start, group in groupby(
        premises, lambda premise: premise.partition(_COUNTS)[0] if _COUNTS in premise else premise
    ):
        same = [premise.partition(_COUNTS)[2] for premise in group]
        merged.append(f"{start}{_COUNTS}{listed(same)}" if same[0] else start)
    return merged


def _is_thing(term: Term) -> bool:
    """Whether a term can be called "it"."""
    return term.kind == "atom" and term.name != "user"


def _rules_below(step: DerivationStep) -> Iterator[DerivationStep]:
    """The rules that a rule used, also those inside forall/2 and the like, each once."""
    seen: set[str] = set()
    for child in _uses(step):
        if child.goal not in seen:
            seen.add(child.goal)
            yield child


def _uses(step: DerivationStep) -> Iterator[DerivationStep]:
    for child in step.children:
        if child.kind == "rule":
            yield child
        else:
            yield from _uses(child)


def _is_valued(step: DerivationStep) -> bool:
    """Whether all that a step says is which value something has."""
    return step.asked is not None and len(step.asked.args) == 2


def _variables(term: Term) -> set[str]:
    return {part.name for part in term.walk() if part.kind == "variable" and part.name != "_"}


def _gives(step: DerivationStep) -> set[str]:
    """The variables in the last argument of the goal that asked for a step."""
    asked = step.asked
    return _variables(asked.args[-1]) if asked and asked.args and step.kind in ("fact", "rule") else set()


def _compared_variables(steps: Sequence[DerivationStep]) -> set[str]:
    return {
        name
        for step in steps
        if step.kind in ("builtin", "then", "all") and step.asked and _compares(step)
        for name in _variables(step.asked)
    }


def _compares(step: DerivationStep) -> bool:
    asked = step.asked
    if asked and step.kind == "all":
        return Phrases.is_comparison(asked.args[1])
    return asked is not None and Phrases.is_comparison(asked)


def _found(case: DerivationStep, condition: Term, free: Term, shown: Term) -> Iterator[Term]:
    """What stands for the free variable in a case of forall/2."""
    term = case.term
    if term and term.calls(",", 2) and len(term.args[0].args) == len(shown.args[0].args):
        for one, other in zip(shown.args[0].args, term.args[0].args, strict=True):
            if one == free:
                yield other


def _is_plain(goal: Term) -> bool:
    return (
        goal.kind == "compound"
        and goal.name not in (",", ";", "->", "\\+", "forall")
        and not Phrases.is_comparison(goal)
    )
