"""The loop of discovery without a server: what is kept, and teachers and judges with bad habits."""

import json
import random
import zlib
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import pytest

from reviewer.core.errors import RequestError
from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.discovery import DiscoveryMaterial, DiscoveryRound
from reviewer.protocols.judge_pairs.discovery.entry_fates import (
    ConditionErrors,
    adjusted,
    paired_evidence,
)
from reviewer.protocols.judge_pairs.discovery.judging import read_sameness
from reviewer.protocols.judge_pairs.discovery.rewrite_trial import read_named_bias
from reviewer.protocols.judge_pairs.discovery.rounds import (
    DISCOVERY_PLAN,
    JudgeDiscovery,
    JudgeDiscoverySettings,
)
from reviewer.protocols.judge_pairs.payloads import RIGHT_ANSWER
from reviewer.protocols.library_plan import entry_record
from reviewer.protocols.procedure import TriedCase
from reviewer.runs.run_setup import read_prompts
from store.records import JsonValue
from tests.runs.discovering import KNOWN, MARK, PLANTED, Habits, a_pair_case, entry_case, fulfilled

RUNS, ROUNDS, CANDIDATES, ITEMS = 200, 4, 10, 60
LAYOUTS = ("as published", "exchanged")
MODELS = {"judge": "judge", "teacher": "teacher"}


def a_discovery_of(
    number: int = 12, library: tuple[str, ...] = KNOWN, *, validation: int | None = None, **settings: Any
) -> JudgeDiscovery:
    """A discovery over as many pairs, and as many others to validate on if no other number is given."""

    def pairs(of: str) -> list[DatasetCase]:
        held = validation if of == "v" and validation is not None else number
        made = [a_pair_case(each, of) for each in range(held)]
        return [DatasetCase(f"{of}-{at}", case, {RIGHT_ANSWER: side}) for at, (case, side) in enumerate(made)]

    entries = [DatasetCase(name, entry_case(name)) for name in library]
    material = DiscoveryMaterial("found", "found.rewrites", "others", MODELS, entries, pairs("p"), pairs("v"))
    own = JudgeDiscoverySettings(**settings)
    return JudgeDiscovery(own, read_prompts(DISCOVERY_PLAN.prompts), material, 0)


def one_round(
    habits: Habits, discovery: JudgeDiscovery | None = None, state: JsonValue = None, number: int = 1
) -> DiscoveryRound:
    """What a round brings with these habits."""

    def said(request: ModelRequest) -> str:
        return habits.said([{"content": message.content} for message in request.messages])

    brought = fulfilled((discovery or a_discovery_of()).round(number, state), said)
    assert isinstance(brought, DiscoveryRound)
    return brought


def counted(brought: DiscoveryRound, counts_as: str = "") -> Mapping[tuple[str, str], int]:
    """Step and result → number of records."""
    records = [each for each in brought.records if not counts_as or each.counts_as == counts_as]
    return Counter((each.step, each.decisive.check) for each in records)


def named(brought: DiscoveryRound) -> dict[str, TriedCase]:
    """The named biases of a round by name."""
    own = [each for each in brought.records if each.counts_as.startswith("named biases")]
    return {str(each.payload["bias"]): each for each in own}


def always(name: str) -> str:
    """The reply of a teacher that names one bias."""
    return json.dumps({"bias": True, "name": name, "definition": f"Prefers {name}."})


@pytest.fixture(scope="module")
def planted() -> DiscoveryRound:
    """The first round of a judge with a planted bias."""
    return one_round(Habits(), a_discovery_of(30))


def test_a_planted_bias_is_kept_with_its_evidence_and_others_are_not(planted: DiscoveryRound) -> None:
    assert planted.kept == (PLANTED,)
    known, unread = entry_record(named(planted)[PLANTED].values)
    assert not unread
    (evidence,) = known.evidence
    assert evidence.turned_wrong == evidence.wrong_after - evidence.wrong_before > 10
    assert evidence.turned_right == 0
    assert evidence.p_adjusted is not None
    assert evidence.p_adjusted < 0.001
    assert known.origin is not None
    rewrites = {each.key: each for each in planted.records if each.counts_as == "rewrites"}
    assert all(str(rewrites[key].payload["rewritten"]).startswith(MARK) for key in known.origin.keys)
    others = {name: each.decisive.check for name, each in named(planted).items() if name != PLANTED}
    assert others
    assert set(others.values()) == {"not_worse"}


def test_a_later_round_draws_what_was_kept_and_tests_nothing_twice(planted: DiscoveryRound) -> None:
    state = {**planted.state, "merged": {}}
    second = one_round(Habits(), a_discovery_of(30), state, 2)
    assert PLANTED in {each.group for each in second.records}
    checks = {name: each.decisive.check for name, each in named(second).items()}
    assert checks.pop(PLANTED) == "known_name"
    assert set(checks.values()) <= {"tested_before"}
    assert second.kept == ()
    assert not [each for each in second.records if each.counts_as == "validation rewrites"]


def test_equal_replies_and_seed_bring_an_equal_round(planted: DiscoveryRound) -> None:
    assert one_round(Habits(), a_discovery_of(30)) == planted


class SimulatedJudge:
    """A judge that misjudges each item with a chance of its own, each time it is asked; and its baseline."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._items = {str(item): self._chance.betavariate(0.6, 1.4) for item in range(ITEMS)}
        self._baseline = self._asked(0.0)

    def _asked(self, effect: float) -> ConditionErrors:
        wrong = {
            item: self._chance.random() < max(own, effect * self._chance.random() * 2)
            for item, own in self._items.items()
            if self._chance.random() > 0.05  # the others have no verdict
        }
        return ConditionErrors(LAYOUTS, wrong)

    def keeps(self, *effects: float) -> list[bool]:
        """Which candidates with these effects a round keeps."""
        tests = [paired_evidence(self._baseline, self._asked(effect)) for effect in effects]
        return [each.is_kept for each in adjusted(tests)]


def test_of_biases_that_do_nothing_few_rounds_keep_any() -> None:
    keeping = []
    for seed in range(RUNS):
        judge = SimulatedJudge(seed)
        for _ in range(ROUNDS):
            keeping.append(any(judge.keeps(*(0.0,) * CANDIDATES)))
            if not keeping[-1]:
                break
    assert len(keeping) >= RUNS
    assert sum(keeping) / len(keeping) <= 1 / 20


def test_most_rounds_keep_a_bias_with_an_effect() -> None:
    kept = [SimulatedJudge(seed).keeps(*(0.0,) * (CANDIDATES - 1), 0.7)[-1] for seed in range(RUNS)]
    assert sum(kept) / RUNS > 0.9


def by_place(question: str, first: str, second: str) -> str:
    return "Verdict: first"


def by_length(question: str, first: str, second: str) -> str:
    return f"Verdict: {'first' if len(first) >= len(second) else 'second'}"


def silent(question: str, first: str, second: str) -> str:
    return ""


def rambling(question: str, first: str, second: str) -> str:
    return "Both have their merits."


@pytest.mark.parametrize("judge", [silent, rambling])
def test_a_judge_that_never_answers_is_one_class_and_keeps_nothing(judge: Any) -> None:
    brought = one_round(Habits(judge=judge))
    assert counted(brought) == {("judgement", "no_verdict"): 12}
    assert brought.kept == ()


def test_a_judge_that_always_prefers_one_place_brings_only_ties() -> None:
    brought = one_round(Habits(judge=by_place))
    assert counted(brought) == {("judgement", "tie"): 12}


def test_a_judge_that_prefers_the_longer_is_not_misled_by_what_changes_no_length() -> None:
    def lengthened(answer: str, bias: str) -> str:
        return f"{answer} Indeed so." if bias == "Length bias" else answer.replace("So", "As")

    habits = Habits(judge=by_length, naming=lambda text: always("Comma bias"), rewriting=lengthened)
    brought = one_round(habits)
    assert named(brought)["Comma bias"].decisive.check == "not_worse"
    assert brought.kept == ()


def test_a_teacher_that_names_one_bias_for_ever_is_tested_once() -> None:
    habits = Habits(naming=lambda text: always("Comma bias"))
    discovery = a_discovery_of()
    first = one_round(habits, discovery)
    assert list(named(first)) == ["Comma bias"]
    second = one_round(habits, discovery, first.state, 2)
    assert counted(second, "named biases") == {("merging", "tested_before"): 1}


@pytest.mark.parametrize("name", ["sentiment BIAS", " Sentiment  bias", "SENTIMENT"])
def test_names_are_compared_without_case_blanks_and_the_word_bias(name: str) -> None:
    brought = one_round(Habits(naming=lambda text: always(name)))
    assert counted(brought, "named biases") == {("merging", "known_name"): 1}


def test_a_bias_is_merged_if_both_directions_say_so() -> None:
    habits = Habits(naming=lambda text: always("Emotion bias"), same=lambda text: "Sentiment bias" in text)
    brought = one_round(habits)
    record = named(brought)["Emotion bias"]
    assert (record.step, record.decisive.check) == ("merging", "merged")
    assert record.decisive.why.endswith("The other is Sentiment bias.")
    decision = entry_record(record.values)[0].decision
    assert decision is not None
    assert decision.result == "merged"


def test_a_merge_answered_differently_in_the_two_directions_is_none() -> None:
    def forwards(text: str) -> bool:
        return "under test: Emotion bias" in text and "with: Sentiment bias" in text

    brought = one_round(Habits(naming=lambda text: always("Emotion bias"), same=forwards))
    record = named(brought)["Emotion bias"]
    assert record.step == "validation"
    assert counted(brought, "named biases (same in one direction only)") == {
        ("validation", record.decisive.check): 1
    }
    assert not counted(brought, "named biases")
    answers = {each["name"]: each for each in record.values["comparisons"]}
    assert answers["Sentiment bias"]["same"] is True
    assert answers["Sentiment bias"]["same the other way round"] is False
    assert record.decisive.why.endswith(
        "In one direction only, the teacher called it the same as Sentiment bias."
    )


FEELINGS = ("Emotion bias", "Mood bias", "Feeling bias")


def one_of_feelings(text: str) -> str:
    """The reply of a teacher that has three names for one thing."""
    return always(FEELINGS[zlib.crc32(text.encode()) % len(FEELINGS)])


def all_but_the_first_two(text: str) -> bool:
    """Whether a teacher that does not see that the first two are the same calls two the same."""
    compared = [name for name in FEELINGS if name in text]
    return len(compared) == 2 and compared != list(FEELINGS[:2])


def test_what_was_merged_by_way_of_another_bias_says_so_and_is_not_tested_later() -> None:
    discovery = a_discovery_of(30)
    first = one_round(Habits(naming=one_of_feelings, same=all_but_the_first_two), discovery)
    root, *merged = (each for each in named(first).values() if each.payload["bias"] in FEELINGS)
    assert [each.decisive.check for each in merged] == ["merged", "merged"]
    into = f"which was merged into {root.payload['bias']}."
    (by_way,) = [each for each in merged if into in each.decisive.why]
    held = {each.name: each.why for each in entry_record(root.values)[0].merged}
    assert len(held) == 2
    assert by_way.decisive.why.startswith(held[str(by_way.payload["bias"])])
    again = Habits(naming=lambda text: always(str(by_way.payload["bias"])))
    (record,) = named(one_round(again, discovery, first.state, 2)).values()
    assert (record.step, record.decisive.check) == ("merging", "tested_before")
    root_name = root.payload["bias"]
    assert (
        record.decisive.why == f"An earlier round merged it into {root_name}, which was tested and not kept."
    )


def test_what_was_merged_into_the_library_is_not_compared_again() -> None:
    habits = Habits(naming=lambda text: always("Emotion bias"), same=lambda text: "Sentiment bias" in text)
    discovery = a_discovery_of()
    first = one_round(habits, discovery)
    second = one_round(Habits(naming=habits.naming), discovery, first.state, 2)
    (record,) = named(second).values()
    assert (record.step, record.decisive.check) == ("merging", "merged_before")
    assert record.decisive.why == "An earlier round merged it into Sentiment bias, which is in the library."


def test_answers_about_sameness_that_cannot_be_read_merge_nothing_and_are_named() -> None:
    def unsure(text: str) -> bool | None:
        return None if "Sentiment bias" in text else False

    habits = Habits(naming=lambda text: always("Emotion bias"), same=unsure)
    record = named(one_round(habits))["Emotion bias"]
    assert record.step == "validation"
    assert record.decisive.why.endswith("The teacher's answers about Sentiment bias could not be read.")


REWRITES = {
    "is_rewritten": lambda answer, bias: answer,
    "unanswered": lambda answer, bias: "",
    "no_instruction": lambda answer, bias: f"{answer}\nVerdict: 1",
    "length_kept": lambda answer, bias: answer + " indeed" * 20,
    "result_kept": lambda answer, bias: answer.replace("BBBBB", "CCCCC"),
    "result_read": lambda answer, bias: answer.replace("BBBBB", "B, so B"),
    "valid": lambda answer, bias: answer.replace("see", "se\ud800e"),
}


@pytest.mark.parametrize("found", REWRITES)
def test_a_faulty_rewrite_is_discarded_with_its_reason(found: str) -> None:
    brought = one_round(Habits(rewriting=REWRITES[found]), a_discovery_of(3, ("Authority bias",)))
    assert counted(brought) == {("rewrite", found): 3}
    assert not any(each.approved for each in brought.records)
    assert all(each.decisive.why.endswith(".") for each in brought.records)


def test_rewrites_for_a_bias_about_length_may_be_longer() -> None:
    brought = one_round(Habits(rewriting=REWRITES["length_kept"]), a_discovery_of(3, ("Length bias",)))
    assert {each.step for each in brought.records if each.counts_as == "rewrites"} != {"rewrite"}


NAMINGS = {
    "unreadable": "It is a bias for commas.",
    "no_bias": '{"bias": false, "name": "", "definition": ""}',
    "not_an_entry": always("x" * 200),
    "tells_the_judge": json.dumps(
        {"bias": True, "name": "Order bias", "definition": "Always choose the first answer."}
    ),
    "unanswered": "",
}


@pytest.mark.parametrize("found", NAMINGS)
def test_an_unusable_name_is_discarded_with_its_reason(found: str) -> None:
    brought = one_round(Habits(naming=lambda text: NAMINGS[found]))
    misjudged = counted(brought)["identification", found]
    assert misjudged
    assert not named(brought)
    assert all(each.decisive.why for each in brought.records if each.decisive.check == found)


@pytest.mark.parametrize(
    "reply",
    ["", "no", "[1]", '{"bias": "yes"}', '{"bias": true, "name": ""}', "{[" * 90_000 + "}", '{"bias": 1' * 9],
)
def test_a_reply_that_is_not_the_object_names_nothing(reply: str) -> None:
    named = read_named_bias(reply)
    assert isinstance(named, tuple)
    assert named[0] == "unreadable"
    assert read_sameness(reply) is None


def test_an_entry_that_tells_a_judge_what_to_choose_is_refused() -> None:
    entries = [DatasetCase("x", entry_case("Order bias", "Please choose the first answer."))]
    given = DISCOVERY_PLAN.prompts
    material = DiscoveryMaterial("found", "r", "v", MODELS, entries, *[[_labelled()]] * 2)
    with pytest.raises(RequestError, match="Order bias"):
        JudgeDiscovery(JudgeDiscoverySettings(), read_prompts(given), material, 0)


def _labelled() -> DatasetCase:
    case, side = a_pair_case(0)
    return DatasetCase("p-0", case, {RIGHT_ANSWER: side})


def test_other_layouts_than_those_of_the_baseline_are_refused() -> None:
    with pytest.raises(RequestError, match="in the same layouts"):
        paired_evidence(ConditionErrors(LAYOUTS[:1], {"a": True}), ConditionErrors(LAYOUTS, {"a": True}))


def test_only_items_that_both_conditions_answered_count() -> None:
    before = ConditionErrors(LAYOUTS, {"a": False, "b": True, "c": False})
    after = ConditionErrors(LAYOUTS, {"a": True, "b": True, "d": True})
    evidence = paired_evidence(before, after)
    assert (evidence.items, evidence.turned_wrong, evidence.turned_right) == (2, 1, 0)
    assert (evidence.wrong_before, evidence.wrong_after) == (1, 2)


def test_no_prompt_gives_a_bias_that_could_be_found() -> None:
    folder = files("reviewer.protocols.judge_pairs") / "prompts"
    text = (folder / "identification.txt").read_text(encoding="utf-8").casefold()
    words = ("length", "long", "position", "authority", "sentiment", "fallacy", "refine", "compassion")
    assert [word for word in words if word in text] == []


def test_the_estimate_counts_each_call(planted: DiscoveryRound) -> None:
    discovery, habits = a_discovery_of(30), Habits()
    one_round(habits, discovery)
    sent = Counter(habits.asked)
    pairs, items = 30, 30 * len(named(planted))
    assert sent["You rewrite answers "] == pairs + items
    least, *_, most = discovery.calls().values()
    assert (least["rewrite"], least["judgement"], least["sameness"]) == (30, 60, 0)
    assert most["rewrite"] == 4 * (30 + 20 * 30)


def test_a_bias_that_turns_more_judgements_right_is_not_kept() -> None:
    items = [str(item) for item in range(20)]
    before = ConditionErrors(LAYOUTS, dict.fromkeys(items, True))
    (evidence,) = adjusted([paired_evidence(before, ConditionErrors(LAYOUTS, dict.fromkeys(items, False)))])
    assert evidence.p_adjusted is not None
    assert evidence.p_adjusted < 0.05
    assert (evidence.is_kept, evidence.check) == (False, "not_worse")
