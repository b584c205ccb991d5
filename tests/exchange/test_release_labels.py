"""Labels in releases: who is in them, what stays out, and that every stated number follows from them."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.estimate import Estimate
from reviewer.exchange.releases.published_labels import WITHHELD, StudyLabels, label_files, read_labels
from reviewer.exchange.releases.recomputed import NUMBERS, OF_A_QUESTION
from reviewer.exchange.releases.release_checks import ReleaseCheck, failure_words, proved_words
from reviewer.exchange.releases.release_content import OpinionFacts, ReleaseContent, ReleaseOptions
from reviewer.exchange.releases.release_facts import study_facts
from reviewer.exchange.releases.release_files import sealed_files
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_limits import looked_for
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release, write_release
from reviewer.exchange.releases.verification import verified
from reviewer.results.labels.final_labels import ClosedStudy, read_closed_study
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options, WantedRule
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Citation
from tests.judged import judge, judged_study
from tests.rounds import mostly_slow
from tests.studies import BIASES, a_case, fill, open_store
from tests.teas import tea_study

DATASET = "pilot-0"
CITATION = Citation(dataset=DATASET, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
CONSENT = "All agreed in writing."
LABEL_FILES = {ReleaseFile.STUDIES, ReleaseFile.LABELS, ReleaseFile.SCRIPT}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a closed study of 24 cases, whose raters agreed to the publication of their labels."""
    folder = tmp_path_factory.mktemp("prepared")
    with closing(open_store(folder)) as database:
        judged_study(database, per_generator=24, generators=("model-1",), comment="a private remark")
        close_study(database, "pilot", "lena")
        describe_study(database, "pilot", "lena", {"consent": CONSENT})
    return folder / "reviewer.db"


@pytest.fixture(scope="module")
def release(prepared: Path) -> PlannedRelease:
    with closing(Database.open(str(prepared))) as database:
        return plan_release(database, CITATION, "1.0", ReleaseOptions())


def checks_of(files: Mapping[str, bytes]) -> tuple[ReleaseCheck, ...]:
    return verified(FolderOfRelease(files, ())).checks


def failing(files: Mapping[str, bytes]) -> set[str]:
    return {check.about for check in checks_of(files) if check.state == "fails"}


def forged(release: PlannedRelease, content: ReleaseContent, **data: bytes) -> dict[str, bytes]:
    """The release with other content or data, with pages made and sealed by the program's own functions."""
    held = {path: held for path, held in release.files.items() if path.startswith("data/")}
    named = {getattr(ReleaseFile, name): changed for name, changed in data.items()}
    return sealed_files(content.without_files, held | named)[1]


def with_study(release: PlannedRelease, **changes: Any) -> ReleaseContent:
    (study,) = release.content.studies
    return release.content.model_copy(update={"studies": (study.model_copy(update=changes),)})


def with_question(release: PlannedRelease, **changes: Any) -> ReleaseContent:
    (study,) = release.content.studies
    first = study.questions[0].model_copy(update=changes)
    return with_study(release, questions=(first, *study.questions[1:]))


def test_every_number_of_a_study_is_computed_again_and_holds(release: PlannedRelease) -> None:
    checks = checks_of(release.files)
    numbers = [check for check in checks if check.about.startswith("study pilot")]
    assert len(numbers) == len(NUMBERS) + 4 * len(OF_A_QUESTION)
    assert {check.state for check in numbers} == {"holds"}
    assert failure_words(checks) is None
    assert "nor that people gave the labels" in proved_words(checks)[0]
    (kappa,) = (check for check in numbers if check.about == "study pilot, same task: Fleiss' kappa")
    value, again = re.findall(r"(-?\.\d{4}) \[", kappa.detail)
    assert value == again


def test_forged_kappa_fails_in_its_row_under_a_new_seal(release: PlannedRelease) -> None:
    (study,) = release.content.studies
    kappa = replace(study.questions[0].kappa, value=0.91)
    files = forged(release, with_question(release, kappa=kappa))
    assert failing(files) == {"study pilot, same task: Fleiss' kappa"}
    assert "published .9100" in str(failure_words(checks_of(files)))


def other(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, Estimate):
        return replace(value, value=(value.value or 0) / 2 + 0.1, reason=None)
    return value + 1 if isinstance(value, int) else "2020-01-01"


@mostly_slow(3)
@pytest.mark.parametrize("name", NUMBERS)
def test_each_forged_number_of_a_study_fails_in_its_row(release: PlannedRelease, name: str) -> None:
    (study,) = release.content.studies
    content = with_study(release, **{name: other(getattr(study, name))})
    assert failing(forged(release, content)) == {f"study pilot: {NUMBERS[name]}"}


@mostly_slow(3)
@pytest.mark.parametrize("name", OF_A_QUESTION)
def test_each_forged_number_of_a_question_fails_in_its_row(release: PlannedRelease, name: str) -> None:
    (study,) = release.content.studies
    content = with_question(release, **{name: other(getattr(study.questions[0], name))})
    assert failing(forged(release, content)) == {f"study pilot, same task: {OF_A_QUESTION[name]}"}


@pytest.mark.parametrize("end", ["low", "high", "level", "method"])
def test_forged_interval_fails(release: PlannedRelease, end: str) -> None:
    (study,) = release.content.studies
    alpha = study.questions[1].alpha
    assert alpha.interval is not None
    changed = "Wald" if end == "method" else getattr(alpha.interval, end) + 0.01
    alpha = replace(alpha, interval=replace(alpha.interval, **{end: changed}))
    questions = [*study.questions]
    questions[1] = questions[1].model_copy(update={"alpha": alpha})
    files = forged(release, with_study(release, questions=tuple(questions)))
    assert failing(files) == {f"study pilot, {questions[1].title}: Krippendorff's alpha"}


def test_forged_words_of_a_question_fail(release: PlannedRelease) -> None:
    files = forged(release, with_question(release, prompt="Is it good?", passing=("False",)))
    assert failing(files) == {"study pilot, same task: words"}
    (study,) = release.content.studies
    fewer = forged(release, with_study(release, questions=study.questions[:3]))
    assert failing(fewer) == {"study pilot: questions"}


def lines_of(release: PlannedRelease) -> list[dict[str, Any]]:
    return [json.loads(line) for line in release.files[ReleaseFile.LABELS].decode().splitlines()]


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_turned_label_breaks_the_seal_and_under_a_new_one_the_numbers(release: PlannedRelease) -> None:
    rows = lines_of(release)
    rows[5]["label"] = {"True": "False", "False": "True"}[rows[5]["label"]]
    turned = as_lines(rows)
    assert ReleaseFile.LABELS in failing({**release.files, ReleaseFile.LABELS: turned})
    differing = failing(forged(release, release.content, LABELS=turned))
    assert "study pilot, same task: all agree" in differing


FAULTS: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "is a second label of 'rater 1' there": lambda rows: rows.append(
        next(row for row in rows if row["rater"] == "rater 1")
    ),
    "does not answer a question there": lambda rows: rows[0].update(label="Maybe"),
    "is about no case of the studies": lambda rows: rows[0].update(case="0" * 64),
    "field 'rater'": lambda rows: rows[0].update(rater=3),
    "field 'phase'": lambda rows: rows[0].update(phase="during"),
}


@pytest.mark.parametrize("wrong", FAULTS)
def test_labels_of_anything_are_a_sentence(release: PlannedRelease, wrong: str) -> None:
    rows = lines_of(release)
    FAULTS[wrong](rows)
    files = forged(release, release.content, LABELS=as_lines(rows))
    assert wrong in str(failure_words(checks_of(files)))


STUDY_FAULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "no list": (lambda studies: {}, "is not a list of studies"),
    "no cases": (lambda studies: studies[0].update(cases=[]), "field '0.cases'"),
    "case twice": (lambda studies: studies[0]["cases"].append(studies[0]["cases"][0]), "twice"),
    "question twice": (lambda studies: studies[0]["questions"].append(studies[0]["questions"][0]), "twice"),
    "study twice": (lambda studies: studies.append(studies[0]), "twice"),
    "no question": (lambda studies: studies[0]["questions"].append({}), "field"),
    "unknown question": (lambda studies: studies[0]["cases"][0].update(asked=["x"]), "'x'"),
}


@pytest.mark.parametrize("fault", STUDY_FAULTS)
def test_studies_of_anything_are_a_sentence(release: PlannedRelease, fault: str) -> None:
    studies = json.loads(release.files[ReleaseFile.STUDIES])
    change, wrong = STUDY_FAULTS[fault]
    changed = change(studies)
    held = changed if changed == {} else studies
    files = forged(release, release.content, STUDIES=json.dumps(held).encode())
    assert wrong.replace("0.cases", "cases") in str(failure_words(checks_of(files)))


NOT_CHECKABLE = "Agreement and pass rates are not checkable here: the labels of this study are not included."


def test_without_consent_or_on_request_labels_stay_out_and_that_is_said(
    prepared: Path, tmp_path: Path
) -> None:
    with closing(Database.open(str(shutil.copy(prepared, tmp_path / "copy.db")))) as database:
        asked_out = plan_release(database, CITATION, "1.0", ReleaseOptions(), without_labels=True)
    with closing(open_store(tmp_path)) as database:
        judged_study(database, per_generator=24, generators=("model-1",))
        close_study(database, "pilot", "lena")
        unsaid = plan_release(database, CITATION, "1.0", ReleaseOptions())
    for planned, why in ((asked_out, "--without-labels"), (unsaid, "no consent is recorded")):
        assert not LABEL_FILES & planned.files.keys()
        assert why in planned.withheld["pilot"]
        (row,) = (check for check in checks_of(planned.files) if check.about == "agreement of study pilot")
        assert (row.state, row.detail) == ("not checked", "its labels are not included")
        assert "agreement of study pilot (its labels are not included)" in proved_words([row])[1]
        assert NOT_CHECKABLE in planned.files[ReleaseFile.CARD].decode()
    with_labels = planned_with_labels(prepared).files[ReleaseFile.CARD].decode()
    assert NOT_CHECKABLE not in with_labels
    assert asked_out.content.studies == planned_with_labels(prepared).content.studies


@cache
def planned_with_labels(prepared: Path, version: str = "1.0") -> PlannedRelease:
    with closing(Database.open(str(prepared))) as database:
        return plan_release(database, CITATION, version, ReleaseOptions())


def test_raters_are_numbers_that_each_release_shuffles(prepared: Path, release: PlannedRelease) -> None:
    everything = b"".join(release.files.values()).decode()
    for private in ("anna", "ben", "cara", "lena", "a private remark", CONSENT):
        assert not re.search(rf"\b{private}\b", everything)
    assert not re.search(r"\d\d:\d\d:\d\d", release.files[ReleaseFile.LABELS].decode())

    def by_rater(planned: PlannedRelease) -> tuple[tuple[str, ...], ...]:
        rows = lines_of(planned)
        numbers = sorted({row["rater"] for row in rows})
        assert numbers == ["rater 1", "rater 2", "rater 3"]
        return tuple(tuple(row["label"] for row in rows if row["rater"] == rater) for rater in numbers)

    orders = {by_rater(planned_with_labels(prepared, f"{number}.0")) for number in range(2, 9)}
    assert len(orders) > 1
    assert by_rater(planned_with_labels(prepared, "1.0")) == by_rater(release)


def test_script_of_the_release_computes_its_alpha(release: PlannedRelease, tmp_path: Path) -> None:
    for name in LABEL_FILES:
        (tmp_path / Path(name).name).write_bytes(release.files[name])
    done = subprocess.run(
        [sys.executable, "agreement.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    printed = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    (study,) = release.content.studies
    assert printed == {
        f"pilot, {question.title}": f"all agree {question.all_agree.value:.6f}, "
        f"alpha {question.alpha.value:.6f}"
        for question in study.questions
    }


def test_release_with_labels_is_written_and_imported(prepared: Path, tmp_path: Path) -> None:
    with closing(Database.open(str(shutil.copy(prepared, tmp_path / "copy.db")))) as database:
        planned = plan_release(database, CITATION, "1.0", ReleaseOptions())
        assert write_release(database, planned, CITATION, tmp_path / "made")
        assert not write_release(database, planned, CITATION, tmp_path / "made")
    card = (tmp_path / "made" / "README.md").read_text()
    assert "Labels are published with numbers of raters" in card
    assert "`data/labels.jsonl`" in card


# -- every kind of study -----------------------------------------------------------------------------


def with_panels(database: Database) -> str:
    """Two of three raters on each case; one case has two raters who disagree, and is adjudicated."""
    fill(database, "data", [a_case(number, BIASES[number % 2]) for number in range(8)])
    raters = ("anna", "ben", "cara")
    design = Design(("data",), None, 7, raters=raters, raters_per_case=2)
    create_study(database, "pilot", design)
    for rater in raters:
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer("False" if rater == "ben" and int(session.case.digest, 16) % 2 else "True")
    close_study(database, "pilot", "lena")
    deciding = AdjudicationSession(database, "pilot", "zoe")
    deciding.decide("False", "the cue is not the one of this bias")
    return "pilot"


def of_every_kind(database: Database) -> str:
    """Questions of one label, of labels in order, of several labels, and of free text."""
    answers = {"fits": ("yes", "no"), "grade": ("1", "4"), "tags": ('["hot"]', "[]"), "why": ("so", "thus")}
    for at, rater in enumerate(("anna", "ben")):
        session = ReviewSession(database, "tea", rater)
        while not session.finished:
            third = int(session.case.payload["text"].split()[5].strip(",")) % 3 == 0
            session.answer(answers[session.question.key][at if third else 0])
    close_study(database, "tea", "lena")
    return "tea"


def told(closed: ClosedStudy) -> StudyLabels:
    return read_labels(label_files([StudyLabels.of(closed, "secret")]))[closed.bundle.study.name]


@pytest.fixture(params=["panels", "kinds"])
def closed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClosedStudy]:
    if request.param == "kinds":
        with closing(tea_study(tmp_path, options=Options(repeats=0.5))) as database:
            yield read_closed_study(database, of_every_kind(database))
    else:
        with closing(open_store(tmp_path)) as database:
            yield read_closed_study(database, with_panels(database))


def test_numbers_from_published_labels_are_those_of_the_store(closed: ClosedStudy) -> None:
    released = {place.case for place in closed.bundle.counted[:3]}
    again = told(closed).closed(closed.bundle.protocol)
    assert study_facts(again, released) == study_facts(closed, released)
    assert statuses(again) == statuses(closed)


def statuses(study: ClosedStudy) -> list[tuple[str, str, str]]:
    """How each final label was reached, but for free texts, which are not published."""
    return [
        (final.place.case, final.question.key, final.status)
        for final in study.finals
        if final.question.kind != "text"
    ]


def test_free_texts_stay_out(tmp_path: Path) -> None:
    with closing(tea_study(tmp_path)) as database:
        labels = told(read_closed_study(database, of_every_kind(database))).labels
    assert {label.label for label in labels if label.question == "why"} == {WITHHELD}


# -- studies whose cases had different probabilities of being drawn ------------------------------------


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> PlannedRelease:
    """A release of 60 cases with a study of all six picked ones and of twelve others."""
    with closing(open_store(tmp_path_factory.mktemp("uneven"))) as database:
        uneven_study(database)
        return plan_release(database, CITATION, "1.0", ReleaseOptions())


def uneven_study(database: Database) -> ClosedStudy:
    """A closed study of the six picked ones of 60 cases, and of twelve others."""
    cases = [a_case(number, BIASES[number % 2]) for number in range(60)]
    fill(database, DATASET, cases)
    picked = frozenset(case.digest for case in cases[:6])
    create_study(database, "pilot", Design((DATASET,), None, 7, only=picked, others=12))
    for rater in ("anna", "ben", "cara"):
        judge(database, "pilot", rater)
    close_study(database, "pilot", "lena")
    describe_study(database, "pilot", "lena", {"consent": CONSENT})
    return read_closed_study(database, "pilot")


def test_held_out_cases_leave_the_sizes_of_strata_and_raise_weights(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        closed = uneven_study(database)
        strata = StudyLabels.of(closed, "secret").study.strata
        held_out = strata[-1].cases[:2]
        fewer = StudyLabels.of(closed, "secret", held_out)
        without = StudyLabels.of(closed, "secret", strata[0].cases)
    assert [stratum.size for stratum in fewer.study.strata] == [stratum.size for stratum in strata]
    assert fewer.study.strata[-1].weight == strata[-1].size / (len(strata[-1].cases) - 2)
    assert {label.weight for label in fewer.labels} == {*fewer.study.weights.values()}
    assert without.study.strata == ()
    assert {label.weight for label in without.labels} == {None}


def test_numbers_of_the_dataset_are_computed_again_and_hold(uneven: PlannedRelease) -> None:
    (study,) = uneven.content.studies
    assert (study.cases, study.population, len(study.weighted)) == (18, 60, len(study.questions))
    assert study.weighted[0].majority.value != study.questions[0].majority.value
    checks = [check for check in checks_of(uneven.files) if check.about.startswith("study pilot, dataset")]
    assert len(checks) == len(study.questions) * len(OF_A_QUESTION)
    assert {check.state for check in checks} == {"holds"}


@mostly_slow(3)
@pytest.mark.parametrize("name", OF_A_QUESTION)
def test_each_forged_number_of_the_dataset_fails_in_its_row(uneven: PlannedRelease, name: str) -> None:
    (study,) = uneven.content.studies
    first = study.weighted[0]
    forgery = first.model_copy(update={name: other(getattr(first, name))})
    files = forged(uneven, with_study(uneven, weighted=(forgery, *study.weighted[1:])))
    assert failing(files) == {f"study pilot, dataset, same task: {OF_A_QUESTION[name]}"}


def test_forged_population_and_left_out_rows_of_the_dataset_fail(uneven: PlannedRelease) -> None:
    forgery = with_study(uneven, population=61)
    assert failing(forged(uneven, forgery)) == {"study pilot: cases that could be drawn"}
    without = with_study(uneven, population=0, weighted=())
    assert failing(forged(uneven, without)) == {
        "study pilot: cases that could be drawn",
        "study pilot, dataset: questions",
    }


def test_forged_size_of_a_stratum_fails(uneven: PlannedRelease) -> None:
    studies = json.loads(uneven.files[ReleaseFile.STUDIES])
    studies[0]["strata"][-1]["size"] += 1
    files = forged(uneven, uneven.content, STUDIES=json.dumps(studies).encode())
    assert "has another weight than its stratum" in str(failure_words(checks_of(files)))


STRATA_FAULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "lost case": (lambda strata: strata[0]["cases"].pop(), "do not hold each of its cases once"),
    "case twice": (
        lambda strata: strata[0]["cases"].append(strata[1]["cases"][0]),
        "do not hold each of its cases once",
    ),
    "no cases": (lambda strata: strata.append({**strata[0], "cases": []}), "cases"),
    "too small": (lambda strata: strata[0].update(size=1), "drew more cases of stratum"),
    "negative": (lambda strata: strata[0].update(size=-1), "size"),
}


@pytest.mark.parametrize("fault", STRATA_FAULTS)
def test_strata_of_anything_are_a_sentence(uneven: PlannedRelease, fault: str) -> None:
    studies = json.loads(uneven.files[ReleaseFile.STUDIES])
    change, wrong = STRATA_FAULTS[fault]
    change(studies[0]["strata"])
    files = forged(uneven, uneven.content, STUDIES=json.dumps(studies).encode())
    assert wrong in str(failure_words(checks_of(files)))


def test_card_has_rows_of_the_dataset_beside_those_of_the_sample(uneven: PlannedRelease) -> None:
    card = uneven.files["README.md"].decode()
    assert "\n| same task, dataset | " in card
    assert "Rows that end in *dataset* are estimates for all 60 cases that could be drawn" in card
    assert "in rows of the dataset, pass rates stratified score" in card
    assert "of its numbers, only those of the dataset carry over" in card
    even = forged(uneven, with_study(uneven, weighted=(), population=0))["README.md"].decode()
    assert ", dataset |" not in even
    assert "are estimates for all" not in even


def test_labels_carry_weights_from_which_the_script_computes(uneven: PlannedRelease, tmp_path: Path) -> None:
    rows = lines_of(uneven)
    assert {row["weight"] for row in rows} == {1, 4.5}
    for name in LABEL_FILES:
        (tmp_path / Path(name).name).write_bytes(uneven.files[name])
    done = subprocess.run(
        [sys.executable, "agreement.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (study,) = uneven.content.studies
    for question in study.weighted:
        assert f"pilot, {question.title}, dataset: all agree {question.all_agree.value:.6f}\n" in done.stdout


def test_labels_of_studies_with_equal_probabilities_carry_no_weight(release: PlannedRelease) -> None:
    assert not any("weight" in row for row in lines_of(release))
    assert b"strata" not in release.files[ReleaseFile.STUDIES]
    assert not release.content.studies[0].weighted


def test_forged_score_of_guessing_and_other_measures_fail(release: PlannedRelease) -> None:
    first, *others = release.content.guessing
    for change in (
        {"values": {**first.values, "random guesses": 0.25}},
        {"cases": 5},
        {"best": 0.5},
        {"meaning": "How well."},
        {"measure": "gross effect"},
    ):
        forgery = first.model_copy(update=change)
        content = release.content.model_copy(update={"guessing": (forgery, *others)})
        assert any("answers without reading" in about for about in failing(forged(release, content))), change
    assert not failing(forged(release, release.content))


def test_release_says_of_a_study_with_a_stop_rule_that_its_intervals_are_not_valid(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        fill(database, DATASET, [a_case(number) for number in range(12)])
        rule = WantedRule.read("pass rate > .5")
        design = Design((DATASET,), None, 7, raters=("anna", "ben"), questions=("same_task",), stop=rule)
        create_study(database, "pilot", design, "tom")
        for rater in ("anna", "ben"):
            session = ReviewSession(database, "pilot", rater)
            for _ in session.slots[:11]:
                session.answer("True")
        close_study(database, "pilot", "tom", anyway=True)
        planned = plan_release(database, CITATION, "1.0", ReleaseOptions())
    (study,) = planned.content.studies
    claim, interval = study.stopped
    assert claim == "more than 50% of all cases pass on same task"
    assert re.fullmatch(
        r"same task \d+% to 100% of all 12 cases, by 11 of the first 11 cases of the common order", interval
    )
    card = planned.files["README.md"].decode()
    assert card.count("†") == 3, "both pass rates, and what the mark means"
    assert not failing(planned.files)


# -- what the card says of limits --------------------------------------------------------------------


def limits_of(content: ReleaseContent) -> list[str]:
    return [sentence for limit in looked_for(content) for sentence in limit.found]


def opinion(agreement: float) -> OpinionFacts:
    return OpinionFacts(opinion="right option", question="same task", agreement=Estimate(agreement, 24))


SAYS: dict[str, tuple[dict[str, Any], str]] = {
    "hasty raters": ({"warned": {"speed": 2}}, "2 of 3 raters answered most cases faster than people read"),
    "one label": ({"warned": {"one label": 1}}, "1 of 3 raters gave the same label in all answers"),
    "gold": ({"warned": {"gold": 1}}, "1 of 3 raters did not reach the pass mark of the gold cases"),
    "training": ({"warned": {"training": 3}}, "3 of 3 raters did not reach the pass mark of the training"),
    "contradicted": ({"opinions": (opinion(0.45),)}, "on a share of .45 of the cases"),
    "picked": ({"picked": True}, "were picked for findings or repairs"),
    "changed": ({"released": 20}, "4 cases of study pilot are not in this release as judged"),
    "one open item": ({"open": 1}, "1 item (one question about one case) has labels of which none has more"),
    "open items": ({"open": 3}, "3 items (one question about one case) have labels"),
    "undescribed": ({"undescribed": ("recruitment", "consent")}, "nobody described recruitment and consent"),
    "small": ({"cases": 9, "released": 9}, "with fewer than 10, no interval is shown"),
}


@pytest.mark.parametrize("name", SAYS)
def test_card_names_each_limit_that_a_study_has(release: PlannedRelease, name: str) -> None:
    changes, sentence = SAYS[name]
    clean = {"undescribed": (), "warned": {}}
    before = limits_of(with_study(release, **clean))
    after = limits_of(with_study(release, **{**clean, **changes}))
    assert not any(sentence in said for said in before)
    assert sum(sentence in said for said in after) == 1


def test_card_does_not_name_published_values_that_experts_confirm(release: PlannedRelease) -> None:
    said = limits_of(with_study(release, opinions=(opinion(0.8),)))
    assert not any("the published" in sentence for sentence in said)


def test_card_names_questions_that_decide_nothing(release: PlannedRelease) -> None:
    (study,) = release.content.studies
    first, second, *others = study.questions
    without = [question.model_copy(update={"passing": ()}) for question in (first, second)]
    one = limits_of(with_study(release, questions=(without[0], second, *others)))
    two = limits_of(with_study(release, questions=(*without, *others)))
    assert any(
        "no answer lets a case pass same task, so this question does not decide" in said for said in one
    )
    assert any("same task and bias presence, so these questions do not decide" in said for said in two)


def test_card_names_agreement_that_is_or_may_be_low_with_an_end_of_its_interval(
    release: PlannedRelease,
) -> None:
    (said,) = (said for said in limits_of(release.content) if "Fleiss' kappa" in said)
    assert "the whole interval of Fleiss' kappa lies below .40, and ends at: same task (-.01), bias" in said
    assert not any("Gwet" in said for said in limits_of(release.content))
    kappa = release.content.studies[0].questions[0].kappa
    assert kappa.interval
    wide = replace(kappa, interval=replace(kappa.interval, high=0.5))
    (begins,) = (said for said in limits_of(with_question(release, kappa=wide)) if "begins below" in said)
    assert begins.endswith("the interval of Fleiss' kappa begins below .40: same task (-.11).")


def test_card_says_whether_anything_is_known_of_the_raters(release: PlannedRelease) -> None:
    unknown = "Of the raters of study pilot, no field, degree or experience is published."
    assert unknown in limits_of(release.content)
    assert unknown not in limits_of(with_study(release, people=("Two raters named law as their field.",)))


def test_card_lists_what_was_looked_for_and_not_found(release: PlannedRelease) -> None:
    card = release.files["README.md"].decode()
    assert "Also looked for, and not found: " in card
    assert "none" not in card.partition("## Known limits")[2].partition("## People")[0].lower()


def test_fields_without_content_leave_the_seals_of_1_0_as_they_were(release: PlannedRelease) -> None:
    (study,) = release.content.studies
    empty = study.model_copy(
        update={"open": 0, "picked": False, "warned": {}, "undescribed": (), "opinions": ()}
    )
    new = {"open", "picked", "warned", "undescribed", "opinions", "weighted", "population"}
    assert not new & empty.model_dump(mode="json").keys()
    assert study.model_validate(study.model_dump(mode="json")) == study
