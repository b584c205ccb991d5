"""What the oracle answers: frozen values, without a trace of Prolog."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a program's run ended.

    ``OK``, ``NO_SOLUTION``, ``NOT_GROUND`` (the choice is not a ground term), ``ERROR`` (the program raised
    one) and ``LOAD_ERROR`` (it cannot be loaded, or does not define what the query asks for) are answers.
    ``REFUSED`` (by the gate), ``INFERENCES``, ``MEMORY`` and ``OUTPUT`` are verdicts that come out the same
    on every machine. ``TIME`` and ``KILLED`` (the process died) may not: they were given twice. ``GARBLED``
    is a reply that cannot be read, ``STOPPED`` a program that was not run because the work was stopped.
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
    GARBLED = "garbled"
    STOPPED = "stopped"


_RAN = {Status.OK, Status.NO_SOLUTION, Status.NOT_GROUND, Status.ERROR, Status.LOAD_ERROR}


class Part(StrEnum):
    """The part of a program that a line is in."""

    AXIOMS = "axioms"
    FACTS = "facts"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the axioms or of the facts, from 1; line 0 of no part where there is none."""

    part: Part
    line: int


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause as it was read: ``start`` and ``end`` are offsets in its part, ``kind`` is fact, rule,
    directive or unreadable, ``predicate`` its name/arity ("" for the last two), ``shape`` how the system
    writes it, variables as letters in their order ("" for what is unreadable or very large).
    """

    place: Place
    start: int
    end: int
    kind: str
    predicate: str
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of loading: its kind (singleton, discontiguous, syntax, refused_clause, compiler, …)."""

    kind: str
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class GateFinding:
    """What the gate has against a text; ``stop`` when it refuses it, else an accident: a name the system has
    too.
    """

    stop: bool
    kind: str
    detail: str
    place: Place


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
    """A goal on the way down to what fails: why is body, no_clause, undefined, false, holds, case, branch,
    deeper.
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
    messages: tuple[Message, ...] = ()
    undefined: tuple[str, ...] = ()
    findings: tuple[GateFinding, ...] = ()
    cpu_seconds: float = 0.0
    stopped_by: str | None = None

    @property
    def ran(self) -> bool:
        """True when the program ran to an end of its own: only then is its decision known."""
        return self.status in _RAN

    @property
    def unused(self) -> tuple[int, ...]:
        """The facts and rules that the proof never needed, as indices into ``clauses``; () without one."""
        if self.proof is None:
            return ()
        used = self.proof.used
        return tuple(
            index
            for index, clause in enumerate(self.clauses)
            if clause.kind in {"fact", "rule"} and index not in used
        )
