"""The questions that raters answer about a case."""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field


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


def with_examples(guideline: str, examples: Iterable[DecidedExample]) -> str:
    """A guideline with its decided examples, a paragraph each, as raters read it."""
    decided = (f"Example: {example.case}\n{example.label}: {example.why}" for example in examples)
    return "\n\n".join((guideline, *decided))


class Question(BaseModel):
    """A question with nominal labels, its wording, and its panes (by key).

    ``prompt`` may contain placeholders in braces, which the protocol fills for each case. ``passing`` is the
    label that counts as a pass; None if no label does. ``shows`` are the panes asked about, ``beside`` the
    panes next to them, and ``reveals`` those that appear only after the verdict. Other panes are not shown.
    ``sides`` is None if the two sides of a pair must not be exchanged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str = Field(min_length=1)
    title: str
    prompt: str
    guideline: str
    labels: tuple[str, ...] = Field(min_length=2)
    passing: str | None = None
    shows: tuple[str, ...] = Field(min_length=1)
    beside: tuple[str, ...] = ()
    reveals: tuple[str, ...] = ()
    sides: Sides | None = None

    def digest(self, terms: Mapping[str, str]) -> str:
        """The identity of the question as asked for one case; each verdict stores the digest it answered."""
        from store.records import digest_of  # loads SQLModel, which takes longer than showing home

        shown = {"prompt": self.prompt, "guideline": self.guideline, "labels": list(self.labels)}
        return digest_of({**shown, "terms": dict(terms)})

    def wording(self, terms: Mapping[str, str]) -> str:
        """The prompt for one case, its placeholders filled in."""
        text = self.prompt
        for name, term in terms.items():
            text = text.replace("{" + name + "}", term)
        return text
