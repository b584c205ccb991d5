"""The results of programs: frozen values that do not depend on Prolog.

How programs end that give no decision is in words that follow "the program".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a program's run ended.

    ``OK``, ``NO_SOLUTION``, ``NOT_GROUND`` (the choice is not a ground term), ``ERROR`` (the program raised
    one) and ``LOAD_ERROR`` (it cannot be loaded, or does not define what the query asks for) are answers.
    ``REFUSED`` (by the gate), ``STOPPED`` (a call reached a goal outside the vocabulary), ``INFERENCES``,
    ``MEMORY`` and ``OUTPUT`` are the same on every machine. ``TIME``, ``KILLED`` (the process died) and
    ``GARBLED`` (its reply cannot be read) may not be: the program was run twice and ended so both times.
    """

    OK = "ok"
    NO_SOLUTION = "no_solution"
    NOT_GROUND = "not_ground"
    REFUSED = "refused"
    LOAD_ERROR = "load_error"
    ERROR = "error"
    TIME = "time"
    INFERENCES = "inferences"
    MEMORY = "memory"
    OUTPUT = "output"
    KILLED = "killed"
    STOPPED = "stopped"
    GARBLED = "garbled"


_RAN = frozenset({Status.OK, Status.NO_SOLUTION, Status.NOT_GROUND, Status.ERROR, Status.LOAD_ERROR})


class Part(StrEnum):
    """The part of a program that a line is in."""

    AXIOMS = "axioms"
    FACTS = "facts"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the axioms or of the facts, from 1; line 0 of no part where there is none."""

    part: Part
    line: int


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause as it was read: ``start`` and ``end`` are offsets in its part, ``kind`` is fact, rule,
    directive or unreadable, ``predicate`` its name/arity ("" for the last two), ``shape`` how the system
    writes it, variables as letters in their order ("" if it is unreadable or very large). ``loaded`` is
    False for a clause that the system rejected: the program runs without it.
    """

    place: SourceLine
    start: int
    end: int
    kind: str
    predicate: str
    shape: str = ""
    loaded: bool = True


@dataclass(frozen=True, slots=True)
class LoadMessage:
    """A message of loading: its kind (singleton, discontiguous, syntax, refused_clause, compiler, …)."""

    kind: str
    place: SourceLine
    text: str


# By kind and whether the program was stopped.
_REASONS = {
    ("quasi_quotation", True): "the text holds a quasi quotation ({{|), which runs code while it is read",
    ("nul_character", True): "the text holds a NUL character",
    ("reading_differs", True): "SWI-Prolog reads the text differently from the check before loading",
    ("directive", True): "the directive {} would run while the program is loaded",
    (
        "rule_form",
        True,
    ): "the rule {} has a form (=>, ==> or in another module) that this tool does not check",
    ("grammar_rule", True): "the grammar rule for {} cannot be translated",
    ("qualified_head", True): "the clause for {} would change a module of SWI-Prolog",
    ("hook", True): "SWI-Prolog itself would call {}, which the program defines",
    ("forbidden_goal", True): "the program calls {}, which can reach files, processes or the run itself",
    ("qualified_goal", True): "the program calls {} in a module of SWI-Prolog's own or one not known before",
    ("variable_goal", True): "a variable is called as a goal, and the text names something dangerous",
    ("clock", True): "the program reads the clock ({}), which gives another number each time",
    ("chance", True): "the program throws dice ({}), so chance decides and not logic",
    ("dict", True): "the term {} is read as a dictionary, and the text names something dangerous",
    ("outside_vocabulary", True): "the program calls {}, which SWI-Prolog has and this tool does not run",
    ("variable_goal", False): "a variable is called as a goal",
    ("dict", False): "the term {} is read as a dictionary, perhaps because of a full stop in a name",
    ("system_name", False): "{} is also the name of a predicate of SWI-Prolog",
    ("rejected_head", False): "SWI-Prolog rejects the clause for {}, a predicate that it keeps to itself",
    ("head_is_no_predicate", False): "SWI-Prolog rejects the clause for {}, which cannot be a predicate",
    ("goal_is_no_predicate", False): "{} is called, which cannot be a predicate",
    (
        "module_clause",
        False,
    ): "the colon puts the clause for {} into a module, where plain calls do not see it",
    (
        "clause_list",
        False,
    ): "the list {} stands in place of a clause; SWI-Prolog loads each of its terms as a clause",
    ("module_goal", False): "the colon in {} asks a module, not the program",
}


@dataclass(frozen=True, slots=True)
class GateFinding:
    """An objection of the gate to a text. ``stop``: because of it the program was not run, or not to its end;
    otherwise the program ran alone.
    """

    stop: bool
    kind: str
    detail: str
    place: SourceLine

    @property
    def why(self) -> str:
        """The reason as a clause for a sentence: "the program calls shell/1, which …"."""
        return _REASONS.get((self.kind, self.stop), self.kind.replace("_", " ")).format(self.detail)


@dataclass(frozen=True, slots=True)
class Counts:
    """The published measures: ``inference_steps`` and ``choice_steps`` as SWI-Prolog 9.2 gives them, and as
    this version gave them (``raw_…``, from ``call_time/2`` and the profiler's nodes). Not ``comparable``:
    this version differs in a way that calibration could not measure, and the first two are the raw ones.
    """

    inference_steps: int
    choice_steps: int
    raw_inference_steps: int
    raw_choice_steps: int
    comparable: bool


@dataclass(frozen=True, slots=True)
class ProofNode:
    """One step of a proof: what kind, the goal as proved, the clause used (an index into ``Result.clauses``).

    Kinds: fact, rule, builtin, cut, not, then, else, all, case, collect, found, each, more (the rest was cut
    off).
    """

    kind: str
    goal: str
    clause: int | None
    children: tuple["ProofNode", ...] = ()

    def walk(self) -> Iterator["ProofNode"]:
        """This node and all below it, in order of proof."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof of the first solution: measures of the whole (``steps`` goals tried, ``depth`` levels,
    ``size`` nodes), which do not depend on the engine's version, and its tree, bounded in depth and size.
    """

    choice: str
    steps: int
    depth: int
    size: int
    nodes: tuple[ProofNode, ...]

    def walk(self) -> Iterator[ProofNode]:
        """Every node, in order of proof."""
        for node in self.nodes:
            yield from node.walk()

    @property
    def used(self) -> frozenset[int]:
        """The clauses that the proof touched, as indices into ``Result.clauses``."""
        return frozenset(node.clause for node in self.walk() if node.clause is not None)


@dataclass(frozen=True, slots=True)
class FailureStep:
    """A goal on the way down to the one that fails: why is body, no_clause, undefined, false, holds, case,
    branch, deeper.
    """

    goal: str
    clause: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of one option when asked for directly: derivable, fails (with the best attempt's way down
    to the first goal that fails), inferences, or the text of an error.
    """

    option: str
    outcome: str
    steps: tuple[FailureStep, ...] = ()

    @property
    def derivable(self) -> bool:
        """True when the option can be proved."""
        return self.outcome == "derivable"


@dataclass(frozen=True, slots=True)
class Result:
    """Everything about one program. ``stopped_by`` says in words what ended a run that gave no answer."""

    status: Status
    engine: str
    choice: str | None = None
    solutions: tuple[str, ...] = ()
    solutions_end: str = ""
    error: str | None = None
    counts: Counts | None = None
    proof: Proof | None = None
    proof_error: str | None = None
    attempts: tuple[Attempt, ...] = ()
    clauses: tuple[Clause, ...] = ()
    messages: tuple[LoadMessage, ...] = ()
    undefined: tuple[str, ...] = ()
    findings: tuple[GateFinding, ...] = ()
    cpu_seconds: float = 0.0
    stopped_by: str | None = None

    @property
    def ran(self) -> bool:
        """True if the program ran to an answer, which may be an error; False if its decision is not known."""
        return self.status in _RAN

    @property
    def decided(self) -> bool:
        """True if the program gave a decision, whether or not it is an option."""
        return self.status is Status.OK

    @property
    def unused(self) -> tuple[int, ...]:
        """The loaded facts and rules that the proof never needed, as indices into ``clauses``."""
        if self.proof is None:
            return ()
        used = self.proof.used
        return tuple(
            index
            for index, clause in enumerate(self.clauses)
            if clause.loaded and clause.kind in {"fact", "rule"} and index not in used
        )


NEVER_RUN = "not tested: "
"""How ``Result.stopped_by`` begins for a program that was never started."""
_LONGEST = 300
_ENDED = {
    Status.OK: "decides",
    Status.NO_SOLUTION: "decides nothing",
    Status.NOT_GROUND: "leaves its choice open",
    Status.LOAD_ERROR: "cannot be asked for a decision",
    Status.ERROR: "ends with an error",
    Status.REFUSED: "was refused",
    Status.INFERENCES: "did not end within the inference limit",
    Status.TIME: "did not end in time",
    Status.MEMORY: "needed more memory than a program may use",
    Status.OUTPUT: "gave more output than is read",
    Status.KILLED: "crashed",
    Status.GARBLED: "gave a reply that cannot be read",
    Status.STOPPED: "was stopped",
}
_SAID_ALREADY = "inference limit"
_PREFIX = re.compile(r"gate: |memory: |its reply is garbled: ")
_NO_PROCEDURE = re.compile(r"existence_error\(procedure, (.+)\)")


def ended(status: Status) -> str:
    """How a program with this status ended, in a few words."""
    return _ENDED[status]


def did_not_run(result: Result) -> str:
    """Why a program did not run to an answer."""
    because = result.stopped_by or ""
    if because.startswith(NEVER_RUN):
        return f"was not run: {because.removeprefix(NEVER_RUN)}"
    if not because or because == _SAID_ALREADY:
        return ended(result.status)
    return f"{ended(result.status)} ({_PREFIX.sub('', because, count=1)})"


def without_decision(result: Result, decision: str) -> str:
    """How a program that ran ended without a decision; ``decision`` is the predicate that was asked."""
    words = ended(result.status)
    if result.status is Status.NOT_GROUND:
        return f"{words} ({str(result.choice)[:_LONGEST]})"
    if result.status is Status.LOAD_ERROR and _missing(result) == decision:
        return f"does not define {decision}"
    return f"{words}: {error_words(result.error)}" if result.error else words


def error_words(error: str) -> str:
    """An error of Prolog; the most frequent ones in plain words."""
    if missing := _NO_PROCEDURE.fullmatch(error):
        return f"it calls {missing.group(1)}, which is defined nowhere"
    if error == "instantiation_error":
        return "a variable has no value where one is needed"
    return error[:_LONGEST]


def _missing(result: Result) -> str | None:
    missing = _NO_PROCEDURE.fullmatch(result.error or "")
    return missing.group(1) if missing else None
