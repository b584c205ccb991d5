"""The report of an evaluation run: its pages, tables and figures, from decisions that are known."""

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from reviewer.protocols.evaluation import conditions_of
from reviewer.protocols.probe_swe.evaluation import DilemmaEvaluation, DilemmaFacts
from reviewer.report.evaluation_report import (
    SameNumbers,
    evaluation_document,
    evaluation_files,
    ladder_in_words,
)
from reviewer.report.evaluation_report_tables import report_tables
from reviewer.report.text_table import is_number
from reviewer.results.outcomes.case_choice import AmongCases, all_cases
from reviewer.results.outcomes.effect_rows import ErrorMethod, Tiers
from reviewer.results.outcomes.evaluated import (
    MISSING,
    NOT_ASKED,
    UNREADABLE,
    EvaluatedCase,
    Evaluation,
)
from reviewer.results.outcomes.evaluation_statistics import EffectSettings, compute_evaluation
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings
from store.records import Outcome, Run
from tests.studies import PROBE_SWE

HOSTILE = "<script>alert(1)</script> | \\input{x} $y$"
CHOOSE = "decision 03ead742"
"""How the digest of the prompt "Choose." begins."""
MODELS = ("steady", HOSTILE)
CASES = 40
RIGHT, WRONG = 0, 1
ONE_ORDER = ("as written",)
SETTINGS = EffectSettings(tiers=Tiers("inference_steps", (3, 6, 10)), method=ErrorMethod("linearised"))


def evaluation(orders: tuple[str, ...] = ("as written", "exchanged")) -> Evaluation:
    """The first model goes wrong with the cue in a quarter of the cases; the other in half of them.

    One reply of the other is unreadable, one is missing, and the first case was replaced.
    """
    plan = DilemmaEvaluation()
    chosen = {"version": ("unbiased", "biased"), "order": orders, "cue": ("none",)}
    prompts, sampling = {"decision": "Choose."}, {"temperature": 0.0, "top_p": None, "repeats_by": "seed"}
    settings = EvaluationSettings(
        datasets=("own",), conditions=chosen, repeats=2, prompts=prompts, sampling=sampling
    )
    conditions = conditions_of(plan.factors, chosen)
    cases = tuple(
        EvaluatedCase(
            *(
                place,
                "own",
                f"k{place}",
                f"{place:064x}",
                f"group {place % 2}",
                f"generator {place // 4 % 2}",
            ),
            *(DilemmaFacts("A"), ("A", "B"), {"inference_steps": float(place % 13)}, place == 0),
        )
        for place in range(CASES)
    )
    labels = {model: np.full((CASES, len(conditions), 2), RIGHT, dtype=np.int8) for model in MODELS}
    biased = [place for place, condition in enumerate(conditions) if condition["version"] == "biased"]
    for model, every in zip(MODELS, (4, 2), strict=True):
        labels[model][::every, biased] = WRONG
    labels[HOSTILE][1, biased[0]] = UNREADABLE, MISSING
    run = Run(
        procedure="evaluate",
        name="first",
        protocol="probe-swe",
        settings=settings.model_dump(mode="json"),
        started_at="2026-11-23T11:00:00.000Z",
        created_by="zoe",
    )
    return Evaluation(run, settings, PROBE_SWE, plan, cases, MODELS, conditions, labels)


def unlabelled() -> Iterable[Outcome]:
    yield Outcome(
        run="first",
        model=HOSTILE,
        case=1,
        condition="biased/as written/none",
        repeat=0,
        state="unreadable",
        why="names both options",
        reader_version=1,
        request="",
    )


SAME = SameNumbers("reviewer report --evaluation first", "effects first")


def files_of(made: Evaluation, *, with_figures: bool = False) -> dict[str, str | bytes]:
    half = AmongCases("audit-clean", np.arange(CASES) % 2 == 1, "20 cases cannot be clean.")
    none = AmongCases("strictly clean", np.zeros(CASES, dtype=np.bool_), "20 cases cannot be clean.")
    statistics = compute_evaluation(made, unlabelled(), [all_cases(made), half, none], SETTINGS)
    return evaluation_files(statistics, SAME, with_figures=with_figures)


@pytest.fixture(scope="module")
def files() -> dict[str, str | bytes]:
    return files_of(evaluation())


def table(files: dict[str, str | bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(str(files[f"tables/{name}.csv"]))))


@pytest.mark.parametrize("page", ["report.html", "report.md", "report.tex"])
def test_every_part_is_in_every_format(files: dict[str, str | bytes], page: str) -> None:
    text = str(files[page])
    for part in (
        *("What was asked", "Replies", "Effects", "Tiers", "Position and other conditions"),
        *("Answers without reading", "Over which cases", "Models compared", "How to compute this again"),
        "seed 0; not sent: top",
        *("names both options", "no reply was asked for yet", "Replaced since the run began: own k0"),
        *("one mix of generators", "20 cases cannot be clean", "always the option that the cue favours"),
        *("2 repeats, told apart by the seed that is sent", "temperature 0", "strictly clean: no case."),
        CHOOSE,
    ):
        assert part in text, part
    assert "<script>" not in text
    assert page != "report.tex" or "\\input{x}" not in text


def test_tables_hold_the_numbers_of_the_decisions(files: dict[str, str | bytes]) -> None:
    net = [row for row in table(files, "position") if (row["condition"], row["measure"]) == ("all", "net")]
    steady, other = net
    assert (steady["value"], steady["forward"], steady["backward"]) == ("0.25", "40.0", "0.0")
    assert (other["unreadable"], other["absent"]) == ("1", "1")
    assert float(other["lower_bound"]) < float(other["upper_bound"])
    assert [row["state"] for row in table(files, "replies")] == ["read", "read", "unreadable", "missing"]
    assert {row["model"] for row in table(files, "bounds")} == {HOSTILE}
    assert {row["among"] for row in table(files, "ladder")} == {"all", "audit-clean"}
    coin = next(row for row in table(files, "answerers") if row["answerer"] == "a coin")
    assert (coin["net"], coin["sensitivity"], coin["reads"]) == ("0.0", "0.5", "False")
    difference = next(row for row in table(files, "models") if row["measure"] == "net")
    assert float(difference["difference"]) < 0


def test_each_table_is_there_in_four_formats(files: dict[str, str | bytes]) -> None:
    names = {Path(name).stem for name in files if name.startswith("tables/")}
    assert names == {
        *("replies", "bounds", "effects", "others", "tiers", "tier-differences", "position", "answerers"),
        *("ladder", "models"),
    }
    assert all(f"tables/{name}.{form}" in files for name in names for form in ("csv", "json", "md", "tex"))


def test_every_p_is_corrected_for_all_tests_of_its_table(files: dict[str, str | bytes]) -> None:
    tested = [row for row in table(files, "effects") if row["p"]]
    least = min(tested, key=lambda row: float(row["p"]))
    assert float(least["p_holm"]) == pytest.approx(len(tested) * float(least["p"]))


def test_figures_show_the_rows_of_their_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are laid out and counted, not rendered, which takes seconds."""
    pytest.importorskip("matplotlib", reason="needs the extra 'figures'")
    from matplotlib.figure import Figure

    from reviewer.figures import files as figure_files

    drawn: list[Figure] = []

    def kept(figure: Figure) -> dict[str, bytes]:
        drawn.append(figure)
        return dict.fromkeys(figure_files.FORMATS, b"<svg/>")

    monkeypatch.setattr(figure_files, "_in_every_format", kept)
    files = files_of(evaluation(), with_figures=True)
    names = dict.fromkeys(Path(name).stem for name in files if name.startswith("figures/"))
    assert list(names) == ["effects", "directions", "tiers", "position", "ladder"]
    assert str(files["report.html"]).count("data:image/svg+xml") == len(drawn) == len(names)
    effects, directions, tiers, position, _ = drawn
    rows = ["group 0", "group 1", "all"] * len(MODELS)
    assert [label.get_text() for label in effects.axes[0].get_yticklabels()] == rows
    assert [axes.get_title("left") for axes in effects.axes] == ["net effect", "sensitivity"]
    told = [text.get_text() for text in directions.axes[0].texts]
    assert "→ 40" in told
    assert "of 160 runs" in told
    assert tiers.axes[0].get_xticklabels()[0].get_text() == "low\nn 13"
    coins = [line.get_xdata() for line in position.axes[0].lines if line.get_linestyle() == ":"]
    assert [list(xs) for xs in coins] == [[0.5, 0.5]]


def test_a_run_without_tiers_or_choices_has_no_such_sections() -> None:
    made = evaluation(ONE_ORDER)
    settings = EffectSettings(method=ErrorMethod("linearised"))
    pages = evaluation_files(
        compute_evaluation(made, (), [all_cases(made)], settings), SAME, with_figures=False
    )
    assert "## Tiers" not in str(pages["report.md"])
    assert "## Over which cases" not in str(pages["report.md"])
    assert "Only one order of the options was asked, and option A is right" in str(pages["report.md"])


def test_numbers_with_separators_of_thousands_stand_at_the_right() -> None:
    assert is_number("1,106")
    assert is_number("-12,345,678")
    assert not is_number("1,2")


def every_reply_read(made: Evaluation) -> Evaluation:
    labels = {model: np.where(held < 0, RIGHT, held).astype(np.int8) for model, held in made.labels.items()}
    return replace(made, labels=labels)


def no_reply(made: Evaluation) -> Evaluation:
    return replace(made, labels={model: np.full_like(held, MISSING) for model, held in made.labels.items()})


def asked_once(made: Evaluation) -> Evaluation:
    settings = made.settings.model_copy(update={"repeats": 1})
    return replace(
        made, settings=settings, labels={model: held[:, :, :1] for model, held in made.labels.items()}
    )


def one_model_asked_less(made: Evaluation) -> Evaluation:
    held = made.labels[HOSTILE].copy()
    held[: CASES // 2] = NOT_ASKED
    return replace(made, labels={**made.labels, HOSTILE: held})


class PlanWithUnread(DilemmaEvaluation):
    """The first measure counts an unreadable reply as no answer."""

    measures = (replace(DilemmaEvaluation.measures[0], unread_as=""), *DilemmaEvaluation.measures[1:])
    answerers = ()


class RunFact(NamedTuple):
    """What is so of a run, words that its report then has, and words that would be false."""

    change: Callable[[Evaluation], Evaluation]
    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()


ASKS_ALL = "The run asks 2 models about 40 cases under 2 conditions, 2 times each."
RUN_FACTS = {
    "a reply is missing": RunFact(
        lambda made: made,
        (
            f"{ASKS_ALL} 1 reply is missing.",
            "No table takes another one for an answer.",
            "Effects with their intervals, by model",
            "Grey bars are noise",
            "the others follow a fixed rule and do not read the text",
            "A dotted line stands where a coin does. Diamonds take all",
        ),
        ("models answered 40", "does not ask every model"),
    ),
    "no reply came": RunFact(
        no_reply,
        (
            "Effects by condition. Diamonds take all that was asked together.",
            "0 of 320 outcomes have a label.",
        ),
        ("A dotted line stands",),
    ),
    "every reply is read": RunFact(every_reply_read, (ASKS_ALL,), ("missing.",)),
    "one model was asked fewer cases": RunFact(
        one_model_asked_less,
        (f"{ASKS_ALL} It does not ask every model about every case under every condition.",),
    ),
    "each text was asked once": RunFact(
        asked_once, ("1 time each.", "Noise needs two runs of one text."), ("Grey bars are noise",)
    ),
    "there are few cases": RunFact(
        lambda made: replace(
            made,
            cases=made.cases[:4],
            labels={model: held[:4] for model, held in made.labels.items()},
        ),
        ("Effects, by model and group",),
        ("with their intervals",),
    ),
    "a measure counts unreadable replies": RunFact(
        lambda made: replace(made, plan=PlanWithUnread()),
        (
            "as no answer: net effect. All other measures leave it out.",
            "A coin takes every label equally often.",
        ),
        ("No table takes another one", "fixed rule"),
    ),
}


@pytest.mark.parametrize("name", RUN_FACTS)
def test_no_sentence_on_a_run_is_false_whatever_is_so(name: str) -> None:
    fact = RUN_FACTS[name]
    made = fact.change(evaluation(ONE_ORDER))
    statistics = compute_evaluation(made, (), [all_cases(made)], replace(SETTINGS, tiers=None))
    page = repr(evaluation_document(statistics, report_tables(statistics), SAME).blocks)
    assert [words for words in fact.said if words not in page] == []
    assert [words for words in fact.unsaid if words in page] == []


LADDERS = {
    "all alone": (("all",), ": all."),
    "no case is strictly clean": (
        ("all", "audit-clean"),
        ": all; those without a serious finding on which every check could run (audit-clean).",
    ),
    "experts passed some in two studies": (
        ("all", "passed pilot", "passed second"),
        ": all; those that experts passed.",
    ),
    "every kind of row": (
        ("all", "audit-clean", "strictly clean", "passed pilot", "picked by keys.csv", "without hard_coded"),
        ": all; those without a serious finding on which every check could run (audit-clean); audit-clean "
        "ones without a doubtful finding (strictly clean); those that experts passed; those that were "
        "picked; those that do not fail a check.",
    ),
}


@pytest.mark.parametrize("name", LADDERS)
def test_ladder_names_only_rows_that_it_has(name: str) -> None:
    names, words = LADDERS[name]
    assert (
        ladder_in_words(names).removeprefix(
            "Would the effect survive if only sound cases counted? Each row chooses its cases in another way"
        )
        == words
    )
