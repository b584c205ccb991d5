"""Blinding: what a rater may see before the answer, and after it."""

import pytest

from reviewer.core.pane import Text
from reviewer.core.table import Table
from reviewer.protocols.base import Protocol, Value
from reviewer.protocols.probe_swe.dilemma_protocol import ProbeSwe
from reviewer.study.session.blinded_panes import measurements_on_no_question, sheet_for
from store.records import Case, Finding, Measurement, View
from tests.studies import PROBE_SWE, a_case

QUESTIONS = {question.key: question for question in PROBE_SWE.questions}
MEASURES = {
    "choice": "option_A",
    "inference_steps": 5,
    "pair_similarity": 0.97,
    "bias_explanation": "it leans to B",
    "bias_verifications": 3,
    "reconstruction_similarity": 0.81,
    "agreement_rate": 0.6,
}
OPINIONS = {
    "same_task": {0.97},
    "bias_presence": {"it leans to B", 3},
    "reconstruction": {0.81},
    "axioms": {0.6},
}


def measurements(case: Case) -> list[Measurement]:
    return [
        Measurement(case=case.digest, name=name, source="published", dataset="d", key="k", value=value)
        for name, value in MEASURES.items()
    ]


def shown(
    question: str, answered: set[str], view: View, protocol: Protocol = PROBE_SWE
) -> tuple[list[str], list[str], set[object]]:
    """Keys of the panes in front and beside, and every value in any table."""
    case = a_case()
    sheet = sheet_for(protocol, QUESTIONS[question], case, measurements(case), answered, view)
    values = {
        cell for pane in sheet if isinstance(pane.body, Table) for row in pane.body.rows for cell in row[1:]
    }
    return [pane.key for pane in sheet.first], [pane.key for pane in sheet.beside], values


@pytest.mark.parametrize("view", ["full", "paper"])
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("same_task", ["texts"]),
        ("bias_presence", ["texts", "bias"]),
        ("reconstruction", ["reconstruction"]),
        ("axioms", ["axioms_description", "axioms"]),
    ],
)
def test_each_question_shows_its_own_panes_first(question: str, first: list[str], view: View) -> None:
    assert shown(question, set(), view)[0] == first


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_full_view_has_programs_and_proof_beside(question: str) -> None:
    beside = shown(question, set(), "full")[1]
    assert {"programs", "proof"} <= set(beside)
    assert "measures" not in beside


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_paper_view_has_nothing_beside_before_the_answer(question: str) -> None:
    assert shown(question, set(), "paper")[1] == []
    assert {"programs", "proof", "measures"} <= set(shown(question, {question}, "paper")[1])


@pytest.mark.parametrize("view", ["full", "paper"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_opinion_on_an_unanswered_question_is_shown_anywhere(question: str, view: View) -> None:
    for answered in [set(), *({other} for other in QUESTIONS), {*QUESTIONS} - {question}]:
        values = shown(question, answered, view)[2]
        for asked, opinions in OPINIONS.items():
            if asked not in answered:
                assert not values & opinions, (question, answered, asked)


class Judged(ProbeSwe):
    """PROBE-SWE whose published values are declared as opinions, and bear on no question besides."""

    values = (
        Value("pair_similarity", "same_task", {"0.97": "True"}),
        Value("pair_similarity", "axioms", {"0.97": "False"}),
        Value("agreement_rate", "axioms", {"0.6": "False"}),
    )


def test_values_declared_as_opinions_are_hidden_until_every_question_they_answer_is_answered() -> None:
    case = a_case()
    for answered, seen in [
        (set(), set()),
        ({"same_task"}, set()),
        ({"axioms"}, {0.6}),
        ({"same_task", "axioms"}, {0.6, 0.97}),
    ]:
        for question in ("same_task", "axioms"):
            values = shown(question, answered, "full", Judged())[2]
            assert values & {0.6, 0.97} == (seen if question in answered else set()), (question, answered)
    free = measurements_on_no_question(Judged(), measurements(case))
    assert not {"pair_similarity", "agreement_rate"} & {value.name for value in free}


def test_an_opinion_is_revealed_once_its_question_is_answered() -> None:
    assert 0.81 in shown("reconstruction", {"reconstruction"}, "full")[2]
    assert 0.81 in shown("same_task", {"same_task", "reconstruction"}, "full")[2]


def test_bias_presence_names_bias_definition_and_accepted_option() -> None:
    case = a_case(group="bandwagon effect")
    sheet = sheet_for(PROBE_SWE, QUESTIONS["bias_presence"], case, measurements(case), set(), "full")
    text = sheet.first[1].body.text  # type: ignore[union-attr]
    assert "others" in text
    assert "accepts Option A and rejects Option B" in text
    wording = QUESTIONS["bias_presence"].wording(PROBE_SWE.terms(case, measurements(case)))
    assert "bandwagon effect" in wording
    assert "(Option B)" in wording


def test_without_a_decision_the_sheet_says_so() -> None:
    sheet = sheet_for(PROBE_SWE, QUESTIONS["bias_presence"], a_case(), [], set(), "full")
    assert "not computed yet" in sheet.first[1].body.text  # type: ignore[union-attr]
    assert "{" not in QUESTIONS["bias_presence"].wording(PROBE_SWE.terms(a_case(), []))


CHECKS = {"versions_disagree": "same_task", "both_derivable": "bias_presence", "axioms_idle": "axioms"}


def findings(case: Case) -> list[Finding]:
    """A failed check on three of the questions, one on none, and one that was passed."""
    bearing: dict[str, str | None] = {**CHECKS, "load_messages": None}
    found = [
        Finding(
            case=case.digest,
            check=check,
            check_version=1,
            passed=False,
            severity="serious",
            why=f"why {check}",
            question=question,
        )
        for check, question in bearing.items()
    ]
    return [*found, found[1].model_copy(update={"check": "no_option", "passed": True})]


def sheet_text(question: str, answered: set[str], view: View, *, audited: bool = True) -> str:
    """Everything on the sheet, as text."""
    case = a_case()
    found = findings(case) if audited else []
    sheet = sheet_for(PROBE_SWE, QUESTIONS[question], case, measured(case), answered, view, found)
    return "\n".join(f"{pane.key}: {pane.body}" for pane in sheet)


def measured(case: Case) -> list[Measurement]:
    """Values of both versions, which differ in their inference steps."""
    values = {"status": "ok", "choice": "option_A", "inference_steps": 7}
    return [
        Measurement(
            case=case.digest,
            name=name,
            variant=variant,
            source="measured",
            engine="swipl 9.2.9",
            program="0" * 64,
            value=8 if (variant, name) == ("biased", "inference_steps") else value,
        )
        for variant in ("unbiased", "biased")
        for name, value in values.items()
    ]


@pytest.mark.parametrize("view", ["full", "paper"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_finding_is_shown_before_the_answer_to_its_question(question: str, view: View) -> None:
    for answered in [set(), *({other} for other in QUESTIONS), {*QUESTIONS} - {question}, {*QUESTIONS}]:
        text = sheet_text(question, answered, view)
        for check, bears_on in CHECKS.items():
            shown = f"why {check}" in text
            assert shown == (question in answered and bears_on in answered), (question, answered, check)


@pytest.mark.parametrize("question", QUESTIONS)
def test_findings_are_seen_after_the_verdict_only_and_only_what_was_not_passed(question: str) -> None:
    assert "load messages" not in sheet_text(question, {*QUESTIONS} - {question}, "full")
    afterwards = sheet_text(question, {*QUESTIONS}, "full")
    assert "load messages: why load_messages" in afterwards
    assert "no option" not in afterwards
    assert "audit" not in sheet_text(question, {*QUESTIONS}, "full", audited=False)


def test_measured_values_stand_side_by_side() -> None:
    case = a_case()
    sheet = sheet_for(
        PROBE_SWE, QUESTIONS["axioms"], case, measurements(case) + measured(case), set(), "full"
    )
    (table,) = [pane.body for pane in sheet if pane.key == "proof"]
    assert isinstance(table, Table)
    assert ("choice", "option_A", "=", "option_A") in table.rows
    at = table.rows.index(("inference steps", 7, "≠", 8))
    assert table.rows[at + 1] == ("· as published", 5, "", "")


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_an_audit_thinks_of_the_decision_waits_for_bias_presence(question: str) -> None:
    case = a_case()
    values = {
        "choice": "option_A",
        "inference_steps": 5,
        "solutions": ["option_A", "option_B"],
        "status": "ok",
    }
    measured = [
        Measurement(case=case.digest, name=name, variant=variant, source="measured", engine="e", value=value)
        for variant in ("unbiased", "biased")
        for name, value in values.items()
    ]

    def titles(answered: set[str]) -> set[object]:
        sheet = sheet_for(PROBE_SWE, QUESTIONS[question], case, measured, answered, "full")
        return {row[0] for pane in sheet if isinstance(pane.body, Table) for row in pane.body.rows}

    assert "inference steps" in titles(set())
    assert not {"all solutions", "outcome"} & titles({*QUESTIONS} - {"bias_presence"} - {question})
    assert {"all solutions", "outcome"} <= titles({*QUESTIONS})


def test_of_a_case_that_was_altered_a_sentence_is_all_that_is_shown() -> None:
    altered = a_case().model_copy(update={"payload": {"unbiased": {}}})
    (pane,) = sheet_for(PROBE_SWE, QUESTIONS["same_task"], altered, [], set(), "full")
    assert isinstance(pane.body, Text)
    assert f"Case {altered.digest[:12]} was changed or damaged outside this program" in pane.body.text
    assert "reviewer store check" in pane.body.text


@pytest.mark.parametrize(
    ("text", "read"), [("Ship it.`", "Ship it."), ("Ship `it`", "Ship `it`"), ("`Ship it.", "`Ship it.")]
)
def test_a_sign_left_behind_at_the_end_of_axioms_in_words_is_not_shown(text: str, read: str) -> None:
    case = a_case(axioms_description=text)
    sheet = sheet_for(PROBE_SWE, QUESTIONS["axioms"], case, (), set(), "full")
    assert [pane.body.text for pane in sheet.first if isinstance(pane.body, Text)] == [read]
