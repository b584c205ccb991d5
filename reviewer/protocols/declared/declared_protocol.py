"""A declaration as an implementation of the contract."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.core.question import Question, Sides, labels_of
from reviewer.core.sanitize import is_blank, one_line
from reviewer.protocols.base import DatasetCase, DatasetFinding, Group, MachineCheck, Protocol, Value
from reviewer.protocols.declared.declaration import (
    ENTRY,
    MOST_ENTRIES,
    Declaration,
    PaneTable,
    PublishedTable,
    QuestionTable,
)
from reviewer.protocols.declared.declaration_faults import filled, placeholders
from reviewer.protocols.declared.declaration_reading import read_declaration
from reviewer.protocols.declared.declared_case import declared_panes, own_fields, payload_model, value_text
from reviewer.protocols.declared.mapping import MappedRows
from reviewer.protocols.declared.output_panes import outputs_of, pane_of_each
from reviewer.protocols.declared.row_values import LETTERS
from reviewer.protocols.declared.rule_checks import (
    DATASET_RULES,
    EQUAL_FIELDS,
    check_case,
    check_dataset,
    equal_fields,
)
from reviewer.protocols.formats import CaseFormat
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.procedure import ModelTask

_LONGEST_HEADLINE = 120
_REVEALED = ("published", "findings")
"""What a question reveals if it does not say."""
_SIDES = ("first side", "second side")
_EQUAL = MachineCheck("untidy", asks="Do no two cases show raters the same?")


class DeclaredProtocol(Protocol):
    """The protocol that a declaration describes."""

    payload_version = 1  # part of no digest: a new version of a declaration keeps the identity of its cases

    def __init__(self, declaration: Declaration) -> None:
        table = declaration.protocol
        self.declaration = declaration
        self.name, self.title, self.group_noun = table.name, table.title, table.group_noun
        self.hides_generators = table.hides_generators
        self.version = table.version
        self.payload_model = payload_model(declaration)
        self.groups = tuple(Group(name, text) for name, text in declaration.groups.items())
        self.questions = tuple(
            asked
            for key, table in declaration.question.items()
            for asked in _asked(_question(key, table, declaration), table, declaration)
        )
        self.values = tuple(
            _opinion(name, value, declaration)
            for name, value in declaration.published.items()
            if value.opinion_on
        )
        checks = {
            name: MachineCheck(check.severity, version=table.version, asks=check.asks or "")
            for name, check in declaration.check.items()
        }
        self.dataset_checks = {
            name: checks[name] for name, check in declaration.check.items() if check.rule in DATASET_RULES
        }
        if declaration.source.identity:
            self.dataset_checks[EQUAL_FIELDS] = _EQUAL
        self.concerns = {name: check.question for name, check in declaration.check.items() if check.question}
        self.machine_checks = {name: checks[name] for name in checks if name not in self.dataset_checks}

    @property
    def reference(self) -> str:
        """Name and version, as datasets and studies keep them."""
        return f"{self.name}@{self.version}"

    def formats(self) -> Sequence[CaseFormat]:
        """Files of rows, mapped as the declaration says."""
        return (MappedRows(self.declaration),)

    def case(self, group: str, payload: Mapping[str, object]) -> Case:
        """The case of a raw payload; fields that are not given are not part of its identity."""
        valid = self.payload_model.model_validate(payload)
        given = valid.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return Case.of(self.name, group, self.payload_version, given)

    def asks(self, question: Question, case: Case) -> bool:
        """Every question about which the case has something to show, and each entry of its list."""
        if question.entry and not self.entry_text(question, case):
            return False
        declared = [self.declaration.pane[key] for key in question.shows if key in self.declaration.pane]
        fields = chain.from_iterable(pane.fields for pane in declared)
        return len(declared) < len(question.shows) or any(
            case.payload.get(name) is not None or name in self.declaration.published for name in fields
        )

    def _options(self, question: Question, case: Case) -> list[object]:
        """The options of the case that the labels of a question are letters of; none if they are not."""
        table = self.declaration.question.get(question.family)
        return _listed(case.payload.get(table.options)) if table and table.options else []

    def asked_about(self, question: Question, case: Case) -> Question:
        """With as many letters as the case has options."""
        options = self._options(question, case)
        if not options or len(options) >= len(question.labels):
            return question
        return question.model_copy(update={"labels": question.labels[: len(options)]})

    def label_fault(self, question: Question, case: Case, answer: str) -> str | None:
        """A letter that no option of the case has."""
        options = self._options(question, case)
        named = labels_of(question, answer) if options else ()
        strange = {label for label in named if label in LETTERS[len(options) :]}
        if not strange:
            return None
        return f"this case has no option {min(strange)}; its options are A to {LETTERS[len(options) - 1]}."

    def entry_text(self, question: Question, case: Case) -> str:
        """The entry that a question with ``each`` is about; "" if the case has none there, or a blank one."""
        table = self.declaration.question.get(question.entry_of)
        if table is None or table.each is None:
            return ""
        pane, at = pane_of_each(table, self.declaration), question.entry - 1
        entries = self._texts_of(pane, case) if pane else _listed(case.payload.get(table.each))
        text = value_text(entries[at]) if len(entries) > at else ""
        if is_blank(text):
            return ""
        return outputs_of(table, self.declaration)[at] if pane else text

    def _texts_of(self, pane: PaneTable, case: Case) -> list[object]:
        """The outputs of a case: the texts of a pane of variants."""
        values = [case.payload.get(name) for name in pane.fields]
        return _listed(values[0]) if len(values) == 1 else values

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The words that the prompts show, and the definition of the group if any question shows it."""
        definition = self._definition(case)
        words = {"group": case.group, "definition": definition, **self._entries(case)}
        names = dict.fromkeys(chain.from_iterable(placeholders(q.prompt) for q in self.questions))
        terms = {
            name: words[name] if name in words else value_text(case.payload.get(name))
            for name in names
            if name in words or "." not in name  # an entry that the case does not have
        }
        if definition and any("definition" in (*q.shows, *q.beside) for q in self.questions):
            terms["definition"] = definition
        return terms

    def _entries(self, case: Case) -> dict[str, str]:
        """The entries of the case, for each list that questions are asked about, and names of outputs."""
        tables = {table.each: table for table in self.declaration.question.values() if table.each}
        lists = {
            name: outputs_of(table, self.declaration) or _listed(case.payload.get(name))
            for name, table in tables.items()
        }
        return {
            f"{name}.{number}": value_text(entry)
            for name, entries in lists.items()
            for number, entry in enumerate(entries, 1)
        }

    def headline(self, case: Case) -> str:
        """The declared template, filled; else the beginning of the case's first text."""
        template = self.declaration.protocol.headline
        words = {**case.payload, "group": case.group}
        text = filled(template, lambda name: value_text(words.get(name))) if template else ""
        if is_blank(text):
            text = next(filter(None, map(value_text, own_fields(case.payload).values())), "")
        return one_line(text, _LONGEST_HEADLINE) or case.digest[:12]

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """What each rule says of the case."""
        declared, titled = self.declaration.check, self.declaration.title_of
        return tuple(
            check_case(name, declared[name], case.group, case.payload, titled) for name in self.machine_checks
        )

    def judge_dataset(self, cases: Sequence[DatasetCase]) -> tuple[DatasetFinding, ...]:
        """What each rule about the whole says."""
        declared, titled = self.declaration.check, self.declaration.title_of
        rows = [(placed.key, {**placed.published, **placed.case.payload}) for placed in cases]
        meant = {name: table.labels for name, table in self.declaration.published.items()}
        found = [
            check_dataset(name, declared[name], rows, titled, meant.get(declared[name].fields[0], {}))
            for name in self.dataset_checks
            if name in declared
        ]
        return (*found, *([equal_fields(cases)] if EQUAL_FIELDS in self.dataset_checks else ()))

    def procedures(self) -> "Iterator[ModelTask]":
        """How models are asked, if the declaration says it."""
        if self.declaration.evaluation is None:
            return
        from reviewer.protocols.declared.declared_evaluation import DeclaredEvaluation  # loads to evaluate

        yield DeclaredEvaluation(self.declaration, self.declaration.evaluation)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The declared panes, the definition of the group, and published values and findings."""
        definition = self._definition(case)
        panes = declared_panes(
            self.declaration, case.payload, definition, measurements, findings, self.labels_meant
        )
        return list(panes)

    def _definition(self, case: Case) -> str:
        """The definition of the case's group; "" also for a group that another version listed."""
        try:
            return self.group(case.group).definition
        except KeyError:
            return ""


@lru_cache(maxsize=64)
def protocol_of_text(text: str, where: str, *, try_patterns: bool = True) -> DeclaredProtocol:
    """The protocol that a TOML text declares; raises DeclarationError with all faults."""
    return DeclaredProtocol(read_declaration(text, where, try_patterns=try_patterns))


def _question(key: str, table: QuestionTable, declaration: Declaration) -> Question:
    return Question(
        key=key,
        title=table.title or key.replace("_", " "),
        prompt=table.prompt,
        guideline=table.guideline,
        criteria=tuple(table.criteria.items()),
        examples=table.examples,
        kind=table.kind,
        labels=outputs_of(table, declaration) if table.answer_kind.is_ranked else table.labels,
        definitions=tuple(table.definitions.items()),
        scale=table.scale,
        passing=table.passing,
        shows=table.shows,
        beside=table.beside,
        reveals=_REVEALED if table.reveals is None else table.reveals,
        sides=_sides(table, declaration),
    )


def _asked(question: Question, table: QuestionTable, declaration: Declaration) -> Iterator[Question]:
    """The question; with ``each``, one for each entry or output that a case may have."""
    if table.each is None:
        yield question
        return
    outputs = outputs_of(table, declaration) if pane_of_each(table, declaration) else ()
    for number in range(1, (len(outputs) or MOST_ENTRIES) + 1):
        place = {"key": f"{question.key}_{number}", "entry_of": question.key, "entry": number}
        prompt = question.prompt.replace(f"{{{ENTRY}}}", f"{{{table.each}.{number}}}")
        yield question.model_copy(update={**place, "prompt": prompt, "outputs": outputs})


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _sides(table: QuestionTable, declaration: Declaration) -> Sides | None:
    """The sides of the question's pair, if they may be exchanged, with the panes that do not tell them."""
    if table.titles is None and not table.mirrored:
        return None
    panes = declaration.pane
    in_pairs = {field for pane in panes.values() if pane.kind == "pair" for field in pane.fields}
    telling = in_pairs | declaration.published.keys()
    neutral = [
        key
        for key in (*table.shows, *table.beside)
        if key in panes and not telling.intersection(panes[key].fields)
    ]
    return Sides(titles=table.titles or _SIDES, mirrored=table.mirrored, neutral=(*neutral, "definition"))


def _opinion(name: str, table: PublishedTable, declaration: Declaration) -> Value:
    """Values that stand for themselves if no labels are given."""
    question = declaration.question[table.opinion_on or ""]
    labels = table.labels or {label: label for label in question.labels}
    return Value(name, table.opinion_on or "", labels, table.title or "", table.must_agree)
