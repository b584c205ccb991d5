"""Which keys give which answer, from the labels of a question."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding

from reviewer.core.answer_keys import MOST_DIGITS, TEN, answer_keys, numbers_as_keys
from reviewer.core.sanitize import one_line
from reviewer.tui.keys.preferences import keys_in

if TYPE_CHECKING:
    from reviewer.core.question import Question

ANSWER_KEYS: tuple[tuple[str, ...], ...] = (
    ("t", "1"),
    ("f", "0", "2"),
    *((str(digit),) for digit in range(3, MOST_DIGITS + 1)),
    ("0",),
    ("minus",),
)
"""The default keys of answers, in the order in which labels are shown. No other action has a digit."""
NO_KEY = "no-key-{}"
"""In place of a key, for answers that have none at the present question."""
_MOST_ANSWERS = 26
_ID = "review.answer-"
MORE_ANSWERS, NO_LABEL, SAVE_CHOICE, TIE = (f"{_ID}{name}" for name in ("more", "none", "save", "tie"))
_FOLD, _FOLD_ELSE = "pane.fold", "plus"
"""Folds a tree with the key of a label 10 too; at a question with such a label it has its other key only."""


def taken_keys(bindings: Iterable[Binding], changed: Mapping[str, str]) -> set[str]:
    """The keys of these bindings, with the changes from the settings."""
    known = {binding.id or binding.key: binding.key for binding in bindings}
    if _FOLD in known:
        known[_FOLD] = _FOLD_ELSE
    return {key for name, keys in known.items() for key in keys_in(changed.get(name, keys))}


def answer_id(index: int) -> str:
    """The id of the action that gives a label, by the label's place among those that are shown with keys."""
    return f"{_ID}{index + 1}"


ANSWER_BINDINGS = (
    *(
        Binding(
            ",".join(ANSWER_KEYS[index]) if index < len(ANSWER_KEYS) else NO_KEY.format(index),
            f"answer({index})",
            f"answer {index + 1}",
            id=answer_id(index),
            tooltip="Save this answer and go on; of several labels, choose this one or take it away",
        )
        for index in range(_MOST_ANSWERS)
    ),
    Binding(
        "a",
        "more_answers",
        "all labels",
        id=MORE_ANSWERS,
        tooltip="List all labels, fewer as you type; or write the answer to a question of free text",
    ),
    Binding(
        "0",
        "no_label",
        "none of them",
        id=NO_LABEL,
        tooltip="Choose none of several labels; of outputs to rank, say that all are equal",
    ),
    Binding(
        "equals_sign",
        "tie",
        "tie with the one before",
        id=TIE,
        tooltip="Tie the output that you ranked last with those before it, or part them again",
    ),
    Binding("enter", "save_choice", "save", id=SAVE_CHOICE, tooltip="Save the chosen labels and go on"),
)
"""The bindings of a screen with answers; ``keyed_labels`` has the keys that they have at a question."""


ANSWER_ACTIONS = {binding.action.split("(")[0] for binding in ANSWER_BINDINGS}
"""What the keys of answers call."""


def is_answer(binding: Binding) -> bool:
    """Whether a key answers a question."""
    return (binding.id or "").startswith(_ID)


@dataclass(frozen=True)
class KeyedLabels:
    """The labels that are shown with their keys, in their places, and the keys of all answers by id."""

    labels: tuple[str, ...]
    keys: Mapping[str, str]

    @property
    def words(self) -> dict[str, str]:
        """Each label in a few letters, by the id of its action."""
        short = (one_line(label, 30).replace("[", "(") for label in self.labels)
        return {answer_id(index): label for index, label in enumerate(short)}


def keyed_labels(
    question: "Question", used: Iterable[str], taken: Set[str], changed: Mapping[str, str]
) -> KeyedLabels:
    """The labels of a question with their keys; a label without one is reached by the list of all labels.

    ``used`` are labels in the order of use, ``taken`` keys that already do something else, and ``changed``
    the keys from the settings, which name an answer by its place. Such a key gives way where it is the number
    of another label.
    """
    numbers = {_pressed(key): label for label, key in numbers_as_keys(question.labels).items()}
    chosen = {name: [*keys_in(keys)] for name, keys in changed.items() if name.startswith(_ID)}
    given = {key for keys in chosen.values() for key in keys if key not in numbers}
    blocked = {TEN if key == _pressed(TEN) else key for key in {*taken, *given}}
    keys = dict[str, tuple[str, ...]]()
    derived = answer_keys(question.labels, blocked, used)
    for index, (label, own) in enumerate(derived.items()):
        wanted = [key for key in chosen.get(answer_id(index), ()) if key not in taken]
        wanted = [key for key in wanted if numbers.get(key, label) == label]
        keys[answer_id(index)] = tuple(wanted or map(_pressed, own))
    if question.answer_kind.all_at_once:
        used_keys = {*taken, *(key for own in keys.values() for key in own)}
        free = [key for key in (*chosen.get(NO_LABEL, ()), "0", _pressed(TEN)) if key not in used_keys]
        keys[NO_LABEL] = tuple(free[:1])
    if any(_pressed(TEN) in own for own in keys.values()) and _FOLD not in changed:
        keys[_FOLD] = (_FOLD_ELSE,)
    return KeyedLabels(
        tuple(derived), {name: ",".join(own) or NO_KEY.format(name) for name, own in keys.items()}
    )


def _pressed(key: str) -> str:
    """The name that the terminal gives a key."""
    return "minus" if key == TEN else key
