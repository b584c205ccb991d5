"""The expected result of a rater's keys: a dict of current answers, and a stack of earlier ones.

It shares no code with the review session or the history, which it checks.
"""

from dataclasses import dataclass, field

SKIPPED = "(skipped)"
Place = tuple[str, str]
"""A case and a question."""


@dataclass
class Notebook:
    """One rater's study so far."""

    answers: dict[Place, str] = field(default_factory=dict)
    comments: dict[Place, str] = field(default_factory=dict)
    flags: set[Place] = field(default_factory=set)
    before: list[tuple[Place, str | None]] = field(default_factory=list)
    """For each answer and skip that may be taken back: its place, and the previous answer there."""

    def answer(self, place: Place, label: str) -> bool:
        """Every answer is saved, the same one again too."""
        self.before.append((place, self.answers.get(place)))
        self.answers[place] = label
        return True

    def skip(self, place: Place) -> bool:
        """A case with a label is not put off."""
        return self.answers.get(place, SKIPPED) == SKIPPED and self.answer(place, SKIPPED)

    def undo(self) -> bool:
        """The newest answer or skip goes, and the previous answer at its place is back."""
        if not self.before:
            return False
        place, stood = self.before.pop()
        if stood is None:
            del self.answers[place]
        else:
            self.answers[place] = stood
        return True

    def comment(self, place: Place, text: str) -> bool:
        """An empty comment is none; one that is the same again is not saved."""
        if self.comments.get(place, "") == text:
            return False
        self.comments[place] = text
        return True

    def flag(self, place: Place) -> bool:
        """On, and off again."""
        self.flags ^= {place}
        return True

    def page(self) -> dict[str, dict[str, str]]:
        """All that stands, by place."""
        places = {*self.answers, *(key for key, text in self.comments.items() if text), *self.flags}
        return {
            " ".join(place): {
                "answer": self.answers.get(place, ""),
                "comment": self.comments.get(place, ""),
                "flag": "flagged" if place in self.flags else "",
            }
            for place in sorted(places)
        }
