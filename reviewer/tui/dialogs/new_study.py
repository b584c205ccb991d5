"""Drawing a new study."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.study.design import Options
from reviewer.study.sampling import Design
from reviewer.tui.dialogs.form import Form, labelled
from reviewer.tui.literal import literal
from reviewer.tui.widgets.tick import Tick
from store.cases import DatasetSummary
from store.records import Study

Create = Callable[[str, Design], Study]


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """A name and a design that read well; whether they can be drawn, the store says."""

    name: str
    design: Design


class NewStudyDialog(Form[StudyRequest]):
    """Returns what was drawn; where the store cannot draw it, says why and lets the person change it."""

    TITLE_LINE = "new study"
    DONE = "Draw the sample"
    DEFAULT_CSS = """
    NewStudyDialog {
        #datasets { height: auto; max-height: 5; scrollbar-size-vertical: 1; }
        #view { margin-top: 1; }
        #wrong { margin-top: 0; }
        #buttons { margin-top: 0; }
    }
    """

    class Drawn(Message):
        """The study is in the store."""

        def __init__(self, request: StudyRequest) -> None:
            self.request = request
            super().__init__()

    class Failed(Message):
        """It could not be drawn; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, datasets: list[DatasetSummary], create: Create) -> None:
        super().__init__()
        self._datasets, self._create = datasets, create

    def fields(self) -> ComposeResult:
        """Name, datasets, size, seed, and what raters meet."""
        yield from labelled("Name of the study", Input(id="name"))
        ticks = [Tick(_described(one), on=len(self._datasets) == 1) for one in self._datasets]
        yield from labelled("Draw from", VerticalScroll(*ticks, id="datasets", can_focus=False))
        yield from labelled("Cases of each group (empty for all)", Input("5", id="per-group"))
        yield from labelled("Seed: the same seed draws the same sample", Input("42", id="seed"))
        yield Tick("paper view: programs and proof only after the answer", id="view")
        yield Tick("case by case: all questions of a case, then the next case", id="by-case")
        yield Tick("findings right after each answer, then a second verdict", id="findings")
        yield Tick("sides of a pair exchanged at random where a question lets them", id="swap")
        yield Tick("hand-written seeds too, where a dataset has both kinds", id="seeds")

    def answer(self) -> StudyRequest:
        """The design as it stands in the fields."""
        ticks = self.query("#datasets Tick").results(Tick)
        chosen = [one.dataset.name for one, tick in zip(self._datasets, ticks, strict=True) if tick.on]
        if not chosen:
            raise RequestError("a study needs a dataset to draw from; tick one with space.")
        view: Literal["full", "paper"] = "paper" if self._is_ticked("view") else "full"
        return StudyRequest(
            self.text_of("name"),
            Design(
                tuple(chosen),
                self._number("per-group") if self.text_of("per-group") else None,
                _seed(self.text_of("seed")),
                view,
                self._is_ticked("seeds"),
                options=Options(
                    asking="case" if self._is_ticked("by-case") else "question",
                    reveal="findings" if self._is_ticked("findings") else "back",
                    swap=self._is_ticked("swap"),
                ),
            ),
        )

    def _is_ticked(self, name: str) -> bool:
        return self.query_one(f"#{name}", Tick).on

    def accept(self, answer: StudyRequest) -> None:
        """Draw it, and return only if that went well."""
        self.query_one("#wrong", Static).update(literal("Drawing the sample …"))
        self.draw_sample(answer)

    @work(thread=True, exclusive=True, group="draw")
    def draw_sample(self, answer: StudyRequest) -> None:
        """Draw in the background: a large dataset takes a moment."""
        try:
            self._create(answer.name, answer.design)
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Drawn(answer))

    def on_new_study_dialog_failed(self, message: Failed) -> None:
        """Say why, and let the person change it."""
        self.complain(message.sentence)

    def on_new_study_dialog_drawn(self, message: Drawn) -> None:
        """Return what was drawn."""
        self.dismiss(message.request)

    def _number(self, field: str) -> int:
        text = self.text_of(field)
        if not text.isdecimal() or len(text) > 9 or int(text) < 1:
            raise RequestError(f"{text!r} is no number of cases; use 1, 2, 3 … or leave it empty for all.")
        return int(text)


def _seed(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > 18:
        raise RequestError(f"seed {text!r} is no whole number; use one of at most 18 digits.")
    return int(text)


def _described(summary: DatasetSummary) -> str:
    return f"{summary.dataset.name}   {summary.cases:,} cases in {summary.groups} groups"
