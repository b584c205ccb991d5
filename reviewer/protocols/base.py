"""The contract: what a protocol must offer. Protocols do no input or output; they turn values into values."""

import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ValidationError

from reviewer.core.check_result import CheckResult, Severity
from reviewer.core.errors import RequestError
from reviewer.core.pane import Pane, Text
from reviewer.core.question import Question, answer_fault, answer_with
from reviewer.core.sanitize import one_line
from reviewer.core.spans import marks_fault
from store.records import Case, DatasetDismissal, Finding, JsonValue, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat, ValidationSheets
    from reviewer.protocols.judging.judge_table import JudgeTable
    from reviewer.protocols.library_plan import LibraryPlan
    from reviewer.protocols.logic import Logic
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.procedure import ModelTask
    from reviewer.protocols.repairs import Repairs
    from reviewer.protocols.templates.template_plans import GapTemplates, SlotTemplates

TaskT = TypeVar("TaskT", bound="ModelTask")


_LONGEST_HEADLINE = 120


@dataclass(frozen=True, slots=True)
class Group:
    """A stratum of cases, with the definition that raters judge by."""

    name: str
    definition: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A similarity between two texts of a case; ``measure`` names the value, also where it is published."""

    measure: str
    kind: Literal["cosine", "levenshtein"]
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """The severity of a failed check, and its version.

    ``published`` names the published value that its value is compared with; they are equal within
    ``tolerance``. A check whose value is a list has one value for each version, and all are compared.
    ``asks`` is a sentence that says what the check looks for.
    """

    severity: Severity
    published: str = ""
    tolerance: float = 0.0
    version: int = 1
    asks: str = ""

    def weighed(self, result: CheckResult) -> CheckResult:
        """The check's result with its severity and its version."""
        return replace(result, severity=self.severity, version=self.version)


@dataclass(frozen=True, slots=True)
class DatasetCase:
    """A case at its place in a dataset, with the values that were published there, by name."""

    key: str
    case: Case
    published: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DatasetFinding:
    """One check's result on a whole dataset: a share, a count, the cases that repeat.

    ``says`` describes the result in plain words, also if the check passed. If the check could not run, it
    names what was missing. ``value`` is the result as JSON, and ``threshold`` the limit that it is compared
    with. In a value, ``counts`` are numbers of cases by value, ``of`` the number of cases, and ``keys`` lists
    of the keys that repeat each other: these can be listed row by row. Severity, version and dismissals are
    filled in where findings are listed: ``dismissal`` if somebody dismissed this finding, ``earlier`` if they
    dismissed another one of the same check, which does not count.
    """

    check: str
    state: Literal["passed", "failed", "not tested"]
    says: str
    value: JsonValue = None
    threshold: JsonValue = None
    severity: Severity = "untidy"
    version: int = 1
    dismissal: DatasetDismissal | None = None
    earlier: DatasetDismissal | None = None

    @property
    def stands(self) -> bool:
        """Whether the check failed and nobody dismissed what it found."""
        return self.state == "failed" and self.dismissal is None

    @property
    def repeating(self) -> frozenset[str]:
        """The keys of the cases that repeat each other, where the value lists them."""
        lists = self.value.get("keys", ()) if isinstance(self.value, dict) else ()
        return frozenset(key for repeated in lists for key in repeated)


def repeated_keys(values: Iterable[tuple[str, Hashable]]) -> list[list[str]]:
    """From keys of cases with a value each: the keys that have the same one."""
    keys: dict[Hashable, list[str]] = {}
    for key, value in values:
        keys.setdefault(value, []).append(key)
    return [same for same in keys.values() if len(same) > 1]


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What has to be computed before a case is judged: similarities of its texts.

    ``distinct`` is the text that must differ from those of other cases: a cosine similarity of
    ``collides_at`` or more is a collision. With "" the case is compared with no other case. The default plan
    is for checks that only read the case.
    """

    comparisons: tuple[Comparison, ...] = ()
    distinct: str = ""
    collides_at: float = 1.0

    @property
    def needs_vectors(self) -> bool:
        """Whether a sentence model has to compare texts."""
        return bool(self.distinct) or any(comparison.kind == "cosine" for comparison in self.comparisons)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Answers about one case (question key → label) that contradict each other unless there is a reason.

    ``why`` describes the contradiction in a sentence.
    """

    answers: Mapping[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class Value:
    """A published or measured value of cases: on which question it bears, and when raters may see it.

    ``name`` names the measurement. Raters see it "always"; or "after" they answered the question; or "with"
    the question, such as a model's reply about the case, once they answered the study's other questions about
    the case. At other places it then waits for the answer. A protocol lists a value again for each further
    question that it bears on; a value that it does not list is always seen.

    With ``labels`` the value is an opinion: it answers the question, as a judge would, and is set against
    people's labels. They map its contents to labels of the question: texts as they are, numbers and truth
    values as JSON writes them ("3", "0.5", "true"). A case without the value, or with a value that is not
    mapped, is an abstention. People read the ``title``, or the name where it is "". With ``must_agree`` the
    opinion is part of what people check: a case whose final label is another one does not pass.
    """

    name: str
    question: str
    labels: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    must_agree: bool = False
    seen: Literal["always", "after", "with"] = "after"

    @property
    def shown_name(self) -> str:
        """What people read."""
        return self.title or self.name

    def label_of(self, value: JsonValue) -> str | None:
        """The label that the value stands for; None if it stands for none."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return self.labels.get(value if isinstance(value, str) else json.dumps(value))

    def values_in(self, measurements: Iterable[Measurement]) -> list[JsonValue]:
        """What a case has as this value, in each dataset that it is in."""
        return [
            measured.value
            for measured in measurements
            if measured.name == self.name and not measured.variant and measured.value is not None
        ]

    def answer_of(self, value: JsonValue, question: Question) -> str | None:
        """The answer to the question that the value stands for; None if it stands for none.

        Where several labels answer, the value is a list, or one label alone.
        """
        if not question.answer_kind.is_judged:
            return None
        if not question.answer_kind.any_number:
            label = self.label_of(value)
            return label if label in question.labels else None
        labels = [self.label_of(part) for part in (value if isinstance(value, list) else [value])]
        known = [label for label in labels if label in question.labels]
        return answer_with(question, known) if len(known) == len(labels) else None

    def answer_in(self, measurements: Iterable[Measurement], question: Question) -> str | None:
        """The answer that the values of a case stand for; None if they stand for none or for several."""
        answers = {self.answer_of(value, question) for value in self.values_in(measurements)}
        return answers.pop() if len(answers) == 1 else None


class Protocol(ABC):
    """The rules of one benchmark: its kind of case, its questions, and the panes of a case."""

    name: str
    """The stable name that is stored with cases."""
    title: str
    """The name that people read."""
    about: str = ""
    """What a case is, for people who know only a release; "" if the protocol does not say."""
    payload_model: type[BaseModel]
    """Validates a payload. Its dump is the normalised payload, which the case's digest covers."""
    payload_version: int
    headline_field: ClassVar[str]
    """The field of the payload with the text that distinguishes cases in a list."""
    groups: tuple[Group, ...] = ()
    """Empty if the groups come from the data."""
    definitions: Mapping[str, str] = {}
    """Definitions of groups that are not listed, by name: its own, and those of a dataset or a study."""
    taken_by_name: ClassVar[bool] = False
    """Whether a file is of this protocol only if it or a person names the protocol."""
    hides_generators: bool = True
    """Whether raters learn who wrote cases only once they have finished. Their packs then do not say it."""
    group_noun: str = "group"
    """One word for a group, which options and files accept too."""
    questions: tuple[Question, ...]
    values: tuple[Value, ...] = ()
    """The values that bear on questions: when raters see each, and which of them are opinions."""
    machine_checks: Mapping[str, MachineCheck] = {}
    """Every check that ``judge`` may report, here and in the protocol's logic, by name."""
    dataset_checks: Mapping[str, MachineCheck] = {}
    """Every check that ``judge_dataset`` reports, by name."""
    concerns: Mapping[str, str] = {}
    """Check, also one of the oracle or of generation → the question that its findings are about. Raters see
    these findings once they answered it, and those of all other checks at once.
    """
    themed: ClassVar[tuple[str, str]] = ("", "")
    """The question whose labels are themes that a study may replace, and its label for other ones."""
    contradictions: ClassVar[tuple[Contradiction, ...]] = ()
    """Combinations of answers. Raters are asked about each the first time that they give it in a study."""
    seeds_folder: ClassVar[str] = ""
    """The folder in ``seeds/`` with the shipped hand-written cases; "" if there are none."""
    example_folder: ClassVar[str] = ""
    """The folder in ``seeds/`` with an example to try: its cases, and the answers of a model; "" if none."""

    def judge_table(self, text: str, file: str) -> "JudgeTable":
        """What a judge rejected, from a published file of this name.

        Raises InputError, and RequestError if such files of this protocol are not known.
        """
        raise RequestError(f"{self.title} has no published tables of judges that could be read ({file!r}).")

    @property
    def reference(self) -> str:
        """The name that is stored with datasets and studies; a declared protocol adds its version."""
        return self.name

    def defining(self, definitions: Mapping[str, str]) -> Self:
        """The same with these definitions before its own for groups that are not listed."""
        if not definitions:
            return self
        defined = copy(self)
        defined.definitions = {**self.definitions, **definitions}
        return defined

    def case(self, group: str, payload: Mapping[str, object]) -> Case:
        """The case of a raw payload; raises pydantic.ValidationError if the payload is not valid."""
        normalised = self.payload_model.model_validate(payload).model_dump(mode="json")
        return Case.of(self.name, group, self.payload_version, normalised)

    def group(self, name: str) -> Group:
        """The group of this name with its definition ("" if there is none); raises KeyError."""
        listed = {group.name: group for group in self.groups}
        group = listed[name] if listed else Group(name, "")
        return group if group.definition else Group(name, self.definitions.get(name, ""))

    def must_agree(self, question: Question) -> tuple[Value, ...]:
        """The opinions that a question checks: an item does not pass with another label than theirs."""
        return tuple(each for each in self.opinions if each.must_agree and each.question == question.key)

    def passing(self, question: Question, measurements: Sequence[Measurement]) -> tuple[str, ...]:
        """The labels with which an item passes: of the question's passing labels those that opinions allow.

        An opinion with ``must_agree`` that gives the case a label allows that label alone.
        """
        answers = {each.answer_in(measurements, question) for each in self.must_agree(question)} - {None}
        return tuple(label for label in question.passing if answers <= {label})

    def passing_words(self, question: Question) -> str:
        """With which labels an item passes: "first or second, if that is also the published label"."""
        checked = " and the ".join(opinion.shown_name for opinion in self.must_agree(question))
        return " or ".join(question.passing) + (f", if that is also the {checked}" if checked else "")

    def question_named(self, name: str) -> Question | None:
        """The question with this key or title; of those for the entries of a list, the first."""
        return next((q for q in self.questions if name in (q.key, q.title, q.family)), None)

    @property
    def opinions(self) -> tuple[Value, ...]:
        """The values that are set against people's labels."""
        return tuple(value for value in self.values if value.labels)

    def questions_before(self, name: str) -> frozenset[str]:
        """The keys of the questions that raters answer before they see a value of this name."""
        return frozenset(
            value.question for value in self.values if value.name == name and value.seen != "always"
        )

    def shown_with(self, question: str) -> frozenset[str]:
        """The names of the values that raters see together with a question."""
        return frozenset(
            value.name for value in self.values if value.question == question and value.seen == "with"
        )

    @property
    def questions_with_values(self) -> frozenset[str]:
        """The keys of the questions that raters see together with values."""
        return frozenset(value.question for value in self.values if value.seen == "with")

    def labels_meant(self, value: str, content: JsonValue) -> tuple[str, str]:
        """The label that a value stands for, and the same on exchanged sides; "" twice if it has none."""
        sides = {question.key: question.sides for question in self.questions}
        for opinion in self.opinions:
            if opinion.name == value and (label := opinion.label_of(content)) is not None:
                asked = sides.get(opinion.question)
                return label, asked.across(label) if asked else label
        return "", ""

    def groups_among(self, found: Iterable[str]) -> list[str]:
        """The names that are groups of the protocol, each once, in its order; if it has none, in theirs."""
        names = dict.fromkeys(found)
        return [group.name for group in self.groups if group.name in names] if self.groups else list(names)

    def asks(self, question: Question, case: Case) -> bool:
        """Whether the question applies to the case; every question does if the protocol says nothing."""
        return True

    def asked_about(self, question: Question, case: Case) -> Question:
        """The question with the labels that can answer it about this case."""
        return question

    def label_fault(self, question: Question, case: Case, answer: str) -> str | None:
        """Why an answer to the question is none for this case, as a sentence; None if it is one."""
        return None

    def entry_text(self, question: Question, case: Case) -> str:
        """The entry of the case's list that the question is about; "" if it is about none."""
        return ""

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The words of the case that fill the prompts, and whatever else raters judge by.

        A verdict that was given under other terms is stale.
        """
        return {}

    def headline(self, case: Case) -> str:
        """One line that distinguishes the case in a list: the beginning of the text that is named for it."""
        return one_line(str(case.payload[self.headline_field]), _LONGEST_HEADLINE)

    def formats(self) -> "Sequence[CaseFormat]":
        """The benchmark's own file formats. Every protocol also has JSON Lines (``case_lines``)."""
        return ()

    def outcome_files(self) -> "Sequence[OutcomeFiles]":
        """The files in which packages of the benchmark keep outcomes of models."""
        return ()

    def logic(self) -> "Logic | None":
        """How logic decides cases; None if the protocol has no logic."""
        return None

    def check_plan(self, case: Case) -> CheckPlan | None:
        """What can be checked without a language model; None if nothing can. By default, checks only read."""
        return CheckPlan() if self.machine_checks else None

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """The results of the checks, from the case and from the values of the plan by measure."""
        return ()

    def judge_dataset(self, cases: Sequence[DatasetCase]) -> tuple[DatasetFinding, ...]:
        """What the checks find in a whole dataset, from its cases in their order, without withdrawn ones."""
        return ()

    def draft_case(self, group: str, payload: Mapping[str, object]) -> Case | None:
        """The case of a discarded candidate, possibly incomplete; None if there is nothing to review."""
        try:
            return self.case(group, payload)
        except ValidationError:
            return None

    def procedures(self) -> "Iterable[ModelTask]":
        """What models can be asked to do: to decide cases, to make cases, to give them values.

        The modules of a procedure may load slowly, so import each before it is yielded, those that load
        quickly first.
        """
        return ()

    def offered(self, kind: "type[TaskT]") -> "TaskT | None":
        """Its procedure of a kind, such as EvaluationPlan; None if it has none."""
        return next((task for task in self.procedures() if isinstance(task, kind)), None)

    def procedure(self, kind: "type[TaskT]") -> "TaskT":
        """The same; raises RequestError if it has none."""
        task = self.offered(kind)
        if task is None:
            raise RequestError(f"protocol {self.name!r} {kind.lacking}.")
        return task

    def gap_templates(self) -> "GapTemplates | None":
        """Templates that a model fills to make cases; None if cases do not come from them."""
        return None

    def slot_templates(self) -> "SlotTemplates | None":
        """Templates that are sampled to make cases; None if cases do not come from them."""
        return None

    def library_plan(self) -> "LibraryPlan | None":
        """How the entries of a library are named and evidenced; None for a protocol without a library."""
        return None

    def validation_sheets(self) -> "ValidationSheets | None":
        """The spreadsheets of the benchmark's own validation; None if it has none, and usual ones serve."""
        return None

    def repairs(self) -> "Repairs | None":
        """How people change the content of a case; None if they cannot."""
        return None

    @abstractmethod
    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """All panes of a case, built from the measurements and findings that the viewer may see."""

    def marked_text(self, question: Question, case: Case) -> str:
        """The text of a case in which a question of spans has parts marked; "" for any other question."""
        if not question.answer_kind.is_marked:
            return ""
        panes = {pane.key: pane.body for pane in self.panes(case, ())}
        body = panes.get(question.shows[0])
        return body.text if isinstance(body, Text) else ""

    def marked_texts(self, questions: Iterable[Question], case: Case) -> dict[str, str]:
        """The text of a case for each question of spans, by the question's key."""
        marked = [question for question in questions if question.answer_kind.is_marked]
        return {question.key: self.marked_text(question, case) for question in marked}

    def answer_fault(self, question: Question, case: Case, answer: str) -> str | None:
        """Why a text does not answer a question about a case, as a sentence without its full stop."""
        fault = answer_fault(question, answer)
        if fault is None and question.answer_kind.is_marked:
            fault = marks_fault(self.marked_text(question, case), answer)
        return fault
