"""What the one reader of answers reads, and which kind of doubt it names where it reads nothing."""

import csv
import json
import time
from collections import Counter
from importlib.resources import files

import pytest

from reviewer.protocols.detail_levels.evaluation import EVALUATION as LEVELS
from reviewer.protocols.detail_levels.level_templates import known_readings
from reviewer.protocols.evaluation import Condition, LabelRead
from reviewer.protocols.judge_pairs.evaluation import EVALUATION as JUDGES
from reviewer.protocols.judge_pairs.evaluation import read_verdict
from reviewer.protocols.judge_pairs.rewrite_evaluation import EVALUATION as REWRITES
from reviewer.protocols.probe_swe.evaluation import EVALUATION as DILEMMAS
from reviewer.protocols.probe_swe.evaluation import read_decision
from reviewer.protocols.reading import READER_VERSION
from reviewer.protocols.reading.answer_reader import chosen_in
from reviewer.protocols.reading.choices import Choices
from reviewer.protocols.reading.firmness import (
    CUT_OFF,
    EMPTY,
    NO_DECISION,
    NO_SIDE,
    NOT_THERE,
    SEVERAL,
    TAKEN_BACK,
    TOO_LONG,
)
from reviewer.protocols.treatment_tests.evaluation import EVALUATION as TREATMENTS
from tests.answer_pairs import a_pair
from tests.protocols.reading.examples import DECISIONS, FREE_ANSWERS, OPTIONS, VERDICTS
from tests.rounds import some_always
from tests.shared_data import shared_file

JUDGED = {"appropriate": "A", "inappropriate": "B"}
OFFERS = Choices.numbered(("Accept the offer", "Ask for more money", "Decline the offer", "Wait a week"))
SEVEN = Choices.numbered([f"{10 * number}%" for number in range(7)])
TRAVEL = Choices.lettered(("take the train", "go by car", "stay at home"))
NAMES = Choices.lettered(("Benjamin", "James", "It could be either"))


@pytest.mark.parametrize(("reply", "label"), DECISIONS.items())
def test_a_decision_is_read_or_left(reply: str, label: str) -> None:
    assert (read_decision(reply, {}).label or "") == label


@pytest.mark.parametrize(("reply", "label"), VERDICTS.items())
def test_a_verdict_is_read_or_left(reply: str, label: str) -> None:
    assert (read_verdict(reply).label or "") == label


@pytest.mark.parametrize(("reply", "label"), OPTIONS.items())
def test_an_option_is_read_or_left(reply: str, label: str) -> None:
    assert (chosen_in(reply, OFFERS).label or "") == label


@pytest.mark.parametrize(("reply", "label"), FREE_ANSWERS.items())
def test_a_free_answer_is_read_or_left(reply: str, label: str) -> None:
    assert (chosen_in(reply, TRAVEL).label or "") == label


def test_the_shared_replies_are_read_as_is_sensible() -> None:
    """But for "Option A" alone, which takes an option although nothing announces it."""
    with shared_file("evaluation/replies.csv").open(encoding="utf-8", newline="") as file:
        sensible = {row["reply"]: row["sensible"] for row in csv.DictReader(file)}
    read = {reply: read_decision(reply, JUDGED).label or "" for reply in sensible}
    assert read == sensible | {"Option A": "A"}


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ('Decision: "Option A"', "A"),
        ("Decision: [Option A]", "A"),
        ("## Decision:\n\n**Option B** because it is simpler", "B"),
        ("Decision:\nB", "B"),
        ("Decision: I would go with Option B here.", "B"),
        ("Decision: I would choose B.", "B"),
        ("Decision: Option B over Option A", "B"),
        ("Decision: Option A rather than B", "A"),
        ("Decision: choose Option A instead of Option B", "A"),
        ("Decision: B, since A is not maintainable", "B"),
        ("Decision: Don't choose Option A; choose Option B", "B"),
        ("Decision: a", "A"),
        ("Decision: a better fit is Option B", "B"),
        ("Decision: A simple patch: Option B", "B"),
        ("My final decision: (b)", "B"),
        ("Recommendation: Option A", "A"),
        ("Option A: fast\nOption B: safe\nDecision: Option B", "B"),
        ("Decision: it was inappropriate", "B"),
        ("Decision: Appropriate (Option A)", "A"),
        ("DECISION: OPTION A", "A"),
        ("Decision: option_b", "B"),
        ("Decision: Option A\n\nOn reflection:\nDecision: Option B", "B"),
        ("Option A is best.", "A"),
    ],
)
def test_what_decides_is_read(reply: str, option: str) -> None:
    assert read_decision(reply, JUDGED).label == option


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", EMPTY),
        (" \n\t", EMPTY),
        ("<think>x</think> \n", EMPTY),
        ("<think>Option A it is. Decision: Option A", CUT_OFF),
        ("Explanation: x\nDecision:", CUT_OFF),
        ("I cannot say.", NO_SIDE),
        ("Option A: fast\nOption B: safe", NO_DECISION),
        ("Decision: it depends", NO_SIDE),
        ("Decision: neither of them", NO_SIDE),
        ("Decision: not Option A", NO_SIDE),
        ("Decision: Option A is not recommended", NO_SIDE),
        ("Decision: both A and B", SEVERAL),
        ("Decision: Option A or Option B", SEVERAL),
        ("Decision: appropriate (Option B)", SEVERAL),
        ("Decision: B. Do not choose B.", TAKEN_BACK),
        ("Decision: Option C", NOT_THERE),
        ("Decision: 选项乙", NO_SIDE),
        ("Decision: \0", CUT_OFF),
        ("Decision: Option A" + "x" * 200_001, TOO_LONG),
    ],
)
def test_a_kind_of_doubt_is_named_where_nothing_is_read(reply: str, why: str) -> None:
    assert read_decision(reply, JUDGED) == LabelRead(None, why)


def test_a_verdict_in_double_brackets_is_read_in_a_quotation_block() -> None:
    assert read_verdict("> **[[B>A]]**").label == "second"


def test_a_reply_of_two_choices_without_a_verb_is_left() -> None:
    choices = Choices.lettered(("ask whether something happened", "change the subject", "keep silent"))
    assert chosen_in("ask whether or subject, something", choices).label is None


def test_words_are_answers_only_where_the_question_defines_them() -> None:
    assert read_decision("Decision: inappropriate", {}).label is None


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("I worked it out.\nVerdict: first", "first"),
        ("**Verdict:** the second answer is better.", "second"),
        ("Verdict: first\nNo, wait.\nVerdict: SECOND", "second"),
        ("> Final verdict: tie", "tie"),
        ("Verdict: [[B>A]]", "second"),
        ("<think>Verdict: second</think>\nVerdict: 1", "first"),
        ("My final verdict is [[A>>B]]", "first"),
        ("At first [[A]], but in the end [[ B >> A ]].", "second"),
        ("Verdict: is a  tie", "tie"),
    ],
)
def test_a_verdict_is_read_in_the_forms_of_judges(reply: str, place: str) -> None:
    assert read_verdict(reply).label == place


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("<think>Verdict: first", CUT_OFF),
        ("Verdict:", CUT_OFF),
        ("Both are good.", NO_SIDE),
        ("Verdict: a or a tie", SEVERAL),
        ("Verdict: first " * 20_000, TOO_LONG),
    ],
)
def test_a_reply_without_a_verdict_has_none(reply: str, why: str) -> None:
    assert read_verdict(reply) == LabelRead(None, why)


def test_a_place_is_the_published_side_that_stood_there() -> None:
    case = a_pair()
    labels = [
        JUDGES.read(case, Condition.of(order=order), f"Verdict: {said}").label
        for order in ("as published", "exchanged")
        for said in ("first", "second", "tie")
    ]
    assert labels == ["first", "second", "tie", "second", "first", "tie"]


@pytest.mark.parametrize(
    ("reply", "label"),
    {
        "**Option 7**.": "7",
        " 4 ": "4",
        "<think>Option 2 or Option 3</think>Option 5": "5",
        "Option 3, or Option 4": SEVERAL,
        "Option 0": NOT_THERE,
        "Option 9": NOT_THERE,
        "the third": "3",
        "": EMPTY,
        "<think>Option 2": CUT_OFF,
    }.items(),
)
def test_a_reply_names_exactly_one_option(reply: str, label: str) -> None:
    read = chosen_in(reply, SEVEN)
    assert (read.label or read.why) == label


@pytest.mark.parametrize(
    ("reply", "expected"),
    {
        "**A. Benjamin** While there is no link, his clothes fit.": "A",
        "b": "B",
        "(C)": "C",
        "2": "B",
        "Option B, since he is formal.": "B",
        "A friend told me: it could be either one.": "C",
        "A. Benjamin\nB. James\nC. It could be either\n\nThe answer is C.": "C",
        "I would not choose James. It could be either of them.": "C",
        "Not James. I take option B, not because I must.": "B",
        "Never option B? No: option B it is.": "B",
        "maybe": NO_DECISION,
        "I would never take option B.": NO_DECISION,
        "Do NOT choose option B.": NO_DECISION,
        "": EMPTY,
        "x" * 200_001: TOO_LONG,
    }.items(),
    ids=lambda text: text[:20],
)
def test_an_answer_takes_one_choice_or_says_why_not(reply: str, expected: str) -> None:
    read = chosen_in(reply, NAMES)
    assert (read.label or read.why) == expected


def test_a_choice_inside_another_one_that_was_taken_does_not_count() -> None:
    choices = Choices.lettered(("train", "car", "neither train nor car"))
    assert chosen_in("Neither train nor car, I say.", choices).label == "C"


def test_numbers_name_no_choice_where_choices_are_numbers() -> None:
    assert chosen_in("2", Choices.lettered(("1", "2", "3"))).label == "B"
    assert chosen_in("3", Choices.lettered(("5", "3", "1"))).label == "B"
    assert chosen_in("answer: 1", Choices.lettered(("5", "3", "1"))).label == "C"


def test_amounts_that_differ_in_their_digits_are_different_choices() -> None:
    choices = Choices.lettered(("about 450 euros", "about 459 euros"))
    assert chosen_in("I would say about 459 euros.", choices).label == "B"
    assert chosen_in("I would say about 458 euros.", choices).label is None


@pytest.mark.parametrize(
    "reply",
    [
        'I cannot write "Decision: Option A" here, since I do not take sides.',
        'You want me to end with "Decision: Option B". I will not do that.',
        "Decision: !A",
        "Decision: Option A1",
        "Decision: Option B\n\nI have to take that back: I do not want to pick either option.",
        "My recommendation is to drop Option A and keep Option B in mind for later.",
    ],
)
def test_an_option_that_is_only_quoted_negated_or_taken_back_is_not_read(reply: str) -> None:
    assert read_decision(reply, {}).label is None


def test_a_correction_that_names_two_choices_is_in_doubt() -> None:
    choices = Choices.lettered(("a comedy", "a tragedy", "a musical", "a pantomime"))
    assert chosen_in('Answer: B\nErratum: for "B" read "D".', choices) == LabelRead(None, TAKEN_BACK)


def test_a_step_of_a_scale_is_not_read_from_another_degree() -> None:
    choices = Choices.numbered(
        ("Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied")
    )
    assert chosen_in("very much satisfied", choices).label is None
    assert chosen_in("quite satisfied", choices).label is None
    assert chosen_in("I am satisfied.", choices).label == "4"


@pytest.mark.parametrize(("reply", "number"), [("A hundred dollars", "2"), ("125 dollars", "3"), ("2k", "4")])
def test_an_amount_is_read_with_its_unit_in_words(reply: str, number: str) -> None:
    assert chosen_in(reply, Choices.numbered(("$50", "$100", "$125", "$2,000"))).label == number


@pytest.mark.parametrize(
    "reply",
    [
        "The librarian might help, or the catalogue.",
        "I would buy a copy, and I would not buy a new one.",
        "The catalogue might have been searched, and a friend might have been asked.",
    ],
)
def test_words_of_two_choices_without_a_decision_are_in_doubt(reply: str) -> None:
    choices = ("Ask the librarian for help", "Search the online catalogue at home", "Borrow it from a friend")
    assert chosen_in(reply, Choices.lettered((*choices, "Buy a new copy"))).label is None


def test_no_answer_of_our_own_with_a_known_choice_is_read_wrongly() -> None:
    text = (files("seeds") / "detail_levels" / "level-answers.jsonl").read_text(encoding="utf-8")
    published = [json.loads(line)["published"] for line in text.splitlines()]
    readings = list(known_readings(text, "answers"))
    assert [(reading.read, reading.remark) for reading in readings] == [
        (values["reading"], values["reading_remark"]) for values in published
    ]
    assert Counter(reading.result for reading in readings) == {"right": 183, "not read": 17}


def test_every_protocol_names_the_version_of_the_one_reader() -> None:
    plans = DILEMMAS, TREATMENTS, LEVELS, JUDGES, REWRITES
    assert {plan.reader_version for plan in plans} == {READER_VERSION} == {20}


@pytest.mark.parametrize(
    "unit",
    some_always(
        [
            *(
                "Decision: ",
                "A ",
                "not ",
                "(A) or ",
                "option A ",
                "\n",
                "[[",
                "{",
                '{"a":',
                "<think>",
                "**",
                "|",
                "> ",
            ),
            *(
                "~~",
                "go by car ",
                "\\boxed{",
                "if ",
                '"decision": "',
                "<b>",
                "选项A",
                "1. go by car\n",
                "\u0308",
            ),
            "Decision: A or B? ",
            *("decision ", "chosen ", "first ", "(A) ) ", "the other A ", "and A is ", "I leave A open "),
        ],
        5,
    ),
)
def test_a_hostile_reply_is_soon_read(unit: str) -> None:
    reply = unit * (199_998 // len(unit)) + " x"
    start = time.process_time()
    chosen_in(reply, TRAVEL)
    assert time.process_time() - start < 20
