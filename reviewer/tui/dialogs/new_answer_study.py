"""Drawing a study of answers: those of one model, and of one group if rows are groups."""

from collections.abc import Callable
from dataclasses import dataclass

from textual.app import ComposeResult

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.options.study import StudyNewOptions
from reviewer.results.outcomes.answer_cases import AnswersWanted
from reviewer.results.outcomes.answer_draw import DrawSize
from reviewer.results.outcomes.different_answers import ALL
from reviewer.study.design.study_design import Options
from reviewer.tui.dialogs.form import DrawingForm
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.label import PlainLabel


@dataclass(frozen=True, slots=True)
class AnswerStudyRequest:
    """The study to draw: its answers, raters and questions."""

    name: str
    wanted: AnswersWanted
    raters: tuple[str, ...]
    questions: tuple[str, ...]
    options: Options


DrawAnswers = Callable[[AnswerStudyRequest], None]


class AnswerStudyDialog(DrawingForm[AnswerStudyRequest]):
    """Returns the request once it is drawn; where that fails, shows why and stays open."""

    OPTIONS = StudyNewOptions
    TITLE_LINE = "new study of answers"
    DONE = "Draw the answers"
    DEFAULT_CSS = "AnswerStudyDialog #whose { height: auto; color: $foreground 85%; margin-bottom: 1; }"

    def __init__(self, model: str, group: str | None, draw: DrawAnswers) -> None:
        super().__init__()
        self._model, self._group, self._draw = model, group, draw

    def fields(self) -> ComposeResult:
        """What to draw and who reviews it."""
        about = f" to cases of {one_line(self._group, 40)}" if self._group else ""
        yield PlainLabel(literal(f"Answers of {one_line(self._model, 60)}{about}"), id="whose")
        yield self.row("Name of the study", "name")
        yield self.row("Part of the answers", "where", usual="all; flips, harmful or unreadable")
        yield self.row("Answers of a group", "per_group", 10, "all")
        yield self.row("At most of a case", "per_case", usual="1")
        yield self.row("Seed", "seed", 42, "the same seed draws the same answers")
        yield self.row("Questions", "questions", usual="all; or names, with commas between")
        yield self.row("After an answer", "reveal")
        yield self.row("Raters", "raters", usual="anybody; or names, with commas between")

    def answer(self) -> AnswerStudyRequest:
        """What the fields ask for; raises RequestError where they are not valid."""
        name = self.given("name")
        if not name:
            raise RequestError("the study needs a name.")
        size = DrawSize(self.given("per_group"), None, self.given("per_case") or 1)
        groups = (self._group,) if self._group else ()
        return AnswerStudyRequest(
            name,
            AnswersWanted(self.given("where") or ALL, size, self.given("seed"), (self._model,), groups),
            self.given("raters"),
            self.given("questions"),
            Options(reveal=self.given("reveal")),
        )

    def draw(self, request: AnswerStudyRequest) -> None:
        """Draw and save."""
        self._draw(request)
