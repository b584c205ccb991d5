"""Drawing a new study."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import counted
from reviewer.exchange.rows.known_answers_csv import COLUMNS, read_known_answers
from reviewer.study.design.known_answers import GivenAnswer, KnownRole
from reviewer.study.design.sampling import Design
from reviewer.study.design.study_design import Asking, Options, Reveal
from reviewer.tui.dialogs.form import Form, in_row
from reviewer.tui.widgets.checkbox import Checkbox
from reviewer.tui.widgets.inline_select import InlineSelect
from store.cases import DatasetSummary
from store.records import Study, View

Create = Callable[[str, Design], Study]
_MOST_REPEATS = 0.5
_FILE = f"none; or {','.join(COLUMNS)} as CSV"
_VIEWS = {
    "full": "programs and proof beside the texts",
    "paper": "programs and proof only after the answer",
}
_ASKING = {
    "question": "question by question, all cases each",
    "case": "case by case, all questions each",
}
_REVEALS = {
    "back": "findings when they return and ask",
    "findings": "findings at once, then a second verdict",
    "none": "no findings",
}


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """A name and a well-formed design; whether it can be drawn depends on the store."""

    name: str
    design: Design


class NewStudyDialog(Form[StudyRequest]):
    """Returns the request once it is drawn; where that fails, shows why and stays open."""

    TITLE_LINE = "new study"
    DONE = "Draw the sample"
    DEFAULT_CSS = """
    NewStudyDialog {
        #datasets { height: auto; max-height: 4; width: 1fr; }
        #swap { margin-top: 1; }
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

    def __init__(
        self, datasets: list[DatasetSummary], create: Create, only: frozenset[str] | None = None
    ) -> None:
        """``only``: digests of picked cases; all of them are drawn by default."""
        super().__init__()
        self._datasets, self._create, self._only = datasets, create, only

    def fields(self) -> ComposeResult:
        """What to draw, how raters are asked, and what else they see."""
        yield in_row("Name of the study", Input(id="name"))
        checkboxes = [Checkbox(_described(one), on=len(self._datasets) == 1) for one in self._datasets]
        yield in_row("Draw from", VerticalScroll(*checkboxes, id="datasets", can_focus=False))
        most = "5" if self._only is None else ""
        everything = "all" if self._only is None else f"all {counted(len(self._only), 'picked case')}"
        yield in_row("Cases of each group", Input(most, id="per-group", placeholder=everything))
        yield in_row("Seed", Input("42", id="seed", placeholder="the same seed draws the same sample"))
        yield in_row("Raters see", InlineSelect(_VIEWS, id="view"))
        yield in_row("Asked", InlineSelect(_ASKING, id="asking"))
        yield in_row("After an answer", InlineSelect(_REVEALS, id="reveal"))
        yield in_row("Raters", Input(id="raters", placeholder="anybody; or names, with commas between"))
        yield in_row("Cases shown twice", Input(id="repeats", placeholder="none; or a share, such as 0.1"))
        yield in_row("Training round", Input(id="training", placeholder=_FILE))
        yield in_row("Known answers", Input(id="gold", placeholder=_FILE))
        yield Checkbox("sides of a pair exchanged at random where a question lets them", id="swap")
        both = "hand-written seeds too, where a dataset has both kinds"
        yield Checkbox(both, on=self._only is not None, id="seeds")

    def answer(self) -> StudyRequest:
        """The design in the fields; raises RequestError where they are not valid."""
        checkboxes = self.query("#datasets Checkbox").results(Checkbox)
        chosen = [one.dataset.name for one, box in zip(self._datasets, checkboxes, strict=True) if box.on]
        if not chosen:
            raise RequestError("a study needs a dataset to draw from; tick one with space.")
        return StudyRequest(
            self.text_of("name"),
            Design(
                tuple(chosen),
                _number(self.text_of("per-group")),
                _seed(self.text_of("seed")),
                cast(View, self._chosen("view")),
                self._is_checked("seeds"),
                tuple(filter(None, map(str.strip, self.text_of("raters").split(",")))),
                Options(
                    asking=cast(Asking, self._chosen("asking")),
                    reveal=cast(Reveal, self._chosen("reveal")),
                    swap=self._is_checked("swap"),
                    repeats=_share(self.text_of("repeats")),
                ),
                (*self._known("training"), *self._known("gold")),
                self._only,
            ),
        )

    def _is_checked(self, name: str) -> bool:
        return self.query_one(f"#{name}", Checkbox).on

    def _chosen(self, name: str) -> str:
        return self.query_one(f"#{name}", InlineSelect).chosen

    def _known(self, role: KnownRole) -> list[GivenAnswer]:
        path = self.text_of(role)
        return read_known_answers(Path(path), role) if path else []

    def accept(self, answer: StudyRequest) -> None:
        """Draw the sample; the form closes only if that succeeds."""
        self.tell("Drawing the sample …")
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
        """Show why, and let the person change the form."""
        self.complain(message.sentence)

    def on_new_study_dialog_drawn(self, message: Drawn) -> None:
        """Return the request."""
        self.dismiss(message.request)


def _number(text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise RequestError(f"{text!r} is not a number of cases; use 1, 2, 3 … or leave it empty for all.")
    return int(text)


def _share(text: str) -> float:
    number = text.removesuffix("%").strip()
    if not text:
        return 0.0
    if not number.replace(".", "", 1).isdecimal() or len(number) > 9:
        share = 1.0
    else:
        share = float(number) / (100 if text.endswith("%") else 1)
    if share > _MOST_REPEATS:
        raise RequestError(
            f"{text!r} is not a share of the cases; use a number up to 0.5, such as 0.1 or 10%."
        )
    return share


def _seed(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > 18:
        raise RequestError(f"seed {text!r} is not a whole number; use one of at most 18 digits.")
    return int(text)


def _described(summary: DatasetSummary) -> str:
    size = f"{counted(summary.cases, 'case')} in {counted(summary.groups, 'group')}"
    return f"{summary.dataset.name}   {size}"
