"""What a rater answers about a case."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from store.records import digest_of


class Sides(BaseModel):
    """How the two sides of a pair are named where either may stand at the left.

    ``titles`` name them by their place alone. ``mirrored`` holds the labels that name a side, each with the
    one that names the other. ``neutral`` are the panes, besides pairs, that tell nothing of the versions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    titles: tuple[str, str]
    mirrored: tuple[tuple[str, str], ...] = ()
    neutral: tuple[str, ...] = ()

    def across(self, label: str) -> str:
        """The label that says of the other side what this one says; a label that names none is itself."""
        both = dict(self.mirrored) | {second: first for first, second in self.mirrored}
        return both.get(label, label)


class Question(BaseModel):
    """A question with nominal labels, its wording, and the panes that go with it (by key).

    ``prompt`` may hold placeholders in braces that the protocol fills in for each case. ``passing`` is the
    label that counts as a pass, None where no label does. ``shows`` is looked at first, ``beside`` stands
    beside it, ``reveals`` only after the verdict; a pane in none of the three is not there. ``sides``
    is None where the two sides of a pair must stand where they stand.
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
        """The identity of the question as it is put for one case: what a verdict says it answered."""
        shown = {"prompt": self.prompt, "guideline": self.guideline, "labels": list(self.labels)}
        return digest_of({**shown, "terms": dict(terms)})

    def wording(self, terms: Mapping[str, str]) -> str:
        """The prompt for one case, its placeholders filled in."""
        text = self.prompt
        for name, term in terms.items():
            text = text.replace("{" + name + "}", term)
        return text
