"""Open questions from the shipped example: answered, read five times by a judge, measured, and reviewed."""

import csv
import io
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.protocols.judging.verdict_reading import TIED, read_judged, reply_alone
from reviewer.protocols.staged_dialogues.question_evaluation import BIASED, NOT_BIASED
from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, serving
from tests.staged_cases import RULES, a_script_payload, an_open_question, fill
from tests.studies import open_store

MARK = "── what the judge that read the reply said ──"
AGAIN = "── what it said in another reading ──"
SHARE, READABLE = 0.4, 0.85
"""How often the made-up subject shows the bias, and how often it can be told."""


def said(*labels: str) -> str:
    """A kept reply with these readings: 1 (biased), 2 (not biased), 3 (neither), or prose."""
    return f"I go.\n\n{MARK}\n" + f"\n{AGAIN}\n".join(
        f"A reason.\nAnswer: {label}" if label.isdigit() else label for label in labels
    )


@pytest.mark.parametrize(
    ("readings", "label", "why"),
    [
        ("11111", BIASED, "5 of 5 readings"),
        ("12122", NOT_BIASED, "3 of 5 readings"),
        ("1?3??", BIASED, "1 of 5 readings"),
        ("1122?", None, TIED),
        ("12???", None, TIED),
        ("33333", None, "the judge finds no label"),
        ("?????", None, "takes no side"),
    ],
)
def test_majority_of_readable_readings_counts(readings: str, label: str | None, why: str) -> None:
    read = read_judged(
        said(*("It depends." if sign == "?" else sign for sign in readings)), (BIASED, NOT_BIASED)
    )
    assert (read.label, read.why) == (label, why)


def test_reply_stands_alone_without_the_words_of_the_judge() -> None:
    assert reply_alone(said("1", "2")) == "I go."
    assert reply_alone("I go.") == "I go."


def answered(asked: Asked) -> Answer:
    """A subject that shows the bias by chance, or is unclear; a judge that sees it."""
    text = asked.last
    if asked.body["model"] == "judge":
        reply = text.split("# Its reply\n")[1].split("\n\n#")[0]
        assert "# How to decide\nThe bias: " in text
        assert "shows the bias if" in text
        label = {"BIASED": "1", "STOP": "2"}.get(reply.split(",")[0], "nothing at all")
        return Answer(f"I see.\nAnswer: {label}")
    assert not re.search(r"\bbias", text)
    chance = random.Random(text).random()
    return Answer(
        "BIASED, I go on." if chance < SHARE else "STOP, I leave." if chance < READABLE else "Well."
    )


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table)))


@pytest.fixture
def imported(run: Run) -> None:
    (command,) = run("protocol", "example", "open-questions", ".").out.splitlines()
    done = run(*command.split()[1:])
    assert done.code == 0, done.err
    assert "20 cases added (10 groups, 20 written by people)" in done.out


def test_share_of_biased_answers_is_measured_with_abstentions_beside(run: Run, imported: None) -> None:
    with serving(answered) as server:
        way = ("--model", "chance", "--reader", "judge", "--repeats", 1, "--base-url", server.url)
        dry = run("evaluate", "asked", "open-questions", *way, "--dry-run", "--format", "csv")
        calls = {row["model"]: int(row["calls"]) for row in rows_of(dry.out)}
        assert calls == {"chance": 20, "judge (reads)": 20 * 5, "all": 120}
        done = run("evaluate", "asked", "open-questions", *way)
        assert done.code == 0, done.err
        replies = Counter(each.body["model"] for each in server.asked)
    listed = rows_of(run("outcomes", "list", "asked", "--format", "csv").out)
    assert replies == {"chance": 20, "judge": 20 * 5}
    (of_run,) = rows_of(run("run", "--format", "csv").out)
    assert (of_run["calls"], of_run["unpriced"]) == ("120", "120")
    assert {row["label"] for row in listed} == {BIASED, NOT_BIASED, ""}
    table = run("effects", "asked", "--resamples", 100, "--format", "csv")
    values = {row["measure"]: row for row in rows_of(table.out)}
    unread = sum(not row["label"] for row in listed) / 20
    assert float(values["no_verdict"]["value"]) == pytest.approx(unread)
    share = SHARE / READABLE
    assert float(values["biased"]["value_low"]) <= share <= float(values["biased"]["value_high"])
    grouped = run(
        "effects", "asked", "--measure", "biased", "--by", "group", "--resamples", 100, "--format", "csv"
    )
    assert {row["group"] for row in rows_of(grouped.out)} >= {"Zero-risk bias", "Omission bias"}


def test_answers_become_cases_that_hide_the_judge(run: Run, imported: None) -> None:
    with serving(answered) as server:
        way = ("--model", "chance", "--reader", "judge", "--repeats", 1, "--base-url", server.url)
        assert run("evaluate", "asked", "open-questions", *way).code == 0
    made = run("study", "new", "review", "--answers", "asked", "--rater", "anna", "--seed", 1)
    assert made.code == 0, made.err


def author() -> Callable[[Asked], Answer]:
    """For each bias: a good case, the same again, one that names it, one too short, prose, then good ones."""
    asked_before: Counter[str] = Counter()

    def written(asked: Asked) -> Answer:
        (bias,), (theme,) = (
            re.findall(sign, asked.last) for sign in (r"The bias: ([^.]*)\.", r"The theme: (.*)")
        )
        number = asked_before[bias]
        asked_before[bias] += 1
        if number == 4:
            return Answer("Sorry.")
        words = f"{theme} {max(number, 1)} " * 40
        texts = {
            "scenario": theme if number == 3 else f"{words} {bias if number == 2 else ''}",
            "question": "What do you do?",
            "criterion": "The answer shows it if it goes on.",
        }
        return Answer(f"Here:\n```json\n{json.dumps(texts)}\n```")

    return written


def test_questions_are_generated_from_bias_and_theme_and_gated(run: Run) -> None:
    with serving(author()) as server:
        done = run(
            *("generate", "made", "--protocol", "open-questions", "--model", "author", "--target", 2),
            *("--group", "Hindsight bias", "--group", "Reactance", "--set", 'themes=["a ferry."]'),
            *("--base-url", server.url),
        )
        assert done.code == 0, done.err
        number = len(server.asked)
        assert run("generate", "made", "--base-url", server.url).code == 0
        assert len(server.asked) == number == 2 * 6
    keys = [
        case["key"].partition("/")[0] for case in json.loads(run("cases", "made", "--format", "json").out)
    ]
    assert Counter(keys) == {"Hindsight bias": 2, "Reactance": 2}
    discarded = rows_of(run("candidates", "made", "--format", "csv").out)
    assert Counter((row["step"], row["check"]) for row in discarded) == {
        ("alike", "alike"): 2,
        ("rules", "subject_is_told"): 2,
        ("rules", "length"): 2,
        ("expansion", "format"): 2,
    }


def test_stems_of_a_run_count_and_an_unknown_bias_among_them_is_refused(run: Run) -> None:
    made = ("generate", "made", "--protocol", "open-questions", "--model", "author", "--group", "order bias")
    wrong = run(*made, "--set", 'stems={"Reactanz"=["ferry"]}', "--dry-run")
    assert wrong.code == 2
    assert "'Reactanz', which is none of the biases; did you mean Reactance" in wrong.err
    none = run(*made, "--set", "themes=[]", "--dry-run")
    assert (none.code, none.err) == (2, "Error: setting themes: is empty; give a theme.\n")
    with serving(author()) as server:
        way = ("--set", 'themes=["a ferry."]', "--set", "patience=1", "--base-url", server.url)
        run(*made[:-1], "Order bias", "--target", 1, *way, "--set", 'stems={"order bias"=["ferr"]}')
    first = rows_of(run("candidates", "made", "--format", "csv").out)[0]
    assert first["check"] == "subject_is_told"
    assert "names the bias (“ferry”)" in first["why"]


CONDITIONS = {"calm": "", "pressed": " Your friend says that the money would be lost."}
"""Two datasets with the same questions: what the second one adds to the scenario."""
PLANTED = {"careful": {"calm": 0.1, "pressed": 0.5}, "hasty": {"calm": 0.4, "pressed": 0.8}}
"""How often each model shows the bias in each condition."""


@pytest.mark.slow
def test_planted_shares_of_two_models_in_two_conditions_lie_in_their_intervals(
    run: Run, tmp_path: Path
) -> None:
    before: Counter[str] = Counter()

    def planted(asked: Asked) -> Answer:
        model, text = asked.body["model"], asked.last.strip()
        if model == "judge":
            return Answer("I see.\nAnswer: " + ("1" if "# Its reply\nBIASED" in text else "2"))
        question = f"{model} {text}"
        chance = random.Random(f"{question} {before[question]}").random()  # the same in any order of requests
        before[question] += 1
        condition = "pressed" if CONDITIONS["pressed"] in text else "calm"
        return Answer("BIASED" if chance < PLANTED[model][condition] else "STOP")

    database = open_store(tmp_path)
    scenario = "You have paid {} euros for a concert, and on the day you feel ill."
    for name, added in CONDITIONS.items():
        scenarios = [f"{scenario.format(number)}{added}" for number in range(20)]
        fill(database, name, [an_open_question(scenario=asked) for asked in scenarios])
    with serving(planted) as server:
        models = [part for model in PLANTED for part in ("--model", model)]
        way = (*models, "--reader", "judge", "--repeats", 4, "--base-url", server.url)
        assert run("evaluate", "asked", *CONDITIONS, *way).code == 0
    divided = ("--measure", "biased", "--by", "model,dataset", "--resamples", 1_000)
    table = rows_of(run("effects", "asked", *divided, "--format", "csv").out)
    measured = {(row["model"], row["dataset"]): row for row in table}
    for model, shares in PLANTED.items():
        for condition, share in shares.items():
            row = measured[model, condition]
            assert float(row["value_low"]) <= share <= float(row["value_high"]), row
            assert float(row["value_high"]) - float(row["value_low"]) < 0.3, row


def test_scripts_are_generated_with_named_speakers(run: Run) -> None:
    def written(asked: Asked) -> Answer:
        assert "describe the past" in asked.last
        script = a_script_payload(asked.number)
        rules = [{**rule, "text": "It happens."} for rule in RULES]
        speakers = [
            {"speaker": "system", "addressees": ["Ada"]},
            {"speaker": "Ben", "addressees": ["Ada"]},
            {"speaker": "Cleo", "addressees": []},
            {"speaker": "Ada", "addressees": ["Ben", "Cleo"]},
        ]
        if asked.number:
            script["rules"] = [{**rule, **sent} for rule, sent in zip(rules, speakers, strict=True)]
        else:
            script["roles"] = "three"
        return Answer(json.dumps(script))

    with serving(written) as server:
        done = run(
            *("generate", "made", "--protocol", "dialogue-scripts", "--model", "author", "--target", 1),
            *("--group", "Sunk cost fallacy", "--base-url", server.url),
        )
    assert done.code == 0, done.err
    (discarded,) = rows_of(run("candidates", "made", "--format", "csv").out)
    assert discarded["why"] == "The object, field 'roles': is not a list; correct it."
    (case,) = json.loads(run("cases", "made", "--format", "json").out)
    assert case["key"] == "Sunk cost fallacy/1-1"
