"""How a dilemma pair is edited and repaired: its texts as panes, and the repairs by rule.

A rule changes texts of a pair, given its evidence, or says why not.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from pydantic import ValidationError

from reviewer.core.sanitize import strange_character
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.oracle_program import CONSULT_AXIOMS
from reviewer.oracle.result import Clause, Part
from reviewer.oracle.terms import Term, UnreadableError, read_term
from reviewer.protocols.probe_swe.dilemma import Dilemma
from reviewer.protocols.probe_swe.option_exchange import exchanged_options, names_an_option, other_option_name
from reviewer.protocols.procedure import PromptPlan
from reviewer.protocols.repairs import (
    PROPOSAL_PLACEHOLDERS,
    ContentError,
    EditorPane,
    NotRepaired,
    RepairRule,
    Repairs,
)
from store.records import Case

PROGRAMS = ("unbiased_prolog", "biased_prolog")
"""The fields with the programs, in the order of the versions."""


class PairEdits:
    """Replacements of characters in the axioms and programs of a pair. Both versions share the axioms."""

    def __init__(self, payload: Mapping[str, str]) -> None:
        self._payload = payload
        self._edits: dict[str, dict[tuple[int, int], str]] = defaultdict(dict)

    def __bool__(self) -> bool:
        return bool(self._edits)

    def remove(self, version: int, clause: Clause) -> None:
        """Remove a clause of a version (0 or 1), with its line if nothing else is on it."""
        field = _field(version, clause)
        text = self._payload[field]
        # A clause that cannot be read may begin with the line that loads the axioms, which is never read.
        loads = CONSULT_AXIOMS.match(text, clause.start)
        start = _after_blanks(text, loads.end()) if loads else clause.start
        self._edits[field][_with_line(text, start, clause.end)] = ""

    def replace(self, version: int, clause: Clause, start: int, end: int, text: str) -> None:
        """Replace characters of a clause, counted from its start."""
        self._edits[_field(version, clause)][clause.start + start, clause.start + end] = text

    def prepend(self, version: int, text: str) -> None:
        """Put lines before the clauses of a version's own program, after the line that loads the axioms."""
        loads = CONSULT_AXIOMS.match(self._payload[PROGRAMS[version]])
        at = loads.end() if loads else 0
        self._edits[PROGRAMS[version]][at, at] = f"\n{text}" if loads else f"{text}\n"

    def append(self, version: int, text: str) -> None:
        """Put lines after a version's own program."""
        at = len(self._payload[PROGRAMS[version]])
        self._edits[PROGRAMS[version]][at, at] = f"\n{text}"

    @property
    def texts(self) -> dict[str, str]:
        """The changed texts by field."""
        return {field: self._changed(field) for field in self._edits}

    def _changed(self, field: str) -> str:
        text = self._payload[field]
        for (start, end), new in sorted(self._edits[field].items(), reverse=True):
            text = text[:start] + new + text[end:]
        return text


def _field(version: int, clause: Clause) -> str:
    return "axioms" if clause.place.part is Part.AXIOMS else PROGRAMS[version]


def _after_blanks(text: str, at: int) -> int:
    return len(text) - len(text[at:].lstrip())


def _with_line(text: str, start: int, end: int) -> tuple[int, int]:
    """The range, or its whole lines if there is nothing but the range on them."""
    first = text.rfind("\n", 0, start) + 1
    newline = text.find("\n", end)
    last = len(text) if newline < 0 else newline + 1
    return (first, last) if not (text[first:start] + text[end:last]).strip() else (start, end)


PairTexts = Mapping[str, str]
_ATOM = re.compile(r"(?<![\w'])[a-z]\w*")
_NAME_IN_BODY = re.compile(r"[a-z]\w*")


@dataclass(frozen=True, slots=True)
class _Decision:
    """A clause that decides for a named option: head and condition as written, and names in the condition."""

    head: str
    condition: str
    called: frozenset[str]


def remove_unused_facts(payload: PairTexts, evidence: Evidence) -> PairTexts | NotRepaired:
    """Remove facts of both programs that no derivation uses and that no rule asks for.

    A fact that a rule asks for takes part in the search even if no derivation uses it: without it, nobody
    could see why the other option fails. Facts of the biased program alone state the cue, so they stay.
    """
    if any(result.proof is None for result in evidence.both):
        return NotRepaired("A program has no derivation, so nobody can say which facts it needs.")
    asked = {name for version in (0, 1) for name in _called_by_rules(evidence, version)}
    here, there = (set(_unused_facts(evidence, version, asked)) for version in (0, 1))
    removed = here & there
    edits = PairEdits(payload)
    for version in (0, 1):
        for clause in evidence.clauses(version, "fact", Part.FACTS):
            if evidence.source(version, clause) in removed:
                edits.remove(version, clause)
    return edits.texts or NotRepaired(
        "Each fact of both programs is used in a derivation or needed by a rule."
    )


def quote_names(payload: PairTexts, evidence: Evidence) -> PairTexts | NotRepaired:
    """Make atoms of names in facts that begin with a capital and so are variables.

    A name that the programs know in small letters is written so; any other is quoted. Rules that have such a
    name once are changed too.
    """
    lone = [
        (version, clause, name)
        for version in (0, 1)
        for clause in evidence.both[version].clauses
        for name in _lone_variables(evidence, version, clause)
    ]
    names = {name for _, clause, name in lone if clause.kind == "fact"}
    known = {atom for program in evidence.programs for atom in _ATOM.findall(program.text)}
    edits = PairEdits(payload)
    for version, clause, name in lone:
        for part in _parts(_written(evidence, version, clause)) if name in names else ():
            if part.kind == "variable" and part.name == name:
                edits.replace(version, clause, part.start, part.end, _as_atom(name, known))
    return edits.texts or NotRepaired("No fact has a variable where a name was meant.")


def drop_lost_clauses(payload: PairTexts, evidence: Evidence) -> PairTexts | NotRepaired:
    """Remove clauses that SWI-Prolog cannot read or refuses to load: the programs run without them."""
    edits = PairEdits(payload)
    for version, result in enumerate(evidence.both):
        for clause in result.clauses:
            if not clause.loaded:
                edits.remove(version, clause)
    return edits.texts or NotRepaired("No clause is lost at loading.")


def add_default(payload: PairTexts, evidence: Evidence) -> PairTexts | NotRepaired:
    """Add a clause that decides for the other option where all clauses name one: if their conditions fail.

    Both programs get the conditions of the unbiased one, and none that calls what only the biased one states.
    """
    decisions = [_decision(_written(evidence, 0, clause)) for clause in evidence.deciding(0)]
    if not decisions or None in decisions:
        return NotRepaired("A deciding clause has no condition or names no option.")
    heads = {decision.head for decision in decisions if decision}
    if len(heads) != 1:
        return NotRepaired("The deciding clauses do not all decide for the same option.")
    called = {name for decision in decisions if decision for name in decision.called}
    if cue := sorted(called & _only_in_biased(evidence)):
        return NotRepaired(f"The condition calls {cue[0]}, which only the biased program states.")
    failing = ",\n    ".join(f"\\+ ({decision.condition})" for decision in decisions if decision)
    head = other_option_name(heads.pop())
    edits = PairEdits(payload)
    for version in (0, 1):
        edits.append(version, f"{head} :-\n    {failing}.")
    return edits.texts


def clear_axioms_of_options(payload: PairTexts, evidence: Evidence) -> PairTexts | NotRepaired:
    """Move the clauses of the axioms that name an option to the beginning of both programs."""
    axioms = [clause for clause in evidence.first.clauses if clause.place.part is Part.AXIOMS]
    naming = [clause for clause in axioms if names_an_option(evidence.source(0, clause))]
    if not naming:
        return NotRepaired("No clause of the axioms names an option.")
    if len(naming) == len(axioms):
        return NotRepaired("Every clause of the axioms names an option, so that no axiom would be left.")
    edits = PairEdits(payload)
    for clause in naming:
        edits.remove(0, clause)
    for version in (0, 1):
        known = set(evidence.sources(version, "fact", Part.FACTS))
        moved = [clause for clause in naming if evidence.source(0, clause) not in known]
        if moved:
            edits.prepend(version, "\n".join(_written(evidence, 0, clause) for clause in moved))
    return edits.texts


def _unused_facts(evidence: Evidence, version: int, asked: Collection[str]) -> Iterator[str]:
    """The facts of a program that no derivation uses and no rule asks for, as the checks compare them."""
    result = evidence.both[version]
    proofs = (result.proof, evidence.others[version])
    used = {index for proof in proofs if proof for index in proof.used}
    for index, clause in enumerate(result.clauses):
        own = clause.kind == "fact" and clause.place.part is Part.FACTS and clause.loaded
        called = clause.predicate == evidence.decision or _name(clause) in asked
        if own and index not in used and not called:
            yield evidence.source(version, clause)


def _called_by_rules(evidence: Evidence, version: int) -> set[str]:
    """Every name in the bodies of a program's rules."""
    rules = (clause for clause in evidence.both[version].clauses if clause.kind == "rule")
    bodies = (evidence.source(version, clause).partition(":-")[2] for clause in rules)
    return {name for body in bodies for name in _NAME_IN_BODY.findall(body)}


def _name(clause: Clause) -> str:
    return clause.predicate.rpartition("/")[0]


def _lone_variables(evidence: Evidence, version: int, clause: Clause) -> Iterator[str]:
    """The variables that occur once in a fact or rule and look like names: of two letters or more."""
    if clause.kind not in {"fact", "rule"}:
        return
    for message in evidence.both[version].messages:
        if message.kind == "singleton" and message.place == clause.place:
            yield from (name for name in re.findall(r"\w+", message.text) if name[0] != "_" and len(name) > 1)


def _as_atom(name: str, known: Collection[str]) -> str:
    spellings = (name[0].lower() + name[1:], name.lower())
    return next((spelling for spelling in spellings if spelling in known), f"'{name}'")


def _only_in_biased(evidence: Evidence) -> set[str]:
    """The names of the predicates that only the biased program defines."""
    here, there = ({_name(clause) for clause in result.clauses} for result in evidence.both)
    return there - here


def _written(evidence: Evidence, version: int, clause: Clause) -> str:
    return evidence.text(version, clause.place.part)[clause.start : clause.end]


def _decision(source: str) -> _Decision | None:
    """A deciding clause in parts; None if it has no condition or names no option."""
    clause = next(iter(_parts(source)), None)
    if clause is None or not clause.calls(":-", 2):
        return None
    head, body = clause.args
    if not head.args or head.args[-1].kind != "atom" or not names_an_option(head.args[-1].name):
        return None
    condition = source[body.start : body.end]
    return _Decision(source[head.start : head.end], condition, frozenset(part.name for part in body.walk()))


def _parts(source: str) -> tuple[Term, ...]:
    """Every term of a clause, from the whole to its parts; () if it cannot be read here."""
    try:
        return tuple(read_term(source).walk())
    except UnreadableError:
        return ()


_PROSE = {"unbiased": "unbiased text", "biased": "biased text", "axioms_description": "axioms in words"}
_PROGRAMS = {
    "axioms": ("axioms", ("", "axioms")),
    "unbiased_prolog": ("unbiased program", ("unbiased", "facts")),
    "biased_prolog": ("biased program", ("biased", "facts")),
}
_ORDER = ("unbiased", "biased", "axioms", "axioms_description", "unbiased_prolog", "biased_prolog")
# A model rebuilt it from the unedited pair, so it says nothing about the edited one.
_MADE_FROM_THE_PAIR = "reconstructed_unbiased_prompt"


def exchange_options(case: Case, _evidence: Evidence) -> Case | NotRepaired:
    """Exchange the two options in all texts and programs, so that the other one is right."""
    exchanged = exchanged_options(Dilemma.model_validate(case.payload))
    if isinstance(exchanged, NotRepaired):
        return exchanged
    return Case.of(case.protocol, case.group, case.payload_version, exchanged.model_dump(mode="json"))


TextChange = Callable[[Mapping[str, str], Evidence], Mapping[str, str] | NotRepaired]
EXCHANGE = RepairRule(
    "exchange-options",
    str(exchange_options.__doc__),
    (),
    exchange_options,
    other_option_name,
    "Steps differ only where a program sorts or compares the options by name.",
)


def _rule(name: str, change: TextChange, *mends: str) -> RepairRule:
    """The rule that makes a change of some texts."""
    does = str(change.__doc__).partition("\n")[0]
    return RepairRule(name, does, mends, partial(_with_changed_texts, change))


def _with_changed_texts(change: TextChange, case: Case, evidence: Evidence) -> Case | NotRepaired:
    texts = change({key: str(case.payload.get(key) or "") for key in _ORDER}, evidence)
    if isinstance(texts, NotRepaired):
        return texts
    try:
        return REPAIRS.edited(case, texts)
    except ContentError as error:
        return NotRepaired(str(error))


class DilemmaRepairs(Repairs):
    """Both texts, the axioms, their words, and both programs."""

    prompts = PromptPlan("reviewer.protocols.probe_swe", {"repair": PROPOSAL_PLACEHOLDERS})
    exchange = EXCHANGE
    rules = (
        EXCHANGE,
        _rule("remove-unused-facts", remove_unused_facts, "unused_facts"),
        _rule("quote-names", quote_names, "fact_holds_of_all", "load_messages"),
        _rule("drop-lost-clauses", drop_lost_clauses, "lost_clauses", "load_messages"),
        _rule("add-default", add_default, "one_option_only", "no_option"),
        _rule("clear-axioms", clear_axioms_of_options, "option_in_axioms"),
    )

    def editor_panes(self, case: Case) -> tuple[EditorPane, ...]:
        """The six texts, in the order in which a person reads them; a missing one is empty."""
        return tuple(_pane(key, str(case.payload.get(key) or "")) for key in _ORDER)

    def edited(self, case: Case, texts: Mapping[str, str]) -> Case:
        """The pair with the edited texts, without the rebuilt text if anything changes."""
        panes = {key: _pane(key, text) for key, text in texts.items()}
        try:
            pair = Dilemma.model_validate({**case.payload, **texts})
        except ValidationError as error:
            raise _content_error(panes, error) from None
        payload = pair.model_dump(mode="json")
        if all(payload[key] == case.payload.get(key) for key in _ORDER):
            return case
        cleared = {**payload, _MADE_FROM_THE_PAIR: None}
        return Case.of(case.protocol, case.group, case.payload_version, cleared)


REPAIRS = DilemmaRepairs()


def _pane(key: str, text: str) -> EditorPane:
    if key in _PROSE:
        return EditorPane(key, _PROSE[key], "prose", text)
    title, program = _PROGRAMS[key]
    return EditorPane(key, title, "program", text, program)


def _content_error(panes: Mapping[str, EditorPane], error: ValidationError) -> ContentError:
    first = error.errors()[0]
    key = str(first["loc"][0])
    pane = panes.get(key) or _pane(key, "")
    lines = enumerate(pane.text.splitlines(), start=1)
    line = next((number for number, text in lines if strange_character(text)), None)
    wrong = first["msg"].removeprefix("Value error, ")
    return ContentError(pane, line, wrong, "change it, or reset this pane")
