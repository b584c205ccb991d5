"""``study new --answers``: answers of a run as cases, blinding of raters, and refused requests."""

import csv
import io
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.protocols.probe_swe.evaluation import EVALUATION
from reviewer.results.labels.final_labels import final_labels
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.drawn_answers import answers_at
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import without_generator
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.screens.dispute_text import place_in_words
from store.cases import places_of
from store.database import Database
from store.evaluations import Evaluations
from tests.answered_runs import MODELS, PAIRS, an_answered_run, explained
from tests.asked_judges import judged_by
from tests.cli.conftest import Run
from tests.cli.test_hidden_generators import anna  # noqa: F401  # anna is at the keyboard
from tests.llm.server import Answer, serving
from tests.rounds import mostly_slow

NAME = "planted"
"""A name that no text which a rater reads may have."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "reviewer.db"
    with closing(Database.open(str(path))) as database:
        an_answered_run(database)
    return path


def study_of(store: Path, name: str = "why") -> StudyBundle:
    with closing(Database.open(str(store))) as database:
        return load_study(database, name)


def test_answers_of_a_run_become_the_cases_of_a_study(run: Run, store: Path) -> None:
    made = run("study", "new", "why", "--answers", "first", "--per-group", "2", "--rater", "anna")
    assert made.code == 0, made.err
    assert "why: 8 cases" in made.out
    assert "Drawn from 64 outcomes (all answers) of run first" in made.err
    bundle = study_of(store)
    assert bundle.protocol.name == "probe-swe-answers"
    assert [question.key for question in bundle.questions] == [
        *("read_rightly", "supported", "endorses", "notices", "main_reason"),
    ]
    assert bundle.design.datasets == ("why-answers",)
    assert {stratum.name for stratum in inclusion_of(bundle).strata} == {
        f"{model} / {group}" for model in MODELS for group in ("confirmation bias", "hyperbolic discounting")
    }
    with closing(Database.open(str(store))) as database, database.read() as session:
        places = places_of(session, "why-answers")
        pairs = [tuple({one["key"] for one in answers_at(place)}) for place in places]
    assert len(set(pairs)) == 8
    assert [place.key for place in places] == [f"answer-{number:03}" for number in range(1, 9)]


def test_a_part_of_the_answers_is_named(run: Run, store: Path) -> None:
    made = run("study", "new", "flips", "--answers", "first", "--where", "flips", "--per-case", "2")
    assert made.code == 0, made.err
    assert "Shares will be about this part of the run alone" in made.err
    bundle = study_of(store, "flips")
    assert bundle.design.answers is not None
    assert (bundle.design.answers.outcomes, bundle.design.answers.answers) == (8, 8)
    assert {case.payload["decision"] for case in bundle.cases.values()} == {"B"}
    assert all(case.payload["cue"] for case in bundle.cases.values())
    assert run("study", "new", "harm", "--answers", "first", "--where", "harmful").code == 0


def test_equal_answers_are_one_case_that_counts_as_often_as_it_was_given(run: Run, tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        an_answered_run(database, replying=lambda *_: "Decision: Option A", repeats=3)
    made = run("study", "new", "why", "--answers", "first", "--per-case", "2")
    assert made.code == 0, made.err
    bundle = study_of(tmp_path / "reviewer.db")
    strata = inclusion_of(bundle).strata
    assert len(bundle.counted) == 16
    assert sum(sum(s.outcomes.values()) for s in strata) == 2 * 2 * 3 * 8
    assert sum(s.weight_of(case) for s in strata for case in s.cases) == pytest.approx(96)
    assert {place.generator for place in bundle.sample} == {", ".join(sorted(MODELS))}


@pytest.mark.usefixtures("anna")
def test_no_model_run_or_reading_reaches_a_rater_before_they_have_answered(run: Run, tmp_path: Path) -> None:
    def reply(model: str, case: int, version: str, repeat: int) -> str:
        return f"As {NAME.title()}, I say {case} {version} {repeat}.\nDecision: Option A"

    store = tmp_path / "reviewer.db"
    with closing(Database.open(str(store))) as database:
        an_answered_run(database, f"run-{NAME}", models=(f"lab/{NAME}-7b", MODELS[0]), replying=reply)
        evaluations = Evaluations(database)
        told = [o.model_copy(update={"why": NAME}) for o in evaluations.outcomes(f"run-{NAME}")]
        evaluations.keep(told)
    new = ("study", "new", "why", "--answers", f"run-{NAME}", "--per-group", "1", "--lead", "tom")
    made = run(*new, "--rater", "anna", "--rater", "ben")
    assert "Names of models were taken out of answers" in made.err
    assert f"{NAME.title()} (4)" in made.err
    with closing(Database.open(str(store))) as database:
        judged_by(database, "why", (f"lab/{NAME}-judge",), all_of=f"run-{NAME}")
    key = "why-answers:answer-001"
    for command in (
        ("cases", "--dataset", "why-answers"),
        ("cases", "--dataset", "why-all-answers", "--format", "json"),
        ("show", "why-all-answers:answer-001"),
        ("cases", "--dataset", "why-answers", "--format", "json"),
        ("show", key),
        ("study", "show", "why"),
        ("study", "list"),
        ("datasets",),
    ):
        shown = run(*command)
        assert shown.code == 0, (command, shown.err)
        assert NAME not in (shown.out + shown.err).casefold(), command
    for refused in (
        ("outcomes", "list", f"run-{NAME}"),
        ("effects", f"run-{NAME}"),
        ("report", "--evaluation", f"run-{NAME}", "-o", "out", "--no-figures"),
        ("datasets", "export", "why-answers", "-o", "out.jsonl"),
        ("datasets", "export", "why-all-answers", "-o", "out.jsonl"),
        ("outcomes", "list", f"why-judges-run-{NAME}"),
        ("labels", "why"),
        ("agreement", "why"),
    ):
        shown = run(*refused)
        assert shown.code == 2, refused
        assert NAME not in (shown.out + shown.err).casefold().replace(f"run-{NAME}", ""), refused
    refused = run("answers", "why")
    assert (refused.code, "Raters judge alone" in refused.err) == (2, True)
    assert run("study", "pack", "why", "--rater", "anna", "-o", "a.review").code == 0
    with closing(sqlite3.connect(tmp_path / "a.review")) as pack:
        assert NAME not in "\n".join(pack.iterdump()).casefold()


def test_a_pack_of_answers_comes_back_with_its_verdicts(run: Run, store: Path) -> None:
    run(
        "study",
        "new",
        "why",
        "--answers",
        "first",
        "--per-group",
        "1",
        "--rater",
        "anna",
        "--question",
        "notices",
    )
    assert run("study", "pack", "why", "--rater", "anna", "-o", "a.review").code == 0
    with closing(Database.open("a.review")) as pack:
        session = ReviewSession(pack, "why", "anna", given="pack")
        while not session.finished:
            session.answer("yes")
    merged = run("merge", "a.review")
    assert merged.code == 0, merged.err
    with closing(Database.open(str(store))) as database:
        assert ReviewSession(database, "why", "anna").finished


def test_verdicts_on_an_answer_that_is_read_otherwise_are_stale_and_kept(run: Run, store: Path) -> None:
    with closing(Database.open(str(store))) as database:
        evaluations = Evaluations(database)
        first = next(iter(evaluations.outcomes("first")))
        older = EVALUATION.reader_version - 1
        evaluations.keep([first.model_copy(update={"label": "B", "reader_version": older})])
    ask = ("--per-case", "9", "--rater", "anna", "--question", "notices")
    assert run("study", "new", "why", "--answers", "first", *ask).code == 0
    with closing(Database.open(str(store))) as database:
        session = ReviewSession(database, "why", "anna")
        while not session.finished:
            session.answer("yes")
        judged_by(database, "why", all_of="first")
    read = run("outcomes", "read", "first")
    assert read.code == 0, read.err
    assert "1 answer of study why is read otherwise now (answer-" in read.err
    assert (
        "1 answer of run first about which judges of study why were asked is read otherwise now: their "
        "verdicts on it are stale, and kept. To ask again: reviewer judges ask why --all-of first --model "
        "NAME --run NEW-RUN"
    ) in " ".join(read.err.split())
    with closing(Database.open(str(store))) as database:
        assert len(Evaluations(database).stale("why-judges-first")) == 1
    shares = run("judges", "why", "--shares", "--format", "csv")
    assert shares.code == 0, shares.err
    alone = next(row for row in csv.DictReader(io.StringIO(shares.out)) if row["estimate"] == "judge")
    assert int(alone["judged"]) == int(alone["cases"]) - 1
    again = ("judges", "ask", "why", "--all-of", "first", "--run", "again", "--repeats", "1")
    with serving(lambda asked: Answer("So.\nAnswer: 1")) as server:
        asked = run(*again, "--model", "judge-1", "--base-url", server.url)
        assert asked.code == 0, asked.err
    shares = run("judges", "why", "--shares", "--format", "csv")
    alone = next(row for row in csv.DictReader(io.StringIO(shares.out)) if row["estimate"] == "judge")
    assert alone["judged"] == alone["cases"]
    assert "verdicts on it are stale, and kept" in read.err
    with closing(Database.open(str(store))) as database:
        labels = final_labels(*read_study(database, "why"))
    assert [final.stale for final in labels].count(True) == 1
    assert len(labels) == 64


def test_what_changed_in_the_run_since_the_draw_is_said(run: Run, store: Path) -> None:
    assert run("study", "new", "why", "--answers", "first", "--per-case", "9").code == 0
    assert "not as drawn" not in run("study", "show", "why").err
    with closing(Database.open(str(store))) as database:
        evaluations = Evaluations(database)
        first = next(iter(evaluations.outcomes("first")))
        evaluations.keep([first.model_copy(update={"reply": "Decision: Option A, on second thoughts."})])
    shown = run("study", "show", "why")
    assert "1 outcome of run first is not as drawn for this study" in shown.out + shown.err


def test_answers_that_differ_in_names_of_models_alone_keep_their_own_outcomes(
    run: Run, tmp_path: Path
) -> None:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        an_answered_run(database, replying=lambda m, c, v, r: f"As {m}, I wait {c} {v} {r}. Option A")
    made = run("study", "new", "why", "--answers", "first", "--per-case", "9")
    assert made.code == 0, made.err
    shown = run("study", "show", "why")
    assert "not as drawn" not in shown.out + shown.err


def test_answers_that_differ_in_names_of_models_alone_are_drawn_as_one(run: Run, tmp_path: Path) -> None:
    """Also if only one of them is drawn: it stands for the outcomes of both models."""
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        an_answered_run(database, replying=lambda m, c, v, r: f"As {m}, I wait {c} {v} {r}. Option A")
    made = run("study", "new", "why", "--answers", "first", "--total", "8")
    assert made.code == 0, made.err
    bundle = study_of(tmp_path / "reviewer.db")
    assert bundle.design.answers is not None
    assert (bundle.design.answers.outcomes, bundle.design.answers.answers) == (64, 32)
    strata = inclusion_of(bundle).strata
    assert {outcomes for stratum in strata for outcomes in stratum.outcomes.values()} == {2}
    assert {place.generator for place in bundle.sample} == {", ".join(sorted(MODELS))}


def test_the_chances_of_the_draw_are_frozen_with_the_study(run: Run, tmp_path: Path) -> None:
    """The second model left out every fourth case; each model has four answers to the others."""

    def reply(model: str, case: int, version: str, repeat: int) -> str:
        left_out = model == MODELS[1] and case % 4 == 0
        return "" if left_out else f"{model[0]} {explained(model, case, version, repeat)}"

    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        an_answered_run(database, replying=reply)
    made = run("study", "new", "why", "--answers", "first")
    assert made.code == 0, made.err
    chances: dict[str, set[float]] = {}
    for stratum in inclusion_of(study_of(tmp_path / "reviewer.db")).strata:
        chances.setdefault(stratum.name.split(" / ")[0], set()).update(map(stratum.chance_of, stratum.cases))
    assert chances == {MODELS[0]: {1 / 4, 1 / 8}, MODELS[1]: {1 / 8}}


def test_places_and_keys_do_not_tell_which_model_answered(run: Run, store: Path) -> None:
    assert run("study", "new", "why", "--answers", "first", "--per-case", "2").code == 0
    with closing(Database.open(str(store))) as database, database.read() as session:
        places = places_of(session, "why-answers")
    models = [place.generator for place in places]
    assert sorted(models) != models
    assert sorted(models, reverse=True) != models
    hidden = [without_generator(place).model_dump_json() for place in places]
    assert [model for model in MODELS if model in "".join(hidden)] == []


@mostly_slow(3)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--answers", "nope"), "there is no evaluation run 'nope'"),
        (
            ("--answers", "first", "--where", "unreadable"),
            "has no answers of which no decision could be read",
        ),
        (("--answers", "first", "--where", "flipz"), "did you mean flips"),
        (("--answers", "first", "--per-group", "9"), "in 'confirmation bias'"),
        (("--answers", "first", "--model", "nobody"), "asked no model 'nobody'"),
        (("--answers", "first", "--dataset", PAIRS), "leave --dataset out"),
        (("--dataset", PAIRS, "--where", "flips"), "give --answers RUN too"),
        (("--answers", "first", "--themes", "none.csv"), "holds no theme"),
        (
            ("--answers", "first", "--themes", "twice.csv"),
            "theme 'Risk' again, as twice.csv, line 2",
        ),
        (("--answers", "first", "--themes", "nameless.csv"), "has no name"),
        (("--answers", "first", "--themes", "a.csv", "--question", "notices"), "ask 'main_reason' too"),
    ],
)
@pytest.mark.usefixtures("store")
def test_what_cannot_be_drawn_is_refused_in_one_sentence(
    run: Run, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    for name, rows in {"none": "", "twice": "risk,a\nRisk,b\n", "nameless": ",a\n", "a": "risk,a\n"}.items():
        (tmp_path / f"{name}.csv").write_text(f"name,meaning\n{rows}")
    refused = run("study", "new", "why", *options)
    assert (refused.code, refused.out) == (2, "")
    assert says in refused.err
    assert len(refused.err.strip().splitlines()) == 1
    with closing(Database.open("reviewer.db")) as database, database.read() as session:
        assert places_of(session, "why-answers") == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("fast;*", "words holds '*', which is not a word; take it out."),
        ("fast;\u2060", "which is not a word; take it out."),
        (f"fast;{'x' * 201}", "of 201 characters; give words of at most 200, separated by semicolons."),
        (";".join(map(str, range(1001))), "has 1,001 words; give at most 1,000."),
    ],
)
@pytest.mark.usefixtures("store")
def test_words_of_themes_that_cannot_be_counted_or_printed_are_refused(
    run: Run, tmp_path: Path, words: str, says: str
) -> None:
    (tmp_path / "themes.csv").write_text(f"name,meaning,words\nspeed,,{words}\n", encoding="utf-8")
    refused = run("study", "new", "why", "--answers", "first", "--themes", "themes.csv")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: themes.csv, line 2: ")
    assert refused.err.endswith(f"{says}\n")


@mostly_slow(3)
@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("\u200b,a", "line 2: has no name"),
        (
            "risk\x1b[2J,a",
            "line 2: name 'risk␛[2J' is longer than 200 characters, or is not one visible line",
        ),
        ("risk\u202e,a", "or is not one visible line"),
        ('"a\nb",c', "name 'a b' is longer than 200 characters, or is not one visible line"),
        (f"{'x' * 201},a", "is longer than 200 characters"),
        (f"risk,{'x' * 100_001}", "line 2: meaning has 100,001 characters; at most"),
        ("\u00e9,a\ne\u0301,b", "line 3: names the theme"),
        ("A,a\n\u0410,b", "line 3: names the theme"),
        ("ab,a\na\u200bb,b", "line 3: names the theme"),
    ],
)
@pytest.mark.usefixtures("store")
def test_names_of_themes_that_raters_cannot_tell_apart_are_refused(
    run: Run, tmp_path: Path, rows: str, says: str
) -> None:
    (tmp_path / "themes.csv").write_text(f"name,meaning\n{rows}\n", encoding="utf-8")
    refused = run("study", "new", "why", "--answers", "first", "--themes", "themes.csv")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: themes.csv, line ")
    assert says in refused.err


def test_a_file_of_themes_replaces_the_list_of_main_reasons(run: Run, tmp_path: Path, store: Path) -> None:
    (tmp_path / "themes.csv").write_text("name,meaning,words\nspeed,being fast,fast;quick*\nsafety,,safe\n")
    made = run("study", "new", "why", "--answers", "first", "--themes", "themes.csv")
    assert made.code == 0, made.err
    question = study_of(store).question("main_reason")
    assert question.labels == ("speed", "safety", "other")
    assert question.definition("speed") == "being fast"


def test_a_run_without_replies_has_nothing_to_review(run: Run, tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        an_answered_run(database, replying=lambda *_: "")
    refused = run("study", "new", "why", "--answers", "first")
    assert (refused.code, refused.err.strip()) == (
        2,
        "Error: run 'first' has no answers yet; see `reviewer outcomes list first`.",
    )
    assert explained("m", 0, "biased", 0)


def test_who_gave_an_answer_stays_hidden_while_disputes_are_open(run: Run, store: Path) -> None:
    raters = ("--rater", "anna", "--rater", "ben")
    ask = ("--answers", "first", "--per-group", "1", "--question", "notices", *raters)
    assert run("study", "new", "why", *ask).code == 0
    with closing(Database.open(str(store))) as database:
        for rater, label in (("anna", "yes"), ("ben", "no")):
            session = ReviewSession(database, "why", rater)
            while not session.finished:
                session.answer(label)
        deciding = AdjudicationSession(database, "why", "zoe")
        places = range(len(deciding.disputes))
        assert len(places) > 1
        for at in places:
            assert {deciding.place_at(index).generator for index in places} == {""}, at
            assert [model for model in MODELS if model in place_in_words(deciding, at)] == []
            deciding.go_to(at)
            deciding.decide("no", "it names no cue")
        assert {deciding.place_at(index).generator for index in places} <= {*MODELS}
        deciding.undo()
        assert {deciding.place_at(index).generator for index in places} == {""}


def test_results_name_no_model_to_those_who_still_decide(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    raters = ("--rater", "anna", "--rater", "ben")
    ask = ("--answers", "first", "--per-group", "1", "--question", "notices", *raters)
    assert run("study", "new", "why", *ask).code == 0
    with closing(Database.open(str(store))) as database:
        for rater, label in (("anna", "yes"), ("ben", "no")):
            session = ReviewSession(database, "why", rater)
            while not session.finished:
                session.answer(label)
        deciding = AdjudicationSession(database, "why", "zoe")
    settings = tmp_path / "zoe.toml"
    settings.write_text('name = "zoe"\n')
    monkeypatch.setenv("REVIEWER_SETTINGS", str(settings))
    quick = ("--interval", "none")
    by_generator = ("agreement", "why", *quick, "--by", "generator")
    for told in (("labels", "why"), by_generator, ("report", "why", "-o", "out", "--no-figures", *quick)):
        shown = run(*told)
        assert shown.code == 0, shown.err
        written = "".join(file.read_text() for file in Path("out").glob("*.md"))
        assert [model for model in MODELS if model in shown.out + written] == [], told
    refused = run("effects", "first")
    assert (refused.code, "answers of models to adjudicate in study why" in refused.err) == (2, True)
    with closing(Database.open(str(store))) as database:
        deciding = AdjudicationSession(database, "why", "zoe")
        while deciding.next_open():
            deciding.decide("no", "it names no cue")
        deciding.decide("no", "it names no cue")
    assert MODELS[0] in run("labels", "why").out
    assert run("effects", "first").code == 0


def test_a_main_reason_of_ones_own_needs_a_comment_that_names_it(run: Run, store: Path) -> None:
    ask = ("--answers", "first", "--per-group", "1", "--question", "main_reason", "--rater", "anna")
    assert run("study", "new", "why", *ask).code == 0
    with closing(Database.open(str(store))) as database:
        session = ReviewSession(database, "why", "anna")
        with pytest.raises(RequestError, match="'other' needs a comment that names the main reason"):
            session.answer("other")
        assert session.verdict.label is None
        session.comment("it was written on a Friday")
        session.answer("other")
        assert session.done_count == 1
        session.answer(session.question.labels[0])
        assert session.done_count == 2
