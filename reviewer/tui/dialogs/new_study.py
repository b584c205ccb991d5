"""Drawing a new study."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual.app import ComposeResult
from textual.widgets import Input, Label

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.sanitize import counted
from reviewer.exchange.rows.study_inputs import COLUMNS, read_briefing, read_guidelines, read_known_answers
from reviewer.options.study import StudyNewOptions
from reviewer.results.case_strata import StrataRequest
from reviewer.study.design.inclusion import Inclusion
from reviewer.study.design.known_answers import GivenAnswer, KnownRole
from reviewer.study.design.strata import Strata
from reviewer.study.design.study_creation import Design, StudyPlan
from reviewer.study.design.study_design import Options, WantedRule
from reviewer.study.session.stopwatch import USUAL_SECONDS, usual_minutes
from reviewer.tui.dialogs.form import DrawingForm, ScrolledFields, in_row
from reviewer.tui.in_background import in_background
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.form_fields import Checkbox
from reviewer.tui.widgets.label import PlainLabel
from store.overview import DatasetSummary
from store.records import Study

Create = Callable[[str, Design], Study]
PlanStudy = Callable[[Design], StudyPlan]
MakeStrata = Callable[[Sequence[str], StrataRequest], Strata]
_GOLD_PASS = Options().gold_pass
_KNOWN_AS: Mapping[KnownRole, str] = {"training": "Training round", "gold": "Known answers"}
_FILE = f"none; or {','.join(COLUMNS)} as CSV"


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """A name, a well-formed design and the strata asked for; whether it can be drawn depends on the store."""

    name: str
    design: Design
    strata: StrataRequest | None = None


class NewStudyDialog(DrawingForm[StudyRequest]):
    """Returns the request once it is drawn; where that fails, shows why and stays open."""

    OPTIONS = StudyNewOptions
    TITLE_LINE = "new study"
    DONE = "Draw the sample"
    DEFAULT_CSS = """
    NewStudyDialog {
        #datasets { height: auto; max-height: 4; width: 1fr; }
        #third { margin-top: 1; }
        #or { width: auto; padding: 0 1; }
        #plan { height: auto; min-height: 3; margin-top: 1; color: $foreground 85%; }
    }
    """

    def __init__(
        self,
        datasets: list[DatasetSummary],
        create: Create,
        plan: PlanStudy,
        only: frozenset[str] | None = None,
        strata: MakeStrata | None = None,
    ) -> None:
        """``only``: digests of picked cases, all drawn by default; without them ``strata`` makes strata."""
        super().__init__()
        self._datasets, self._create, self._plan, self._only = datasets, create, plan, only
        self._make_strata, self._made = strata, dict[tuple[tuple[str, ...], StrataRequest], Strata]()

    def fields(self) -> ComposeResult:
        """The form's fields: sample, panes that raters see, questions and raters."""
        yield self.row("Name of the study", "name")
        checkboxes = [Checkbox(_described(one), on=len(self._datasets) == 1) for one in self._datasets]
        yield in_row("Draw from", ScrolledFields(*checkboxes, id="datasets"))
        picked = None if self._only is None else counted(len(self._only), "picked case")
        yield in_row(
            "Cases of each group",
            self.field("per_group", None if picked else 5, f"all {picked}" if picked else "all"),
            Label("or in all", id="or"),
            self.field("total", usual="a total"),
        )
        yield from self._about_strata()
        yield self.row("Seed", "seed", 42, "the same seed draws the same sample")
        yield self.row("Raters see", "view")
        yield self.row("Asked", "asking")
        yield self.row("After an answer", "reveal")
        yield self.row("Questions", "questions", usual="all; or names, with commas between")
        yield self.row("Guidelines", "guideline", usual="the usual ones; or a TOML file")
        yield self.row("Briefing", "briefing", usual="the usual one; or a text file")
        yield from self._about_raters()
        both = "hand-written seeds too, where a dataset has both kinds"
        yield self.tick(both, "include_seeds", on=picked is not None)

    def _about_raters(self) -> ComposeResult:
        """Raters, their votes, when they may stop, and cases that are shown twice or have known answers."""
        yield self.row("Raters", "raters", usual="anybody; or names, with commas between")
        yield self.row("Raters per case", "raters_per_case", usual="all of them; or a number, such as 3")
        yield self.row("May be stopped", "stop", usual="no; or a rule, such as pass rate > .9")
        yield self.row("Cases shown twice", "repeats", usual="none; or a share, such as 0.1")
        yield self.row("Training round", "training", usual=_FILE)
        yield self.row("To pass training", "training_pass", usual="no mark; or a share, such as 0.8")
        yield self.row("Known answers", "gold", usual=_FILE)
        yield self.row("To match of these", "gold_pass", usual=f"{_GOLD_PASS:g} of them; or another share")
        yield self.tick("a third rater votes where two disagree; for two raters per case", "third")
        yield self.tick("raters may say how sure they are", "confidence")
        yield self.tick("sides of a pair exchanged at random where a question lets them", "swap")

    def _about_strata(self) -> ComposeResult:
        """What is drawn beside picked cases, or from which strata all are drawn."""
        if self._only is not None:
            yield self.row("Other cases", "others", usual="none; or a number, drawn beside these")
        elif self._make_strata:
            yield self.row("Strata by", "strata", usual="none; or findings, group, finding:CHECK …")
            yield self.row("Allocated", "allocate", usual="as usual")
            yield self.row("Pass rates", "guesses", usual="no guess; or none=.98, serious=.6")
            yield self.row("Pass rates from", "guess_from", usual="no study; or the name of a closed one")

    def foot(self) -> ComposeResult:
        """What the fields would draw."""
        yield PlainLabel(id="plan")

    def on_mount(self) -> None:
        """Show the planned sample as the form opens; the form's own handler runs too."""
        self._show_plan()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep only one of the two numbers of cases, and show the planned sample."""
        other = {"per-group": "#total", "total": "#per-group"}.get(event.input.id or "")
        if other and event.value and event.input.has_focus:
            self.query_one(other, Input).value = ""
        self._show_plan()

    def on_checkbox_changed(self) -> None:
        """Show the planned sample."""
        self._show_plan()

    def on_inline_select_changed(self) -> None:
        """Show the planned sample."""
        self._show_plan()

    def _show_plan(self) -> None:
        try:
            answer = self.answer()
        except ReviewerError as error:
            self._show_obstacle(error)
        else:
            plan = partial(self._planned, answer)
            in_background(self, "plan", plan, self._show_planned, self._show_obstacle)

    def _planned(self, answer: StudyRequest) -> Sequence[str]:
        """The plan in words; the first time, the datasets are read."""
        design = self._whole(answer)
        plan = self._plan(design)
        return [*_plan_in_words(plan), design.strata.shrunk_in_words if design.strata else ""]

    def _show_planned(self, lines: Sequence[str]) -> None:
        """Show the plan, or what is in its way."""
        self.query_one("#plan", PlainLabel).put(literal("\n".join(filter(None, lines))))

    def _show_obstacle(self, error: ReviewerError) -> None:
        self._show_planned([f"– {error}"])

    def answer(self) -> StudyRequest:
        """The design in the fields; raises RequestError where they are not valid."""
        checkboxes = self.query("#datasets Checkbox").results(Checkbox)
        chosen = [one.name for one, box in zip(self._datasets, checkboxes, strict=True) if box.on]
        if not chosen:
            raise RequestError("a study needs a dataset to draw from; tick one with space.")
        guideline, briefing, stop = self.given("guideline"), self.given("briefing"), self.given("stop")
        return StudyRequest(
            self.given("name") or "",
            Design(
                tuple(chosen),
                self.given("per_group"),
                self.given("seed"),
                self.given("view"),
                self.given("include_seeds"),
                self.given("raters"),
                Options(
                    asking=self.given("asking"),
                    reveal=self.given("reveal"),
                    swap=self.given("swap"),
                    repeats=self.given("repeats"),
                    briefing=read_briefing(briefing) if briefing else "",
                    training_pass=self._mark("training"),
                    gold_pass=self._mark("gold") or _GOLD_PASS,
                    confidence=self.given("confidence"),
                ),
                (*self._known("training"), *self._known("gold")),
                self._only,
                (),
                self.given("questions"),
                read_guidelines(guideline) if guideline else (),
                self.given("total"),
                raters_per_case=self.given("raters_per_case"),
                others=0 if self._only is None else self.given("others") or 0,
                third="on-disagreement" if self.given("third") else "",
                stop=WantedRule.read(stop) if stop else None,
            ),
            self._strata(),
        )

    def _mark(self, role: KnownRole) -> float | None:
        """The share of known answers that a rater should match, if one is given with a file of these."""
        share: float | None = self.given(f"{role}_pass")
        if share is not None and self.given(role) is None:
            raise RequestError(f"a share of answers to match needs a file: {_KNOWN_AS[role]}.")
        return share

    def _known(self, role: KnownRole) -> list[GivenAnswer]:
        path = self.given(role)
        return read_known_answers(path, role, partial(self.notify, markup=False)) if path else []

    def _strata(self) -> StrataRequest | None:
        """The strata in the fields; raises RequestError where something about strata has no strata."""
        if self._only is not None or not self._make_strata:
            return None
        asked = StrataRequest(
            self.given("strata"), self.given("allocate"), self.given("guesses"), self.given("guess_from")
        )
        if not asked.by and (asked.allocation or asked.guesses or asked.guess_from):
            raise RequestError("an allocation and guessed pass rates need strata; say by what they are made.")
        return asked if asked.by else None

    def _whole(self, answer: StudyRequest) -> Design:
        """The design with its strata, which are made once: that reads all findings of a dataset."""
        asked, make = answer.strata, self._make_strata
        if asked is None or make is None:
            return answer.design
        key = (answer.design.datasets, asked)
        if key not in self._made:
            self._made[key] = make(*key)
        return replace(answer.design, strata=self._made[key])

    def draw(self, request: StudyRequest) -> None:
        """Draw and save."""
        self._create(request.name, self._whole(request))


def _described(summary: DatasetSummary) -> str:
    size = f"{counted(summary.cases, 'case')} in {counted(summary.groups, 'group')}"
    return f"{summary.name}   {size}"


def _plan_in_words(plan: StudyPlan) -> Iterator[str]:
    """The sample and the work of each rater; then the number of cases of each group."""
    extras = [
        counted(number, words)
        for number, words in ((plan.training, "training case"), (plan.gold, "gold case"))
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
    if plan.strata:
        yield Inclusion(plan.strata).in_words()
        return
    sizes = Counter[str]()
    for (_, group), size in plan.groups.items():
        sizes[group] += size
    if len(set(sizes.values())) == 1:
        yield f"{counted(len(sizes), 'group')} of {counted(plan.cases // len(sizes), 'case')}"
    else:
        yield " · ".join(f"{group} {size}" for group, size in sizes.items())
