"""A question whose labels stand in order: final labels, tables, screens and report."""

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.agreement.coefficient import COEFFICIENTS, ORDERED_COEFFICIENTS
from reviewer.agreement.ratings import Ratings
from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.protocols.registry import Protocols
from reviewer.report.report_choices import Look
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import report_files
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.disagreements import disagreements
from reviewer.results.labels.final_labels import final_labels
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.second_protocol.material import dialogues, fill_tiny
from tests.tiny_protocol.protocol import FIT, PREFERENCE, Tiny
from tests.tui.conftest import Opener, press, press_in_turn, seen


class Graded(Tiny):
    """Six and seven pass."""

    questions = (PREFERENCE, FIT.model_copy(update={"passing": ("6", "7")}))


GRADED = Protocols(Graded())
FITS: Mapping[str, Sequence[str]] = {"anna": "676415", "ben": "574417", "cara": "776422"}
"""Each rater's labels of the six cases, in the order of the sample."""
PREFERENCES: Mapping[str, Sequence[str]] = {
    "anna": ("first", "first", "tie", "second", "first", "tie"),
    "ben": ("first", "first", "tie", "second", "second", "first"),
    "cara": ("first", "second", "tie", "second", "first", "second"),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed study of the six dialogues; three raters answered everything."""
    path = tmp_path_factory.mktemp("graded") / "reviewer.db"
    with closing(Database.open(str(path), protocols=GRADED)) as database:
        fill_tiny(database, "talks", dialogues())
        create_study(database, "pilot", Design(("talks",), None, 3))
        for rater in FITS:
            answer(database, rater, {"fit": FITS[rater], "preference": PREFERENCES[rater]})
        close_study(database, "pilot", "lead")
    return path


def answer(database: Database, rater: str, labels: Mapping[str, Sequence[str]], study: str = "pilot") -> None:
    """Give one label for each case, in one turn."""
    bundle, _ = read_study(database, study)
    join_study(database, bundle.study, rater)
    with Ledger(database).turn(study, rater, "") as turn:
        for question in bundle.questions:
            for slot, label in zip(bundle.slots(question), labels[question.key], strict=True):
                turn.add(
                    case=slot.case,
                    question=question.key,
                    question_digest=bundle.shown_digest(slot),
                    kind="label",
                    given="app",
                    value=label,
                    active_ms=9000,
                )


@pytest.fixture
def database(graded: Path, tmp_path: Path) -> Database:
    """A copy of the study's store, which commands find without being told."""
    shutil.copy(graded, tmp_path / "reviewer.db")
    return Database.open(str(tmp_path / "reviewer.db"), protocols=GRADED)


def rows(run: Run, *words: object) -> list[dict[str, object]]:
    """What a command prints as JSON."""
    done = run(*words, "--format", "json", protocols=GRADED)
    assert done.code == 0, done.err
    return json.loads(done.out)  # type: ignore[no-any-return]


def test_item_passes_with_its_final_label_and_is_undecided_without_one(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    fits = [final for final in final_labels(bundle, events) if final.question.key == "fit"]
    assert [final.label for final in fits] == [None, "7", "6", "4", "1", None]
    assert [final.passes for final in fits] == [None, True, True, False, False, None]
    by_median = [final for final in final_labels(bundle, events, "median") if final.question.key == "fit"]
    assert [final.passes for final in by_median] == [True, True, True, False, False, False]
    preferences = [final for final in final_labels(bundle, events) if final.question.key == "preference"]
    assert {final.passes for final in preferences} == {None}


def test_the_median_decides_where_labels_have_an_order(database: Database, run: Run) -> None:
    by_majority, by_median = rows(run, "labels", "pilot"), rows(run, "labels", "pilot", "--rule", "median")
    fits = [row for row in by_median if row["question"] == "fit"]
    assert [row["final"] for row in fits] == ["6", "7", "6", "4", "1", "5"]
    assert [row["status"] for row in fits] == [
        "median",
        "unanimous",
        "median",
        "unanimous",
        "median",
        "median",
    ]
    assert [row["steps_apart"] for row in fits] == [2, 0, 2, 0, 1, 5]
    assert {row["rule"].partition(",")[2][:16] for row in fits} == {" else the median"}  # type: ignore[attr-defined]
    others = [row for row in by_median if row["question"] == "preference"]
    assert others == [row for row in by_majority if row["question"] == "preference"]
    assert [row["median"] for row in by_majority if row["question"] == "fit"] == [
        row["final"] for row in fits
    ]
    done = run("labels", "pilot", "--rule", "median", protocols=GRADED)
    assert "Rule for fit: adjudicated, else the median" in done.err
    assert "Rule for preference: adjudicated, else strict majority" in done.err


def test_exports_and_reports_name_the_rule_of_their_final_labels(database: Database, tmp_path: Path) -> None:
    bundle, events = read_study(database, "pilot")
    plain = Method(interval="none")
    export_study(StudySource.of(bundle, events), tmp_path, (), plain, rule="median")
    finals = [json.loads(line) for line in (tmp_path / "final_labels.jsonl").read_text().splitlines()]
    assert [row["final"] for row in finals if row["question"] == "fit"] == ["6", "7", "6", "4", "1", "5"]
    assert json.loads((tmp_path / "study.json").read_text())["tables"]["rule"] == "median"
    export_study(StudySource.of(bundle, events), tmp_path, (), plain)
    assert json.loads((tmp_path / "study.json").read_text())["tables"]["rule"] == "majority"
    statistics = compute_statistics(bundle, events, plain, Look(by=("question",), rule="median"))
    report = str(report_files(statistics, with_figures=False)["report.md"]).replace("\\", "")
    assert "Otherwise it is the median of the votes where labels have an order" in report
    assert "reviewer export pilot --rule median" in report


@pytest.mark.usefixtures("database")
def test_a_rule_of_final_labels_without_a_study_is_refused(run: Run) -> None:
    done = run("datasets", "export", "talks", "-o", "x.jsonl", "--rule", "median", protocols=GRADED)
    assert done.code == 2
    assert "name it with --study" in done.err


def test_counts_and_own_labels_speak_of_distance(database: Database, run: Run) -> None:
    counted = {row["question"]: row for row in rows(run, "labels", "pilot", "--counts", "--rule", "median")}
    assert (counted["fit"]["median"], counted["fit"]["open"], counted["fit"]["passing"]) == (4, 0, 0.5)
    assert "median" not in rows(run, "labels", "pilot", "--counts")[0]
    own = run("labels", "pilot", "--rater", "ben", "--rule", "median", protocols=GRADED)
    assert (
        "ben differs from the final label on 4 of 12: one step apart on 1, two steps apart on 2." in own.err
    )


def test_a_median_between_two_labels_leaves_the_item_open(database: Database, run: Run) -> None:
    reopen_study(database, "pilot", "lead", "dora is late")
    answer(database, "dora", {"fit": "777777", "preference": ["first"] * 6})
    fits = [row for row in rows(run, "labels", "pilot", "--rule", "median") if row["question"] == "fit"]
    assert [row["final"] for row in fits] == [None, "7", "6", "4", None, "6"]
    assert fits[0]["open_because"] == "the median falls between 6 and 7"


ORDERED = ("po_pairwise", "fleiss_kappa", "gwet_ac2", "brennan_prediger")
ALPHAS = ("krippendorff_alpha_ordinal", "krippendorff_alpha_interval")


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_labels_in_order_have_weighted_coefficients(run: Run, weights: str) -> None:
    by = ("agreement", "pilot", "--by", "question", "--interval", "analytic")
    preference, fit, mean, pooled = rows(run, *by, "--weights", weights)
    keys = [f"{key}_{weights}" for key in ORDERED] + [*ALPHAS]
    labels = [*zip(*FITS.values(), strict=True)]
    ratings = Ratings.from_labels(labels, FIT.labels, [*FITS])
    for key in keys:
        estimate = ORDERED_COEFFICIENTS[key](ratings)
        assert fit[key] == pytest.approx(estimate.value, abs=1e-12)
        assert (preference[key], preference[f"{key}_undefined"]) == (None, "labels have no order")
        assert (mean[key], mean[f"{key}_left_out"]) == (fit[key], 1)
        assert pooled[f"{key}_undefined"] == "questions with different labels"
    assert (fit["po_all_agree"], fit["fleiss_kappa"]) == (pytest.approx(2 / 6), None)
    assert fit["fleiss_kappa_undefined"] == "labels have an order"
    assert preference["fleiss_kappa"] is not None
    assert not [key for key in fit if key.endswith("_linear" if weights == "quadratic" else "_quadratic")]
    beside = rows(run, *by, "--weights", weights, "--unweighted")
    assert beside[1]["fleiss_kappa"] == pytest.approx(COEFFICIENTS["fleiss_kappa"](ratings).value, abs=1e-12)
    assert {key: beside[1][key] for key in keys} == {key: fit[key] for key in keys}


@pytest.mark.usefixtures("database")
def test_pairs_and_named_coefficients_have_weights_too(run: Run) -> None:
    pairs = rows(run, "agreement", "pilot", "--by", "question,pair", "--interval", "none")
    cohen = {row["pair"]: row["cohen_kappa_quadratic"] for row in pairs if row["question"] == "fit"}
    assert cohen["anna & ben"] is not None
    named = rows(run, "agreement", "pilot", "--by", "question", "--coefficient", "kappa,alpha")[1]
    values = {key for key in named if key.endswith(("_quadratic", "_ordinal", "_interval"))}
    assert values == {"fleiss_kappa_quadratic", *ALPHAS}


@pytest.mark.usefixtures("database")
def test_a_study_without_order_keeps_its_columns(run: Run) -> None:
    only = rows(run, "agreement", "pilot", "--by", "question", "--coefficient", "all")[0]
    assert "gwet_ac1" in only
    text = run("agreement", "pilot", "--by", "question", protocols=GRADED)
    assert "κ quadratic" in text.out
    assert (
        "fit: labels of an item are one step apart on 1, two steps apart on 2, five steps apart on 1"
        in text.err
    )


@pytest.mark.usefixtures("database")
def test_labels_are_counted_by_group_with_their_medians(run: Run) -> None:
    spreads = {(row["question"], row["group"]): row for row in rows(run, "agreement", "pilot", "--labels")}
    fit = spreads["fit", "all"]
    assert (fit["answers"], fit["median_low"], fit["median_high"]) == (18, "5", "5")
    assert json.loads(str(fit["counts"])) == {"1": 2, "2": 2, "3": 0, "4": 4, "5": 2, "6": 3, "7": 5}
    assert spreads["preference", "all"]["median_low"] is None
    assert {group for question, group in spreads if question == "fit"} == {"trains", "tea", "all"}
    shown = run("agreement", "pilot", "--labels", protocols=GRADED)
    assert "▄▄·▇▄▅█" in shown.out
    refused = run("agreement", "pilot", "--by-label", protocols=GRADED)
    assert (refused.code, refused.out) == (2, "")
    assert "no question of study 'pilot' takes several labels" in refused.err


@pytest.mark.usefixtures("database")
def test_the_report_and_export_have_labels_by_group(run: Run, tmp_path: Path) -> None:
    done = run("report", "pilot", "-o", tmp_path / "report", "--no-figures", protocols=GRADED)
    assert done.code == 0, done.err
    text = (tmp_path / "report" / "report.md").read_text()
    assert "Labels by group" in text
    assert "AC2 quadratic" in text
    assert "on “fit” (one step apart on 1, two steps apart on 2, five steps apart on 1)" in text
    assert "the median of the votes gives 6 of 6 items a label" in text
    assert run("export", "pilot", "-o", tmp_path / "out", protocols=GRADED).code == 0
    assert "median_low" in (tmp_path / "out" / "label_counts.csv").read_text()


def test_the_label_matrix_shades_by_distance(database: Database) -> None:
    from reviewer.figures.label_charts import label_matrix  # matplotlib takes a second to load

    found = disagreements(
        bundle := read_study(database, "pilot")[0], label_rows(*read_study(database, "pilot"))
    )
    fits = [each for each in found if each.question.key == "fit"]
    assert [each.distance for each in fits] == [
        bundle.question("fit").distance(labels)
        for labels in zip(*FITS.values(), strict=True)
        if len({*labels}) > 1
    ]
    (legend,) = label_matrix(fits).legends
    shades = {
        text.get_text(): box.get_facecolor()
        for text, box in zip(legend.get_texts(), legend.get_patches(), strict=True)
    }
    assert [*shades] == ["the median", "one step from it", "two steps from it", "three or more"]
    assert len({*shades.values()}) == 4


async def test_the_agreement_screen_weighs_labels_in_order(database: Database, opened: Opener) -> None:
    async with opened(None, rater="lead") as pilot:
        await press_in_turn(pilot, "a", "right")
        assert "κ quadratic" in seen(pilot)
        await press(pilot, "w")
        assert "κ linear" in seen(pilot)
        for _ in range(4):
            await press(pilot, "v")
        assert "▄▄·▇▄▅█" in seen(pilot)
        await press_in_turn(pilot, "v", "right", "enter")
        assert "two steps apart" in seen(pilot)


@pytest.mark.usefixtures("database")
def test_raters_are_compared_by_distance(run: Run) -> None:
    ben = {
        row["rater"]: row
        for row in rows(run, "agreement", "pilot", "--raters", "--by", "question")
        if row["question"] == "fit"
    }["ben"]
    assert ben["steps_from_others"] == pytest.approx((1 + 2 + 0 + 0 + 2 + 2 + 0 + 0 + 0 + 1 + 2 + 5) / 12)
    assert ben["without_fleiss_kappa_quadratic"] is not None


def test_a_median_needs_labels_in_order(database: Database, run: Run) -> None:
    create_study(database, "plain", Design(("talks",), None, 3, questions=("preference",)))
    join_study(database, read_study(database, "plain")[0].study, "anna")
    with Ledger(database).turn("plain", "anna", "") as turn:
        bundle = read_study(database, "plain")[0]
        slot = bundle.slots(bundle.questions[0])[0]
        turn.add(
            case=slot.case,
            question=slot.question,
            question_digest=bundle.shown_digest(slot),
            kind="label",
            given="app",
            value="tie",
        )
    refused = run("labels", "plain", "--rule", "median", protocols=GRADED)
    assert refused.code == 2
    assert "no question of study 'plain' has labels in order" in refused.err
