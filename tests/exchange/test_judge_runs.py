"""What judges said of published pairs: imported, measured, and counted again from the files alone."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.evaluations.outcome_import import ImportedOutcomes, OutcomeSource, import_outcomes
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.oracle.program_runner import LocalRunner
from reviewer.protocols.judge_pairs.evaluation import JudgeEvaluation
from reviewer.protocols.registry import protocols_of
from reviewer.report.evaluation_report import SameNumbers, evaluation_document
from reviewer.results.outcomes.case_choice import CaseChoice, among
from reviewer.results.outcomes.effect_estimates import effect_table
from reviewer.results.outcomes.effect_rows import EffectTable, ErrorMethod
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.results.outcomes.evaluation_statistics import EffectSettings, compute_evaluation
from reviewer.runs.audit.dataset_audit import audit
from store.database import Database
from store.evaluations import Evaluations
from store.findings import cases_in
from store.records import JsonValue
from tests.answer_pairs import a_row, write_lines
from tests.shared_data import shared_file

QUICK = ErrorMethod(resamples=200)
FLIPPED = {"A>B": "B>A", "B>A": "A>B", "A=B": "A=B", None: None}
PUBLISHED = {
    "o1-mini": (0.6571, (230, 39, 81), 110, (58, 18), (0.5844, 0.6224, 0.8214, 0.7857)),
    "grm-gemma-2b": (0.5943, (208, 142, 0), 0, (0, 0), (0.6299, 0.5306, 0.6429, 0.5476)),
    "skywork-llama-8b": (0.6229, (218, 131, 1), 1, (0, 1), (0.5909, 0.6429, 0.7679, 0.5000)),
    "internlm2-7b": (0.5943, (208, 142, 0), 0, (0, 0), (0.5649, 0.6122, 0.7143, 0.5000)),
}
BENCHMARKS = ("mmlu-pro", "livebench-reasoning", "livebench-math", "livecodebench")


def a_judgement(decision: JsonValue, **other: JsonValue) -> dict[str, JsonValue]:
    judged = {"judge_model": "judge-1", "prompt": "Which?", "response": f"[[{decision}]]", **other}
    return {"judgment": judged, "decision": decision}


def a_run_row(number: int, first: JsonValue, second: JsonValue, **other: JsonValue) -> dict[str, JsonValue]:
    return {**a_row(number), "judgments": [a_judgement(first), a_judgement(second)], **other}


def bring(database: Database, path: Path, run: str = "judges", dataset: str = "pairs") -> ImportedOutcomes:
    return import_outcomes(database, run, OutcomeSource(path, "judge-bench", (dataset,)), "lead")


def evaluated(database: Database, run: str = "judges") -> Evaluation:
    return read_evaluation(database, protocols_of(database), run)


def values(table: EffectTable, row: int = 0) -> dict[str, float | None]:
    return {key: effect.estimate.value for key, effect in table.rows[row].effects.items()}


# -- the published runs ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the 350 pairs, audited, and the four runs."""
    path = tmp_path_factory.mktemp("judges") / "reviewer.db"
    pairs = shared_file("biasscope/pairs-gpt4o.jsonl")
    with closing(Database.open(str(path))) as database:
        import_path(database, pairs, "pairs", protocol="judge-pairs")
        with database.read() as session, ThreadPoolExecutor(1) as executor:
            audit(database, [cases_in(session, "pairs")], LocalRunner(executor))
        for name in PUBLISHED:
            done = bring(database, shared_file(f"biasscope/judge-{name}.jsonl"))
            assert (done.read, done.missing) == (700, 0)
            if name == "o1-mini":
                assert [note[:30] for note in done.notices] == ["675 of 700 outcomes record a p"]
            elif name == "skywork-llama-8b":
                assert [note[:30] for note in done.notices] == ["2 of 700 outcomes prefer an an"]
    return path


def counted_from(name: str) -> tuple[Counter[str], Counter[tuple[str, bool]], Counter[str]]:
    """Sums of both orders, right ones by benchmark, and preferences of both orders, from the file alone."""
    sums, by, both = Counter[str](), Counter[tuple[str, bool]](), Counter[str]()
    for line in shared_file(f"biasscope/judge-{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        one, other = (judged["decision"] for judged in row["judgments"])
        names = (one, FLIPPED[other])
        total = sum((said == row["label"]) - (said == FLIPPED[row["label"]]) for said in names)
        sums["right" if total > 0 else "wrong" if total < 0 else "tie"] += 1
        source = row["source"]
        by[next(known for known in BENCHMARKS if source.startswith(known)), total > 0] += 1
        both["inconsistent"] += names[0] != names[1]
        both["none"] += (one is None) + (other is None)
        both["first"] += one == other == "A>B"
        both["second"] += one == other == "B>A"
        lengths = len(row["response_A"]) - len(row["response_B"])
        longer = "A>B" if lengths > 0 else "B>A" if lengths < 0 else ""
        for said in names:
            both["sided"] += bool(longer) and said in ("A>B", "B>A")
            both["longer"] += bool(longer) and said == longer
            both["single"] += said == row["label"]
    return sums, by, both


@pytest.mark.slow
def test_every_published_number_is_measured_and_counted_from_the_files(published: Path) -> None:
    with closing(Database.open(str(published))) as database:
        evaluation = evaluated(database)
    whole = effect_table(evaluation, by=("model",), method=QUICK)
    divided = effect_table(evaluation, by=("model", "benchmark"), measures=("right",), method=QUICK)
    assert whole.clusters == "question"
    shares = {tuple(row.where.values()): row.effects["right"].estimate.value for row in divided.rows}
    for row, (name, numbers) in zip(whole.rows, PUBLISHED.items(), strict=True):
        right, sums, inconsistent, places, benchmarks = numbers
        counts, by, both = counted_from(name)
        effects = row.effects
        assert effects["right"].estimate.value == pytest.approx(right, abs=5e-5)
        assert tuple(effects[key].forward for key in ("right", "wrong", "tie")) == sums
        assert tuple(counts[key] for key in ("right", "wrong", "tie")) == sums
        assert effects["inconsistent"].forward == both["inconsistent"] == inconsistent
        assert effects["none"].forward == both["none"] == 0
        assert (effects["place"].forward, effects["place"].backward) == places
        assert (both["first"], both["second"]) == places
        assert effects["single"].estimate.value == pytest.approx(both["single"] / 700)
        assert effects["longer"].estimate.value == pytest.approx(both["longer"] / both["sided"])
        for benchmark, share in zip(BENCHMARKS, benchmarks, strict=True):
            counted = by[benchmark, True] / (by[benchmark, True] + by[benchmark, False])
            assert counted == pytest.approx(share, abs=5e-5)
            assert shares[row.where["model"], benchmark] == pytest.approx(counted)
    n, least = sum(PUBLISHED["o1-mini"][3]), min(PUBLISHED["o1-mini"][3])
    exact = 2 * sum(math.comb(n, k) for k in range(least + 1)) / 2**n
    assert whole.rows[0].effects["place"].test.p == pytest.approx(exact)
    assert exact == pytest.approx(4.7e-6, rel=0.01)


def test_without_same_results_the_share_moves_and_one_order_rewards_the_first_place(published: Path) -> None:
    with closing(Database.open(str(published))) as database:
        evaluation = evaluated(database)
        cases = among(database, evaluation, CaseChoice(without=("same_result",)))
        with pytest.raises(RequestError, match="is about the dataset as a whole and cannot choose cases"):
            among(database, evaluation, CaseChoice(without=("place_of_right_answer",)))
    table = effect_table(evaluation, by=("model",), measures=("right",), among=cases.chosen, method=QUICK)
    assert (table.cases, cases.title) == (328, "without same_result")
    assert values(table)["right"] == pytest.approx(0.6463, abs=5e-5)
    single = effect_table(evaluation, by=("order",), measures=("single",), method=QUICK)
    nulls = [row.effects["single"].nulls["first"] for row in single.rows]
    assert nulls == pytest.approx([193 / 350, 157 / 350])
    assert round(193 / 350, 4) == 0.5514


# -- made runs -------------------------------------------------------------------------------------


@pytest.fixture
def pairs(tmp_path: Path) -> Database:
    """A store with four pairs, the first of which are about one question."""
    rows = [a_row(number) for number in range(4)]
    rows[1]["question"] = rows[0]["question"]
    database = Database.open(str(tmp_path / "made.db"))
    import_path(database, write_lines(tmp_path / "pairs.jsonl", rows), "pairs", protocol="judge-pairs")
    return database


def of_pairs(rows: list[dict[str, JsonValue]]) -> list[dict[str, JsonValue]]:
    """The rows, with the question that the second pair shares with the first."""
    return [{**row, "question": rows[0]["question"]} if row["pair_id"] == "pair-1" else row for row in rows]


def test_ties_and_none_count_nothing_and_nulls_are_exact(pairs: Database, tmp_path: Path) -> None:
    rows = of_pairs(
        [
            a_run_row(0, "A>B", None),
            a_run_row(1, "A=B", "B>A"),
            a_run_row(2, "A>B", "A>B"),
            a_run_row(3, None, None),
        ]
    )
    assert bring(pairs, write_lines(tmp_path / "run.jsonl", rows)).read == 8
    evaluation = evaluated(pairs)
    table = effect_table(evaluation, method=QUICK)
    assert values(table) == {
        "right": 0.25,
        "wrong": 0.25,
        "tie": 0.5,
        "inconsistent": 0.75,
        "place": 0.25,
        "single": 0.25,
        "longer": 0.75,
        "none": 3 / 8,
    }
    effects = table.rows[0].effects
    assert effects["right"].estimate.n == 3
    assert effects["right"].bounds == (0.0, 0.5)
    nulls = {key: dict(effects[key].nulls) for key in ("right", "tie", "place", "longer")}
    assert nulls["right"] == {"coin": 0.25, "first": 0, "second": 0, "longer": 0.5, "tie": 0}
    assert nulls["tie"] == {"coin": 0.5, "first": 1, "second": 1, "longer": 0, "tie": 1}
    assert nulls["place"] == {"coin": 0, "first": 1, "second": -1, "longer": 0, "tie": 0}
    assert nulls["longer"] == {"coin": 0.5, "first": 0.5, "second": 0.5, "longer": 1, "tie": None}


def test_spellings_scores_and_a_single_order_are_read(pairs: Database, tmp_path: Path) -> None:
    scored = {"response": "", "prompt": "", "scores": [1.0, 1.0]}
    rows = [
        {**a_row(0), "judgments": [a_judgement("a > b", **scored)]},
        {**a_row(2), "judgments": [a_judgement("B>A", response=" Which?\n")]},
    ]
    done = bring(pairs, write_lines(tmp_path / "run.jsonl", rows))
    assert done.model == "judge-1"
    assert [note.split(" so the file")[0] for note in done.notices[:2]] == [
        "1 of 2 outcomes prefer an answer although both scores are equal",
        "1 of 2 outcomes record a prompt that equals the reply but for blanks at the ends,",
    ]
    kept = list(Evaluations(pairs).outcomes("judges"))
    assert [(one.label, one.reply) for one in kept] == [
        ("first", "Scores: 1.0 and 1.0."),
        ("second", " Which?\n"),
    ]
    table = effect_table(evaluated(pairs), method=QUICK)
    assert (values(table)["right"], values(table)["single"]) == (None, 0.5)
    assert "Ask both orders." in " ".join(table.sentences)


def test_pairs_that_share_a_question_can_be_left_out(pairs: Database, tmp_path: Path) -> None:
    bring(
        pairs, write_lines(tmp_path / "run.jsonl", of_pairs([a_run_row(n, "A>B", "B>A") for n in range(4)]))
    )
    evaluation = evaluated(pairs)
    cases = among(pairs, evaluation, CaseChoice(without=("repeated_questions",)))
    assert (cases.title, cases.chosen.tolist()) == ("without repeated_questions", [False, False, True, True])


def test_a_file_of_one_order_says_so(pairs: Database, tmp_path: Path) -> None:
    rows = [{**a_row(number), "judgments": [a_judgement("A>B")]} for number in range(4)]
    done = bring(pairs, write_lines(tmp_path / "run.jsonl", of_pairs(rows)))
    assert done.notices == ("the file has no outcome with the order “exchanged”, and neither has the run",)


def test_a_run_that_lacks_pairs_and_orders_counts_them_as_missing(pairs: Database, tmp_path: Path) -> None:
    rows = [a_run_row(0, "A>B", "B>A"), {**a_row(2), "judgments": [a_judgement("A>B")]}]
    done = bring(pairs, write_lines(tmp_path / "run.jsonl", rows))
    assert (done.cases, done.read, done.missing) == (2, 3, 1)
    lacks = "the file lacks 2 of 4 cases of dataset pairs; the run has only the other 2"
    assert done.notices == (lacks,)
    again = bring(pairs, write_lines(tmp_path / "run.jsonl", rows))
    assert not again.added


def test_a_newer_reader_does_not_make_an_imported_file_another_one(
    pairs: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_lines(tmp_path / "run.jsonl", of_pairs([a_run_row(n, "A>B", "B>A") for n in range(4)]))
    bring(pairs, file)
    monkeypatch.setattr(JudgeEvaluation, "reader_version", JudgeEvaluation.reader_version + 1)
    assert not bring(pairs, file).added


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"judgments": None}, "column 'judgments': is null, not a list"),
        ({"judgments": []}, "column 'judgments': holds 0 judgements"),
        ({"judgments": [a_judgement("A>B")] * 3}, "holds 3 judgements"),
        ({"judgments": ["A>B"]}, "holds something that is not an object"),
        ({"judgments": [a_judgement("A>>B")]}, "judgement 1, field 'decision': 'A>>B' is not a verdict"),
        ({"judgments": [a_judgement(1)]}, "field 'decision': is a number"),
        ({"judgments": [a_judgement("A>B", judge_model=None)]}, "field 'judge_model': is null"),
        (
            {"judgments": [a_judgement("A>B"), a_judgement("B>A", judge_model="judge-2")]},
            "names two models, judge-1 and judge-2",
        ),
        (
            {"judgments": [a_judgement("A>B", scores=[1, 2])]},
            "prefers the first answer, and its scores are 1 and 2",
        ),
        ({"judgments": [a_judgement("A=B", scores=[1, 2])]}, "prefers neither answer, and its scores are"),
        ({"judgments": [a_judgement("A>B", scores=[1])]}, "field 'scores': is not a list of two numbers"),
        ({"response_A": "Other."}, "has other texts than pair-0: the case there is"),
        ({"pair_id": "pair-9"}, "names pair-9, which dataset pairs does not have"),
        ({"label": "B>A"}, "says that right_answer of pair-0 is second, and dataset pairs says first"),
        ({"label": "A"}, "column 'label': 'A' names no right answer"),
        ({"label": 3}, "column 'label': '3' names no right answer"),
        ({"pair_id": 7}, "column 'pair_id': is a number, not a text"),
    ],
)
def test_a_row_with_a_fault_is_named_and_nothing_is_written(
    pairs: Database, tmp_path: Path, change: Mapping[str, JsonValue], said: str
) -> None:
    path = write_lines(tmp_path / "run.jsonl", [{**a_run_row(0, "A>B", "B>A"), **change}])
    with pytest.raises(InputError) as fault:
        bring(pairs, path)
    assert said in str(fault.value)
    assert Evaluations(pairs).find("judges") is None


def test_a_pair_that_is_there_twice_and_a_second_model_are_refused(pairs: Database, tmp_path: Path) -> None:
    twice = write_lines(tmp_path / "twice.jsonl", [a_run_row(0, "A>B", "B>A")] * 2)
    with pytest.raises(InputError, match="line 2: is a second row for repeat 1 of pair-0"):
        bring(pairs, twice)
    other = {**a_row(2), "judgments": [a_judgement("A>B", judge_model="judge-2")]}
    two = write_lines(tmp_path / "two.jsonl", [a_run_row(0, "A>B", "B>A"), other])
    with pytest.raises(InputError, match=r"names the model judge-2, and two\.jsonl, line 1 names judge-1"):
        bring(pairs, two)


def test_a_model_under_a_second_name_is_said_or_refused(pairs: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "run.jsonl", [a_run_row(0, "A>B", "B>A")])
    other = OutcomeSource(path, "judge-bench", ("pairs",), "my judge")
    done = import_outcomes(pairs, "renamed", other, "lead")
    assert done.notices[0] == "the file names the model judge-1; its outcomes are kept under my judge"
    bring(pairs, path)
    with pytest.raises(RequestError, match="names the model judge-1, whose outcomes evaluation run 'judges'"):
        import_outcomes(pairs, "judges", other, "lead")
    capital = OutcomeSource(path, "judge-bench", ("pairs",), "Judge -1")
    with pytest.raises(RequestError, match="outcomes of judge-1, and Judge -1 looks like that name"):
        import_outcomes(pairs, "judges", capital, "lead")


def test_a_report_says_what_a_coin_takes_and_what_counts_as_no_answer(
    pairs: Database, tmp_path: Path
) -> None:
    bring(pairs, write_lines(tmp_path / "run.jsonl", [a_run_row(0, "A>B", None)]))
    settings = EffectSettings(method=ErrorMethod("linearised"))
    statistics = compute_evaluation(evaluated(pairs), (), (), settings)
    page = str(evaluation_document(statistics, {}, SameNumbers("again", "effects judges")))
    assert "A coin takes first and second equally often" in page
    assert "as no answer: right, wrong, tie, inconsistent, first place, one order, none." in page
    assert "cases, those that share a question together" in page
