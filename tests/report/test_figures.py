"""Figures: there in every format, with their fonts, without dates, the same bytes every time."""

import os
import pickle
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question
from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.disagreements import VotedItem, disagreements
from reviewer.study.session.label_rows import label_rows
from store.database import Database
from store.ledger import Ledger
from store.records import StudyCase
from tests.judged import judged_study
from tests.studies import PROBE_SWE, open_store

# matplotlib takes a second to load, for each worker that collects these tests.
Drawn = dict[str, dict[str, bytes]]
FORMATS = ("pdf", "svg", "png")
BY = ("question", "generator")
ROOT = Path(__file__).parents[2]
OTHER_SETTINGS = {"text.usetex": True, "lines.linewidth": 9.0, "savefig.facecolor": "red"}

ELSEWHERE = """
import matplotlib, pickle, sys
from reviewer.figures import files
from reviewer.figures.label_charts import label_matrix
from reviewer.figures.row_charts import coefficients
assert matplotlib.rcParams["text.usetex"]
results, found = pickle.load(sys.stdin.buffer)
makers = {"coefficients": lambda: coefficients(results), "disagreements": lambda: label_matrix(found)}
sys.stdout.buffer.write(pickle.dumps(files._drawn(makers)))
"""


def results(database: Database, name: str = "pilot") -> tuple[list[AgreementResult], list[VotedItem]]:
    from reviewer.study.design.study_bundle import load_study

    bundle = load_study(database, name)
    rows = label_rows(bundle, Ledger(database).events(name))
    return study_results(bundle, rows, BY, Method()), disagreements(bundle, rows)


@pytest.fixture(scope="module", autouse=True)
def _matplotlib() -> None:
    pytest.importorskip("matplotlib", reason="needs the extra 'figures'")


def coefficients_drawn(database: Database) -> Drawn:
    from reviewer.figures.files import _drawn
    from reviewer.figures.row_charts import coefficients

    return _drawn({"coefficients": lambda: coefficients(results(database)[0])})


def drawn(database: Database, name: str = "pilot") -> Drawn:
    from reviewer.figures.files import study_figures

    return study_figures(*results(database, name))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    store = open_store(tmp_path_factory.mktemp("figures"))
    judged_study(store, per_generator=8)
    return store


@pytest.fixture(scope="module")
def figures(database: Database) -> Drawn:
    return drawn(database)


def test_four_figures_in_three_formats(figures: Drawn) -> None:
    assert list(figures) == ["agreement", "pass-rates", "coefficients", "disagreements"]
    heads = {"pdf": b"%PDF-", "svg": b"<?xml", "png": b"\x89PNG"}
    for formats in figures.values():
        assert tuple(formats) == FORMATS
        assert all(content.startswith(heads[form]) for form, content in formats.items())


@pytest.mark.slow
def test_drawn_again_under_other_settings_of_matplotlib_one_is_the_same_bytes(
    database: Database, figures: Drawn
) -> None:
    import matplotlib

    with matplotlib.rc_context(OTHER_SETTINGS):
        again = coefficients_drawn(database)
        assert again == {"coefficients": figures["coefficients"]}
        assert matplotlib.rcParams["text.usetex"], "what is set for others stays set"


@pytest.mark.slow
def test_another_process_gives_the_same_bytes(database: Database, figures: Drawn, tmp_path: Path) -> None:
    """A ``matplotlibrc`` of the working directory or the home is not obeyed: it may even start LaTeX."""
    settings = "".join(f"{name}: {value}\n" for name, value in OTHER_SETTINGS.items())
    (tmp_path / "matplotlibrc").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=pickle.dumps(results(database)),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    names = ("coefficients", "disagreements")
    assert pickle.loads(done.stdout) == {name: figures[name] for name in names}


def test_no_dates_and_no_program_names(figures: Drawn) -> None:
    for formats in figures.values():
        for form in ("pdf", "svg", "png"):
            assert b"CreationDate" not in formats[form]
            assert not re.search(rb"<dc:date>|tIME|20\d\d-\d\d-\d\d", formats[form])


def test_fonts_are_whole_in_the_pdf_and_outlines_in_the_svg(figures: Drawn) -> None:
    for formats in figures.values():
        assert b"/Type3" not in formats["pdf"]
        assert b"/FontFile2" in formats["pdf"]
        assert b"<text" not in formats["svg"]


@pytest.fixture
def _pdf_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fonts take most of the time of drawing, and stand in PDF only."""
    monkeypatch.setattr("reviewer.figures.files.FORMATS", ("svg", "png"))


@pytest.mark.usefixtures("_pdf_is_left_out")
def test_undefined_values_and_a_single_generator_are_drawn(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    judged_study(store, per_generator=2, generators=("one",), raters=("anna", "ben"))
    assert set(drawn(store)) >= {"agreement", "pass-rates", "coefficients"}


@pytest.mark.slow
@pytest.mark.usefixtures("_pdf_is_left_out")
def test_strange_names_are_drawn_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path)
    names = ("$x^2$ \\frac", "模型 \U0001f600", "\u202egnitrats \x1b[31m" + "x" * 80)
    judged_study(store, per_generator=3, generators=names, raters=("anna", "Zoë", "бен"))
    assert len(drawn(store)) == 4
    monkeypatch.setattr("reviewer.figures.files.FORMATS", ("pdf",))
    assert coefficients_drawn(store)["coefficients"]


def test_many_disagreements_are_cut_and_not_squeezed(database: Database) -> None:
    from reviewer.figures.label_charts import label_matrix

    _, found = results(database)
    many = (found * 200)[:500]
    assert label_matrix(many).get_size_inches()[1] < 9


def test_columns_of_disagreements_are_about_as_long_as_each_other(database: Database) -> None:
    from reviewer.figures.label_charts import label_matrix

    _, found = results(database)
    charts = label_matrix((found * 40)[:40]).axes
    lines = [sum(text.get_ha() == "right" for text in chart.texts) for chart in charts]
    assert len(lines) == 2
    assert abs(lines[0] - lines[1]) <= 2


def test_without_matplotlib_the_report_says_what_to_install(
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in [name for name in sys.modules if name.startswith("reviewer.figures.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("matplotlib")] or ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    argv = ["reviewer", "report", "pilot", "--store", str(database.location), "-o", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", argv)
    with pytest.raises(SystemExit) as left:
        main()
    said = capsys.readouterr().err
    assert left.value.code == 2
    assert "pip install 'dilemma-reviewer[figures]'" in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_evenest_splits_come_first_where_labels_are_missing() -> None:
    from reviewer.figures.label_charts import _matrix_lines

    question = PROBE_SWE.questions[0]

    def item(key: str, *labels: str | None) -> VotedItem:
        place = StudyCase(
            study="pilot", case=key * 64, position=0, dataset="d", key=key, generator="g", group="b"
        )
        return VotedItem(question, place, dict(zip("uvwxyz", labels, strict=True)), {})

    t, f = "True", "False"
    found = [item("a", t, t, t, t, t, f), item("b", t, t, f, f, f, f), item("c", t, f, f, f, None, None)]
    found.append(item("d", t, t, t, f, f, None))
    lines = [line.place.key for line in _matrix_lines(found) if isinstance(line, VotedItem)]
    assert lines == ["d", "b", "c", "a"]


def with_votes(question: Question, **votes: str) -> VotedItem:
    place = StudyCase.model_construct(case="0" * 64, key="k", generator="model-1", position=0)
    return VotedItem(question, place, votes, {})


SAME_TASK, BIAS = (
    question for question in PROBE_SWE.questions if question.key in ("same_task", "bias_presence")
)


def passing(question: Question, *labels: str) -> Question:
    return question.model_copy(update={"labels": ("True", "False"), "passing": labels})


KEYS = {
    "one question": ((passing(SAME_TASK, "True"),), {"True": 1, "False": 1}),
    "the same label passes both": (
        (passing(SAME_TASK, "True"), passing(BIAS, "True")),
        {"True": 1, "False": 1},
    ),
    "other labels pass": (
        (passing(SAME_TASK, "True"), passing(BIAS, "False")),
        {f"{label} ({question.title})": 1 for label in ("True", "False") for question in (SAME_TASK, BIAS)},
    ),
}


@pytest.mark.parametrize("name", KEYS)
def test_key_of_labels_is_true_of_every_question(name: str) -> None:
    from reviewer.figures.label_charts import label_matrix

    questions, wanted = KEYS[name]
    figure = label_matrix([with_votes(question, anna="True", ben="False") for question in questions])
    (key,) = figure.legends
    assert Counter(text.get_text() for text in key.get_texts()) == wanted
    colours = [str(patch.get_facecolor()) for patch in key.get_patches()]
    named = dict(zip((text.get_text() for text in key.get_texts()), colours, strict=True))
    if name == "other labels pass":
        calm, other = named[f"True ({SAME_TASK.title})"], named[f"False ({SAME_TASK.title})"]
        assert (named[f"False ({BIAS.title})"], named[f"True ({BIAS.title})"]) == (calm, other)
        assert calm != other


def test_figure_of_pass_rates_is_not_drawn_where_none_is_known(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewer.figures.files import study_figures

    monkeypatch.setattr("reviewer.figures.files._in_every_format", lambda _figure: {})
    found, _ = results(database)
    unknown = Estimate.undefined("no label passes", 0)
    without = [replace(each, majority=unknown, unanimity=unknown) for each in found[:2]]
    assert "pass-rates" not in study_figures(without, [])
    assert "pass-rates" in study_figures(found[:2], [])


@pytest.mark.parametrize(
    ("cases", "words"), [((40, 40), "40 cases"), ((40, 38), "38 to 40 cases"), ((1,), "1 case")]
)
def test_row_of_effects_says_how_many_cases_all_its_measures_rest_on(
    cases: tuple[int, ...], words: str
) -> None:
    from reviewer.figures.effect_charts import _cases

    assert _cases(cases) == words
