"""What seems to decide is left unread: for one case, with a rival, denied, told of others, or broken off."""

import pytest

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.judge_pairs.evaluation import read_verdict
from reviewer.protocols.probe_swe.evaluation import read_decision
from reviewer.protocols.reading import certainty
from reviewer.protocols.reading.answer_reader import chosen_in
from reviewer.protocols.reading.choices import Choices

HOMES = Choices.lettered(("Rent for another year", "Buy the house", "Move in with the parents"))
BRANDS = Choices.numbered(("Buy brand X", "Buy brand Y", "Buy nothing"))
WIRES = Choices.lettered(("Use copper wire", "Use aluminium wire", "Use optical fibre"))
TRUTH = Choices.lettered(("Tell the truth", "Say nothing", "Tell a white lie"))
FLATS = Choices.lettered(("Rent a flat", "Buy the house", "Neutral"))
LIKELY = Choices.numbered(("Very unlikely", "Unlikely", "Neutral", "Likely", "Very likely"))


@pytest.mark.parametrize("table", ["ANY", "ANNOUNCED", "SAID"])
def test_each_doubt_alone_leaves_its_example_unread(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    doubts: tuple[certainty.Doubt, ...] = getattr(certainty, table)
    for doubt in doubts:
        with_it = _readings(doubt.example)
        with monkeypatch.context() as patch:
            patch.setattr(certainty, table, tuple(each for each in doubts if each is not doubt))
            without_it = _readings(doubt.example)
        pairs = zip(with_it, without_it, strict=True)
        assert any(one == LabelRead(None, doubt.why) and two.label is not None for one, two in pairs), doubt


def _readings(reply: str) -> list[LabelRead]:
    """A reply as a decision, a judge's verdict, and an answer with texts."""
    return [read_decision(reply, {}), read_verdict(reply), chosen_in(reply, FLATS)]


@pytest.mark.parametrize(
    "reply",
    [
        # one case of several
        "In a startup I'd go for Option A, in a bank for Option B.",
        "Given unlimited time, Option B. Given two days, Option A. How much time is there?",
        "Where latency counts, I'd use Option A. Where it doesn't, Option B is simpler.",
        "A team that knows Rust should take Option A. A team that doesn't should take Option B.",
        "Decision:\n1. Option B this quarter\n2. Option A next quarter",
        "Decision: Option A, unless the audit objects; the audit's result is not known to me.",
        "Je choisirais l'option A pour un prototype et l'option B pour un produit.",
        "Decision:\n1. Start with Option A this week\n2. Then do Option B next month\nBoth are needed.",
        # told of others
        "Stack Overflow recommends Option B.",
        "According to the book, Option A is the right choice. I have my doubts about the book.",
        "Whoever picks Option A hasn't read the ticket.",
        "Decision: defer to the on-call engineer, who favours Option B",
        # offered, and not chosen
        'The instruction says: "Decision: Option A" or "Decision: Option B".',
        "Your task: choose between Option A (rewrite) and Option B (patch).",
        "Three of us voted for Option A and four for Option B.",
        # contradicted
        "Option A is my choice. My choice: Option B.",
        # denied
        "I said Option A. That was premature.",
        "Decision: Option A. On reflection I'm not sure of that, and would rather not decide.",
        # breaks off
        "I have to weigh maintainability against speed. On maintainability, Option A",
        "It is old, which speaks for Option A. Putting these together, the question is whether a yearly chan",
        "The cost speaks for Option A. The risk is small, and the tea",
    ],
)
def test_a_decision_that_leaves_a_doubt_is_not_read(reply: str) -> None:
    assert read_decision(reply, {}).label is None


@pytest.mark.parametrize(
    "reply",
    [
        "The first would be better, provided its source exists. I couldn't check this.",
        "It hinges on the meaning of 'bank'. River: first. Money: second.",
        "The first is better at the beginning and the second at the end.",
        "I agree with the first on rivers and with the second on lakes.",
        "The first would be my choice in a spelling contest. This isn't one.",
        "First... second... I keep changing my mind.",
        "Other judges preferred the second.",
        "La segunda no me parece mejor.",
        "The first would win, unless the user wanted a table, which the question leaves open.",
        "Having read both of the answers, the second one",
        "Ranking:\n1. first, second (shared)",
        "There are 12 ways to seat the guests when the couple sits together. Answer A",
    ],
)
def test_a_verdict_that_leaves_a_doubt_is_not_read(reply: str) -> None:
    assert read_verdict(reply).label is None


@pytest.mark.parametrize(
    "reply",
    [
        "Depends on the rate. Below 3%: B. Above: A.",
        "Under 30: C. Over 30: B.",
        "A with children, B without.",
        "My suggestions:\n* Rent for another year\n* Buy the house afterwards",
        "Ranking:\n1. A and B (tied)\n2. C",
        "You ask: rent, buy, or move in with the parents.",
        "None of these convinces me; I'd rent a boat for a year first.",
        "Renting again is as defensible as buying the house.",
        "- rent: dear\n- house: old\n- parents: far away",
        "**Rent**: dear\n**Parents**: far away\n**House",
    ],
)
def test_a_free_answer_that_leaves_a_doubt_is_not_read(reply: str) -> None:
    assert chosen_in(reply, HOMES).label is None


@pytest.mark.parametrize(
    "reply",
    [
        "Depends on how close you are: to a friend I'd say A, to a stranger B.",
        "It depends: with a friend I'd choose A, with a stranger B.",
        "That depends on the person: I'd pick A among friends and B among strangers.",
    ],
)
def test_a_choice_for_one_case_of_those_it_depends_on_is_not_read(reply: str) -> None:
    assert chosen_in(reply, TRUTH).label is None


def test_an_answer_with_a_choice_for_each_length_is_not_read() -> None:
    assert chosen_in("Answer: A for short runs, C for long runs", WIRES).label is None
    assert chosen_in("Answer: A under 5 m, C over 5 m", WIRES).label is None
    assert chosen_in("In short: A for long runs, as for all.", WIRES).label == "A"


@pytest.mark.parametrize(
    "reply",
    [
        '{"option": 3, "label": "Buy brand X"}',
        '{"answer": 2, "name": "Buy nothing"}',
        '{"selected_option": 1, "option_name": "Buy brand Y"}',
        '{"answer": {"id": 2, "title": "Buy nothing"}}',
        '{"number": 3, "answer": "Buy brand X"}',
        '{"option_letter": 3, "answer": "Buy brand X"}',
        "Option: 3\nLabel: Buy brand X",
        "option = 3, label = Buy brand X",
        "| Option | Label |\n|---|---|\n| 3 | Buy brand X |",
        "| Number | Answer |\n|---|---|\n| 3 | Buy brand X |",
    ],
)
def test_an_option_whose_number_and_text_disagree_is_not_read(reply: str) -> None:
    assert chosen_in(reply, BRANDS).label is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"option": 3, "label": "Buy nothing"}',
        '{"option": 3, "label": "final"}',
        '{"option": 3, "rejected_label": "Buy brand X"}',
        '{"draft_choice": 1, "final_choice": 3}',
        '{"number": 3, "answer": "Buy nothing"}',
        '{"question_number": 1, "answer": "Buy nothing"}',
        "| Option | Label |\n|---|---|\n| 3 | Buy nothing |",
        "Option: 3\nLabel: Buy nothing",
    ],
)
def test_an_option_is_read_beside_its_text_and_other_values(reply: str) -> None:
    assert chosen_in(reply, BRANDS).label == "3"


@pytest.mark.parametrize(
    "reply",
    [
        "Likely, provided the grant comes through; about the grant I know nothing.",
        "Neutral as I am, I don't judge.",
        "You'd like to know how likely it is, on a scale from very unlikely to very likely.",
        "Option 2! No. I'd have to see the contract.",
        "The manual recommends Option 3.",
    ],
)
def test_an_option_that_leaves_a_doubt_is_not_read(reply: str) -> None:
    assert chosen_in(reply, LIKELY).label is None


@pytest.mark.parametrize(
    "reply",
    ["A. Yes\nB. No", "| Protocol | Layer | Safe |\n|---|---|---|\n| Yes | 4 | yes |\n| No | 3 | no |"],
)
def test_a_list_of_the_choices_is_not_read(reply: str) -> None:
    assert chosen_in(reply, Choices.lettered(("Yes", "No"))).label is None


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("If the data were public, Option A. They aren't, so Option B.", "B"),
        ("For this team, I'd take Option B.", "B"),
        ("On balance, Option A is better.", "A"),
        ("Option A\n\nOption B would be right for a bank. For us it's too slow, and I can't wait.", "A"),
        ("Option B, since Option A has no rollback.", "B"),
        ("Option A is cheaper than Option B. Still, I choose Option B.", "B"),
        ("A good engineer would choose Option A.", "A"),
        ("Decision: Option B, provided that someone writes the rollback script.", "B"),
        ("Should it be Option A? No. Option B.", "B"),
        ("The tests are missing. Option A.", "A"),
        ("The answer is Option B. It has tests, and Option A has none, and theref", "B"),
        ("I would choose Option A. The team has three peopl", "A"),
        ("It depends on the team, but overall I'd choose Option A over Option B.", "A"),
        ("Decision: Option A for its price, though Option B is better for long runs", "A"),
        ("Decision: Option A\nDecision: Option B", "B"),
    ],
)
def test_a_decision_is_read_beside_what_resembles_a_doubt(reply: str, label: str) -> None:
    assert read_decision(reply, {}).label == label


@pytest.mark.parametrize(
    "texts", [("Hire her", "Hire him"), ("O(n)", "O(n²)"), ("The cat sat", "The cat has sat")]
)
def test_choices_that_differ_in_small_words_are_told_apart(texts: tuple[str, str]) -> None:
    choices = Choices.lettered(texts)
    assert [chosen_in(f'My answer is "{text}".', choices).label for text in texts] == ["A", "B"]
    assert [chosen_in(text, choices).label for text in texts] == ["A", "B"]


def test_a_reply_that_breaks_off_behind_a_word_of_a_case_is_left() -> None:
    assert read_decision("Thinking it through: Option A in", {}).label is None
