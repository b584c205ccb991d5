"""The questions that raters answer about a case, and answers as the ledger keeps them.

Each answer is read by the kind of its question (``answer_kinds.py``).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import accumulate
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from reviewer.core.answer_kinds import ANSWER_KINDS
from reviewer.core.kind_of_answer import KindName, KindOfAnswer
from reviewer.core.pane import Pane, Text


class Sides(BaseModel):
    """The names of the two sides of a pair if either may be on the left.

    ``titles`` name the sides by their position only. ``mirrored`` holds the labels that name a side, each
    with the label for the other side. ``neutral`` are the panes, besides pairs, that do not reveal the
    versions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    titles: tuple[str, str]
    mirrored: tuple[tuple[str, str], ...] = ()
    neutral: tuple[str, ...] = ()

    def across(self, label: str) -> str:
        """The label that says the same about the other side; a label that names no side is returned as is."""
        both = dict(self.mirrored) | {second: first for first, second in self.mirrored}
        return both.get(label, label)


class DecidedExample(BaseModel):
    """An invented case in a few words, the label that it gets, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, str_strip_whitespace=True)

    case: str = Field(min_length=1)
    label: str = Field(min_length=1)
    why: str = Field(min_length=1)


GUIDELINE = "guideline"
"""The key of the pane with a question's guideline."""
_BETWEEN = "\n\n"


class Guideline(BaseModel):
    """How raters are to decide: on which condition they give a label, what else they must know, and examples.

    ``criteria`` are the labels that have a condition, each with it. Before it, raters read "True if".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    criteria: tuple[tuple[str, Annotated[str, Field(min_length=1)]], ...] = ()
    guideline: str = ""
    examples: tuple[DecidedExample, ...] = ()

    @field_validator("criteria", "definitions", mode="before", check_fields=False)
    @classmethod
    def _from_mapping(cls, value: Any) -> Any:
        """Texts are given by label; pairs can be hashed, so frozen questions hold those."""
        return tuple(value.items()) if isinstance(value, Mapping) else value

    @property
    def guideline_parts(self) -> tuple[tuple[str, str], ...]:
        """The paragraphs as raters read them, each with its head; "" if it has none."""
        conditions = ((f"{label} if", condition) for label, condition in self.criteria)
        other = (("", self.guideline),) if self.guideline else ()
        decided = (("Example:", f"{known.case}\n{known.label}: {known.why}") for known in self.examples)
        return (*conditions, *other, *decided)

    @property
    def guideline_text(self) -> str:
        """All paragraphs as one text; "" if there are none."""
        return _BETWEEN.join(self._paragraphs)

    @property
    def guideline_body(self) -> Text:
        """The same with its heads marked."""
        starts = accumulate((len(text) + len(_BETWEEN) for text in self._paragraphs), initial=0)
        heads = zip(starts, self.guideline_parts, strict=False)
        marked = tuple((at, at + len(head)) for at, (head, _) in heads if head)
        return Text(self.guideline_text, heads=marked)

    @property
    def guideline_pane(self) -> Pane:
        """The guideline as something to look at."""
        return Pane(GUIDELINE, GUIDELINE, self.guideline_body)

    @property
    def _paragraphs(self) -> list[str]:
        return [f"{head} {text}".lstrip() for head, text in self.guideline_parts]


def distances_in_words(steps: Iterable[int]) -> str:
    """How often labels were how far apart: "one step apart on 3, two steps apart on 1"; "" if none differ."""
    counts = Counter(number for number in steps if number)
    return ", ".join(f"{_apart(number)} on {counts[number]:,}" for number in sorted(counts))


def _apart(steps: int) -> str:
    return f"{_NUMBERS.get(steps, f'{steps:,}')} {'step' if steps == 1 else 'steps'} apart"


_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


class Question(Guideline):
    """A question with its labels, its wording, its guideline, and its panes (by key).

    ``prompt`` may contain placeholders in braces, which the protocol fills for each case. ``kind`` is the
    kind of answer: one of the labels, any number of the labels, a ranking of all of them, or a free text, for
    which there are no labels. ``definitions`` are the labels that have a definition, each with its text.
    ``scale`` is "ordinal" if the labels stand in order, from one end to the other. ``passing`` are the labels
    that count as a pass. ``shows`` are the panes asked about, ``beside`` the panes next to them, and
    ``reveals`` those that appear only after the verdict. Other panes are not shown. ``sides`` is None if the
    two sides of a pair must not be exchanged. A question that is asked for each entry of a list is one
    question for each ``entry``, counted from 1; all have the same title, and ``entry_of`` is the key that
    they come from. If the entries are the texts of a pane of variants, ``outputs`` has the names of all of
    these, which raters do not see.
    """

    key: str = Field(min_length=1)
    title: str
    prompt: str
    kind: KindName = "label"
    labels: tuple[str, ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()
    scale: Literal["nominal", "ordinal"] = "nominal"
    passing: tuple[str, ...] = ()
    shows: tuple[str, ...] = Field(min_length=1)
    beside: tuple[str, ...] = ()
    reveals: tuple[str, ...] = ()
    sides: Sides | None = None
    entry_of: str = ""
    entry: int = 0
    outputs: tuple[str, ...] = ()

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A question about no entry is written as release 1.0 wrote it."""
        written: dict[str, Any] = write(self)
        absent = {*(() if self.entry else ("entry_of", "entry")), *(() if self.outputs else ("outputs",))}
        return {name: value for name, value in written.items() if name not in absent}

    @model_validator(mode="after")
    def _kind_fits(self) -> Self:
        if fault := self.answer_kind.question_fault(self):
            raise ValueError(fault)
        has = {"a definition": dict(self.definitions), "a criterion": dict(self.criteria)}
        for what, labels in has.items():
            for label in labels:
                if label not in self.labels:
                    raise ValueError(f"{label!r} has {what} and is not one of the labels; add it to them")
        return self

    @model_validator(mode="after")
    def _labels_fit(self) -> Self:
        alike: dict[str, str] = {}
        for label in self.labels:
            folded = "".join(label.split()).casefold()
            if not folded:
                raise ValueError("a label is empty; give it a name")
            if folded in alike:
                raise ValueError(
                    f"labels {alike[folded]!r} and {label!r} do not differ, or only in case or blanks; "
                    "rename one"
                )
            alike[folded] = label
        for label in self.passing:
            if label not in self.labels:
                raise ValueError(f"passing label {label!r} is not one of {', '.join(self.labels)}; name one")
        if len({*self.passing}) < len(self.passing):
            raise ValueError("a passing label is named twice; name each once")
        return self

    @property
    def answer_kind(self) -> KindOfAnswer:
        """What is true of all answers of its kind."""
        return ANSWER_KINDS[self.kind]

    @property
    def lettered(self) -> tuple[str, ...]:
        """The outputs that each rater sees in an order of their own, under letters; mostly none."""
        return self.labels if self.answer_kind.is_ranked else self.outputs

    @property
    def orders_outputs(self) -> bool:
        """Whether answers say which outputs are better: rankings, or labels in order about each output."""
        return self.answer_kind.is_ranked or (bool(self.outputs) and self.ordinal)

    @property
    def output(self) -> str:
        """The name of the output that it is about; "" if it is about none, or about all."""
        return self.outputs[self.entry - 1] if self.outputs else ""

    @property
    def family(self) -> str:
        """The key that all questions share which are asked for the entries of one list; else its own key."""
        return self.entry_of or self.key

    @property
    def template(self) -> str:
        """The prompt as it is for every entry of a list: ``{entry}`` stands for the entry."""
        return re.sub(rf"\{{\w+\.{self.entry}\}}", "{entry}", self.prompt) if self.entry else self.prompt

    @property
    def ordinal(self) -> bool:
        """Whether the labels stand in order."""
        return self.scale == "ordinal"

    @property
    def counts_labels(self) -> bool:
        """Whether tables say how often each label was chosen: they do of a scale, and of sets of labels."""
        return self.ordinal or self.answer_kind.by_label

    def steps(self, labels: Iterable[str]) -> int:
        """Steps between the lowest and the highest of these labels; 0 if labels have no order."""
        places = [self.labels.index(label) for label in labels] if self.ordinal else []
        return max(places) - min(places) if places else 0

    def distance(self, labels: Iterable[str]) -> str:
        """The steps in words, as "two steps apart"; "" where labels have no order or are the same."""
        steps = self.steps(labels)
        return _apart(steps) if steps else ""

    def median(self, labels: Iterable[str]) -> tuple[str, ...]:
        """The label in the middle; none without labels or order.

        Of an even number, it is the label half way between the two in the middle. If there is no such label,
        the median falls between two labels, which are both given.
        """
        places = sorted(self.labels.index(label) for label in labels) if self.ordinal else []
        if not places:
            return ()
        both = places[(len(places) - 1) // 2] + places[len(places) // 2]
        return tuple(self.labels[place] for place in dict.fromkeys((both // 2, (both + 1) // 2)))

    def digest(self, terms: Mapping[str, str]) -> str:
        """The identity of the question as asked for one case; each verdict stores the digest it answered."""
        from store.records import digest_of  # loads SQLModel, which takes longer than showing home

        asked = {"prompt": self.prompt, "guideline": self.guideline, "kind": self.kind}
        # Questions of release 1.0 have neither of these, and keep their digests.
        heads = {"criteria": dict(self.criteria)} if self.criteria else {}
        examples = {"examples": [known.model_dump() for known in self.examples]} if self.examples else {}
        answers = {"labels": list(self.labels), "definitions": dict(self.definitions)}
        return digest_of({**asked, **heads, **examples, **answers, "terms": dict(terms)})

    def definition(self, label: str) -> str:
        """The definition of a label; "" if it has none."""
        return dict(self.definitions).get(label, "")

    def wording(self, terms: Mapping[str, str]) -> str:
        """The prompt for one case, its placeholders filled in."""
        text = self.prompt
        for name, term in terms.items():
            text = text.replace("{" + name + "}", term)
        return text


def families(questions: Iterable[Question]) -> list[tuple[Question, ...]]:
    """The questions in their order, those for the entries of one list together."""
    found: dict[str, list[Question]] = {}
    for question in questions:
        found.setdefault(question.family, []).append(question)
    return [tuple(family) for family in found.values()]


def chosen_labels(question: Question, answer: str) -> tuple[str, ...]:
    """The labels that a stored answer names, in the question's order: one, several or none.

    Raises ValueError for a text that does not answer this question, and for an answer in free text.
    """
    return question.answer_kind.labels_in(question, answer)


def labels_of(question: Question, answer: str | None) -> tuple[str, ...]:
    """The labels that an answer names; none where there is no answer, or one that does not fit."""
    try:
        return () if answer is None else chosen_labels(question, answer)
    except ValueError:
        return ()


def answer_with(question: Question, labels: Collection[str]) -> str:
    """The answer of these labels, as the ledger keeps it; of a question of one label, this one."""
    return question.answer_kind.answer_of(question, labels)


def answer_fault(question: Question, answer: str) -> str | None:
    """Why a text does not answer the question, as a sentence without its full stop; None if it does."""
    return question.answer_kind.fault(question, answer)


def labels_in_words(question: Question) -> str:
    """A sentence on the possible answers to the question, without its full stop."""
    return question.answer_kind.wanted(question)


def answer_in_words(question: Question, answer: str) -> str:
    """An answer as people read it; one that does not fit the question as it stands."""
    return question.answer_kind.in_words(question, answer)


def answer_from_other_side(question: Question, answer: str) -> str:
    """The same answer about the exchanged sides of a pair."""
    return question.answer_kind.from_other_side(question, answer)
