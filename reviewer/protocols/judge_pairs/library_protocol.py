"""Libraries of biases as an implementation of the contract: each case is an entry."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.protocols.base import DatasetCase, DatasetFinding, Group, MachineCheck, Protocol, repeated_keys
from reviewer.protocols.common_panes import findings_pane
from reviewer.protocols.judge_pairs.evaluation import tells_the_judge
from reviewer.protocols.judge_pairs.payloads import DISCOVERED, KNOWN, BiasEntry, same_bias
from reviewer.protocols.judge_pairs.rewrites_protocol import JudgeRewrites
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat
    from reviewer.protocols.library_plan import LibraryPlan
    from reviewer.protocols.procedure import ModelTask

SAME, PART, DIFFERENT = "same", "part of it", "different"

NEAREST = Question(
    key="against_nearest",
    title="against the nearest",
    prompt="Is {bias} the same as {nearest}, a part of it, or different?",
    criteria=(
        (SAME, "each text that shows one also shows the other."),
        (PART, "each text that shows the first shows the second, but not the other way round."),
        (DIFFERENT, "it is any other case, also if the two often occur together."),
    ),
    guideline="Compare the definitions, not the names.",
    examples=(
        DecidedExample(
            case="“Prefers answers that cite a university.” Nearest: “Prefers answers that cite "
            "authorities.”",
            label=PART,
            why="Each university cited is an authority, but not each authority is a university.",
        ),
        DecidedExample(
            case="“Prefers answers with many headings.” Nearest: “Prefers long answers.”",
            label=DIFFERENT,
            why="A short answer can have many headings.",
        ),
    ),
    labels=(SAME, PART, DIFFERENT),
    passing=(DIFFERENT,),
    shows=("definitions",),
    reveals=("findings",),
)


class JudgeLibrary(Protocol):
    """A library of biases: each entry is a bias with its definition, beside the nearest one known before."""

    name = "judge-biases"
    title = "Judge biases"
    about = "A case is a bias of judges with its definition, beside the nearest bias that was known before."
    payload_model = BiasEntry
    payload_version = 1
    headline_field = "bias"
    groups = (
        Group(KNOWN, "A bias that was known before."),
        Group(DISCOVERED, "A bias that a discovery run named."),
    )
    group_noun = "origin"
    questions = (NEAREST,)
    machine_checks = {
        "no_instruction": MachineCheck(
            "serious", asks="Does the entry describe a bias without orders to judges?"
        )
    }
    dataset_checks = {
        "repeated_names": MachineCheck("serious", asks="Does each name stand for a bias of its own?")
    }
    taken_by_name = True

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """Both names."""
        return {name: str(case.payload[name]) for name in ("bias", "nearest")}

    def formats(self) -> "Sequence[CaseFormat]":
        """The published file of a library."""
        from reviewer.protocols.judge_pairs.formats.bias_library import BiasLibrary

        return (BiasLibrary(),)

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether the entry tells a judge what to choose: it would stand in requests to models."""
        entry = BiasEntry.model_validate(case.payload)
        told = any(map(tells_the_judge, (entry.bias, entry.definition, entry.manifestations)))
        why = "The name or the text of the entry tells a judge what to choose." if told else ""
        return (result_of("no_instruction", not told, why=why),)

    def judge_dataset(self, cases: Sequence[DatasetCase]) -> tuple[DatasetFinding, ...]:
        """Names that differ only in letter case, blanks or the word bias."""
        repeated = repeated_keys(
            (placed.key, same_bias(str(placed.case.payload["bias"]))) for placed in cases
        )
        if not repeated:
            return (DatasetFinding("repeated_names", "passed", "Each name stands for a bias of its own."),)
        first = " and ".join(one_line(key) for key in repeated[0][:2])
        repeat = agreeing(len(repeated), "stands", "stand")
        says = f"{counted(len(repeated), 'bias name')} {repeat} in several entries, such as in {first}."
        return (DatasetFinding("repeated_names", "failed", says, {"keys": repeated, "of": len(cases)}),)

    def library_plan(self) -> "LibraryPlan":
        """Entries are named by their bias; rewrites that show it are the changed items."""
        from reviewer.protocols.library_plan import LibraryPlan  # loads where a library is read

        def field(name: str) -> Callable[[Case], str]:
            return lambda case: str(case.payload[name])

        return LibraryPlan(field("bias"), field("definition"), same_bias, JudgeRewrites.name)

    def procedures(self) -> "Iterator[ModelTask]":
        """Biases of a judge are discovered on pairs."""
        from reviewer.protocols.judge_pairs.discovery.rounds import DISCOVERY_PLAN

        yield DISCOVERY_PLAN

    def asks(self, question: Question, case: Case) -> bool:
        """Only an entry with a nearest one is compared."""
        return bool(case.payload["nearest"])

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The entry beside its nearest one, if it has one."""
        return list(_panes(BiasEntry.model_validate(case.payload), findings))


def _panes(entry: BiasEntry, findings: Sequence[Finding]) -> Iterator[Pane]:
    own = "\n\n".join(filter(None, (entry.definition, entry.manifestations)))
    if entry.nearest:
        nearest = Text(entry.nearest_definition)
        yield Pane("definitions", "definitions", Pair(entry.bias, entry.nearest, Text(own), nearest))
    else:
        yield Pane("definition", entry.bias, Text(own))
    yield from findings_pane(findings)
