"""Drawing a new study."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from textual import work
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input, Label

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import counted
from reviewer.exchange.rows.guideline_file import read_briefing, read_guidelines
from reviewer.exchange.rows.known_answers_csv import COLUMNS, read_known_answers
from reviewer.study.design.known_answers import GivenAnswer, KnownRole
from reviewer.study.design.sampling import Design, StudyPlan
from reviewer.study.design.study_design import Asking, Options, Reveal
from reviewer.study.design.study_questions import OwnGuideline
from reviewer.study.session.stopwatch import USUAL_SECONDS, usual_minutes
from reviewer.tui.dialogs.form import Form, ScrolledFields, in_row
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.checkbox import Checkbox
from reviewer.tui.widgets.inline_select import InlineSelect
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.path_input import PathInput
from store.overview import DatasetSummary
from store.records import Study, View

Create = Callable[[str, Design], Study]
PlanStudy = Callable[[Design], StudyPlan]
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
        #or { width: auto; padding: 0 1; }
        #plan { height: auto; min-height: 3; margin-top: 1; color: $foreground 85%; }
    }
    """

    class Drawn(Message):
        """The study is in the store."""

        def __init__(self, request: StudyRequest) -> None:
            self.request = request
            super().__init__()

    class Planned(Message):
        """What the fields would draw, or why nothing."""

        def __init__(self, plan: StudyPlan | str) -> None:
            self.plan = plan
            super().__init__()

    class Failed(Message):
        """It could not be drawn; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(
        self,
        datasets: list[DatasetSummary],
        create: Create,
        plan: PlanStudy,
        only: frozenset[str] | None = None,
    ) -> None:
        """``only``: digests of picked cases; all of them are drawn by default."""
        super().__init__()
        self._datasets, self._create, self._plan, self._only = datasets, create, plan, only

    def fields(self) -> ComposeResult:
        """What to draw, how raters are asked, and what else they see."""
        yield in_row("Name of the study", Input(id="name"))
        checkboxes = [Checkbox(_described(one), on=len(self._datasets) == 1) for one in self._datasets]
        yield in_row("Draw from", ScrolledFields(*checkboxes, id="datasets"))
        most = "5" if self._only is None else ""
        everything = "all" if self._only is None else f"all {counted(len(self._only), 'picked case')}"
        yield in_row(
            "Cases of each group",
            Input(most, id="per-group", placeholder=everything),
            Label("or in all", id="or"),
            Input(id="total", placeholder="a total"),
        )
        if self._only is not None:
            yield in_row(
                "Other cases", Input(id="others", placeholder="none; or a number, drawn beside these")
            )
        yield in_row("Seed", Input("42", id="seed", placeholder="the same seed draws the same sample"))
        yield in_row("Raters see", InlineSelect(_VIEWS, id="view"))
        yield in_row("Asked", InlineSelect(_ASKING, id="asking"))
        yield in_row("After an answer", InlineSelect(_REVEALS, id="reveal"))
        yield in_row("Questions", Input(id="questions", placeholder="all; or names, with commas between"))
        yield in_row("Guidelines", PathInput(id="guidelines", placeholder="the usual ones; or a TOML file"))
        yield in_row("Briefing", PathInput(id="briefing", placeholder="the usual one; or a text file"))
        yield in_row("Raters", Input(id="raters", placeholder="anybody; or names, with commas between"))
        yield in_row("Raters per case", Input(id="panel", placeholder="all of them; or a number, such as 3"))
        yield in_row("Cases shown twice", Input(id="repeats", placeholder="none; or a share, such as 0.1"))
        yield in_row("Training round", PathInput(id="training", placeholder=_FILE))
        yield in_row("To pass training", Input(id="pass", placeholder="no mark; or a share, such as 0.8"))
        yield in_row("Known answers", PathInput(id="gold", placeholder=_FILE))
        yield Checkbox("sides of a pair exchanged at random where a question lets them", id="swap")
        both = "hand-written seeds too, where a dataset has both kinds"
        yield Checkbox(both, on=self._only is not None, id="seeds")

    def foot(self) -> ComposeResult:
        """What the fields would draw."""
        yield PlainLabel(id="plan")

    def on_mount(self) -> None:
        """Say what would be drawn as the form opens; the form's own handler runs too."""
        self._show_plan()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep only one of the two numbers of cases, and say what would be drawn."""
        other = {"per-group": "#total", "total": "#per-group"}.get(event.input.id or "")
        if other and event.value and event.input.has_focus:
            self.query_one(other, Input).value = ""
        self._show_plan()

    def on_checkbox_changed(self) -> None:
        """Say what would be drawn."""
        self._show_plan()

    def on_inline_select_changed(self) -> None:
        """Say what would be drawn."""
        self._show_plan()

    def _show_plan(self) -> None:
        try:
            answer = self.answer()
        except ReviewerError as error:
            self.post_message(self.Planned(str(error)))
        else:
            self.plan_sample(answer.design)

    @work(thread=True, exclusive=True, group="plan")
    def plan_sample(self, design: Design) -> None:
        """Plan in the background: the first time, the datasets are read."""
        try:
            self.post_message(self.Planned(self._plan(design)))
        except ReviewerError as error:
            self.post_message(self.Planned(str(error)))

    def on_new_study_dialog_planned(self, message: Planned) -> None:
        """Show the plan, or what is in its way."""
        plan = message.plan
        words = f"– {plan}" if isinstance(plan, str) else "\n".join(_plan_in_words(plan))
        self.query_one("#plan", PlainLabel).put(literal(words))

    def answer(self) -> StudyRequest:
        """The design in the fields; raises RequestError where they are not valid."""
        checkboxes = self.query("#datasets Checkbox").results(Checkbox)
        chosen = [one.name for one, box in zip(self._datasets, checkboxes, strict=True) if box.on]
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
                self._names("raters"),
                Options(
                    asking=cast(Asking, self._chosen("asking")),
                    reveal=cast(Reveal, self._chosen("reveal")),
                    swap=self._is_checked("swap"),
                    repeats=_share(self.text_of("repeats"), _MOST_REPEATS, "the cases"),
                    briefing=self._briefing(),
                    training_pass=self._training_pass(),
                ),
                (*self._known("training"), *self._known("gold")),
                self._only,
                (),
                self._names("questions"),
                self._guidelines(),
                _number(self.text_of("total")),
                raters_per_case=_number(self.text_of("panel"), "raters"),
                others=0 if self._only is None else _number(self.text_of("others")) or 0,
            ),
        )

    def _names(self, field: str) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, self.text_of(field).split(","))))

    def _guidelines(self) -> tuple[OwnGuideline, ...]:
        path = self.query_one("#guidelines", PathInput).path
        return read_guidelines(path) if path else ()

    def _briefing(self) -> str:
        path = self.query_one("#briefing", PathInput).path
        return read_briefing(path) if path else ""

    def _training_pass(self) -> float | None:
        share = _share(self.text_of("pass"), 1.0, "the answers") or None
        if share is not None and not self.text_of("training"):
            raise RequestError("a mark to pass training needs a file for the training round.")
        return share

    def _is_checked(self, name: str) -> bool:
        return self.query_one(f"#{name}", Checkbox).on

    def _chosen(self, name: str) -> str:
        return self.query_one(f"#{name}", InlineSelect).chosen

    def _known(self, role: KnownRole) -> list[GivenAnswer]:
        path = self.query_one(f"#{role}", PathInput).path
        return read_known_answers(path, role) if path else []

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


def _number(text: str, of: str = "cases") -> int | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise RequestError(f"{text!r} is not a number of {of}; use 1, 2, 3 … or leave it empty for all.")
    return int(text)


def _share(text: str, most: float, of: str) -> float:
    number = text.removesuffix("%").strip()
    if not text:
        return 0.0
    share = most + 1.0
    if number.replace(".", "", 1).isdecimal() and len(number) <= 9:
        share = float(number) / (100 if text.endswith("%") else 1)
    if share > most:
        example = f"{most / 5:g} or {most * 20:g}%"
        raise RequestError(
            f"{text!r} is not a share of {of}; use a number up to {most:g}, such as {example}."
        )
    return share


def _seed(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > 18:
        raise RequestError(f"seed {text!r} is not a whole number; use one of at most 18 digits.")
    return int(text)


def _described(summary: DatasetSummary) -> str:
    size = f"{counted(summary.cases, 'case')} in {counted(summary.groups, 'group')}"
    return f"{summary.name}   {size}"


def _plan_in_words(plan: StudyPlan) -> Iterator[str]:
    """What is drawn and what that asks of a rater; then how many cases of each group."""
    extras = [
        counted(number, words)
        for number, words in ((plan.training, "training case"), (plan.gold, "case with a known answer"))
        if number
    ]
    extras += [f"{plan.repeated} shown twice"] if plan.repeated else []
    cases = counted(plan.cases, "case") + (f" (and {', '.join(extras)})" if extras else "")
    questions, verdicts = counted(plan.questions, "question"), counted(plan.verdicts, "verdict")
    exact = plan.cases * plan.questions == plan.verdicts
    asked = f"{cases} × {questions} = {verdicts}" if exact else f"{cases}, {questions}: {verdicts}"
    minutes = counted(usual_minutes(plan.verdicts), "minute")
    yield f"{asked} a rater, about {minutes}"
    yield f"The time counts {USUAL_SECONDS} seconds for a verdict."
    sizes = Counter[str]()
    for (_, group), size in plan.groups.items():
        sizes[group] += size
    if len(set(sizes.values())) == 1:
        yield f"{counted(len(sizes), 'group')} of {counted(plan.cases // len(sizes), 'case')}"
    else:
        yield " · ".join(f"{group} {size}" for group, size in sizes.items())
