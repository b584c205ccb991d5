"""How long a fast reader needs for the texts of a case."""

from collections.abc import Iterable
from typing import Final

from reviewer.core.dialogue import Dialogue
from reviewer.core.pane import Body, Code, Pair, Pane, Text, Variants
from reviewer.core.question import Question
from reviewer.study.design.study_bundle import StudyBundle

_WORDS_A_MINUTE: Final = 400
"""Who reads faster than this skims (Rayner et al. (2016), So much to read, so little time)."""


class ReadingTimes:
    """How long a fast reader needs for cases of a study; the words of each case are counted once."""

    def __init__(self, bundle: StudyBundle) -> None:
        self._bundle = bundle
        self._by_case: dict[str, dict[str, int]] = {}

    def seconds(self, case: str, questions: Iterable[Question]) -> float:
        """The seconds for the longest text that these questions about a case are about.

        Only the longest counts, since panes repeat texts: who has read less than it has not read the case.
        A case that was altered is not shown, and so has no text.
        """
        if case not in self._by_case:
            content = self._bundle.cases[case]
            panes = self._bundle.protocol.panes(content, ()) if content.is_whole else ()
            self._by_case[case] = {pane.key: _words(pane.body) for pane in panes}
        keys = {key for question in questions for key in question.shows}
        words = max((count for key, count in self._by_case[case].items() if key in keys), default=0)
        return 60 * words / _WORDS_A_MINUTE


def seconds_on_screen(panes: Iterable[Pane]) -> float:
    """The seconds that a fast reader needs for all of these panes, programs too."""
    return 60 * sum(_words(pane.body, code=True) for pane in panes) / _WORDS_A_MINUTE


def _words(body: Body, *, code: bool = False) -> int:
    """The words of a text. Of compared texts only the longest counts, since the others mostly repeat it.

    Programs have none unless ``code`` counts too.
    """
    match body:
        case Pair():
            return (max if body.compared else sum)(
                [_words(side, code=code) for side in (body.left, body.right)]
            )
        case Variants():
            return (max if body.compared else sum)([_words(text, code=code) for _, text in body.texts])
        case Dialogue():
            return sum(len(turn.text.split()) for turn in body.turns)
        case _:
            return (
                len(body.text.split()) if isinstance(body, Text) or (code and isinstance(body, Code)) else 0
            )
