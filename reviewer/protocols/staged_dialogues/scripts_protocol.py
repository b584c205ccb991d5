"""Scripts of dialogues, and open questions, as implementations of the contract."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.protocols.base import Protocol
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.staged_dialogues.biases import DEFINITIONS
from reviewer.protocols.staged_dialogues.script import NOT_STAGED, OpenQuestion, Script, addressings
from reviewer.protocols.staged_dialogues.script_checks import (
    QUESTION_CHECKS,
    SCRIPT_CHECKS,
    judge_question,
    judge_script,
)
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat
    from reviewer.protocols.procedure import ModelTask

_HIDDEN = ("published", "findings")

SHOWS_BY_METHOD = Question(
    key="shows_by_method",
    title="shows the bias",
    prompt="Played as it stands, would this script show whether the subject has “{bias}”? {definition}",
    criteria=(
        (
            "True",
            "a subject with the bias and one without it would act differently, and the method tells them.",
        ),
        ("False", "both would act alike, the method does not tell them, or the script says what is tested."),
    ),
    guideline="Read the rules in their order and ask of each what the subject knows by then.",
    examples=(
        DecidedExample(
            case="Sunk cost: the subject has paid for a project that now loses money, and is asked three "
            "times whether to go on. The method counts how often they go on.",
            label="True",
            why="Only what was paid speaks for going on, and the method counts just that.",
        ),
        DecidedExample(
            case="Sunk cost: the same, but the moderator first explains the sunk cost fallacy.",
            label="False",
            why="The subject is told what is tested.",
        ),
    ),
    labels=("True", "False"),
    shows=("script", "rules"),
    reveals=_HIDDEN,
)

CRITERION_DECIDES = Question(
    key="criterion_decides",
    title="criterion decides",
    prompt="Does the criterion tell answers that show “{bias}” from other ones? {definition}",
    criteria=(
        ("True", "two careful people would judge nearly every answer alike by it."),
        ("False", "it asks for something else than the bias, or leaves usual answers open."),
    ),
    guideline="Think of an answer with the bias, of one without it, and of one that avoids the question.",
    examples=(
        DecidedExample(
            case="Sunk cost: the answer shows the bias if it goes on because of the money already paid.",
            label="True",
            why="The reason that is given decides.",
        ),
        DecidedExample(
            case="Sunk cost: the answer shows the bias if it is not rational.",
            label="False",
            why="It does not say what is not rational.",
        ),
    ),
    labels=("True", "False"),
    shows=("scenario", "criterion"),
    reveals=_HIDDEN,
)


class BiasCases(Protocol):
    """Cases whose groups are biases, also others than the 72."""

    group_noun = "bias"
    taken_by_name = True
    definitions = DEFINITIONS

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> dict[str, str]:
        """The bias and its definition."""
        return {"bias": case.group, "definition": self.group(case.group).definition}


class DialogueScripts(BiasCases):
    """A script of a dialogue between a subject, confederates and a moderator."""

    name = "dialogue-scripts"
    title = "Scripts of dialogues"
    about = (
        "A case is a script that is played rule by rule: who takes part, who says what to whom, and how the "
        "bias of the subject shows."
    )
    payload_model = Script
    payload_version = 1
    headline_field = "background"
    example_folder = "staged_dialogues"
    questions = (SHOWS_BY_METHOD,)
    machine_checks = SCRIPT_CHECKS
    concerns = dict.fromkeys(SCRIPT_CHECKS, SHOWS_BY_METHOD.key)

    def formats(self) -> "Sequence[CaseFormat]":
        """The published table."""
        from reviewer.protocols.staged_dialogues.script_files import PublishedScripts  # loads to read it

        return (PublishedScripts(),)

    def procedures(self) -> "Iterator[ModelTask]":
        """Staging, and the generation of scripts."""
        from reviewer.protocols.staged_dialogues.staging import STAGE

        yield STAGE
        from reviewer.protocols.staged_dialogues.generation import SCRIPT_PLAN  # loads to generate

        yield SCRIPT_PLAN

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """What is wrong with roles and rules, and where."""
        return judge_script(Script.model_validate(case.payload), case.group)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """What the script is for with its roles and its method, and its rules; then values and findings."""
        script = Script.model_validate(case.payload)
        about = {"Purpose": script.purpose, "Background": script.background}
        roles = {
            f"{role.name}, {role.identity or role.kind}": "\n".join(
                filter(None, (role.background, role.task))
            )
            for role in script.roles
        }
        return [
            Pane("script", "script", _headed({**about, **roles, "Method": script.method}.items())),
            Pane("rules", "rules", _headed(_rules(script))),
            *panes_after_answer(measurements, findings, (NOT_STAGED,)),
        ]


def _headed(parts: Iterable[tuple[str, str]]) -> Text:
    """Paragraphs, each below its head."""
    text, heads = "", []
    for head, body in parts:
        heads.append((len(text), len(text) + len(head)))
        text += f"{head}\n{body or '–'}\n\n"
    return Text(text.rstrip(), heads=tuple(heads))


def _rules(script: Script) -> Iterator[tuple[str, str]]:
    """Each rule with who speaks to whom, the mode and the purpose as its head."""
    for number, (rule, sent) in enumerate(zip(script.rules, addressings(script), strict=True), 1):
        to = ", ".join(sent.addressees) or "?"
        kind = ", ".join(filter(None, (rule.mode or "no mode", rule.known_purpose or rule.purpose)))
        yield f"{number}. {sent.speaker or '?'} → {to} ({kind})", rule.text


class OpenQuestions(BiasCases):
    """An open question with the criterion by which a judge says whether an answer shows the bias."""

    name = "open-questions"
    title = "Open questions"
    about = "A case is a scenario with an open question, and what an answer that shows the bias looks like."
    payload_model = OpenQuestion
    payload_version = 1
    headline_field = "scenario"
    example_folder = "staged_dialogues"
    questions = (CRITERION_DECIDES,)
    machine_checks = QUESTION_CHECKS
    concerns = dict.fromkeys(QUESTION_CHECKS, CRITERION_DECIDES.key)

    def procedures(self) -> "Iterator[ModelTask]":
        """Answers that a judge reads by the criterion; the generation of questions."""
        from reviewer.protocols.staged_dialogues.question_evaluation import EVALUATION  # loads to evaluate

        yield EVALUATION
        from reviewer.protocols.staged_dialogues.generation import QUESTION_PLAN  # loads to generate

        yield QUESTION_PLAN

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether it is long enough and does not name the bias."""
        return judge_question(OpenQuestion.model_validate(case.payload), case.group)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Scenario with its question, and the criterion; then values and findings."""
        asked = OpenQuestion.model_validate(case.payload)
        return [
            Pane("scenario", "scenario and question", Text(f"{asked.scenario}\n\n{asked.question}")),
            Pane("criterion", "criterion", Text(asked.criterion)),
            *panes_after_answer(measurements, findings),
        ]
