"""The evaluation that a declaration describes: one prompt, conditions that fill it, a reader and measures."""

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import Final

from reviewer.llm.request import ModelRequest
from reviewer.protocols.declared.declaration import Declaration, EvaluationTable
from reviewer.protocols.declared.declaration_faults import placeholders
from reviewer.protocols.declared.declared_case import value_text
from reviewer.protocols.declared.row_values import choice_list, labels_of
from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    Brought,
    Condition,
    EvaluationPlan,
    Factor,
    Judge,
    LabelRead,
    Measure,
    NotAsked,
    has_changed,
    has_label,
)
from reviewer.protocols.judging.verdict_reading import (
    JUDGES_PACKAGE,
    READING,
    READING_PLACEHOLDERS,
    read_by_judge,
    read_judged,
)
from reviewer.protocols.procedure import PromptPlan, Prompts
from reviewer.protocols.reading import READER_VERSION
from reviewer.protocols.reading.choices import LETTERS, Choice, Choices
from reviewer.protocols.work import Work
from store.records import Case, JsonValue

VERSION: Final = "version"
"""The factor whose values are the declared conditions."""
PROMPT: Final = "prompt"
CHOICES: Final = "choices"
"""The placeholder that is filled with the choices, each on a line with its letter."""
_FEWEST_CHOICES: Final = 2
_HEADING: Final = re.compile(r"^\[(?:system|user|assistant)\][ \t]*$", re.MULTILINE)


class DeclaredEvaluation(EvaluationPlan):
    """Labels are those of the table, in its order; of a number, all of the range."""

    reader_version = READER_VERSION

    def __init__(self, declaration: Declaration, table: EvaluationTable) -> None:
        self._declaration, self._table = declaration, table
        text = table.prompt if _HEADING.search(table.prompt) else f"[user]\n{table.prompt}"
        needed = {PROMPT: frozenset(placeholders(text))}
        self.read_by_judge = table.reader == "judge"
        needed |= {READING: READING_PLACEHOLDERS} if self.read_by_judge else {}
        self.prompts = PromptPlan(JUDGES_PACKAGE if self.read_by_judge else "", needed, {PROMPT: text})
        conditions = tuple(table.conditions)
        self.factors = (Factor(VERSION, conditions, conditions),) if conditions else ()
        self._labels = labels_of(declaration, table) or _range(table)
        self._list = choice_list(declaration, table)
        self.measures = tuple(_measures(table, self._labels))
        ends = (self._labels[0], self._labels[-1]) if table.reader == "number" else self._labels
        self.answerers = tuple(_always(place, label) for place, label in enumerate(ends, 1))

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> Hashable:
        """The right label; None if it is not known."""
        right = self._table.right
        if right is None:
            return None
        holds = case.payload if right in self._declaration.fields else values
        return self._label_meant(case, value_text(holds.get(right)))

    def _label_meant(self, case: Case, value: str) -> str | None:
        """The label itself, or the one whose letter or text a file gives as the right answer."""
        if value in self.labels(case):
            return value
        texts = self._texts(case)
        if len(value) == 1 and value in LETTERS[: len(texts)]:
            return self._labels[LETTERS.index(value)]
        return self._labels[texts.index(value)] if texts.count(value) == 1 else None

    def labels(self, case: Case) -> tuple[str, ...]:
        """The same for every case; of choices in a list, those that the list of the case has."""
        return self._labels if self._list is None else self._labels[: len(self._texts(case))]

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered] | NotAsked:
        """The prompt, filled with the texts of the case under the condition."""
        words = self._words(case, condition)
        if self._list is not None and len(self._texts(case)) < _FEWEST_CHOICES:
            return NotAsked("The case has fewer than two choices.")
        if empty := [name for name in placeholders(prompts.texts[PROMPT]) if not words[name].strip()]:
            return NotAsked(f"The case has no text for {{{empty[0]}}}.")
        request = ModelRequest(prompts.fill(PROMPT, **words), PROMPT)
        if self.read_by_judge:
            return read_by_judge(request, prompts, self._labels, self._table.guideline)
        return self.answer_to(request, case, condition)

    def _words(self, case: Case, condition: Condition) -> dict[str, str]:
        """What fills each placeholder."""
        fields = {name: value_text(case.payload.get(name)) for name in self._declaration.fields}
        lettered = zip(LETTERS, self._texts(case), strict=False)
        choices = "\n".join(f"{letter}: {text}" for letter, text in lettered)
        fields |= {self._list: choices} if self._list is not None else {}
        put = self._table.conditions[condition[VERSION]] if self._table.conditions else {}
        return {
            CHOICES: choices,
            "group": case.group,
            "definition": self._declaration.groups.get(case.group, ""),
            **fields,
            **{name: fields[field] for name, field in put.items()},
        }

    def _texts(self, case: Case) -> list[str]:
        if self._list is None:
            return [value_text(case.payload.get(field)) for field in self._table.choices]
        listed = case.payload.get(self._list)
        return [value_text(choice) for choice in listed] if isinstance(listed, list) else []

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The label by the declared reader."""
        from reviewer.protocols.reading.answer_reader import chosen_in  # these load where replies are read
        from reviewer.protocols.reading.number_answer import number_in

        if self.read_by_judge:
            return read_judged(reply, self._labels)
        if self._table.reader == "number":
            return number_in(reply, int(self._labels[0]), int(self._labels[-1]))
        if self._table.reader != "letter":
            return chosen_in(reply, self._choices(case))
        read = chosen_in(reply, Choices.lettered(self._texts(case)))
        return LabelRead(self._labels[LETTERS.index(read.label)], read.why) if read.label else read

    def _choices(self, case: Case) -> Choices:
        """The choices by their texts, or by words that name them."""
        if self._table.reader == "text":
            texts = enumerate(zip(self.labels(case), self._texts(case), strict=True), 1)
            return Choices(tuple(Choice(label, (), place, text=text) for place, (label, text) in texts))
        return Choices(tuple(Choice(label, (label,), 0, words=(label,)) for label in self._labels))

    def known_label(self, facts: Hashable) -> str | None:
        """The right label."""
        return None if facts is None else str(facts)

    def is_wrong(self, facts: Hashable, condition: Condition, label: str) -> bool | None:
        """Whether it is another label than the right one."""
        return None if facts is None else label != facts


def _always(place: int, label: str) -> Answerer:
    return Answerer(f"always_{place}", f"always {label}", lambda facts, put: label)


def _range(table: EvaluationTable) -> tuple[str, ...]:
    assert table.least is not None
    assert table.most is not None
    return tuple(map(str, range(table.least, table.most + 1)))


# -- measures ----------------------------------------------------------------------------------------


def _measures(table: EvaluationTable, labels: tuple[str, ...]) -> Iterator[Measure]:
    """The measures that the table names, in its order."""
    first, *_, last = (*table.conditions, "", "")[: len(table.conditions) or 1] * 2
    for name in table.measures:
        match name:
            case "shares":
                for place, label in enumerate(labels, 1):
                    meaning = f"How often the answer is {label}."
                    yield Measure(f"share_{place}", f"share of {label}", meaning, "", has_label(label))
            case "right":
                yield Measure("right", "right", "How often the right answer is given.", "", _right, best=1.0)
            case "changed":
                meaning = "How often the answers under the conditions differ."
                yield Measure("changed", "changed", meaning, VERSION, has_changed, best=0.0)
            case "mean":
                ends = float(labels[0]), float(labels[-1])
                yield Measure("mean", "mean", "The mean of the numbers that are given.", "", _number, *ends)
            case "difference":
                width = float(labels[-1]) - float(labels[0])
                meaning = f"How much greater the number is under {last} than under {first}."
                directions = (f"runs with more under {last}", f"runs with less under {last}")
                yield Measure(
                    *("difference", "difference", meaning, VERSION, _difference(first, last)),
                    *(-width, width, 0.0),
                    directions=directions,
                )


def _right(facts: Hashable, rest: Condition, given: Mapping[str, str]) -> Brought:
    return Brought(0.0, 0.0) if facts is None else Brought(float(given[""] == facts))


def _number(facts: Hashable, rest: Condition, given: Mapping[str, str]) -> Brought:
    return Brought(float(given[""]))


def _difference(first: str, last: str) -> Judge:
    return lambda facts, rest, given: Brought(float(given[last]) - float(given[first]))
